/* SPDX-License-Identifier: MIT */
/* The rows of a session by the reader of the store, but without its samples, which may be
 * gigabytes: `log`, `diff` and `report-bug` need what was done, not what was measured. */
#include "cli/session_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/base/said.h"

enum {
  SAID_BYTES = 16 << 10, /* more than any reason of a step has */
  BATCH_BYTES = 4 << 20
};

static const char *keep(CliSessionFile *file, const char *text) {
  return text ? g_string_chunk_insert_const(file->texts, text) : NULL;
}

static bool take_connection(const AioStoreConnection *row, void *data) {
  CliSessionFile *file = data;
  AioStoreConnection copy = *row;
  copy.controller = keep(file, row->controller);
  g_array_append_val(file->connections, copy);
  return true;
}

static bool take_run(const AioStoreRun *row, void *data) {
  CliSessionFile *file = data;
  const guint64 none = 0;
  AioStoreRun copy = *row;
  copy.kind = keep(file, row->kind);
  copy.outcome = keep(file, row->outcome);
  g_array_append_val(file->runs, copy);
  g_array_append_val(file->samples, none);
  return true;
}

static int compare_run(gconstpointer a, gconstpointer b) {
  const gint64 x = ((const AioStoreRun *)a)->id, y = ((const AioStoreRun *)b)->id;
  return (x > y) - (x < y);
}

static bool count_chunk(const AioStoreChunk *row, void *data) {
  CliSessionFile *file = data;
  const AioStoreRun wanted = {.id = row->run};
  guint at;
  if (g_array_binary_search(file->runs, &wanted, compare_run, &at))
    g_array_index(file->samples, guint64, at) += row->chunk->n;
  else
    file->samples_outside += row->chunk->n;
  return true;
}

static bool count_event(const AioStoreEvent *row, void *data) {
  CliSessionFile *file = data;
  file->n_events++;
  file->n_warnings += row->level > 0;
  return true;
}

static bool take_fit(const AioStoreFit *row, void *data) {
  CliSessionFile *file = data;
  AioStoreFit copy = *row;
  copy.program = keep(file, row->program);
  copy.dataset_sha256 = keep(file, row->dataset_sha256);
  copy.options = keep(file, row->options);
  copy.parameters = keep(file, row->parameters);
  g_array_append_val(file->fits, copy);
  return true;
}

static bool take_statistic(const AioStoreStatistic *row, void *data) {
  CliSessionFile *file = data;
  AioStoreStatistic copy = *row;
  copy.name = keep(file, row->name);
  g_array_append_val(file->statistics, copy);
  return true;
}

/* A text that need not be there; false: it is damaged. */
static bool take_text(CliSessionFile *file, AioStore *store, AioStoreText kind, const char **out,
                      GError **error) {
  g_autoptr(GError) reason = NULL;
  g_autofree char *text = aio_store_get_text(store, kind, &reason);
  *out = keep(file, text);
  if (!g_error_matches(reason, AIO_ERROR, AIO_ERROR_NOT_FOUND)) {
    if (reason)
      g_propagate_error(error, g_steal_pointer(&reason));
    return text != NULL;
  }
  return true;
}

static bool take_texts(CliSessionFile *file, AioStore *store, GError **error) {
  g_autofree char *program = aio_store_get_meta(store, "program", NULL);
  g_autofree char *created = aio_store_get_meta(store, "created", NULL);
  file->program = keep(file, program);
  file->created = keep(file, created);
  if (!take_text(file, store, AIO_STORE_ARM, &file->arm_text, error) ||
      !take_text(file, store, AIO_STORE_PLAN, &file->plan, error) ||
      !take_text(file, store, AIO_STORE_STEPS, &file->steps, error))
    return false;
  if (file->arm_text)
    file->arm = aio_arm_load_stored(file->path, file->arm_text, strlen(file->arm_text), error);
  return !file->arm_text || file->arm;
}

static bool take_rows(CliSessionFile *file, AioStore *store, GError **error) {
  return aio_store_each_connection(store, take_connection, file, error) &&
         aio_store_each_run(store, take_run, file, error) &&
         aio_store_each_chunk(store, 0, count_chunk, file, error) &&
         aio_store_each_event(store, count_event, file, error) &&
         aio_store_each_fit(store, take_fit, file, error) &&
         aio_store_each_statistic(store, take_statistic, file, error);
}

CliSessionFile *cli_session_file_load(const char *path) {
  GError *error = NULL;
  g_autoptr(CliSessionFile) file = g_new0(CliSessionFile, 1);
  AioStore *store = aio_store_open_read(path, &error);
  file->path = g_strdup(path);
  file->texts = g_string_chunk_new(4096);
  file->connections = g_array_new(FALSE, FALSE, sizeof(AioStoreConnection));
  file->runs = g_array_new(FALSE, FALSE, sizeof(AioStoreRun));
  file->samples = g_array_new(FALSE, FALSE, sizeof(guint64));
  file->fits = g_array_new(FALSE, FALSE, sizeof(AioStoreFit));
  file->statistics = g_array_new(FALSE, FALSE, sizeof(AioStoreStatistic));
  const bool is_read = store && aio_store_stand_still(store, &error) &&
                       take_texts(file, store, &error) && take_rows(file, store, &error);
  aio_store_close(store, NULL);
  if (is_read)
    return g_steal_pointer(&file);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autoptr */
  cli_fail(error);
  return NULL;
}

void cli_session_file_free(CliSessionFile *file) {
  if (!file)
    return;
  aio_arm_free(file->arm);
  g_array_unref(file->connections);
  g_array_unref(file->runs);
  g_array_unref(file->samples);
  g_array_unref(file->fits);
  g_array_unref(file->statistics);
  g_string_chunk_free(file->texts);
  g_free(file->path);
  g_free(file);
}

/* ---- events, some at a time ---- */

typedef struct {
  GArray *events; /* of AioStoreEvent */
  GStringChunk *texts;
  gsize bytes;
} Batch;

static const char *batch_keep(Batch *batch, const char *text) {
  batch->bytes += text ? strlen(text) : 0;
  return text ? g_string_chunk_insert(batch->texts, text) : NULL;
}

static bool take_event(const AioStoreEvent *row, void *data) {
  Batch *batch = data;
  AioStoreEvent copy = *row;
  copy.kind = batch_keep(batch, row->kind);
  g_autofree char *text = cli_said(row->text);
  copy.text = batch_keep(batch, text);
  copy.detail = batch_keep(batch, row->detail);
  batch->bytes += sizeof copy;
  g_array_append_val(batch->events, copy);
  return batch->bytes < BATCH_BYTES;
}

/* The file is closed when they are handed on: who reads what is printed may take his time, and
 * nobody could end his recording as long as it is open. */
static bool read_batch(const CliSessionFile *file, Batch *batch, gint64 *after, GError **error) {
  AioStore *store = aio_store_open_again(file->path, error);
  g_array_set_size(batch->events, 0);
  g_string_chunk_clear(batch->texts);
  batch->bytes = 0;
  const bool is_read = store && aio_store_each_event_after(store, *after, take_event, batch, error);
  aio_store_close(store, NULL);
  if (batch->events->len)
    *after = g_array_index(batch->events, AioStoreEvent, batch->events->len - 1).id;
  return is_read;
}

bool cli_session_each_event(const CliSessionFile *file,
                            bool (*each)(const AioStoreEvent *event, void *data), void *data) {
  GError *error = NULL;
  Batch batch = {g_array_new(FALSE, FALSE, sizeof(AioStoreEvent)), g_string_chunk_new(1 << 16), 0};
  gint64 after = G_MININT64;
  bool is_read = true, is_wanted = true;
  do {
    is_read = read_batch(file, &batch, &after, &error);
    for (guint k = 0; is_read && is_wanted && k < batch.events->len; k++)
      is_wanted = each(&g_array_index(batch.events, AioStoreEvent, k), data);
  } while (is_read && is_wanted && batch.bytes >= BATCH_BYTES);
  g_array_unref(batch.events);
  g_string_chunk_free(batch.texts);
  if (!is_read)
    cli_fail(error);
  return is_read;
}

char *cli_said(const char *said) {
  return aio_said_text_within(said, SAID_BYTES);
}

char *cli_utc_or_null(gint64 utc_us) {
  g_autoptr(GDateTime) time =
      utc_us == CLI_NO_TIME ? NULL : g_date_time_new_from_unix_utc(utc_us / G_USEC_PER_SEC);
  return time ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ") : NULL;
}

char *cli_utc_text(gint64 utc_us) {
  char *text = cli_utc_or_null(utc_us);
  return text ? text : g_strdup("?");
}

gint64 cli_session_utc(const CliSessionFile *file, gint64 connection, gint64 t_host_ns) {
  for (guint k = 0; k < file->connections->len; k++) {
    const AioStoreConnection *row = &g_array_index(file->connections, AioStoreConnection, k);
    gint64 since_ns, utc_us;
    if (row->id == connection)
      return __builtin_sub_overflow(t_host_ns, row->t_host_ns, &since_ns) ||
                     __builtin_add_overflow(row->utc_us, since_ns / 1000, &utc_us)
                 ? CLI_NO_TIME
                 : utc_us;
  }
  return CLI_NO_TIME;
}

/* As doubles: a stranger's times need not have a difference. */
double cli_run_seconds(const AioStoreRun *run) {
  return run->ended_us ? 1e-6 * ((double)run->ended_us - (double)run->started_us) : (double)NAN;
}
