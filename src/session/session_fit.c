/* SPDX-License-Identifier: MIT */
/* FIT as a job, VALIDATE, and the parameters as a text. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/json_write.h"
#include "io/params_file.h"
#include "session/session_internal.h"
#include "session/text.h"

/* ---- FIT ---- */

typedef struct {
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  ArmFitOptions options;
  AseSelection *selection;
  ArmGravityFit *fit; /* NULL: none, see error */
  char *sha256;
  GError *error;
} FitWork;

static void clear_fit(gpointer fit) {
  arm_gravity_fit_clear(fit);
}

void ase_fit_unref(ArmGravityFit *fit) {
  if (fit)
    g_atomic_rc_box_release_full(fit, clear_fit);
}

static void fit_work_free(gpointer data) {
  FitWork *work = data;
  ase_fit_unref(work->fit);
  ase_selection_free(work->selection);
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  g_free(work->sha256);
  g_clear_error(&work->error);
  g_free(work);
}

/* Of the arrays joint (32 bit), t, q, qd, current (doubles), as they lie in memory. */
static char *digest(const AioRecording *r) {
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
  const gsize column = r->rows * sizeof(double);
  g_checksum_update(sum, (const guchar *)r->joint, (gssize)(r->rows * sizeof *r->joint));
  g_checksum_update(sum, (const guchar *)r->t, (gssize)column);
  g_checksum_update(sum, (const guchar *)r->q, (gssize)(column * r->n));
  g_checksum_update(sum, (const guchar *)r->qd, (gssize)(column * r->n));
  g_checksum_update(sum, (const guchar *)r->current, (gssize)(column * r->n));
  char *hex = g_strdup(g_checksum_get_string(sum));
  g_checksum_free(sum);
  return hex;
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
    work->fit = fit;
    work->sha256 = digest(s->recording);
  } else {
    g_set_error_literal(&work->error, AIO_ERROR, AIO_ERROR_MEANING, ase_status_text(status));
    g_atomic_rc_box_release(fit);
  }
}

/* ---- the verdict on a joint ---- */

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
  case ARM_REASON_NO_ACCELERATION:
  case ARM_REASON_DEPENDS_ON_OTHER:
    return true;
  case ARM_REASON_NO_ROWS:
  case ARM_REASON_CURRENT_ZERO:
  case ARM_REASON_ONE_DIRECTION:
  case ARM_REASON_ONE_SPEED:
  case ARM_REASON_HOLDS_TOO_SIMILAR:
  case ARM_REASON_TOO_FEW_ROWS:
  case ARM_REASONS:
    break;
  }
  return false;
}

/* The first parameter of the joint that is not identifiable, those without excuse first. */
static ArmReason find_reason(const ArmGravityParameters *p, gsize j, const char **name) {
  static const char *const friction[] = {N_("friction forward"), N_("viscous friction forward"),
                                         N_("friction backward"), N_("viscous friction backward")};
  const ArmJointFit *fit = &p->joint[j];
  ArmReason found = ARM_REASON_NONE;
  for (guint pass = 0; pass < 2 && found == ARM_REASON_NONE; pass++) {
    for (guint k = 0; k < 6; k++) {
      const bool is_own = k < 2;
      const ArmEstimate *e = is_own ? &fit->w[k] : &fit->friction[k - 2];
      if (is_own && k == 1 && p->type[j] == ARM_JOINT_T)
        continue;
      if (e->identifiable || is_excused(e->reason) != (pass == 1) || found != ARM_REASON_NONE)
        continue;
      found = e->reason;
      *name = is_own ? _("gravity") : _(friction[k - 2]);
    }
  }
  return found;
}

/* Neither planned nor recorded, and nobody expects it. */
static bool is_left_out(AseSession *self, gsize j) {
  if (self->fit->refined.joint[j].rows_used > 0)
    return false;
  if (self->edits->has_plan)
    return !self->edits->plan.joint[j].is_swept;
  for (guint k = 0; k < self->runs->len; k++)
    if (((const AseRun *)self->runs->pdata[k])->joint == j + 1)
      return false;
  return ase_session_is_imported(self);
}

static void judge_joint(AseSession *self, gsize j) {
  const ArmGravityParameters *p = &self->fit->refined;
  const ArmJointFit *fit = &p->joint[j];
  const guint joint = (guint)j + 1;
  const char *name = NULL;
  if (is_left_out(self, j)) {
    ase_procedure_pass(self->procedure, ASE_STEP_FIT, joint, _("not swept"));
    return;
  }
  const ArmReason reason = find_reason(p, j, &name);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, _("residual %.3g mA (1 sd), rank %zu of %zu, condition %.3g"),
                         1000.0 * fit->residual_sd, fit->rank, fit->columns,
                         fit->cond_equilibrated);
  if (reason != ARM_REASON_NONE)
    g_string_append_printf(text, _("; %s not identifiable: %s"), name, ase_reason_text(reason));
  if (reason == ARM_REASON_NONE || is_excused(reason))
    ase_procedure_pass(self->procedure, ASE_STEP_FIT, joint, text->str);
  else
    ase_procedure_fail(self->procedure, ASE_STEP_FIT, joint, text->str);
  g_string_free(text, TRUE);
}

/* The options that decide about the result, with their units. g_free. */
static char *options_text(const AseSession *self) {
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
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_strchomp(g_string_free(text, FALSE));
}

static void take_fit(AseSession *self, FitWork *work) {
  ase_session_clear_fit(self);
  self->fit = g_steal_pointer(&work->fit);
  self->fit_sha256 = g_steal_pointer(&work->sha256);
  ase_text_copy(self->procedure->fit_serial, ASE_SERIAL_BYTES, self->procedure->sweep_serial);
  ase_selection_free(self->selection);
  self->selection = g_steal_pointer(&work->selection); /* no need to read the file again */
  for (gsize j = 0; j < self->arm->model.n; j++)
    judge_joint(self, j);
  char *options = options_text(self), *parameters = ase_session_parameters(self, NULL);
  ase_session_write_fit(self, options, parameters);
  g_free(options);
  g_free(parameters);
}

static void on_fitted(void *data, bool is_cancelled, void *ctx) {
  FitWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled)
    ase_procedure_fail(self->procedure, ASE_STEP_FIT, 0, _("cancelled"));
  else if (!work->fit)
    ase_procedure_fail(self->procedure, ASE_STEP_FIT, 0, work->error->message);
  else
    take_fit(self, work);
  ase_session_end_job(self);
}

void ase_session_start_fit(AseSession *self) {
  FitWork *work = g_new0(FitWork, 1);
  work->model = self->arm->model;
  work->runs = ase_session_ref_runs(self);
  work->exclusions = ase_session_exclusions(self);
  arm_fit_options_default(&work->options);
  work->options.rows = self->edits->rows;
  const AseJobTask task = {
      .work = compute_fit, .data = work, .free_data = fit_work_free, .done = on_fitted};
  ase_session_start_job(self, ASE_STEP_FIT, &task);
}

/* ---- VALIDATE ---- */

bool ase_session_compute_validation(AseSession *self, GError **error) {
  self->wants_validation = false;
  AseValidation *v = g_new0(AseValidation, 1);
  if (!ase_validation_compute(v, &self->arm->model, self->runs, self->fit, &self->edits->rows,
                              self->edits->validation_limit, self->edits->drift_limit, error)) {
    g_free(v);
    return false;
  }
  g_free(self->validation);
  self->validation = v;
  return true;
}

static void judge_validation(AseSession *self, guint joint) {
  const AseValidation *v = self->validation;
  const AseJointValidation *j = &v->joint[joint - 1];
  const bool has_drifted = v->has_drifted && v->drift_joint == joint;
  if (j->rows == 0) {
    ase_procedure_pass(self->procedure, ASE_STEP_VALIDATE, joint, _("no validation sweep"));
    return;
  }
  GString *text = g_string_new(NULL);
  g_string_append_printf(
      text, _("error %.3g mA rms, %.2g %% of the current, %.2f times the residual of the fit"),
      1000.0 * j->rms_A, j->percent, j->ratio);
  if (v->drift_joint == joint)
    g_string_append_printf(text, _("; friction drifted by %.1f sd%s"),
                           ase_text_tenths(v->drift_sds),
                           has_drifted ? _(": warm the arm up longer and sweep again") : "");
  if (j->has_passed && !has_drifted)
    ase_procedure_pass(self->procedure, ASE_STEP_VALIDATE, joint, text->str);
  else
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, joint, text->str);
  g_string_free(text, TRUE);
}

typedef struct {
  ArmModel model;
  GPtrArray *runs;
  ArmGravityFit *fit;
  ArmRowOptions rows;
  double limit, drift_limit;
  AseValidation *result; /* NULL: none, see error */
  GError *error;
} ValidateWork;

static void validate_work_free(gpointer data) {
  ValidateWork *work = data;
  g_ptr_array_unref(work->runs);
  ase_fit_unref(work->fit);
  g_free(work->result);
  g_clear_error(&work->error);
  g_free(work);
}

static void compute_validation(AseJob *job, void *data) {
  ValidateWork *work = data;
  (void)job;
  AseValidation *result = g_new0(AseValidation, 1);
  if (ase_validation_compute(result, &work->model, work->runs, work->fit, &work->rows, work->limit,
                             work->drift_limit, &work->error))
    work->result = g_steal_pointer(&result);
  g_free(result);
}

static void on_validated(void *data, bool is_cancelled, void *ctx) {
  ValidateWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled) {
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, 0, _("cancelled"));
  } else if (!work->result) {
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, 0, work->error->message);
  } else {
    g_free(self->validation);
    self->validation = g_steal_pointer(&work->result);
    for (guint joint = 1; joint <= self->procedure->joints; joint++)
      judge_validation(self, joint);
  }
  ase_session_end_job(self);
}

void ase_session_validate(AseSession *self) {
  if (!self->fit) { /* its file has one of another arm */
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, 0, _("nothing has been fitted yet"));
    ase_session_sync(self);
    return;
  }
  self->wants_validation = false;
  ValidateWork *work = g_new0(ValidateWork, 1);
  work->model = self->arm->model;
  work->runs = ase_session_ref_runs(self);
  work->fit = g_atomic_rc_box_acquire(self->fit);
  work->rows = self->edits->rows;
  work->limit = self->edits->validation_limit;
  work->drift_limit = self->edits->drift_limit;
  const AseJobTask task = {.work = compute_validation,
                           .data = work,
                           .free_data = validate_work_free,
                           .done = on_validated};
  ase_session_start_job(self, ASE_STEP_VALIDATE, &task);
}

/* ---- EXPORT ---- */

static AioProvenance *make_provenance(const AseSession *self) {
  const char *space = strrchr(self->program, ' ');
  char *name =
      space ? g_strndup(self->program, (gsize)(space - self->program)) : g_strdup(self->program);
  AioProvenance *provenance = aio_provenance_new(name, space ? space + 1 : NULL, self->arm->digest);
  char *file = g_path_get_basename(self->path);
  char *sha256 = self->fit_sha256 ? g_strconcat("sha256:", self->fit_sha256, NULL) : NULL;
  aio_provenance_add_recording(provenance, file, sha256);
  provenance->options = options_text(self);
  g_free(name);
  g_free(file);
  g_free(sha256);
  return provenance;
}

char *ase_session_parameters(AseSession *self, GError **error) {
  if (!self->fit) {
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_NOT_FOUND, _("nothing has been fitted yet"));
    return NULL;
  }
  gsize length;
  AioProvenance *provenance = make_provenance(self);
  char *text = aio_params_format(self->fit, NULL, self->arm->name, self->arm->digest, self->program,
                                 provenance, &length);
  aio_provenance_free(provenance);
  return text;
}

void ase_session_exported(AseSession *self, const char *path) {
  if (!self->fit)
    return;
  ase_session_forget_standing(self);
  ase_procedure_pass(self->procedure, ASE_STEP_EXPORT, 0, path);
  ase_session_sync(self);
}
