/* SPDX-License-Identifier: MIT */
/* `replay`: what was captured or recorded, as a recording. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/session_file.h"
#include "io/acquire/capture_samples.h"
#include "io/recording/recording_chunks.h"

typedef struct {
  const char *file, *out;
  double run;
  bool force;
} Args;

static const CliOption options[] = {
    {"FILE", CLI_OPERAND, true, offsetof(Args, file), NULL,
     "A capture of a line (`calibrate --capture`) or a session."},
    {"out", CLI_TEXT, true, offsetof(Args, out), "REC.csv",
     "Write the recording to this file: t_s,joint,q1_rad,..,qd1_rad_s,..,i1_A,.."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"run", CLI_NUMBER, false, offsetof(Args, run), "N",
     "Of a session, only this run (`log --runs` lists them). Default: all."},
};

static int write_recording(const Args *args, const AioRecording *recording) {
  g_autoptr(GString) csv = aio_recording_to_csv(recording);
  int code = cli_write(args->out, csv->str, csv->len, args->force);
  if (code == CLI_OK)
    cli_note("%s: %" G_GSIZE_FORMAT " samples of %" G_GSIZE_FORMAT " joints", args->out,
             recording->rows, recording->n);
  return code;
}

/* ---- a capture ---- */

static int replay_capture(const Args *args) {
  GError *error = NULL;
  g_autoptr(AioCaptureSamples) samples = aio_capture_samples_load(args->file, &error);
  if (!samples)
    return cli_fail(error);
  if (samples->damage)
    cli_warning("%s", samples->damage);
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  model->n = samples->description.joints;
  for (gsize j = 0; j < model->n; j++)
    model->joints[j].type = samples->description.joint[j].type;
  g_autoptr(AioRecording) recording = aio_recording_from_chunks(
      args->file, model, (AioChunk *const *)samples->chunks->pdata, samples->chunks->len, &error);
  int code = recording ? write_recording(args, recording) : cli_fail(error);
  if (samples->counters.samples_lost)
    cli_warning("%s: %" G_GUINT64_FORMAT " samples were lost on the line", args->file,
                samples->counters.samples_lost);
  return code;
}

/* ---- a session ---- */

typedef struct {
  const ArmModel *model;
  const char *name;
  gint64 connection;
  GPtrArray *chunks; /* of this connection */
  AioRecording *all; /* of the connections before */
  GError *error;
} Gathering;

/* Time of one connection goes on; the next one begins anew. */
static bool end_connection(Gathering *gathering) {
  if (gathering->chunks->len == 0)
    return true;
  g_autoptr(AioRecording) next = aio_recording_from_chunks(
      gathering->name, gathering->model, (AioChunk *const *)gathering->chunks->pdata,
      gathering->chunks->len, &gathering->error);
  g_ptr_array_set_size(gathering->chunks, 0);
  if (!next)
    return false;
  if (!gathering->all) {
    gathering->all = g_steal_pointer(&next);
    return true;
  }
  return aio_recording_append(gathering->all, next, &gathering->error);
}

static bool take_chunk(const AioStoreChunk *row, void *data) {
  Gathering *gathering = data;
  if (row->connection != gathering->connection && !end_connection(gathering))
    return false;
  gathering->connection = row->connection;
  if (row->run)
    g_ptr_array_add(gathering->chunks, aio_chunk_ref(row->chunk));
  return true;
}

static void unref_chunk(gpointer chunk) {
  aio_chunk_unref(chunk);
}

static int replay_runs(const Args *args, AioStore *store, const ArmModel *model) {
  Gathering gathering = {
      .model = model, .name = args->file, .chunks = g_ptr_array_new_with_free_func(unref_chunk)};
  const gint64 run = args->run > 0.0 ? (gint64)args->run : 0;
  GError *error = NULL;
  int code = CLI_BAD_INPUT;
  const bool is_read = aio_store_each_chunk(store, run, take_chunk, &gathering, &error);
  if (!is_read)
    cli_fail(error);
  else if (gathering.error || !end_connection(&gathering))
    cli_fail(gathering.error);
  else if (!gathering.all)
    cli_error("%s: no sample of %s is in this session", args->file, run ? "this run" : "any run");
  else
    code = write_recording(args, gathering.all);
  aio_recording_free(gathering.all);
  g_ptr_array_unref(gathering.chunks);
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
               "for `fit` and any other program.",
    .example = "armature-cli replay bench.armsession --run 12 --out sweep12.csv\n"
               "writes the samples of run 12.",
    .exits = "0 done, 2 usage, 3 neither a capture nor a session, or a damaged one, 130 "
             "interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
