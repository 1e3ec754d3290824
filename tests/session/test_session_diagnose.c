/* SPDX-License-Identifier: MIT */
/* The cause of a misfit: looked for beside the steps, cancelled, applied as an edit that can be
 * undone, and never applied by itself. */
#include <math.h>
#include <string.h>

#include "misfit.h"
#include "session/method/gravity.h"

static const double degree = G_PI / 180.0;

static const double *gravity(const Misfit *m) {
  return ase_session_arm(m->session)->model.gravity_m_s2;
}

static void assert_refused(bool is_done, GError **error, const char *part) {
  g_assert_false(is_done);
  g_assert_error(*error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr((*error)->message, part))
    g_error("\"%s\" does not say \"%s\"", (*error)->message, part);
  g_clear_error(error);
}

static void assert_tilt(const AseDiagnosis *d) {
  const ArmCause *first = &d->causes.at[0];
  g_assert_cmpint(d->state, ==, ASE_DIAGNOSIS_DONE);
  g_assert_cmpuint(d->causes.count, >, 0);
  g_assert_cmpint(first->code, ==, ARM_CAUSE_BASE_TILT);
  g_assert_true(first->explains_it);
  g_assert_cmpfloat_with_epsilon(hypot(first->value[0], first->value[1]), 2.0 * degree,
                                 0.1 * degree);
  g_assert_cmpuint(d->causes.worst, ==, 0);
  g_assert_cmpfloat(d->causes.missed, >, 0.05);
  g_assert_cmpfloat(first->left, <, 0.02 * d->causes.missed);
}

/* Only what explains the misfit is offered. */
static void assert_others_refused(Misfit *m, const AseDiagnosis *d) {
  GError *error = NULL;
  guint unlikely = 0;
  for (guint k = 0; k < d->causes.count; k++) {
    if (d->causes.at[k].explains_it)
      continue;
    assert_refused(ase_session_may_correct(m->session, k, &error), &error, "does not explain");
    unlikely++;
  }
  g_assert_cmpuint(unlikely, >, 0);
}

static void test_tilt(void) {
  Misfit m;
  GError *error = NULL;
  const char *what = NULL;
  misfit_init_tilt(&m);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_FAILED);
  g_assert_cmpint(ase_gravity_of(ase_session_fit(m.session))->verdict.verdict, ==,
                  ARM_VERDICT_MISFIT);
  assert_tilt(misfit_diagnose(&m));
  g_assert_cmpfloat(gravity(&m)[1], ==, 0.0); /* nothing by itself */
  g_assert_false(ase_session_can_undo(m.session, NULL));
  g_assert_cmpint(ase_procedure_state(ase_session_procedure(m.session), ASE_STEP_FIT), ==,
                  ASE_STATE_FAILED);

  assert_others_refused(&m, ase_session_diagnosis(m.session));
  ase_session_correct(m.session, 0, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat_with_epsilon(gravity(&m)[1], 9.81 * sin(1.2 * degree), 0.02);
  g_assert_true(ase_session_can_undo(m.session, &what));
  g_assert_cmpstr(what, ==, "correct the arm as the diagnosis says");
  g_assert_cmpint(ase_procedure_state(ase_session_procedure(m.session), ASE_STEP_FIT), ==,
                  ASE_STATE_STALE);
  g_assert_cmpint(ase_session_diagnosis(m.session)->state, ==, ASE_DIAGNOSIS_NONE);
  assert_refused(ase_session_diagnose(m.session, &error), &error, "fit again");
  assert_refused(ase_session_correct(m.session, 0, &error), &error, "look for it again");

  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  assert_refused(ase_session_diagnose(m.session, &error), &error, "no misfit");
  ase_session_undo(m.session);
  g_assert_cmpfloat(gravity(&m)[1], ==, 0.0);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_FAILED);
  assert_tilt(misfit_diagnose(&m));
  misfit_clear(&m);
}

/* Undone at once: the fit and its verdict are what they were. */
static void test_undo_at_once(void) {
  Misfit m;
  GError *error = NULL;
  misfit_init_tilt(&m);
  misfit_do(&m, ASE_STEP_FIT);
  misfit_diagnose(&m);
  ase_session_correct(m.session, 0, &error);
  g_assert_no_error(error);
  ase_session_undo(m.session);
  g_assert_cmpint(ase_procedure_state(ase_session_procedure(m.session), ASE_STEP_FIT), ==,
                  ASE_STATE_FAILED);
  g_assert_true(ase_session_may_diagnose(m.session, &error));
  ase_session_redo(m.session);
  g_assert_cmpfloat(gravity(&m)[1], >, 0.1);
  misfit_clear(&m);
}

static void count(AseSession *session, guint *news) {
  (void)session;
  ++*news;
}

static void test_cancel(void) {
  Misfit m;
  GError *error = NULL;
  guint news = 0;
  misfit_init_tilt(&m);
  assert_refused(ase_session_diagnose(m.session, &error), &error, "nothing has been fitted");
  misfit_do(&m, ASE_STEP_FIT);
  const AseDiagnosis *d = ase_session_diagnosis(m.session);
  g_signal_connect(m.session, "diagnosis", G_CALLBACK(count), &news);
  g_assert_true(ase_session_diagnose(m.session, &error));
  g_assert_cmpint(d->state, ==, ASE_DIAGNOSIS_RUNNING);
  assert_refused(ase_session_diagnose(m.session, &error), &error, "looked for");
  while (d->state == ASE_DIAGNOSIS_RUNNING && d->part < 0.35) /* the fit has 0.3 of it */
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpfloat(d->part, >, 0.35);
  g_assert_cmpfloat(d->part, <=, 1.0);
  ase_session_cancel_diagnosis(m.session);
  while (d->state == ASE_DIAGNOSIS_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpint(d->state, ==, ASE_DIAGNOSIS_NONE);
  g_assert_cmpuint(news, >=, 3);
  g_assert_true(ase_session_diagnose(m.session, &error));
  misfit_clear(&m); /* in the middle */
}

/* Fitted again meanwhile: what is found then is of nothing. */
static void test_outdated(void) {
  Misfit m;
  GError *error = NULL;
  misfit_init_tilt(&m);
  misfit_do(&m, ASE_STEP_FIT);
  const AseDiagnosis *d = ase_session_diagnosis(m.session);
  g_assert_true(ase_session_diagnose(m.session, &error));
  misfit_do(&m, ASE_STEP_FIT);
  while (d->state == ASE_DIAGNOSIS_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpint(d->state, ==, ASE_DIAGNOSIS_NONE);
  misfit_clear(&m);
}

static void test_no_edit(void) {
  Misfit m;
  Faulty faulty;
  GError *error = NULL;
  faulty_default(&faulty);
  faulty.payload = 0.5;
  faulty.payload_hold = 1;
  misfit_init(&m, &faulty);
  misfit_do(&m, ASE_STEP_FIT);
  const AseDiagnosis *d = misfit_diagnose(&m);
  g_assert_cmpint(d->causes.at[0].code, ==, ARM_CAUSE_PAYLOAD_CHANGED);
  assert_refused(ase_session_may_correct(m.session, 0, &error), &error, "repeat those sweeps");
  assert_refused(ase_session_correct(m.session, (guint)d->causes.count, &error), &error, "again");
  g_assert_false(ase_session_can_undo(m.session, NULL));
  misfit_clear(&m);
}

/* The fit has no misfit; the sweeps that were held out have what it lacks. */
static void test_together(void) {
  Misfit m;
  GError *error = NULL;
  misfit_init_held_out(&m);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  g_assert_false(ase_session_is_contradicted(m.session));
  assert_refused(ase_session_may_diagnose(m.session, &error), &error, "no misfit");
  g_assert_cmpint(misfit_do(&m, ASE_STEP_VALIDATE), ==, ASE_STATE_FAILED);
  g_assert_true(ase_session_is_contradicted(m.session));
  const AseDiagnosis *d = misfit_diagnose(&m);
  g_assert_cmpint(d->state, ==, ASE_DIAGNOSIS_DONE);
  g_assert_true(d->is_together && d->is_misfit);
  g_assert_cmpint(d->causes.at[0].code, ==, ARM_CAUSE_PAYLOAD_CHANGED);
  g_assert_true(d->causes.at[0].explains_it);
  misfit_clear(&m);
}

/* A limit below what was promised is the lab's: nothing contradicts anything. */
static void test_strict(void) {
  Misfit m;
  Faulty sound;
  GError *error = NULL;
  faulty_default(&sound);
  misfit_init(&m, &sound);
  misfit_do(&m, ASE_STEP_FIT);
  AseEdits *edits = g_memdup2(ase_session_edits(m.session), sizeof *edits);
  edits->validation_percent = 0.1;
  ase_session_set_edits(m.session, edits, "strict");
  g_free(edits);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_VALIDATE), ==, ASE_STATE_FAILED);
  g_assert_false(ase_session_is_contradicted(m.session));
  assert_refused(ase_session_diagnose(m.session, &error), &error, "no misfit");
  misfit_clear(&m);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/diagnose/tilt", test_tilt);
  g_test_add_func("/session/diagnose/undo_at_once", test_undo_at_once);
  g_test_add_func("/session/diagnose/cancel", test_cancel);
  g_test_add_func("/session/diagnose/outdated", test_outdated);
  g_test_add_func("/session/diagnose/no_edit", test_no_edit);
  g_test_add_func("/session/diagnose/together", test_together);
  g_test_add_func("/session/diagnose/strict", test_strict);
  return g_test_run();
}
