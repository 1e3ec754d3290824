/* SPDX-License-Identifier: MIT */
/* What the data cannot support is said to be not identifiable, with the reason, and nothing that is
 * given with an error bar beside it is wrong; bad input is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"
#include "support/truth.h"

enum { HOLDS = 8, POSITIONS = 6 };

typedef struct {
  Truth truth;
  ArmModel model;
  TruthRecording rec;
  TestRng rng;
} Bench;

/* perpendicular axes with offsets, gravity along the base z; the first axis is horizontal */
static void bench_init(Bench *bench, const char *types) {
  static const double half_pi = 1.5707963267948966;
  TruthOptions options;
  truth_options_default(&options);
  options.n_min = options.n_max = strlen(types);
  test_rng_init(&bench->rng, 7);
  truth_random(&bench->rng, &options, &bench->truth);
  Truth *truth = &bench->truth;
  memcpy(truth->gravity, (double[3]){0, 0, -9.81}, sizeof truth->gravity);
  for (size_t i = 0; i < truth->n; i++) {
    truth->slides[i] = types[i] == 'T';
    truth->beta[i] = i & 1 ? -half_pi : half_pi;
    truth->theta[i] = 0.2;
    truth->b[i] = 0.3;
    truth->d[i] = 0.25;
  }
  truth_model(truth, &bench->model);
  assert_true(truth_recording_sweeps(&bench->rec, truth, &bench->rng, HOLDS, POSITIONS, false));
}

static void bench_clear(Bench *bench) {
  truth_recording_clear(&bench->rec);
}

/* every row's current anew from its (perhaps changed) pose, with white noise */
static void bench_measure(Bench *bench, double noise_sd) {
  TruthRecording *rec = &bench->rec;
  for (size_t row = 0; row < rec->room; row++) {
    double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS] = {0};
    const size_t joint = rec->joint[row] > 0 ? (size_t)rec->joint[row] - 1 : 0;
    for (size_t j = 0; j < bench->truth.n; j++)
      q[j] = rec->q[row + j * rec->room];
    qd[joint] = rec->qd[row + joint * rec->room];
    rec->current[row + joint * rec->room] =
        truth_current(&bench->truth, q, qd, NULL, joint) + noise_sd * test_rng_normal(&bench->rng);
  }
}

static void hold_pose(Bench *bench, size_t moving, const double *hold) {
  TruthRecording *rec = &bench->rec;
  for (size_t row = 0; row < rec->room; row++)
    for (size_t j = 0; j < bench->truth.n; j++)
      if ((size_t)rec->joint[row] == moving + 1 && j != moving)
        rec->q[row + j * rec->room] = hold[j];
}

static void forget(TruthRecording *rec, size_t row) {
  rec->joint[row] = 0;
}

static double true_value(const Bench *bench, ArmParamId id) {
  double k[3 * ARM_MAX_JOINTS], mhat[ARM_MAX_JOINTS];
  const Truth *truth = &bench->truth;
  arm_gravity_constants(&bench->model, k, mhat);
  if (id.kind == ARM_PARAM_RATIO)
    return truth->eta[id.i] / truth->eta[id.j];
  if (id.kind == ARM_PARAM_MHAT)
    return truth->eta[id.i] * mhat[id.i];
  if (id.kind <= ARM_PARAM_KY)
    return truth->eta[id.i] * k[3 * id.i + (size_t)id.kind];
  return truth->friction[id.i][id.kind - ARM_PARAM_COULOMB_POS];
}

/* nothing that is given may be wrong by more than 6 of its sds */
static void check_honest(const Bench *bench, ArmGravityParameters *p) {
  for (size_t k = 0; k < p->n_ids; k++) {
    const ArmEstimate *e = arm_gravity_parameters_at(p, p->ids[k]);
    const double want = true_value(bench, p->ids[k]);
    if (e->identifiable && !(fabs(e->value - want) <= 6 * e->sd + 1e-9 * fabs(want))) {
      print_error("%s of joint %d: %g +- %g, truth %g\n", arm_param_key(p->ids[k].kind),
                  p->ids[k].i + 1, e->value, e->sd, want);
      fail();
    }
    assert_true(e->identifiable || (isnan(e->value) && isnan(e->sd) && isfinite(e->used)));
  }
}

static void bench_fit(const Bench *bench, ArmGravityFit *fit) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  assert_int_equal(arm_gravity_fit(&bench->model, &bench->rec.data, &options, fit), ARM_OK);
  assert_true(fit->is_converged);
  check_honest(bench, &fit->recursive);
  check_honest(bench, &fit->refined);
}

static void assert_reason(const ArmEstimate *e, ArmReason reason) {
  if (e->identifiable || e->reason != reason) {
    print_error("expected %s, got %s\n", arm_reason_key(reason),
                e->identifiable ? "a value" : arm_reason_key(e->reason));
    fail();
  }
}

/* largest error and largest error over sd of the refinement's predictions of one joint */
static void prediction_error(const Bench *bench, const ArmGravityFit *fit, size_t joint,
                             double *error, double *z) {
  const ArmPredictOptions options = {0};
  TestRng rng;
  test_rng_init(&rng, 99);
  *error = *z = 0;
  for (int k = 0; k < 60; k++) {
    double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS] = {0}, got[TRUTH_MAX_JOINTS],
                                sd[TRUTH_MAX_JOINTS];
    truth_pose(&bench->truth, &rng, q);
    qd[joint] = test_rng_uniform(&rng, -1, 1);
    assert_int_equal(arm_predict(&bench->model, &fit->refined, q, qd, NULL, &options, got, sd),
                     ARM_OK);
    const double e = fabs(got[joint] - truth_current(&bench->truth, q, qd, NULL, joint));
    *error = fmax(*error, e);
    *z = isnan(sd[joint]) || isnan(*z) ? NAN : fmax(*z, e / sd[joint]);
  }
}

static void test_one_direction_only(void **state) {
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, "RRR");
  bench_measure(&bench, 0.01);
  for (size_t row = 0; row < bench.rec.room; row++)
    if (bench.rec.joint[row] == 2 && bench.rec.qd[row + bench.rec.room] < 0)
      forget(&bench.rec, row);
  bench_fit(&bench, &fit);
  for (size_t f = 0; f < 4; f++)
    assert_int_equal(fit.refined.joint[1].friction[f].identifiable, f < 2);
  assert_reason(&fit.refined.joint[1].friction[2], ARM_REASON_ONE_DIRECTION);
  assert_reason(&fit.recursive.joint[1].friction[3], ARM_REASON_ONE_DIRECTION);
  assert_true(fit.refined.joint[1].w[0].identifiable && fit.refined.ratio[0][1].identifiable);
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

static void test_one_speed_only(void **state) {
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, "RRR");
  bench_measure(&bench, 0.01);
  for (size_t row = 0; row < bench.rec.room; row++)
    if (bench.rec.joint[row] == 2 && bench.rec.qd[row + bench.rec.room] > 0.5)
      forget(&bench.rec, row);
  bench_fit(&bench, &fit);
  assert_reason(&fit.refined.joint[1].friction[0], ARM_REASON_ONE_SPEED);
  assert_reason(&fit.refined.joint[1].friction[1], ARM_REASON_ONE_SPEED);
  assert_true(fit.refined.joint[1].friction[2].identifiable);
  assert_true(fit.refined.joint[1].w[0].identifiable);
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

static void test_single_hold(void **state) {
  static const double hold[3] = {0, 0.2, -0.5};
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    Bench bench;
    ArmGravityFit fit;
    bench_init(&bench, "RRR");
    hold_pose(&bench, 0, hold);
    bench_measure(&bench, noisy ? 0.01 : 0);
    bench_fit(&bench, &fit);
    assert_int_equal(fit.refined.joint[0].rank, 6);
    assert_reason(&fit.refined.joint[0].w[0], ARM_REASON_HOLDS_TOO_SIMILAR);
    assert_reason(&fit.refined.joint[0].w[1], ARM_REASON_HOLDS_TOO_SIMILAR);
    assert_reason(&fit.refined.ratio[0][1], ARM_REASON_HOLDS_TOO_SIMILAR);
    assert_true(fit.refined.joint[0].friction[0].identifiable);
    assert_true(fit.refined.joint[1].w[0].identifiable && fit.refined.ratio[1][2].identifiable);
    arm_gravity_fit_clear(&fit);
    bench_clear(&bench);
  }
}

/* One hold per joint on a chain of four: joint 2's ratio to joint 4 is a product of two ratios that
 * nothing determines. Its first-order sd is 0 where both are 0; what is given must be right all the
 * same. */
static void test_products_of_unknown_ratios(void **state) {
  (void)state;
  Bench bench;
  ArmGravityFit fit;
  bench_init(&bench, "RRRR");
  const double hold[4] = {0.0, 0.3, 0.1, -0.2};
  for (size_t i = 0; i < 4; i++)
    hold_pose(&bench, i, hold);
  bench_measure(&bench, 1e-3);
  bench_fit(&bench, &fit);
  check_honest(&bench, &fit.refined);
  check_honest(&bench, &fit.recursive);
  assert_false(fit.refined.joint[0].w[0].identifiable && fit.refined.joint[0].w[1].identifiable);
  assert_false(fit.refined.joint[1].w[0].identifiable && fit.refined.joint[1].w[1].identifiable);
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

/* A current that never changes, forth and back, is no motor's, though it can be fitted. */
static void check_stuck(double current, ArmReason why) {
  Bench bench;
  ArmGravityFit fit;
  bench_init(&bench, "RRR");
  for (size_t row = 0; row < bench.rec.room; row++)
    if (bench.rec.joint[row] == 3)
      bench.rec.current[row + 2 * bench.rec.room] = current;
  bench_fit(&bench, &fit);
  for (size_t k = 0; k < 6; k++)
    assert_reason(k < 2 ? &fit.refined.joint[2].w[k] : &fit.refined.joint[2].friction[k - 2], why);
  assert_true(fit.refined.joint[1].friction[0].identifiable);
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

static void test_a_stuck_current(void **state) {
  (void)state;
  check_stuck(0.0, ARM_REASON_CURRENT_ZERO);
  check_stuck(0.5, ARM_REASON_CURRENT_CONSTANT);
}

static void test_a_joint_without_rows(void **state) {
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, "RRR");
  bench_measure(&bench, 0.01);
  for (size_t row = 0; row < bench.rec.room; row++)
    if (bench.rec.joint[row] == 1)
      forget(&bench.rec, row);
  bench_fit(&bench, &fit);
  const ArmJointFit *joint = &fit.refined.joint[0];
  assert_int_equal(joint->rows_used, 0);
  assert_reason(&joint->w[0], ARM_REASON_NO_ROWS);
  assert_reason(&joint->friction[0], ARM_REASON_NO_ROWS);
  assert_true(isnan(joint->residual_sd));
  assert_true(fit.refined.joint[1].w[0].identifiable && fit.refined.ratio[1][2].identifiable);
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

/* Joint 3 of 4 is left out: its load is found from the rows of joint 2, as long as these turn it.
 */
static void check_an_inner_joint_without_rows(bool is_turned) {
  Bench bench;
  ArmGravityFit fit;
  bench_init(&bench, "RRRR");
  for (size_t row = 0; row < bench.rec.room; row++) {
    if (bench.rec.joint[row] == 3)
      forget(&bench.rec, row);
    if (!is_turned)
      bench.rec.q[row + 2 * bench.rec.room] = 0.4;
  }
  bench_measure(&bench, 0.01);
  bench_fit(&bench, &fit);
  ArmGravityParameters *p = &fit.refined;
  assert_reason(&p->joint[2].w[0], ARM_REASON_NO_ROWS);
  assert_reason(&p->joint[2].friction[0], ARM_REASON_NO_ROWS);
  assert_reason(&p->ratio[1][2], ARM_REASON_NEVER_SWEPT);
  assert_reason(&p->ratio[2][3], ARM_REASON_NEVER_SWEPT);
  assert_reason(&p->ratio[0][2], ARM_REASON_NEVER_SWEPT);
  assert_true(p->joint[1].friction[0].identifiable && p->joint[3].w[0].identifiable);
  if (is_turned) {
    const double product = bench.truth.eta[1] / bench.truth.eta[2] *
                           true_value(&bench, (ArmParamId){ARM_PARAM_KX, 2, 0});
    assert_true(p->joint[1].w[0].identifiable && p->ratio[0][1].identifiable);
    assert_true(p->ratio[1][3].identifiable);
    assert_true(test_is_near(p->joint[2].w[0].used, product, 0.02, 0));
    assert_int_equal(p->joint[1].rank, p->joint[1].columns);
  } else {
    assert_true(p->joint[1].w[0].reason == ARM_REASON_NEVER_SWEPT ||
                p->joint[1].w[1].reason == ARM_REASON_NEVER_SWEPT);
  }
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

static void test_an_inner_joint_without_rows(void **state) {
  (void)state;
  check_an_inner_joint_without_rows(true);
  check_an_inner_joint_without_rows(false);
}

/* keeps `count` rows of a joint, spread over its holds and speeds */
static void keep_few(TruthRecording *rec, size_t joint, size_t count) {
  size_t seen = 0, kept = 0;
  for (size_t row = 0; row < rec->room; row++) {
    if ((size_t)rec->joint[row] != joint + 1)
      continue;
    if (seen++ % 31 == 0 && kept < count)
      kept++;
    else
      forget(rec, row);
  }
  assert_int_equal(kept, count);
}

static void test_fewer_rows_than_unknowns(void **state) {
  (void)state;
  for (size_t joint = 0; joint < 3; joint++) {
    Bench bench;
    ArmGravityFit fit;
    bench_init(&bench, "RRR");
    bench_measure(&bench, 0.01);
    keep_few(&bench.rec, joint, 5);
    bench_fit(&bench, &fit);
    const ArmJointFit *few = &fit.refined.joint[joint];
    assert_true(few->rank <= 5 && isnan(few->residual_sd));
    assert_reason(&few->w[0], ARM_REASON_TOO_FEW_ROWS);
    assert_reason(&fit.recursive.joint[joint].w[0], ARM_REASON_TOO_FEW_ROWS);
    assert_false(joint > 0 && fit.refined.ratio[joint - 1][joint].identifiable);
    for (size_t i = joint + 1; i < 3; i++)
      assert_true(fit.refined.joint[i].w[0].identifiable);
    arm_gravity_fit_clear(&fit);
    bench_clear(&bench);
  }
}

/* few rows must not buy weight from the parameters outboard (the likelihood has no maximum) */
static void test_few_rows_do_not_outweigh_many(void **state) {
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, "RRR");
  bench_measure(&bench, 0.01);
  keep_few(&bench.rec, 0, 7);
  forget(&bench.rec, 0);
  bench_fit(&bench, &fit);
  for (size_t i = 1; i < 3; i++)
    assert_true(fit.refined.joint[i].w[0].identifiable);
  assert_true(fit.refined.joint[0].residual_sd > 1e-6 || isnan(fit.refined.joint[0].residual_sd));
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

/* One g_z: mhat* and Coulomb friction cannot be told apart, nor a ratio to the T joint; what the R
 * joint inboard needs is their product, so it still predicts. */
static void test_sliding_joint_at_one_inclination(void **state) {
  static const double inclination[] = {0.3, 1.3707963267948966}; /* the second: g_z = 0 */
  (void)state;
  for (size_t k = 0; k < 2; k++) {
    for (int noisy = 0; noisy < 2; noisy++) {
      Bench bench;
      ArmGravityFit fit;
      double error, z;
      const double hold[3] = {inclination[k], 0, 0.4};
      bench_init(&bench, "RTR");
      hold_pose(&bench, 1, hold);
      bench_measure(&bench, noisy ? 0.01 : 0);
      bench_fit(&bench, &fit);
      const ArmGravityParameters *sets[2] = {&fit.recursive, &fit.refined};
      for (size_t s = 0; s < 2; s++) {
        assert_false(sets[s]->joint[1].w[0].identifiable);
        assert_reason(&sets[s]->ratio[0][1], ARM_REASON_DEPENDS_ON_OTHER);
        assert_reason(&sets[s]->ratio[1][2], ARM_REASON_DEPENDS_ON_OTHER);
        assert_true(sets[s]->ratio[0][2].identifiable);
        assert_true(sets[s]->joint[1].friction[1].identifiable);
      }
      prediction_error(&bench, &fit, 0, &error, &z);
      assert_true(noisy ? z < 6 : error < 1e-11);
      prediction_error(&bench, &fit, 1, &error, &z);
      assert_true(isnan(z)); /* its own load at another inclination is unknown, and says so */
      arm_gravity_fit_clear(&fit);
      bench_clear(&bench);
    }
  }
}

/* an axis that stays vertical but for jitter is not a measurement of its load */
static void test_vertical_axis_with_jitter(void **state) {
  Bench bench;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, "RR");
  for (size_t row = 0; row < bench.rec.room; row++)
    if (bench.rec.joint[row] == 2) /* z_2 vertical */
      bench.rec.q[row] = -0.2 + 1e-6 * test_rng_normal(&bench.rng);
  bench_measure(&bench, 0.01);
  bench_fit(&bench, &fit);
  for (size_t a = 0; a < 2; a++) {
    assert_reason(&fit.refined.joint[1].w[a], ARM_REASON_LOAD_UNSEEN);
    assert_true(fit.refined.joint[1].w[a].used == 0);
  }
  arm_gravity_fit_clear(&fit);
  bench_clear(&bench);
}

static ArmStatus fit_status(const Bench *bench) {
  ArmFitOptions options;
  ArmGravityFit fit;
  arm_fit_options_default(&options);
  const ArmStatus status = arm_gravity_fit(&bench->model, &bench->rec.data, &options, &fit);
  if (status == ARM_OK)
    arm_gravity_fit_clear(&fit);
  return status;
}

static void test_bad_input_is_refused(void **state) {
  Bench bench;
  ArmModel other;
  (void)state;
  bench_init(&bench, "RTR");
  const size_t room = bench.rec.room;
  double *places[] = {&bench.rec.q[0], &bench.rec.qd[0], &bench.rec.current[0]};
  for (size_t k = 0; k < 3; k++) {
    const double good = *places[k];
    for (int sign = -1; sign <= 1; sign += 2) {
      *places[k] = sign * INFINITY;
      assert_int_equal(fit_status(&bench), ARM_E_NOT_FINITE);
    }
    *places[k] = NAN; /* a gap: the row is left out */
    assert_int_equal(fit_status(&bench), ARM_OK);
    *places[k] = good;
  }
  assert_int_equal(arm_model_init(&other, 2), ARM_OK);
  ArmModel mine = bench.model;
  bench.model = other;
  assert_int_equal(fit_status(&bench), ARM_E_ARGUMENT);
  bench.model = mine;
  for (size_t row = 0; row < room; row++)
    forget(&bench.rec, row);
  assert_int_equal(fit_status(&bench), ARM_E_NO_DATA);
  bench.rec.data.rows = 0;
  assert_int_equal(fit_status(&bench), ARM_E_NO_DATA);
  bench_clear(&bench);
}

static bool cancel(double done, void *user) {
  int *calls = user;
  assert_true(done >= 0 && done <= 1);
  return --*calls > 0;
}

static void test_cancelled_fit_returns_nothing(void **state) {
  Bench bench;
  ArmFitOptions options;
  ArmGravityFit fit;
  (void)state;
  bench_init(&bench, "RTR");
  arm_fit_options_default(&options);
  options.progress = cancel;
  for (int first = 1; first <= 4; first++) {
    int calls = first;
    options.user = &calls;
    assert_int_equal(arm_gravity_fit(&bench.model, &bench.rec.data, &options, &fit), ARM_E_NO_DATA);
  }
  bench_clear(&bench);
}

/* The command line, the workbench and the report show the same sentences. */
static void test_texts_name_no_command(void **state) {
  (void)state;
  for (int reason = ARM_REASON_NONE + 1; reason < ARM_REASONS; reason++) {
    const char *text = arm_reason_text((ArmReason)reason);
    assert_true(*text);
    assert_null(strchr(text, '`'));
    assert_null(strstr(text, "--"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_direction_only),
      cmocka_unit_test(test_one_speed_only),
      cmocka_unit_test(test_single_hold),
      cmocka_unit_test(test_products_of_unknown_ratios),
      cmocka_unit_test(test_a_stuck_current),
      cmocka_unit_test(test_a_joint_without_rows),
      cmocka_unit_test(test_an_inner_joint_without_rows),
      cmocka_unit_test(test_fewer_rows_than_unknowns),
      cmocka_unit_test(test_few_rows_do_not_outweigh_many),
      cmocka_unit_test(test_sliding_joint_at_one_inclination),
      cmocka_unit_test(test_vertical_axis_with_jitter),
      cmocka_unit_test(test_texts_name_no_command),
      cmocka_unit_test(test_bad_input_is_refused),
      cmocka_unit_test(test_cancelled_fit_returns_nothing),
  };
  return cmocka_run_group_tests_name("ident_reasons", tests, NULL, NULL);
}
