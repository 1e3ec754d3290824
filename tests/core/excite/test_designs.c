/* SPDX-License-Identifier: MIT */
/* Designed motions of the shared vectors: their condition numbers, and that none breaks a limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/check.h"
#include "support/designs.h"
#include "support/support.h"
#include "support/vectors.h"

enum { SAMPLES = 2000 };

static Design design;
static double q[SAMPLES * DESIGN_JOINTS], qd[SAMPLES * DESIGN_JOINTS], qdd[SAMPLES * DESIGN_JOINTS];

static char *read_or_skip(const char *relative) {
  char *text = vectors_read(relative);
  if (!text) {
    print_message("# skipped: no ../shared/%s\n", relative);
    skip();
  }
  return text;
}

static void sample_design(void) {
  const size_t n = design.model.n;
  for (size_t s = 0; s < SAMPLES; s++) {
    const double t = design.basis.period_s * (double)s / SAMPLES;
    double x[3][DESIGN_JOINTS];
    arm_basis_motion(&design.basis, n, design.c, t, x[0], x[1], x[2]);
    for (size_t j = 0; j < n; j++) {
      q[s + SAMPLES * j] = x[0][j];
      qd[s + SAMPLES * j] = x[1][j];
      qdd[s + SAMPLES * j] = x[2][j];
    }
  }
}

static void check_design(void) {
  static const double noise[DESIGN_JOINTS] = {1, 1, 1, 1, 1, 1, 1};
  ArmMotionLimits limits;
  ArmMotionViolation violations[3 * DESIGN_JOINTS];
  ArmExcitation *e = NULL;
  ArmBase *base = NULL;
  assert_int_equal(arm_motion_limits(&design.model, &limits, NULL, NULL), ARM_OK);
  assert_int_equal(arm_base_new(&design.model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  assert_int_equal(base->count, design.base_parameters);
  sample_design();
  assert_int_equal(arm_motion_violations(&limits, SAMPLES, q, qd, qdd, violations), 0);
  assert_int_equal(arm_excitation_new(base, &design.model, &limits, SAMPLES, q, qd, qdd, noise, &e),
                   ARM_OK);
  print_message("# %s, %s %zu, T = %g s: cond %.9g, stored %.9g; columns scaled %.3g\n",
                design.robot, design.basis.kind == ARM_BASIS_FOURIER ? "Fourier" : "spline",
                design.basis.order, design.basis.period_s, e->cond_raw, design.cond,
                e->cond_scaled);
  assert_true(test_is_near(e->cond_raw, design.cond, 1e-6, 0));
  assert_int_equal(e->rank, base->count);
  assert_true(e->cond_scaled <= e->cond_raw);
  arm_excitation_free(e);
  arm_base_free(base);
}

static void test_stored_designs(void **state) {
  (void)state;
  char *text = read_or_skip("vectors/traj/fourier_designs.json");
  const char *at = text;
  int count = 0;
  for (; designs_next(text, &at, &design); count++)
    check_design();
  assert_int_equal(count, DESIGNS);
  free(text);
}

/* Rows of the base regressor of a PUMA 560, in the order of our base parameters. */
static void test_puma_regressor(void **state) {
  enum { STATES = 4, COLUMNS = 36 };
  (void)state;
  char *arms = read_or_skip("vectors/traj/fourier_designs.json");
  char *text = read_or_skip("vectors/traj/puma_regressor.json");
  static ArmModel model;
  ArmBase *base = NULL;
  double state_q[6], state_qd[6], state_qdd[6], want[6 * COLUMNS], got[6 * COLUMNS], worst = 0;
  const char *at = text;
  int count = 0;
  assert_true(designs_model(arms, "puma", &model));
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  assert_int_equal(base->count, COLUMNS);
  for (; vectors_find(at, "q"); count++) {
    vectors_exactly(at, "q", 6, state_q);
    vectors_exactly(at, "qd", 6, state_qd);
    vectors_exactly(at, "qdd", 6, state_qdd);
    vectors_exactly(at, "Y", 6 * COLUMNS, want);
    at = vectors_find(at, "Y");
    assert_int_equal(arm_base_regressor(base, &model, state_q, state_qd, state_qdd, got), ARM_OK);
    for (int k = 0; k < 6 * COLUMNS; k++)
      worst = fmax(worst, fabs(got[k] - want[k]) / (1 + fabs(want[k])));
  }
  print_message("# worst %.2g of 1 + |value|\n", worst);
  assert_int_equal(count, STATES);
  assert_true(worst < 1e-12);
  arm_base_free(base);
  free(text);
  free(arms);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stored_designs),
      cmocka_unit_test(test_puma_regressor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
