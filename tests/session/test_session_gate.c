/* SPDX-License-Identifier: MIT */
/* What may leave a session: nothing of a fit that is out of date or of another arm; and what is
 * hardly right, or did not pass, is no green step. */
#include <string.h>

#include "import_case.h"
#include "io/params/params_file.h"
#include "session/method/gravity.h"

/* The wrist bends the other way. */
static void edit_arm(Case *c) {
  GError *error = NULL;
  GString *text = g_string_new(c->arm_text);
  g_assert_cmpuint(g_string_replace(text, "\"beta_deg\": 90, \"b_m\": -0.0203",
                                    "\"beta_deg\": -90, \"b_m\": -0.0203", 0),
                   ==, 1);
  ase_session_set_arm(c->session, text->str, &error);
  g_assert_no_error(error);
  g_string_free(text, TRUE);
}

static void assert_refused(Case *c, const char *why, const char *todo) {
  GError *error = NULL;
  g_assert_nonnull(ase_session_fit(c->session));
  g_assert_null(ase_session_parameters(c->session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, why) || !strstr(error->message, todo))
    g_error("expected %s, %s in: %s", why, todo, error->message);
  g_clear_error(&error);
  ase_session_exported(c->session, "/nowhere/parameters.json");
  g_assert_cmpint(case_state(c, ASE_STEP_EXPORT), !=, ASE_STATE_PASSED);
}

static void reopen(Case *c) {
  GError *error = NULL;
  g_assert_true(ase_session_close(c->session, &error));
  g_assert_no_error(error);
  g_clear_object(&c->session);
  c->session = ase_session_open(c->path, PROGRAM, NULL, &error);
  g_assert_no_error(error);
}

/* Its file names the arm of the session, once as the fit's and once as what it comes from. */
static void assert_arm(Case *c) {
  GError *error = NULL;
  const AioArm *arm = ase_session_arm(c->session);
  char *text = ase_session_parameters(c->session, &error);
  g_assert_no_error(error);
  AioParams *params = aio_params_load_bytes("p", text, strlen(text), &arm->model, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(params->arm_digest, ==, arm->digest);
  g_assert_cmpstr(params->provenance->arm_digest, ==, arm->digest);
  aio_params_free(params);
  g_free(text);
}

static void fit(Case *c) {
  case_init(c);
  case_import(c);
  case_do(c, ASE_STEP_FIT);
  case_do(c, ASE_STEP_VALIDATE);
  ase_session_exported(c->session, "/nowhere/parameters.json");
  g_assert_cmpint(case_state(c, ASE_STEP_EXPORT), ==, ASE_STATE_PASSED);
}

static void test_edited_arm(void) {
  Case c;
  fit(&c);
  char *before = g_strdup(ase_session_arm(c.session)->digest);
  edit_arm(&c);
  g_assert_cmpstr(ase_session_arm(c.session)->digest, !=, before);
  assert_refused(&c, "the arm has been edited", "fit again");
  reopen(&c);
  assert_refused(&c, "the arm has been edited", "fit again");
  case_finish(&c, ASE_STEP_FIT);
  assert_arm(&c);
  ase_session_set_arm(c.session, c.arm_text, NULL); /* as it was; the fit is of the other one */
  assert_refused(&c, "the arm has been edited", "fit again");
  case_finish(&c, ASE_STEP_FIT);
  assert_arm(&c);
  g_free(before);
  case_clear(&c);
}

/* Undone, the fit is the arm's again. */
static void test_undone(void) {
  Case c;
  fit(&c);
  edit_arm(&c);
  ase_session_undo(c.session);
  assert_arm(&c);
  g_assert_cmpint(case_state(&c, ASE_STEP_EXPORT), ==, ASE_STATE_PASSED);
  case_clear(&c);
}

static void choose_base(Case *c) {
  AseEdits *edits = g_memdup2(ase_session_edits(c->session), sizeof *edits);
  memset(edits->offers_term, 0, sizeof edits->offers_term);
  ase_session_set_edits(c->session, edits, "friction");
  g_free(edits);
}

/* That it was to be made again does not make the old one good. */
static void test_cancelled(void) {
  Case c;
  GError *error = NULL;
  fit(&c);
  choose_base(&c);
  assert_refused(&c, "other friction is to be tried", "fit again");
  ase_session_start(c.session, ASE_STEP_FIT, &error);
  g_assert_no_error(error);
  g_assert_null(ase_session_parameters(c.session, NULL));
  ase_session_cancel(c.session);
  while (case_state(&c, ASE_STEP_FIT) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpint(case_state(&c, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  assert_refused(&c, "cancelled", "fit again");
  reopen(&c);
  assert_refused(&c, "cancelled", "fit again");
  case_do(&c, ASE_STEP_FIT);
  assert_arm(&c);
  case_clear(&c);
}

/* A fit that failed may be saved, and what was saved has passed nothing. */
static void test_failed(void) {
  Case c;
  case_init(&c);
  memset(&c.recording->current[5 * c.recording->rows], 0, c.recording->rows * sizeof(double));
  case_import(&c);
  g_assert_cmpint(case_finish(&c, ASE_STEP_FIT)->state, ==, ASE_STATE_FAILED);
  assert_arm(&c);
  ase_session_exported(c.session, "/nowhere/parameters.json");
  g_assert_cmpint(case_state(&c, ASE_STEP_EXPORT), ==, ASE_STATE_UNJUDGED);
  case_clear(&c);
}

/* A fit is judged by the session's limits, not by the usual ones. */
static void test_limits(void) {
  Case c;
  fit(&c);
  g_assert_cmpint(ase_gravity_of(ase_session_fit(c.session))->verdict.joint[1].untold, ==,
                  ARM_UNTOLD_NOTHING);
  AseEdits *edits = g_memdup2(ase_session_edits(c.session), sizeof *edits);
  edits->misfit.r2 = 1.0;
  ase_session_set_edits(c.session, edits, "limits");
  g_free(edits);
  assert_refused(&c, "the lab's limits have changed", "fit again");
  case_finish(&c, ASE_STEP_FIT);
  g_assert_cmpint(ase_gravity_of(ase_session_fit(c.session))->verdict.joint[1].untold, ==,
                  ARM_UNTOLD_NO_SIGNAL);
  case_clear(&c);
}

/* ---- doubts ---- */

static void assert_unjudged(Case *c, guint joint, const char *part) {
  const AseStepInfo *info = &ase_session_procedure(c->session)->joint[ASE_STEP_FIT][joint - 1];
  if (info->state != ASE_STATE_UNJUDGED || !strstr(ase_step_reason(info), part))
    g_error("joint %u: %s: %s", joint, ase_state_key(info->state), ase_step_reason(info));
  g_assert_cmpint(case_state(c, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
}

/* Its speed is in deg/s: it fits, and its numbers are not those of the arm. */
static void test_degrees(void) {
  Case c;
  case_init(&c);
  for (gsize row = 0; row < c.recording->rows; row++)
    c.recording->qd[2 * c.recording->rows + row] *= 180.0 / G_PI;
  case_import(&c);
  case_finish(&c, ASE_STEP_FIT);
  assert_unjudged(&c, 3, "not judged: Joint 3: its position changes 0");
  assert_unjudged(&c, 3, "is the speed in deg/s where rad/s is meant?; residual ");
  g_assert_cmpint(ase_gravity_of(ase_session_fit(c.session))->verdict.verdict, ==,
                  ARM_VERDICT_FITS);
  g_assert_cmpint(ase_procedure_joint_state(ase_session_procedure(c.session), ASE_STEP_FIT, 2), ==,
                  ASE_STATE_PASSED);
  ase_session_exported(c.session, "/nowhere/parameters.json");
  g_assert_cmpint(case_state(&c, ASE_STEP_EXPORT), ==, ASE_STATE_UNJUDGED);
  case_clear(&c);
}

/* Of the recording as a whole: all joints. */
static void test_many_move(void) {
  Case c;
  case_init(&c);
  AioRecording *r = c.recording;
  for (gsize row = 0; row < r->rows; row++)
    for (gsize j = 0; j < r->n; j++)
      r->qd[j * r->rows + row] = r->qd[(gsize)(r->joint[row] - 1) * r->rows + row];
  case_import(&c);
  case_finish(&c, ASE_STEP_FIT);
  for (guint joint = 1; joint <= 6; joint++)
    assert_unjudged(&c, joint, "6 joints move at once");
  case_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/gate/edited-arm", test_edited_arm);
  g_test_add_func("/session/gate/undone", test_undone);
  g_test_add_func("/session/gate/cancelled", test_cancelled);
  g_test_add_func("/session/gate/failed", test_failed);
  g_test_add_func("/session/gate/limits", test_limits);
  g_test_add_func("/session/gate/degrees", test_degrees);
  g_test_add_func("/session/gate/many-move", test_many_move);
  return g_test_run();
}
