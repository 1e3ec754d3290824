/* SPDX-License-Identifier: MIT */
/* Rows of encoder data: positions of 1e-4 rad at 1 kHz and currents with 0.1 A of noise. Linear
 * least squares with known torque constants finds the base parameters when current and columns have
 * seen the same filter, and does not when the columns have not (full dynamics notes, 5.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base_checks.h"
#include "core/dynamics/stream.h"
#include "core/num/fir.h"
#include "core/num/lsq.h"
#include "core/num/smooth.h"
#include "support/moving.h"

enum { N = 6, SAMPLES = 20000, COUNT = 36, UNKNOWNS = COUNT + ARM_DYN_LOCAL * N };

static const double step_s = 0.001, cutoff_Hz = 5;

/* ../shared/vectors/dyn/currents_puma.json: i = eta (tau + IA qdd + FV qd + FC sign qd + FO),
 * with a tool of 2 kg on link 6 */
static const double eta[N] = {0.0716216, 0.0410405, 0.0775825, 0.185234, 0.180568, 0.19463};
static const double rotor[N] = {1.14076, 4.75425, 0.862426, 0.202354, 0.181052, 0.205826};
static const double viscous[N] = {5.80182, 9.49687, 3.98043, 0.411645, 0.427283, 0.215823};
static const double coulomb[N] = {25.9836, 10.6198, 6.3642, 1.06831, 0.854445, 0.55444};
static const double offset[N] = {-1.25222, 2.96491, 0.725035, -0.216704, -0.188438, -0.250763};
static const ArmLink tool = {.is_present = true,
                             .mass_kg = 2,
                             .com_m = {0.05, 0.02, 0.12},
                             .inertia_com_kg_m2 = {0.004, 0.004, 0.003, 0, 0, 0}};

typedef struct {
  const ArmModel *model;
  ArmBase *base;
  double pi[10 * N];
  MovingDrive drives[N];
} Arm;

static void arm_make(Arm *arm) {
  double of_tool[10];
  arm->model = &find_case("PUMA560-AKB")->model;
  arm->base = make(arm->model, 0, ARM_BASE_CLOSED_FORM);
  assert_int_equal(arm->base->count, COUNT);
  (void)arm_inertia_nominal(arm->model, arm->pi);
  arm_inertia_from_link(&tool, of_tool);
  for (size_t k = 0; k < 10; k++)
    arm->pi[10 * (N - 1) + k] += of_tool[k];
  for (size_t j = 0; j < N; j++)
    arm->drives[j] = (MovingDrive){.eta = eta[j],
                                   .phi = {eta[j] * (offset[j] + coulomb[j]), eta[j] * viscous[j],
                                           eta[j] * (offset[j] - coulomb[j]), eta[j] * viscous[j],
                                           eta[j] * rotor[j]}};
}

static Moving *record(const Arm *arm, TestRng *rng, double noise_A, double resolution) {
  Moving *m = moving_new(arm->model, rng, SAMPLES, step_s, 0.1, 0.7);
  moving_drive(m, arm->model, arm->pi, arm->drives);
  for (size_t k = 0; k < (size_t)N * SAMPLES; k++) {
    m->effort[k] += noise_A * test_rng_normal(rng);
    if (resolution > 0)
      m->q[k] = resolution * round(m->q[k] / resolution);
  }
  return m;
}

static MovingRows *rows_of(const Arm *arm, const Moving *m, double cutoff, bool has_rates) {
  MovingRows *rows = moving_rows_new(N, COUNT, SAMPLES);
  ArmDynStreamOptions options;
  ArmDynStream *stream = NULL;
  arm_dyn_stream_options_default(&options);
  options.step_s = step_s;
  options.cutoff_Hz = cutoff;
  options.has_qd = options.has_qdd = has_rates;
  assert_int_equal(
      arm_dyn_stream_new(arm->model, arm->base, &options, moving_rows_sink, rows, &stream), ARM_OK);
  assert_int_equal(moving_stream(stream, m, 1000, NULL), ARM_OK);
  arm_dyn_stream_free(stream);
  return rows;
}

/* The row of one equation for all joints: beta, then phi of each joint, then the current. The
 * rotors of joints 1 and 2 are parts of ZZ1 and ZZ2. */
static void widen(const Arm *arm, size_t j, const double *row, double *wide) {
  memset(wide, 0, (UNKNOWNS + 1) * sizeof *wide);
  for (size_t b = 0; b < COUNT; b++)
    wide[b] = arm->drives[j].eta * row[ARM_DYN_LOCAL + b];
  for (size_t c = 0; c < (j < 2 ? ARM_DYN_ROTOR : ARM_DYN_LOCAL); c++)
    wide[COUNT + ARM_DYN_LOCAL * j + c] = row[c];
  wide[UNKNOWNS] = row[ARM_DYN_LOCAL + COUNT];
}

static void fit(const Arm *arm, const MovingRows *rows, double *x) {
  static double triangle[(UNKNOWNS + 1) * (UNKNOWNS + 1)], a[UNKNOWNS * UNKNOWNS];
  double wide[UNKNOWNS + 1];
  ArmLsq *lsq = arm_lsq_new(UNKNOWNS + 1);
  ArmSvdWork *work = arm_svd_work_new(UNKNOWNS, UNKNOWNS);
  assert_non_null(lsq);
  assert_non_null(work);
  for (size_t j = 0; j < N; j++)
    for (size_t r = 0; r < rows->rows[j]; r++) {
      widen(arm, j, rows->row[j] + r * rows->width, wide);
      assert_int_equal(arm_lsq_push(lsq, wide), ARM_OK);
    }
  arm_lsq_triangle(lsq, triangle);
  for (size_t c = 0; c < UNKNOWNS; c++)
    memcpy(a + c * UNKNOWNS, triangle + c * (UNKNOWNS + 1), UNKNOWNS * sizeof *a);
  assert_int_equal(arm_svd_solve(work, UNKNOWNS, UNKNOWNS, a, triangle + UNKNOWNS * (UNKNOWNS + 1),
                                 1e-10, x, NULL, NULL, NULL),
                   ARM_OK);
  arm_lsq_free(lsq);
  arm_svd_work_free(work);
}

/* rms over joints and samples of what x says of another motion without noise [A]. */
static double held_out(const Arm *arm, const double *x) {
  TestRng rng;
  double sum = 0, wide[UNKNOWNS + 1];
  size_t count = 0;
  test_rng_init(&rng, 77);
  Moving *m = record(arm, &rng, 0, 0);
  MovingRows *rows = rows_of(arm, m, 0, true);
  for (size_t j = 0; j < N; j++)
    for (size_t r = 0; r < rows->rows[j]; r += 10) {
      widen(arm, j, rows->row[j] + r * rows->width, wide);
      double error = -wide[UNKNOWNS];
      for (size_t c = 0; c < UNKNOWNS; c++)
        error += wide[c] * x[c];
      sum += error * error;
      count++;
    }
  moving_rows_free(rows);
  moving_free(m);
  return sqrt(sum / (double)count);
}

static double state[3][N * SAMPLES], current[SAMPLES];

/* Filtered currents of joint j at every sample. */
static void filter_current(const Moving *m, size_t j) {
  ArmFir *fir = NULL;
  size_t out = 0;
  assert_int_equal(arm_fir_new(cutoff_Hz * step_s, 1, 1, &fir), ARM_OK);
  for (size_t at = 0; at < SAMPLES; at += 200) {
    const double *column = m->effort + j * SAMPLES + at;
    assert_int_equal(arm_fir_push(fir, 200, &column, NULL), ARM_OK);
    while (arm_fir_take(fir, current + out, NULL, NULL))
      out++;
  }
  arm_fir_free(fir);
}

/* The same recording with q, qd, qdd by the smoother and filtered currents: columns made of these
 * have seen no filter of their own. */
static Moving *smoothed(const Arm *arm, const Moving *m) {
  ArmSmooth *smooth = NULL;
  TestRng unused;
  size_t out = 0;
  assert_int_equal(arm_smooth_new(cutoff_Hz * step_s, step_s, N, &smooth), ARM_OK);
  const size_t skip = arm_smooth_skip(smooth);
  for (size_t at = 0; at < SAMPLES; at += 200) {
    assert_int_equal(arm_smooth_push(smooth, 200, m->q + at, SAMPLES), ARM_OK);
    out += arm_smooth_take(smooth, SAMPLES - out, state[0] + out, state[1] + out, state[2] + out,
                           SAMPLES);
  }
  arm_smooth_free(smooth);
  test_rng_init(&unused, 1);
  Moving *s = moving_new(arm->model, &unused, out, step_s, 0.1, 0);
  for (size_t j = 0; j < N; j++) {
    filter_current(m, j);
    memcpy(s->q + j * out, state[0] + j * SAMPLES, out * sizeof(double));
    memcpy(s->qd + j * out, state[1] + j * SAMPLES, out * sizeof(double));
    memcpy(s->qdd + j * out, state[2] + j * SAMPLES, out * sizeof(double));
    memcpy(s->effort + j * out, current + skip, out * sizeof(double));
  }
  return s;
}

static void test_same_filter(void **unused) {
  static const double noises[] = {0, 0.1};
  Arm arm;
  (void)unused;
  arm_make(&arm);
  for (int k = 0; k < 2; k++) {
    double x[UNKNOWNS], z[UNKNOWNS];
    TestRng rng;
    test_rng_init(&rng, test_seed(41));
    Moving *m = record(&arm, &rng, noises[k], 1e-4), *s = smoothed(&arm, m);
    MovingRows *same = rows_of(&arm, m, cutoff_Hz, false), *other = rows_of(&arm, s, 0, true);
    fit(&arm, same, x);
    fit(&arm, other, z);
    const double good = held_out(&arm, x), bad = held_out(&arm, z);
    print_message("# noise %g A: held-out error %.2g A, columns not filtered %.2g A\n", noises[k],
                  good, bad);
    assert_true(good < (noises[k] > 0 ? 0.025 : 0.0005));
    assert_true(bad > (noises[k] > 0 ? 2.5 * good : 0.03));
    moving_rows_free(same);
    moving_rows_free(other);
    moving_free(m);
    moving_free(s);
  }
  arm_base_free(arm.base);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_filter)};
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
