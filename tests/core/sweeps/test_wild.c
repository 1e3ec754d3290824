/* SPDX-License-Identifier: MIT */
/* Single wild samples are left out, sound noise and what lasts longer are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/sweeps/wild.h"
#include "support/support.h"

enum { ROWS = 400 };
static double t[ROWS], q[ROWS], qd[ROWS], current[ROWS];
static int joint[ROWS];
static ArmRowUse use[ROWS];
static ArmWild wild[1];

/* One joint to and fro, 100 rows a stroke, 25 Hz. */
static void make(uint64_t seed, double noise) {
  TestRng rng;
  test_rng_init(&rng, seed);
  for (size_t k = 0; k < ROWS; k++) {
    const double side = k / 100 % 2 ? -1 : 1;
    t[k] = 0.04 * (double)k;
    joint[k] = 1;
    qd[k] = 0.5 * side;
    q[k] = side * (-1 + 0.02 * (double)(k % 100));
    current[k] = cos(q[k]) + 0.4 * side + noise * test_rng_normal(&rng);
    use[k] = ARM_ROW_USED;
  }
}

static size_t mark_with(bool takes_brief) {
  const ArmDataset data = {
      .n = 1, .rows = ROWS, .t = t, .joint = joint, .q = q, .qd = qd, .current = current};
  size_t marked = 0;
  assert_int_equal(arm_wild_mark(&data, 0.04, takes_brief, use, wild), ARM_OK);
  for (size_t k = 0; k < ROWS; k++)
    marked += use[k] == ARM_ROW_WILD;
  assert_int_equal(marked, wild[0].current.count);
  return marked;
}

static size_t mark(void) {
  return mark_with(true);
}

static void test_sound(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    make(seed, 0.005 * (double)(seed % 20)); /* up to a tenth of an ampere, and none at all */
    assert_int_equal(mark(), 0);
  }
  make(1, 0.005);
  for (size_t k = 0; k < ROWS; k++)
    current[k] = 0.1 * round(10 * current[k]); /* coarse steps */
  assert_int_equal(mark(), 0);
}

static void test_single(void **state) {
  (void)state;
  make(1, 0.005);
  current[150] += 3;
  current[250] -= 1;
  assert_int_equal(mark(), 2);
  assert_int_equal(use[150], ARM_ROW_WILD);
  assert_int_equal(use[250], ARM_ROW_WILD);
  assert_int_equal(wild[0].current.row, 150);
  assert_true(wild[0].current.found == current[150]);
  assert_true(test_is_near(wild[0].current.expected, current[150] - 3, 0.05, 0));
}

static void test_not_wild(void **state) {
  (void)state;
  make(1, 0.005);
  for (size_t k = 150; k < 156; k++) /* a collision lasts */
    current[k] += 3;
  assert_int_equal(mark(), 0);
  make(1, 0.005);
  for (size_t k = 150; k < ROWS; k++) /* a step stays */
    current[k] += 3;
  assert_int_equal(mark(), 0);
  make(1, 0.005);
  current[150] += 3;
  t[150] = t[149] + 0.039; /* behind a gap nothing is known of its neighbours */
  for (size_t k = 150; k < ROWS; k++)
    t[k] += 1;
  assert_int_equal(mark(), 0);
  make(1, 0.005);
  current[100] += 3; /* the first of its stroke */
  assert_int_equal(mark(), 0);
}

/* 40 ms a row: 0.12 s. At the end of a stroke nothing follows it. */
static void test_brief(void **state) {
  (void)state;
  make(1, 0.005);
  for (size_t k = 150; k < 154; k++)
    current[k] += k == 152 ? 2 : 3;
  assert_int_equal(mark(), 4);
  for (size_t k = 150; k < 154; k++)
    assert_int_equal(use[k], ARM_ROW_WILD);
  assert_true(test_is_near(wild[0].current.expected, current[wild[0].current.row] - 3, 0.1, 0));
  assert_true(wild[0].current.t == t[wild[0].current.row]);
  make(1, 0.005);
  for (size_t k = 150; k < 154; k++)
    current[k] += 3;
  assert_int_equal(mark_with(false), 0);
  make(1, 0.005);
  for (size_t k = 297; k < 300; k++)
    current[k] -= 4;
  current[298] += 4; /* crosses its level */
  assert_int_equal(mark(), 2);
  make(1, 0.005);
  for (size_t k = 300; k < 303; k++) /* as a delayed current would be */
    current[k] += 4;
  assert_int_equal(mark(), 0);
}

/* What comes in every stroke is how the arm moves. */
static void test_ramps(void **state) {
  (void)state;
  make(1, 0.005);
  for (size_t k = 0; k < ROWS; k++)
    if (k % 100 >= 97)
      current[k] -= 4;
  assert_int_equal(mark(), 0);
}

static void assert_wild_position(size_t row) {
  (void)mark();
  for (size_t k = 0; k < ROWS; k++)
    assert_int_equal(use[k], k == row ? ARM_ROW_WILD_POSITION : ARM_ROW_USED);
  assert_int_equal(wild[0].position.count, row < ROWS);
  if (row == ROWS)
    return;
  assert_int_equal(wild[0].position.row, row);
  assert_true(wild[0].position.found == q[row] && wild[0].position.t == t[row]);
}

/* Within a stroke, at its turn, and at either end of the recording. */
static void test_position(void **state) {
  (void)state;
  static const size_t rows[] = {0, 1, 50, 99, 100, 150, ROWS - 2, ROWS - 1};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    for (int side = -1; side <= 1; side += 2) {
      make(1, 0.005);
      const double true_q = q[rows[k]];
      q[rows[k]] += 2.5 * side;
      assert_wild_position(rows[k]);
      assert_true(test_is_near(wild[0].position.expected, true_q, 0, 0.021));
    }
}

static void test_position_sound(void **state) {
  (void)state;
  TestRng rng;
  test_rng_init(&rng, 5);
  make(1, 0.005);
  assert_wild_position(ROWS);
  for (size_t k = 150; k < ROWS; k++) /* another zero from then on */
    q[k] += 2.5;
  assert_wild_position(ROWS);
  make(1, 0.005);
  for (size_t k = 0; k < ROWS; k++) /* a rough encoder */
    q[k] = 0.1 * round(10 * q[k]);
  assert_wild_position(ROWS);
  make(1, 0.005);
  for (size_t k = 0; k < ROWS; k++) /* a bad one */
    q[k] += 0.05 * test_rng_normal(&rng);
  assert_wild_position(ROWS);
  make(1, 0.005);
  for (size_t k = 0; k < ROWS; k++) { /* 20 deg a sample, turning at once */
    qd[k] *= 17;
    q[k] *= 17;
  }
  assert_wild_position(ROWS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound),          cmocka_unit_test(test_single),
      cmocka_unit_test(test_not_wild),       cmocka_unit_test(test_brief),
      cmocka_unit_test(test_ramps),          cmocka_unit_test(test_position),
      cmocka_unit_test(test_position_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
