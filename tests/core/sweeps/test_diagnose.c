/* SPDX-License-Identifier: MIT */
/* The likeliest cause of a misfit, on recordings that have one: with its size, alone or tied with
 * what cannot be told from it. tests/show/show_diagnose counts over many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/diagnose_internal.h"
#include "support/faulty.h"

static const double degree = 3.14159265358979323846 / 180;

static ArmDiagnosis diagnosis;

/* two speeds are enough and half the work */
static void begin(Faulty *f) {
  faulty_default(f);
  f->speeds = 2;
}

static const ArmCause *first_of(FaultyArm arm, const Faulty *f) {
  static ArmGravityFit fit;
  memset(&diagnosis, 0x55, sizeof diagnosis);
  assert_true(faulty_diagnose(arm, f, 3, &fit, &diagnosis));
  assert_int_equal(fit.verdict.verdict, ARM_VERDICT_MISFIT);
  assert_true(diagnosis.count > 0);
  if (arm_verdict_first(&fit.verdict) == ARM_TEST_GRAVITY) /* one misfit, one number */
    assert_true(fabs(diagnosis.missed -
                     fit.verdict.joint[diagnosis.worst].test[ARM_TEST_GRAVITY].size) < 1e-9);
  assert_true(fabs(diagnosis.chi2 - fit.verdict.chi2) < 1e-6 * fit.verdict.chi2);
  arm_gravity_fit_clear(&fit);
  for (size_t k = 0; k < diagnosis.count; k++) /* no joint of these arms draws 30 A */
    if (diagnosis.at[k].code == ARM_CAUSE_RIPPLE)
      assert_true(hypot(diagnosis.at[k].value[0], diagnosis.at[k].value[1]) < 30);
  for (size_t k = 0; k < diagnosis.count; k++) { /* nobody is sent after what cannot be */
    const ArmCause *c = &diagnosis.at[k];
    assert_true(!c->explains_it || c->doubt == ARM_CAUSE_CREDIBLE);
    if (c->code == ARM_CAUSE_JOINT_ZERO || c->code == ARM_CAUSE_BASE_TILT)
      assert_true(!c->explains_it || hypot(c->value[0], c->value[1]) <= 20 * degree);
    if (c->code == ARM_CAUSE_RIPPLE && c->explains_it)
      assert_true(hypot(c->value[0], c->value[1]) >= 2 * fmax(c->sd[0], c->sd[1]));
  }
  for (size_t k = 1; k < diagnosis.count; k++) {
    assert_true(diagnosis.at[k].score <= diagnosis.at[k - 1].score);
    assert_int_equal(diagnosis.at[k].is_tied, arm_causes_tied(&diagnosis.at[0], &diagnosis.at[k]));
  }
  return &diagnosis.at[0];
}

static void test_sound(void **state) {
  (void)state;
  static ArmGravityFit fit;
  Faulty f;
  begin(&f);
  memset(&diagnosis, 0x55, sizeof diagnosis);
  assert_true(faulty_diagnose(FAULTY_PUMA, &f, 3, &fit, &diagnosis));
  assert_int_equal(diagnosis.count, 0);
  arm_gravity_fit_clear(&fit);
}

static void test_tilt(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.tilt[0] = 1.2 * degree;
  f.tilt[1] = -1.6 * degree;
  const ArmCause *c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_BASE_TILT);
  assert_true(c->explains_it);
  assert_true(fabs(hypot(c->value[0], c->value[1]) - 2 * degree) < 0.1 * degree);
  /* where gravity points: the sign of the tilt */
  assert_true(fabs(c->gravity[0] - -9.81 * sin(-1.6 * degree) * cos(1.2 * degree)) < 0.02);
  assert_true(fabs(c->gravity[1] - 9.81 * sin(1.2 * degree)) < 0.02);
  /* joint 1, which the level base leaves without gravity; 84 mA at 2 deg in the theory notes */
  assert_int_equal(diagnosis.worst, 0);
  assert_true(diagnosis.missed > 0.05 && diagnosis.missed < 0.2);
  assert_true(c->left >= 0 && c->left < 0.02 * diagnosis.missed);
  for (size_t k = 1; k < diagnosis.count; k++)
    assert_true(c->left <= diagnosis.at[k].left);
}

static void test_zero_tied(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.zero[2] = 5 * degree;
  first_of(FAULTY_PUMA, &f);
  bool has[6] = {false};
  for (size_t k = 0; k < diagnosis.count; k++) {
    const ArmCause *c = &diagnosis.at[k];
    if (c->code != ARM_CAUSE_JOINT_ZERO || !(k == 0 || c->is_tied))
      continue;
    has[c->joint] = true;
    assert_true(fabs(c->value[0] - -5 * degree) < 0.5 * degree);
  }
  assert_true(has[1] && has[2]);
  assert_false(has[3] || has[4] || has[5]);
}

static void test_gear(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.gear[2] = 0.5;
  const ArmCause *c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_GEAR_RATIO);
  assert_int_equal(c->joint, 2);
  assert_true(c->explains_it && fabs(c->value[0] - 2) < 0.02);
}

static void test_payload(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.payload = 0.5;
  f.payload_hold = 1;
  const ArmCause *c = first_of(FAULTY_UR, &f);
  assert_int_equal(c->code, ARM_CAUSE_PAYLOAD_CHANGED);
  assert_true(isnan(c->time) && c->hold == 1 && c->is_absolute && c->explains_it);
  assert_true(fabs(c->value[0] - 0.5 / 0.94) < 0.05); /* the data sheet of joint 6 is 6 % off */
}

static void test_swapped(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.swapped[0] = 2;
  f.swapped[1] = 3;
  const ArmCause *c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_SWAPPED_JOINTS);
  assert_true(c->joint == 2 && c->other == 3 && c->explains_it);
}

static void test_dh_sign(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.flipped[4] = -1;
  first_of(FAULTY_UR, &f);
  bool is_named = false;
  for (size_t k = 0; k < diagnosis.count; k++)
    is_named |= (k == 0 || diagnosis.at[k].is_tied) && diagnosis.at[k].code == ARM_CAUSE_DH_SIGN &&
                diagnosis.at[k].joint == 4;
  assert_true(is_named);
}

static void test_lean(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.lean_joint = 1;
  f.lean_stroke = 5; /* hold 1, the slow speed, back */
  f.lean = 30;
  const ArmCause *c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_ONE_SWEEP);
  assert_true(diagnosis.count > 1 && diagnosis.at[1].code == ARM_CAUSE_ONE_SWEEP);
  for (size_t k = 0; k < 2; k++)
    assert_true(diagnosis.at[k].joint == 1 && diagnosis.at[k].hold == 1);
  assert_true(diagnosis.at[1].is_tied || c->speed < 0);
}

static void test_friction(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.delay = 0.04;
  const ArmCause *c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_CURRENT_DELAY);
  assert_true(fabs(c->value[0] - 0.04) < 0.004);
  begin(&f);
  f.load_friction = 0.05;
  c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_LOAD_FRICTION);
  assert_true(c->joint == ARM_CAUSE_NO_JOINT && fabs(c->value[0] - 0.05) < 0.005);
}

/* In mid-joint, with two holds: a zero 80 deg off, a ripple of twice its size known to three and
 * payloads take the misfit away as well. And of so many strokes that not each is tried at first. */
static void test_gain(void **state) {
  (void)state;
  static const struct {
    size_t joint;
    double gain;
    size_t holds, speeds, repeats;
  } cases[] = {{4, 1.2, 2, 3, 1}, {2, 1.2, 2, 3, 1}, {1, 1.1, 2, 3, 1}, {1, 1.2, 4, 2, 2}};
  for (size_t k = 0; k < 4; k++) {
    Faulty f;
    faulty_default(&f);
    f.holds = cases[k].holds;
    f.speeds = cases[k].speeds;
    f.repeats = cases[k].repeats;
    f.gain_joint = cases[k].joint;
    f.gain = cases[k].gain;
    const ArmCause *c = first_of(FAULTY_PUMA, &f);
    assert_int_equal(c->code, ARM_CAUSE_CURRENT_GAIN);
    assert_int_equal(c->joint, cases[k].joint);
    assert_true(c->explains_it && fabs(c->value[0] - cases[k].gain) < 0.03);
  }
}

/* it is listed, for whoever sees it on the arm, and nothing more */
static void test_too_large(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.zero[3] = 40 * degree;
  first_of(FAULTY_UR, &f);
  bool is_listed = false;
  for (size_t k = 0; k < diagnosis.count; k++) {
    const ArmCause *c = &diagnosis.at[k];
    if (c->code != ARM_CAUSE_JOINT_ZERO || fabs(c->value[0] + 40 * degree) > 2 * degree)
      continue;
    is_listed = true;
    assert_true(c->rest < 1.3 && c->doubt == ARM_CAUSE_TOO_LARGE && !c->explains_it);
  }
  assert_true(is_listed);
}

/* What no gear and no drive does is not listed: it only imitates an unsigned current, of which
 * these came first. */
static void test_beyond_reason(void **state) {
  (void)state;
  static ArmStrokeFit fit;
  fit.joint[1].low = -1;
  fit.joint[1].high = 2;
  ArmCause c = {.code = ARM_CAUSE_BACKLASH, .joint = 1, .values = 1, .value = {0.02}};
  assert_false(arm_cause_is_absurd(&fit, &c));
  c.value[0] = 218;
  assert_true(arm_cause_is_absurd(&fit, &c));
  c.value[0] = -0.02;
  assert_true(arm_cause_is_absurd(&fit, &c));
  c = (ArmCause){.code = ARM_CAUSE_CURRENT_DELAY, .values = 1, .value = {0.04}};
  assert_false(arm_cause_is_absurd(&fit, &c));
  c.value[0] = -1.72;
  assert_true(arm_cause_is_absurd(&fit, &c));
}

/* gravity fits and friction goes: nothing but that is named */
static void test_drift(void **state) {
  (void)state;
  static ArmGravityFit fit;
  Faulty f;
  faulty_default(&f);
  f.drift = 0.25;
  assert_true(faulty_diagnose(FAULTY_PUMA, &f, 3, &fit, &diagnosis));
  assert_int_equal(fit.verdict.verdict, ARM_VERDICT_FITS);
  assert_int_equal(arm_verdict_first(&fit.verdict), ARM_TEST_TREND);
  assert_true(diagnosis.count > 0);
  for (size_t k = 0; k < diagnosis.count; k++) {
    const ArmCause *c = &diagnosis.at[k];
    assert_int_equal(c->code, ARM_CAUSE_FRICTION_DRIFT);
    assert_true(fit.verdict.joint[c->joint].test[ARM_TEST_TREND].is_alarm);
    assert_true(c->value[0] < -0.05 && c->value[0] > -0.25 && c->explains_it);
  }
  arm_gravity_fit_clear(&fit);
}

/* what is not in the list, and two at once: nothing is said to explain it */
static void test_unexplained(void **state) {
  (void)state;
  Faulty f;
  begin(&f);
  f.spring_joint = 3;
  f.spring = 0.15;
  assert_false(first_of(FAULTY_PUMA, &f)->explains_it);
  f.spring_joint = 1; /* 1 per turn imitates k* there, with hundreds of amperes */
  (void)first_of(FAULTY_PUMA, &f);
  begin(&f);
  f.tilt[0] = 1 * degree;
  f.payload = 0.1;
  assert_false(first_of(FAULTY_UR, &f)->explains_it);
}

/* once per turn, which bends torque constants before it is known: the linear step leaves more than
 * noise */
static void test_ripple(void **state) {
  (void)state;
  Faulty f;
  faulty_default(&f);
  f.ripple = 0.02;
  f.ripple_order = 1;
  f.ripple_joint = 3;
  f.ripple_phase = 1.4;
  const ArmCause *c = first_of(FAULTY_NOTES, &f);
  assert_int_equal(c->code, ARM_CAUSE_RIPPLE);
  assert_true(c->joint == 3 && c->order == 1 && c->explains_it);
  assert_true(fabs(c->value[0] - 0.02 * cos(1.4)) < 2 * c->sd[0]);
  assert_true(fabs(c->value[1] + 0.02 * sin(1.4)) < 2 * c->sd[1]);
}

/* A bumper on joint 2 is a ripple of it but for a milliampere: noise among the rows of six joints,
 * not among its own. */
static void test_unexplained_in_one_joint(void **state) {
  (void)state;
  Faulty f;
  faulty_default(&f);
  f.spring_joint = 1;
  f.bumper = 0.2;
  const ArmCause *c = first_of(FAULTY_PUMA, &f);
  assert_int_equal(c->code, ARM_CAUSE_RIPPLE);
  assert_true(c->rest < 1.3 && !c->explains_it && c->doubt == ARM_CAUSE_CREDIBLE);
}

/* Of any size it leaves noise alone: a base that leans under axes without load. Something that
 * leaves a thousand times as much, and whose size is known, stays behind it. */
static void test_size_unknown(void **state) {
  (void)state;
  ArmModel model;
  assert_int_equal(arm_model_init(&model, 2), ARM_OK);
  const ArmIdent ident = {.model = &model};
  const ArmStrokeFit fit = {.ident = &ident, .rows = 100, .chi2 = 1e6};
  const ArmCause tilt = {.code = ARM_CAUSE_BASE_TILT,
                         .joint = ARM_CAUSE_NO_JOINT,
                         .values = 2,
                         .value = {0.2, 0.2},
                         .sd = {2, 2},
                         .is_refitted = true,
                         .explained = 1e6 - 90,
                         .dof = 2,
                         .rest = 0.9,
                         .explains_it = true};
  const ArmCause ripple = {.code = ARM_CAUSE_RIPPLE,
                           .values = 2,
                           .value = {0.1, 0.1},
                           .sd = {0.001, 0.001},
                           .explained = 9e5,
                           .dof = 2};
  ArmCause list[2] = {ripple, tilt};
  arm_causes_rank(&fit, 0.0, list, 2);
  assert_int_equal(list[0].code, ARM_CAUSE_BASE_TILT);
  assert_int_equal(list[0].doubt, ARM_CAUSE_UNCERTAIN);
  assert_false(list[0].explains_it);
  ArmCause other[2] = {ripple, tilt}; /* what may be nothing is not put first */
  other[1].rest = 5.0;
  arm_causes_rank(&fit, 0.0, other, 2);
  assert_int_equal(other[0].code, ARM_CAUSE_RIPPLE);
}

static void test_keys(void **state) {
  (void)state;
  assert_string_equal(arm_cause_key(ARM_CAUSE_BASE_TILT), "base-tilt");
  assert_string_equal(arm_cause_key(ARM_CAUSE_PAYLOAD_CHANGED), "payload-changed");
  assert_string_equal(arm_cause_key(ARM_CAUSE_FRICTION_DRIFT), "friction-drift");
  assert_string_equal(arm_cause_key(ARM_CAUSES), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound),        cmocka_unit_test(test_tilt),
      cmocka_unit_test(test_zero_tied),    cmocka_unit_test(test_gear),
      cmocka_unit_test(test_payload),      cmocka_unit_test(test_swapped),
      cmocka_unit_test(test_dh_sign),      cmocka_unit_test(test_lean),
      cmocka_unit_test(test_friction),     cmocka_unit_test(test_beyond_reason),
      cmocka_unit_test(test_drift),        cmocka_unit_test(test_unexplained),
      cmocka_unit_test(test_size_unknown), cmocka_unit_test(test_keys),
      cmocka_unit_test(test_ripple),       cmocka_unit_test(test_unexplained_in_one_joint),
      cmocka_unit_test(test_gain),         cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
