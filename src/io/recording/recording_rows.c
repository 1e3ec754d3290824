/* SPDX-License-Identifier: MIT */
/* What two readings must agree on is in `Reading`: which samples make a row, and its time within
 * the connection. */
#include "io/recording/recording_rows.h"

#include <math.h>

#include "io/base/spool.h"
#include "io/csv/csv_number_write.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_internal.h"

/* Of one connection. */
typedef struct {
  gsize chunks, rows;
  guint64 first_us, before_us;
} Reading;

struct AioRows {
  char *name;
  const ArmModel *model;
  bool has_speed[ARM_MAX_JOINTS], has_current[ARM_MAX_JOINTS];
  Reading reading;
  GError *error;    /* of this connection */
  AioSpool *times;  /* of this connection [s] */
  AioSpool *steps;  /* between them */
  AioSpool *before; /* steps of the connections before, in their shifted times */
  double last;      /* time of their last row */
  gsize total;      /* rows of the connections that have ended */
  gsize unordered;  /* samples of all that are no rows, and no repetitions */
  GArray *shifts;   /* double: of each connection [s] */
  guint connection; /* of the second reading */
};

AioRows *aio_rows_new(const char *name, const ArmModel *model) {
  AioRows *rows = g_new0(AioRows, 1);
  rows->name = g_strdup(name);
  rows->model = model;
  rows->times = aio_spool_new();
  rows->steps = aio_spool_new();
  rows->before = aio_spool_new();
  rows->shifts = g_array_new(FALSE, TRUE, sizeof(double));
  return rows;
}

void aio_rows_free(AioRows *rows) {
  if (!rows)
    return;
  g_free(rows->name);
  g_clear_error(&rows->error);
  aio_spool_free(rows->times);
  aio_spool_free(rows->steps);
  aio_spool_free(rows->before);
  g_array_unref(rows->shifts);
  g_free(rows);
}

/* Is sample k a row? Its time is then `*t`. */
static bool take_sample(Reading *reading, const AioChunk *chunk, guint k, double *t) {
  const guint64 t_us = chunk->t_us[k];
  if (reading->rows > 0 && t_us == reading->before_us)
    return false;
  if (reading->rows++ == 0)
    reading->first_us = t_us;
  reading->before_us = t_us;
  *t = 1e-6 * (double)(t_us - reading->first_us);
  return true;
}

/* ---- the first reading ---- */

static void add_step(AioSpool *steps, double step) {
  if (step > 0.0 && isfinite(step)) /* as arm_filter_median_step */
    aio_spool_add(steps, step);
}

static void find_columns(AioRows *rows, const AioChunk *chunk, guint k) {
  for (gsize j = 0; j < rows->model->n; j++) {
    const gsize at = (gsize)k * chunk->joints + j;
    rows->has_speed[j] = rows->has_speed[j] || !isnan(chunk->qd[at]);
    rows->has_current[j] = rows->has_current[j] || !isnan(chunk->current[at]);
  }
}

void aio_rows_count(AioRows *rows, const AioChunk *chunk) {
  Reading *reading = &rows->reading;
  double t, before = 1e-6 * (double)(reading->before_us - reading->first_us);
  const gsize index = reading->chunks++;
  if (rows->error ||
      !aio_recording_check_joints(rows->name, index, rows->model->n, chunk->joints, &rows->error))
    return;
  for (guint k = 0; k < chunk->n; k++) {
    if (reading->rows > 0 && chunk->t_us[k] < reading->before_us) {
      aio_recording_fail_time(rows->name, index, &rows->error);
      return;
    }
    rows->unordered +=
        reading->rows > 0 && aio_recording_is_unordered(chunk, k, reading->before_us);
    if (!take_sample(reading, chunk, k, &t))
      continue;
    if (reading->rows > 1)
      add_step(rows->steps, t - before);
    aio_spool_add(rows->times, t);
    find_columns(rows, chunk, k);
    before = t;
  }
}

typedef struct {
  AioRows *rows;
  double shift, last; /* NAN: no row yet */
} Shifting;

static void shift_time(double t, void *data) {
  Shifting *shifting = data;
  const double shifted = t + shifting->shift;
  add_step(shifting->rows->before, shifted - shifting->last);
  shifting->last = shifted;
}

/* Where the time of this connection begins behind those before it. */
static bool find_shift(AioRows *rows, double *shift, GError **error) {
  double step_before, step;
  *shift = 0.0;
  if (rows->total == 0)
    return true;
  if (!aio_spool_median(rows->before, &step_before, error) ||
      !aio_spool_median(rows->steps, &step, error))
    return false;
  *shift = aio_recording_shift(rows->last, step_before, 0.0, step);
  return true;
}

bool aio_rows_end_connection(AioRows *rows, GError **error) {
  double shift;
  if (rows->reading.chunks == 0)
    return true;
  if (rows->error) {
    g_propagate_error(error, g_steal_pointer(&rows->error));
    return false;
  }
  if (!find_shift(rows, &shift, error))
    return false;
  Shifting shifting = {rows, shift, rows->total > 0 ? rows->last : (double)NAN};
  if (!aio_spool_each(rows->times, shift_time, &shifting, error))
    return false;
  rows->last = shifting.last;
  rows->total += rows->reading.rows;
  g_array_append_val(rows->shifts, shift);
  rows->reading = (Reading){0};
  aio_spool_clear(rows->times);
  aio_spool_clear(rows->steps);
  return true;
}

gsize aio_rows_total(const AioRows *rows) {
  return rows->total;
}

gsize aio_rows_unordered(const AioRows *rows) {
  return rows->unordered;
}

/* ---- the second reading ---- */

static void append_names(const AioRows *rows, AioChannelKind kind, const bool *has, GString *text) {
  for (gsize j = 0; j < rows->model->n; j++) {
    if (has && !has[j])
      continue;
    char *name = aio_recording_column_name(kind, j, rows->model->joints[j].type);
    g_string_append_printf(text, ",%s", name);
    g_free(name);
  }
}

void aio_rows_append_header(const AioRows *rows, GString *text) {
  g_string_append(text, "t_s,joint");
  append_names(rows, AIO_CHANNEL_Q, NULL, text);
  append_names(rows, AIO_CHANNEL_QD, rows->has_speed, text);
  append_names(rows, AIO_CHANNEL_CURRENT, rows->has_current, text);
  g_string_append_c(text, '\n');
}

static char *put_number(char *at, double value) {
  return isnan(value) ? at : at + aio_number_write(value, at);
}

static char *put_values(char *at, const double *values, const bool *has, gsize n) {
  for (gsize j = 0; j < n; j++) {
    if (has && !has[j])
      continue;
    *at++ = ',';
    at = put_number(at, values[j]);
  }
  return at;
}

void aio_rows_append(AioRows *rows, const AioChunk *chunk, GString *text) {
  const gsize n = rows->model->n;
  const double shift = g_array_index(rows->shifts, double, rows->connection);
  double t;
  for (guint k = 0; k < chunk->n; k++) {
    if (!take_sample(&rows->reading, chunk, k, &t))
      continue;
    const gsize begin = text->len, from = (gsize)k * n;
    g_string_set_size(text, begin + (3 * n + 2) * (AIO_NUMBER_ROOM + 1));
    char *at = put_number(text->str + begin, t + shift);
    *at++ = ',';
    at = put_number(at, chunk->joint[k]);
    at = put_values(at, chunk->q + from, NULL, n);
    at = put_values(at, chunk->qd + from, rows->has_speed, n);
    at = put_values(at, chunk->current + from, rows->has_current, n);
    *at++ = '\n';
    g_string_truncate(text, (gsize)(at - text->str));
  }
}

void aio_rows_next_connection(AioRows *rows) {
  rows->connection += rows->reading.rows > 0;
  rows->reading = (Reading){0};
}
