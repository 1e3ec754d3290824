/* SPDX-License-Identifier: MIT */
/* `replay`: what was captured or recorded, as a recording. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/replay.h"
#include "cli/session_file.h"
#include "io/acquire/capture_samples.h"
#include "io/recording/recording_rows.h"
#include "session/measure/runs.h"

typedef struct {
  const char *file, *out;
  double run;
  bool force;
  GHashTable *runs; /* another verb wants these, silently; NULL: it is `replay` */
} Args;

static const CliOption options[] = {
    {"FILE", CLI_OPERAND, true, offsetof(Args, file), NULL,
     "A capture of a line (`calibrate --capture`) or a session."},
    {"out", CLI_OUT, true, offsetof(Args, out), "REC.csv",
     "Write the recording to this file: t_s,joint,q1_rad,..,qd1_rad_s,..,i1_A,.."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"run", CLI_NUMBER, false, offsetof(Args, run), "N",
     "Of a session, only this run (`log --runs` lists them). Default: all; where `record` has "
     "followed a motion, the runs of that, without the ways there and the dry run."},
};

static void tell(const Args *args, gsize rows, gsize joints) {
  cli_note("%s: %" G_GSIZE_FORMAT " samples of %" G_GSIZE_FORMAT " joints", args->out, rows,
           joints);
}

static void warn_unordered(const Args *args, gsize unordered) {
  if (unordered)
    cli_warning("%s: %" G_GSIZE_FORMAT " samples are left out, as the controller's clock stood "
                "still or ran back: they have the time of the one before them",
                args->file, unordered);
}

/* ---- a capture ---- */

/* It is played twice, all its connections as one. */
typedef struct {
  ArmModel *model; /* without joints: nothing has come */
  AioRows *rows;
  CliOutput *output;
  int code;
} Playing;

static void take_model(ArmModel *model, const AioDescription *description) {
  model->n = description->joints;
  for (gsize j = 0; j < model->n; j++)
    model->joints[j].type = description->joint[j].type;
}

static bool count_played(const AioDescription *description, AioChunk *chunk, void *data) {
  Playing *playing = data;
  if (playing->model->n == 0)
    take_model(playing->model, description);
  aio_rows_count(playing->rows, chunk);
  return true;
}

static bool write_played(const AioDescription *description, AioChunk *chunk, void *data) {
  Playing *playing = data;
  (void)description;
  aio_rows_append(playing->rows, chunk, cli_output_text(playing->output));
  playing->code = cli_output_row(playing->output);
  return playing->code == CLI_OK;
}

static int write_capture(const Args *args, guint64 records, Playing *playing) {
  GError *error = NULL;
  playing->output = cli_output_new(args->out, args->force);
  if (!playing->output)
    return CLI_BAD_INPUT;
  aio_rows_append_header(playing->rows, cli_output_text(playing->output));
  g_autoptr(AioCaptureSamples) again =
      aio_capture_samples_play(args->file, records, write_played, playing, &error);
  if (!again)
    playing->code = cli_fail(error);
  const int code = cli_output_end(playing->output, playing->code);
  if (code == CLI_OK)
    tell(args, aio_rows_total(playing->rows), playing->model->n);
  return code;
}

static int replay_capture(const Args *args) {
  GError *error = NULL;
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  g_autoptr(AioRows) rows = aio_rows_new(args->file, model);
  Playing playing = {.model = model, .rows = rows};
  g_autoptr(AioCaptureSamples) samples =
      aio_capture_samples_play(args->file, G_MAXUINT64, count_played, &playing, &error);
  if (!samples)
    return cli_fail(error);
  if (samples->damage)
    cli_warning("%s", samples->damage);
  take_model(model, &samples->description);
  const int code = aio_rows_end_connection(rows, &error)
                       ? write_capture(args, samples->records, &playing)
                       : cli_fail(error);
  warn_unordered(args, aio_rows_unordered(rows));
  if (samples->counters.samples_lost)
    cli_warning("%s: %" G_GUINT64_FORMAT " samples were lost on the line", args->file,
                samples->counters.samples_lost);
  return code;
}

/* ---- a session ---- */

/* Time of one connection goes on; the next one begins anew. */
typedef struct {
  AioRows *rows;
  gint64 connection, last; /* last: chunk of the first reading; what came since is left out */
  CliOutput *output;
  int code;
  GError *error;
  GHashTable *recorded; /* of gint64: runs of `record` that count, and whether each came to its end;
                           empty: there are none */
} Gathering;

/* ---- which runs ---- */

typedef struct {
  GHashTable *recorded;
  bool is_of_motion; /* `record` was here, whether it came to its end or not */
} Found;

static bool add_recorded(const AioStoreRun *row, void *data) {
  Found *found = data;
  const bool is_whole = g_strcmp0(row->outcome, ASE_OUTCOME_DONE) == 0;
  found->is_of_motion = found->is_of_motion || g_str_has_prefix(row->kind, "trajectory");
  if (strcmp(row->kind, "trajectory") == 0)
    g_hash_table_insert(found->recorded, g_memdup2(&row->id, sizeof row->id),
                        GINT_TO_POINTER(is_whole));
  return true;
}

static bool remove_superseded(const AioStoreStatistic *row, void *recorded) {
  if (strcmp(row->name, "superseded") == 0)
    g_hash_table_remove(recorded, &row->run);
  return true;
}

static bool is_wanted(const Gathering *gathering, gint64 run) {
  return run && (g_hash_table_size(gathering->recorded) == 0 ||
                 g_hash_table_contains(gathering->recorded, &run));
}

static bool has_whole(GHashTable *recorded) {
  GHashTableIter iter;
  gpointer is_whole;
  g_hash_table_iter_init(&iter, recorded);
  while (g_hash_table_iter_next(&iter, NULL, &is_whole))
    if (is_whole)
      return true;
  return false;
}

/* A run that ended early counts where there is no whole one; either way it is said. */
static void sort_out_partial(const Args *args, GHashTable *recorded) {
  const bool is_left_out = has_whole(recorded);
  GHashTableIter iter;
  gpointer id, is_whole;
  g_hash_table_iter_init(&iter, recorded);
  while (g_hash_table_iter_next(&iter, &id, &is_whole)) {
    if (is_whole)
      continue;
    const gint64 run = *(const gint64 *)id;
    if (is_left_out)
      cli_warning("%s: run %" G_GINT64_FORMAT " ended before its motion did: it is left out, "
                  "--run %" G_GINT64_FORMAT " writes it",
                  args->file, run, run);
    else
      cli_warning("%s: run %" G_GINT64_FORMAT " ended before its motion did: this is a part of the "
                  "motion",
                  args->file, run);
    if (is_left_out)
      g_hash_table_iter_remove(&iter);
  }
}

static bool find_recorded(const Args *args, AioStore *store, GHashTable *recorded, GError **error) {
  Found found = {.recorded = recorded};
  if (!aio_store_each_run(store, add_recorded, &found, error) ||
      !aio_store_each_statistic(store, remove_superseded, recorded, error))
    return false;
  if (found.is_of_motion && g_hash_table_size(recorded) == 0)
    cli_warning("%s: no run of the motion counts: these are all runs, ways there and dry runs, too",
                args->file);
  sort_out_partial(args, recorded);
  return true;
}

/* ---- their samples ---- */

static bool count_chunk(const AioStoreChunk *row, void *data) {
  Gathering *gathering = data;
  if (row->connection != gathering->connection &&
      !aio_rows_end_connection(gathering->rows, &gathering->error))
    return false;
  gathering->connection = row->connection;
  gathering->last = row->id;
  if (is_wanted(gathering, row->run))
    aio_rows_count(gathering->rows, row->chunk);
  return true;
}

static bool write_chunk(const AioStoreChunk *row, void *data) {
  Gathering *gathering = data;
  if (row->id > gathering->last)
    return false;
  if (row->connection != gathering->connection)
    aio_rows_next_connection(gathering->rows);
  gathering->connection = row->connection;
  if (is_wanted(gathering, row->run)) {
    aio_rows_append(gathering->rows, row->chunk, cli_output_text(gathering->output));
    gathering->code = cli_output_row(gathering->output);
  }
  return gathering->code == CLI_OK;
}

static int write_runs(const Args *args, AioStore *store, gint64 run, Gathering *gathering) {
  GError *error = NULL;
  gathering->output = cli_output_new(args->out, args->force);
  if (!gathering->output)
    return CLI_BAD_INPUT;
  gathering->connection = 0;
  aio_rows_append_header(gathering->rows, cli_output_text(gathering->output));
  if (!aio_store_each_chunk(store, run, write_chunk, gathering, &error))
    gathering->code = cli_fail(error);
  return cli_output_end(gathering->output, gathering->code);
}

static int replay_runs(const Args *args, AioStore *store, const ArmModel *model) {
  g_autoptr(AioRows) rows = aio_rows_new(args->file, model);
  g_autoptr(GHashTable) recorded = args->runs ? g_hash_table_ref(args->runs) : cli_runs_new();
  Gathering gathering = {.rows = rows, .recorded = recorded};
  const gint64 run = args->run > 0.0 ? (gint64)args->run : 0;
  GError *error = NULL;
  int code = CLI_BAD_INPUT;
  const bool is_read = (args->runs || run || find_recorded(args, store, recorded, &error)) &&
                       aio_store_each_chunk(store, run, count_chunk, &gathering, &error);
  if (!is_read)
    cli_fail(error);
  else if (gathering.error || !aio_rows_end_connection(gathering.rows, &gathering.error))
    cli_fail(gathering.error);
  else if (aio_rows_total(gathering.rows) == 0)
    cli_error("%s: no sample of %s is in this session", args->file, run ? "this run" : "any run");
  else
    code = write_runs(args, store, run, &gathering);
  if (code == CLI_OK)
    warn_unordered(args, aio_rows_unordered(rows));
  if (code == CLI_OK && !args->runs)
    tell(args, aio_rows_total(gathering.rows), model->n);
  return code;
}

static int replay_session(const Args *args) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(args->file, &error);
  if (!store)
    return cli_fail(error);
  g_autofree char *text = aio_store_get_text(store, AIO_STORE_ARM, &error);
  g_autoptr(AioArm) arm = text ? aio_arm_load_stored(args->file, text, strlen(text), &error) : NULL;
  int code = arm ? replay_runs(args, store, &arm->model) : cli_fail(error);
  aio_store_close(store, NULL);
  return code;
}

int cli_replay_runs(const char *session, GHashTable *runs, const char *out) {
  const Args args = {.file = session, .out = out, .run = (double)NAN, .runs = runs};
  return replay_session(&args);
}

GHashTable *cli_runs_new(void) {
  return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  const bool is_session = aio_store_is_session(args->file);
  if (args->run <= 0.0 || args->run > 1e15)
    return cli_usage(&cli_replay, "--run: expected the number of a run, found %g", args->run);
  if (args->run > 0.0 && !is_session)
    return cli_usage(&cli_replay, "--run belongs to a session, and %s is none", args->file);
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  return is_session ? replay_session(args) : replay_capture(args);
}

const CliVerb cli_replay = {
    .name = "replay",
    .summary = "what was captured or recorded, as a recording (CSV)",
    .purpose = "A capture goes through the same driver once more and gives the same samples as "
               "then; of a session the samples of its runs are taken. The result is a recording "
               "for `fit` and any other program. Of a session it has the moves, the "
               "dry run and the ramps as well, which the session's own fit leaves out: `fit "
               "--plateau` takes only what is at constant speed.",
    .example = "armature-cli replay bench.armsession --run 12 --out sweep12.csv\n"
               "writes the samples of run 12.",
    .exits = "0 done, 2 usage, 3 neither a capture nor a session, or a damaged one, 130 "
             "interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
