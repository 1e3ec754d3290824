/* SPDX-License-Identifier: MIT */
/* Files of sums: what was saved is read, recordings once and in any order, and what no rows can
 * have is refused, also where the checksum is good. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/recording/sums_file.h"
#include "wire/crc32.h"

enum { JOINTS = 2, STROKE = 40, STROKES = 4, ROWS = STROKE * STROKES };
#define DIGEST_A "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define DIGEST_C "sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static ArmModel arm(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, JOINTS), ==, ARM_OK);
  arm_joint_set_mdh(&model.joints[0], ARM_JOINT_R, 1.5707963267948966, 0, 0, 0);
  arm_joint_set_mdh(&model.joints[1], ARM_JOINT_R, 0, 0.5, 0, 0);
  return model;
}

static bool swings;  /* the speed varies: rows are kept */
static double spike; /* A, of one sample */

/* Each joint forth and back. */
static ArmReduced reduce(const ArmModel *model, double start) {
  static double t[ROWS], q[ROWS * JOINTS], qd[ROWS * JOINTS], current[ROWS * JOINTS];
  static int joint[ROWS];
  ArmReduced sums;
  ArmFitOptions options;
  for (gsize k = 0; k < ROWS; k++) {
    const gsize moving = k / STROKE / 2, step = k % STROKE;
    const bool is_back = k / STROKE % 2;
    const double part = (double)step / STROKE;
    const double way = swings ? (part + 2.0 * part * part) / 3.0 : part;
    const double speed = swings ? (1.0 + 4.0 * part) / 3.0 : 1.0;
    const double x = (is_back ? 1 - way : way) - 0.5;
    t[k] = start + 0.04 * (double)k;
    joint[k] = swings && k == 2 * STROKE ? 0 : (int)moving + 1; /* a record parts others there */
    for (gsize j = 0; j < JOINTS; j++) {
      q[k + j * ROWS] = j == moving ? x : 0.3;
      qd[k + j * ROWS] = j == moving ? (is_back ? -speed : speed) / (0.04 * STROKE) : 0;
      current[k + j * ROWS] = cos(q[k]) + 0.2 * qd[k + j * ROWS] + 0.01 * (double)(k * 7 % 11);
    }
  }
  current[STROKE / 2] += spike;
  const ArmDataset data = {
      .n = JOINTS, .rows = ROWS, .t = t, .joint = joint, .q = q, .qd = qd, .current = current};
  arm_fit_options_default(&options);
  g_assert_cmpint(arm_sums_of(model, &data, &options, &sums), ==, ARM_OK);
  g_assert_cmpuint(sums.count, ==, STROKES);
  return sums;
}

static AioSums *make_empty(const ArmModel *model, double min_speed) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  options.rows.min_speed_R = min_speed;
  return aio_sums_new("made", model, "arm", DIGEST_C, &options, NAN);
}

static AioSums *make(const ArmModel *model, const char *digest, double start) {
  GError *error = NULL;
  ArmReduced sums = reduce(model, start);
  AioSums *made = make_empty(model, 0.005);
  g_assert_true(aio_sums_add(made, "rec.csv", digest, &sums, &error));
  g_assert_no_error(error);
  return made;
}

static ArmReduced *first_of(const AioSums *sums) {
  return &((AioReduced *)g_ptr_array_index(sums->recordings, 0))->sums;
}

static void check_same(const AioSums *a, const AioSums *b) {
  gsize length, other_length;
  g_autofree char *bytes = aio_sums_format(a, &length);
  g_autofree char *other = aio_sums_format(b, &other_length);
  g_assert_cmpmem(bytes, length, other, other_length);
}

static void test_saved(void) {
  const ArmModel model = arm();
  GError *error = NULL;
  gsize length;
  g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
  g_autofree char *bytes = aio_sums_format(made, &length);
  g_assert_cmpmem(bytes, 8, "ARMASUMS", 8);
  g_autoptr(AioSums) read = aio_sums_load_bytes("read", bytes, length, &model, &error);
  g_assert_no_error(error);
  check_same(made, read);
  g_assert_cmpstr(read->arm_digest, ==, DIGEST_C);
  const ArmReduced *before = first_of(made), *after = first_of(read);
  g_assert_cmpmem(&before->at[1].stroke, sizeof(ArmStroke), &after->at[1].stroke,
                  sizeof(ArmStroke));
  g_assert_cmpuint(before->rows, ==, after->rows);
  const ArmPlausibleWays *ways = &before->scan.joint[0].ways, *again = &after->scan.joint[0].ways;
  g_assert_cmpuint(ways->positive, ==, 1); /* one way and its way back */
  g_assert_cmpuint(ways->positive, ==, again->positive);
  g_assert_cmpuint(ways->negative, ==, again->negative);
  g_assert_true(ways->high == again->high && ways->low == again->low);
  g_assert_true(ways->least == again->least && ways->least_mean == again->least_mean);
}

/* What would be refused on reading is refused on writing. */
static void test_unreadable(void) {
  const ArmModel model = arm();
  GError *error = NULL;
  spike = 1e155;
  ArmReduced sums = reduce(&model, 0);
  spike = 0;
  g_autoptr(AioSums) made = make_empty(&model, 0.005);
  g_assert_false(aio_sums_add(made, "rec.csv", DIGEST_A, &sums, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_cmpstr(error->message, ==,
                  "rec.csv: expected numbers that sums can hold (right units, no sample far beyond "
                  "all others), found what was scanned is not finite");
  g_clear_error(&error);
  g_assert_true(!sums.at && made->recordings->len == 0);
}

static void test_merged(void) {
  const ArmModel model = arm();
  GError *error = NULL;
  ArmReduced joined;
  g_autoptr(AioSums) a = make(&model, DIGEST_A, 0), b = make(&model, DIGEST_B, 100);
  g_autoptr(AioSums) c = make(&model, DIGEST_A, 0), d = make(&model, DIGEST_B, 100);
  g_autoptr(AioSums) again = make(&model, DIGEST_B, 100);
  g_assert_true(aio_sums_merge(a, b, &error));
  g_assert_true(aio_sums_merge(d, c, &error));
  check_same(a, d);
  g_assert_true(aio_sums_join(a, &model, &joined, &error));
  g_assert_cmpuint(joined.count, ==, 2 * STROKES);
  arm_sums_clear(&joined);
  g_assert_false(aio_sums_merge(a, again, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "the same recording as rec.csv"));
  g_clear_error(&error);
}

static void refuse_merge(const ArmModel *model, AioSums *from, const char *expected) {
  GError *error = NULL;
  g_autoptr(AioSums) into = make(model, DIGEST_A, 0);
  g_assert_false(aio_sums_merge(into, from, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, expected))
    g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, expected));
  g_clear_error(&error);
  aio_sums_free(from);
}

static void test_refused(void) {
  const ArmModel model = arm();
  AioSums *other = make(&model, DIGEST_B, 0);
  other->arm_digest[10] = '0';
  refuse_merge(&model, other, "expected sums made with arm arm (sha256:ccc");
  other = make(&model, DIGEST_B, 0);
  other->rows.min_speed_R = 0.02;
  refuse_merge(&model, other, "expected --min-speed [rad/s] 0");
  other = make(&model, DIGEST_B, 0);
  other->lowpass_Hz = 3;
  refuse_merge(&model, other, "expected --lowpass [Hz] 0, found --lowpass [Hz] 3");
  other = make(&model, DIGEST_B, 0);
  first_of(other)->is_torque[1] = true;
  refuse_merge(&model, other, "expected a current of joint 2 as in rec.csv, found a torque");
}

/* ---- hostile files with a good checksum ---- */

static void refuse_bytes(const char *bytes, gsize length, AioErrorCode code, const char *expected) {
  const ArmModel model = arm();
  GError *error = NULL;
  g_assert_null(aio_sums_load_bytes("bad", bytes, length, &model, &error));
  g_assert_error(error, AIO_ERROR, (int)code);
  if (!strstr(error->message, expected))
    g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, expected));
  g_clear_error(&error);
}

typedef void (*Harm)(ArmReduced *sums);
static void not_finite(ArmReduced *sums) {
  sums->at[2].triangle[30] = NAN;
}
static void not_finite_pairs(ArmReduced *sums) {
  sums->at[0].pairs[7] = INFINITY;
}
static void not_finite_end(ArmReduced *sums) {
  sums->at[0].last.q[1] = NAN;
}
static void more_rows(ArmReduced *sums) {
  sums->at[1].stroke.rows++;
  sums->used++;
  sums->rows_by_use[0][ARM_ROW_USED]++;
  sums->rows++;
}
static void miscounted(ArmReduced *sums) {
  sums->rows_by_use[1][ARM_ROW_USED]--;
}
static void no_rows(ArmReduced *sums) {
  sums->at[1].stroke.rows = 0;
}
static void more_pairs(ArmReduced *sums) {
  sums->at[0].pairs[0] *= 1.5;
}
static void larger_pairs(ArmReduced *sums) {
  sums->at[3].pairs[arm_sums_length(JOINTS, 1) - 1] = -1e6;
}
static void more_far_pairs(ArmReduced *sums) {
  sums->at[1].lags[ARM_SUMS_LAG_NUMBERS]++;
}
static void half_a_pair(ArmReduced *sums) {
  sums->at[1].lags[0] -= 0.5;
}
static void larger_far_pairs(ArmReduced *sums) {
  sums->at[2].lags[ARM_SUMS_LAG_NUMBERS - 1] *= 2.0;
}
static void other_far_sum(ArmReduced *sums) {
  sums->at[2].lags[1] *= 0.9;
}
static void not_finite_edge(ArmReduced *sums) {
  sums->edge[0][ARM_SUMS_EDGE + 2] = NAN;
}
static void other_edge(ArmReduced *sums) {
  sums->edge[0][3] += 1e-9;
}
static void other_last_edge(ArmReduced *sums) {
  sums->edge[1][(sums->edge_rows[1] - 1) * ARM_SUMS_EDGE] -= 1e-9;
}
static void fast_edge(ArmReduced *sums) {
  sums->edge[0][ARM_SUMS_EDGE * 5 + 1] *= 1.01;
}
static void edge_beyond(ArmReduced *sums) {
  sums->edge[0][ARM_SUMS_EDGE * 5] += 1.0;
}
static void no_edge(ArmReduced *sums) {
  sums->edge_rows[1] = 0;
}
static void long_edge(ArmReduced *sums) {
  const gsize rows = ++sums->edge_rows[0];
  sums->edge[0] = g_realloc(sums->edge[0], rows * ARM_SUMS_EDGE * sizeof(double));
  memcpy(sums->edge[0] + (rows - 1) * ARM_SUMS_EDGE, sums->edge[0], ARM_SUMS_EDGE * sizeof(double));
}
static void indefinite(ArmReduced *sums) {
  sums->at[0].stroke.lag[0] *= 1.5;
}
static void negative_products(ArmReduced *sums) {
  sums->at[3].stroke.lag[G_N_ELEMENTS(sums->at[3].stroke.lag) - 1] = -1e6;
}
static void not_finite_products(ArmReduced *sums) {
  sums->at[3].stroke.lag[3] = NAN;
}
static void other_last_row(ArmReduced *sums) {
  sums->at[2].stroke.last_row++;
}
static void other_first(ArmReduced *sums) {
  sums->at[3].first.current += 0.1;
}
static void last_row_beyond(ArmReduced *sums) {
  sums->at[3].stroke.first_row++;
  sums->at[3].stroke.last_row++;
}
static void other_speed(ArmReduced *sums) {
  sums->at[0].stroke.speed_sum *= 0.99;
  sums->at[0].slowest = 1e-3;
}
static void other_sum(ArmReduced *sums) {
  sums->range[1].sum = 1e6;
}
static void reversed(ArmReduced *sums) {
  sums->at[0].stroke.t_first = sums->at[0].stroke.t_last + 1;
}
static void no_joint(ArmReduced *sums) {
  sums->scan.joint[0].held_by = JOINTS;
}
static void no_step(ArmReduced *sums) {
  sums->median_step = -1;
}

static void test_harmed(void) {
  static const struct {
    Harm harm;
    const char *expected;
  } cases[] = {{not_finite, "a number of a stroke is not finite"},
               {not_finite_pairs, "a number of a stroke is not finite"},
               {not_finite_end, "a number of a stroke is not finite"},
               {more_rows, "a mean of a stroke is outside its range"},
               {miscounted, "do not add up"},
               {no_rows, "a stroke has no rows"},
               {more_pairs, "pairs that are none of its rows"},
               {larger_pairs, "pairs that are none of its rows"},
               {other_first, "pairs that are none of its rows"},
               {more_far_pairs, "pairs that are none of its rows"},
               {half_a_pair, "pairs that are none of its rows"},
               {larger_far_pairs, "pairs that are none of its rows"},
               {other_far_sum, "pairs that are none of its rows"},
               {not_finite_edge, "rows at an end of the recording are none of its strokes"},
               {other_edge, "rows at an end of the recording are none of its strokes"},
               {other_last_edge, "rows at an end of the recording are none of its strokes"},
               {fast_edge, "rows at an end of the recording are none of its strokes"},
               {edge_beyond, "rows at an end of the recording are none of its strokes"},
               {no_edge, "rows at an end of the recording are none of its strokes"},
               {long_edge, "rows at an end of the recording are none of its strokes"},
               {indefinite, "not positive definite"},
               {negative_products, "not positive definite"},
               {not_finite_products, "a number of a stroke is not finite"},
               {other_last_row, "do not lie between its ends"},
               {last_row_beyond, "do not lie between its ends"},
               {other_speed, "a triangle does not have the sums of its rows"},
               {other_sum, "outside its range"},
               {reversed, "reversed"},
               {no_joint, "of no joint"},
               {no_step, "the time step is not positive"}};
  const ArmModel model = arm();
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    gsize length;
    g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
    cases[k].harm(first_of(made));
    g_autofree char *bytes = aio_sums_format(made, &length);
    refuse_bytes(bytes, length, AIO_ERROR_MEANING, cases[k].expected);
  }
}

/* ---- rows beside the sums ---- */

static void other_row(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 3 + ARM_KEPT_Q] += 1e-2;
}
static void other_end(ArmReduced *sums) {
  sums->kept.at[ARM_KEPT_CURRENT] += 1e-9;
}
static void not_finite_row(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_CURRENT] = NAN;
}
static void row_of_other(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_JOINT] = 2;
}
static void later_row(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_TIME] += 1;
}
static void other_current(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_CURRENT] += 5.0;
  sums->kept.at[arm_kept_width(JOINTS) * 6 + ARM_KEPT_CURRENT] -= 5.0;
}
static void other_acceleration(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_ACCELERATION] = 5e4;
}
static void faster_row(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_Q + JOINTS] += 3.0;
  sums->kept.at[arm_kept_width(JOINTS) * 6 + ARM_KEPT_Q + JOINTS] -= 3.0;
}
static void swapped_times(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 5 + ARM_KEPT_TIME] += 0.06;
  sums->kept.at[arm_kept_width(JOINTS) * 6 + ARM_KEPT_TIME] -= 0.06;
}
static void row_too_few(ArmReduced *sums) {
  sums->kept.count--;
}
static void numbers_between(ArmReduced *sums) {
  sums->kept.at[arm_kept_width(JOINTS) * 2 * STROKE + ARM_KEPT_TIME] = NAN;
}
static void rows_of_none(ArmReduced *sums) {
  sums->kept.has[1] = false;
}
static void no_rows_of_one(ArmReduced *sums) {
  sums->kept.count = 0;
}

static void test_harmed_rows(void) {
  static const struct {
    Harm harm;
    const char *expected;
  } cases[] = {{other_row, "rows that do not add up to their stroke"},
               {other_end, "a stroke that does not begin and end with its rows"},
               {not_finite_row, "a row that is none of its stroke"},
               {row_of_other, "a row that is none of its stroke"},
               {later_row, "a row that is none of its stroke"},
               {other_current, "rows that do not add up to their stroke"},
               {other_acceleration, "rows that do not add up to their stroke"},
               {faster_row, "a row that is none of its stroke"},
               {swapped_times, "a row that is none of its stroke"},
               {row_too_few, "a row that is none of its stroke"},
               {numbers_between, "rows that part others, with numbers"},
               {rows_of_none, "rows of no stroke"},
               {no_rows_of_one, "a row that is none of its stroke"}};
  const ArmModel model = arm();
  swings = true;
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    gsize length;
    g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
    g_assert_cmpuint(first_of(made)->kept.count, >=, ROWS);
    cases[k].harm(first_of(made));
    g_autofree char *bytes = aio_sums_format(made, &length);
    refuse_bytes(bytes, length, AIO_ERROR_MEANING, cases[k].expected);
  }
  swings = false;
}

static void test_saved_rows(void) {
  const ArmModel model = arm();
  gsize length;
  GError *error = NULL;
  swings = true;
  g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
  g_autofree char *bytes = aio_sums_format(made, &length);
  g_autoptr(AioSums) read = aio_sums_load_bytes("rows", bytes, length, &model, &error);
  g_assert_no_error(error);
  check_same(made, read);
  swings = false;
}

static void put_crc(char *bytes, gsize length) {
  const guint32 crc = GUINT32_TO_LE(wire_crc32(0, (const guint8 *)bytes + 16, length - 16));
  memcpy(bytes + 12, &crc, sizeof crc);
}

/* Every length but the whole, and counts beyond all memory at every place. */
static void test_cut_and_huge(void) {
  const ArmModel model = arm();
  gsize length;
  g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
  g_autofree char *bytes = aio_sums_format(made, &length);
  refuse_bytes(bytes, 10, AIO_ERROR_SYNTAX, "expected a file of sums");
  refuse_bytes(bytes, length - 1, AIO_ERROR_SYNTAX, "damaged or cut off");
  for (gsize end = 17; end < length; end += 97) {
    g_autofree char *cut = g_memdup2(bytes, end);
    put_crc(cut, end);
    refuse_bytes(cut, end, AIO_ERROR_MEANING, "found");
  }
  for (gsize at = 16; at + 8 <= 2000; at += 8) {
    GError *error = NULL;
    g_autofree char *huge = g_memdup2(bytes, length);
    memset(huge + at, 0xff, 5);
    put_crc(huge, length);
    g_autoptr(AioSums) read = aio_sums_load_bytes("huge", huge, length, &model, &error);
    g_assert_true((read == NULL) == (error != NULL));
    g_clear_error(&error);
  }
}

/* What an earlier version lacks no reader can make up. */
static void test_versions(void) {
  const ArmModel model = arm();
  gsize length;
  g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
  g_autofree char *bytes = aio_sums_format(made, &length);
  bytes[8] = 3;
  refuse_bytes(
      bytes, length, AIO_ERROR_REFUSED,
      "expected version 4 of the format, found version 3, of an earlier program: reduce its "
      "recordings again");
  bytes[8] = 5;
  refuse_bytes(bytes, length, AIO_ERROR_REFUSED,
               "expected version 4 of the format, found version 5");
}

static void test_twice_inside(void) {
  const ArmModel model = arm();
  gsize length;
  g_autoptr(AioSums) made = make(&model, DIGEST_A, 0), more = make(&model, DIGEST_B, 0);
  g_ptr_array_add(made->recordings, g_ptr_array_steal_index(more->recordings, 0));
  AioReduced *second = g_ptr_array_index(made->recordings, 1);
  g_free(second->digest);
  second->digest = g_strdup(DIGEST_A);
  g_autofree char *bytes = aio_sums_format(made, &length);
  refuse_bytes(bytes, length, AIO_ERROR_MEANING, "a recording is there twice");
}

static void test_other_joints(void) {
  ArmModel model = arm();
  GError *error = NULL;
  gsize length;
  g_autoptr(AioSums) made = make(&model, DIGEST_A, 0);
  g_autofree char *bytes = aio_sums_format(made, &length);
  model.joints[1].type = ARM_JOINT_T;
  g_assert_null(aio_sums_load_bytes("other", bytes, length, &model, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_nonnull(strstr(error->message, "found 2 joints, R R"));
  g_clear_error(&error);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sums-file/saved", test_saved);
  g_test_add_func("/sums-file/unreadable", test_unreadable);
  g_test_add_func("/sums-file/merged", test_merged);
  g_test_add_func("/sums-file/refused", test_refused);
  g_test_add_func("/sums-file/harmed", test_harmed);
  g_test_add_func("/sums-file/saved-rows", test_saved_rows);
  g_test_add_func("/sums-file/harmed-rows", test_harmed_rows);
  g_test_add_func("/sums-file/versions", test_versions);
  g_test_add_func("/sums-file/cut-and-huge", test_cut_and_huge);
  g_test_add_func("/sums-file/twice-inside", test_twice_inside);
  g_test_add_func("/sums-file/other-joints", test_other_joints);
  return g_test_run();
}
