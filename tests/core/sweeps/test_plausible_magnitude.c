/* SPDX-License-Identifier: MIT */
/* Magnitudes of a current that never nears zero. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/filter.h"
#include "core/sweeps/plausible.h"
#include "support/support.h"

/* Joint 2 is swept +-1 rad at 1 rad/s, four ways in each of two holds of joint 1. */
enum { N = 2, WAYS = 8, ROWS = 50, ALL = WAYS * ROWS };

typedef struct {
  double t[ALL], q[N * ALL], qd[N * ALL], current[N * ALL];
  int joint[ALL];
} Rows;

static Rows rows;

/* loads  of each hold [A] */
static void make(const double loads[2], double friction, bool is_magnitude) {
  TestRng rng;
  test_rng_init(&rng, 1);
  memset(&rows, 0, sizeof rows);
  for (size_t k = 0; k < ALL; k++) {
    const size_t way = k / ROWS;
    const double side = way % 2 ? -1 : 1;
    const double current = loads[way / 4] + side * friction + 0.005 * test_rng_normal(&rng);
    rows.t[k] = 0.04 * (double)k + 2.0 * (double)way;
    rows.joint[k] = 2;
    rows.q[k] = way / 4 ? -0.3 : 0.3;
    rows.q[k + ALL] = side * (-1 + 0.04 * (double)(k % ROWS));
    rows.qd[k + ALL] = side;
    rows.current[k + ALL] = is_magnitude ? fabs(current) : current;
  }
}

/* The doubts that friction tells; its sds are those of a fit that magnitudes have spoiled. */
static void judge(size_t parts, ArmDoubts *doubts) {
  const ArmPlausibleFriction f = {.forth = 0.4, .back = -0.4, .forth_sd = 0.3, .back_sd = 0.3};
  const ArmDataset data = {.n = N,
                           .rows = ALL,
                           .t = rows.t,
                           .joint = rows.joint,
                           .q = rows.q,
                           .qd = rows.qd,
                           .current = rows.current};
  ArmModel model;
  ArmPlausibleScan scan, part; /* by parts of a hold, as sums are joined */
  assert_int_equal(arm_model_init(&model, N), ARM_OK);
  arm_plausible_init(&scan, N, 0.04);
  for (size_t first = 0; first < ALL; first += ALL / parts) {
    arm_plausible_init(&part, N, 0.04);
    for (size_t k = first; k < first + ALL / parts; k++)
      arm_plausible_push(&part, &model, &data, k, ARM_ROW_USED);
    arm_plausible_end(&part, &model);
    arm_plausible_merge(&scan, &part, 0.0, first);
  }
  doubts->count = 0;
  arm_plausible_friction(&scan, &model, 1, &f, doubts);
}

/* Its lowest current; 0: nothing is said, in one part or in two. */
static double told(const double loads[2], double friction, bool is_magnitude) {
  ArmDoubts doubts, of_parts;
  make(loads, friction, is_magnitude);
  judge(1, &doubts);
  judge(2, &of_parts);
  assert_int_equal(of_parts.count, doubts.count);
  if (doubts.count == 0)
    return 0.0;
  assert_int_equal(doubts.count, 1);
  assert_int_equal(doubts.at[0].kind, ARM_DOUBT_UNSIGNED);
  assert_int_equal(of_parts.at[0].kind, ARM_DOUBT_UNSIGNED);
  assert_true(doubts.at[0].is_samples && doubts.at[0].found < doubts.at[0].expected);
  return doubts.at[0].found;
}

/* Friction turns round, or where it is more than the load, both change places. */
static void test_told(void **state) {
  (void)state;
  static const double either_way[2] = {1, -1}, one_small[2] = {0.15, 1};
  assert_true(told(either_way, 0.4, true) > 0.5);
  assert_true(told(one_small, 0.45, true) > 0.25);
}

static void test_sound(void **state) {
  (void)state;
  static const double either_way[2] = {1, -1}, one_small[2] = {0.15, 1}, one_way[2] = {1, 2};
  assert_true(told(either_way, 0.4, false) == 0.0);
  assert_true(told(one_small, 0.45, false) == 0.0);
  assert_true(told(one_way, 0.4, true) == 0.0);     /* no sign to lose */
  assert_true(told(either_way, 1e-3, true) == 0.0); /* within noise friction turns by chance */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_told),
      cmocka_unit_test(test_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
