/* SPDX-License-Identifier: MIT */
/* Signals, messages and refusals; and what others may look at as it is. */
#include "session/session_core.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"
#include "session/base/text.h"

enum { STEP_CHANGED, CHANGED, MESSAGE, PROGRESS, CLOCK, LEG, DIAGNOSIS, SIGNALS };
static guint signals[SIGNALS];

/* ---- telling ---- */

void ase_session_make_signals(GType type) {
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

void ase_session_emit_clock(AseSession *self) {
  g_signal_emit(self, signals[CLOCK], 0);
}

void ase_session_emit_message(AseSession *self, int level, const char *said) {
  char *line = aio_said_line(said);
  if (level == 2)
    ase_telling_error(self->telling, said);
  g_signal_emit(self, signals[MESSAGE], 0, level, line);
  g_free(line);
}

bool ase_session_has_told(const AseSession *self, AseStep step) {
  return ase_telling_has_error(self->telling, self->procedure->steps[step].reason);
}

void ase_session_say_kept(AseSession *self, int level, const char *said) {
  AioEvent event = {
      .kind = AIO_EVENT_LOG, .level = level, .t_host_ns = g_get_monotonic_time() * 1000};
  aio_said_copy(event.text, sizeof event.text, said);
  ase_record_log(self->record, &event);
  ase_session_emit_message(self, level, said);
}

void ase_session_say(AseSession *self, int level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *said = aio_said_v(format, arguments);
  va_end(arguments);
  ase_session_say_kept(self, level, said);
  g_free(said);
}

char *ase_session_steps_text(const AseSession *self, const AseProcedure *procedure) {
  char *motions = ase_following_to_json(self->following, self->arm ? self->arm->model.n : 0);
  char *text = ase_procedure_to_json_with(procedure, ASE_FOLLOWED_KEY, motions);
  g_free(motions);
  return text;
}

void ase_session_write_steps(AseSession *self) {
  char *text = ase_session_steps_text(self, self->procedure);
  ase_record_write_texts(self->record, NULL, NULL, text);
  g_free(text);
}

void ase_session_sync(AseSession *self) {
  const guint changed = ase_telling_take(self->telling, self->procedure);
  if (!changed)
    return;
  ase_session_write_steps(self);
  g_object_ref(self);
  const AseSteps *table = self->procedure->table;
  for (guint k = 0; k < table->count; k++)
    if (changed & ASE_BIT(table->rows[k].step))
      g_signal_emit(self, signals[STEP_CHANGED], 0, (guint)table->rows[k].step);
  g_object_unref(self);
}

bool ase_session_refuse(GError **error, const char *words) {
  return ase_session_refuse_kept(error, aio_said_word(words));
}

bool ase_session_refuse_kept(GError **error, const char *said) {
  aio_error_set_kept(error, AIO_ERROR_REFUSED, said);
  return false;
}

bool ase_session_is_free(AseSession *self, GError **error) {
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, N_("the arm moves; hold it first"));
  if (ase_work_is_on(self->work))
    return ase_session_refuse(error, N_("a computation runs; wait for it, or cancel it"));
  if (ase_delivery_task(self->delivery) != ASE_DELIVERY_NONE)
    return ase_session_refuse(error,
                              N_("parameters are being transferred; wait for it, or cancel it"));
  return !ase_record_is_closed(self->record) ||
         ase_session_refuse(error, N_("this session is closed"));
}

const AseMeasuring *ase_session_measuring(const AseSession *self) {
  (void)self;
  return ase_method_of_sessions->measuring;
}

const AseSteps *ase_session_steps(void) {
  return ase_session_measuring(NULL)->steps;
}

void ase_session_take_judgement(AseSession *self, AseStep step, guint joint,
                                const AseJudgement *judgement) {
  switch (judgement->judged) {
  case ASE_JUDGED_PASSED:
    ase_procedure_pass(self->procedure, step, joint, judgement->said);
    break;
  case ASE_JUDGED_FAILED:
    ase_procedure_fail(self->procedure, step, joint, judgement->said);
    break;
  case ASE_JUDGED_UNKNOWN:
    ase_procedure_leave_unjudged(self->procedure, step, joint, judgement->said);
    break;
  }
  g_free(judgement->said);
}

/* ---- what is there ---- */

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
const AseItinerary *ase_session_itinerary(AseSession *self) {
  const AseItinerary *doing = ase_motion_doing(self->motion);
  return doing ? doing : ase_planned_itinerary(self->planned);
}
const GPtrArray *ase_session_runs(AseSession *self) {
  return ase_record_runs(self->record);
}
bool ase_session_is_imported(AseSession *self) {
  const GPtrArray *runs = ase_record_runs(self->record);
  const AseRun *first = runs->len ? runs->pdata[0] : NULL;
  return first && first->is_imported;
}
const GPtrArray *ase_session_earlier_runs(AseSession *self) {
  return ase_record_earlier(self->record);
}
const AseFit *ase_session_fit(AseSession *self) {
  return ase_results_fit(self->results);
}
bool ase_session_has_rows(AseSession *self, guint joint) {
  const AseFit *fit = ase_results_fit(self->results);
  return fit && ase_session_measuring(self)->has_rows(fit, joint);
}
bool ase_session_found(AseSession *self, ArmParamSet *found, ArmParamSet *recursion) {
  if (recursion)
    *recursion = (ArmParamSet){0};
  const AseFit *fit = ase_results_fit(self->results);
  return fit && ase_session_measuring(self)->set(fit, found, recursion) == ARM_OK;
}
guint ase_session_leg(AseSession *self) {
  return ase_motion_leg(self->motion);
}
