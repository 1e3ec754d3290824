/* SPDX-License-Identifier: MIT */
/* The object, edits and undo. An edit is one value that replaces another: what it makes stale
 * follows from the difference (procedure.c), so that undo and redo need no code of their own. */
#include "session/session_internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/safe_text.h"
#include "session/base/text.h"

G_DEFINE_FINAL_TYPE(AseSession, ase_session, G_TYPE_OBJECT)

enum { STEP_CHANGED, CHANGED, MESSAGE, PROGRESS, CLOCK, LEG, DIAGNOSIS, SIGNALS };
static guint signals[SIGNALS];

/* ---- telling ---- */

void ase_session_emit_changed(AseSession *self) {
  g_signal_emit(self, signals[CHANGED], 0);
}

void ase_session_emit_diagnosis(AseSession *self) {
  g_signal_emit(self, signals[DIAGNOSIS], 0);
}
void ase_session_emit_progress(AseSession *self, AseStep step, double part, double left_s) {
  g_signal_emit(self, signals[PROGRESS], 0, (guint)step, part, left_s);
}

void ase_session_emit_leg(AseSession *self, guint leg) {
  g_signal_emit(self, signals[LEG], 0, leg);
}

void ase_session_emit_message(AseSession *self, int level, const char *text) {
  g_signal_emit(self, signals[MESSAGE], 0, level, text);
}

void ase_session_say(AseSession *self, int level, const char *format, ...) {
  AioEvent event = {
      .kind = AIO_EVENT_LOG, .level = level, .t_host_ns = g_get_monotonic_time() * 1000};
  va_list arguments;
  va_start(arguments, format);
  char *said = g_strdup_vprintf(format, arguments), *text = aio_text_visible(said, true);
  va_end(arguments);
  g_free(said);
  ase_text_copy(event.text, sizeof event.text, text);
  ase_record_log(self->record, &event);
  g_signal_emit(self, signals[MESSAGE], 0, level, text);
  g_free(text);
}

static guint find_changed(const AseProcedure *a, const AseProcedure *b) {
  guint changed = 0;
  for (guint k = 0; k < ASE_STEPS; k++)
    if (memcmp(&a->steps[k], &b->steps[k], sizeof a->steps[k]) != 0 ||
        memcmp(a->joint[k], b->joint[k], sizeof a->joint[k]) != 0 ||
        ase_procedure_state(a, (AseStep)k) != ase_procedure_state(b, (AseStep)k))
      changed |= 1u << k;
  return changed;
}

void ase_session_sync(AseSession *self) {
  const guint changed = find_changed(self->procedure, self->told);
  if (!changed)
    return;
  *self->told = *self->procedure;
  char *text = ase_procedure_to_json(self->procedure);
  ase_record_write_text(self->record, AIO_STORE_STEPS, text);
  g_free(text);
  g_object_ref(self);
  for (guint k = 0; k < ASE_STEPS; k++)
    if (changed >> k & 1)
      g_signal_emit(self, signals[STEP_CHANGED], 0, k);
  g_object_unref(self);
}

bool ase_session_refuse(GError **error, const char *text) {
  g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED, text);
  return false;
}

/* ---- edits ---- */

void ase_session_take_arm(AseSession *self, AioArm *arm, char *arm_text) {
  aio_arm_free(self->arm);
  g_free(self->arm_text);
  self->arm = arm;
  self->arm_text = arm_text;
  ase_session_forget_selection(self);
}

void ase_session_forget_plan(AseSession *self) {
  g_clear_pointer(&self->forecast, ase_forecast_unref);
  self->wants_forecast = false;
  if (self->forecasting)
    ase_job_cancel(self->forecasting);
  g_clear_pointer(&self->itinerary, ase_itinerary_free);
}

void ase_session_clear_fit(AseSession *self) {
  g_clear_pointer(&self->fit, ase_fit_unref);
  g_clear_pointer(&self->fit_arm, g_free);
  g_clear_pointer(&self->fit_sha256, g_free);
  g_clear_pointer(&self->fit_wild, g_array_unref);
  g_clear_pointer(&self->validation, g_free);
  self->wants_validation = false;
  ase_session_forget_diagnosis(self);
}

static bool may_have_arm(AseSession *self, const AioArm *arm, GError **error) {
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, _("the arm moves; stop it before its description is edited"));
  if (arm->model.n == self->arm->model.n || ase_record_runs(self->record)->len == 0)
    return true;
  g_set_error(
      error, AIO_ERROR, AIO_ERROR_REFUSED,
      _("this session has measurements of an arm with %zu joints, the new arm file has %zu; "
        "begin a new session for it"),
      self->arm->model.n, arm->model.n);
  return false;
}

/* What rests on the inputs: stops what is being done with them, makes stale what was done. */
static void inputs_changed(AseSession *self, guint inputs) {
  const guint planning = 1u << ASE_INPUT_LIMITS | 1u << ASE_INPUT_PLAN | 1u << ASE_INPUT_ARM;
  const guint data = 1u << ASE_INPUT_DATA | 1u << ASE_INPUT_ARM | 1u << ASE_INPUT_FRICTION |
                     1u << ASE_INPUT_MISFIT;
  const guint judgement = 1u << ASE_INPUT_JUDGEMENT;
  if (inputs & planning)
    ase_session_outdate_motion(self);
  if (ase_motion_is_on(self->motion) && inputs & planning) {
    ase_motion_stop(self->motion);
    ase_session_say(self, 1,
                    _("the arm was stopped, because ranges, speeds or the plan have changed"));
  }
  if (self->job && inputs & (self->computing == ASE_STEP_PLAN       ? planning
                             : self->computing == ASE_STEP_VALIDATE ? data | judgement
                                                                    : data))
    ase_job_cancel(self->job);
  if (inputs & planning)
    ase_session_forget_plan(self);
  if (inputs & data)
    ase_session_forget_diagnosis(self);
  for (guint k = 0; k < ASE_INPUTS; k++)
    if (inputs >> k & 1)
      ase_procedure_changed(self->procedure, (AseInput)k, NULL);
}

void ase_session_configure(AseSession *self) {
  for (guint k = 0; k < self->arm->warnings->len; k++)
    ase_session_say(self, 1, "%s", (const char *)self->arm->warnings->pdata[k]);
  ase_procedure_pass(self->procedure, ASE_STEP_CONFIGURE, 0, self->arm->name);
}

/* The state that an edit, undo or redo leads to. arm NULL: the same; else it and its text are taken
 * over, on failure freed. "changed" is the caller's, once it is known what can be undone. */
static bool change(AseSession *self, AioArm *arm, const char *arm_text, const AseEdits *edits,
                   GError **error) {
  if (arm && !may_have_arm(self, arm, error)) {
    aio_arm_free(arm);
    return false;
  }
  guint inputs = ase_edits_difference(self->edits, edits) | (arm ? 1u << ASE_INPUT_ARM : 0);
  char *text = g_strdup(arm_text);
  const bool is_other = arm && arm->model.n != self->arm->model.n;
  if (inputs)
    ase_session_remember_standing(self);
  inputs_changed(self, inputs);
  memcpy(self->edits, edits, sizeof *edits);
  if (inputs & 1u << ASE_INPUT_DATA)
    ase_session_exclude(self);
  if (arm) {
    ase_session_take_arm(self, arm, g_steal_pointer(&text));
    ase_record_write_text(self->record, AIO_STORE_ARM, self->arm_text);
    if (is_other) {
      ase_procedure_init(self->procedure, (guint)arm->model.n);
      ase_session_clear_fit(self);
    }
    ase_contact_compare_arm(self->contact);
    ase_session_configure(self);
  }
  ase_session_return_to_standing(self);
  g_free(text);
  ase_session_write_edits(self);
  ase_session_sync(self);
  return true;
}

static bool may_edit(AseSession *self, GError **error) {
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error,
                              _("this session is open for reading only; nothing was changed"));
  return true;
}

/* What was free stays free as far as the new arm's limits allow. A plan that was proposed for the
 * arm before is to be proposed anew; what was swept by it stays what it is, to be fitted again. */
static void fit_edits_to(AseEdits *edits, const ArmModel *model) {
  AseFreedom freedom;
  ase_freedom_init(&freedom, model);
  for (gsize j = 0; j < model->n; j++) {
    edits->low[j] = fmax(edits->low[j], freedom.low[j]);
    edits->high[j] = fmin(edits->high[j], freedom.high[j]);
  }
  edits->is_outdated = edits->is_proposed;
}

bool ase_session_set_arm_as(AseSession *self, const char *arm_text, const char *what,
                            GError **error) {
  if (!may_edit(self, error))
    return false;
  AioArm *arm = aio_arm_load_bytes(self->arm_name, arm_text, strlen(arm_text), error);
  if (!arm)
    return false;
  AseEdits *edits = g_memdup2(self->edits, sizeof *self->edits);
  if (arm->model.n == self->arm->model.n)
    fit_edits_to(edits, &arm->model);
  else
    ase_edits_init(edits, &arm->model);
  char *before_text = g_strdup(self->arm_text);
  AseEdits *before = g_memdup2(self->edits, sizeof *self->edits);
  const bool ok = change(self, arm, arm_text, edits, error);
  if (ok) {
    ase_undo_push(self->undo, what, before_text, before);
    ase_session_emit_changed(self);
  }
  g_free(before_text);
  g_free(before);
  g_free(edits);
  return ok;
}

bool ase_session_set_arm(AseSession *self, const char *arm_text, GError **error) {
  return ase_session_set_arm_as(self, arm_text, _("edit the arm"), error);
}

void ase_session_set_edits(AseSession *self, const AseEdits *edits, const char *what) {
  GError *error = NULL;
  if (!may_edit(self, &error)) {
    ase_session_say(self, 1, "%s", error->message);
    g_error_free(error);
    return;
  }
  AseEdits *next = g_memdup2(edits, sizeof *edits);
  if (!next->has_plan || ase_plan_differs(&next->plan, &self->edits->plan))
    next->is_proposed = false;
  const guint inputs = ase_edits_difference(self->edits, next);
  next->is_outdated = next->is_proposed && (next->is_outdated || inputs & 1u << ASE_INPUT_LIMITS);
  ase_undo_push(self->undo, what, self->arm_text, self->edits);
  change(self, NULL, NULL, next, NULL);
  ase_session_emit_changed(self);
  g_free(next);
}

static void swap(AseSession *self, bool is_redo) {
  const char *arm_text;
  const AseEdits *edits;
  GError *error = NULL;
  if (!ase_undo_what(self->undo, is_redo))
    return;
  bool ok = may_edit(self, &error);
  ase_undo_peek(self->undo, is_redo, &arm_text, &edits);
  char *before_text = g_strdup(self->arm_text);
  AseEdits *before = g_memdup2(self->edits, sizeof *self->edits);
  AioArm *arm = NULL;
  if (ok && strcmp(arm_text, before_text) != 0) {
    arm = aio_arm_load_stored(self->arm_name, arm_text, strlen(arm_text), &error);
    ok = arm != NULL;
  }
  if (ok && change(self, arm, arm_text, edits, &error)) {
    ase_undo_swap(self->undo, is_redo, before_text, before);
    ase_session_emit_changed(self);
  } else {
    ase_session_say(self, 1, "%s", error->message);
    g_error_free(error);
  }
  g_free(before_text);
  g_free(before);
}

static bool can(AseSession *self, bool is_redo, const char **what) {
  const char *words =
      ase_record_is_read_only(self->record) ? NULL : ase_undo_what(self->undo, is_redo);
  if (what)
    *what = words;
  return words != NULL;
}

bool ase_session_can_undo(AseSession *self, const char **what) {
  return can(self, false, what);
}
bool ase_session_can_redo(AseSession *self, const char **what) {
  return can(self, true, what);
}
void ase_session_undo(AseSession *self) {
  swap(self, false);
}
void ase_session_redo(AseSession *self) {
  swap(self, true);
}

/* ---- parts ---- */

bool ase_session_is_own(AseSession *self) {
  return ase_record_is_own(self->record);
}

bool ase_session_is_read_only(AseSession *self) {
  return ase_record_is_read_only(self->record);
}
const char *ase_session_path(AseSession *self) {
  return ase_record_path(self->record);
}
AseDevice *ase_session_device(AseSession *self) {
  return self->device;
}
const AseProcedure *ase_session_procedure(AseSession *self) {
  return self->procedure;
}
const GArray *ase_session_controller_params(AseSession *self) {
  return ase_contact_params(self->contact);
}
const AioArm *ase_session_arm(AseSession *self) {
  return self->arm;
}
const AseEdits *ase_session_edits(AseSession *self) {
  return self->edits;
}
const ArmPlan *ase_session_plan(AseSession *self) {
  return self->edits->has_plan ? &self->edits->plan : NULL;
}
const ArmPlanReport *ase_session_forecast(AseSession *self) {
  if (self->wants_forecast && !self->forecasting)
    ase_session_compute_forecast(self);
  return self->forecast;
}
const AseItinerary *ase_session_itinerary(AseSession *self) {
  const AseItinerary *doing = ase_motion_doing(self->motion);
  return doing ? doing : self->itinerary;
}
const GPtrArray *ase_session_runs(AseSession *self) {
  return ase_record_runs(self->record);
}
const GPtrArray *ase_session_earlier_runs(AseSession *self) {
  return ase_record_earlier(self->record);
}
const ArmGravityFit *ase_session_fit(AseSession *self) {
  return self->fit;
}
bool ase_session_found(AseSession *self, ArmParamSet *found, ArmParamSet *recursion) {
  if (recursion)
    *recursion = (ArmParamSet){0};
  if (!self->fit || arm_gravity_set(&self->fit->refined, NULL, false, found) != ARM_OK)
    return false;
  if (recursion && self->fit->recursive.n > 0 &&
      arm_gravity_set(&self->fit->recursive, NULL, false, recursion) != ARM_OK)
    *recursion = (ArmParamSet){0};
  return true;
}
bool ase_session_foreseen(AseSession *self, ArmParamSet *found) {
  const ArmPlanReport *report = ase_session_forecast(self);
  return report && arm_gravity_set(&report->predicted, NULL, false, found) == ARM_OK;
}
const AseValidation *ase_session_validation(AseSession *self) {
  if (self->wants_validation && !ase_motion_is_on(self->motion) &&
      !ase_device_is_armed(self->device))
    ase_session_compute_validation(self, NULL);
  return self->validation;
}
guint ase_session_leg(AseSession *self) {
  return ase_motion_leg(self->motion);
}

/* ---- the object ---- */

AseSession *ase_session_new(const char *path, const char *program, const char *arm_name,
                            bool is_read_only) {
  AseSession *self = g_object_new(ASE_TYPE_SESSION, NULL);
  self->record = ase_session_make_record(self, path, program, is_read_only);
  self->arm_name = g_strdup(arm_name);
  return self;
}

static void tick(gpointer object) {
  g_signal_emit(object, signals[CLOCK], 0);
}

static void ase_session_init(AseSession *self) {
  self->edits = g_new0(AseEdits, 1);
  self->undo = ase_undo_new();
  self->procedure = g_new0(AseProcedure, 1);
  self->told = g_new0(AseProcedure, 1);
  self->device = ase_device_new();
  self->motion = ase_motion_new(self->device, self, tick);
  self->contact = ase_session_make_contact(self);
}

static void ase_session_dispose(GObject *object) {
  ase_session_close(ASE_SESSION(object), NULL);
  G_OBJECT_CLASS(ase_session_parent_class)->dispose(object);
}

static void ase_session_finalize(GObject *object) {
  AseSession *self = ASE_SESSION(object);
  ase_delivery_free(self->delivery);
  ase_recording_free(self->recording);
  ase_motion_free(self->motion);
  ase_contact_free(self->contact);
  g_clear_object(&self->device);
  ase_selection_free(self->selection);
  ase_session_forget_plan(self);
  ase_session_forget_standing(self);
  ase_session_clear_fit(self);
  ase_undo_free(self->undo);
  aio_arm_free(self->arm);
  g_free(self->arm_text);
  g_free(self->edits);
  g_free(self->procedure);
  g_free(self->told);
  ase_record_free(self->record);
  g_free(self->arm_name);
  G_OBJECT_CLASS(ase_session_parent_class)->finalize(object);
}

static void ase_session_class_init(AseSessionClass *klass) {
  G_OBJECT_CLASS(klass)->dispose = ase_session_dispose;
  G_OBJECT_CLASS(klass)->finalize = ase_session_finalize;
  const GType type = G_TYPE_FROM_CLASS(klass);
  const GSignalFlags last = G_SIGNAL_RUN_LAST;
  signals[STEP_CHANGED] =
      g_signal_new("step-changed", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[CHANGED] = g_signal_new("changed", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MESSAGE] = g_signal_new("message", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                  G_TYPE_INT, G_TYPE_STRING);
  signals[PROGRESS] = g_signal_new("progress", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                                   G_TYPE_UINT, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  signals[CLOCK] = g_signal_new("clock", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DIAGNOSIS] = g_signal_new("diagnosis", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[LEG] = g_signal_new("leg", type, last, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}
