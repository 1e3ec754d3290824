/* SPDX-License-Identifier: MIT */
/* Line 13.7: recordings of a real UR10e, one joint by one and together: what the workbench and
 * `fit` say of each, and that a short brake in joint_2.csv is flagged and sets no scale.
 * docs/verdicts-ur10e.md says in words what to think of it. */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/params/verdict_file.h"
#include "io/recording/import.h"
#include "io/recording/wild_spans.h"
#include "session/session.h"
#include "support/support.h"
#ifdef ARMATURE_HAS_UI
#include "ui/fit/fit_figures.h"
#include "ui/fit/fit_watch.h"
#endif

#define SCALE 1.2 /* of the largest residual that is used: what the picture may show */

static const char *verdict_word(ArmVerdictKind kind) {
  static const char *const words[] = {[ARM_VERDICT_FITS] = "fits",
                                      [ARM_VERDICT_MISFIT] = "misfit",
                                      [ARM_VERDICT_UNKNOWN] = "unknown"};
  return words[kind];
}

static bool show(const char *what, double measured, const char *target, bool is_good) {
  printf("SHOW 13.7 %s measured=%.4g target=%s %s\n", what, measured, target,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

static void must(bool is_done, GError *error) {
  if (is_done)
    return;
  fprintf(stderr, "show_recordings: %s\n", error ? error->message : "failed");
  exit(1);
}

static AioRecording *import(AioColumnMap *map, const ArmModel *model, int joint) {
  char path[64];
  GError *error = NULL;
  snprintf(path, sizeof path, "datasets/ur10e/single_joint/joint_%d.csv", joint);
  map->moving = AIO_MOVING_VALUE;
  map->moving_joint = joint;
  AioRecording *recording = aio_import(test_shared_path(path), map, model, NULL, &error);
  must(recording != NULL, error);
  return recording;
}

/* ---- as `fit` does it ---- */

static void list_lines(const ArmGravityFit *fit) {
  GPtrArray *lines = aio_verdict_lines(fit);
  for (guint k = 0; k < lines->len; k++) {
    const AioVerdictLine *line = g_ptr_array_index(lines, k);
    const size_t i = line->joint - 1;
    if (line->joint == 0 || fit->refined.joint[i].rows_used > 0)
      printf("#   %s: %s\n", line->code, line->message);
  }
  g_ptr_array_unref(lines);
}

/* steady: as line 4, accelerations and a low-pass, friction that grows with the load where proved
 */
static ArmVerdictKind list_fit(const char *what, const AioArm *arm, const AioRecording *recording,
                               bool steady) {
  const ArmDataset data = aio_recording_dataset(recording);
  ArmFitOptions options;
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  arm_fit_options_default(&options);
  options.offers_term[ARM_TERM_LOAD] = options.offers_term[ARM_TERM_CURVE] = true;
  if (steady) {
    options.rows.min_speed_R = 0.03;
    options.rows.wants_acceleration = true;
    options.lowpass_Hz = 7.5;
  }
  must(arm_gravity_fit(&arm->model, &data, &options, fit) == ARM_OK, NULL);
  const ArmVerdictKind verdict = fit->verdict.verdict;
  printf("# %s, %s: %s\n", what, steady ? "--acceleration --lowpass 7.5" : "no option",
         verdict_word(verdict));
  for (size_t i = 0; i < arm->model.n; i++) {
    const ArmJointFit *joint = &fit->refined.joint[i];
    if (joint->rows_used > 0)
      printf(
          "#   joint %zu: %s, %zu rows, %zu wild, r2 %.4f, residual sd %.3f A, largest %.2f A, sds "
          "widened by %.1f\n",
          i + 1, verdict_word(fit->verdict.joint[i].verdict), joint->rows_used,
          joint->rows_by_use[ARM_ROW_WILD], joint->r2, joint->residual_sd, joint->max_abs,
          joint->widening);
  }
  list_lines(fit);
  arm_gravity_fit_clear(fit);
  g_free(fit);
  return verdict;
}

/* ---- as the workbench does it ---- */

static AseStepState reach(AseSession *session, AseStep step) {
  const AseProcedure *procedure = ase_session_procedure(session);
  GError *error = NULL;
  if (!ase_session_start(session, step, &error)) {
    printf("#   %s: %s\n", ase_steps_title(ase_session_steps(), step), error->message);
    g_clear_error(&error);
    return ASE_STATE_WAITING;
  }
  while (ase_procedure_state(procedure, step) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  printf("#   %s: %s, %s\n", ase_steps_title(ase_session_steps(), step),
         ase_state_key(ase_procedure_state(procedure, step)),
         ase_step_reason(&procedure->steps[step]));
  return ase_procedure_state(procedure, step);
}

static bool show_wild(AseSession *session) {
  const ArmModel *model = &ase_session_arm(session)->model;
  AseSweepRows *rows =
      ase_sweep_rows_new(model, ase_session_runs(session), ASE_PURPOSE_MEASURE, NULL, NULL);
  must(rows != NULL, NULL);
  GArray *spans =
      aio_wild_spans(model, ase_sweep_rows_source(rows), &ase_session_edits(session)->rows,
                     ase_sweep_rows_about(rows), false);
  gsize samples = 0;
  double first = INFINITY;
  for (guint k = 0; k < spans->len; k++) {
    const AioWildSpan *span = &g_array_index(spans, AioWildSpan, k);
    samples += span->samples;
    first = fmin(first, span->from_s);
  }
  char *places = aio_wild_places(spans, 2, 0);
  printf("#   wild: %s\n", places ? places : "none");
  g_free(places);
  g_array_unref(spans);
  ase_sweep_rows_free(rows);
  return show("joint_2.csv in the workbench: wild samples", (double)samples,
              "5 to 12, in the brake from 52.6 s on",
              samples >= 5 && samples <= 12 && first > 52.6);
}

#ifdef ARMATURE_HAS_UI
static bool show_scale(AseSession *session) {
  AseSweptInput *input =
      aui_fit_input_new(session, ase_session_measuring(session), ASE_PURPOSE_MEASURE);
  AseSwept *data = ase_swept_new(input, NULL);
  const AseShown shown = {.data = data, .joint = 2};
  const AseFigure *residuals = ase_session_measuring(session)->figures;
  while (!g_str_equal(residuals->key, "residuals"))
    residuals++;
  AuiFigure *figure = aui_fit_figure(residuals, &shown);
  double x[2], y[2], used = 0.0, wild = 0.0;
  must(aui_figure_bounds(figure, x, y), NULL);
  for (guint k = 0; k < data->joint[1].points->len; k++)
    used = fmax(used, fabs(g_array_index(data->joint[1].points, AseSweptPoint, k).residual));
  for (guint k = 0; k < data->joint[1].wild->len; k++)
    wild = fmax(wild, fabs(g_array_index(data->joint[1].wild, AseSweptPoint, k).residual));
  printf("#   residuals drawn up to %.2f A, wild ones up to %.2f A, %u used ones beyond\n", used,
         wild, data->joint[1].far->len);
  const double part = fmax(fabs(y[0]), fabs(y[1])) / (1e3 * fmax(used, 2.0 * data->joint[1].sd));
  aui_figure_free(figure);
  ase_swept_free(data);
  ase_swept_input_free(input);
  return show("joint_2.csv: residual plot over the residuals that it is for", part, "<=1.2",
              part <= SCALE);
}
#else
static bool show_scale(AseSession *session) {
  (void)session;
  return true;
}
#endif

static bool show_workbench(const char *folder, const char *arm_text, const AioRecording *recording,
                           int joint) {
  char path[256];
  GError *error = NULL;
  AseImportOptions options;
  ase_import_options_default(&options);
  snprintf(path, sizeof path, "%s/joint_%d.armsession", folder, joint);
  AseSession *session =
      ase_session_import(path, "show 1", "ur10e", arm_text, recording, &options, &error);
  must(session != NULL, error);
  printf("# joint_%d.csv in the workbench\n", joint);
  const AseStepState fit = reach(session, ASE_STEP_FIT);
  const AseStepState validate = reach(session, ASE_STEP_VALIDATE);
  bool is_good = true;
  if (joint == 2) {
    is_good &= show("joint_2.csv in the workbench: Fit and Validate passed",
                    (fit == ASE_STATE_PASSED) + (validate == ASE_STATE_PASSED), "0",
                    fit != ASE_STATE_PASSED && validate != ASE_STATE_PASSED);
    is_good &= show_wild(session);
    is_good &= show_scale(session);
  }
  g_object_unref(session);
  g_unlink(path);
  return is_good;
}

int main(void) {
  GError *error = NULL;
  char *arm_text, *folder = g_dir_make_tmp("armature-show-XXXXXX", NULL);
  const char *arm_path = test_source_path("data/robots/ur10e.arm.json");
  bool is_good = true;
  if (!test_shared_path("datasets/ur10e/single_joint/joint_1.csv"))
    return !show("UR10e", NAN, "recordings below ARMATURE_SHARED", false);
  AioArm *arm = aio_arm_load(arm_path, &error);
  must(arm != NULL, error);
  must(g_file_get_contents(arm_path, &arm_text, NULL, &error), error);
  AioColumnMap *map =
      aio_column_map_load(test_source_path("data/maps/ur10e_31_columns.columns.json"), &error);
  must(map != NULL, error);
  AioRecording *all = NULL;
  for (int joint = 1; joint <= 6; joint++) {
    char name[16];
    snprintf(name, sizeof name, "joint_%d.csv", joint);
    AioRecording *one = import(map, &arm->model, joint);
    const ArmVerdictKind plain = list_fit(name, arm, one, false);
    list_fit(name, arm, one, true);
    if (joint == 2)
      is_good &= show("joint_2.csv, `fit`: verdict is `fits`", plain == ARM_VERDICT_FITS, "0",
                      plain != ARM_VERDICT_FITS);
    is_good &= show_workbench(folder, arm_text, one, joint);
    if (all) {
      must(aio_recording_append(all, one, &error), error);
      aio_recording_free(one);
    } else {
      all = one;
    }
  }
  list_fit("all together", arm, all, false);
  list_fit("all together", arm, all, true);
  aio_recording_free(all);
  aio_column_map_free(map);
  aio_arm_free(arm);
  g_rmdir(folder);
  g_free(folder);
  g_free(arm_text);
  return is_good ? 0 : 1;
}
