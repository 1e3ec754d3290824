/* SPDX-License-Identifier: MIT */
/* From another tool's columns to rows of a recording, some at a time, in this order: the stretch of
 * time, scale and side of the gear, coupling, the joint that moves; after the last row the
 * judgement of the currents (io/recording/current_check.h). The docs are docs/column-map.md. */
#include "io/recording/import.h"

#include <math.h>
#include <string.h>

#include "io/recording/current_check.h"
#include "io/recording/import_table.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_internal.h"

/* Beyond this in SI a value is a mistake, and sums of products could leave the doubles. */
#define MAX_MAGNITUDE 1e100

/* What is wrong with rows whose cells are numbers. It is told after all cells have been read, in
 * this order; of values the first channel's. */
typedef struct {
  GError *time, *order, *value, *moving;
  gsize place; /* of the value's channel */
} Faults;

/* A column of the result. */
typedef struct {
  AioImportChannel channel;
  AioChannelKind kind;
  gsize joint, changes;
  double last;
} Watch;

typedef enum { BEFORE, WITHIN, AFTER } Where;

typedef struct {
  const char *name; /* of the file */
  const AioColumnMap *map;
  const ArmModel *model;
  AioImportTable *table;
  gsize before;      /* rows of the table before those in view */
  gsize first, rows; /* of those in view are kept; all that are kept are one stretch */
  Where where;
  double raw_first, raw_last; /* of the table's first row, of the last one that is kept */
  double t_first, t_last;     /* of those that are kept */
  AioRecording *window;       /* owned: what is kept of the rows in view */
  AioRowStore *store;         /* owned: all that is kept */
  GArray *watched;            /* owned, of Watch */
  Faults faults;
  AioImportReport *report;
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

/* ---- the stretch of time ---- */

/* Seconds after the file's first row; taken before the scale, so that clocks in ns keep digits.
 *   raw  NULL: no clock, rows follow each other at the stated rate */
static double time_at(const Import *import, const double *raw, gsize row) {
  if (!raw)
    return (double)(import->before + row) / import->map->rate_Hz;
  return (raw[row] - import->raw_first) * import->map->time.unit->to_si;
}

static void check_time(Import *import, const double *raw, gsize row) {
  if (import->faults.time)
    return;
  if (isnan(raw[row]))
    fail_row(import, row, AIO_ERROR_REFUSED, "time", "a time in every row", NAN, "",
             &import->faults.time);
  else if (!isfinite(time_at(import, raw, row)))
    fail_row(import, row, AIO_ERROR_MEANING, "time", "a time a double can hold", raw[row], "",
             &import->faults.time);
}

static void fail_order(Import *import, double raw, gsize row) {
  fail_row(import, row, AIO_ERROR_REFUSED, "time", "a time after that of the row before", raw,
           raw == import->raw_last ? " again: were rows doubled, or is the clock coarse?"
                                   : ": time runs back, are there several recordings?",
           &import->faults.order);
}

/* A row between from_s and to_s, in which time must increase. */
static void keep_row(Import *import, const double *raw, gsize row, double t) {
  const bool is_first = import->report->rows_kept == 0;
  if (raw && !is_first && !(t > import->t_last) && !import->faults.order)
    fail_order(import, raw[row], row);
  if (import->rows == 0)
    import->first = row;
  import->t_first = is_first ? t : import->t_first;
  import->t_last = t;
  import->raw_last = raw ? raw[row] : NAN;
  import->rows++;
  import->report->rows_kept++;
}

/* Finds what is kept of the rows in view. */
static void cut_rows(Import *import) {
  const double *raw = aio_import_table_values(import->table, &import->map->time);
  const gsize rows = aio_import_table_rows(import->table);
  import->rows = 0;
  if (raw && import->before == 0)
    import->raw_first = raw[0];
  for (gsize row = 0; row < rows; row++) {
    const double t = time_at(import, raw, row);
    if (raw)
      check_time(import, raw, row);
    if (import->where == BEFORE && !(t < import->map->from_s))
      import->where = WITHIN;
    if (import->where == WITHIN && !(t <= import->map->to_s))
      import->where = AFTER;
    if (import->where == WITHIN)
      keep_row(import, raw, row, t);
    else if (import->where == BEFORE)
      import->report->rows_before++;
    else
      import->report->rows_after++;
  }
  import->report->rows_read += rows;
}

/* ---- values ---- */

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

/* place  of the channel among all */
static bool convert_channel(Import *import, const AioMapChannel *channel, AioMapChannelKind kind,
                            gsize j, gsize place) {
  const double *raw = aio_import_table_values(import->table, channel);
  const double factor =
      channel->sign * channel->unit->to_si * side_factor(channel, kind, &import->model->joints[j]);
  double *into = column_of(import->window, kind, j);
  for (gsize row = 0; row < import->rows; row++) {
    const double value = raw ? raw[import->first + row] : channel->constant;
    into[row] = (value + channel->offset) * factor;
    if (!(fabs(into[row]) > MAX_MAGNITUDE))
      continue;
    g_clear_error(&import->faults.value);
    import->faults.place = place;
    return fail_row(import, import->first + row, AIO_ERROR_MEANING, aio_map_channel_key(kind),
                    "a physical value", value, "", &import->faults.value);
  }
  return true;
}

/* Coupled gears: motor side = (I+L) joint side (Lin 1994 eqs (38)-(40)), solved row by row from the
 * first joint on, since L is strictly lower. A missing speed is that of a held joint. */
static void uncouple(const Import *import, AioMapChannelKind kind, gsize i) {
  double *into = column_of(import->window, kind, i);
  for (gsize j = 0; j < i; j++) {
    const double l = import->model->coupling[i][j];
    if (l == 0)
      continue;
    const double *inboard = column_of(import->window, kind, j);
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

/* Of a channel behind one that has a fault already nothing is told. */
static void convert_joints(Import *import) {
  for (gsize j = 0; j < import->model->n; j++) {
    const AioMapJoint *joint = joint_of(import->map, j);
    for (int k = 0; joint && k < AIO_MAP_CHANNELS; k++) {
      const AioMapChannel *channel = &joint->channels[k];
      const gsize place = j * AIO_MAP_CHANNELS + (gsize)k;
      if (!channel->node)
        continue;
      if ((import->faults.value && place >= import->faults.place) ||
          !convert_channel(import, channel, (AioMapChannelKind)k, j, place))
        return;
      if (channel->is_motor_side && import->model->has_coupling && k <= AIO_MAP_ACCELERATION)
        uncouple(import, (AioMapChannelKind)k, j);
    }
  }
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

static bool joint_from_column(Import *import, gsize row, int *joint) {
  const double *raw = aio_import_table_values(import->table, &import->map->moving_column);
  const double value = raw[import->first + row];
  if (value >= 0 && value <= (double)import->model->n && value == floor(value)) {
    *joint = (int)value;
    return true;
  }
  char *expected = g_strdup_printf("a whole number from 0 to %zu", import->model->n);
  fail_row(import, import->first + row, AIO_ERROR_MEANING, "moving_joint", expected, value, "",
           &import->faults.moving);
  g_free(expected);
  return false;
}

static void set_moving(Import *import) {
  for (gsize row = 0; row < import->rows && !import->faults.moving; row++) {
    int joint = 0;
    switch (import->map->moving) {
    case AIO_MOVING_VALUE:
      joint = (int)import->map->moving_joint;
      break;
    case AIO_MOVING_COLUMN:
      if (!joint_from_column(import, row, &joint))
        return;
      break;
    case AIO_MOVING_DETECT:
      joint = detect_joint(import, import->window, row);
      break;
    }
    if (joint > 0 && !import->window->has_speed[joint - 1])
      aio_json_fail_with(import->map->moving_node, AIO_ERROR_MEANING, &import->faults.moving,
                         "joint %d moves but the map gives no \"speed\" of it", joint);
    import->window->joint[row] = joint;
    import->report->rows_moving[joint]++;
  }
}

/* ---- what is told of the columns ---- */

static void add_watches(Import *import, AioChannelKind kind, const bool *has) {
  const AioRecording *window = import->window;
  for (gsize j = 0; j < window->n; j++) {
    if (has && !has[j])
      continue;
    Watch watch = {
        .channel = {.min = INFINITY, .max = -INFINITY}, .kind = kind, .joint = j, .last = NAN};
    char *name = aio_recording_column_name(
        kind == AIO_CHANNEL_CURRENT && window->is_torque[j] ? AIO_CHANNEL_TORQUE : kind, j,
        window->type[j]);
    g_strlcpy(watch.channel.name, name, sizeof watch.channel.name);
    g_array_append_val(import->watched, watch);
    g_free(name);
  }
}

static void watch_values(Watch *watch, const double *values, gsize rows) {
  AioImportChannel *channel = &watch->channel;
  for (gsize row = 0; row < rows; row++) {
    if (isnan(values[row]))
      continue;
    channel->count++;
    channel->min = fmin(channel->min, values[row]);
    channel->max = fmax(channel->max, values[row]);
    watch->changes += !isnan(watch->last) && values[row] != watch->last;
    watch->last = values[row];
  }
}

static void watch_all(Import *import) {
  const AioRecording *window = import->window;
  for (guint k = 0; k < import->watched->len; k++) {
    Watch *watch = &g_array_index(import->watched, Watch, k);
    const double *all = watch->kind == AIO_CHANNEL_Q     ? window->q
                        : watch->kind == AIO_CHANNEL_QD  ? window->qd
                        : watch->kind == AIO_CHANNEL_QDD ? window->qdd
                                                         : window->current;
    watch_values(watch, all + watch->joint * window->rows, window->rows);
  }
}

static void describe(Import *import) {
  AioImportReport *report = import->report;
  report->duration_s = report->rows_kept > 1 ? import->t_last - import->t_first : NAN;
  report->median_step_s = aio_row_store_step(import->store);
  for (guint k = 0; k < import->watched->len; k++) {
    const Watch *watch = &g_array_index(import->watched, Watch, k);
    AioImportChannel channel = watch->channel;
    if (channel.count == 0)
      channel.min = channel.max = NAN;
    channel.rate_Hz = (double)(channel.count > 0 ? channel.count - 1 : 0) / report->duration_s;
    channel.refresh_Hz = (double)watch->changes / report->duration_s;
    g_array_append_val(report->channels, channel);
  }
}

/* ---- all of it ---- */

static bool has_acceleration(const AioColumnMap *map) {
  for (gsize k = 0; k < map->n_joints; k++) {
    if (map->joints[k].channels[AIO_MAP_ACCELERATION].node)
      return true;
  }
  return false;
}

static bool open_window(Import *import, GError **error) {
  AioRecording *window = import->window =
      aio_recording_new(import->name, import->model, aio_import_table_room(import->table),
                        has_acceleration(import->map), error);
  if (!window)
    return false;
  window->has_time = window->has_joint = true;
  for (gsize j = 0; j < window->n; j++) {
    const AioMapJoint *joint = joint_of(import->map, j);
    window->has_speed[j] = joint && joint->channels[AIO_MAP_SPEED].node;
    window->is_torque[j] = joint && joint->channels[AIO_MAP_TORQUE].node;
    window->has_current[j] =
        window->is_torque[j] || (joint && joint->channels[AIO_MAP_CURRENT].node);
  }
  add_watches(import, AIO_CHANNEL_Q, NULL);
  add_watches(import, AIO_CHANNEL_QD, window->has_speed);
  if (window->qdd)
    add_watches(import, AIO_CHANNEL_QDD, NULL);
  add_watches(import, AIO_CHANNEL_CURRENT, window->has_current);
  return true;
}

static bool take_rows(Import *import, GError **error) {
  const double *raw = aio_import_table_values(import->table, &import->map->time);
  const Faults *faults = &import->faults;
  cut_rows(import);
  if (import->rows == 0 || faults->time || faults->order)
    return true;
  aio_recording_set_rows(import->window, import->rows);
  for (gsize row = 0; row < import->rows; row++)
    import->window->t[row] = time_at(import, raw, import->first + row);
  convert_joints(import);
  if (!faults->value)
    set_moving(import);
  if (faults->value || faults->moving)
    return true;
  watch_all(import);
  return aio_row_store_put(import->store, import->window, error);
}

static bool take_table(Import *import, GError **error) {
  bool is_read;
  while ((is_read = aio_import_table_next(import->table, error)) &&
         aio_import_table_rows(import->table) > 0) {
    if (!take_rows(import, error))
      return false;
    import->before += aio_import_table_rows(import->table);
  }
  return is_read;
}

/* Sets the error of the first fault, if there is one. */
static bool tell_faults(Import *import, GError **error) {
  Faults *faults = &import->faults;
  if (!faults->time && !faults->order && import->report->rows_kept == 0)
    aio_error_set_at(&faults->order, AIO_ERROR_REFUSED, import->name, 0, 0, NULL,
                     "rows between from_s and to_s of the column map", "none");
  GError **const all[] = {&faults->time, &faults->order, &faults->value, &faults->moving};
  for (gsize k = 0; k < G_N_ELEMENTS(all); k++)
    if (*all[k]) {
      g_propagate_error(error, g_steal_pointer(all[k]));
      return false;
    }
  return true;
}

static bool check_currents(AioRowStore *store, GError **error) {
  GError *refused = NULL;
  const ArmRowSource source = aio_row_store_source(store);
  if (aio_current_check_rows(aio_row_store_about(store), &source, &refused))
    return true;
  g_propagate_error(error, refused ? refused : g_error_copy(aio_row_store_error(store)));
  return false;
}

static bool import_all(Import *import, GError **error) {
  if (!open_window(import, error) || !take_table(import, error) || !tell_faults(import, error) ||
      !aio_row_store_end(import->store, error))
    return false;
  describe(import);
  return check_currents(import->store, error);
}

static void import_clear(Import *import) {
  GError **const all[] = {&import->faults.time, &import->faults.order, &import->faults.value,
                          &import->faults.moving};
  for (gsize k = 0; k < G_N_ELEMENTS(all); k++)
    g_clear_error(all[k]);
  aio_recording_free(import->window);
  aio_row_store_free(import->store);
  g_array_unref(import->watched);
}

/* Takes the table, NULL: its error is set. */
static AioRowStore *import_table(const char *name, AioImportTable *table, const AioColumnMap *map,
                                 const ArmModel *model, AioImportReport *report, GError **error) {
  if (!table)
    return NULL;
  AioImportReport filled = {.channels = g_array_new(FALSE, FALSE, sizeof(AioImportChannel))};
  Import import = {.name = name,
                   .map = map,
                   .model = model,
                   .table = table,
                   .store = aio_row_store_new(model),
                   .watched = g_array_new(FALSE, FALSE, sizeof(Watch)),
                   .report = &filled};
  AioRowStore *store = import_all(&import, error) ? g_steal_pointer(&import.store) : NULL;
  if (store && report)
    *report = filled;
  else
    aio_import_report_clear(&filled);
  import_clear(&import);
  aio_import_table_free(table);
  return store;
}

AioRowStore *aio_import_rows(const char *path, const AioColumnMap *map, const ArmModel *model,
                             AioImportReport *report, GError **error) {
  if (!aio_column_map_check_arm(map, model, error))
    return NULL;
  return import_table(path, aio_import_table_open(path, map, error), map, model, report, error);
}

/* Takes the rows, NULL: the error is set; the report is cleared when they cannot be given. */
static AioRecording *collect(AioRowStore *store, AioImportReport *report, GError **error) {
  if (!store)
    return NULL;
  AioRecording *recording = aio_row_store_collect(store, error);
  aio_row_store_free(store);
  if (!recording && report)
    aio_import_report_clear(report);
  return recording;
}

AioRecording *aio_import_bytes(const char *name, const char *bytes, gsize length,
                               const AioColumnMap *map, const ArmModel *model,
                               AioImportReport *report, GError **error) {
  if (!aio_column_map_check_arm(map, model, error))
    return NULL;
  AioImportTable *table = aio_import_table_parse(name, bytes, length, map, error);
  return collect(import_table(name, table, map, model, report, error), report, error);
}

AioRecording *aio_import(const char *path, const AioColumnMap *map, const ArmModel *model,
                         AioImportReport *report, GError **error) {
  return collect(aio_import_rows(path, map, model, report, error), report, error);
}

void aio_import_report_clear(AioImportReport *report) {
  if (report->channels)
    g_array_unref(report->channels);
  report->channels = NULL;
}
