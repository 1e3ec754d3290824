/* SPDX-License-Identifier: MIT */
/* Strokes that no fit has seen: sound fits predict them as well as they promised, wrong ones do not
 * pass however large their own residual is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/sweeps/wild.h"
#include "support/faulty.h"
#include "support/row_source.h"
#include "support/shelf.h"

enum { JOINTS = FAULTY_JOINTS };
static const double degree = 3.14159265358979323846 / 180;

static ArmValidation judged(const Faulty *faulty, uint64_t seed) {
  static ArmGravityFit fit;
  ArmValidation validation;
  assert_true(faulty_validate(FAULTY_PUMA, faulty, seed, &fit, &validation));
  arm_gravity_fit_clear(&fit);
  return validation;
}

static void test_tilt(void **state) {
  (void)state;
  Faulty wrong;
  faulty_default(&wrong);
  wrong.tilt[0] = 10 * degree;
  const ArmValidation v = judged(&wrong, 3);
  assert_true(faulty_count(&v, ARM_VALIDATION_PASSED) < JOINTS);
}

/* A current that comes late: small beside the current, far beyond the promise. */
static void test_delay(void **state) {
  (void)state;
  Faulty wrong;
  faulty_default(&wrong);
  wrong.delay = 0.04;
  const ArmValidation v = judged(&wrong, 3);
  assert_int_equal(v.joint[1].kind, ARM_VALIDATION_MISFIT);
}

/* An oscillating joint's residual is as large as its error: only what its current is made of tells.
 */
static void test_oscillation(void **state) {
  (void)state;
  Faulty wrong;
  faulty_default(&wrong);
  wrong.oscillation = 3.4;
  const ArmValidation v = judged(&wrong, 4);
  assert_int_equal(faulty_count(&v, ARM_VALIDATION_PASSED), 0);
}

static void test_not_measured(void **state) {
  (void)state;
  Faulty one;
  faulty_default(&one);
  one.only = 3;
  const ArmValidation v = judged(&one, 5);
  assert_int_equal(faulty_count(&v, ARM_VALIDATION_NOT_MEASURED), JOINTS - 1);
  assert_int_not_equal(v.joint[2].kind, ARM_VALIDATION_NOT_MEASURED);
}

/* What the lab allows counts, whatever was promised. */
static void test_limits(void **state) {
  (void)state;
  Faulty sound;
  faulty_default(&sound);
  sound.limits.absolute = 1e-6;
  const ArmValidation v = judged(&sound, 6);
  assert_int_equal(faulty_count(&v, ARM_VALIDATION_TOO_LARGE), JOINTS);
}

/* Rows that are read some at a time say the same, to the last bit; and that they cannot be read. */
static void test_windows(void **state) {
  static ArmGravityFit fit;
  Truth truth;
  ArmModel model;
  Faulty sound;
  TruthRecording recs[2];
  ArmFitOptions options;
  ArmValidation whole, found;
  ArmWindows windows;
  ArmWild wild[JOINTS];
  TestRowSource s;
  (void)state;
  faulty_default(&sound);
  assert_true(faulty_truth(FAULTY_TOOL, &sound, &truth, &model));
  for (uint64_t k = 0; k < 2; k++)
    assert_true(faulty_record(FAULTY_TOOL, &sound, k + 1, &recs[k]));
  ((double *)recs[1].data.current)[recs[1].data.rows / 2 + recs[1].data.rows] += 20.0;
  arm_fit_options_default(&options);
  assert_int_equal(arm_gravity_fit(&model, &recs[0].data, &options, &fit), ARM_OK);
  assert_int_equal(arm_validate(&model, &fit, &recs[1].data, &options.rows, &sound.limits, &whole),
                   ARM_OK);
  const ArmRowSource source = test_row_source(&s, &recs[1].data, 100);
  assert_int_equal(arm_windows_open(&windows, &model, &options.rows, &source), ARM_OK);
  assert_int_equal(arm_wild_find(&windows, JOINTS, source.median_step, true, wild), ARM_OK);
  TestShelf shelf;
  test_shelf_init(&shelf, 0);
  assert_int_equal(arm_validate_windows(&model, &fit, &windows, source.median_step, &sound.limits,
                                        &shelf.face, &found),
                   ARM_OK);
  assert_true(shelf.takes > 2 && shelf.out == 0);
  assert_true(whole.joint[0].strokes > 4);
  assert_memory_equal(&whole, &found, sizeof whole);
  s.fail_at = s.calls;
  assert_int_equal(
      arm_validate_windows(&model, &fit, &windows, source.median_step, &sound.limits, NULL, &found),
      ARM_E_SOURCE);
  assert_memory_equal(&whole, &found, sizeof whole);
  arm_windows_clear(&windows);
  test_row_source_clear(&s);
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&recs[0]);
  truth_recording_clear(&recs[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows),     cmocka_unit_test(test_tilt),
      cmocka_unit_test(test_oscillation), cmocka_unit_test(test_not_measured),
      cmocka_unit_test(test_limits),      cmocka_unit_test(test_delay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
