/* SPDX-License-Identifier: MIT */
/* Dynamics of one sample: golden arms, an independent reference, and identities on random arms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/arm/gravity.h"
#include "support/dyn_case.h"
#include "support/dyn_random.h"

enum { ARMS = 500, N = ARM_MAX_JOINTS };

typedef struct {
  ArmModel model;
  ArmDyn dyn;
  size_t n;
  double pi[10 * N], q[N], qd[N], qdd[N], tau[N];
  double scale; /* largest torque */
} Case;

static double largest(const double *x, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++)
    most = fmax(most, fabs(x[k]));
  return most;
}

/* Arm k: 1 to 7 joints; every hundredth has 32. */
static void case_random(TestRng *rng, uint64_t seed, Case *c) {
  test_rng_init(rng, seed);
  c->n = seed % 100 == 99 ? N : 1 + seed % 7;
  dyn_random_arm(rng, c->n, &c->model);
  assert_int_equal(arm_dyn_init(&c->dyn, &c->model), ARM_OK);
  if (seed % 2) /* the kernels without any extension, too */
    (void)arm_dyn_limit_lanes(&c->dyn, 2);
  assert_int_equal(arm_inertia_nominal(&c->model, c->pi), 0);
  dyn_random_vector(rng, c->n, 3, c->q);
  dyn_random_vector(rng, c->n, 1, c->qd);
  dyn_random_vector(rng, c->n, 3, c->qdd);
  arm_dyn_torque(&c->dyn, c->pi, c->q, c->qd, c->qdd, c->tau);
  c->scale = largest(c->tau, c->n);
}

#define FOR_EACH_ARM(c, rng)                                                                       \
  for (uint64_t seed_ = test_seed(1000), k_ = 0;                                                   \
       k_ < ARMS && (case_random(&rng, seed_ + k_, &c), true); k_++)

static void check_near(const double *a, const double *b, size_t count, double limit) {
  for (size_t k = 0; k < count; k++)
    if (!(fabs(a[k] - b[k]) <= limit))
      fail_msg("entry %d of %d: %.17g, expected %.17g within %g", (int)k, (int)count, a[k], b[k],
               limit);
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += a[k] * b[k];
  return sum;
}

/* y = row-by-row matrix times pi */
static void times_pi(const Case *c, const double *rows, double *y) {
  for (size_t i = 0; i < c->n; i++)
    y[i] = dot(rows + 10 * c->n * i, c->pi, 10 * c->n);
}

static void test_golden(void **state) {
  double worst = 0;
  (void)state;
  assert_int_equal(dyn_case_check_file("dyn_arms.txt", &worst), 30);
  assert_int_equal(dyn_case_check_file("dyn_pinocchio.txt", &worst), 9);
  print_message("# worst error %.3g of 1e-12 (1 + max)\n", worst);
}

static void test_torque_is_newton_euler(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0, want[N];
  (void)state;
  FOR_EACH_ARM(c, rng) {
    dyn_reference_torque(&c.model, c.q, c.qd, c.qdd, want);
    check_near(c.tau, want, c.n, 1e-12 * c.scale);
    for (size_t i = 0; i < c.n; i++)
      worst = fmax(worst, fabs(c.tau[i] - want[i]) / c.scale);
  }
  print_message("# worst %.2g\n", worst);
}

static void test_regressor_times_parameters(void **state) {
  static Case c;
  static double y[10 * N * N];
  TestRng rng;
  double got[N];
  (void)state;
  FOR_EACH_ARM(c, rng) {
    memset(y, 0x7f, sizeof y);
    arm_dyn_regressor(&c.dyn, c.q, c.qd, c.qdd, y);
    times_pi(&c, y, got);
    check_near(got, c.tau, c.n, 1e-12 * c.scale);
    for (size_t i = 0; i < c.n; i++)
      for (size_t p = 0; p < 10 * i; p++)
        assert_true(y[10 * c.n * i + p] == 0);
  }
}

/* A row of the regressor is what the torque is for a unit parameter. */
static void test_regressor_columns(void **state) {
  static Case c;
  static double y[10 * N * N];
  TestRng rng;
  double unit[10 * N] = {0}, tau[N];
  (void)state;
  FOR_EACH_ARM(c, rng) {
    if (c.n > 7)
      continue;
    arm_dyn_regressor(&c.dyn, c.q, c.qd, c.qdd, y);
    for (size_t p = 0; p < 10 * c.n; p++) {
      unit[p] = 1;
      arm_dyn_torque(&c.dyn, unit, c.q, c.qd, c.qdd, tau);
      unit[p] = 0;
      for (size_t i = 0; i < c.n; i++)
        assert_true(fabs(tau[i] - y[10 * c.n * i + p]) <= 1e-12 * (1 + largest(tau, c.n)));
    }
  }
}

static void test_gravity(void **state) {
  static Case c;
  TestRng rng;
  const double rest[N] = {0};
  double w[2 * N], row[2 * N], gravity[N], tau[N], y[10 * N * N];
  (void)state;
  FOR_EACH_ARM(c, rng) {
    arm_dyn_gravity(&c.dyn, c.pi, c.q, gravity);
    arm_dyn_torque(&c.dyn, c.pi, c.q, rest, rest, tau);
    check_near(gravity, tau, c.n, 1e-12 * c.scale);
    arm_dyn_torque(&c.dyn, c.pi, c.q, NULL, NULL, tau);
    check_near(gravity, tau, c.n, 1e-12 * c.scale);
    arm_dyn_regressor(&c.dyn, c.q, NULL, NULL, y);
    times_pi(&c, y, tau);
    check_near(gravity, tau, c.n, 1e-12 * c.scale);
    arm_gravity_nominal(&c.model, w);
    for (size_t i = 0; i < c.n; i++) {
      arm_gravity_row(&c.model, c.q, i, row);
      tau[i] = dot(row, w, 2 * c.n);
    }
    check_near(gravity, tau, c.n, 1e-12 * fmax(c.scale, largest(gravity, c.n)));
  }
}

static bool is_positive_definite(size_t n, double *m) {
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < j; k++)
      m[j + n * j] -= m[j + n * k] * m[j + n * k];
    if (!(m[j + n * j] > 0))
      return false;
    m[j + n * j] = sqrt(m[j + n * j]);
    for (size_t i = j + 1; i < n; i++) {
      for (size_t k = 0; k < j; k++)
        m[i + n * j] -= m[i + n * k] * m[j + n * k];
      m[i + n * j] /= m[j + n * j];
    }
  }
  return true;
}

static void test_mass_matrix(void **state) {
  static Case c;
  static double m[N * N], y[10 * N * N], z[10 * N * N];
  TestRng rng;
  double bias[N], sum[N], p[N], k[10 * N], u[10 * N];
  (void)state;
  FOR_EACH_ARM(c, rng) {
    const size_t n = c.n;
    arm_dyn_mass(&c.dyn, c.pi, c.q, m);
    arm_dyn_torque(&c.dyn, c.pi, c.q, c.qd, NULL, bias);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++)
        assert_true(m[i + n * j] == m[j + n * i]);
      sum[i] = bias[i] + dot(m + n * i, c.qdd, n);
      p[i] = dot(m + n * i, c.qd, n);
    }
    check_near(sum, c.tau, n, 1e-12 * fmax(c.scale, largest(bias, n)));
    arm_dyn_momentum(&c.dyn, c.q, c.qd, y, z);
    times_pi(&c, y, sum);
    check_near(sum, p, n, 1e-12 * largest(m, n * n));
    arm_dyn_energy(&c.dyn, c.q, c.qd, k, u);
    assert_true(test_is_near(dot(k, c.pi, 10 * n), 0.5 * dot(p, c.qd, n), 1e-12, 1e-12));
    assert_true(is_positive_definite(n, m));
  }
}

static void test_forward_inverts_inverse(void **state) {
  static Case c;
  TestRng rng;
  double qdd[N], back[N], worst = 0;
  (void)state;
  FOR_EACH_ARM(c, rng) {
    assert_int_equal(arm_dyn_forward(&c.dyn, c.pi, NULL, c.q, c.qd, c.tau, qdd), ARM_OK);
    arm_dyn_torque(&c.dyn, c.pi, c.q, c.qd, qdd, back); /* free of the condition of M */
    check_near(back, c.tau, c.n, 1e-11 * c.scale);
    for (size_t i = 0; i < c.n; i++)
      worst = fmax(worst, fabs(qdd[i] - c.qdd[i]));
  }
  print_message("# worst error of an acceleration %.2g\n", worst);
  assert_true(worst < 1e-8);
}

/* ---- along the motion q + qd t + qdd t^2 / 2 ---- */

typedef double Along(const Case *c, const double *q, const double *qd, size_t i);

/* d/dt at t = 0, sixth-order differences */
static double derivative(const Case *c, Along *f, size_t i) {
  static const double weight[3] = {45, -9, 1};
  const double step = 2e-3;
  double sum = 0;
  for (int s = -3; s <= 3; s++) {
    const double t = s * step;
    double q[N], qd[N];
    for (size_t j = 0; j < c->n; j++) {
      q[j] = c->q[j] + t * (c->qd[j] + 0.5 * t * c->qdd[j]);
      qd[j] = c->qd[j] + t * c->qdd[j];
    }
    if (s != 0)
      sum += (s > 0 ? 1 : -1) * weight[(s > 0 ? s : -s) - 1] * f(c, q, qd, i);
  }
  return sum / (60 * step);
}

static double energy(const Case *c, const double *q, const double *qd, size_t i) {
  double k[10 * N], u[10 * N];
  (void)i;
  arm_dyn_energy(&c->dyn, q, qd, k, u);
  return dot(k, c->pi, 10 * c->n) + dot(u, c->pi, 10 * c->n);
}

static double momentum(const Case *c, const double *q, const double *qd, size_t i) {
  static double yp[10 * N * N], ye[10 * N * N];
  arm_dyn_momentum(&c->dyn, q, qd, yp, ye);
  return dot(yp + 10 * c->n * i, c->pi, 10 * c->n);
}

/* qd^T M(q) qd with qd held where it is */
static double held_speed_energy(const Case *c, const double *q, const double *qd, size_t i) {
  double k[10 * N], u[10 * N];
  (void)i, (void)qd;
  arm_dyn_energy(&c->dyn, q, c->qd, k, u);
  return 2 * dot(k, c->pi, 10 * c->n);
}

static void test_power_is_the_rate_of_energy(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0;
  (void)state;
  FOR_EACH_ARM(c, rng) {
    if (c.n > 7)
      continue;
    const double power = dot(c.qd, c.tau, c.n);
    worst = fmax(worst, fabs(derivative(&c, energy, 0) - power) / (c.scale + 1));
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-9);
}

static void test_momentum_identity(void **state) {
  static Case c;
  static double yp[10 * N * N], ye[10 * N * N];
  TestRng rng;
  double force[N], worst = 0;
  (void)state;
  FOR_EACH_ARM(c, rng) {
    if (c.n > 7)
      continue;
    arm_dyn_momentum(&c.dyn, c.q, c.qd, yp, ye);
    times_pi(&c, ye, force);
    for (size_t i = 0; i < c.n; i++)
      worst = fmax(worst, fabs(derivative(&c, momentum, i) - force[i] - c.tau[i]) / (c.scale + 1));
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-9);
}

/* qd^T (dM/dt - 2 C) qd = 0: Coriolis and centrifugal forces do no work of their own. */
static void test_skew_symmetry(void **state) {
  static Case c;
  TestRng rng;
  double bias[N], gravity[N], worst = 0;
  (void)state;
  FOR_EACH_ARM(c, rng) {
    if (c.n > 7)
      continue;
    arm_dyn_torque(&c.dyn, c.pi, c.q, c.qd, NULL, bias);
    arm_dyn_gravity(&c.dyn, c.pi, c.q, gravity);
    const double work = 2 * (dot(c.qd, bias, c.n) - dot(c.qd, gravity, c.n));
    worst = fmax(worst, fabs(derivative(&c, held_speed_energy, 0) - work) / (c.scale + 1));
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-9);
}

/* ---- what the torques cannot see ---- */

/* Mass on the axis of an R joint, inertia without mass beyond a T joint: moved from link i to link
 * i-1 (or the base) they change nothing. */
static void test_null_space(void **state) {
  static Case c;
  TestRng rng;
  double tau[N];
  (void)state;
  FOR_EACH_ARM(c, rng) {
    for (size_t i = 0; i < c.n; i++) {
      const ArmJoint *joint = &c.model.joints[i];
      const bool slides = joint->type == ARM_JOINT_T;
      const double m = slides ? 0 : test_rng_uniform(&rng, -2, 2), z = 0.3;
      const double mass[10] = {m, 0, 0, m * z, m * z * z, 0, m * z * z, 0, 0, 0};
      double change[10] = {0}, moved[10];
      for (size_t p = 0; p < 10; p++)
        change[p] = !slides ? mass[p] : p < 4 ? 0 : test_rng_uniform(&rng, -1, 1);
      arm_inertia_move(joint->rotation, joint->translation, change, moved);
      for (size_t p = 0; p < 10; p++) {
        c.pi[10 * i + p] += change[p];
        if (i > 0)
          c.pi[10 * (i - 1) + p] -= moved[p];
      }
    }
    arm_dyn_torque(&c.dyn, c.pi, c.q, c.qd, c.qdd, tau);
    check_near(tau, c.tau, c.n, 1e-11 * c.scale);
  }
}

/* ---- limits, rotors ---- */

static void test_refused(void **state) {
  static ArmModel model;
  ArmDyn dyn = {.n = 77};
  const double pi[20] = {0}, q[2] = {0.5, 0.5}, tau[2] = {1, 1};
  double qdd[2] = {7, 7};
  (void)state;
  assert_int_equal(arm_model_init(&model, 2), ARM_OK);
  model.joints[1].offset = (double)NAN;
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_E_NOT_FINITE);
  model.joints[1].offset = 0;
  model.gravity_m_s2[0] = (double)INFINITY;
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_E_NOT_FINITE);
  model.gravity_m_s2[0] = 0;
  model.n = 0;
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_E_ARGUMENT);
  model.n = N + 1;
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_E_ARGUMENT);
  assert_int_equal(dyn.n, 77);
  model.n = 2;
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
  assert_int_equal(arm_dyn_forward(&dyn, pi, NULL, q, NULL, tau, qdd), ARM_E_NUMERIC);
  assert_true(qdd[0] == 7 && qdd[1] == 7);
  const double rotor[4] = {2, 0, 0, 4}, lost[2] = {(double)NAN, 0};
  assert_int_equal(arm_dyn_forward(&dyn, pi, rotor, q, NULL, tau, qdd), ARM_OK);
  assert_true(qdd[0] == 0.5 && qdd[1] == 0.25);
  assert_int_equal(arm_dyn_forward(&dyn, pi, rotor, lost, NULL, tau, qdd), ARM_E_NUMERIC);
  assert_true(qdd[0] == 0.5 && qdd[1] == 0.25);
}

/* Rotor energy = sum of G^2 Jm ((I+L) qd)^2 / 2 */
static void test_rotor(void **state) {
  static Case c;
  TestRng rng;
  double rotor[N * N], speed[N];
  (void)state;
  test_rng_init(&rng, test_seed(9));
  case_random(&rng, 5, &c);
  const size_t n = c.n;
  for (size_t i = 0; i < n; i++) {
    c.model.joints[i].n_motors = i == 1 ? 0 : i == 2 ? 2 : 1;
    c.model.joints[i].motors[0] =
        (ArmMotor){.gear_ratio = 50 + (double)i, .rotor_inertia_kg_m2 = 1e-4 * (1 + (double)i)};
    c.model.joints[i].motors[1] = c.model.joints[i].motors[0];
    for (size_t j = 0; j < i; j++)
      c.model.coupling[i][j] = test_rng_uniform(&rng, -1, 1);
  }
  c.model.joints[3].motors[0].rotor_inertia_kg_m2 = (double)NAN;
  for (int coupled = 0; coupled < 2; coupled++) {
    double energy_want = 0, energy_got = 0;
    c.model.has_coupling = coupled;
    assert_int_equal(arm_dyn_rotor(&c.model, rotor), n - 2);
    arm_model_motor_speed(&c.model, c.qd, speed);
    for (size_t i = 0; i < n; i++) {
      const ArmMotor *motor = &c.model.joints[i].motors[0];
      if (i != 1 && i != 3)
        energy_want += (i == 2 ? 2 : 1) * motor->gear_ratio * motor->gear_ratio *
                       motor->rotor_inertia_kg_m2 * speed[i] * speed[i];
      energy_got += c.qd[i] * dot(rotor + n * i, c.qd, n);
      for (size_t j = 0; j < n; j++)
        assert_true(rotor[i + n * j] == rotor[j + n * i]);
    }
    assert_true(test_is_near(energy_got, energy_want, 1e-13, 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_torque_is_newton_euler),
      cmocka_unit_test(test_regressor_times_parameters),
      cmocka_unit_test(test_regressor_columns),
      cmocka_unit_test(test_gravity),
      cmocka_unit_test(test_mass_matrix),
      cmocka_unit_test(test_forward_inverts_inverse),
      cmocka_unit_test(test_power_is_the_rate_of_energy),
      cmocka_unit_test(test_momentum_identity),
      cmocka_unit_test(test_skew_symmetry),
      cmocka_unit_test(test_null_space),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_rotor),
  };
  return cmocka_run_group_tests_name("dyn", tests, NULL, NULL);
}
