/* SPDX-License-Identifier: MIT */
/* One reader for CSV and JSON rows behind the column map. Each column of the file is read once,
 * also when two channels share it. */
#include "io/recording/import_table.h"

#include <math.h>
#include <string.h>

#include "io/base/file.h"
#include "io/csv/csv.h"

/* Every channel of the map that has a column, and where its values are. Two channels may share a
 * column of the file and then share its values. */
typedef struct {
  const AioMapChannel *channel;
  gsize column;         /* CSV only */
  const double *values; /* owned by the table's `columns` */
} Request;

struct AioImportTable {
  AioCsv *csv;        /* NULL: JSON */
  bool is_file;       /* read some rows at a time; else all are there */
  bool has_begun;     /* of what is there at once: it was given */
  gsize room, rows;   /* of a column, of what is in view */
  GArray *requests;   /* Request */
  GPtrArray *columns; /* double[room] */
  gsize *csv_column;  /* columns->len: which one of the file each is */
  guint *lines;       /* JSON: rows */
};

static void request(AioImportTable *table, const AioMapChannel *channel) {
  const Request wanted = {.channel = channel};
  if (channel->name || channel->number > 0)
    g_array_append_val(table->requests, wanted);
}

static AioImportTable *table_new(const AioColumnMap *map) {
  AioImportTable *table = g_new0(AioImportTable, 1);
  table->requests = g_array_new(FALSE, FALSE, sizeof(Request));
  table->columns = g_ptr_array_new_with_free_func(g_free);
  request(table, &map->time);
  request(table, &map->moving_column);
  for (gsize k = 0; k < map->n_joints; k++) {
    for (int kind = 0; kind < AIO_MAP_CHANNELS; kind++)
      request(table, &map->joints[k].channels[kind]);
  }
  return table;
}

void aio_import_table_free(AioImportTable *table) {
  if (!table)
    return;
  aio_csv_free(table->csv);
  g_array_unref(table->requests);
  g_ptr_array_unref(table->columns);
  g_free(table->csv_column);
  g_free(table->lines);
  g_free(table);
}

static Request *request_at(const AioImportTable *table, guint k) {
  return &g_array_index(table->requests, Request, k);
}

static double *new_column(AioImportTable *table, const char *name, GError **error) {
  double *values = g_try_new(double, MAX(table->room, 1));
  if (values)
    g_ptr_array_add(table->columns, values);
  else
    aio_error_set_at(error, AIO_ERROR_MEMORY, name, 0, 0, NULL, NULL, "too large for the memory");
  return values;
}

/* Where the map names the column of a channel. */
static const AioJsonNode *column_node(const AioColumnMap *map, const AioMapChannel *channel) {
  return aio_json_member(channel->node ? channel->node : map->moving_node, "column");
}

static bool find_by_name(const AioCsv *csv, const AioColumnMap *map, Request *wanted,
                         GError **error) {
  const gsize n = aio_csv_columns(csv);
  const char **names = g_new0(const char *, n + 1);
  gsize found = 0;
  for (gsize k = 0; k < n; k++) {
    names[k] = aio_csv_column_name(csv, k);
    if (strcmp(names[k], wanted->channel->name) == 0) {
      wanted->column = k;
      found++;
    }
  }
  const char *near = found == 0 ? aio_error_nearest(wanted->channel->name, names) : NULL;
  if (found != 1)
    aio_json_fail_with(column_node(map, wanted->channel), AIO_ERROR_MEANING, error,
                       "%s has %s column \"%s\"%s%s", aio_csv_name(csv),
                       found == 0 ? "no" : "more than one", wanted->channel->name,
                       near && *near ? "; the nearest is " : "", near && *near ? near : "");
  g_free(names);
  return found == 1;
}

static bool find_by_number(const AioCsv *csv, const AioColumnMap *map, Request *wanted,
                           GError **error) {
  wanted->column = wanted->channel->number - 1;
  return wanted->column < aio_csv_columns(csv) ||
         aio_json_fail_with(column_node(map, wanted->channel), AIO_ERROR_MEANING, error,
                            "%s has only %" G_GSIZE_FORMAT " columns", aio_csv_name(csv),
                            aio_csv_columns(csv));
}

/* Gives every request its values array, one per column of the file. */
static bool plan_columns(AioImportTable *table, GError **error) {
  table->csv_column = g_new(gsize, table->requests->len);
  for (guint k = 0; k < table->requests->len; k++) {
    Request *wanted = request_at(table, k);
    for (guint other = 0; other < k && !wanted->values; other++) {
      if (request_at(table, other)->column == wanted->column)
        wanted->values = request_at(table, other)->values;
    }
    if (wanted->values)
      continue;
    const guint at = table->columns->len;
    wanted->values = new_column(table, aio_csv_name(table->csv), error);
    if (!wanted->values)
      return false;
    table->csv_column[at] = wanted->column;
  }
  return true;
}

static bool open_csv(AioImportTable *table, const AioColumnMap *map, GError **error) {
  table->room = table->is_file ? AIO_CSV_WINDOW_ROWS : aio_csv_rows(table->csv);
  for (guint k = 0; k < table->requests->len; k++) {
    Request *wanted = request_at(table, k);
    if (!(wanted->channel->name ? find_by_name : find_by_number)(table->csv, map, wanted, error))
      return false;
  }
  return plan_columns(table, error);
}

static bool read_json_rows(const AioJsonNode *rows, AioImportTable *table, GError **error) {
  for (guint k = 0; k < table->requests->len; k++) {
    Request *wanted = request_at(table, k);
    double *values = new_column(table, aio_json_name(rows->document), error);
    if (!values)
      return false;
    for (gsize row = 0; row < table->room; row++) {
      const AioJsonNode *object = aio_json_item(rows, row);
      if (!aio_json_require_kind(object, AIO_JSON_OBJECT, error))
        return false;
      const AioJsonNode *cell = aio_json_require(object, wanted->channel->name, error);
      if (!cell || !aio_json_get_number_or_null(cell, &values[row], error))
        return false;
    }
    wanted->values = values;
  }
  return true;
}

static bool read_json(const AioJson *json, const AioColumnMap *map, AioImportTable *table,
                      GError **error) {
  const AioJsonNode *rows = aio_json_root(json);
  if (map->rows)
    rows = aio_json_require(rows, map->rows, error);
  if (!rows || !aio_json_require_kind(rows, AIO_JSON_ARRAY, error))
    return false;
  table->room = aio_json_size(rows);
  if (table->room == 0)
    return aio_json_fail(rows, "rows", error);
  table->lines = g_new(guint, table->room);
  for (gsize row = 0; row < table->room; row++)
    table->lines[row] = aio_json_item(rows, row)->line;
  return read_json_rows(rows, table, error);
}

static bool is_lfs_pointer(const char *bytes, gsize length) {
  static const char pointer[] = "version https://git-lfs";
  return length >= sizeof pointer && memcmp(bytes, pointer, sizeof pointer - 1) == 0;
}

static AioImportTable *parse_json(const char *name, const char *bytes, gsize length,
                                  const AioColumnMap *map, GError **error) {
  AioImportTable *table = table_new(map);
  AioJson *json = aio_json_parse(name, bytes, length, error);
  const bool is_read = json && read_json(json, map, table, error);
  aio_json_free(json);
  if (is_read)
    return table;
  aio_import_table_free(table);
  return NULL;
}

/* Takes the csv, NULL: its error is set. */
static AioImportTable *take_csv(AioCsv *csv, bool is_file, const AioColumnMap *map,
                                GError **error) {
  if (!csv)
    return NULL;
  AioImportTable *table = table_new(map);
  table->csv = csv;
  table->is_file = is_file;
  if (open_csv(table, map, error))
    return table;
  aio_import_table_free(table);
  return NULL;
}

AioImportTable *aio_import_table_parse(const char *name, const char *bytes, gsize length,
                                       const AioColumnMap *map, GError **error) {
  if (map->is_json && !is_lfs_pointer(bytes, length))
    return parse_json(name, bytes, length, map, error);
  return take_csv(aio_csv_new(name, bytes, length, &map->format, error), false, map, error);
}

AioImportTable *aio_import_table_open(const char *path, const AioColumnMap *map, GError **error) {
  gsize length;
  if (!map->is_json)
    return take_csv(aio_csv_open_as(path, &map->format, NULL, error), true, map, error);
  char *bytes = aio_file_read_all(path, AIO_JSON_MAX_BYTES, &length, error);
  AioImportTable *table =
      !bytes ? NULL
      : is_lfs_pointer(bytes, length)
          ? take_csv(aio_csv_open_as(path, &map->format, NULL, error), true, map, error)
          : parse_json(path, bytes, length, map, error);
  g_free(bytes);
  return table;
}

gsize aio_import_table_room(const AioImportTable *table) {
  return table->room;
}

bool aio_import_table_next(AioImportTable *table, GError **error) {
  if (table->is_file && !aio_csv_next(table->csv, error))
    return false;
  table->rows = table->is_file ? aio_csv_rows(table->csv) : table->has_begun ? 0 : table->room;
  table->has_begun = true;
  return !table->csv || table->rows == 0 ||
         aio_csv_read(table->csv, table->columns->len, table->csv_column,
                      (double *const *)table->columns->pdata, error);
}

gsize aio_import_table_rows(const AioImportTable *table) {
  return table->rows;
}

const double *aio_import_table_values(const AioImportTable *table, const AioMapChannel *channel) {
  for (guint k = 0; k < table->requests->len; k++) {
    if (request_at(table, k)->channel == channel)
      return request_at(table, k)->values;
  }
  return NULL;
}

guint aio_import_table_line(const AioImportTable *table, gsize row) {
  return table->csv ? aio_csv_row_line(table->csv, row) : table->lines[row];
}
