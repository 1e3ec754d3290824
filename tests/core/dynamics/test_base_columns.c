/* SPDX-License-Identifier: MIT */
/* Base regressor times base parameters is the inverse dynamics, with columns of friction, rotors,
 * springs and counterbalances too; what is decided on which geometry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base_checks.h"
#include "core/arm/dyn.h"
#include "support/dyn_random.h"

enum { MAX_COLUMNS = BASE_COLUMNS + 9 * BASE_JOINTS };

/* ---- other columns ---- */

static void test_rotors(void **state) {
  (void)state;
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    ArmBase *base = make(&c->model, ARM_BASE_WITH_ROTOR, ARM_BASE_CLOSED_FORM);
    size_t kept = 0;
    for (size_t j = 0; j < c->model.n; j++) {
      const ArmBaseColumn *column = base->column + 10 * c->model.n + j;
      assert_int_equal(column->kind, ARM_COLUMN_ROTOR);
      assert_int_equal(column->joint, j);
      kept += column->reason == ARM_BASE_KEPT;
      if ((column->reason == ARM_BASE_KEPT) == c->is_rotor_dependent[j])
        fail_msg("%s: rotor of joint %zu", c->name, j + 1);
    }
    assert_int_equal(base->count, c->count + kept);
    arm_base_free(base);
  }
}

static size_t count_with(const char *arm, unsigned with) {
  ArmBase *base = make(&find_case(arm)->model, with, ARM_BASE_CLOSED_FORM);
  const size_t count = base->count;
  arm_base_free(base);
  return count;
}

static void test_counts_with_other_columns(void **state) {
  const unsigned all = ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR;
  (void)state;
  assert_int_equal(count_with("PUMA560-GK", ARM_BASE_WITH_ROTOR), 40);
  assert_int_equal(count_with("PUMA560-GK", ARM_BASE_WITH_FRICTION), 36 + 24);
  assert_int_equal(count_with("PUMA560-GK", all), 40 + 24);
  assert_int_equal(count_with("7R-LWR", ARM_BASE_WITH_ROTOR), 48);
  /* a joint that only lifts its load: m (qdd - g), 1 and qdd are two */
  assert_int_equal(count_with("SCARA_RRTR_g//z1", ARM_BASE_WITH_ROTOR), 8 + 3);
  assert_int_equal(count_with("SCARA_RRTR_g//z1", all), 8 + 16 + 2);
  /* a constant is the sum of Coulomb's forward and backward */
  assert_int_equal(count_with("UR-like_6R", ARM_BASE_WITH_SPRING), 36 + 12);
  assert_int_equal(count_with("UR-like_6R", ARM_BASE_WITH_SPRING | ARM_BASE_WITH_FRICTION),
                   36 + 24 + 6);
  /* a counterbalance looks like the load of a single joint, not of the second of two */
  assert_int_equal(count_with("1R_vertical-plane", ARM_BASE_WITH_COUNTERBALANCE), 3);
  assert_int_equal(count_with("2R_planar_vertical", ARM_BASE_WITH_COUNTERBALANCE), 6 + 2);
  assert_int_equal(count_with("SCARA_RRTR_g//z1", ARM_BASE_WITH_COUNTERBALANCE), 8 + 6 + 1);
}

/* The rotor of joint 1 turns with its axis: into ZZ1, with 1. */
static void test_rotor_of_first_joint(void **state) {
  ArmBase *base = make(&find_case("PUMA560-GK")->model, ARM_BASE_WITH_ROTOR, ARM_BASE_CLOSED_FORM);
  (void)state;
  assert_int_equal(arm_base_fate(base, 60), ARM_FATE_REGROUPED);
  assert_int_equal(base->column[60].reason, ARM_BASE_DEPENDENT);
  for (size_t b = 0; b < base->count; b++)
    assert_true(test_is_near(coefficient(base, b, 60), base->kept[b] == 9 ? 1 : 0, 0, 1e-10));
  arm_base_free(base);
}

/* ---- base regressor times base parameters ---- */

static void check_identity(const BaseCase *c, unsigned with, ArmBaseWay way, TestRng *rng) {
  ArmBase *base = make(&c->model, with, way);
  const size_t n = base->n, p = base->columns;
  double q[BASE_JOINTS], qd[BASE_JOINTS], qdd[BASE_JOINTS];
  double x[MAX_COLUMNS], beta[MAX_COLUMNS], want[BASE_JOINTS], got[BASE_JOINTS];
  static double full[MAX_COLUMNS * BASE_JOINTS], y[MAX_COLUMNS * BASE_JOINTS];
  dyn_random_vector(rng, n, 3, q);
  dyn_random_vector(rng, n, 3, qd);
  dyn_random_vector(rng, n, 6, qdd);
  dyn_random_vector(rng, p, 2, x);
  (void)arm_inertia_nominal(&c->model, x);
  arm_base_values(base, x, beta);
  assert_int_equal(arm_base_full_regressor(base, &c->model, 1, q, qd, qdd, full), ARM_OK);
  assert_int_equal(arm_base_regressor(base, &c->model, q, qd, qdd, y), ARM_OK);
  for (size_t i = 0; i < n; i++) {
    want[i] = got[i] = 0;
    for (size_t k = 0; k < p; k++)
      want[i] += full[i * p + k] * x[k];
    for (size_t b = 0; b < base->count; b++)
      got[i] += y[i * base->count + b] * beta[b];
  }
  check_values(c->name, n, got, want);
  if (with == 0) {
    dyn_reference_torque(&c->model, q, qd, qdd, want);
    check_values(c->name, n, got, want);
  }
  arm_base_free(base);
}

static void test_inverse_dynamics(void **state) {
  static const unsigned with[] = {0, ARM_BASE_WITH_ROTOR | ARM_BASE_WITH_FRICTION, 15};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(17));
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++)
    for (size_t k = 0; k < 3; k++)
      for (int way = 0; way < 2; way++)
        check_identity(c, with[k], (ArmBaseWay)way, &rng);
}

/* Rotors by another road: the matrix of arm_dyn_rotor. */
static void test_coupled_rotors(void **state) {
  ArmModel model = find_case("PUMA560-GK")->model;
  double rotor[36], q[6] = {0}, qd[6] = {0}, qdd[6], y[6 * 66], got[6] = {0}, want[6] = {0};
  TestRng rng;
  (void)state;
  test_rng_init(&rng, 18);
  model.has_coupling = true;
  for (size_t i = 0; i < 6; i++) {
    model.joints[i].n_motors = 1;
    model.joints[i].motors[0] = (ArmMotor){50.0 + (double)i, 1, 0.1, 0.1, 2e-4};
    dyn_random_vector(&rng, i, 0.4, model.coupling[i]);
  }
  dyn_random_vector(&rng, 6, 5, qdd);
  ArmBase *base = make(&model, ARM_BASE_WITH_ROTOR, ARM_BASE_CLOSED_FORM);
  assert_int_equal(arm_dyn_rotor(&model, rotor), 6);
  assert_int_equal(arm_base_full_regressor(base, &model, 1, q, qd, qdd, y), ARM_OK);
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 6; k++) {
      const double ratio = model.joints[k].motors[0].gear_ratio;
      want[i] += rotor[i + 6 * k] * qdd[k];
      got[i] += y[66 * i + 60 + k] * ratio * ratio * 2e-4;
    }
  check_values("coupled rotors", 6, got, want);
  arm_base_free(base);
}

/* ---- nominal geometry ---- */

/* SCARA with all axes a little off parallel: by the numbers 8 become 19. */
static void test_tilted_axes_are_snapped(void **state) {
  const double tilt = 0.1 / 180 * 3.14159265358979;
  const BaseCase *c = find_case("SCARA_RRTR_g//z1");
  ArmModel model = c->model, nominal;
  ArmSnap snaps[ARM_MAX_SNAPS];
  double gap;
  (void)state;
  for (size_t i = 1; i < 4; i++)
    arm_joint_set_mdh(&model.joints[i], model.joints[i].type, i == 2 ? -tilt : tilt, 0.3 * (i == 1),
                      0, i == 3 ? 5e-7 : 0);
  assert_true(base_rank(&model, &gap) > 15);
  assert_int_equal(arm_nominal(&model, &nominal, snaps), 5);
  assert_int_equal(snaps[0].kind, ARM_SNAP_BETA);
  assert_int_equal(snaps[0].joint, 1);
  assert_true(test_is_near(snaps[0].value, tilt, 1e-12, 0) && snaps[0].taken_as == 0);
  assert_true(test_is_near(snaps[1].value, -tilt, 1e-12, 0));
  assert_int_equal(snaps[3].kind, ARM_SNAP_Y); /* what the tilt makes of d */
  assert_int_equal(snaps[4].kind, ARM_SNAP_Z);
  assert_true(test_is_near(snaps[4].value, 5e-7, 1e-3, 0) && snaps[4].taken_as == 0);
  ArmBase *base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  assert_int_equal(base->count, 8);
  assert_int_equal(base->geometry.n_snapped, 5);
  arm_base_free(base);
  arm_joint_set_mdh(&model.joints[1], ARM_JOINT_R, 6 * tilt, 0.3, 0, 0);
  base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  assert_true(base->count > 15);
  arm_base_free(base);
}

/* Every axis tilted by 0.1 deg about the x of its frame: same sets; combinations have the geometry
 * as given, so that only decisions about parallel axes cost anything. Returns the rms error of the
 * torques over their rms. */
static double cost_of_snapping(const BaseCase *c, TestRng *rng) {
  ArmModel model = c->model;
  double q[BASE_JOINTS], qd[BASE_JOINTS], qdd[BASE_JOINTS], tau[BASE_JOINTS];
  double pi[BASE_COLUMNS], beta[BASE_COLUMNS], y[BASE_COLUMNS * BASE_JOINTS];
  double error = 0, all = 0;
  for (size_t i = 0; i < model.n; i++) {
    double *r = model.joints[i].rotation;
    const double tilt = (test_rng_below(rng, 2) ? 0.1 : -0.1) / 180 * 3.14159265358979;
    for (int k = 0; k < 9; k += 3) {
      const double along_y = r[k + 1], along_z = r[k + 2];
      r[k + 1] = cos(tilt) * along_y + sin(tilt) * along_z;
      r[k + 2] = cos(tilt) * along_z - sin(tilt) * along_y;
    }
  }
  ArmBase *base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  assert_int_equal(base->count, c->count);
  assert_memory_equal(base->kept, c->closed.column, c->count * sizeof *base->kept);
  (void)arm_inertia_nominal(&model, pi);
  arm_base_values(base, pi, beta);
  for (int sample = 0; sample < 50; sample++) {
    dyn_random_vector(rng, model.n, 3, q);
    dyn_random_vector(rng, model.n, 2, qd);
    dyn_random_vector(rng, model.n, 4, qdd);
    dyn_reference_torque(&model, q, qd, qdd, tau);
    assert_int_equal(arm_base_regressor(base, &model, q, qd, qdd, y), ARM_OK);
    for (size_t i = 0; i < model.n; i++) {
      all += tau[i] * tau[i];
      for (size_t b = 0; b < base->count; b++)
        tau[i] -= y[i * base->count + b] * beta[b];
      error += tau[i] * tau[i];
    }
  }
  arm_base_free(base);
  return sqrt(error / all);
}

static void test_calibrated_axes(void **state) {
  double worst = 0;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(20));
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    const double cost = cost_of_snapping(c, &rng);
    bool is_decided = c->s > c->r + 1; /* parallel axes, a T joint, or an axis along gravity */
    for (size_t j = 0; j < c->model.n; j++)
      is_decided = is_decided || c->delta[j] == 0 || c->sigma[j] == 0;
    if (!is_decided && cost > 1e-12)
      fail_msg("%s: %g although nothing was decided by what was snapped", c->name, cost);
    worst = fmax(worst, cost);
  }
  print_message("# torque error of axes 0.1 deg off nominal, worst of 27 arms: %.2g\n", worst);
  assert_true(worst < 0.02);
}

static void test_gravity_is_snapped(void **state) {
  ArmModel model = find_case("PUMA560-GK")->model, nominal;
  ArmSnap snaps[ARM_MAX_SNAPS];
  (void)state;
  model.gravity_m_s2[0] = 9.81 * 0.005;
  assert_int_equal(arm_nominal(&model, &nominal, snaps), 1);
  assert_int_equal(snaps[0].kind, ARM_SNAP_GRAVITY);
  assert_int_equal(snaps[0].joint, 6);
  assert_true(test_is_near(snaps[0].value, 0.005, 1e-4, 0));
  assert_true(nominal.gravity_m_s2[0] == 0 && nominal.gravity_m_s2[2] < -9.81);
  ArmBase *base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  assert_int_equal(base->count, 36);
  arm_base_free(base);
  model.gravity_m_s2[0] = 9.81 * 0.01;
  base = make(&model, 0, ARM_BASE_CLOSED_FORM);
  assert_int_equal(base->count, 38);
  arm_base_free(base);
}

/* A frame that is turned by `angle` and shifted along its own axis: those of R joints are free. */
typedef struct {
  double angle, shift;
} Frame;

static void turn_columns(double angle, double *r) {
  for (int k = 0; k < 3; k++) {
    const double x = r[3 * k], y = r[3 * k + 1];
    r[3 * k] = cos(angle) * x + sin(angle) * y;
    r[3 * k + 1] = cos(angle) * y - sin(angle) * x;
  }
}

static void turn_rows(double angle, size_t columns, double *r) {
  for (size_t k = 0; k < columns; k++) {
    const double x = r[k], y = r[columns + k];
    r[k] = cos(angle) * x + sin(angle) * y;
    r[columns + k] = cos(angle) * y - sin(angle) * x;
  }
}

static void reframe(ArmJoint *joint, Frame before, Frame own) {
  for (int k = 0; k < 3; k++)
    joint->translation[k] += own.shift * joint->rotation[3 * k + 2] - before.shift * (k == 2);
  turn_columns(own.angle, joint->rotation);
  turn_rows(before.angle, 3, joint->rotation);
  turn_rows(before.angle, 1, joint->translation);
}

/* Frames as a URDF may have them are the same arm. */
static void test_other_frames(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(19));
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++) {
    BaseCase other = *c;
    ArmModel nominal;
    Frame before = {0, 0};
    for (size_t i = 0; i < other.model.n; i++) {
      Frame own = {test_rng_uniform(&rng, -3, 3), test_rng_uniform(&rng, -0.3, 0.3)};
      if (other.model.joints[i].type == ARM_JOINT_T)
        own = (Frame){0, 0};
      reframe(&other.model.joints[i], before, own);
      before = own;
    }
    assert_int_equal(arm_nominal(&other.model, &nominal, NULL), 0);
    for (size_t i = 0; i < nominal.n; i++)
      for (int k = 0; k < 9; k++)
        assert_true(test_is_near(nominal.joints[i].rotation[k], other.model.joints[i].rotation[k],
                                 0, 1e-12));
    ArmBase *base = make(&other.model, 0, ARM_BASE_CLOSED_FORM);
    if (base->count != c->count)
      fail_msg("%s, other frames: %zu", c->name, base->count);
    arm_base_free(base);
    check_identity(&other, 0, ARM_BASE_CLOSED_FORM, &rng);
  }
}

/* The catalogue's kinds, by their keys; pi in the order of inertia.h. */
static void test_names(void **state) {
  static const char *const ten[] = {"m", "mX", "mY", "mZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ"};
  char name[ARM_BASE_NAME];
  (void)state;
  for (unsigned k = 0; k < 10; k++) {
    const ArmBaseColumn column = {.kind = ARM_COLUMN_INERTIAL, .parameter = k};
    assert_string_equal(arm_param_key(arm_base_kind(&column)), ten[k]);
  }
  for (int kind = ARM_COLUMN_COULOMB_POS; kind < ARM_COLUMN_KINDS; kind++) {
    const ArmBaseColumn column = {.kind = (ArmColumnKind)kind};
    const bool has_kind = kind <= ARM_COLUMN_VISCOUS_NEG || kind == ARM_COLUMN_ROTOR;
    assert_int_equal(arm_base_kind(&column) != ARM_PARAM_KINDS, has_kind);
  }
  assert_string_equal(arm_base_name("XX", true, 1, name), "XXR2");
  assert_string_equal(arm_base_name("m", false, 9, name), "m10");
  assert_string_equal(arm_base_name("Fcp", true, 31, name), "FcpR32");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rotors),
      cmocka_unit_test(test_counts_with_other_columns),
      cmocka_unit_test(test_rotor_of_first_joint),
      cmocka_unit_test(test_inverse_dynamics),
      cmocka_unit_test(test_coupled_rotors),
      cmocka_unit_test(test_tilted_axes_are_snapped),
      cmocka_unit_test(test_calibrated_axes),
      cmocka_unit_test(test_gravity_is_snapped),
      cmocka_unit_test(test_other_frames),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
