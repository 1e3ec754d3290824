/* SPDX-License-Identifier: MIT */
/* Steps of positions are found where there are some and nowhere else; what their errors make of
 * accelerations in rows; sds that grow by what estimates shift by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/dynamics/resolution.h"
#include "identify_rig.h"
#include "support/moving.h"

enum { SAMPLES = 2000 };

static const double twelve_bit = 2 * 3.14159265358979323846 / 4096;

/* ---- steps ---- */

static double smooth(size_t k) {
  const double t = 0.01 * (double)k;
  return 0.8 * sin(0.63 * t + 0.4) + 0.3 * sin(1.9 * t) + 0.1 * sin(3.1 * t + 1);
}

static double constant_speeds(size_t k) { /* forth at one, back at half of it, rests between */
  const size_t at = k % 800;
  return at < 200   ? 0.005 * (double)at
         : at < 300 ? 1
         : at < 700 ? 1 - 0.0025 * (double)(at - 300)
                    : 0;
}

/* With so many digits after the point. */
static double as_text(double q, int digits) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.*f", digits, q);
  return strtod(text, NULL);
}

/* Rounded to `step` [rad] if that is not 0, then as a file has it, in units of `unit`, with so
 * many digits after the point (0: all). */
static double step_of(double (*motion)(size_t), double step, double unit, int digits) {
  ArmResolution resolution = {0};
  for (size_t k = 0; k < SAMPLES; k++) {
    const double q = step > 0 ? step * round(motion(k) / step) : motion(k);
    arm_resolution_add(&resolution, digits ? unit * as_text(q / unit, digits) : q);
    if (k % 500 == 499)
      arm_resolution_add(&resolution, (double)NAN);
  }
  return arm_resolution_step(&resolution);
}

static void test_steps(void **unused) {
  const double degree = 3.14159265358979323846 / 180;
  (void)unused;
  assert_true(fabs(step_of(smooth, twelve_bit, 1, 0) / twelve_bit - 1) < 1e-9);
  assert_true(fabs(step_of(smooth, twelve_bit, 1, 9) / twelve_bit - 1) < 1e-6);
  assert_true(fabs(step_of(smooth, twelve_bit, 1, 4) / twelve_bit - 1) < 0.01);
  assert_true(fabs(step_of(smooth, twelve_bit, degree, 2) / twelve_bit - 1) < 0.01);
  assert_true(fabs(step_of(smooth, 1e-4, 1, 0) / 1e-4 - 1) < 1e-6);
  assert_true(fabs(step_of(smooth, 0, 1, 3) / 1e-3 - 1) < 1e-6);
}

static void test_no_steps(void **unused) {
  ArmResolution resolution = {0};
  (void)unused;
  assert_true(step_of(smooth, 0, 1, 0) == 0);
  assert_true(step_of(smooth, 0, 1, 9) < 1e-8);
  assert_true(step_of(constant_speeds, 0, 1, 6) < 1e-5);
  for (size_t k = 0; k < SAMPLES; k++)
    arm_resolution_add(&resolution, 0.7);
  assert_true(arm_resolution_step(&resolution) == 0);
}

/* ---- scatter ---- */

static double vibrating(size_t k) { /* at a fifth of the rate */
  return smooth(k) + 1e-3 * sin(1.2566 * (double)k);
}

/* With white errors of this sd; `spike` at one reading, a gap at every 700th. */
static double scatter_of(double (*motion)(size_t), double sd, double spike) {
  ArmScatter scatter = {0};
  TestRng rng;
  test_rng_init(&rng, test_seed(31));
  for (size_t k = 0; k < SAMPLES; k++) {
    const double q = motion(k) + sd * test_rng_normal(&rng) + (k == 900 ? spike : 0);
    arm_scatter_add(&scatter, k % 700 == 699 ? (double)NAN : q);
  }
  return arm_scatter_sd(&scatter);
}

static void test_scatter(void **unused) {
  (void)unused;
  assert_true(fabs(scatter_of(smooth, 7e-4, 0) / 7e-4 - 1) < 0.06);
  assert_true(fabs(scatter_of(smooth, 1e-6, 0) / 1e-6 - 1) < 0.06);
  assert_true(fabs(scatter_of(smooth, 7e-4, 0.05) / 7e-4 - 1) < 0.15); /* one that is far off */
  assert_true(scatter_of(smooth, 0, 0) < 1e-12);
  assert_true(scatter_of(vibrating, 1e-5, 0) == 0);
  assert_true(scatter_of(vibrating, 0, 0) == 0);
}

static void test_few_readings(void **unused) {
  ArmScatter scatter = {0};
  TestRng rng;
  (void)unused;
  test_rng_init(&rng, test_seed(32));
  for (size_t k = 0; k < 508; k++) {
    assert_true(arm_scatter_sd(&scatter) == 0);
    arm_scatter_add(&scatter, test_rng_normal(&rng));
  }
  assert_true(arm_scatter_sd(&scatter) > 0.85);
}

/* ---- errors ---- */

static void test_dither(void **unused) {
  ArmDither dither = {.state = 5}, again = {.state = 5};
  double sum = 0, error = 0;
  (void)unused;
  assert_true(isnan(arm_dither(&dither, 1e-3, (double)NAN)));
  assert_true(arm_dither(&dither, 0, 0.25) == 0.25);
  for (size_t k = 0; k < SAMPLES; k++) {
    const double q = 1e-3 * (double)(k / 2), before = error;
    error = arm_dither(&dither, 1e-3, q) - q;
    sum += error * error;
    assert_true(fabs(error) <= 0.5e-3 + 1e-12);
    assert_true(k % 2 == 0 || fabs(error - before) < 1e-12); /* held with the reading */
    assert_true(arm_dither(&again, 1e-3, q) - q == error);
  }
  assert_true(fabs(sum / SAMPLES / (1e-6 / 12) - 1) < 0.1);
}

static MovingRows *rows_of(const ArmModel *model, const ArmBase *base, const Moving *m,
                           const ArmDynStreamOptions *options) {
  MovingRows *rows = moving_rows_new(model->n, base->count, m->samples);
  ArmDynStream *stream = NULL;
  assert_int_equal(arm_dyn_stream_new(model, base, options, moving_rows_sink, rows, &stream),
                   ARM_OK);
  assert_int_equal(moving_stream(stream, m, 1000, NULL), ARM_OK);
  arm_dyn_stream_free(stream);
  return rows;
}

/* Of the same rows, two recordings; only of joint 1. */
static double rms_difference(const MovingRows *a, const MovingRows *b) {
  double sum = 0;
  size_t rows = 0, other = 0;
  for (size_t r = 0; r < a->rows[0]; r++) {
    while (other < b->rows[0] && b->t[0][other] < a->t[0][r] - 1e-6)
      other++;
    if (other == b->rows[0] || b->t[0][other] > a->t[0][r] + 1e-6)
      continue;
    const double d =
        a->row[0][r * a->width + ARM_DYN_ROTOR] - b->row[0][other * b->width + ARM_DYN_ROTOR];
    sum += d * d;
    rows++;
  }
  assert_true(rows > 300);
  return sqrt(sum / (double)rows);
}

static void test_acceleration(void **unused) {
  static const double rates[] = {0.01, 0.002};
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  ArmBase *base = make(model, 0, ARM_BASE_CLOSED_FORM);
  (void)unused;
  for (size_t k = 0; k < 2; k++) {
    TestRng rng;
    ArmDynStreamOptions options;
    arm_dyn_stream_options_default(&options);
    options.step_s = rates[k];
    test_rng_init(&rng, test_seed(9));
    Moving *m = moving_new(model, &rng, (size_t)(60 / rates[k]), rates[k], 0.1, 0.7);
    for (size_t i = 0; i < m->samples; i++) /* never turns: no row lacks samples */
      m->q[i] += 5 * m->t[i];
    MovingRows *exact = rows_of(model, base, m, &options);
    for (size_t s = 0; s < m->n * m->samples; s++)
      m->q[s] += test_rng_uniform(&rng, -twelve_bit / 2, twelve_bit / 2);
    MovingRows *off = rows_of(model, base, m, &options);
    const double found = rms_difference(exact, off);
    const double said = arm_resolution_acceleration_sd(&options, twelve_bit);
    print_message("# %g s: %.3g rad/s^2, said %.3g\n", rates[k], found, said);
    assert_true(said > 0.8 * found && said < 1.25 * found);
    options.has_qd = options.has_qdd = true;
    assert_true(arm_resolution_acceleration_sd(&options, twelve_bit) == 0);
    moving_rows_free(exact);
    moving_rows_free(off);
    moving_free(m);
  }
  arm_base_free(base);
}

/* ---- shifts ---- */

static ArmDynamicsFit *fit_of(uint64_t noise) {
  const double sigma[ARM_MAX_JOINTS] = {.05, .05, .04, .03, .03, .02};
  const ArmModel model = find_case("PUMA560-AKB")->model;
  Rig rig;
  TestRng rng;
  DynMotion motion;
  test_rng_init(&rng, test_seed(3));
  rig_init(&rig, &model, &rng, 8);
  dyn_rows_clear(&rig.rows);
  dyn_motion_fourier(&rng, &model, SAMPLES, 20, 5, &motion);
  dyn_rows_init(&model, rig.base, &motion, &rig.rows);
  for (size_t j = 0; j < model.n; j++) {
    rig.drives.local[j][ARM_DYN_ROTOR] *= rig.joint[j].has[ARM_DYN_ROTOR];
    rig.joint[j].eta = rig.drives.eta[j];
    rig.joint[j].rel_sd = 0.1;
  }
  dyn_rows_drive(&rig.rows, rig.beta, &rig.drives);
  dyn_motion_clear(&motion);
  test_rng_init(&rng, noise);
  dyn_rows_disturb(&rig.rows, &rng, sigma);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  rig_clear(&rig);
  assert_true(fit->has_converged);
  return fit;
}

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

static void test_shifts(void **unused) {
  ArmDynamicsFit *fit = fit_of(1), *before = fit_of(1), *lost = fit_of(4);
  ArmDynamicsFit *refits[] = {fit_of(2), lost, fit_of(3)};
  double most = 0, largest = 1;
  (void)unused;
  lost->has_converged = false;
  assert_int_equal(arm_dynamics_widen_shifts(fit, refits, 3, &most), ARM_OK);
  for (size_t b = 0; b < fit->count; b++) {
    const ArmEstimate *e = &fit->base[b], *was = &before->base[b];
    const double one = refits[0]->base[b].used - was->used;
    const double two = refits[2]->base[b].used - was->used;
    assert_true(is_near(e->sd * e->sd, was->sd * was->sd + (one * one + two * two) / 2));
    assert_true(e->value == was->value);
    largest = fmax(largest, e->sd / was->sd);
  }
  for (size_t j = 0; j < fit->n; j++) {
    const ArmDynamicsJointFit *of = &fit->joint[j], *was = &before->joint[j];
    const double one = refits[0]->joint[j].log_eta - was->log_eta;
    const double two = refits[2]->joint[j].log_eta - was->log_eta;
    assert_true(is_near(of->log_eta_sd * of->log_eta_sd,
                        was->log_eta_sd * was->log_eta_sd + (one * one + two * two) / 2));
    assert_true(of->statistics.widening == was->statistics.widening);
    assert_true(of->to_first.identifiable == was->to_first.identifiable);
    assert_true(!of->to_first.identifiable || of->to_first.sd >= was->to_first.sd);
  }
  assert_true(most >= largest && most < 20);
  for (size_t k = 0; k < 3; k++)
    arm_dynamics_fit_free(refits[k]);
  arm_dynamics_fit_free(before);
  arm_dynamics_fit_free(fit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),   cmocka_unit_test(test_no_steps),
      cmocka_unit_test(test_scatter), cmocka_unit_test(test_few_readings),
      cmocka_unit_test(test_dither),  cmocka_unit_test(test_acceleration),
      cmocka_unit_test(test_shifts),
  };
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
