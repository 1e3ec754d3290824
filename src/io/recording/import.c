/* SPDX-License-Identifier: MIT */
/* From another tool's columns to a recording, in this order: the stretch of time, scale and side of
 * the gear, coupling, the joint that moves, then the judgement of the currents
 * (io/recording/current_check.h). The docs are docs/column-map.md. */
#include "io/recording/import.h"

#include <math.h>
#include <string.h>

#include "core/num/filter.h"
#include "io/recording/current_check.h"
#include "io/recording/import_table.h"
#include "io/recording/recording_columns.h"

/* Beyond this in SI a value is a mistake, and sums of products could leave the doubles. */
#define MAX_MAGNITUDE 1e100

typedef struct {
  const char *name; /* of the file */
  const AioColumnMap *map;
  const ArmModel *model;
  const AioImportTable *table;
  gsize first, rows; /* rows of the table that are kept are one stretch */
} Import;

static bool fail_row(const Import *import, gsize row, AioErrorCode code, const char *key,
                     const char *expected, double found, const char *comment, GError **error) {
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  char *shown = isnan(found) ? g_strdup("an empty cell")
                             : g_strconcat(g_ascii_formatd(number, sizeof number, "%.10g", found),
                                           comment, NULL);
  aio_error_set_at(error, code, import->name, aio_import_table_line(import->table, row), 0, key,
                   expected, shown);
  g_free(shown);
  return false;
}

/* Seconds after the file's first row; taken before the scale, so that clocks in ns keep digits.
 *   raw  NULL: no clock, rows follow each other at the stated rate */
static double time_at(const Import *import, const double *raw, gsize row) {
  if (!raw)
    return (double)row / import->map->rate_Hz;
  return (raw[row] - raw[0]) * import->map->time.unit->to_si;
}

/* Finds the stretch between from_s and to_s, in which time must be there and increase. */
static bool cut_rows(Import *import, AioImportReport *report, GError **error) {
  const double *raw = aio_import_table_values(import->table, &import->map->time);
  const gsize rows = aio_import_table_rows(import->table);
  gsize first = 0;
  for (gsize row = 0; raw && row < rows; row++) {
    if (isnan(raw[row]))
      return fail_row(import, row, AIO_ERROR_REFUSED, "time", "a time in every row", NAN, "",
                      error);
    if (!isfinite(time_at(import, raw, row)))
      return fail_row(import, row, AIO_ERROR_MEANING, "time", "a time a double can hold", raw[row],
                      "", error);
  }
  while (first < rows && time_at(import, raw, first) < import->map->from_s)
    first++;
  gsize end = first;
  for (; end < rows && time_at(import, raw, end) <= import->map->to_s; end++) {
    if (!raw || end == first || time_at(import, raw, end) > time_at(import, raw, end - 1))
      continue;
    return fail_row(import, end, AIO_ERROR_REFUSED, "time", "a time after that of the row before",
                    raw[end],
                    raw[end] == raw[end - 1] ? " again: were rows doubled, or is the clock coarse?"
                                             : ": time runs back, are there several recordings?",
                    error);
  }
  import->first = first;
  import->rows = end - first;
  report->rows_read = rows;
  report->rows_kept = import->rows;
  report->rows_before = first;
  report->rows_after = rows - end;
  if (import->rows > 0)
    return true;
  aio_error_set_at(error, AIO_ERROR_REFUSED, import->name, 0, 0, NULL,
                   "rows between from_s and to_s of the column map", "none");
  return false;
}

/* What a value is multiplied by beyond its unit: from the motor's side to the joint's. */
static double side_factor(const AioMapChannel *channel, AioMapChannelKind kind,
                          const ArmJoint *joint) {
  if (!channel->is_motor_side)
    return 1;
  const double ratio = joint->motors[0].gear_ratio * joint->motors[0].motor_sign;
  return kind == AIO_MAP_TORQUE ? ratio : 1 / ratio;
}

static double *column_of(AioRecording *recording, AioMapChannelKind kind, gsize j) {
  double *const arrays[AIO_MAP_CHANNELS] = {
      [AIO_MAP_POSITION] = recording->q,       [AIO_MAP_SPEED] = recording->qd,
      [AIO_MAP_ACCELERATION] = recording->qdd, [AIO_MAP_CURRENT] = recording->current,
      [AIO_MAP_TORQUE] = recording->current,
  };
  return arrays[kind] + j * recording->rows;
}

static bool convert_channel(const Import *import, const AioMapChannel *channel,
                            AioMapChannelKind kind, gsize j, AioRecording *recording,
                            GError **error) {
  const double *raw = aio_import_table_values(import->table, channel);
  const double factor =
      channel->sign * channel->unit->to_si * side_factor(channel, kind, &import->model->joints[j]);
  double *into = column_of(recording, kind, j);
  for (gsize row = 0; row < import->rows; row++) {
    const double value = raw ? raw[import->first + row] : channel->constant;
    into[row] = (value + channel->offset) * factor;
    if (fabs(into[row]) > MAX_MAGNITUDE)
      return fail_row(import, import->first + row, AIO_ERROR_MEANING, aio_map_channel_key(kind),
                      "a physical value", value, "", error);
  }
  recording->has_speed[j] = recording->has_speed[j] || kind == AIO_MAP_SPEED;
  recording->has_current[j] =
      recording->has_current[j] || kind == AIO_MAP_CURRENT || kind == AIO_MAP_TORQUE;
  recording->is_torque[j] = recording->is_torque[j] || kind == AIO_MAP_TORQUE;
  return true;
}

/* Coupled gears: motor side = (I+L) joint side (Lin 1994 eqs (38)-(40)), solved row by row from the
 * first joint on, since L is strictly lower. A missing speed is that of a held joint. */
static void uncouple(const Import *import, AioMapChannelKind kind, gsize i,
                     AioRecording *recording) {
  double *into = column_of(recording, kind, i);
  for (gsize j = 0; j < i; j++) {
    const double l = import->model->coupling[i][j];
    if (l == 0)
      continue;
    const double *inboard = column_of(recording, kind, j);
    for (gsize row = 0; row < import->rows; row++)
      into[row] -= l * (kind == AIO_MAP_SPEED && isnan(inboard[row]) ? 0 : inboard[row]);
  }
}

static const AioMapJoint *joint_of(const AioColumnMap *map, gsize j) {
  for (gsize k = 0; k < map->n_joints; k++) {
    if (map->joints[k].joint == (gint64)j + 1)
      return &map->joints[k];
  }
  return NULL;
}

static bool convert_joints(const Import *import, AioRecording *recording, GError **error) {
  for (gsize j = 0; j < import->model->n; j++) {
    const AioMapJoint *joint = joint_of(import->map, j);
    for (int k = 0; joint && k < AIO_MAP_CHANNELS; k++) {
      const AioMapChannel *channel = &joint->channels[k];
      if (!channel->node)
        continue;
      if (!convert_channel(import, channel, (AioMapChannelKind)k, j, recording, error))
        return false;
      if (channel->is_motor_side && import->model->has_coupling && k <= AIO_MAP_ACCELERATION)
        uncouple(import, (AioMapChannelKind)k, j, recording);
    }
  }
  return true;
}

/* The joint that moves while all others rest, 0 when none or several do. */
static int detect_joint(const Import *import, const AioRecording *recording, gsize row) {
  int found = 0;
  for (gsize j = 0; j < recording->n; j++) {
    const double bound = recording->type[j] == ARM_JOINT_R ? import->map->detect_speed_R
                                                           : import->map->detect_speed_T;
    if (!(fabs(recording->qd[row + j * recording->rows]) > bound))
      continue;
    if (found > 0)
      return 0;
    found = (int)j + 1;
  }
  return found;
}

static bool joint_from_column(const Import *import, gsize row, int *joint, GError **error) {
  const double *raw = aio_import_table_values(import->table, &import->map->moving_column);
  const double value = raw[import->first + row];
  if (value >= 0 && value <= (double)import->model->n && value == floor(value)) {
    *joint = (int)value;
    return true;
  }
  char *expected = g_strdup_printf("a whole number from 0 to %zu", import->model->n);
  fail_row(import, import->first + row, AIO_ERROR_MEANING, "moving_joint", expected, value, "",
           error);
  g_free(expected);
  return false;
}

static bool set_moving(const Import *import, AioRecording *recording, AioImportReport *report,
                       GError **error) {
  for (gsize row = 0; row < import->rows; row++) {
    int joint = 0;
    switch (import->map->moving) {
    case AIO_MOVING_VALUE:
      joint = (int)import->map->moving_joint;
      break;
    case AIO_MOVING_COLUMN:
      if (!joint_from_column(import, row, &joint, error))
        return false;
      break;
    case AIO_MOVING_DETECT:
      joint = detect_joint(import, recording, row);
      break;
    }
    if (joint > 0 && !recording->has_speed[joint - 1])
      return aio_json_fail_with(import->map->moving_node, AIO_ERROR_MEANING, error,
                                "joint %d moves but the map gives no \"speed\" of it", joint);
    recording->joint[row] = joint;
    report->rows_moving[joint]++;
  }
  return true;
}

static void describe_values(const char *name, const double *values, const AioRecording *recording,
                            AioImportReport *report) {
  AioImportChannel channel = {.min = INFINITY, .max = -INFINITY};
  g_strlcpy(channel.name, name, sizeof channel.name);
  gsize changes = 0;
  double last = NAN;
  for (gsize row = 0; row < recording->rows; row++) {
    if (isnan(values[row]))
      continue;
    channel.count++;
    channel.min = fmin(channel.min, values[row]);
    channel.max = fmax(channel.max, values[row]);
    changes += !isnan(last) && values[row] != last;
    last = values[row];
  }
  if (channel.count == 0)
    channel.min = channel.max = NAN;
  channel.rate_Hz = (double)(channel.count > 0 ? channel.count - 1 : 0) / report->duration_s;
  channel.refresh_Hz = (double)changes / report->duration_s;
  g_array_append_val(report->channels, channel);
}

static void describe_kind(AioChannelKind kind, const bool *has, const double *values,
                          const AioRecording *recording, AioImportReport *report) {
  for (gsize j = 0; values && j < recording->n; j++) {
    if (!has[j])
      continue;
    char *name = aio_recording_column_name(
        kind == AIO_CHANNEL_CURRENT && recording->is_torque[j] ? AIO_CHANNEL_TORQUE : kind, j,
        recording->type[j]);
    describe_values(name, values + j * recording->rows, recording, report);
    g_free(name);
  }
}

static bool describe(const AioRecording *recording, AioImportReport *report, GError **error) {
  bool all[ARM_MAX_JOINTS];
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    all[j] = true;
  const gsize rows = recording->rows;
  report->duration_s = rows > 1 ? recording->t[rows - 1] - recording->t[0] : NAN;
  if (arm_filter_median_step(rows, recording->t, &report->median_step_s) != ARM_OK) {
    aio_error_set_at(error, AIO_ERROR_MEMORY, recording->name, 0, 0, NULL, NULL,
                     "too large for the memory");
    return false;
  }
  describe_kind(AIO_CHANNEL_Q, all, recording->q, recording, report);
  describe_kind(AIO_CHANNEL_QD, recording->has_speed, recording->qd, recording, report);
  describe_kind(AIO_CHANNEL_QDD, all, recording->qdd, recording, report);
  describe_kind(AIO_CHANNEL_CURRENT, recording->has_current, recording->current, recording, report);
  return true;
}

static bool has_acceleration(const AioColumnMap *map) {
  for (gsize k = 0; k < map->n_joints; k++) {
    if (map->joints[k].channels[AIO_MAP_ACCELERATION].node)
      return true;
  }
  return false;
}

static AioRecording *convert(Import *import, AioImportReport *report, GError **error) {
  if (!cut_rows(import, report, error))
    return NULL;
  AioRecording *recording = aio_recording_new(import->name, import->model, import->rows,
                                              has_acceleration(import->map), error);
  if (!recording)
    return NULL;
  const double *raw = aio_import_table_values(import->table, &import->map->time);
  for (gsize row = 0; row < import->rows; row++)
    recording->t[row] = time_at(import, raw, import->first + row);
  recording->has_time = recording->has_joint = true;
  if (convert_joints(import, recording, error) && set_moving(import, recording, report, error) &&
      describe(recording, report, error) && aio_current_check(recording, error))
    return recording;
  aio_recording_free(recording);
  return NULL;
}

static AioRecording *import_table(const char *name, const AioImportTable *table,
                                  const AioColumnMap *map, const ArmModel *model,
                                  AioImportReport *report, GError **error) {
  if (!table)
    return NULL;
  Import import = {.name = name, .map = map, .model = model, .table = table};
  AioImportReport filled = {.channels = g_array_new(FALSE, FALSE, sizeof(AioImportChannel))};
  AioRecording *recording = convert(&import, &filled, error);
  if (recording && report)
    *report = filled;
  else
    aio_import_report_clear(&filled);
  return recording;
}

AioRecording *aio_import_bytes(const char *name, const char *bytes, gsize length,
                               const AioColumnMap *map, const ArmModel *model,
                               AioImportReport *report, GError **error) {
  if (!aio_column_map_check_arm(map, model, error))
    return NULL;
  AioImportTable *table = aio_import_table_parse(name, bytes, length, map, error);
  AioRecording *recording = import_table(name, table, map, model, report, error);
  aio_import_table_free(table);
  return recording;
}

AioRecording *aio_import(const char *path, const AioColumnMap *map, const ArmModel *model,
                         AioImportReport *report, GError **error) {
  if (!aio_column_map_check_arm(map, model, error))
    return NULL;
  AioImportTable *table = aio_import_table_load(path, map, error);
  AioRecording *recording = import_table(path, table, map, model, report, error);
  aio_import_table_free(table);
  return recording;
}

void aio_import_report_clear(AioImportReport *report) {
  if (report->channels)
    g_array_unref(report->channels);
  report->channels = NULL;
}
