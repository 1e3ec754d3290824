/* SPDX-License-Identifier: MIT */
/* What a prediction says of itself: sds against differences, friction terms and rules at rest
 * against their equations, no number where nothing is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "currents_rig.h"

#define STEP 1e-9

/* ---- sets of one's own ---- */

enum { TERMS_OF_JOINT = 6 };

static void set_constant(ArmParamSet *set, ArmParamKind kind, size_t j, double value) {
  ArmEstimate *e = arm_param_set_add_id(set, kind, j, 0);
  assert_non_null(e);
  *e = (ArmEstimate){value, 0, value, true, ARM_REASON_NONE};
}

static void add_terms(ArmParamSet *set, size_t j) {
  set_constant(set, ARM_PARAM_LOAD, j, 0.07);
  set_constant(set, ARM_PARAM_CURVE, j, -0.2);
  set_constant(set, ARM_PARAM_CURVE_SPEED, j, 0.4);
  set_constant(set, ARM_PARAM_FRICTION_SIGN, j, j % 2 ? -1 : 1);
  set_constant(set, ARM_PARAM_SEEN_LEAST, j, 0);
  set_constant(set, ARM_PARAM_SEEN_MOST, j, 1e6);
}

static bool enters(ArmParamKind kind) {
  return kind == ARM_PARAM_BASE || kind == ARM_PARAM_ETA || kind == ARM_PARAM_ROTOR ||
         kind == ARM_PARAM_LOAD || kind == ARM_PARAM_CURVE ||
         (kind >= ARM_PARAM_COULOMB_POS && kind <= ARM_PARAM_VISCOUS_NEG);
}

/* The same with all of it told, friction terms besides, and an empty covariance. */
static void extend(const ArmParamSet *from, ArmParamSet *to) {
  ArmParamRoom room = {.params = from->n + TERMS_OF_JOINT * from->n_joints};
  for (size_t k = 0; k < from->n; k++) {
    room.terms += from->param[k].n_terms;
    room.text += from->param[k].name ? strlen(from->param[k].name) + 1 : 0;
    room.text += from->param[k].unit ? strlen(from->param[k].unit) + 1 : 0;
  }
  room.covered = room.params;
  assert_int_equal(arm_param_set_init(to, from->n_joints, &room), ARM_OK);
  for (size_t j = 0; j < from->n_joints; j++) {
    to->type[j] = from->type[j];
    to->group[j] = from->group[j];
    to->joint[j] = from->joint[j];
  }
  to->n_groups = from->n_groups;
  for (size_t k = 0; k < from->n; k++) {
    ArmEstimate *e = arm_param_set_add(to, &from->param[k]);
    assert_non_null(e);
    *e = (ArmEstimate){from->estimate[k].used, 0, from->estimate[k].used, true, ARM_REASON_NONE};
  }
  for (size_t j = 0; j < from->n_joints; j++)
    add_terms(to, j);
}

/* The covariance delta delta': each sd is |g . delta|. */
static void cover(ArmParamSet *set, TestRng *rng, double *delta) {
  for (size_t k = 0; k < set->n; k++)
    if (enters(set->param[k].id.kind)) {
      delta[set->n_covered] = (1 + fabs(set->estimate[k].used)) * test_rng_uniform(rng, -1, 1);
      assert_true(arm_param_set_cover(set, k));
    }
  const size_t m = set->most_covered;
  assert_true(set->n_covered <= m);
  for (size_t a = 0; a < set->n_covered; a++)
    for (size_t b = 0; b < set->n_covered; b++)
      set->covariance[a + b * set->n_covered] = delta[a] * delta[b];
}

static void predict_shifted(const ArmModel *model, ArmParamSet *set, const double *delta,
                            double step, const ArmCurrentsStates *states, double *current) {
  static double unused[STATES * BASE_JOINTS];
  const ArmPredictOptions none = {0};
  ArmCurrents *currents = NULL;
  for (size_t c = 0; c < set->n_covered; c++)
    set->estimate[set->covered[c]].used += step * delta[c];
  assert_int_equal(arm_currents_new(model, set, &currents), ARM_OK);
  arm_currents_predict(currents, states, &none, current, unused);
  arm_currents_free(currents);
  for (size_t c = 0; c < set->n_covered; c++)
    set->estimate[set->covered[c]].used -= step * delta[c];
}

static void test_sds_are_gradients(void **state) {
  static double up[STATES * BASE_JOINTS], down[STATES * BASE_JOINTS], delta[4 * BASE_COLUMNS];
  static const char *const arms[] = {"PUMA560-AKB", "SCARA_RRTR_g//z1", "rand-TRRTRR"};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(41));
  for (size_t arm = 0; arm < 3; arm++) {
    Predicted p;
    ArmParamSet set;
    predicted_init(&p, &find_case(arms[arm])->model, &rng, 0, false, NULL);
    const ArmCurrentsStates states = states_of(p.moving);
    extend(&p.set, &set);
    cover(&set, &rng, delta);
    arm_currents_free(p.currents);
    assert_int_equal(arm_currents_new(&p.rig.model, &set, &p.currents), ARM_OK);
    predict(&p, NULL);
    predict_shifted(&p.rig.model, &set, delta, STEP, &states, up);
    predict_shifted(&p.rig.model, &set, delta, -STEP, &states, down);
    for (size_t k = 0; k < STATES * p.rig.model.n; k++) {
      const double want = fabs(up[k] - down[k]) / (2 * STEP);
      if (!test_is_near(p.sd[k], want, 1e-5, 1e-5))
        fail_msg("%s: sd %zu is %.10g, by differences %.10g", arms[arm], k, p.sd[k], want);
    }
    arm_param_set_clear(&set);
    predicted_clear(&p);
  }
}

/* Torque of what was fitted of torques, the same way: the links' parameters alone. */
static void test_terms_add_friction(void **state) {
  static double without[STATES * BASE_JOINTS];
  TestRng rng;
  Predicted p;
  ArmParamSet set;
  (void)state;
  test_rng_init(&rng, test_seed(42));
  predicted_init(&p, &find_case("PUMA560-AKB")->model, &rng, 0, false, NULL);
  const ArmCurrentsStates states = states_of(p.moving);
  predict(&p, NULL);
  memcpy(without, p.current, sizeof without);
  /* L by a set whose drives have nothing of their own */
  extend(&p.set, &set);
  for (size_t k = 0; k < set.n; k++)
    if (enters(set.param[k].id.kind) && set.param[k].id.kind != ARM_PARAM_BASE &&
        set.param[k].id.kind != ARM_PARAM_ETA)
      set.estimate[k].used = 0;
  static double load[STATES * BASE_JOINTS];
  predict_shifted(&p.rig.model, &set, NULL, 0, &states, load);
  arm_param_set_clear(&set);
  extend(&p.set, &set);
  arm_currents_free(p.currents);
  assert_int_equal(arm_currents_new(&p.rig.model, &set, &p.currents), ARM_OK);
  predict(&p, NULL);
  for (size_t j = 0; j < 6; j++)
    for (size_t s = 0; s < STATES; s++) {
      const size_t at = s + j * STATES;
      const double v = p.moving->qd[at], way = (v > 0 ? 1 : -1) * (j % 2 ? -1 : 1);
      const double want = without[at] + way * (0.07 * fabs(load[at]) - 0.2 * exp(-fabs(v) / 0.4));
      assert_true(test_is_near(p.current[at], want, 1e-12, 1e-12));
      assert_false(arm_currents_was_beyond(p.currents, j));
    }
  arm_param_set_clear(&set);
  predicted_clear(&p);
}

static void test_loads_beyond_what_was_seen(void **state) {
  TestRng rng;
  Predicted p;
  ArmParamSet set;
  (void)state;
  test_rng_init(&rng, test_seed(43));
  predicted_init(&p, &find_case("PUMA560-AKB")->model, &rng, 0, false, NULL);
  extend(&p.set, &set);
  const size_t most = arm_param_set_find(&set, (ArmParamId){ARM_PARAM_SEEN_MOST, 1, 0});
  set.estimate[most].value = 1e-3;
  arm_currents_free(p.currents);
  assert_int_equal(arm_currents_new(&p.rig.model, &set, &p.currents), ARM_OK);
  assert_false(arm_currents_was_beyond(p.currents, 1));
  predict(&p, NULL);
  assert_true(arm_currents_was_beyond(p.currents, 1));
  assert_false(arm_currents_was_beyond(p.currents, 2));
  arm_param_set_clear(&set);
  predicted_clear(&p);
}

/* ---- at rest ---- */

static double used_of(const Predicted *p, ArmParamKind kind, size_t j) {
  const ArmEstimate *e = arm_param_set_at(&p->set, (ArmParamId){kind, (unsigned char)j, 0});
  assert_non_null(e);
  return e->used;
}

/* Gravity alone by default; what a rule says else; the sd has the band: lack of fit, section 8. */
static void test_rest(void **state) {
  TestRng rng;
  Predicted p;
  static double gravity[STATES * BASE_JOINTS], mean[STATES * BASE_JOINTS];
  static double error[STATES * BASE_JOINTS];
  const MovingDrive *no_friction;
  (void)state;
  test_rng_init(&rng, test_seed(44));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0.02, false, NULL);
  const size_t n = p.rig.model.n;
  memset(p.moving->qd, 0, STATES * n * sizeof(double));
  memset(p.moving->qdd, 0, STATES * n * sizeof(double));
  MovingDrive drives[BASE_JOINTS] = {0};
  for (size_t j = 0; j < n; j++)
    drives[j].eta = p.rig.drives.eta[j];
  no_friction = drives;
  moving_drive(p.moving, &p.rig.model, p.pi, no_friction);
  predict(&p, NULL);
  memcpy(gravity, p.current, sizeof gravity);
  memcpy(mean, p.sd, sizeof mean);
  assert_true(deviation(&p, gravity, p.moving->effort) < 0.05);
  for (size_t k = 0; k < STATES * n; k++)
    error[k] = k % 3 ? (k % 3 == 1 ? 0.1 : -0.1) : 0;
  const ArmPredictOptions stiction = {.wants_stiction = true},
                          by_error = {.zero_speed = ARM_ZERO_SPEED_SIGN_ERROR,
                                      .position_error = error},
                          band = {.zero_speed = ARM_ZERO_SPEED_BAND, .wants_stiction = true};
  for (size_t j = 0; j < n; j++) {
    const double forth = used_of(&p, ARM_PARAM_COULOMB_POS, j);
    const double back = used_of(&p, ARM_PARAM_COULOMB_NEG, j);
    const double half = 1.25 * fabs(forth - back) / 2, centre = (forth + back) / 2;
    for (size_t s = 0; s < STATES; s += 13) {
      const size_t at = s + j * STATES;
      predict(&p, &stiction);
      assert_true(test_is_near(p.current[at], gravity[at], 0, 0));
      assert_true(test_is_near(
          p.sd[at], sqrt(mean[at] * mean[at] + half * half / 3 + centre * centre), 1e-12, 0));
      predict(&p, &band);
      assert_true(test_is_near(p.current[at], gravity[at] + centre, 1e-12, 1e-12));
      predict(&p, &by_error);
      assert_true(test_is_near(p.current[at],
                               gravity[at] + (error[at] > 0   ? forth
                                              : error[at] < 0 ? back
                                                              : 0),
                               1e-12, 1e-12));
    }
  }
  predicted_clear(&p);
}

/* ---- what is not known ---- */

static void replace(Predicted *p, const ArmParamSet *set) {
  arm_currents_free(p->currents);
  assert_int_equal(arm_currents_new(&p->rig.model, set, &p->currents), ARM_OK);
}

static void test_no_rows(void **state) {
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(45));
  predicted_init(&p, &find_case("PUMA560-AKB")->model, &rng, 0, false, NULL);
  p.set.joint[3].rows_used = 0;
  replace(&p, &p.set);
  predict(&p, NULL);
  for (size_t s = 0; s < STATES; s++) {
    assert_true(isnan(p.current[s + 3 * STATES]) && isnan(p.sd[s + 3 * STATES]));
    assert_true(isfinite(p.current[s + 2 * STATES]));
  }
  predicted_clear(&p);
}

/* An inertia that no motion showed: no sd where it acts; gravity does not lean on it. */
static void test_unseen_parameter(void **state) {
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(46));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0.02, true, NULL);
  for (size_t k = 0; k < p.set.n; k++)
    if (p.set.param[k].id.kind == ARM_PARAM_BASE && p.set.param[k].id.i == 0 &&
        p.set.param[k].terms[0].id.kind == ARM_PARAM_ZZ)
      p.set.estimate[k] =
          (ArmEstimate){(double)NAN, (double)NAN, 1, false, ARM_REASON_MOTION_TOO_SIMPLE};
  replace(&p, &p.set);
  predict(&p, NULL);
  assert_true(isnan(p.sd[0]) && isfinite(p.current[0]));
  assert_true(isfinite(p.sd[STATES])); /* of joint 2: link 1 is inboard */
  memset(p.moving->qdd, 0, STATES * 2 * sizeof(double));
  predict(&p, NULL);
  assert_true(isfinite(p.sd[0]));
  const ArmCurrentsStates states = states_of(p.moving);
  ArmReason why;
  arm_currents_torque(p.currents, &states, p.current, p.sd);
  assert_true(isfinite(p.current[0]) && !arm_currents_lacks_torque(p.currents, 0, &why));
  for (size_t s = 0; s < STATES; s++)
    p.moving->qdd[s] = 1;
  arm_currents_torque(p.currents, &states, p.current, p.sd);
  assert_true(isnan(p.current[0]) && isnan(p.sd[0]) && isfinite(p.current[STATES]));
  assert_true(arm_currents_lacks_torque(p.currents, 0, &why));
  assert_int_equal(why, ARM_REASON_MOTION_TOO_SIMPLE);
  predicted_clear(&p);
}

/* Nothing is stated of torque constants: currents and their sds are good, no torque is a number. */
static void test_scale_not_stated(void **state) {
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(47));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0.001, false, NULL);
  predict(&p, NULL);
  assert_true(deviation(&p, p.current, p.moving->effort) < 0.01);
  const ArmCurrentsStates states = states_of(p.moving);
  for (size_t k = 0; k < STATES * 2; k++)
    assert_true(p.sd[k] > 0 && p.sd[k] < 0.01);
  arm_currents_torque(p.currents, &states, p.current, p.sd);
  for (size_t k = 0; k < STATES * 2; k++)
    assert_true(isnan(p.current[k]) && isnan(p.sd[k]));
  for (size_t j = 0; j < 2; j++) {
    ArmReason why;
    assert_true(arm_currents_lacks_torque(p.currents, j, &why));
    assert_int_equal(why, ARM_REASON_SCALE_NOT_STATED);
  }
  predicted_clear(&p);
}

/* A ratio that hardly shows is no matter of currents. */
static void test_ratio_not_told(void **state) {
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(50));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0.001, false, NULL);
  const size_t eta = arm_param_set_find(&p.set, (ArmParamId){ARM_PARAM_ETA, 1, 0});
  p.set.estimate[eta].identifiable = false;
  p.set.estimate[eta].reason = ARM_REASON_COUPLING_WEAK;
  replace(&p, &p.set);
  predict(&p, NULL);
  for (size_t k = 0; k < STATES * 2; k++)
    assert_true(p.sd[k] > 0 && p.sd[k] < 0.01);
  predicted_clear(&p);
}

static void test_states_that_are_none(void **state) {
  TestRng rng;
  Predicted p;
  (void)state;
  test_rng_init(&rng, test_seed(48));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0, false, NULL);
  p.moving->q[3] = (double)NAN;
  p.moving->qdd[5 + STATES] = (double)INFINITY;
  predict(&p, NULL);
  for (size_t j = 0; j < 2; j++)
    for (size_t s = 0; s < STATES; s++)
      assert_int_equal(isnan(p.current[s + j * STATES]), s == 3 || s == 5);
  predicted_clear(&p);
}

static void test_refused(void **state) {
  TestRng rng;
  Predicted p;
  ArmCurrents *none = NULL;
  (void)state;
  test_rng_init(&rng, test_seed(49));
  predicted_init(&p, &find_case("2R_planar_vertical")->model, &rng, 0, false, NULL);
  ArmModel other = p.rig.model;
  other.joints[1].type = ARM_JOINT_T;
  assert_int_equal(arm_currents_new(&other, &p.set, &none), ARM_E_ARGUMENT);
  other = p.rig.model;
  other.n = 1;
  assert_int_equal(arm_currents_new(&other, &p.set, &none), ARM_E_ARGUMENT);
  other = p.rig.model;
  other.joints[1].translation[0] = (double)NAN;
  assert_int_equal(arm_currents_new(&other, &p.set, &none), ARM_E_NOT_FINITE);
  p.set.estimate[0].used = (double)NAN;
  assert_int_equal(arm_currents_new(&p.rig.model, &p.set, &none), ARM_E_NOT_FINITE);
  assert_null(none);
  arm_currents_free(NULL);
  predicted_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sds_are_gradients),
      cmocka_unit_test(test_terms_add_friction),
      cmocka_unit_test(test_loads_beyond_what_was_seen),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_no_rows),
      cmocka_unit_test(test_unseen_parameter),
      cmocka_unit_test(test_scale_not_stated),
      cmocka_unit_test(test_ratio_not_told),
      cmocka_unit_test(test_states_that_are_none),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
