/* SPDX-License-Identifier: MIT */
/* FIT as a job, and the parameters as a text. */
#include "session/session_fit.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "io/json/json_write.h"
#include "io/params/params_file.h"
#include "io/params/verdict_file.h"
#include "io/recording/wild_spans.h"
#include "session/base/doubt_text.h"
#include "session/base/text.h"
#include "session/session_job.h"
#include "session/session_select.h"
#include "session/session_validate.h"

/* ---- FIT ---- */

typedef struct {
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  ArmFitOptions options;
  AseSelection *selection;
  AseFitted found; /* fit NULL: none, see error; the arm is known before */
  GError *error;
} FitWork;

static void fit_work_free(gpointer data) {
  FitWork *work = data;
  ase_fit_unref(work->found.fit);
  ase_selection_free(work->selection);
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  g_free(work->found.sha256);
  g_free(work->found.arm_digest);
  if (work->found.wild)
    g_array_unref(work->found.wild);
  g_clear_error(&work->error);
  g_free(work);
}

/* Where nothing is left, the limit of the current is the likeliest reason: it is in mA. */
static char *failure_said(const AseSelection *s, ArmStatus status) {
  gsize clipped = 0;
  for (gsize j = 0; j < s->recording->n; j++)
    clipped += s->counts[j][ASE_SAMPLE_CLIPPED];
  if (status != ARM_E_NO_DATA || 2 * clipped <= s->recording->rows)
    return g_strdup(ase_status_said(status));
  return aio_said(N_("in %.3g %% of the samples the current is at the limit of the arm file, "
                     "or beyond it, and nothing else can be used: is it in A, and is the "
                     "limit right?"),
                  100.0 * (double)clipped / (double)s->recording->rows);
}

static void compute_fit(AseJob *job, void *data) {
  FitWork *work = data;
  const AseSelection *s = work->selection = ase_selection_new_within(
      job, &work->model, work->runs, ASE_PURPOSE_MEASURE, work->exclusions, &work->error);
  if (!s)
    return;
  const ArmDataset dataset = ase_selection_dataset(s);
  ArmGravityFit *fit = g_atomic_rc_box_new0(ArmGravityFit);
  work->options.progress = ase_job_report;
  work->options.user = job;
  const ArmStatus status = arm_gravity_fit(&work->model, &dataset, &work->options, fit);
  if (status == ARM_OK) {
    work->found.fit = fit;
    work->found.sha256 = ase_selection_digest(s, s->recording->joint);
    work->found.wild =
        aio_wild_spans(&work->model, &dataset, &work->options.rows, s->recording, false);
  } else {
    char *text = failure_said(s, status);
    aio_error_set_kept(&work->error, AIO_ERROR_MEANING, text);
    g_free(text);
    g_atomic_rc_box_release(fit);
  }
}

/* ---- the verdict on a joint ---- */

static const ArmGravityFit *fit_of(const AseSession *self) {
  return ase_results_fit(self->results);
}

/* The arm is built so, no measurement can change it; or the parameter is too small to matter. */
static bool is_excused(ArmReason reason) {
  switch (reason) {
  case ARM_REASON_NONE:
  case ARM_REASON_MINIMAL:
  case ARM_REASON_AXIS_VERTICAL:
  case ARM_REASON_AXIS_HORIZONTAL:
  case ARM_REASON_EMBODIED:
  case ARM_REASON_OTHER_CLUSTER:
  case ARM_REASON_LOAD_UNSEEN:
  case ARM_REASON_TOO_WEAK:
  case ARM_REASON_COUPLING_WEAK:
  case ARM_REASON_NO_ACCELERATION:
  case ARM_REASON_DEPENDS_ON_OTHER:
  case ARM_REASON_NEVER_SWEPT: /* unless it was left out on purpose, that joint fails itself */
    return true;
  case ARM_REASON_NO_ROWS:
  case ARM_REASON_ROWS_LEFT_OUT:
  case ARM_REASON_CURRENT_ZERO:
  case ARM_REASON_CURRENT_CONSTANT:
  case ARM_REASON_ONE_DIRECTION:
  case ARM_REASON_ONE_SPEED:
  case ARM_REASON_HOLDS_TOO_SIMILAR:
  case ARM_REASON_TOO_FEW_ROWS:
  case ARM_REASON_LOAD_NOT_STATED:
  case ARM_REASON_MOTION_TOO_SIMPLE:
  case ARM_REASON_SCALE_NOT_STATED:
  case ARM_REASONS:
    break;
  }
  return false;
}

/* The first parameter of the joint that is not identifiable, those without excuse first. */
static ArmReason find_reason(const ArmJointFit *fit, ArmJointType type, const char **name) {
  static const char *const friction[] = {N_("friction forward"), N_("viscous friction forward"),
                                         N_("friction backward"), N_("viscous friction backward")};
  ArmReason found = ARM_REASON_NONE;
  for (guint pass = 0; pass < 2 && found == ARM_REASON_NONE; pass++) {
    for (guint k = 0; k < 6; k++) {
      const bool is_own = k < 2;
      const ArmEstimate *e = is_own ? &fit->w[k] : &fit->friction[k - 2];
      if (is_own && k == 1 && type == ARM_JOINT_T)
        continue;
      if (e->identifiable || is_excused(e->reason) != (pass == 1) || found != ARM_REASON_NONE)
        continue;
      found = e->reason;
      *name = is_own ? aio_said_word(N_("gravity")) : aio_said_word(friction[k - 2]);
    }
  }
  return found;
}

/* Neither planned nor recorded, and nobody expects it. */
static bool is_left_out(AseSession *self, gsize j) {
  if (fit_of(self)->refined.joint[j].rows_used > 0)
    return false;
  if (self->edits->has_plan)
    return !self->edits->plan.joint[j].is_swept;
  const GPtrArray *runs = ase_record_runs(self->record);
  for (guint k = 0; k < runs->len; k++)
    if (((const AseRun *)runs->pdata[k])->joint == j + 1)
      return false;
  return ase_session_is_imported(self);
}

/* The first kind of what does not fit, as it is told first. */
static void add_misfit(GPtrArray *list, const ArmJointVerdict *v, ArmJointType type) {
  const ArmTest *stroke = &v->test[ARM_TEST_STROKE], *gravity = &v->test[ARM_TEST_GRAVITY];
  const bool turns = type == ARM_JOINT_R;
  if (stroke->is_alarm)
    aio_said_list_add(list,
                      N_("the sweep of hold %zu at %+.3g %s stands out from the other speeds "
                         "of its hold by %.3g mA: repeat it or leave it out"),
                      v->stroke_hold + 1, turns ? v->stroke_speed * 180.0 / G_PI : v->stroke_speed,
                      turns ? aio_said_word(N_("deg/s")) : "m/s", 1000.0 * stroke->size);
  else if (gravity->is_alarm)
    aio_said_list_add(list,
                      N_("the model does not fit: gravity misses by %.3g mA rms, promised "
                         "%.3g mA, worst in hold %zu"),
                      1000.0 * gravity->size, 1000.0 * v->promised, v->worst_hold + 1);
  else
    aio_said_list_add(list,
                      N_("the model does not fit: %.3g mA rms turn with the direction as its "
                         "friction does not"),
                      1000.0 * v->test[ARM_TEST_DIRECTION].size);
}

/* What the joint's signs say against the arm file; NULL: nothing. The verdict cannot know: currents
 * of the wrong sign fit as well, with a ratio of the wrong sign. */
static const char *wrong_sign(const AseSession *self, gsize j) {
  const ArmDoubts *doubts = &fit_of(self)->doubts;
  for (gsize k = 0; k < doubts->count; k++) {
    if (doubts->at[k].joint != j)
      continue;
    if (doubts->at[k].kind == ARM_DOUBT_CURRENT_SIGN)
      return aio_said_word(
          N_("its friction helps the motion: the sign of its current is wrong, or motor_sign in "
             "the arm file"));
    if (doubts->at[k].kind == ARM_DOUBT_RATIO_SIGN)
      return aio_said_word(
          N_("the ratio of its torque constant to another joint's has the wrong sign: the sign of "
             "a current is wrong, motor_sign or a DH angle in the arm file"));
  }
  return NULL;
}

/* With it the numbers are hardly those of the arm, however well they fit: of the joint, or of the
 * whole recording, the first as they are told; NULL: none. */
static const ArmDoubt *severe_doubt(const AseSession *self, gsize j) {
  const ArmDoubts *doubts = &fit_of(self)->doubts;
  const ArmDoubt *found = NULL;
  for (gsize k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    const bool is_its = d->joint == j || d->joint >= fit_of(self)->refined.n;
    if (is_its && arm_doubt_is_severe(d->kind) && (!found || d->kind < found->kind))
      found = d;
  }
  return found;
}

/* Of its load nothing is known, which others carry: the verdict on the fit is "unknown". */
static void leave_out(AseSession *self, guint joint) {
  char *text = aio_said(N_("not judged: joint %u was never swept: sweep it"), joint);
  ase_procedure_leave_unjudged(self->procedure, ASE_STEP_FIT, joint, text);
  g_free(text);
}

/* Of what has no rows, or no more than unknowns, there is neither noise nor condition. */
static void add_figures(GPtrArray *list, const ArmJointFit *fit) {
  if (isfinite(fit->residual_sd) && isfinite(fit->cond_equilibrated))
    aio_said_list_add(list, N_("residual %.3g mA (1 sd), rank %zu of %zu, condition %.3g"),
                      1000.0 * fit->residual_sd, fit->rank, fit->columns, fit->cond_equilibrated);
  else
    aio_said_list_add(list, N_("%zu samples used, rank %zu of %zu"), fit->rows_used, fit->rank,
                      fit->columns);
}

/* Gravity of which nothing was found because its load has another joint's in it. */
static bool hangs_on_unswept(const ArmJointFit *fit) {
  bool hangs = false;
  for (guint k = 0; k < 2; k++) {
    if (fit->w[k].identifiable)
      return false;
    hangs = hangs || fit->w[k].reason == ARM_REASON_NEVER_SWEPT;
  }
  return hangs;
}

/* Why it can neither pass nor fail: appended to the reason; false: it can. */
static bool add_unjudged(const AseSession *self, gsize j, GPtrArray *list) {
  const ArmJointVerdict *verdict =
      fit_of(self)->verdict.n > j ? &fit_of(self)->verdict.joint[j] : NULL;
  const ArmDoubt *doubt = severe_doubt(self, j);
  const guint before = list->len;
  if (doubt) {
    char *words = ase_doubt_said(doubt);
    aio_said_list_add(list, "%s: %s; ", aio_said_word(N_("not judged")), words);
    g_free(words);
  } else if (verdict && verdict->untold != ARM_UNTOLD_NOTHING) {
    char *words = ase_untold_said(verdict);
    /* TRANSLATORS: the whole step says so: a joint, and why it cannot be told whether it fits */
    aio_said_list_add(list, N_("not judged: joint %u: %s"), (guint)j + 1, words);
    aio_said_list_add(list, "; ");
    g_free(words);
  }
  return list->len > before || hangs_on_unswept(&fit_of(self)->refined.joint[j]);
}

static void judge_joint(AseSession *self, gsize j) {
  const ArmJointFit *fit = &fit_of(self)->refined.joint[j];
  const ArmJointType type = fit_of(self)->refined.type[j];
  const char *name = NULL;
  if (is_left_out(self, j)) {
    leave_out(self, (guint)j + 1);
    return;
  }
  const ArmReason reason = find_reason(fit, type, &name);
  const ArmJointVerdict *verdict = &fit_of(self)->verdict.joint[j];
  const bool is_misfit = fit_of(self)->verdict.n > j && verdict->verdict == ARM_VERDICT_MISFIT;
  const char *sign = wrong_sign(self, j);
  const bool is_bad = is_misfit || sign || (reason != ARM_REASON_NONE && !is_excused(reason));
  GPtrArray *list = aio_said_list_new();
  if (is_misfit) { /* first: of a long reason only the beginning is seen */
    add_misfit(list, verdict, type);
    aio_said_list_add(list, "; ");
  }
  if (sign)
    aio_said_list_add(list, "%s; ", sign);
  const bool is_unjudged = !is_bad && add_unjudged(self, j, list);
  add_figures(list, fit);
  if (reason != ARM_REASON_NONE)
    aio_said_list_add(list, N_("; %s not identifiable: %s"), name, ase_reason_said(reason));
  char *text = aio_said_list_join(list, "");
  (is_bad        ? ase_procedure_fail
   : is_unjudged ? ase_procedure_leave_unjudged
                 : ase_procedure_pass)(self->procedure, ASE_STEP_FIT, (guint)j + 1, text);
  g_free(text);
}

/* ---- what is said of the fit ---- */

static bool has_terms(const ArmGravityFit *fit) {
  for (gsize j = 0; j < fit->refined.n; j++)
    for (guint t = 0; t < ARM_TERMS; t++)
      if (fit->refined.joint[j].has_term[t])
        return true;
  return false;
}

static bool was_offered(const ArmGravityFit *fit, ArmFrictionTerm term) {
  for (gsize j = 0; j < fit->refined.n; j++)
    if (fit->refined.joint[j].trial[term].outcome != ARM_TERM_NOT_OFFERED)
      return true;
  return false;
}

/* What came of each friction term, also where none was chosen: the parameter file then says nothing
 * of them. */
static void write_trials(AioJsonWriter *w, const ArmGravityFit *fit) {
  aio_json_write_key(w, "trials");
  aio_json_write_begin_array(w);
  for (gsize j = 0; j < fit->refined.n; j++)
    for (guint t = 0; t < ARM_TERMS; t++) {
      const ArmTermTrial *trial = &fit->refined.joint[j].trial[t];
      aio_json_write_begin_flat_object(w);
      aio_json_put_int(w, "joint", (gint64)j + 1);
      aio_json_put_string(w, "name", arm_term_key((ArmFrictionTerm)t));
      aio_json_put_string(w, "outcome", arm_term_outcome_key(trial->outcome));
      aio_json_put_number(w, "value", trial->value);
      aio_json_put_number(w, "sd", trial->sd);
      aio_json_put_number(w, "gain", trial->gain);
      aio_json_write_end_object(w);
    }
  aio_json_write_end_array(w);
}

/* The options that decide about the result, with their units. In a parameter file (is_file) nothing
 * of friction terms where there are none: then it is as it was before there were any. g_free. */
static char *options_text(const AseSession *self, bool is_file) {
  const ArmGravityFit *fit = fit_of(self);
  const ArmRowOptions *rows = &self->edits->rows;
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "min_speed_rad_s", rows->min_speed_R);
  aio_json_put_number(w, "min_speed_m_s", rows->min_speed_T);
  aio_json_put_bool(w, "acceleration", rows->wants_acceleration);
  aio_json_put_bool(w, "plateau", rows->wants_plateau);
  aio_json_put_number(w, "plateau_end_rad", rows->plateau_end_R);
  aio_json_put_number(w, "plateau_end_part", rows->plateau_end_part);
  aio_json_put_int(w, "exclusions", self->edits->n_exclusions);
  for (guint t = 0; t < ARM_TERMS && (!is_file || has_terms(fit)); t++)
    aio_json_put_bool(w, t == ARM_TERM_LOAD ? "friction_load" : "friction_curve",
                      was_offered(fit, (ArmFrictionTerm)t));
  aio_limits_write_changed(w, &self->edits->misfit);
  if (!is_file)
    write_trials(w, fit);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_strchomp(g_string_free(text, FALSE));
}

static AioProvenance *make_provenance(const AseSession *self) {
  const char *program = ase_record_program(self->record), *space = strrchr(program, ' ');
  char *name = space ? g_strndup(program, (gsize)(space - program)) : g_strdup(program);
  AioProvenance *provenance =
      aio_provenance_new(name, space ? space + 1 : NULL, ase_results_arm_digest(self->results));
  char *file = g_path_get_basename(ase_record_path(self->record));
  const char *digits = ase_results_sha256(self->results);
  char *sha256 = digits ? g_strconcat("sha256:", digits, NULL) : NULL;
  aio_provenance_add_recording(provenance, file, sha256);
  provenance->options = options_text(self, true);
  const GArray *wild = ase_results_wild(self->results);
  provenance->wild = wild ? g_array_ref((GArray *)wild) : NULL;
  g_free(name);
  g_free(file);
  g_free(sha256);
  return provenance;
}

/* held_out: of AioHeldOut, NULL: none. g_free. */
static char *parameters_text(const AseSession *self, const GPtrArray *held_out) {
  gsize length;
  AioProvenance *provenance = make_provenance(self);
  char *text = aio_params_format_validated(
      fit_of(self), NULL, self->arm->name, ase_results_arm_digest(self->results),
      ase_record_program(self->record), provenance, held_out, &length);
  aio_provenance_free(provenance);
  return text;
}

static void take_fit(AseSession *self, FitWork *work) {
  ase_diagnosing_forget(self->diagnosing);
  ase_results_take_fit(self->results, &work->found);
  ase_text_copy(self->procedure->fit_serial, ASE_SERIAL_BYTES, self->procedure->sweep_serial);
  /* no need to read the file again */
  ase_selecting_take(self->selecting, g_steal_pointer(&work->selection));
  for (gsize j = 0; j < self->arm->model.n; j++)
    judge_joint(self, j);
  char *options = options_text(self, false), *parameters = NULL;
  if (ase_session_may_export(self, NULL))
    parameters = parameters_text(self, NULL); /* no validation has seen it */
  ase_record_write_fit(self->record, ase_results_sha256(self->results), options, parameters);
  g_free(options);
  g_free(parameters);
}

/* What an earlier fit found is still there, and is not of what was to be fitted now. */
static void miss_fit(AseSession *self, const char *reason) {
  ase_procedure_fail(self->procedure, ASE_STEP_FIT, 0, reason);
  if (fit_of(self))
    ase_procedure_outdate(self->procedure, ASE_STEP_FIT, reason);
}

static void on_fitted(void *data, bool is_cancelled, void *ctx) {
  FitWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled)
    miss_fit(self, aio_said_word(N_("cancelled")));
  else if (!work->found.fit)
    miss_fit(self, aio_error_said(work->error));
  else
    take_fit(self, work);
  ase_session_end_job(self);
}

void ase_session_start_fit(AseSession *self) {
  ase_diagnosing_forget(self->diagnosing);
  FitWork *work = g_new0(FitWork, 1);
  work->model = self->arm->model;
  work->found.arm_digest = g_strdup(self->arm->digest);
  work->runs = ase_record_ref_runs(self->record);
  work->exclusions = ase_session_exclusions(self);
  arm_fit_options_default(&work->options);
  work->options.rows = self->edits->rows;
  work->options.limits = self->edits->misfit;
  memcpy(work->options.offers_term, self->edits->offers_term, sizeof work->options.offers_term);
  const AseJobTask task = {
      .work = compute_fit, .data = work, .free_data = fit_work_free, .done = on_fitted};
  ase_session_start_job(self, ASE_STEP_FIT, &task);
}

/* ---- EXPORT ---- */

static bool refuse_none(const AseSession *self, GError **error) {
  const char *why = self->procedure->steps[ASE_STEP_FIT].reason;
  const bool was_fitted = ase_procedure_state(self->procedure, ASE_STEP_FIT) == ASE_STATE_STALE;
  aio_error_set_kept(error, AIO_ERROR_NOT_FOUND,
                     was_fitted && why ? why : aio_said_word(N_("nothing has been fitted yet")));
  return false;
}

/* What is to be done depends on what the fit rests on. */
static bool refuse_old(const AseSession *self, const char *why, GError **error) {
  const bool may_fit = ase_procedure_may_start(self->procedure, ASE_STEP_FIT, NULL);
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      /* TRANSLATORS: what has changed, "the arm has been edited" */
      may_fit ? N_("the fit is out of date (%s): fit again first")
              : N_("the fit is out of date (%s): sweep and fit again, or undo the change"),
      why);
  return false;
}

bool ase_session_may_export(AseSession *self, GError **error) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  if (!fit_of(self))
    return refuse_none(self, error);
  if (state == ASE_STATE_RUNNING)
    return ase_session_refuse(error, N_("a computation runs; wait for it, or cancel it"));
  if (state == ASE_STATE_STALE)
    return refuse_old(self, self->procedure->steps[ASE_STEP_FIT].reason, error);
  return strcmp(ase_results_arm_digest(self->results), self->arm->digest) == 0 ||
         refuse_old(self, aio_said_word(N_("it was fitted with another arm file")), error);
}

char *ase_session_parameters(AseSession *self, GError **error) {
  if (!ase_session_may_export(self, error))
    return NULL;
  GPtrArray *held_out = ase_session_held_out(self);
  char *text = parameters_text(self, held_out);
  if (held_out)
    g_ptr_array_unref(held_out);
  return text;
}

/* A file of what did not pass is a result that nothing says is good. */
void ase_session_exported(AseSession *self, const char *path) {
  if (!ase_session_may_export(self, NULL))
    return;
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  ase_editor_take_standing(self->editor, NULL);
  (state == ASE_STATE_PASSED ? ase_procedure_pass : ase_procedure_leave_unjudged)(
      self->procedure, ASE_STEP_EXPORT, 0, path);
  ase_session_sync(self);
}
