/* SPDX-License-Identifier: MIT */
/* CSV to a recording: which columns a use needs (a fit, a prediction, a motion), and what a value
 * may be. What is missing, repeats or runs back is told by line, before any filter turns it into
 * noise. */
#include "io/recording/recording.h"

#include <math.h>
#include <string.h>

#include "io/base/file.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_internal.h"

static double *new_nans(gsize count) {
  double *values = g_try_new(double, MAX(count, 1));
  for (gsize k = 0; values && k < count; k++)
    values[k] = NAN;
  return values;
}

AioRecording *aio_recording_new(const char *name, const ArmModel *model, gsize rows, bool has_qdd,
                                GError **error) {
  AioRecording *recording = g_new0(AioRecording, 1);
  const gsize first = 0;
  recording->name = g_strdup(name);
  recording->n = model->n;
  recording->rows = rows;
  for (gsize j = 0; j < model->n; j++)
    recording->type[j] = model->joints[j].type;
  recording->ignored = g_ptr_array_new_with_free_func(g_free);
  recording->segments = g_array_new(FALSE, FALSE, sizeof(gsize));
  g_array_append_val(recording->segments, first);
  recording->shifts = g_array_new(FALSE, TRUE, sizeof(double));
  g_array_set_size(recording->shifts, 1);
  recording->t = new_nans(rows);
  recording->joint = g_try_new0(int, MAX(rows, 1));
  recording->q = new_nans(rows * model->n);
  recording->qd = new_nans(rows * model->n);
  recording->current = new_nans(rows * model->n);
  recording->qdd = has_qdd ? new_nans(rows * model->n) : NULL;
  if (recording->t && recording->joint && recording->q && recording->qd && recording->current &&
      (recording->qdd || !has_qdd))
    return recording;
  aio_error_set_at(error, AIO_ERROR_MEMORY, name, 0, 0, NULL, NULL, "too large for the memory");
  aio_recording_free(recording);
  return NULL;
}

void aio_recording_free(AioRecording *recording) {
  if (!recording)
    return;
  g_free(recording->name);
  g_free(recording->t);
  g_free(recording->joint);
  g_free(recording->q);
  g_free(recording->qd);
  g_free(recording->qdd);
  g_free(recording->current);
  g_ptr_array_unref(recording->ignored);
  g_array_unref(recording->segments);
  g_array_unref(recording->shifts);
  g_free(recording);
}

ArmDataset aio_recording_dataset(const AioRecording *recording) {
  ArmDataset data = {
      .n = recording->n,
      .rows = recording->rows,
      .t = recording->t,
      .joint = recording->joint,
      .q = recording->q,
      .qd = recording->qd,
      .qdd = recording->qdd,
      .current = recording->current,
  };
  memcpy(data.is_torque, recording->is_torque, sizeof data.is_torque);
  return data;
}

/* What aio_csv_read fills. */
typedef struct {
  gsize count;
  gsize column[5 * ARM_MAX_JOINTS + 2];
  double *into[5 * ARM_MAX_JOINTS + 2];
} Plan;

static void plan_column(Plan *plan, gssize column, double *into) {
  if (column < 0)
    return;
  plan->column[plan->count] = (gsize)column;
  plan->into[plan->count++] = into;
}

static void plan_joint(Plan *plan, const AioRecordingColumns *columns, AioRecording *recording,
                       gsize j, bool is_motion) {
  const gsize at = j * recording->rows;
  plan_column(plan, columns->q[j], recording->q + at);
  plan_column(plan, columns->qd[j], recording->qd + at);
  if (recording->qdd)
    plan_column(plan, columns->qdd[j], recording->qdd + at);
  recording->has_speed[j] = columns->qd[j] >= 0;
  if (!is_motion)
    return;
  plan_column(plan, columns->current[j], recording->current + at);
  plan_column(plan, columns->torque[j], recording->current + at);
  recording->is_torque[j] = columns->torque[j] >= 0;
  recording->has_current[j] = columns->current[j] >= 0 || recording->is_torque[j];
}

static bool fail_value(const AioCsv *csv, gsize row, const char *key, const char *expected,
                       double value, GError **error) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  aio_error_set_at(
      error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_row_line(csv, row), 0, key, expected,
      isnan(value) ? "an empty cell" : g_ascii_formatd(number, sizeof number, "%.10g", value));
  return false;
}

typedef struct {
  double most;
  const char *expected;
} Limit;

static bool is_in(const AioRecording *recording, const double *values, const double *column) {
  return values && column >= values && column < values + recording->rows * recording->n;
}

/* The most that a column may hold; infinite: anything. */
static Limit limit_of(const AioRecording *recording, const double *column) {
  if (is_in(recording, recording->q, column) || is_in(recording, recording->qd, column) ||
      is_in(recording, recording->qdd, column))
    return (Limit){AIO_MOST_MOTION, "a number from -1e15 to 1e15"};
  if (is_in(recording, recording->current, column))
    return (Limit){AIO_MOST_EFFORT, "a number from -1e9 to 1e9"};
  return (Limit){.most = (double)INFINITY};
}

/* The columns in their order, of each the first row. */
static void check_sizes(const AioCsv *csv, const Plan *plan, const AioRecording *recording,
                        AioFaults *faults) {
  for (gsize k = 0; k < plan->count && !(faults->size && k >= faults->size_column); k++) {
    const Limit limit = limit_of(recording, plan->into[k]);
    for (gsize row = 0; row < recording->rows && isfinite(limit.most); row++)
      if (fabs(plan->into[k][row]) > limit.most) {
        char *label = aio_csv_column_label(csv, plan->column[k]);
        g_clear_error(&faults->size);
        fail_value(csv, row, label, limit.expected, plan->into[k][row], &faults->size);
        faults->size_column = k;
        g_free(label);
        return;
      }
  }
}

static void read_joints(const AioCsv *csv, const double *values, AioRecording *recording,
                        AioFaults *faults) {
  for (gsize row = 0; row < recording->rows; row++) {
    const double value = values[row];
    if (!(value >= 0 && value <= (double)recording->n && value == floor(value))) {
      char *expected = g_strdup_printf("a whole number from 0 to %" G_GSIZE_FORMAT, recording->n);
      if (!faults->joint)
        fail_value(csv, row, "joint", expected, value, &faults->joint);
      g_free(expected);
      return;
    }
    recording->joint[row] = (int)value;
  }
}

/* ---- what a fit needs beyond the positions ---- */

static void fail_time(const AioCsv *csv, const AioRecording *recording, gsize row,
                      const AioClock *clock, AioFaults *faults) {
  char before[G_ASCII_DTOSTR_BUF_SIZE], now[G_ASCII_DTOSTR_BUF_SIZE];
  const double t = recording->t[row];
  char *expected = g_strdup_printf("a time after %s of the line before",
                                   g_ascii_formatd(before, sizeof before, "%.10g", clock->last));
  char *found = g_strdup_printf(
      "%s%s", g_ascii_formatd(now, sizeof now, "%.10g", t),
      t == clock->last          ? " again"
      : t <= clock->first + 1.0 ? ": time starts again, keep each recording in a file of its own"
                                : ": time runs back");
  aio_error_set_at(&faults->time, AIO_ERROR_REFUSED, aio_csv_name(csv), aio_csv_row_line(csv, row),
                   0, "t_s", expected, found);
  g_free(expected);
  g_free(found);
}

static void check_time(const AioCsv *csv, const AioRecording *recording, AioClock *clock,
                       AioFaults *faults) {
  for (gsize row = 0; row < recording->rows && !faults->time; row++) {
    const double t = recording->t[row];
    if (isnan(t))
      fail_value(csv, row, "t_s", "a time in every row", t, &faults->time);
    else if (clock->runs && !(t > clock->last))
      fail_time(csv, recording, row, clock, faults);
    clock->first = clock->runs ? clock->first : t;
    clock->last = t;
    clock->runs = true;
  }
}

bool aio_recording_check_time(const AioCsv *csv, const AioRecording *recording, double last,
                              GError **error) {
  AioClock clock = {
      .runs = !isnan(last), .first = recording->rows > 0 ? recording->t[0] : last, .last = last};
  AioFaults faults = {0};
  check_time(csv, recording, &clock, &faults);
  return aio_recording_faults_end(&faults, error);
}

static bool has_any_current(const AioRecording *recording) {
  for (gsize j = 0; j < recording->n; j++)
    if (recording->has_current[j])
      return true;
  return false;
}

static void check_speeds(const AioCsv *csv, const AioRecording *recording, AioFaults *faults) {
  if (!faults->column && !has_any_current(recording))
    aio_recording_column_missing(csv, "i1_A", &faults->column);
  for (gsize row = 0; row < recording->rows && !faults->column; row++) {
    const int joint = recording->joint[row];
    if (joint == 0 || recording->has_speed[joint - 1])
      continue;
    char *name =
        aio_recording_column_name(AIO_CHANNEL_QD, (gsize)joint - 1, recording->type[joint - 1]);
    aio_recording_column_missing(csv, name, &faults->column);
    g_free(name);
  }
}

void aio_recording_check_motion(const AioCsv *csv, const AioRecording *recording, AioClock *clock,
                                AioFaults *faults) {
  check_speeds(csv, recording, faults);
  check_time(csv, recording, clock, faults);
}

bool aio_recording_faults_end(AioFaults *faults, GError **error) {
  GError **const all[] = {&faults->size, &faults->joint, &faults->column, &faults->time};
  bool is_good = true;
  for (gsize k = 0; k < G_N_ELEMENTS(all); k++) {
    if (*all[k] && is_good)
      g_propagate_error(error, g_steal_pointer(all[k]));
    else if (!*all[k])
      continue;
    is_good = false;
    g_clear_error(all[k]);
  }
  return is_good;
}

/* Time is measured or stated, not both. */
static bool check_clock(const AioCsv *csv, const AioRecordingColumns *columns, double rate_Hz,
                        GError **error) {
  if (isnan(rate_Hz) && columns->time < 0)
    return aio_recording_column_missing(csv, "t_s", error);
  if (isnan(rate_Hz) || columns->time < 0)
    return true;
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_csv_name(csv), aio_csv_header_line(csv),
                   aio_csv_header_column(csv, (gsize)columns->time), "t_s",
                   "no time beside a stated sample rate", "a column of time");
  return false;
}

bool aio_recording_check_required(const AioCsv *csv, const ArmModel *model,
                                  const AioRecordingColumns *columns, const AioReading *reading,
                                  GError **error) {
  const bool is_motion = reading->is_motion;
  if (is_motion && !check_clock(csv, columns, reading->rate_Hz, error))
    return false;
  if (is_motion && columns->joint < 0)
    return aio_recording_column_missing(csv, "joint", error);
  for (gsize j = 0; j < model->n; j++) {
    if (columns->q[j] >= 0)
      continue;
    char *name = aio_recording_column_name(AIO_CHANNEL_Q, j, model->joints[j].type);
    aio_recording_column_missing(csv, name, error);
    g_free(name);
    return false;
  }
  return !is_motion || aio_recording_check_measured(csv, model, columns, error);
}

bool aio_recording_read_rows(const AioCsv *csv, const AioRecordingColumns *columns,
                             AioRecording *recording, const AioReading *reading, double *joints,
                             AioFaults *faults, GError **error) {
  Plan plan = {0};
  plan_column(&plan, columns->time, recording->t);
  for (gsize row = 0; !isnan(reading->rate_Hz) && row < recording->rows; row++)
    recording->t[row] = (double)(reading->first + row) / reading->rate_Hz;
  plan_column(&plan, columns->joint, joints);
  for (gsize j = 0; j < recording->n; j++)
    plan_joint(&plan, columns, recording, j, reading->is_motion);
  recording->has_time = columns->time >= 0 || !isnan(reading->rate_Hz);
  recording->has_joint = columns->joint >= 0;
  if (!aio_csv_read(csv, plan.count, plan.column, plan.into, error))
    return false;
  check_sizes(csv, &plan, recording, faults);
  if (recording->has_joint)
    read_joints(csv, joints, recording, faults);
  return true;
}

static bool read_values(const AioCsv *csv, const AioRecordingColumns *columns,
                        AioRecording *recording, const AioReading *reading, GError **error) {
  AioFaults faults = {0};
  AioClock clock = {0};
  double *joints = new_nans(recording->rows);
  if (!joints) {
    aio_error_set_at(error, AIO_ERROR_MEMORY, aio_csv_name(csv), 0, 0, NULL, NULL,
                     "too large for the memory");
    return false;
  }
  const bool is_read =
      aio_recording_read_rows(csv, columns, recording, reading, joints, &faults, error);
  if (is_read && reading->is_motion)
    aio_recording_check_motion(csv, recording, &clock, &faults);
  g_free(joints);
  return aio_recording_faults_end(&faults, is_read ? error : NULL) && is_read;
}

static AioRecording *from_csv(const AioCsv *csv, const ArmModel *model, const AioReading *reading,
                              GError **error) {
  AioRecordingColumns columns;
  GPtrArray *ignored = g_ptr_array_new_with_free_func(g_free);
  AioRecording *recording = NULL;
  if (aio_recording_find_columns(csv, model, &columns, ignored, error) &&
      aio_recording_check_required(csv, model, &columns, reading, error)) {
    bool has_qdd = false;
    for (gsize j = 0; j < model->n; j++)
      has_qdd = has_qdd || columns.qdd[j] >= 0;
    recording = aio_recording_new(aio_csv_name(csv), model, aio_csv_rows(csv), has_qdd, error);
  }
  if (recording && !read_values(csv, &columns, recording, reading, error)) {
    aio_recording_free(recording);
    recording = NULL;
  }
  if (recording) {
    g_ptr_array_unref(recording->ignored);
    recording->ignored = ignored;
  } else {
    g_ptr_array_unref(ignored);
  }
  return recording;
}

AioRecording *aio_recording_from_csv(const AioCsv *csv, const ArmModel *model, bool is_motion,
                                     GError **error) {
  return from_csv(csv, model, &(AioReading){.is_motion = is_motion, .rate_Hz = (double)NAN}, error);
}

AioRecording *aio_recording_load(const char *path, const ArmModel *model, GError **error) {
  return aio_recording_load_at(path, model, (double)NAN, error);
}

AioRecording *aio_recording_load_at(const char *path, const ArmModel *model, double rate_Hz,
                                    GError **error) {
  gsize length;
  char *bytes = aio_file_read_all(path, AIO_CSV_MAX_BYTES, &length, error);
  if (!bytes)
    return NULL;
  AioRecording *recording = NULL;
  AioCsv *csv = aio_csv_new(path, bytes, length, &AIO_CSV_PLAIN, error);
  if (csv)
    recording = from_csv(csv, model, &(AioReading){.is_motion = true, .rate_Hz = rate_Hz}, error);
  aio_csv_free(csv);
  g_free(bytes);
  return recording;
}
