/* SPDX-License-Identifier: MIT */
/* `log`: what is in a session. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/session_file.h"
#include "cli/text.h"
#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

typedef struct {
  const char *file;
  bool json, events, runs;
} Args;

static const CliOption options[] = {
    {"SESSION", CLI_OPERAND, true, offsetof(Args, file), NULL, "A session file."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL,
     "Everything but the samples as one JSON object."},
    {"runs", CLI_FLAG, false, offsetof(Args, runs), NULL,
     "Sweeps and moves as CSV: run,connection,kind,joint,hold,speed,started,seconds,samples,"
     "outcome."},
    {"events", CLI_FLAG, false, offsetof(Args, events), NULL,
     "What the controller reported as CSV: event,connection,run,time,t_us,kind,joint,motion,level,"
     "value,text."},
};

typedef struct {
  const CliSessionFile *file;
  CliOutput *output;
  AioJsonWriter *json;
  int code;
} Log;

/* After a row; false: nobody takes it. */
static bool hand_over(Log *log) {
  log->code = cli_output_row(log->output);
  return log->code == CLI_OK;
}

static void each_event(Log *log, bool (*each)(const AioStoreEvent *event, void *data)) {
  if (!cli_session_each_event(log->file, each, log))
    log->code = CLI_BAD_INPUT;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a type and a name */
#define EACH(array, Type, row)                                                                     \
  for (const Type *row = (const Type *)(array)->data, *row##_end = row + (array)->len;             \
       row < row##_end; row++)
/* NOLINTEND(bugprone-macro-parentheses) */

static guint64 samples_of(const CliSessionFile *file, const AioStoreRun *run) {
  return g_array_index(file->samples, guint64, run - (const AioStoreRun *)file->runs->data);
}

/* ---- CSV ---- */

static void csv_text(GString *out, const char *text) {
  g_string_append_c(out, ',');
  aio_text_append_csv(out, text ? text : "");
}

static void csv_number(GString *out, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf(out, ",%s",
                         isnan(number) ? "" : g_ascii_dtostr(digits, sizeof digits, number));
}

static void runs_csv(Log *log) {
  const CliSessionFile *file = log->file;
  GString *out = cli_output_text(log->output);
  g_string_append(out, "run,connection,kind,joint,hold,speed,started,seconds,samples,outcome\n");
  EACH(file->runs, AioStoreRun, run) {
    g_autofree char *started = cli_utc_text(run->started_us);
    g_string_append_printf(out, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, run->id, run->connection);
    csv_text(out, run->kind);
    g_string_append_printf(out, ",%u,%u", run->joint, run->hold);
    csv_number(out, run->speed);
    g_string_append_printf(out, ",%s", started);
    csv_number(out, cli_run_seconds(run));
    g_string_append_printf(out, ",%" G_GUINT64_FORMAT, samples_of(file, run));
    g_autofree char *outcome = run->outcome ? cli_said(run->outcome) : NULL;
    csv_text(out, outcome);
    g_string_append_c(out, '\n');
    if (!hand_over(log))
      return;
  }
}

static bool event_csv(const AioStoreEvent *event, void *data) {
  Log *log = data;
  GString *out = cli_output_text(log->output);
  g_autofree char *time =
      cli_utc_text(cli_session_utc(log->file, event->connection, event->t_host_ns));
  g_string_append_printf(
      out, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%s,%" G_GUINT64_FORMAT,
      event->id, event->connection, event->run, time, event->t_us);
  csv_text(out, event->kind);
  g_string_append_printf(out, ",%u,%u,%u,%" G_GINT64_FORMAT, event->joint, event->motion,
                         event->level, event->value);
  csv_text(out, event->text);
  g_string_append_c(out, '\n');
  return hand_over(log);
}

static void events_csv(Log *log) {
  g_string_append(cli_output_text(log->output),
                  "event,connection,run,time,t_us,kind,joint,motion,level,value,text\n");
  each_event(log, event_csv);
}

/* ---- JSON ---- */

static void put_time(AioJsonWriter *w, const char *key, gint64 utc_us) {
  g_autofree char *text = utc_us ? cli_utc_or_null(utc_us) : NULL;
  aio_json_put_string(w, key, text);
}

/* A value of the file that should be JSON: null when it is not. */
static void put_json(AioJsonWriter *w, const char *key, const char *json) {
  g_autoptr(AioJson) parsed = json ? aio_json_parse(key, json, strlen(json), NULL) : NULL;
  aio_json_write_key(w, key);
  /* outside of strings a carriage return is no more than a blank, and inside there is none */
  g_autofree char *plain = g_strdelimit(g_strdup(json ? json : ""), "\r", ' ');
  if (parsed)
    aio_json_write_raw(w, plain);
  else
    aio_json_write_null(w);
}

/* Bytes of the steps, in the file and with their reasons as texts: ours have a third at most,
 * each joint with the longest reason of all at each step. */
enum { MOST_STEPS = 2 << 20 };

/* Appends what stands before the node, and the node, its reasons as texts. */
static void append_said(GString *out, const AioJsonNode *node, const char *json, gsize *at) {
  for (gsize k = 0; k < aio_json_size(node); k++)
    append_said(out, aio_json_item(node, k), json, at);
  const bool is_reason = node->kind == AIO_JSON_STRING && g_strcmp0(node->key, "reason") == 0;
  if (!is_reason || out->len > MOST_STEPS)
    return;
  g_autofree char *said = aio_said_from_file(node->string), *text = cli_said(said),
                  *line = aio_text_visible(text, false);
  g_string_append_len(out, json + *at, (gssize)(node->begin - *at));
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_string(w, line);
  aio_json_writer_free(w);
  g_string_truncate(out, out->len - 1); /* a line end */
  *at = node->end;
}

/* Reasons as English texts. */
static void put_steps(AioJsonWriter *w, const char *json) {
  const bool is_wanted = json && strlen(json) <= MOST_STEPS;
  g_autoptr(AioJson) parsed = is_wanted ? aio_json_parse("steps", json, strlen(json), NULL) : NULL;
  g_autoptr(GString) out = g_string_new(NULL);
  gsize at = 0;
  aio_json_write_key(w, "steps");
  if (!parsed) {
    aio_json_write_null(w);
    return;
  }
  append_said(out, aio_json_root(parsed), json, &at);
  g_string_append(out, json + at);
  aio_json_write_raw(w, g_strdelimit(out->str, "\r", ' '));
}

static void write_runs(Log *log) {
  const CliSessionFile *file = log->file;
  AioJsonWriter *w = log->json;
  aio_json_write_key(w, "runs");
  aio_json_write_begin_array(w);
  EACH(file->runs, AioStoreRun, run) {
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "run", run->id);
    aio_json_put_int(w, "connection", run->connection);
    aio_json_put_string(w, "kind", run->kind);
    aio_json_put_int(w, "joint", run->joint);
    aio_json_put_int(w, "hold", run->hold);
    aio_json_put_number(w, "speed", run->speed);
    put_time(w, "started", run->started_us);
    aio_json_put_number(w, "seconds", cli_run_seconds(run));
    aio_json_put_int(w, "samples", (gint64)samples_of(file, run));
    g_autofree char *outcome = run->outcome ? cli_said(run->outcome) : NULL;
    aio_json_put_string(w, "outcome", outcome);
    aio_json_write_end_object(w);
    if (!hand_over(log))
      break;
  }
  aio_json_write_end_array(w);
}

static bool write_event(const AioStoreEvent *event, void *data) {
  Log *log = data;
  AioJsonWriter *w = log->json;
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "event", event->id);
  aio_json_put_int(w, "connection", event->connection);
  aio_json_put_int(w, "run", event->run);
  put_time(w, "time", cli_session_utc(log->file, event->connection, event->t_host_ns));
  aio_json_put_int(w, "t_us", (gint64)event->t_us);
  aio_json_put_string(w, "kind", event->kind);
  aio_json_put_int(w, "joint", event->joint);
  aio_json_put_int(w, "motion", event->motion);
  aio_json_put_int(w, "level", event->level);
  aio_json_put_int(w, "value", event->value);
  aio_json_put_string(w, "text", event->text);
  put_json(w, "detail", event->detail);
  aio_json_write_end_object(w);
  return hand_over(log);
}

static void write_events(Log *log) {
  aio_json_write_key(log->json, "events");
  aio_json_write_begin_array(log->json);
  each_event(log, write_event);
  aio_json_write_end_array(log->json);
}

static void write_fits(AioJsonWriter *w, const CliSessionFile *file) {
  aio_json_write_key(w, "fits");
  aio_json_write_begin_array(w);
  EACH(file->fits, AioStoreFit, fit) {
    aio_json_write_begin_object(w);
    aio_json_put_int(w, "fit", fit->id);
    put_time(w, "time", fit->utc_us);
    aio_json_put_string(w, "program", fit->program);
    aio_json_put_string(w, "dataset_sha256", fit->dataset_sha256);
    put_json(w, "options", fit->options);
    put_json(w, "parameters", fit->parameters);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "statistics");
  aio_json_write_begin_array(w);
  EACH(file->statistics, AioStoreStatistic, row) {
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "name", row->name);
    aio_json_put_int(w, "run", row->run);
    aio_json_put_number(w, "value", row->value);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static void log_json(Log *log) {
  const CliSessionFile *file = log->file;
  AioJsonWriter *w = log->json = aio_json_writer_new(cli_output_text(log->output));
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-session-log");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "program", file->program);
  aio_json_put_string(w, "created", file->created);
  aio_json_write_key(w, "arm");
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "name", file->arm ? file->arm->name : NULL);
  aio_json_put_string(w, "digest", file->arm ? file->arm->digest : NULL);
  aio_json_put_int(w, "joints", file->arm ? (gint64)file->arm->model.n : 0);
  aio_json_write_end_object(w);
  put_json(w, "plan", file->plan);
  put_steps(w, file->steps);
  aio_json_write_key(w, "connections");
  aio_json_write_begin_array(w);
  EACH(file->connections, AioStoreConnection, row) {
    aio_json_write_begin_object(w);
    aio_json_put_int(w, "connection", row->id);
    put_time(w, "time", row->utc_us);
    put_json(w, "controller", row->controller);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  write_runs(log);
  if (log->code == CLI_OK)
    write_events(log);
  write_fits(w, file);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
}

/* ---- for people ---- */

static void print_runs(const CliSessionFile *file) {
  CliTable *table = cli_table_new("rlrrrrrl");
  const char *const heads[] = {"run", "kind", "joint", "hold", "speed", "s", "samples", "outcome"};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  EACH(file->runs, AioStoreRun, run) {
    cli_table_cell(table, "%" G_GINT64_FORMAT, run->id);
    cli_table_take(table, cli_name(run->kind));
    cli_table_cell(table, run->joint ? "%u" : "-", run->joint);
    cli_table_cell(table, run->hold ? "%u" : "-", run->hold);
    cli_table_take(table, cli_format_number(run->speed, 3));
    cli_table_take(table, cli_format_number(cli_run_seconds(run), 3));
    cli_table_cell(table, "%" G_GUINT64_FORMAT, samples_of(file, run));
    g_autofree char *outcome = run->outcome ? cli_said(run->outcome) : g_strdup("did not end");
    cli_table_take(table, cli_name(outcome));
  }
  cli_table_finish(table);
}

static bool print_event(const AioStoreEvent *event, void *data) {
  const Log *log = data;
  if (event->level == 0)
    return true;
  g_autofree char *time =
      cli_utc_text(cli_session_utc(log->file, event->connection, event->t_host_ns));
  g_autofree char *text = aio_text_visible(event->text, false), *kind = cli_name(event->kind);
  cli_print_wrapped(g_strdup_printf("%s %s: %s", time, kind, text));
  return true;
}

static void print_log(Log *log) {
  const CliSessionFile *file = log->file;
  g_autofree char *name = cli_base_name(file->path);
  g_autofree char *arm = cli_name(file->arm ? file->arm->name : "none");
  g_autofree char *program = cli_name(file->program ? file->program : "unknown");
  g_autofree char *created = cli_name(file->created ? file->created : "");
  printf("%s: arm %s, by %s, %s\n", name, arm, program, created);
  printf("%u connections, %u runs, %" G_GUINT64_FORMAT " events (%" G_GUINT64_FORMAT
         " of them warnings or errors), %u fits\n\n",
         file->connections->len, file->runs->len, file->n_events, file->n_warnings,
         file->fits->len);
  print_runs(file);
  each_event(log, print_event);
  EACH(file->fits, AioStoreFit, fit) {
    g_autofree char *time = cli_utc_text(fit->utc_us);
    g_autofree char *data = g_strndup(fit->dataset_sha256, 12), *shown = cli_name(data);
    printf("fit %" G_GINT64_FORMAT ", %s, of the data %s\n", fit->id, time, shown);
  }
}

static int run(const void *arguments) {
  const Args *args = arguments;
  if (args->json + args->runs + args->events > 1)
    return cli_usage(&cli_log, "--json, --runs and --events exclude each other");
  g_autoptr(CliSessionFile) file = cli_session_file_load(args->file);
  if (!file)
    return CLI_BAD_INPUT;
  Log log = {.file = file};
  if (!args->json && !args->runs && !args->events) {
    print_log(&log);
    return log.code;
  }
  log.output = cli_output_new(NULL, false);
  (args->json ? log_json : args->runs ? runs_csv : events_csv)(&log);
  return cli_output_end(log.output, log.code);
}

const CliVerb cli_log = {
    .name = "log",
    .summary = "what is in a session: runs, events, fits",
    .purpose = "Tells what a session holds, without changing anything; also while another program "
               "is recording into it.",
    .example = "armature-cli log bench.armsession --events\n"
               "prints what the controller reported, as CSV.",
    .exits = "0 done, 2 usage, 3 not a session or a damaged one, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
