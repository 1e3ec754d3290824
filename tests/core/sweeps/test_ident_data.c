/* SPDX-License-Identifier: MIT */
/* Identification from recordings as they come: noisy, correlated, in any order and unit, with and
 * without motor data, and with a gear-coupled wrist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"
#include "support/golden.h"
#include "support/honest.h"

enum { N = 6, COLUMNS = 20 };
static const double degree = 3.14159265358979323846 / 180;

/* ---- the demonstration recording ---- */

static void parse_line(char *line, locale_t locale, double *fields) {
  for (size_t c = 0; c < COLUMNS; c++) {
    char *end = strpbrk(line, ",\n");
    fields[c] = *line == ',' || *line == '\n' ? NAN : strtod_l(line, NULL, locale);
    assert_true(end != NULL && (c + 1 == COLUMNS) == (*end == '\n'));
    line = end + 1;
  }
}

static void read_puma(TruthRecording *rec) {
  char line[1024];
  double field[COLUMNS], q[N];
  FILE *file = fopen(test_source_path("data/demo/puma560_table1.csv"), "r");
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  assert_true(file != NULL && locale != (locale_t)0);
  assert_true(truth_recording_init(rec, N, 5100, false));
  assert_non_null(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file)) {
    parse_line(line, locale, field);
    const size_t joint = (size_t)field[1] - 1;
    memcpy(q, field + 2, sizeof q);
    truth_recording_add(rec, field[0], joint, q, field[8 + joint], 0, field[14 + joint]);
  }
  assert_int_equal(rec->data.rows, 5100);
  freelocale(locale);
  fclose(file);
}

static void fit_recording(const ArmModel *model, const TruthRecording *rec, ArmGravityFit *fit) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  assert_int_equal(arm_gravity_fit(model, &rec->data, &options, fit), ARM_OK);
}

typedef struct {
  Golden *golden;
  TruthRecording rec;
  ArmGravityFit fit;
} Puma;

static int setup_puma(void **state) {
  Puma *puma = calloc(1, sizeof *puma);
  assert_non_null(puma);
  puma->golden = golden_load("puma560_table1_noisy");
  assert_non_null(puma->golden);
  read_puma(&puma->rec);
  fit_recording(&puma->golden->model, &puma->rec, &puma->fit);
  *state = puma;
  return 0;
}

static int teardown_puma(void **state) {
  Puma *puma = *state;
  arm_gravity_fit_clear(&puma->fit);
  truth_recording_clear(&puma->rec);
  golden_free(puma->golden);
  free(puma);
  return 0;
}

static void check_plain(const Golden *golden, const ArmGravityParameters *p, size_t i) {
  const size_t w = golden->expect[i].has_gravity ? 2 : 0;
  const size_t ratios = golden->n_plain[i] - 4 - w;
  for (size_t c = 0; c < golden->n_plain[i]; c++) {
    const double want = golden->plain[i][c], sd = golden->plain_sd[i][c];
    const ArmEstimate *got = c < w            ? &p->joint[i].w[c]
                             : c < w + ratios ? &p->ratio[i][i + 1]
                                              : &p->joint[i].friction[c - w - ratios];
    if (!(fabs(got->used - want) <= 0.01 * sd)) {
      print_error("joint %zu column %zu: %g, plain %g +- %g\n", i + 1, c, got->used, want, sd);
      fail();
    }
  }
}

static void set_motor(ArmJoint *joint, double gear, int sign, double torque_constant) {
  joint->n_motors = 1;
  joint->motors[0] = (ArmMotor){.gear_ratio = gear,
                                .motor_sign = sign,
                                .torque_constant_Nm_A = torque_constant,
                                .torque_constant_rel_sd = NAN,
                                .rotor_inertia_kg_m2 = NAN};
}

/* Without a ridge eta5/eta6 comes out as -25.7 +- 11. A prior with just that mean leaves every
 * plain figure where it is, though the core never solves without one. */
static void test_noisy_puma_against_the_plain_solve(void **state) {
  Puma *puma = *state;
  ArmModel model = puma->golden->model;
  ArmGravityFit fit;
  set_motor(&model.joints[4], 1, 1, 1);
  set_motor(&model.joints[5], 1, -1, -puma->golden->plain[4][2]);
  fit_recording(&model, &puma->rec, &fit);
  for (size_t i = 0; i < N; i++)
    check_plain(puma->golden, &fit.recursive, i);
  arm_gravity_fit_clear(&fit);
}

static void test_noisy_puma_without_motor_data(void **state) {
  const Puma *puma = *state;
  const ArmGravityParameters *p = &puma->fit.recursive;
  for (size_t i = 0; i < N; i++) {
    assert_int_equal(p->joint[i].rank, puma->golden->rank[i]);
    assert_true(test_is_near(p->joint[i].residual_sd, puma->golden->plain_residual_sd[i], 1e-3, 0));
    assert_true(
        test_is_near(p->joint[i].cond_equilibrated, puma->golden->cond_equilibrated[i], 2e-3, 0));
    assert_true(p->joint[i].cond_centred < 2.0);
  }
  assert_true(fabs(p->ratio[4][5].used - -0.2087) < 5e-4);
  for (size_t i = 0; i < 5; i++) {
    assert_false(p->ratio[i][5].identifiable);
    if (p->cluster[i] >= 0)
      assert_int_equal(p->ratio[i][5].reason, ARM_REASON_TOO_WEAK);
  }
}

static double true_value(const Golden *golden, ArmParamId id) {
  if (id.kind == ARM_PARAM_RATIO)
    return golden->true_eta[id.i] / golden->true_eta[id.j];
  return id.kind <= ARM_PARAM_MHAT ? golden->expect[id.i].w[id.kind]
                                   : golden->expect[id.i].friction[id.kind - ARM_PARAM_COULOMB_POS];
}

static void test_noisy_puma_within_five_sd(void **state) {
  Puma *puma = *state;
  ArmGravityParameters *sets[2] = {&puma->fit.recursive, &puma->fit.refined};
  assert_true(puma->fit.is_converged && puma->fit.relative_gradient <= 1e-8);
  for (size_t s = 0; s < 2; s++) {
    size_t given = 0;
    for (size_t k = 0; k < sets[s]->n_ids; k++) {
      const ArmEstimate *e = arm_gravity_parameters_at(sets[s], sets[s]->ids[k]);
      if (!e->identifiable)
        continue;
      assert_true(fabs(e->value - true_value(puma->golden, sets[s]->ids[k])) <= 5 * e->sd);
      assert_true(
          test_is_near(e->sd * e->sd, sets[s]->covariance[k * (sets[s]->n_ids + 1)], 1e-9, 0));
      given++;
    }
    assert_int_equal(given, 24 + 10 + 6);
  }
}

/* ---- the same data told in another way ---- */

static void assert_same(const ArmGravityFit *a, const ArmGravityFit *b, double viscous_scale) {
  const ArmGravityParameters *x = &a->refined, *y = &b->refined;
  for (size_t i = 0; i < x->n; i++) {
    for (size_t k = 0; k < 2 && isfinite(x->joint[i].w[k].sd); k++) {
      assert_true(fabs(x->joint[i].w[k].value - y->joint[i].w[k].value) <
                  1e-5 * x->joint[i].w[k].sd);
      assert_true(test_is_near(x->joint[i].w[k].sd, y->joint[i].w[k].sd, 1e-6, 0));
    }
    for (size_t f = 0; f < 4; f++) {
      const double scale = f & 1 ? viscous_scale : 1, sd = x->joint[i].friction[f].sd;
      assert_true(fabs(x->joint[i].friction[f].value - scale * y->joint[i].friction[f].value) <
                  1e-5 * sd);
      assert_true(test_is_near(sd, scale * y->joint[i].friction[f].sd, 1e-6, 0));
    }
    for (size_t j = i + 1; j < x->n; j++)
      assert_true(test_is_near(x->ratio[i][j].used, y->ratio[i][j].used, 1e-5, 1e-9));
  }
}

static void test_order_of_sweeps_does_not_matter(void **state) {
  const Puma *puma = *state;
  const TruthRecording *from = &puma->rec;
  TruthRecording rec;
  ArmGravityFit fit;
  assert_true(truth_recording_init(&rec, N, from->room, false));
  for (size_t end = from->room; end > 0;) { /* the last sweep first */
    size_t begin = end - 1;
    while (begin > 0 && from->t[begin] - from->t[begin - 1] < 0.5)
      begin--;
    for (size_t row = begin; row < end; row++) {
      double q[N];
      const size_t joint = (size_t)from->joint[row] - 1;
      for (size_t j = 0; j < N; j++)
        q[j] = from->q[row + j * from->room];
      truth_recording_add(&rec, from->t[row], joint, q, from->qd[row + joint * from->room], 0,
                          from->current[row + joint * from->room]);
    }
    end = begin;
  }
  fit_recording(&puma->golden->model, &rec, &fit);
  assert_same(&puma->fit, &fit, 1);
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&rec);
}

static void test_unit_of_speed_only_scales_viscous_friction(void **state) {
  Puma *puma = *state;
  ArmGravityFit fit;
  const size_t cells = N * puma->rec.room;
  for (size_t k = 0; k < cells; k++)
    puma->rec.qd[k] /= degree;
  fit_recording(&puma->golden->model, &puma->rec, &fit);
  for (size_t k = 0; k < cells; k++)
    puma->rec.qd[k] *= degree;
  assert_same(&puma->fit, &fit, 1 / degree);
  arm_gravity_fit_clear(&fit);
}

/* ---- prior knowledge ---- */

static void test_datasheet_ratio_is_the_prior(void **state) {
  Puma *puma = *state;
  ArmModel model = puma->golden->model;
  ArmGravityFit fit;
  set_motor(&model.joints[5], 76.686, -1, .066);
  fit_recording(&model, &puma->rec, &fit); /* one of two does not make a ratio */
  assert_true(
      test_is_near(fit.recursive.ratio[4][5].used, puma->fit.recursive.ratio[4][5].used, 1e-9, 0));
  arm_gravity_fit_clear(&fit);
  set_motor(&model.joints[4], 71.923, -1, .072);
  fit_recording(&model, &puma->rec, &fit);
  assert_true(fabs(fit.recursive.ratio[4][5].used - .977) < .4);
  assert_int_equal(fit.recursive.ratio[4][5].reason, ARM_REASON_TOO_WEAK);
  /* what the data do know does not move */
  assert_true(fabs(fit.refined.ratio[1][2].value - puma->fit.refined.ratio[1][2].value) <
              0.1 * puma->fit.refined.ratio[1][2].sd);
  arm_gravity_fit_clear(&fit);
  /* joint 6 measures torque: eta6 = 1 whatever its datasheet says */
  puma->rec.data.is_torque[5] = true;
  fit_recording(&model, &puma->rec, &fit);
  puma->rec.data.is_torque[5] = false;
  const double eta5 = -1 / (71.923 * .072);
  assert_true(fabs(fit.recursive.ratio[4][5].used - eta5) < 1.5 * fabs(eta5));
  arm_gravity_fit_clear(&fit);
}

/* ---- correlated noise ---- */

static void test_correlated_noise_widens_the_intervals(void **state) {
  static HonestResult result;
  (void)state;
  assert_true(honest_run(1, 25, 0.9, &result));
  assert_int_equal(result.failed, 0);
  const HonestSet *set = &result.refined;
  const double inside = (double)set->in_3sd / (double)set->seen;
  const HonestSet *samples = &result.recursive; /* strokes do not weigh it */
  const double white = (double)samples->in_3sd_white / (double)samples->seen;
  print_message("# 3 sd holds for %.1f %%, unwidened for %.1f %%\n", 100 * inside, 100 * white);
  assert_true(inside >= 0.98);
  assert_true(white < 0.7);
}

/* ---- gear-coupled wrist ---- */

/* the PUMA with nominal drives and a tool of 0.45 kg */
static void puma_with_tool(const Golden *golden, Truth *truth) {
  static const double gear[N] = {62.6111, 107.815, -53.7063, -76.0364, -71.923, -76.686};
  static const double torque_constant[N] = {.223, .226, .240, .069, .072, .066};
  static const double mass[N] = {13, 17.4, 4.8, .82, .34, .54};
  static const double com[N][3] = {{0}, {.068, .006, -.016},  {0, -.070, .014}, {0, 0, -.019},
                                   {0}, {.005, .00333, .1387}};
  truth_puma(golden, truth);
  for (size_t i = 0; i < N; i++) {
    truth->eta[i] = 1 / (gear[i] * torque_constant[i]);
    truth->mass[i] = mass[i];
    memcpy(truth->com[i], com[i], sizeof com[i]);
  }
  truth->has_coupling = true;
  truth->coupling[4][3] = .0139;
  truth->coupling[5][3] = .0130;
  truth->coupling[5][4] = .181;
}

/* largest error per joint over poses, gravity alone and with every joint moving [A] */
static void coupled_errors(const Truth *truth, const ArmModel *model, TestRng *rng, double *gravity,
                           double *moving) {
  TruthRecording rec;
  ArmGravityFit fit;
  const ArmPredictOptions options = {0};
  const double still[N] = {0};
  assert_true(truth_recording_sweeps(&rec, truth, rng, 6, 12, false));
  fit_recording(model, &rec, &fit);
  memset(gravity, 0, N * sizeof *gravity);
  memset(moving, 0, N * sizeof *moving);
  for (int k = 0; k < 300; k++) {
    double q[N], qd[N], current[N], sd[N];
    truth_pose(truth, rng, q);
    for (size_t i = 0; i < N; i++)
      qd[i] = test_rng_uniform(rng, -1, 1);
    assert_int_equal(arm_predict(model, &fit.refined, q, still, NULL, &options, current, sd),
                     ARM_OK);
    for (size_t i = 0; i < N; i++)
      gravity[i] = fmax(gravity[i], fabs(current[i] - truth_current(truth, q, still, NULL, i)));
    assert_int_equal(arm_predict(model, &fit.refined, q, qd, NULL, &options, current, sd), ARM_OK);
    for (size_t i = 0; i < N; i++)
      moving[i] = fmax(moving[i], fabs(current[i] - truth_current(truth, q, qd, NULL, i)));
  }
  arm_gravity_fit_clear(&fit);
  truth_recording_clear(&rec);
}

static void test_gear_coupled_wrist(void **state) {
  const Puma *puma = *state;
  double gravity[N], moving[N];
  Truth truth;
  ArmModel model;
  TestRng rng;
  test_rng_init(&rng, 54);
  puma_with_tool(puma->golden, &truth);
  truth_model(&truth, &model);
  coupled_errors(&truth, &model, &rng, gravity, moving);
  for (size_t i = 0; i < N; i++)
    assert_true(gravity[i] < 1e-12 && moving[i] < 1e-12);
  model.has_coupling = false; /* what it costs to ignore it */
  coupled_errors(&truth, &model, &rng, gravity, moving);
  print_message("# without the coupling: motor 4 %.2g mA, motor 5 %.2g mA, motor 6 moving %.2g A\n",
                1e3 * gravity[3], 1e3 * gravity[4], moving[5]);
  assert_in_range((int)(1e6 * gravity[3]), 500, 4000);
  assert_in_range((int)(1e6 * gravity[4]), 300, 3000);
  assert_true(gravity[5] < 1e-12 && moving[5] > 0.2 && moving[5] < 0.6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_noisy_puma_against_the_plain_solve),
      cmocka_unit_test(test_noisy_puma_without_motor_data),
      cmocka_unit_test(test_noisy_puma_within_five_sd),
      cmocka_unit_test(test_order_of_sweeps_does_not_matter),
      cmocka_unit_test(test_unit_of_speed_only_scales_viscous_friction),
      cmocka_unit_test(test_datasheet_ratio_is_the_prior),
      cmocka_unit_test(test_gear_coupled_wrist),
      cmocka_unit_test(test_correlated_noise_widens_the_intervals),
  };
  return cmocka_run_group_tests_name("ident_data", tests, setup_puma, teardown_puma);
}
