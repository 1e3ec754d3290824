/* SPDX-License-Identifier: MIT */
/* Friction that grows with the load: found by a session's fit where it is tried, a misfit where it
 * is not; the choice is an edit, and older sessions read on without it. */
#include <math.h>
#include <string.h>

#include "io/params/params_file.h"
#include "misfit.h"
#include "session/method/gravity.h"
#include "support/support.h"

#define MU 0.06

static const ArmGravityParameters *refined(const Misfit *m) {
  return &ase_gravity_of(ase_session_fit(m->session))->refined;
}

static AseStepState state_of(const Misfit *m, AseStep step) {
  return ase_procedure_state(ase_session_procedure(m->session), step);
}

static void offer(Misfit *m, bool load, bool curve) {
  AseEdits *edits = g_memdup2(ase_session_edits(m->session), sizeof *edits);
  edits->offers_term[ARM_TERM_LOAD] = load;
  edits->offers_term[ARM_TERM_CURVE] = curve;
  ase_session_set_edits(m->session, edits, "friction");
  g_free(edits);
}

static void init_load(Misfit *m, double tilt) {
  Faulty faulty;
  faulty_default(&faulty);
  faulty.load_friction = MU;
  faulty.tilt[0] = tilt;
  misfit_init(m, &faulty);
}

/* With sd and unit, in a file of version 2 that reads back. */
static void assert_load(const Misfit *m, gsize j) {
  GError *error = NULL;
  const ArmEstimate *load = &refined(m)->joint[j].term[ARM_TERM_LOAD];
  g_assert_true(refined(m)->joint[j].has_term[ARM_TERM_LOAD]);
  g_assert_cmpfloat_with_epsilon(load->value, MU, 0.005);
  g_assert_cmpfloat(load->sd, >, 0.0);
  g_assert_cmpfloat(load->sd, <, 0.005);
  char *text = ase_session_parameters(m->session, &error);
  g_assert_no_error(error);
  g_assert_nonnull(strstr(text, "\"version\": 2"));
  g_assert_nonnull(strstr(text, "\"friction_load\": true"));
  AioParams *params = aio_params_load_bytes("p.json", text, strlen(text),
                                            &ase_session_arm(m->session)->model, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(params->fit.refined.joint[j].term[ARM_TERM_LOAD].value, ==, load->value);
  aio_params_free(params);
  g_free(text);
}

static void test_load(void) {
  Misfit m;
  const char *what = NULL;
  init_load(&m, 0.0);
  const bool *offers = ase_session_edits(m.session)->offers_term;
  g_assert_true(offers[ARM_TERM_LOAD] && offers[ARM_TERM_CURVE]); /* as `fit` does */
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_gravity_of(ase_session_fit(m.session))->verdict.verdict, ==,
                  ARM_VERDICT_FITS);
  assert_load(&m, 1);
  assert_load(&m, 2);

  offer(&m, false, false);
  g_assert_cmpint(state_of(&m, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  g_assert_cmpstr(ase_step_reason(&ase_session_procedure(m.session)->steps[ASE_STEP_FIT]), ==,
                  "other friction is to be tried");
  ase_session_undo(m.session); /* at once: the fit is what it was */
  g_assert_cmpint(state_of(&m, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  g_assert_true(ase_session_can_redo(m.session, &what));
  ase_session_redo(m.session);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_FAILED);
  g_assert_true(ase_gravity_of(ase_session_fit(m.session))
                    ->verdict.joint[1]
                    .test[ARM_TEST_DIRECTION]
                    .is_alarm);
  g_assert_false(refined(&m)->joint[1].has_term[ARM_TERM_LOAD]);
  const AseDiagnosis *d = misfit_diagnose(&m);
  g_assert_cmpint(d->causes.at[0].code, ==, ARM_CAUSE_LOAD_FRICTION);
  misfit_clear(&m);
}

/* What the fit has, the diagnosis has: little is left then beside what else is wrong. */
static void test_diagnosis(void) {
  Misfit m;
  init_load(&m, 2.0 * G_PI / 180.0);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_FAILED);
  g_assert_true(refined(&m)->joint[1].has_term[ARM_TERM_LOAD]);
  ArmCause first = misfit_diagnose(&m)->causes.at[0];
  g_assert_cmpint(first.code, ==, ARM_CAUSE_BASE_TILT);
  g_assert_cmpfloat_with_epsilon(first.value[0], 2.0 * G_PI / 180.0, 0.002);
  const double rest = first.rest;
  offer(&m, false, false);
  misfit_do(&m, ASE_STEP_FIT);
  first = misfit_diagnose(&m)->causes.at[0];
  g_assert_cmpint(first.code, ==, ARM_CAUSE_BASE_TILT);
  g_assert_cmpfloat(rest, <, 0.1 * first.rest); /* 2.4 and 128 */
  misfit_clear(&m);
}

static bool keep_options(const AioStoreFit *row, void *data) {
  char **options = data;
  g_free(*options);
  *options = g_strdup(row->options);
  return true;
}

/* The file says what was tried where nothing was chosen, the parameters are as before there were
 * terms, to the last byte. */
static void test_sound(void) {
  Misfit m;
  Faulty faulty;
  GError *error = NULL;
  char *options = NULL;
  faulty_default(&faulty);
  misfit_init(&m, &faulty);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  char *tried = ase_session_parameters(m.session, &error);
  g_assert_nonnull(strstr(tried, "\"version\": 1"));
  g_assert_null(strstr(tried, "friction_load"));
  offer(&m, false, false);
  g_assert_cmpint(misfit_do(&m, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  char *base = ase_session_parameters(m.session, &error);
  g_assert_cmpstr(tried, ==, base);
  offer(&m, true, false);
  misfit_do(&m, ASE_STEP_FIT);
  char *path = g_strdup(ase_session_path(m.session));
  g_assert_true(ase_session_close(m.session, &error));
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_fit(store, keep_options, &options, &error));
  aio_store_close(store, NULL);
  g_assert_nonnull(strstr(options, "\"friction_load\": true"));
  g_assert_nonnull(strstr(options, "\"friction_curve\": false"));
  g_assert_nonnull(strstr(options, "\"trials\": ["));
  g_assert_nonnull(strstr(options, "\"joint\": 1, \"name\": \"load\", \"outcome\": \"unseen\""));
  g_assert_nonnull(strstr(options, "\"name\": \"curve\", \"outcome\": \"not_offered\""));
  g_free(options);
  g_free(tried);
  g_free(base);
  g_free(path);
  misfit_clear(&m);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/friction/load", test_load);
  g_test_add_func("/session/friction/diagnosis", test_diagnosis);
  g_test_add_func("/session/friction/sound", test_sound);
  return g_test_run();
}
