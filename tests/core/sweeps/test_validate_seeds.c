/* SPDX-License-Identifier: MIT */
/* Strokes that no fit has seen, over many recordings: sound fits predict them as well as they
 * promised, and that is seldom called wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/faulty.h"

enum { JOINTS = FAULTY_JOINTS, SEEDS = 12 };
static const double degree = 3.14159265358979323846 / 180;

static ArmValidation judged(const Faulty *faulty, uint64_t seed) {
  static ArmGravityFit fit;
  ArmValidation validation;
  assert_true(faulty_validate(FAULTY_PUMA, faulty, seed, &fit, &validation));
  arm_gravity_fit_clear(&fit);
  return validation;
}

/* The error is what was promised: its mean square over seeds, too. */
static void test_sound(void **state) {
  (void)state;
  double ratio = 0.0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    Faulty sound;
    faulty_default(&sound);
    const ArmValidation v = judged(&sound, test_seed(seed));
    assert_int_equal(faulty_count(&v, ARM_VALIDATION_PASSED), JOINTS);
    for (size_t i = 0; i < JOINTS; i++) {
      const ArmJointValidation *joint = &v.joint[i];
      assert_int_equal(joint->strokes, 4);
      assert_true(joint->p > 1e-6 && joint->rms <= joint->limit);
      assert_true(test_is_near(joint->slow, 45 * degree, 1e-6, 0));
      ratio += joint->rms * joint->rms / (joint->promised * joint->promised);
    }
  }
  assert_true(test_is_near(ratio / (SEEDS * JOINTS), 1.0, 0.25, 0));
}

/* One hold at two speeds leaves five differences to know noise from: by chance it is known far too
 * small, and what was promised with it. */
static void test_few(void **state) {
  (void)state;
  enum { RECORDINGS = 300 };
  size_t misfits = 0;
  for (uint64_t seed = 1; seed <= RECORDINGS; seed++) {
    static ArmGravityFit fit;
    ArmValidation v;
    Faulty sound;
    faulty_default(&sound);
    sound.holds = 1;
    sound.speeds = 2;
    assert_true(faulty_validate(FAULTY_SCARA, &sound, test_seed(seed), &fit, &v));
    assert_true(fit.verdict.joint[3].nu[0] < 6);
    arm_gravity_fit_clear(&fit);
    misfits += faulty_count(&v, ARM_VALIDATION_MISFIT);
  }
  print_message("# misfits of %d sound recordings: %zu\n", RECORDINGS, misfits);
  assert_true(misfits <= 1); /* 1e-4 of them would be */
}

/* Friction that scatters is no wrong model: it is promised, not excused by its size. */
static void test_scatter(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    Faulty sound;
    faulty_default(&sound);
    sound.scatter = 0.02;
    sound.limits.friction_relative = 0;
    sound.limits.promised_factor = 1;
    const ArmValidation v = judged(&sound, test_seed(seed));
    assert_int_equal(faulty_count(&v, ARM_VALIDATION_PASSED), JOINTS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound),
      cmocka_unit_test(test_scatter),
      cmocka_unit_test(test_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
