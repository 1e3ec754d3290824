/* SPDX-License-Identifier: MIT */
/* What of the steps is news, and what is known. */
#include "io/base/said.h"
#include "session/session.h"
#include "session/telling.h"

static const guint fit = 1u << ASE_STEP_FIT, sweep = 1u << ASE_STEP_SWEEP;

static void test_news(void) {
  AseProcedure *now = g_new0(AseProcedure, 1);
  AseTelling *telling = ase_telling_new();
  ase_procedure_init(now, ase_session_steps(), 2);
  g_assert_cmpuint(ase_telling_procedure(telling)->joints, ==, 0);
  ase_telling_know(telling, now);
  g_assert_cmpuint(ase_telling_procedure(telling)->joints, ==, 2);
  g_assert_cmpuint(ase_telling_take(telling, now), ==, 0);

  for (AseStep step = ASE_STEP_CONNECT; step <= ASE_STEP_DRY_RUN; step++)
    ase_procedure_pass(now, step, 0, NULL);
  g_assert_cmpuint(ase_telling_take(telling, now) & fit, ==, 0);
  ase_procedure_start(now, ASE_STEP_SWEEP, 1); /* of one joint */
  g_assert_cmpuint(ase_telling_take(telling, now), ==, sweep);
  g_assert_cmpuint(ase_telling_take(telling, now), ==, 0);
  ase_procedure_pass(now, ASE_STEP_SWEEP, 1, "12 sweeps");
  ase_procedure_pass(now, ASE_STEP_SWEEP, 2, "9 sweeps");
  /* FIT is ready by those before it, of which its own state says nothing */
  g_assert_cmpuint(ase_telling_take(telling, now), ==, sweep | fit);
  ase_procedure_pass(now, ASE_STEP_SWEEP, 2, "10 sweeps"); /* the reason alone */
  g_assert_cmpuint(ase_telling_take(telling, now), ==, sweep);
  g_assert_cmpstr(ase_step_reason(&ase_telling_procedure(telling)->joint[ASE_STEP_SWEEP][1]), ==,
                  "10 sweeps");

  now->sweep_serial[0] = 'A'; /* goes with the next news */
  g_assert_cmpuint(ase_telling_take(telling, now), ==, 0);
  g_assert_cmpstr(ase_telling_procedure(telling)->sweep_serial, ==, "");
  ase_telling_free(telling);
  ase_telling_free(NULL);
  g_free(now);
}

static void test_error(void) {
  AseTelling *telling = ase_telling_new();
  char *reason = aio_said("joint %u is too slow", 3u);
  char *error = aio_said("%s: %s", aio_said_word("Fit"), reason);
  g_assert_false(ase_telling_has_error(telling, NULL));
  g_assert_false(ase_telling_has_error(telling, reason));
  ase_telling_error(telling, error);
  g_assert_true(ase_telling_has_error(telling, NULL));
  g_assert_true(ase_telling_has_error(telling, reason));
  g_assert_false(ase_telling_has_error(telling, aio_said_word("Sweep")));
  ase_telling_error(telling, reason);
  g_assert_false(ase_telling_has_error(telling, error));
  g_free(error);
  g_free(reason);
  ase_telling_free(telling);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/telling/news", test_news);
  g_test_add_func("/telling/error", test_error);
  return g_test_run();
}
