/* SPDX-License-Identifier: MIT */
/* A preview by the readers of the import itself (io/recording/import, io/recording/recording), so
 * that what is seen here is what will be measured with. The first problem is told: the others may
 * follow from it. */
#include "ui/import/import_file.h"

#include <glib/gi18n.h>
#include <string.h>

#include "io/base/file.h"
#include "io/recording/import.h"
#include "io/recording/recording_columns.h"
#include "session/measure/recorded.h"

static void column_free(gpointer data) {
  AuiImportColumn *column = data;
  g_free(column->name);
  g_free(column->meaning);
  g_free(column);
}

/* The first problem is the one to be solved first. */
static void take_problem(AuiImport *import, GError *error) {
  if (!import->problem)
    import->problem = g_strdup_printf(_("This cannot be taken: %s"), error->message);
  g_error_free(error);
}

/* ---- what columns mean ---- */

static void mean(AuiImport *import, gssize column, const char *text) {
  if (column < 0 || column >= (gssize)import->columns->len)
    return;
  AuiImportColumn *c = import->columns->pdata[column];
  g_free(c->meaning);
  c->meaning = g_strdup(text);
}

static void mean_joint(AuiImport *import, gssize column, gsize joint, AioMapChannelKind kind,
                       const char *unit) {
  static const char *const names[AIO_MAP_CHANNELS] = {
      N_("joint %zu: position [%s]"), N_("joint %zu: speed [%s]"),
      N_("joint %zu: acceleration [%s]"), N_("joint %zu: current [%s]"),
      N_("joint %zu: torque [%s]")};
  g_autoptr(GString) text = g_string_new(_(names[kind]));
  g_autofree char *number = g_strdup_printf("%zu", joint);
  g_string_replace(text, "%zu", number, 1);
  g_string_replace(text, "%s", unit, 1);
  mean(import, column, text->str);
}

static void mean_recording(AuiImport *import, const AioCsv *csv) {
  static const char *const units[2][AIO_MAP_CHANNELS] = {
      {"rad", "rad/s", "rad/s\302\262", "A", "N m"}, {"m", "m/s", "m/s\302\262", "A", "N"}};
  AioRecordingColumns found;
  GError *error = NULL;
  g_autoptr(GPtrArray) ignored = g_ptr_array_new_with_free_func(g_free);
  if (!aio_recording_find_columns(csv, &import->arm->model, &found, ignored, &error)) {
    take_problem(import, error);
    return;
  }
  mean(import, found.time, _("time [s]"));
  mean(import, found.joint, _("the joint that moves"));
  for (gsize j = 0; j < import->arm->model.n; j++) {
    const gssize at[] = {found.q[j], found.qd[j], found.qdd[j], found.current[j], found.torque[j]};
    const int type = import->arm->model.joints[j].type == ARM_JOINT_T;
    for (int kind = 0; kind < AIO_MAP_CHANNELS; kind++)
      mean_joint(import, at[kind], j + 1, (AioMapChannelKind)kind, units[type][kind]);
  }
}

/* -1: it has no column of its own, or the file has none of that name. */
static gssize find_column(const AuiImport *import, const AioMapChannel *channel) {
  if (channel->number > 0)
    return (gssize)channel->number - 1;
  for (guint k = 0; channel->name && k < import->columns->len; k++)
    if (strcmp(((AuiImportColumn *)import->columns->pdata[k])->name, channel->name) == 0)
      return (gssize)k;
  return -1;
}

static void mean_map(AuiImport *import, const AioColumnMap *map) {
  g_autofree char *time =
      map->time.unit ? g_strdup_printf(_("time [%s]"), map->time.unit->name) : NULL;
  mean(import, find_column(import, &map->time), time);
  mean(import, find_column(import, &map->moving_column), _("the joint that moves"));
  for (gsize k = 0; k < map->n_joints; k++)
    for (int kind = 0; kind < AIO_MAP_CHANNELS; kind++) {
      const AioMapChannel *channel = &map->joints[k].channels[kind];
      if (channel->node)
        mean_joint(import, find_column(import, channel), (gsize)map->joints[k].joint,
                   (AioMapChannelKind)kind, channel->unit->name);
    }
}

/* ---- the first rows ---- */

static void add_cells(AuiImport *import, const AioCsv *csv, char delimiter, gsize row) {
  const gsize n = aio_csv_columns(csv);
  const char separator[] = {delimiter, '\0'};
  g_autofree bool *keep = g_new(bool, n);
  g_autoptr(GString) text = g_string_new(NULL);
  memset(keep, true, n * sizeof *keep);
  aio_csv_copy_row(csv, row, keep, text);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  g_auto(GStrv) cells = g_strsplit(text->str, separator, (int)n);
  for (gsize k = 0; k < n; k++)
    g_ptr_array_add(import->cells, g_strdup(k < g_strv_length(cells) ? cells[k] : ""));
  import->line[import->rows++] = aio_csv_row_line(csv, row);
}

static void show_table(AuiImport *import, const AioCsv *csv, char delimiter) {
  GError *error = NULL;
  for (gsize k = 0; k < aio_csv_columns(csv); k++) {
    AuiImportColumn *column = g_new0(AuiImportColumn, 1);
    column->name = g_strdup(aio_csv_column_name(csv, k));
    g_ptr_array_add(import->columns, column);
  }
  if (!aio_csv_read(csv, 0, NULL, NULL, &error)) {
    take_problem(import, error);
    return;
  }
  for (gsize row = 0; row < MIN(aio_csv_rows(csv), AUI_IMPORT_ROWS); row++)
    add_cells(import, csv, delimiter, row);
}

/* ---- all of it ---- */

static void read_arm(AuiImport *import, const char *path) {
  enum { ARM_BYTES_MAX = 1 << 24 };
  GError *error = NULL;
  gsize length;
  if (!path) {
    import->problem = g_strdup(_("Choose the arm that was recorded."));
    return;
  }
  import->arm_text = aio_file_read_all(path, ARM_BYTES_MAX, &length, &error);
  if (import->arm_text)
    import->arm = aio_arm_load_bytes(path, import->arm_text, length, &error);
  if (!import->arm)
    take_problem(import, error);
}

static void read_recording(AuiImport *import, const char *path, const AioColumnMap *map) {
  GError *error = NULL;
  import->recording = map ? aio_import(path, map, &import->arm->model, NULL, &error)
                          : aio_recording_load(path, &import->arm->model, &error);
  if (import->recording)
    import->runs = ase_recorded_runs(import->recording, 0.0, &import->no_runs);
  else
    take_problem(import, error);
}

static void read_table(AuiImport *import, const char *path, const AioColumnMap *map) {
  GError *error = NULL;
  gsize length;
  const AioCsvFormat *format = map ? &map->format : &AIO_CSV_PLAIN;
  g_autofree char *bytes = aio_file_read_all(path, AIO_CSV_MAX_BYTES, &length, &error);
  g_autoptr(AioCsv) csv = bytes ? aio_csv_new(path, bytes, length, format, &error) : NULL;
  if (!csv) {
    take_problem(import, error);
    return;
  }
  show_table(import, csv, format->delimiter);
  import->has_meanings = map || import->arm;
  if (map)
    mean_map(import, map);
  else if (import->arm)
    mean_recording(import, csv);
}

AuiImport *aui_import_read(const char *csv_path, const char *map_path, const char *arm_path) {
  GError *error = NULL;
  AuiImport *import = g_new0(AuiImport, 1);
  import->columns = g_ptr_array_new_with_free_func(column_free);
  import->cells = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(AioColumnMap) map = map_path ? aio_column_map_load(map_path, &error) : NULL;
  if (error)
    take_problem(import, error);
  read_arm(import, arm_path);
  if (!map || !map->is_json)
    read_table(import, csv_path, map);
  if (import->arm && !import->problem)
    read_recording(import, csv_path, map);
  return import;
}

void aui_import_free(AuiImport *import) {
  if (!import)
    return;
  g_clear_pointer(&import->runs, g_ptr_array_unref);
  g_clear_error(&import->no_runs);
  aio_recording_free(import->recording);
  aio_arm_free(import->arm);
  g_free(import->arm_text);
  g_ptr_array_unref(import->columns);
  g_ptr_array_unref(import->cells);
  g_free(import->problem);
  g_free(import);
}

/* ---- words ---- */

/* "2, 3": the joints that sweep. */
static char *joints_text(const GPtrArray *runs, gsize n) {
  GString *text = g_string_new(NULL);
  for (gsize joint = 1; joint <= n; joint++)
    for (guint k = 0; k < runs->len; k++)
      if (((const AseRun *)runs->pdata[k])->joint == joint) {
        g_string_append_printf(text, "%s%zu", text->len ? ", " : "", joint);
        break;
      }
  return g_string_free(text, FALSE);
}

char *aui_import_summary(const AuiImport *import, double held_out, GError **error) {
  const AioRecording *r = import->recording;
  const GPtrArray *runs = import->runs;
  guint out = 0;
  if (!runs) {
    if (error)
      *error = g_error_copy(import->no_runs);
    return NULL;
  }
  ase_recorded_hold_out(runs, held_out);
  for (guint k = 0; k < runs->len; k++)
    out += ((const AseRun *)runs->pdata[k])->purpose == ASE_PURPOSE_VALIDATE;
  g_autofree char *joints = joints_text(runs, r->n);
  return g_strdup_printf(_("%zu rows in %.1f s: %u sweeps of joint %s. The fit gets %u of "
                           "them, %u are kept for the validation."),
                         r->rows, r->t[r->rows - 1] - r->t[0], runs->len, joints, runs->len - out,
                         out);
}

char *aui_import_sibling(const char *csv_path, const char *ending) {
  const char *dot = strrchr(csv_path, '.');
  g_autofree char *stem = dot ? g_strndup(csv_path, (gsize)(dot - csv_path)) : g_strdup(csv_path);
  g_autofree char *path = g_strconcat(stem, ending, NULL);
  return g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer(&path) : NULL;
}
