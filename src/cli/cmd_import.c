/* SPDX-License-Identifier: MIT */
/* `import`: another tool's table becomes a recording, or is refused with the reason. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/recordings.h"
#include "cli/text.h"
#include "io/json/json_write.h"
#include "io/recording/import.h"

typedef struct {
  const char *arm, *map, *csv, *out;
  double rate;
  bool force, report, json;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: joint types and, for columns on the motor side, gear ratios and signs."},
    {"map", CLI_TEXT, true, offsetof(Args, map), "MAP.json",
     "Column map: which column is what, its unit, sign and side of the gear."},
    {"csv", CLI_TEXT, true, offsetof(Args, csv), "IN",
     "The other tool's table: CSV, or JSON if the map says so."},
    {"rate", CLI_NUMBER, false, offsetof(Args, rate), "HZ",
     "Samples per second of a table that has no time, in Hz: its rows follow each other evenly, "
     "and "
     "none is missing. A map that names a time is refused then. Default: the map names it."},
    {"out", CLI_OUT, false, offsetof(Args, out), "REC.csv",
     "Write the recording to this file. Needed unless --report is given."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"report", CLI_FLAG, false, offsetof(Args, report), NULL,
     "Print what was found: rows, time step, and per column range and refresh rate."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "The report as JSON; implies --report."},
};

static void write_moving(AioJsonWriter *w, const AioImportReport *report, gsize n) {
  aio_json_write_key(w, "rows_moving");
  aio_json_write_begin_array(w);
  for (gsize j = 1; j <= n; j++)
    aio_json_write_int(w, (gint64)report->rows_moving[j]);
  aio_json_write_end_array(w);
}

static void write_channels(AioJsonWriter *w, const AioImportReport *report) {
  aio_json_write_key(w, "columns");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < report->channels->len; k++) {
    const AioImportChannel *channel = &g_array_index(report->channels, AioImportChannel, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "name", channel->name);
    aio_json_put_int(w, "count", (gint64)channel->count);
    aio_json_put_number(w, "min", channel->min);
    aio_json_put_number(w, "max", channel->max);
    aio_json_put_number(w, "rate_Hz", channel->rate_Hz);
    aio_json_put_number(w, "refresh_Hz", channel->refresh_Hz);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static int print_json(const AioImportReport *report, gsize n) {
  g_autoptr(GString) out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-import-report");
  aio_json_put_int(w, "version", 1);
  aio_json_put_int(w, "rows_read", (gint64)report->rows_read);
  aio_json_put_int(w, "rows_kept", (gint64)report->rows_kept);
  aio_json_put_int(w, "rows_before", (gint64)report->rows_before);
  aio_json_put_int(w, "rows_after", (gint64)report->rows_after);
  aio_json_put_int(w, "rows_unmoved", (gint64)report->rows_moving[0]);
  write_moving(w, report, n);
  aio_json_put_number(w, "duration_s", report->duration_s);
  aio_json_put_number(w, "median_step_s", report->median_step_s);
  write_channels(w, report);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return cli_write(NULL, out->str, out->len, false);
}

static void print_table(const Args *args, const AioImportReport *report, gsize n) {
  CliTable *table = cli_table_new("lrrrrr");
  g_autofree char *step = cli_format_number(report->median_step_s, 3);
  g_autofree char *file = cli_base_name(args->csv);
  GString *text = g_string_new(NULL);
  g_string_printf(text, "%s: %zu of %zu rows kept, %.1f s, median step %s s.\n", file,
                  report->rows_kept, report->rows_read, report->duration_s, step);
  g_string_append(text, "Rows by moving joint:");
  for (gsize j = 1; j <= n; j++)
    g_string_append_printf(text, " %zu: %zu,", j, report->rows_moving[j]);
  g_string_append_printf(text, " none: %zu.\n", report->rows_moving[0]);
  cli_print_wrapped(g_string_free(text, FALSE));
  static const char *const heads[] = {"column", "values",    "min",
                                      "max",    "rate [Hz]", "refresh [Hz]"};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (guint k = 0; k < report->channels->len; k++) {
    const AioImportChannel *channel = &g_array_index(report->channels, AioImportChannel, k);
    cli_table_cell(table, "%s", channel->name);
    cli_table_cell(table, "%zu", channel->count);
    cli_table_take(table, cli_format_number(channel->min, 4));
    cli_table_take(table, cli_format_number(channel->max, 4));
    cli_table_take(table, cli_format_number(channel->rate_Hz, 4));
    cli_table_take(table, cli_format_number(channel->refresh_Hz, 4));
  }
  cli_table_finish(table);
}

/* A recording without a moving joint is good for predictions only: said unless it was asked for. */
static void warn_unmoved(const Args *args, const AioColumnMap *map, const AioImportReport *report) {
  if (report->rows_moving[0] < report->rows_kept || map->moving == AIO_MOVING_VALUE)
    return;
  cli_warning("%s: no row has a moving joint, so `fit` can use none: %s", args->csv,
              map->moving == AIO_MOVING_DETECT
                  ? "do several joints move at once, or none? (see moving_joint, min_speed_rad_s "
                    "of the column map)"
                  : "is the column of moving_joint the right one?");
}

/* Rows go out as they come back from where they are kept. */
static int write_rows(const Args *args, AioRowStore *store) {
  const AioRecording *about = aio_row_store_about(store);
  const ArmRowSource source = aio_row_store_source(store);
  CliOutput *output = cli_output_new(args->out, args->force);
  ArmDataset view;
  int code = output ? CLI_OK : CLI_BAD_INPUT;
  for (gsize k = 0; code == CLI_OK && k * source.width < source.rows; k++) {
    const gsize begin = k > 0 ? ARM_WINDOW_MARGIN : 0;
    const gsize rows = MIN(source.width, source.rows - k * source.width);
    if (source.read(source.user, k, &view) != ARM_OK) {
      code = cli_fail(g_error_copy(aio_row_store_error(store)));
      break;
    }
    if (k == 0)
      aio_recording_append_header(about, view.qdd != NULL, cli_output_text(output));
    aio_recording_append_rows(about, &view, begin, begin + rows, cli_output_text(output));
    code = cli_output_row(output);
  }
  return output ? cli_output_end(output, code) : code;
}

static int import_file(const Args *args, const AioArm *arm, const AioColumnMap *map) {
  GError *error = NULL;
  g_auto(AioImportReport) report = {0};
  g_autoptr(AioRowStore) rows = aio_import_rows(args->csv, map, &arm->model, &report, &error);
  if (!rows && g_error_matches(error, AIO_ERROR, AIO_ERROR_REFUSED))
    return cli_fail_findings(error);
  if (!rows)
    return cli_fail(error);
  warn_unmoved(args, map, &report);
  int code = args->out ? write_rows(args, rows) : CLI_OK;
  if (code == CLI_OK && args->json)
    code = print_json(&report, arm->model.n);
  else if (code == CLI_OK && args->report)
    print_table(args, &report, arm->model.n);
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  GError *error = NULL;
  ArmStructure structure;
  if (!args->out && !args->report && !args->json)
    return cli_usage(&cli_import, "--out REC.csv is missing (or --report, to look only)");
  if (args->rate <= 0.0)
    return cli_usage(&cli_import, CLI_RATE_USAGE);
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  g_autoptr(AioColumnMap) map = aio_column_map_load_at(args->map, args->rate, &error);
  return map ? import_file(args, arm, map) : cli_fail(error);
}

const CliVerb cli_import = {
    .name = "import",
    .summary = "another tool's table becomes a recording",
    .purpose =
        "Reads a table with the help of a column map and writes a recording in SI units on the "
        "joint side. Refuses, with the reason, what would spoil a fit in silence: currents that "
        "are stale, unsigned or constant, time that is missing, repeats or runs back, files that "
        "are only pointers to the data (Git LFS).",
    .example = "armature-cli import --arm ur10e.arm.json --map ur.map.json --csv log.csv --out "
               "rec.csv --report\n"
               "converts log.csv and prints the range and refresh rate of every column.",
    .exits = "0 done, 2 usage, 3 the arm, map or table is wrong or refused, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
