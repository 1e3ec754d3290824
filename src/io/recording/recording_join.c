/* SPDX-License-Identifier: MIT */
/* Puts recordings together, and writes them. */
#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "io/base/file.h"
#include "io/csv/csv_number_write.h"
#include "io/recording/recording.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_internal.h"

/* Any gap beyond ARM_FILTER_GAP_STEPS would do: no filter and no stroke reaches across. */
enum { JOIN_GAP_STEPS = 100 };
#define JOIN_GAP_S 1.0

bool aio_recording_check_alike(const AioRecording *dst, const AioRecording *src, GError **error) {
  bool is_alike = dst->n == src->n;
  for (gsize j = 0; is_alike && j < dst->n; j++)
    is_alike = dst->type[j] == src->type[j];
  if (!is_alike) {
    aio_error_set_at(error, AIO_ERROR_MEANING, src->name, 0, 0, NULL,
                     "a recording of the same arm as before", "other joints");
    return false;
  }
  for (gsize j = 0; j < dst->n; j++) {
    if (!dst->has_current[j] || !src->has_current[j] || dst->is_torque[j] == src->is_torque[j])
      continue;
    char *key = g_strdup_printf("joint %" G_GSIZE_FORMAT, j + 1);
    char *expected =
        g_strdup_printf("a %s as in %s", dst->is_torque[j] ? "torque" : "current", dst->name);
    aio_error_set_at(error, AIO_ERROR_MEANING, src->name, 0, 0, key, expected,
                     src->is_torque[j] ? "a torque" : "a current");
    g_free(key);
    g_free(expected);
    return false;
  }
  return true;
}

double aio_recording_shift(double last, double step_before, double first, double step) {
  const double gap = fmax(JOIN_GAP_S, JOIN_GAP_STEPS * fmax(step_before, step));
  const double earliest = last + gap;
  return first >= earliest ? 0 : earliest - first;
}

/* Shift of the time of src; NAN when memory fails. */
static double time_shift(const AioRecording *dst, const AioRecording *src) {
  if (dst->rows == 0 || src->rows == 0)
    return 0;
  double step_dst, step_src;
  if (arm_filter_median_step(dst->rows, dst->t, &step_dst) != ARM_OK ||
      arm_filter_median_step(src->rows, src->t, &step_src) != ARM_OK)
    return NAN;
  return aio_recording_shift(dst->t[dst->rows - 1], step_dst, src->t[0], step_src);
}

static void copy_columns(double *into, gsize into_rows, gsize first, const double *from, gsize rows,
                         gsize n) {
  for (gsize j = 0; from && j < n; j++)
    memcpy(into + j * into_rows + first, from + j * rows, rows * sizeof *from);
}

static void copy_rows(AioRecording *into, gsize first, const AioRecording *from, double shift) {
  for (gsize row = 0; row < from->rows; row++) {
    into->t[first + row] = from->t[row] + shift;
    into->joint[first + row] = from->joint[row];
  }
  copy_columns(into->q, into->rows, first, from->q, from->rows, from->n);
  copy_columns(into->qd, into->rows, first, from->qd, from->rows, from->n);
  copy_columns(into->qdd, into->rows, first, from->qdd, from->rows, from->n);
  copy_columns(into->current, into->rows, first, from->current, from->rows, from->n);
}

static void note_columns(AioRecording *into, const AioRecording *from) {
  into->has_time = into->has_time || from->has_time;
  into->has_joint = into->has_joint || from->has_joint;
  for (gsize j = 0; j < from->n; j++) {
    into->has_speed[j] = into->has_speed[j] || from->has_speed[j];
    into->has_current[j] = into->has_current[j] || from->has_current[j];
    into->is_torque[j] = into->is_torque[j] || from->is_torque[j];
  }
}

void aio_recording_note(AioRecording *dst, const AioRecording *src, gsize first, double shift) {
  note_columns(dst, src);
  for (guint k = 0; k < src->segments->len; k++) {
    const gsize row = first + g_array_index(src->segments, gsize, k);
    const double shifted = shift + g_array_index(src->shifts, double, k);
    g_array_append_val(dst->segments, row);
    g_array_append_val(dst->shifts, shifted);
  }
  for (guint k = 0; k < src->ignored->len; k++) {
    const char *name = g_ptr_array_index(src->ignored, k);
    if (!g_ptr_array_find_with_equal_func(dst->ignored, name, g_str_equal, NULL))
      g_ptr_array_add(dst->ignored, g_strdup(name));
  }
}

bool aio_recording_append(AioRecording *dst, const AioRecording *src, GError **error) {
  if (!aio_recording_check_alike(dst, src, error))
    return false;
  ArmModel arm = {.n = dst->n};
  for (gsize j = 0; j < dst->n; j++)
    arm.joints[j].type = dst->type[j];
  const double shift = time_shift(dst, src);
  AioRecording *both =
      aio_recording_new(dst->name, &arm, dst->rows + src->rows, dst->qdd || src->qdd, error);
  if (!both)
    return false;
  copy_rows(both, 0, dst, 0);
  copy_rows(both, dst->rows, src, shift);
  g_array_set_size(both->segments, 0);
  g_array_set_size(both->shifts, 0);
  aio_recording_note(both, dst, 0, 0);
  aio_recording_note(both, src, dst->rows, shift);
  const AioRecording swap = *dst;
  *dst = *both;
  *both = swap;
  aio_recording_free(both);
  return true;
}

/* Columns in their order: of which kind, of which joint. */
typedef struct {
  AioChannelKind kind;
  gsize joint;
} Column;

typedef struct {
  gsize count;
  Column at[4 * ARM_MAX_JOINTS];
} Columns;

static void add_columns(Columns *columns, AioChannelKind kind, gsize n, const bool *has) {
  for (gsize j = 0; j < n; j++)
    if (!has || has[j])
      columns->at[columns->count++] = (Column){kind, j};
}

static void list_columns(const AioRecording *about, bool has_qdd, Columns *columns) {
  columns->count = 0;
  add_columns(columns, AIO_CHANNEL_Q, about->n, NULL);
  add_columns(columns, AIO_CHANNEL_QD, about->n, about->has_speed);
  if (has_qdd)
    add_columns(columns, AIO_CHANNEL_QDD, about->n, NULL);
  add_columns(columns, AIO_CHANNEL_CURRENT, about->n, about->has_current);
}

static char *name_of(const AioRecording *about, Column column) {
  const bool is_torque = column.kind == AIO_CHANNEL_CURRENT && about->is_torque[column.joint];
  return aio_recording_column_name(is_torque ? AIO_CHANNEL_TORQUE : column.kind, column.joint,
                                   about->type[column.joint]);
}

static const double *values_of(const ArmDataset *data, Column column) {
  const double *all = column.kind == AIO_CHANNEL_Q     ? data->q
                      : column.kind == AIO_CHANNEL_QD  ? data->qd
                      : column.kind == AIO_CHANNEL_QDD ? data->qdd
                                                       : data->current;
  return all + column.joint * data->rows;
}

static void append_cell(GString *text, double value) {
  char number[AIO_NUMBER_ROOM];
  if (!isnan(value))
    g_string_append_len(text, number, (gssize)aio_number_write(value, number));
}

void aio_recording_append_header(const AioRecording *about, bool has_qdd, GString *text) {
  Columns columns;
  list_columns(about, has_qdd, &columns);
  g_string_append(text, "t_s,joint");
  for (gsize k = 0; k < columns.count; k++) {
    char *name = name_of(about, columns.at[k]);
    g_string_append_printf(text, ",%s", name);
    g_free(name);
  }
  g_string_append_c(text, '\n');
}

void aio_recording_append_rows(const AioRecording *about, const ArmDataset *data, gsize begin,
                               gsize end, GString *text) {
  const double *values[4 * ARM_MAX_JOINTS];
  Columns columns;
  list_columns(about, data->qdd != NULL, &columns);
  for (gsize k = 0; k < columns.count; k++)
    values[k] = values_of(data, columns.at[k]);
  for (gsize row = begin; row < end; row++) {
    append_cell(text, data->t[row]);
    g_string_append_printf(text, ",%d", data->joint[row]);
    for (gsize k = 0; k < columns.count; k++) {
      g_string_append_c(text, ',');
      append_cell(text, values[k][row]);
    }
    g_string_append_c(text, '\n');
  }
}

GString *aio_recording_to_csv(const AioRecording *recording) {
  const ArmDataset data = aio_recording_dataset(recording);
  GString *text = g_string_new(NULL);
  aio_recording_append_header(recording, recording->qdd != NULL, text);
  aio_recording_append_rows(recording, &data, 0, recording->rows, text);
  return text;
}

bool aio_recording_write(const AioRecording *recording, const char *path, bool force,
                         GError **error) {
  GString *text = aio_recording_to_csv(recording);
  const bool is_written = aio_file_write_atomic(path, text->str, text->len, force, error);
  g_string_free(text, TRUE);
  return is_written;
}
