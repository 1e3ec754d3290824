/* SPDX-License-Identifier: MIT */
/* From a recording to parameters, without an arm: the demonstration, and what is refused. */
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "folder.h"
#include "import_case.h"
#include "io/csv/csv.h"
#include "io/params/params_file.h"
#include "io/recording/column_map.h"
#include "io/recording/import.h"
#include "session/measure/recorded.h"
#include "session/method/gravity.h"
#include "session/next.h"
#include "session/session.h"
#include "support/support.h"

/* Every parameter of the truth that the file claims to know, within 4 sd. */
static guint compare_with_truth(const AioParams *params) {
  guint compared = 0;
  char *text;
  g_assert_true(g_file_get_contents(test_source_path("data/demo/puma560_table1.truth.csv"), &text,
                                    NULL, NULL));
  char **lines = g_strsplit(text, "\n", -1);
  for (guint k = 1; lines[k] && *lines[k]; k++) {
    ArmParamId id;
    char *comma = strchr(lines[k], ',');
    *comma = '\0';
    g_assert_true(aio_params_parse_name(lines[k], params->fit.refined.n, &id));
    const ArmEstimate *e =
        arm_gravity_parameters_at((ArmGravityParameters *)&params->fit.refined, id);
    if (!e->identifiable)
      continue;
    const double sds = (e->value - g_ascii_strtod(comma + 1, NULL)) / e->sd;
    if (!(fabs(sds) < 4.0))
      g_error("%s: %.2f sd from the truth", lines[k], sds);
    compared++;
  }
  g_strfreev(lines);
  g_free(text);
  return compared;
}

static void assert_parameters(const Case *c) {
  GError *error = NULL;
  char *text = ase_session_parameters(c->session, &error);
  g_assert_no_error(error);
  char *path = g_build_filename(c->folder, "parameters.json", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  AioParams *params = aio_params_load(path, &c->arm->model, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(compare_with_truth(params), >=, 35);
  aio_params_free(params);
  g_free(path);
  g_free(text);
}

static void assert_states(const Case *c, AseStep last) {
  const AseStepInfo *steps = ase_session_procedure(c->session)->steps;
  for (AseStep step = ASE_STEP_CONNECT; step <= last; step++)
    g_assert_cmpint(case_state(c, step), ==, ASE_STATE_PASSED);
  for (AseStep step = ASE_STEP_CONNECT; step <= ASE_STEP_SWEEP; step++) {
    const char *expected = step == ASE_STEP_CONFIGURE ? c->arm->name : "from a recording";
    if (strcmp(ase_step_reason(&steps[step]), expected) != 0)
      g_error("%s: \"%s\"", ase_steps_key(ase_session_steps(), step),
              ase_step_reason(&steps[step]));
  }
}

static gsize count(const Case *c, AsePurpose purpose) {
  const GPtrArray *runs = ase_session_runs(c->session);
  gsize samples = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    samples += run->purpose == purpose ? ase_run_samples(run) : 0;
  }
  return samples;
}

/* FIT to the exported file, closed, and gone on with. */
static void test_demo(void) {
  Case c;
  GError *error = NULL;
  case_init(&c);
  case_import(&c);
  g_assert_true(ase_session_is_imported(c.session));
  assert_states(&c, ASE_STEP_SWEEP);
  g_assert_cmpuint(count(&c, ASE_PURPOSE_MEASURE), ==, 4080);
  g_assert_cmpuint(count(&c, ASE_PURPOSE_VALIDATE), ==, 1020);
  case_do(&c, ASE_STEP_FIT);
  case_do(&c, ASE_STEP_VALIDATE);
  assert_parameters(&c);
  const AseValidation *v = ase_session_validation(c.session);
  for (guint j = 0; j < v->joints; j++) {
    g_assert_cmpuint(v->joint[j].rows, >, 50);
    g_assert_true(v->joint[j].has_passed);
  }
  ase_session_exported(c.session, "parameters.json");
  g_assert_true(ase_session_close(c.session, &error));
  g_clear_object(&c.session);
  char *kept;
  c.session = ase_session_open(c.path, PROGRAM, &kept, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(kept, ==, "resumed: 100 sweeps from a recording, 5100 samples");
  g_free(kept);
  g_assert_true(ase_session_is_imported(c.session));
  assert_states(&c, ASE_STEP_EXPORT);
  g_assert_cmpuint(count(&c, ASE_PURPOSE_MEASURE), ==, 4080);
  assert_parameters(&c);
  case_do(&c, ASE_STEP_FIT);
  case_clear(&c);
}

/* Samples come back as they were, those that no joint has measured included. */
static void test_samples(void) {
  Case c;
  case_init(&c);
  case_import(&c);
  const AioRecording *r = c.recording;
  const GPtrArray *runs = ase_session_runs(c.session);
  gsize row = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    g_assert_cmpfloat_with_epsilon(run->speed * 18.0 / G_PI, round(run->speed * 18.0 / G_PI), 0.05);
    for (guint i = 0; i < run->chunks->len; i++) {
      const AioChunk *chunk = run->chunks->pdata[i];
      for (guint s = 0; s < chunk->n; s++, row++) {
        g_assert_cmpint(r->joint[row], ==, (int)run->joint);
        g_assert_cmpfloat(chunk->q[s * 6 + run->joint - 1], ==,
                          r->q[(run->joint - 1) * r->rows + row]);
        g_assert_cmpfloat(chunk->current[s * 6 + run->joint - 1], ==,
                          r->current[(run->joint - 1) * r->rows + row]);
        g_assert_true(isnan(chunk->current[s * 6 + run->joint % 6]));
      }
    }
  }
  g_assert_cmpuint(row, ==, r->rows);
  case_clear(&c);
}

/* Of every joint, what no fit sees goes to and fro. */
static void assert_both_directions(const GPtrArray *runs) {
  guint forth[ARM_MAX_JOINTS] = {0}, back[ARM_MAX_JOINTS] = {0};
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    const AseTrace *trace = ase_run_trace(run);
    if (run->purpose == ASE_PURPOSE_VALIDATE)
      (g_array_index(trace->points, AseTracePoint, 0).qd > 0.0f ? forth : back)[run->joint - 1]++;
  }
  for (guint j = 0; j < 6; j++) {
    g_assert_cmpuint(forth[j], >, 0);
    g_assert_cmpuint(back[j], >, 0);
  }
}

static void test_hold_out(void) {
  Case c;
  GError *error = NULL;
  case_init(&c);
  const double parts[] = {0.0, 0.2, 0.5};
  const guint expected[] = {0, 20, 50};
  for (guint k = 0; k < G_N_ELEMENTS(parts); k++) {
    GPtrArray *runs = ase_recorded_runs(c.recording, parts[k], &error);
    guint out = 0;
    g_assert_no_error(error);
    for (guint i = 0; i < runs->len; i++)
      out += ((const AseRun *)runs->pdata[i])->purpose == ASE_PURPOSE_VALIDATE;
    g_assert_cmpuint(out, ==, expected[k]);
    if (out)
      assert_both_directions(runs);
    g_ptr_array_unref(runs);
  }
  case_clear(&c);
}

/* However slow the recording, memory for its samples and not for the room of chunks. */
static void test_compact(void) {
  Case c;
  case_init(&c);
  GPtrArray *runs = ase_recorded_runs(c.recording, 0.0, NULL);
  gsize values = 0, taken = 0, chunks = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    chunks += run->chunks->len;
    for (guint i = 0; i < run->chunks->len; i++) {
      const AioChunk *chunk = run->chunks->pdata[i];
      values += (gsize)chunk->n * chunk->joints;
      taken += (gsize)(chunk->qd - chunk->q);
    }
  }
  g_assert_cmpuint(values, >, 0);
  g_assert_cmpuint(taken, ==, values);
  g_assert_cmpuint(chunks, ==, runs->len); /* none of the sweeps has more than 64 rows */
  g_ptr_array_unref(runs);
  case_clear(&c);
}

/* Decided anew, it is as if it had been at once. */
static void test_hold_out_anew(void) {
  Case c;
  case_init(&c);
  GPtrArray *at_once = ase_recorded_runs(c.recording, 0.2, NULL);
  GPtrArray *anew = ase_recorded_runs(c.recording, 0.5, NULL);
  ase_recorded_hold_out(anew, 0.2);
  g_assert_cmpuint(anew->len, ==, at_once->len);
  for (guint k = 0; k < anew->len; k++)
    g_assert_cmpint(((const AseRun *)anew->pdata[k])->purpose, ==,
                    ((const AseRun *)at_once->pdata[k])->purpose);
  g_ptr_array_unref(at_once);
  g_ptr_array_unref(anew);
  case_clear(&c);
}

static void test_refused(void) {
  Case c;
  GError *error = NULL;
  AseImportOptions options;
  case_init(&c);
  ase_import_options_default(&options);
  char *nowhere = g_build_filename(c.folder, "none", "x.armsession", NULL);
  g_assert_null(
      ase_session_import(nowhere, PROGRAM, "arm", c.arm_text, c.recording, &options, &error));
  g_assert_nonnull(error);
  g_clear_error(&error);
  c.recording->is_torque[1] = true;
  g_assert_null(
      ase_session_import(c.path, PROGRAM, "arm", c.arm_text, c.recording, &options, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  c.recording->is_torque[1] = false;
  memset(c.recording->joint, 0, c.recording->rows * sizeof *c.recording->joint);
  g_assert_null(
      ase_session_import(c.path, PROGRAM, "arm", c.arm_text, c.recording, &options, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  g_assert_false(g_file_test(c.path, G_FILE_TEST_EXISTS));
  g_free(nowhere);
  case_clear(&c);
}

/* Of joint 3 the slowest sweeps of its first hold and the fastest of its second. */
static void leave_one_speed_a_hold(AioRecording *r) {
  for (gsize row = 0; row < r->rows; row++) {
    const double speed = fabs(r->qd[2 * r->rows + row]);
    const bool is_left = r->q[3 * r->rows + row] < 1.0 ? speed < 0.6 : speed > 1.1;
    if (r->joint[row] == 3 && !is_left)
      r->joint[row] = 0;
  }
}

static void leave_out(AioRecording *r, int joint) {
  for (gsize row = 0; row < r->rows; row++)
    if (r->joint[row] == joint)
      r->joint[row] = 0;
}

static const char *unjudged(Case *c, guint joint) {
  const AseStepInfo *info = case_finish(c, ASE_STEP_FIT);
  g_assert_cmpint(info->state, ==, ASE_STATE_UNJUDGED);
  const AseStepInfo *own = &ase_session_procedure(c->session)->joint[ASE_STEP_FIT][joint - 1];
  g_assert_cmpint(own->state, ==, ASE_STATE_UNJUDGED);
  g_assert_cmpstr(ase_step_reason(own), ==, ase_step_reason(info));
  g_assert_cmpint(ase_gravity_of(ase_session_fit(c->session))->verdict.verdict, ==,
                  ARM_VERDICT_UNKNOWN);
  return ase_step_reason(info);
}

/* What nothing could judge has not passed, says what to record, and is no dead end. */
static void test_unjudged(void) {
  Case c;
  case_init(&c);
  leave_one_speed_a_hold(c.recording);
  case_import(&c);
  g_assert_nonnull(strstr(unjudged(&c, 3), "not judged: joint 3: each hold was swept at one speed "
                                           "only, so that noise cannot be told from misfit: sweep "
                                           "at a second speed; residual "));
  g_assert_cmpint(ase_procedure_joint_state(ase_session_procedure(c.session), ASE_STEP_FIT, 2), ==,
                  ASE_STATE_PASSED);
  case_finish(&c, ASE_STEP_VALIDATE); /* may be done: fails, of joint 3 nothing was kept for it */
  ase_session_exported(c.session, "parameters.json");
  g_assert_cmpint(case_state(&c, ASE_STEP_EXPORT), ==, ASE_STATE_UNJUDGED);
  case_clear(&c);
  case_init(&c);
  leave_out(c.recording, 1);
  case_import(&c);
  g_assert_cmpstr(unjudged(&c, 1), ==, "not judged: joint 1 was never swept: sweep it");
  g_assert_true(ase_procedure_may_start(ase_session_procedure(c.session), ASE_STEP_VALIDATE, NULL));
  case_clear(&c);
}

/* A real arm, slow sines: one joint of six, so that the others are no failure. Its friction grows
 * with the load, by .067 of it in the theory notes: Coulomb friction without the term has that in
 * it, and the model does not fit. There is a result, and it does not pass with the term either:
 * its strokes, each at a speed of its own, show 24 mA that are neither gravity nor straight
 * friction. */
static void test_ur10e(void) {
  GError *error = NULL;
  AseImportOptions options;
  const char *csv = test_shared_path("datasets/ur10e/single_joint/joint_2.csv");
  if (!csv) {
    g_test_skip("the recordings of the UR10e are not there");
    return;
  }
  Case c = {.folder = folder_new()};
  c.path = g_build_filename(c.folder, "ur10e.armsession", NULL);
  AioColumnMap *map =
      aio_column_map_load(test_source_path("data/maps/ur10e_31_columns.columns.json"), &error);
  g_assert_no_error(error);
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/ur10e.arm.json"), &c.arm_text, NULL, NULL));
  c.arm = aio_arm_load_bytes("arm", c.arm_text, strlen(c.arm_text), &error);
  c.recording = aio_import(csv, map, &c.arm->model, NULL, &error);
  g_assert_no_error(error);
  ase_import_options_default(&options);
  options.rows.wants_acceleration = true;
  options.rows.min_speed_R = 0.03;
  c.session = ase_session_import(c.path, PROGRAM, "arm", c.arm_text, c.recording, &options, &error);
  g_assert_no_error(error);
  const AseStepInfo *info = case_finish(&c, ASE_STEP_FIT);
  g_assert_cmpint(info->state, ==, ASE_STATE_FAILED);
  g_assert_nonnull(strstr(ase_step_reason(info), "the model does not fit"));
  const ArmJointFit *fit = &ase_gravity_of(ase_session_fit(c.session))->refined.joint[1];
  g_assert_false(fit->w[0].identifiable || fit->w[1].identifiable);
  g_assert_true(fit->has_term[ARM_TERM_LOAD]);
  g_assert_cmpfloat_with_epsilon(fit->term[ARM_TERM_LOAD].value, 0.067, 0.01);
  AseEdits *edits = g_memdup2(ase_session_edits(c.session), sizeof *edits);
  memset(edits->offers_term, 0, sizeof edits->offers_term);
  ase_session_set_edits(c.session, edits, "friction");
  g_free(edits);
  info = case_finish(&c, ASE_STEP_FIT);
  g_assert_cmpint(info->state, ==, ASE_STATE_FAILED);
  g_assert_nonnull(strstr(ase_step_reason(info), "the model does not fit"));
  fit = &ase_gravity_of(ase_session_fit(c.session))->refined.joint[1];
  g_assert_cmpfloat_with_epsilon(fit->friction[0].value, 1.686, 0.15);
  g_assert_cmpfloat_with_epsilon(fit->friction[2].value, -1.240, 0.15);
  aio_column_map_free(map);
  case_clear(&c);
}

static void begin_fitted(Case *c) {
  case_init(c);
  case_import(c);
  case_do(c, ASE_STEP_FIT);
  case_do(c, ASE_STEP_VALIDATE);
  g_clear_object(&c->session);
}

/* Opened again it is stale, and so is what rests on it; it is made anew. */
static void expect_stale_fit(Case *c, const char *why) {
  GError *error = NULL;
  c->session = ase_session_open(c->path, PROGRAM, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(ase_session_fit(c->session));
  g_assert_cmpint(case_state(c, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  g_assert_cmpint(case_state(c, ASE_STEP_VALIDATE), ==, ASE_STATE_STALE);
  g_assert_null(ase_session_parameters(c->session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_true(g_str_has_prefix(error->message, why));
  g_clear_error(&error);
  case_do(c, ASE_STEP_FIT);
  case_do(c, ASE_STEP_VALIDATE);
  g_assert_nonnull(ase_session_fit(c->session));
  case_clear(c);
}

/* The session knows that no hold was planned to validate with: it is not sent to validate. */
static void test_next(void) {
  Case c;
  case_init(&c);
  case_import(&c);
  g_assert_cmpint(ase_session_next(c.session), ==, ASE_NEXT_FIT);
  case_do(&c, ASE_STEP_FIT);
  g_assert_cmpint(ase_session_next(c.session), ==, ASE_NEXT_VALIDATE);
  AseEdits *edits = g_memdup2(ase_session_edits(c.session), sizeof *edits);
  edits->itinerary.validation_holds = 0;
  ase_session_set_edits(c.session, edits, "options");
  g_free(edits);
  g_assert_cmpint(ase_session_next(c.session), ==, ASE_NEXT_EXPORT);
  ase_session_exported(c.session, "/somewhere/p.json");
  g_assert_cmpint(ase_session_next(c.session), ==, ASE_NEXT_DONE);
  case_clear(&c);
}

/* A fit that cannot be read was there all the same: neither passed nor never made. */
static void test_spoiled_fit(void) {
  Case c;
  begin_fitted(&c);
  case_spoil(&c, "armature-parameters", "armature-parametres");
  expect_stale_fit(&c, "the fit in the file cannot be used: fit");
}

/* "Passed" without a fit is no reason to go on from: what was measured is there, fit it again. */
static void test_missing_fit(void) {
  Case c;
  sqlite3 *db;
  begin_fitted(&c);
  g_assert_cmpint(sqlite3_open(c.path, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(db, "DELETE FROM fits", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_close(db), ==, SQLITE_OK);
  expect_stale_fit(&c, "the fit in the file cannot be used: there is none");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/import/demo", test_demo);
  g_test_add_func("/session/import/samples", test_samples);
  g_test_add_func("/session/import/hold-out", test_hold_out);
  g_test_add_func("/session/import/hold-out-anew", test_hold_out_anew);
  g_test_add_func("/session/import/compact", test_compact);
  g_test_add_func("/session/import/refused", test_refused);
  g_test_add_func("/session/import/unjudged", test_unjudged);
  g_test_add_func("/session/import/ur10e", test_ur10e);
  g_test_add_func("/session/import/next", test_next);
  g_test_add_func("/session/import/spoiled-fit", test_spoiled_fit);
  g_test_add_func("/session/import/missing-fit", test_missing_fit);
  return g_test_run();
}
