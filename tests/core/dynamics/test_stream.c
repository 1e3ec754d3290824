/* SPDX-License-Identifier: MIT */
/* From samples to rows: against sums written out, against the torques of known drives, in any
 * blocks, and from positions alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/num/fir.h"
#include "stream_checks.h"

/* ---- rows of single samples ---- */

static void test_sample_is_row(void **state) {
  const ArmModel *model = &find_case("Stanford")->model;
  double y[BASE_COLUMNS * BASE_JOINTS];
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(1));
  rig_init(&rig, model, &rng, 700, 0.01);
  rig.options.cutoff_Hz = 0;
  rig.options.min_speed_R = rig.options.min_speed_T = 0;
  const Moving *m = rig.m;
  assert_int_equal(rig_run(&rig, 100, NULL), ARM_OK);
  for (size_t s = 0; s < m->samples; s++) {
    double q[3][BASE_JOINTS];
    for (size_t j = 0; j < m->n; j++) {
      q[0][j] = m->q[s + j * m->samples];
      q[1][j] = m->qd[s + j * m->samples];
      q[2][j] = m->qdd[s + j * m->samples];
    }
    assert_int_equal(arm_base_regressor(rig.base, model, q[0], q[1], q[2], y), ARM_OK);
    for (size_t j = 0; j < m->n; j++) {
      const double *row = rig.rows->row[j] + s * rig.rows->width;
      const double v = q[1][j];
      const double local[ARM_DYN_LOCAL] = {v > 0, fmax(v, 0), v < 0, fmin(v, 0), q[2][j]};
      assert_memory_equal(row, local, sizeof local);
      for (size_t b = 0; b < rig.base->count; b++)
        assert_true(test_is_near(row[ARM_DYN_LOCAL + b], y[j * rig.base->count + b], 0, 1e-12));
      assert_true(row[rig.rows->width - 1] == m->effort[s + j * m->samples]);
      assert_true(rig.rows->t[j][s] == m->t[s]);
    }
  }
  check_sum(&rig);
  rig_free(&rig);
}

/* Rows of random arms, coupled ones too, times the known parameters are the known currents,
 * exactly, whatever is left out by weights: with a filter and without. */
static void test_known_currents(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(2));
  for (int trial = 0; trial < 24; trial++) {
    ArmModel model;
    Rig rig;
    base_random_arm(&rng, 2 + test_rng_below(&rng, 5), &model);
    model.has_coupling = trial % 3 == 0;
    for (size_t j = 0; j < model.n; j++)
      for (size_t k = 0; k < j; k++)
        model.coupling[j][k] = test_rng_uniform(&rng, -0.5, 0.5);
    rig_init(&rig, &model, &rng, 900, 0.01);
    for (int k = 0; k < 40; k++) /* holes in the currents */
      rig.m->effort[test_rng_below(&rng, 900 * model.n)] = (double)NAN;
    rig.options.cutoff_Hz = trial % 2 ? 3 : 0;
    assert_int_equal(rig_run(&rig, 0, &rng), ARM_OK);
    if (!(misfit(&rig) < 1e-11))
      fail_msg("arm %d: misfit %g", trial, misfit(&rig));
    check_sum(&rig);
    rig_free(&rig);
  }
}

/* ---- filtered rows ---- */

/* h of core/num/fir.h by what it makes of one sample. */
static size_t probe(double cutoff, double *h) {
  const size_t half = arm_fir_half(cutoff);
  ArmFir *fir = NULL;
  assert_int_equal(arm_fir_new(cutoff, 1, 1, &fir), ARM_OK);
  size_t out = 0;
  for (size_t s = 0; s <= 2 * half; s++) {
    const double x = s == half, *column = &x;
    assert_int_equal(arm_fir_push(fir, 1, &column, NULL), ARM_OK);
    out += arm_fir_take(fir, h + out, NULL, NULL);
  }
  arm_fir_end(fir);
  while (arm_fir_take(fir, h + out, NULL, NULL))
    out++;
  arm_fir_free(fir);
  return half;
}

/* Against the whole record at once: rows of single samples, weighed and summed as stream.h says. */
static void check_sums(Rig *rig, const MovingRows *single, size_t keep) {
  static double h[4000];
  const size_t half = probe(rig->options.cutoff_Hz * rig->options.step_s, h);
  const size_t width = rig->rows->width, samples = rig->m->samples;
  for (size_t j = 0; j < rig->model->n; j++) {
    size_t at = 0, thin = 0;
    for (size_t centre = 0; centre < samples; centre += keep) {
      double sum[ARM_DYN_LOCAL + BASE_COLUMNS + 1] = {0}, weight = 0;
      for (size_t s = centre > half ? centre - half : 0; s < samples && s <= centre + half; s++) {
        const double effort = rig->m->effort[s + j * samples];
        const double speed = fabs(rig->m->qd[s + j * samples]);
        if (!isfinite(effort) || !(speed > rig->options.min_speed_R))
          continue;
        const double w = h[s + half - centre];
        weight += w;
        for (size_t c = 0; c < width; c++)
          sum[c] += w * (c + 1 < width ? single->row[j][s * width + c] : effort);
      }
      if (weight >= 0.5)
        assert_true(rig->rows->t[j][at] == rig->m->t[centre]);
      thin += weight < 0.5;
      for (size_t c = 0; c < width && weight >= 0.5; c++)
        assert_true(test_is_near(rig->rows->row[j][at * width + c], sum[c] / weight, 1e-11, 1e-11));
      at += weight >= 0.5;
    }
    assert_int_equal(at, rig->rows->rows[j]);
    assert_int_equal(thin, rig->counts.thin[j]);
    assert_true(thin > 0 || j > 0);
  }
}

static void test_whole_record(void **state) {
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(3));
  rig_init(&rig, model, &rng, 2600, 0.005);
  MovingRows *filtered = rig.rows, *single = moving_rows_new(6, rig.base->count, 2600);
  rig.rows = single;
  rig.options.cutoff_Hz = 0;
  rig.options.min_speed_R = 0;
  assert_int_equal(rig_run(&rig, 2600, NULL), ARM_OK);
  for (size_t s = 300; s < 330; s++) /* and a long hole in one current, single ones in another */
    rig.m->effort[s] = rig.m->effort[2600 + 7 * s] = (double)NAN;
  rig.rows = filtered;
  rig.options.min_speed_R = 0.05;
  rig.options.cutoff_Hz = 5;
  assert_int_equal(rig_run(&rig, 333, NULL), ARM_OK);
  check_sums(&rig, single, 10); /* four a period */
  rig.options.cutoff_Hz = 50;
  rig.options.keep = 3;
  assert_int_equal(rig_run(&rig, 1, NULL), ARM_OK);
  check_sums(&rig, single, 3);
  moving_rows_free(single);
  rig_free(&rig);
}

static size_t copy_rows(const Rig *rig, size_t j, double **copy) {
  const size_t size = rig->rows->rows[j] * rig->rows->width * sizeof(double);
  *copy = malloc(size + 1);
  assert_non_null(*copy);
  memcpy(*copy, rig->rows->row[j], size);
  return size;
}

/* The same bits as were copied. */
static void assert_same_rows(const Rig *rig, double *const *copy, const size_t *size) {
  for (size_t j = 0; j < 6; j++) {
    assert_int_equal(rig->rows->rows[j] * rig->rows->width * sizeof(double), size[j]);
    assert_memory_equal(rig->rows->row[j], copy[j], size[j]);
  }
}

/* Rows follow each other but over segments and rows that are left out. */
static void check_follows(const Rig *rig, size_t j) {
  size_t breaks = 0;
  for (size_t r = 0; r < rig->rows->rows[j]; r++) {
    const double step = r > 0 ? rig->rows->t[j][r] - rig->rows->t[j][r - 1] : -1;
    breaks += !rig->rows->follows[j][r];
    if (rig->rows->follows[j][r])
      assert_true(test_is_near(step, 0.048, 0, 1e-9)); /* four in 0.2 s, at 4 ms */
  }
  assert_in_range(breaks, rig->counts.segments > 0, rig->counts.segments + rig->counts.thin[j]);
}

/* The same bits, however samples come: with all filters, gaps, sweeps of single joints. */
static void test_blocks(void **state) {
  static const size_t blocks[] = {1, 7, 248, 1000, 0, 0};
  const ArmModel *model = &find_case("Stanford")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(5));
  rig_init(&rig, model, &rng, 6000, 0.004);
  for (size_t s = 2000; s < 6000; s++)
    rig.m->t[s] += s < 4500 ? 1 : 2.002; /* a gap, then a gap and a shift by half a step */
  for (size_t s = 5000; s < 6000; s++)
    rig.m->joint[s] = s < 5500 ? 2 : 4;
  for (int given = 0; given < 4; given++) {
    double *want[BASE_JOINTS];
    size_t size[BASE_JOINTS];
    rig.options.has_qd = given & 1;
    rig.options.has_qdd = given & 2;
    assert_int_equal(rig_run(&rig, 6000, NULL), ARM_OK);
    assert_int_equal(rig.counts.segments, 3);
    for (size_t j = 0; j < 6; j++)
      check_follows(&rig, j);
    for (size_t j = 0; j < 6; j++)
      size[j] = copy_rows(&rig, j, want + j);
    for (size_t b = 0; b < 6; b++) {
      assert_int_equal(rig_run(&rig, blocks[b], &rng), ARM_OK);
      check_sum(&rig);
      assert_same_rows(&rig, want, size);
    }
    for (size_t j = 0; j < 6; j++)
      free(want[j]);
  }
  rig_free(&rig);
}

/* Whether samples come column by column or, as some have no rate or no place, one by one: the same
 * bits; what is missing is missing in both. */
static void test_incomplete_samples(void **state) {
  const ArmModel *model = &find_case("Stanford")->model;
  double *want[BASE_JOINTS];
  size_t size[BASE_JOINTS];
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(7));
  rig_init(&rig, model, &rng, 3000, 0.004);
  rig.options.has_qdd = false;
  for (size_t s = 0; s < 3000; s++) {
    rig.m->joint[s] = 2;
    rig.m->qd[s + 4 * 3000] = 0;
    rig.m->t[s] += (s < 1500 ? 0.004 : 0.012) - 10; /* from 0.004 s on; a hole that is bridged */
  }
  rig.m->q[700] = rig.m->qd[900 + 3000] = (double)NAN; /* of the joint that moves */
  rig.m->t[1100] = (double)NAN;
  assert_int_equal(rig_run(&rig, 3000, NULL), ARM_OK);
  assert_int_equal(rig.counts.filled, 5);
  assert_int_equal(rig.counts.samples[1][ARM_DYN_NO_STATE], 3);
  for (size_t j = 0; j < 6; j++)
    size[j] = copy_rows(&rig, j, want + j);
  for (size_t s = 0; s < 3000; s += 1 + test_rng_below(&rng, 120))
    rig.m->qd[s + 4 * 3000] = (double)NAN;  /* counts as 0 */
  rig.m->qd[1499 + 4 * 3000] = (double)NAN; /* before the hole */
  assert_int_equal(rig_run(&rig, 3000, NULL), ARM_OK);
  assert_int_equal(rig.counts.filled, 5);
  assert_same_rows(&rig, want, size);
  for (size_t j = 0; j < 6; j++)
    free(want[j]);
  assert_true(size[1] > 0);
  rig_free(&rig);
}

/* What is left out leaves nothing behind, however far away: the same bits, however samples come. */
static void test_far_samples(void **state) {
  static const double far[] = {1e6, (double)INFINITY, -1e300};
  enum { ALL = 60 };
  const ArmModel *model = &find_case("Stanford")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(9));
  rig_init(&rig, model, &rng, ALL, 0.004);
  rig.options.cutoff_Hz = 0;
  for (int round = 0; round < 60; round++) {
    double *want[BASE_JOINTS];
    const size_t at = 1 + test_rng_below(&rng, ALL - 3);
    const double kept[] = {rig.m->q[at], rig.m->q[at + 1]};
    size_t size[BASE_JOINTS];
    for (size_t s = 0; s < ALL; s++)
      rig.m->q[s] += 0.01 * test_rng_normal(&rng);
    rig.m->q[at] = (double)NAN;
    rig.m->q[at + 1] = far[round % 3];
    assert_int_equal(rig_run(&rig, 1, NULL), ARM_OK);
    for (size_t j = 0; j < 6; j++)
      size[j] = copy_rows(&rig, j, want + j);
    for (size_t block = 5; block <= ALL; block += 11) {
      assert_int_equal(rig_run(&rig, block, NULL), ARM_OK);
      assert_same_rows(&rig, want, size);
    }
    rig.m->q[at] = kept[0];
    rig.m->q[at + 1] = kept[1];
    for (size_t j = 0; j < 6; j++)
      free(want[j]);
  }
  rig_free(&rig);
}

/* A cut is a gap, though the next sample follows: the same bits. */
static void test_cut(void **state) {
  const ArmModel *model = &find_case("Stanford")->model;
  enum { HALF = 1500, ALL = 2 * HALF };
  double *want[BASE_JOINTS];
  size_t size[BASE_JOINTS];
  ArmDynStream *stream = NULL;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(8));
  rig_init(&rig, model, &rng, ALL, 0.004);
  for (size_t s = HALF; s < ALL; s++)
    rig.m->t[s] += 100;
  assert_int_equal(rig_run(&rig, ALL, NULL), ARM_OK);
  for (size_t j = 0; j < 6; j++)
    size[j] = copy_rows(&rig, j, want + j);
  for (size_t s = HALF; s < ALL; s++)
    rig.m->t[s] -= 100;
  memset(rig.rows->rows, 0, sizeof rig.rows->rows);
  assert_int_equal(
      arm_dyn_stream_new(model, rig.base, &rig.options, moving_rows_sink, rig.rows, &stream),
      ARM_OK);
  for (size_t at = 0; at < ALL; at += HALF) {
    const ArmDynSamples half = {HALF,
                                ALL,
                                rig.m->t + at,
                                rig.m->joint + at,
                                rig.m->q + at,
                                rig.m->qd + at,
                                rig.m->qdd + at,
                                rig.m->effort + at};
    assert_int_equal(arm_dyn_stream_push(stream, &half), ARM_OK);
    if (at == 0)
      assert_int_equal(arm_dyn_stream_cut(stream), ARM_OK);
  }
  assert_int_equal(arm_dyn_stream_finish(stream), ARM_OK);
  assert_int_equal(arm_dyn_stream_counts(stream)->segments, 2);
  assert_same_rows(&rig, want, size);
  for (size_t j = 0; j < 6; j++)
    free(want[j]);
  arm_dyn_stream_free(stream);
  rig_free(&rig);
}

/* From positions alone: what the filter makes of q is all that is between rows and currents. Motion
 * of 0.1 to 0.5 Hz below a filter that is flat to 1e-4 up to 2.5 Hz. */
static void test_positions_alone(void **state) {
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(6));
  rig_init(&rig, model, &rng, 10000, 0.001);
  rig.options.has_qd = rig.options.has_qdd = false;
  assert_int_equal(rig_run(&rig, 1000, NULL), ARM_OK);
  assert_true(misfit(&rig) < 2e-4);
  assert_true(misfit(&rig) > 1e-9); /* a filter was there */
  for (size_t j = 0; j < 6; j++) {
    const double used = (double)(rig.counts.samples[j][ARM_DYN_USED]);
    assert_in_range(rig.counts.samples[j][ARM_DYN_EDGE], 2 * 200, 2 * 220); /* 3.2 / 15 Hz */
    assert_true(test_is_near((double)rig.rows->rows[j], used / 50, 0.1, 5));
  }
  rig_free(&rig);
}

/* An arm that is shaken up to where the rows' filter is deaf, as by a servo when friction lets go:
 * positions have gone through no filter that currents have not. Low-passed at the rows' cut-off
 * they would be 0.04 off. */
static void test_shaken(void **state) {
  static const double shakes_Hz[] = {3, 4.5, 6, 7};
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  double pi[10 * BASE_JOINTS];
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(9));
  rig_init(&rig, model, &rng, 10000, 0.001);
  rig.options.has_qd = rig.options.has_qdd = false;
  rig.options.min_speed_R = 0;
  Moving *m = rig.m;
  for (size_t k = 0; k < 6 * m->samples; k++)
    for (size_t h = 0; h < 4; h++) {
      const double w = 6.28318530717958647692 * shakes_Hz[h], size = 0.5 / (w * w);
      const double x = w * m->t[k % m->samples] + (double)(k / m->samples * (1 + h));
      m->q[k] += size * sin(x);
      m->qd[k] += size * w * cos(x);
      m->qdd[k] -= size * w * w * sin(x);
    }
  (void)arm_inertia_nominal(model, pi);
  for (size_t j = 0; j < 6; j++) /* what a changed sign does is for test_stream_reversals.c */
    rig.drives[j].phi[ARM_DYN_COULOMB_NEG] = rig.drives[j].phi[ARM_DYN_COULOMB_POS] =
        rig.x[j][ARM_DYN_COULOMB_NEG] = rig.x[j][ARM_DYN_COULOMB_POS];
  moving_drive(m, model, pi, rig.drives);
  assert_int_equal(rig_run(&rig, 1000, NULL), ARM_OK);
  print_message("# misfit %.2g\n", misfit(&rig));
  assert_true(misfit(&rig) < 2e-4);
  rig_free(&rig);
}

/* The tap: single samples that count, one in `keep`, with all of their noise. */
static void test_tap(void **state) {
  enum { SAMPLES = 20000, KEEP = 50 };
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  ArmDynStream *stream = NULL;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(7));
  rig_init(&rig, model, &rng, SAMPLES, 0.001);
  MovingRows *behind = moving_rows_new(model->n, rig.base->count, SAMPLES);
  for (size_t k = 0; k < SAMPLES * model->n; k++)
    rig.m->effort[k] += 0.2 * test_rng_normal(&rng);
  assert_int_equal(
      arm_dyn_stream_new(model, rig.base, &rig.options, moving_rows_sink, behind, &stream), ARM_OK);
  assert_int_equal(arm_dyn_stream_tap(stream, moving_rows_sink, rig.rows), ARM_OK);
  assert_int_equal(moving_stream(stream, rig.m, 0, &rng), ARM_OK);
  for (size_t j = 0; j < model->n; j++) {
    const size_t rows = rig.rows->rows[j], width = rig.rows->width;
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
      const double *row = rig.rows->row[j] + r * width;
      double error = row[width - 1];
      for (size_t c = 0; c + 1 < width; c++)
        error -= row[c] * rig.x[j][c];
      sum += error * error;
      const double at = rig.rows->t[j][r] / (KEEP * 0.001);
      assert_true(fabs(at - round(at)) < 1e-6 && !rig.rows->follows[j][r]);
    }
    assert_true(test_is_near((double)rows, (double)behind->rows[j], 0.05, 10));
    assert_true(test_is_near(sqrt(sum / (double)rows), 0.2, 0.2, 0));
  }
  arm_dyn_stream_free(stream);
  moving_rows_free(behind);
  rig_free(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample_is_row),
                                     cmocka_unit_test(test_known_currents),
                                     cmocka_unit_test(test_whole_record),
                                     cmocka_unit_test(test_blocks),
                                     cmocka_unit_test(test_incomplete_samples),
                                     cmocka_unit_test(test_cut),
                                     cmocka_unit_test(test_far_samples),
                                     cmocka_unit_test(test_positions_alone),
                                     cmocka_unit_test(test_shaken),
                                     cmocka_unit_test(test_tap)};
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
