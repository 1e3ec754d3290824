/* SPDX-License-Identifier: MIT */
/* Identification joint by joint (Lin 1992, Algorithm 2) from torques while one joint moves alone:
 * exact without noise, of what the motion shows; with noise worse than all rows at once by what the
 * theory notes say, and no worse than its sds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/num/lsq.h"
#include "identify_rig.h"
#include "support/dyn_random.h"

static const ArmDynamicsOptions sequential = {.gauge = ARM_GAUGE_DATASHEET,
                                              .rel_sd = 0.15,
                                              .worst_ratio = ARM_DYNAMICS_WORST_RATIO,
                                              .way = ARM_DYNAMICS_SEQUENTIAL};

/* ---- motions ---- */

enum { MOST_SAMPLES = 8 * 4 * 12 };

/* One joint at a time; mover[s]: which, from 0. */
typedef struct {
  DynMotion motion;
  size_t mover[MOST_SAMPLES];
} Alone;

static void alone_init(size_t n, size_t samples, Alone *alone) {
  assert_true(samples <= MOST_SAMPLES);
  alone->motion =
      (DynMotion){n, samples, calloc(n * samples, sizeof(double)),
                  calloc(n * samples, sizeof(double)), calloc(n * samples, sizeof(double))};
  assert_true(alone->motion.q && alone->motion.qd && alone->motion.qdd);
}

/* Samples first .. first + count - 1: joint i moves through random states, the others hold at
 * random poses. */
static void move_at_random(TestRng *rng, Alone *alone, size_t i, size_t first, size_t count) {
  DynMotion *m = &alone->motion;
  for (size_t j = 0; j < m->n; j++) {
    const double held = test_rng_uniform(rng, -M_PI, M_PI);
    for (size_t s = first; s < first + count; s++) {
      const size_t at = s + j * m->samples;
      m->q[at] = j == i ? test_rng_uniform(rng, -M_PI, M_PI) : held;
      m->qd[at] = j == i ? 2 * test_rng_normal(rng) : 0;
      m->qdd[at] = j == i ? 4 * test_rng_normal(rng) : 0;
      alone->mover[s] = i;
    }
  }
}

/* Each joint of `movers` (a bit each) in `poses` poses, twelve samples each. */
static void move_each(TestRng *rng, size_t n, unsigned movers, size_t poses, Alone *alone) {
  enum { SAMPLES = 12 };
  size_t count = 0, first = 0;
  for (size_t j = 0; j < n; j++)
    count += movers >> j & 1;
  alone_init(n, count * poses * SAMPLES, alone);
  for (size_t j = 0; j < n; j++)
    for (size_t k = 0; k < poses && (movers >> j & 1); k++, first += SAMPLES)
      move_at_random(rng, alone, j, first, SAMPLES);
}

/* Rows of a motion of one joint at a time, torques: a held joint has no friction. */
static void rows_of(const Rig *rig, const Alone *alone, DynRows *rows) {
  dyn_rows_init(&rig->model, rig->base, &alone->motion, rows);
  for (size_t j = 0; j < rows->n; j++)
    for (size_t s = 0; s < rows->samples; s++)
      for (size_t l = 0; l < ARM_DYN_LOCAL && alone->mover[s] != j; l++)
        rows->rows[j][s + l * rows->samples] = 0;
  dyn_rows_drive(rows, rig->beta, &rig->drives);
}

/* Rows of joint j in which it or one before it moves. */
static void push_joint(Rig *rig, const Alone *alone, const DynRows *rows, size_t j) {
  for (size_t s = 0; s < rows->samples; s++)
    if (alone->mover[s] <= j) {
      double row[ARM_DYN_LOCAL + BASE_COLUMNS + 1];
      for (size_t c = 0; c < rows->columns; c++)
        row[c] = rows->rows[j][s + c * rows->samples];
      assert_int_equal(arm_information_push(rig->information, j, row, 1, 1), ARM_OK);
    }
}

/* ---- arms ---- */

/* All joints with a torque sensor, and drives of their own. */
static void torque_rig(const ArmModel *model, TestRng *rng, Rig *rig) {
  double pi[BASE_COLUMNS];
  *rig = (Rig){.model = *model, .base = make(model, 0, ARM_BASE_CLOSED_FORM)};
  (void)arm_inertia_nominal(model, pi);
  arm_base_values(rig->base, pi, rig->beta);
  dyn_drives_random(rng, model->n, &rig->drives);
  assert_int_equal(arm_information_new(rig->base, &rig->information), ARM_OK);
  assert_int_equal(arm_dynamics_joints(model, rig->joint), ARM_OK);
  for (size_t j = 0; j < model->n; j++) {
    rig->drives.eta[j] = 1;
    rig->joint[j].is_torque = true;
    rig->drives.local[j][ARM_DYN_ROTOR] *= rig->joint[j].has[ARM_DYN_ROTOR];
  }
}

static void torque_rig_clear(Rig *rig) {
  arm_information_free(rig->information);
  arm_base_free(rig->base);
}

static ArmDynamicsFit *solve(Rig *rig, const ArmDynamicsOptions *options) {
  ArmDynamicsFit *fit = NULL;
  assert_int_equal(arm_dynamics_identify(rig->information, rig->joint, options, &fit), ARM_OK);
  return fit;
}

static ArmDynamicsFit *solve_alone(Rig *rig, const Alone *alone) {
  DynRows rows;
  rows_of(rig, alone, &rows);
  for (size_t j = 0; j < rows.n; j++)
    push_joint(rig, alone, &rows, j);
  dyn_rows_clear(&rows);
  return solve(rig, &sequential);
}

/* ---- without noise ---- */

static void check_exact(const char *name, const Rig *rig, const ArmDynamicsFit *fit, TestRng *rng) {
  for (size_t b = 0; b < fit->count; b++)
    if (!fit->base[b].identifiable || !test_is_near(fit->base[b].value, rig->beta[b], 1e-9, 1e-9))
      fail_msg("%s: base parameter %zu is %.12g, expected %.12g (%s)", name, b, fit->base[b].value,
               rig->beta[b], arm_reason_key(fit->base[b].reason));
  for (size_t j = 0; j < fit->n; j++) {
    assert_true(fit->joint[j].eta.value == 1 && fit->group[j] == 0);
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
      if (rig->joint[j].has[l] &&
          !(fit->joint[j].local[l].identifiable &&
            test_is_near(fit->joint[j].local[l].value, rig->drives.local[j][l], 1e-8, 1e-8)))
        fail_msg("%s: joint %zu, local %zu: %.12g, expected %.12g", name, j + 1, l,
                 fit->joint[j].local[l].value, rig->drives.local[j][l]);
  }
  const double error = dyn_rows_unseen(&rig->model, rig->base, rig->beta, &rig->drives, fit, rng);
  if (!(error < 1e-9))
    fail_msg("%s: motions of all joints are predicted to %.3g", name, error);
}

static void check_arm(const char *name, const ArmModel *model, TestRng *rng) {
  Rig rig;
  Alone alone;
  torque_rig(model, rng, &rig);
  move_each(rng, model->n, (1u << model->n) - 1, 4, &alone);
  ArmDynamicsFit *fit = solve_alone(&rig, &alone);
  check_exact(name, &rig, fit, rng);
  assert_true(fit->has_converged);
  arm_dynamics_fit_free(fit);
  dyn_motion_clear(&alone.motion);
  torque_rig_clear(&rig);
}

static void test_known_arms(void **unused) {
  TestRng rng;
  (void)unused;
  test_rng_init(&rng, test_seed(1992));
  for (const BaseCase *c = cases; c < cases + BASE_CASES; c++)
    check_arm(c->name, &c->model, &rng);
}

static void test_random_arms(void **unused) {
  enum { ARMS = 40 };
  TestRng rng;
  (void)unused;
  test_rng_init(&rng, test_seed(51));
  for (size_t arm = 0; arm < ARMS; arm++) {
    ArmModel random, model; /* nominal: what is snapped would be missing (core/dynamics/base.h) */
    dyn_random_arm(&rng, 1 + test_rng_below(&rng, 7), &random);
    (void)arm_nominal(&random, &model, NULL);
    check_arm("random arm", &model, &rng);
  }
}

/* ---- motions that show too little ---- */

/* What is told is true, what is not has its reason, and both together are the torques that were
 * measured. */
static void check_honest(Rig *rig, const Alone *alone, const ArmDynamicsFit *fit, size_t *untold) {
  DynRows rows;
  for (size_t b = 0; b < fit->count; b++) {
    const ArmEstimate *e = &fit->base[b];
    assert_true(e->identifiable ? test_is_near(e->value, rig->beta[b], 1e-7, 1e-7)
                                : isnan(e->value) && e->reason != ARM_REASON_NONE);
    *untold += !e->identifiable;
  }
  rows_of(rig, alone, &rows);
  for (size_t j = 0; j < fit->n; j++)
    for (size_t s = 0; s < rows.samples; s++) {
      double torque = 0;
      for (size_t c = 0; c + 1 < rows.columns && alone->mover[s] <= j; c++)
        torque +=
            rows.rows[j][s + c * rows.samples] *
            (c < ARM_DYN_LOCAL ? fit->joint[j].local[c].used : fit->base[c - ARM_DYN_LOCAL].used);
      if (alone->mover[s] <= j)
        assert_true(test_is_near(torque, rows.current[s + j * rows.samples], 1e-7, 1e-6));
    }
  dyn_rows_clear(&rows);
}

static void test_too_little(void **unused) {
  enum { ARMS = 60 };
  TestRng rng;
  size_t untold = 0, all = 0;
  (void)unused;
  test_rng_init(&rng, test_seed(347));
  for (size_t k = 0; k < ARMS; k++) {
    const BaseCase *c = cases + k % BASE_CASES;
    const size_t n = c->model.n;
    const unsigned movers = 1 + (unsigned)test_rng_below(&rng, (1u << n) - 1);
    Rig rig;
    Alone alone;
    torque_rig(&c->model, &rng, &rig);
    move_each(&rng, n, movers, 1, &alone);
    ArmDynamicsFit *fit = solve_alone(&rig, &alone);
    check_honest(&rig, &alone, fit, &untold);
    all += fit->count;
    arm_dynamics_fit_free(fit);
    dyn_motion_clear(&alone.motion);
    torque_rig_clear(&rig);
  }
  assert_in_range(untold, all / 10, all - all / 10);
}

/* The last joint alone: three numbers of its link, nothing of the others. */
static void test_the_last_joint(void **unused) {
  const BaseCase *puma = find_case("PUMA560-GK");
  TestRng rng;
  Rig rig;
  Alone alone;
  size_t told = 0;
  (void)unused;
  test_rng_init(&rng, test_seed(58));
  torque_rig(&puma->model, &rng, &rig);
  move_each(&rng, 6, 1u << 5, 4, &alone);
  ArmDynamicsFit *fit = solve_alone(&rig, &alone);
  for (size_t b = 0; b < fit->count; b++) {
    const size_t link = rig.base->column[rig.base->kept[b]].joint;
    told += fit->base[b].identifiable;
    assert_int_equal(fit->base[b].reason, fit->base[b].identifiable ? ARM_REASON_NONE
                                          : link < 5                ? ARM_REASON_NO_ROWS
                                                                    : ARM_REASON_MOTION_TOO_SIMPLE);
  }
  assert_int_equal(told, 2); /* mX6, mY6; ZZ6 turns as the rotor does */
  assert_int_equal(fit->joint[5].local[ARM_DYN_ROTOR].reason, ARM_REASON_MOTION_TOO_SIMPLE);
  assert_int_equal(fit->joint[0].local[ARM_DYN_COULOMB_POS].reason, ARM_REASON_NO_ROWS);
  arm_dynamics_fit_free(fit);
  dyn_motion_clear(&alone.motion);
  torque_rig_clear(&rig);
}

static void test_currents_are_refused(void **unused) {
  TestRng rng;
  Rig rig;
  Alone alone;
  DynRows rows;
  ArmDynamicsFit *fit = NULL;
  (void)unused;
  test_rng_init(&rng, test_seed(2));
  torque_rig(&find_case("PUMA560-GK")->model, &rng, &rig);
  move_each(&rng, 6, 63, 1, &alone);
  rows_of(&rig, &alone, &rows);
  push_joint(&rig, &alone, &rows, 3);
  rig.joint[3].is_torque = false;
  assert_int_equal(arm_dynamics_identify(rig.information, rig.joint, &sequential, &fit),
                   ARM_E_ARGUMENT);
  assert_null(fit);
  rig.joint[3].is_torque = true;
  rig.joint[2].is_torque = false; /* it has no rows */
  fit = solve(&rig, &sequential);
  arm_dynamics_fit_free(fit);
  dyn_rows_clear(&rows);
  dyn_motion_clear(&alone.motion);
  torque_rig_clear(&rig);
}

/* ---- noise ---- */

/* No friction, no rotors: removed beforehand, as Lin has it. */
static void bare_rig(const ArmModel *model, TestRng *rng, Rig *rig) {
  torque_rig(model, rng, rig);
  for (size_t j = 0; j < model->n; j++) {
    memset(rig->joint[j].has, 0, sizeof rig->joint[j].has);
    memset(rig->drives.local[j], 0, sizeof rig->drives.local[j]);
  }
}

/* Lin's motion of one joint: q0 + D (1 - (1 + x) e^-x), x = sigma t, here for 2.5 s. */
static void move_as_lin(TestRng *rng, const ArmModel *model, Alone *alone, size_t i, size_t first,
                        size_t count) {
  DynMotion *m = &alone->motion;
  const double size = model->joints[i].type == ARM_JOINT_R ? 2 * M_PI / 3 : 0.5, sigma = 2.6;
  const double start = test_rng_uniform(rng, -M_PI, M_PI);
  for (size_t s = first; s < first + count; s++) {
    const double x = sigma * 2.5 * ((double)(s - first) + 0.5) / (double)count;
    const size_t at = s + i * m->samples;
    m->q[at] = start + size * (1 - (1 + x) * exp(-x));
    m->qd[at] = size * sigma * x * exp(-x);
    m->qdd[at] = size * sigma * sigma * (1 - x) * exp(-x);
    alone->mover[s] = i;
  }
}

/* Experiments for joint j: joint 1 moves in three configurations of q_j, 120 deg apart, and so does
 * j itself; ten samples each (theory notes, full dynamics, 2.4: 6 x 10 a joint). */
static void experiments_for(TestRng *rng, const ArmModel *model, size_t j, Alone *alone) {
  enum { CONFIGURATIONS = 3, SAMPLES = 10 };
  alone_init(model->n, 2 * CONFIGURATIONS * SAMPLES, alone);
  DynMotion *m = &alone->motion;
  const double about = test_rng_uniform(rng, -M_PI, M_PI);
  const double step = model->joints[j].type == ARM_JOINT_R ? 2 * M_PI / 3 : 0.3;
  for (size_t k = 0; k < 2 * CONFIGURATIONS; k++) {
    const size_t first = k * SAMPLES;
    for (size_t i = 0; i < m->n; i++) {
      const double pose =
          i == j ? about + step * (double)(k % CONFIGURATIONS) : test_rng_uniform(rng, -M_PI, M_PI);
      for (size_t s = first; s < first + SAMPLES; s++)
        m->q[s + i * m->samples] = pose;
    }
    move_as_lin(rng, model, alone, k < CONFIGURATIONS ? 0 : j, first, SAMPLES);
  }
}

/* Of the columns of joint j's own link, of unit length. */
static double condition(const Rig *rig, const DynRows *rows, size_t j) {
  const size_t m = rows->samples;
  double x[BASE_COLUMNS], *a = calloc(m * BASE_COLUMNS, sizeof *a);
  ArmSvdWork *work = arm_svd_work_new(m, BASE_COLUMNS);
  ArmSvdInfo info;
  size_t columns = 0;
  assert_true(a && work);
  for (size_t b = 0; b < rows->count; b++)
    if (rig->base->column[rig->base->kept[b]].joint == j)
      memcpy(a + m * columns++, rows->rows[j] + (ARM_DYN_LOCAL + b) * m, m * sizeof *a);
  assert_int_equal(arm_svd_solve(work, m, columns, a, a, 1e-10, x, NULL, NULL, &info), ARM_OK);
  arm_svd_work_free(work);
  free(a);
  return info.cond_equilibrated;
}

/* The best of twenty draws of poses, as the notes want it: bad ones are many. */
static void push_experiments(Rig *rig, TestRng *rng, double noise) {
  enum { DRAWS = 20 };
  double sigma[ARM_MAX_JOINTS];
  for (size_t j = 0; j < rig->model.n; j++)
    sigma[j] = noise;
  for (size_t j = 0; j < rig->model.n; j++) {
    Alone alone, best = {0};
    DynRows rows, of_best = {0};
    double least = INFINITY;
    for (int draw = 0; draw < DRAWS; draw++) {
      experiments_for(rng, &rig->model, j, &alone);
      rows_of(rig, &alone, &rows);
      const double cond = condition(rig, &rows, j);
      const bool is_better = cond < least;
      if (is_better || draw == 0) {
        Alone kept = best;
        DynRows kept_rows = of_best;
        best = alone;
        of_best = rows;
        alone = kept;
        rows = kept_rows;
        least = cond;
      }
      dyn_motion_clear(&alone.motion);
      dyn_rows_clear(&rows);
    }
    dyn_rows_disturb(&of_best, rng, sigma);
    push_joint(rig, &best, &of_best, j);
    dyn_motion_clear(&best.motion);
    dyn_rows_clear(&of_best);
  }
}

/* All joints at once, 400 samples of all torques. */
static void push_fourier(Rig *rig, TestRng *rng, double noise) {
  double sigma[ARM_MAX_JOINTS];
  DynMotion motion;
  DynRows rows;
  for (size_t j = 0; j < rig->model.n; j++)
    sigma[j] = noise;
  dyn_motion_fourier(rng, &rig->model, 400, 10, 5, &motion);
  dyn_rows_init(&rig->model, rig->base, &motion, &rows);
  dyn_rows_drive(&rows, rig->beta, &rig->drives);
  dyn_rows_disturb(&rows, rng, sigma);
  assert_true(dyn_rows_push(&rows, rig->information));
  dyn_rows_clear(&rows);
  dyn_motion_clear(&motion);
}

/* Rms of the torques' error in a motion of all joints that was not fitted. */
static double held_out(const Rig *rig, const ArmDynamicsFit *fit, TestRng *rng) {
  double sum = 0, difference[BASE_COLUMNS];
  const DynDrives none = {{1, 1, 1, 1, 1, 1, 1, 1}, {{0}}};
  DynMotion motion;
  DynRows rows;
  for (size_t b = 0; b < fit->count; b++)
    difference[b] = fit->base[b].used - rig->beta[b];
  dyn_motion_fourier(rng, &rig->model, 200, 10, 5, &motion);
  dyn_rows_init(&rig->model, rig->base, &motion, &rows);
  dyn_rows_drive(&rows, difference, &none);
  for (size_t k = 0; k < fit->n * 200; k++)
    sum += rows.current[k] * rows.current[k];
  dyn_rows_clear(&rows);
  dyn_motion_clear(&motion);
  return sqrt(sum / (double)(fit->n * 200));
}

enum { SEEDS = 31 };

typedef struct {
  double held_out[SEEDS]; /* rms */
  double median;
  double z2; /* mean of squared errors over their variances */
} Study;

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* options NULL: all at once */
static void study(const ArmModel *model, TestRng *rng, const ArmDynamicsOptions *options,
                  Study *out) {
  out->z2 = 0;
  for (size_t seed = 0; seed < SEEDS; seed++) {
    Rig rig;
    bare_rig(model, rng, &rig);
    if (options)
      push_experiments(&rig, rng, 0.5);
    else
      push_fourier(&rig, rng, 0.5);
    ArmDynamicsFit *fit = solve(&rig, options);
    out->held_out[seed] = held_out(&rig, fit, rng);
    for (size_t b = 0; b < fit->count; b++) {
      assert_true(fit->base[b].identifiable);
      const double z = (fit->base[b].value - rig.beta[b]) / fit->base[b].sd;
      out->z2 += z * z / (double)(fit->count * SEEDS);
    }
    arm_dynamics_fit_free(fit);
    torque_rig_clear(&rig);
  }
  qsort(out->held_out, SEEDS, sizeof(double), by_size);
  out->median = out->held_out[SEEDS / 2];
}

/* Theory notes, full dynamics, 2.4: Stanford arm, 0.5 N m of noise: 0.89 N m held out of 360 rows
 * joint by joint, 0.18 of 2400 at once, some 1.8 times per row. What their motions were they do not
 * say; of those here 1.1 to 1.4 and 0.08 to 0.09, in the median: one draw of poses
 * in thirty is bad still. */
static void test_worse_than_batch(void **unused) {
  const ArmModel *stanford = &find_case("Stanford")->model;
  TestRng rng;
  Study alone, at_once;
  (void)unused;
  test_rng_init(&rng, test_seed(89));
  study(stanford, &rng, &sequential, &alone);
  study(stanford, &rng, NULL, &at_once);
  const double ratio = alone.median / at_once.median, per_row = ratio / sqrt(2400.0 / 360);
  print_message("# held out: joint by joint %.3f N m, at once %.3f: %.2f times, %.2f per row; "
                "squared errors over their variances: %.3f, %.3f\n",
                alone.median, at_once.median, ratio, per_row, alone.z2, at_once.z2);
  assert_true(alone.median > 0.55 && alone.median < 1.8);
  assert_true(per_row > 1.8);
  assert_true(alone.z2 > 0.8 && alone.z2 < 1.25);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_arms),           cmocka_unit_test(test_random_arms),
      cmocka_unit_test(test_too_little),           cmocka_unit_test(test_the_last_joint),
      cmocka_unit_test(test_currents_are_refused), cmocka_unit_test(test_worse_than_batch),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
