/* SPDX-License-Identifier: MIT */
/* Rows that are kept to be read again, against the recordings that are put together in memory: the
 * same rows, and the same messages. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>

#include "core/num/filter.h"
#include "io/recording/row_store.h"

enum { JOINTS = 3, MANY = 240000 };

static char *directory;

static ArmModel arm(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, JOINTS), ==, ARM_OK);
  model.joints[2].type = ARM_JOINT_T;
  return model;
}

static const char head[] =
    "t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,qd2_rad_s,qd3_m_s,i1_A,i2_A,i3_A";

/* First one after the other, then each for a while, so that whole windows have the same. */
static int joint_of(gsize k) {
  return (int)((k < MANY / 2 ? k : k / 3000) % (JOINTS + 1));
}

/* Rows from `first` on, then what `tail` says. */
static char *write_csv(const char *name, gsize first, gsize rows, bool has_qdd, const char *tail) {
  g_autoptr(GString) text = g_string_new(head);
  g_string_append(text, has_qdd ? ",qdd2_rad_s2,more\n" : ",x_more\n");
  for (gsize k = first; k < first + rows; k++)
    g_string_append_printf(text, "%" G_GSIZE_FORMAT "e-3,%d,%d,2,3,-1,%d,,5,%d,7,%d%s\n",
                           10 * k + k % 3, joint_of(k), (int)k, (int)(k % 7), (int)(k % 11),
                           (int)(k % 5), has_qdd ? ",1" : "");
  g_string_append(text, tail);
  char *path = g_build_filename(directory, name, NULL);
  g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
  return path;
}

static bool is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void check_row(const ArmDataset *data, gsize r, const AioRecording *expected, gsize row) {
  g_assert_true(data->t[r] == expected->t[row]);
  g_assert_cmpint(data->joint[r], ==, expected->joint[row]);
  for (gsize j = 0; j < JOINTS; j++) {
    const gsize from = r + j * data->rows, at = row + j * expected->rows;
    g_assert_true(is_same(data->q[from], expected->q[at]));
    g_assert_true(is_same(data->qd[from], expected->qd[at]));
    g_assert_true(is_same(data->current[from], expected->current[at]));
    g_assert_true(!expected->qdd == !data->qdd);
    g_assert_true(!expected->qdd || is_same(data->qdd[from], expected->qdd[at]));
  }
}

/* Every row of every window, with the neighbours on both sides. */
static void check_rows(AioRowStore *store, const AioRecording *expected) {
  ArmRowOptions options;
  ArmWindows windows;
  const ArmModel model = arm();
  const ArmRowSource source = aio_row_store_source(store);
  double step;
  arm_row_options_default(&options);
  g_assert_cmpuint(source.rows, ==, expected->rows);
  g_assert_cmpint(arm_filter_median_step(expected->rows, expected->t, &step), ==, ARM_OK);
  g_assert_true(is_same(step, source.median_step));
  g_assert_cmpint(arm_windows_open(&windows, &model, &options, &source), ==, ARM_OK);
  for (gsize k = windows.count; k-- > 0;) {
    const ArmWindow *window;
    g_assert_cmpint(arm_windows_get(&windows, k, &window), ==, ARM_OK);
    const gsize first = window->data.first;
    for (gsize r = 0; r < window->end + ARM_WINDOW_MARGIN && first + r < expected->rows; r++)
      check_row(&window->data, r, expected, first + r);
    g_assert_cmpuint(first + window->begin, ==, k * source.width);
    g_assert_cmpuint(first + window->end, ==, MIN((k + 1) * source.width, expected->rows));
    for (gsize r = MIN(window->end + ARM_WINDOW_MARGIN, expected->rows - first);
         r < window->data.rows; r++)
      g_assert_cmpint(window->use[r], ==, ARM_ROW_NO_JOINT);
  }
  arm_windows_clear(&windows);
}

static void check_about(const AioRowStore *store, const AioRecording *expected) {
  const AioRecording *about = aio_row_store_about(store);
  gsize unmoved = 0;
  for (gsize row = 0; row < expected->rows; row++)
    unmoved += expected->joint[row] == 0;
  g_assert_cmpuint(aio_row_store_unmoved(store), ==, unmoved);
  g_assert_cmpstr(about->name, ==, expected->name);
  g_assert_cmpmem(about->is_torque, sizeof about->is_torque, expected->is_torque,
                  sizeof expected->is_torque);
  g_assert_cmpmem(about->has_current, sizeof about->has_current, expected->has_current,
                  sizeof expected->has_current);
  g_assert_cmpmem(about->segments->data, about->segments->len * sizeof(gsize),
                  expected->segments->data, expected->segments->len * sizeof(gsize));
  g_assert_cmpmem(about->shifts->data, about->shifts->len * sizeof(double), expected->shifts->data,
                  expected->shifts->len * sizeof(double));
  g_assert_cmpuint(about->ignored->len, ==, expected->ignored->len);
}

/* Files into a store and into the memory; the same message when they are refused. */
static bool compare(char *const *paths, gsize count, double rate_Hz) {
  const ArmModel model = arm();
  AioRowStore *store = aio_row_store_new(&model);
  AioRecording *all = NULL;
  GError *refused = NULL, *expected = NULL;
  for (gsize k = 0; k < count && !refused; k++)
    g_assert_true(aio_row_store_add(store, paths[k], rate_Hz, NULL, &refused) == !refused);
  for (gsize k = 0; k < count && !expected; k++) {
    AioRecording *next = aio_recording_load_at(paths[k], &model, rate_Hz, &expected);
    if (next && all)
      aio_recording_append(all, next, &expected);
    if (next && !all)
      all = g_steal_pointer(&next);
    aio_recording_free(next);
  }
  g_assert_cmpstr(refused ? refused->message : NULL, ==, expected ? expected->message : NULL);
  if (!refused) {
    check_about(store, all);
    check_rows(store, all);
    g_assert_null(aio_row_store_error(store));
  }
  const bool is_good = !refused;
  g_clear_error(&refused);
  g_clear_error(&expected);
  aio_recording_free(all);
  aio_row_store_free(store);
  return is_good;
}

/* Accelerations of a file that comes later: rows before it have the column, too. */
static void test_expected(void) {
  char *paths[] = {write_csv("a.csv", 5, 1500, false, ""), write_csv("b.csv", 700, 1030, true, "")};
  const ArmModel model = arm();
  AioRowStore *store = aio_row_store_new(&model);
  AioRecording *all = aio_recording_load(paths[0], &model, NULL);
  AioRecording *next = aio_recording_load(paths[1], &model, NULL);
  aio_row_store_expect(store, "/nonexistent");
  aio_row_store_expect(store, paths[1]);
  for (int k = 0; k < 2; k++)
    g_assert_true(aio_row_store_add(store, paths[k], NAN, NULL, NULL));
  g_assert_true(aio_recording_append(all, next, NULL));
  g_assert_nonnull(all->qdd);
  check_rows(store, all);
  aio_recording_free(all);
  aio_recording_free(next);
  aio_row_store_free(store);
  g_free(paths[0]);
  g_free(paths[1]);
}

/* ---- what a fit makes of the rows ---- */

static void round_small(AioRecording *recording, const double *rounding) {
  for (gsize k = 0; k < recording->n * recording->rows; k++)
    if (fabs(recording->qdd[k]) <= rounding[k / recording->rows])
      recording->qdd[k] = 0.0;
}

static AioRecording *made_of(const AioRecording *all, const ArmModel *model, double factor) {
  AioRecording *made = aio_recording_new("made", model, all->rows, true, NULL);
  for (gsize row = 0; row < all->rows; row++) {
    made->t[row] = all->t[row] + 0.5 * factor;
    made->joint[row] = all->joint[row];
  }
  for (gsize k = 0; k < all->n * all->rows; k++) {
    made->q[k] = all->q[k];
    made->qd[k] = factor * all->qd[k];
    made->current[k] = all->current[k] - factor;
    made->qdd[k] = (double)(k % 13) - 6.0;
  }
  return made;
}

static void check_kept(const ArmRowSource *source, const AioRecording *made) {
  for (gsize k = 0; k * source->width < made->rows; k++) {
    ArmDataset view;
    g_assert_cmpint(source->read(source->user, k, &view), ==, ARM_OK);
    for (gsize row = view.first; row < MIN((k + 1) * source->width + 2, made->rows); row++)
      check_row(&view, row - view.first, made, row);
  }
}

/* Of two files, beyond the memory, twice: each fit begins anew. */
static void test_kept(void) {
  char *paths[] = {write_csv("a.csv", 5, 100000, false, ""),
                   write_csv("b.csv", 5, 2000, false, "")};
  const double rounding[JOINTS] = {0.0, 2.0, 4.0};
  const ArmModel model = arm();
  AioRowStore *store = aio_row_store_new(&model);
  AioRecording *all = aio_recording_load(paths[0], &model, NULL);
  AioRecording *next = aio_recording_load(paths[1], &model, NULL);
  g_assert_true(aio_recording_append(all, next, NULL));
  for (int k = 0; k < 2; k++)
    g_assert_true(aio_row_store_add(store, paths[k], NAN, NULL, NULL));
  const ArmRowSource source = aio_row_store_source(store);
  for (int k = 1; k < 3; k++) {
    AioRecording *made = made_of(all, &model, k);
    ArmRowSource kept;
    const ArmDataset rows = aio_recording_dataset(made);
    for (gsize row = 0; row < rows.rows; row += 777)
      g_assert_cmpint(
          source.keeper->put(source.keeper->user, &rows, row, MIN(row + 777, rows.rows)), ==,
          ARM_OK);
    g_assert_cmpint(source.keeper->end(source.keeper->user, rounding, &kept), ==, ARM_OK);
    g_assert_cmpuint(kept.rows, ==, made->rows);
    round_small(made, rounding);
    check_kept(&kept, made);
    aio_recording_free(made);
  }
  check_rows(store, all);
  aio_recording_free(all);
  aio_recording_free(next);
  aio_row_store_free(store);
  g_free(paths[0]);
  g_free(paths[1]);
}

static void test_sizes(void) {
  static const gsize rows[] = {1, 2, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 2050, 5000};
  for (gsize k = 0; k < G_N_ELEMENTS(rows); k++) {
    g_autofree char *path = write_csv("a.csv", 5, rows[k], k % 2, "");
    g_assert_true(compare(&path, 1, NAN));
  }
}

static void test_joined(void) {
  char *paths[] = {write_csv("a.csv", 5, 1500, true, ""), write_csv("b.csv", 700, 1030, true, ""),
                   write_csv("c.csv", 900000, 3, false, ""),
                   write_csv("d.csv", 17, 4000, false, "")};
  g_assert_true(compare(paths, G_N_ELEMENTS(paths), NAN));
  for (gsize k = 0; k < G_N_ELEMENTS(paths); k++)
    g_free(paths[k]);
}

/* More than the memory is to hold. */
static void test_spilled(void) {
  char *paths[] = {write_csv("a.csv", 5, MANY, false, ""), write_csv("b.csv", 5, 2000, false, "")};
  g_assert_true(compare(paths, G_N_ELEMENTS(paths), NAN));
  g_free(paths[0]);
  g_free(paths[1]);
}

static void test_refused(void) {
  static const char *const tails[] = {
      "90,1,0,2,3,1,1,,5,6,7,\n1,1,0,2,3,1,1,,5,6,7,\n", /* runs back */
      ",1,0,2,3,1,1,,5,6,7,\n",
      "90,7,0,2,3,1,1,,5,6,7,\n",
      "1,1,0,2,3,1,1,,5,6,7,\n90,7,0,2,3,1,1,,5,6,7,\n95,1,0,2,3,1,1,,x,6,7,\n",
      "1,1,0,2,3,1,1,,5,6,7,\n90,7,0,2,3,1,1,,5,6,7,\n95,1,0,2,3,1e20,1,,5,6,7,\n",
      "90,1,0,2,3\n",
  };
  for (gsize k = 0; k < G_N_ELEMENTS(tails); k++) {
    g_autofree char *path = write_csv("a.csv", 5, 3000, false, tails[k]);
    g_assert_false(compare(&path, 1, NAN));
    g_assert_false(compare(&path, 1, 100.0)); /* it has a time */
  }
  g_autofree char *missing = g_build_filename(directory, "none.csv", NULL);
  g_assert_false(compare(&missing, 1, NAN));
}

static void test_columns(void) {
  static const char *const texts[] = {
      "joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_A\n1,0,0,0,1,2\n1,0,0,0,1,2\n",
      "t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_A\n0,1,0,0,0,1,2\n1,2,0,0,0,1,2\n0,1,0,0,0,1,2\n",
      "t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s\n0,1,0,0,0,1\n",
      "t_s,joint,q1_rad,q2_rad,qd1_rad_s\n0,1,0,0,1\n",
      "t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,tau1_Nm\n0,1,0,0,0,1,2\n",
  };
  g_autofree char *good = write_csv("a.csv", 5, 100, false, "");
  for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
    g_autofree char *path = g_build_filename(directory, "b.csv", NULL);
    g_assert_true(g_file_set_contents(path, texts[k], -1, NULL));
    char *both[] = {good, path};
    compare(&path, 1, NAN);
    compare(&path, 1, 50.0);
    compare(both, 2, NAN);
  }
}

static void test_sum(void) {
  const ArmModel model = arm();
  g_autofree char *path = write_csv("a.csv", 5, 9000, false, "");
  g_autofree char *bytes = NULL;
  gsize length;
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  AioRowStore *store = aio_row_store_new(&model);
  g_assert_true(aio_row_store_add(store, path, NAN, sum, NULL));
  g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
  g_autofree char *expected =
      g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, length);
  g_assert_cmpstr(g_checksum_get_string(sum), ==, expected);
  aio_row_store_free(store);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("armature-XXXXXX", NULL);
  g_test_add_func("/row_store/sizes", test_sizes);
  g_test_add_func("/row_store/joined", test_joined);
  g_test_add_func("/row_store/expected", test_expected);
  g_test_add_func("/row_store/kept", test_kept);
  g_test_add_func("/row_store/spilled", test_spilled);
  g_test_add_func("/row_store/refused", test_refused);
  g_test_add_func("/row_store/columns", test_columns);
  g_test_add_func("/row_store/sum", test_sum);
  const int code = g_test_run();
  static const char *const names[] = {"a.csv", "b.csv", "c.csv", "d.csv"};
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++) {
    g_autofree char *path = g_build_filename(directory, names[k], NULL);
    g_unlink(path);
  }
  g_rmdir(directory);
  g_free(directory);
  return code;
}
