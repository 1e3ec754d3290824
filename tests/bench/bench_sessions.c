/* SPDX-License-Identifier: MIT */
#include "bench_sessions.h"

#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_rows.h"
#include "io/store/store.h"
#include "io/store/store_blob.h"
#include "session/session.h"

enum { JOINTS = 6, PER_COMMIT = 1000 };

/* A session of one run at 1 kHz, all digits of the doubles. */
static void add_chunk(AioStore *store, gsize first) {
  AioChunk *chunk = aio_chunk_new(JOINTS, first);
  for (gsize k = first; k < first + 20; k++) {
    AioSample sample = {.t_us = 1000 * k + 1, .joint = 1};
    for (int j = 0; j < JOINTS; j++) {
      sample.q[j] = sin(1e-3 * (double)k + j);
      sample.qd[j] = cos(1e-3 * (double)k + j);
      sample.current[j] = sin(1e-2 * (double)k + j);
    }
    bench_need(aio_chunk_append(chunk, &sample, 0), "a chunk is full");
  }
  GByteArray *bytes = aio_blob_encode(chunk);
  const AioStoreBlob blob = {.connection = 1,
                             .run = 1,
                             .first_index = first,
                             .t0_us = chunk->t_us[0],
                             .n = chunk->n,
                             .data = bytes->data,
                             .size = bytes->len};
  bench_need(aio_store_add_blob(store, &blob, NULL), "a chunk is not stored");
  g_byte_array_unref(bytes);
  aio_chunk_unref(chunk);
}

void bench_write_session(const char *path, const char *arm_path, gsize rows) {
  char *arm;
  bench_need(g_file_get_contents(arm_path, &arm, NULL, NULL), arm_path);
  AioStore *store = aio_store_create(path, "bench_cli", NULL);
  bench_need(store && aio_store_begin(store, NULL), path);
  const AioStoreConnection connection = {.utc_us = 1, .t_host_ns = 1, .controller = "{}"};
  const AioStoreRun run_row = {
      .connection = 1, .kind = "sweep", .joint = 1, .hold = 1, .speed = 0.5, .started_us = 1};
  bench_need(aio_store_add_text(store, AIO_STORE_ARM, arm, NULL) &&
                 aio_store_add_connection(store, &connection, NULL) &&
                 aio_store_add_run(store, &run_row, NULL),
             "the session's first rows");
  for (gsize row = 0; row < rows; row += 20) {
    add_chunk(store, row);
    if (row / 20 % PER_COMMIT == PER_COMMIT - 1)
      bench_need(aio_store_commit(store, NULL) && aio_store_begin(store, NULL), "commit");
  }
  bench_need(aio_store_commit(store, NULL) && aio_store_close(store, NULL), "close");
  g_free(arm);
}

/* ---- a session that has been calibrated, its sweeps again and again ---- */

typedef struct {
  AioStoreRun row;
  GPtrArray *chunks;
} Swept;

static void swept_free(gpointer data) {
  Swept *swept = data;
  g_ptr_array_unref(swept->chunks);
  g_free(swept);
}

static bool take_swept(const AioStoreRun *row, void *data) {
  Swept *swept = g_new0(Swept, 1);
  swept->row = *row;
  swept->row.kind = g_intern_string(row->kind);
  swept->row.outcome = g_intern_string(row->outcome);
  swept->chunks = g_ptr_array_new_with_free_func((GDestroyNotify)aio_chunk_unref);
  g_ptr_array_add(data, swept);
  return true;
}

static bool take_chunk(const AioStoreChunk *row, void *data) {
  g_ptr_array_add(data, aio_chunk_ref(row->chunk));
  return true;
}

static GPtrArray *load_swept(const char *path) {
  GPtrArray *all = g_ptr_array_new_with_free_func(swept_free);
  AioStore *store = aio_store_open_read(path, NULL);
  bench_need(store && aio_store_each_run(store, take_swept, all, NULL), path);
  for (guint k = 0; k < all->len; k++) {
    Swept *swept = all->pdata[k];
    bench_need(aio_store_each_chunk(store, swept->row.id, take_chunk, swept->chunks, NULL), path);
  }
  aio_store_close(store, NULL);
  return all;
}

/* Returns the samples. */
static gsize add_again(AioStore *store, const Swept *swept) {
  gsize samples = 0;
  gint64 connection, run;
  AioStoreRun row = swept->row;
  row.id = 0;
  bench_need(aio_store_begin(store, NULL) && aio_store_add_run(store, &row, NULL) &&
                 aio_store_last_ids(store, &connection, &run, NULL),
             "a run is not stored");
  for (guint k = 0; k < swept->chunks->len; k++) {
    const AioChunk *chunk = swept->chunks->pdata[k];
    GByteArray *bytes = aio_blob_encode(chunk);
    const AioStoreBlob blob = {.connection = row.connection,
                               .run = run,
                               .first_index = chunk->first_index,
                               .t0_us = chunk->t_us[0],
                               .n = chunk->n,
                               .data = bytes->data,
                               .size = bytes->len};
    bench_need(aio_store_add_blob(store, &blob, NULL), "a chunk is not stored");
    samples += chunk->n;
    g_byte_array_unref(bytes);
  }
  const AioStoreStatistic counts[] = {{.run = run, .name = "samples", .value = (double)samples},
                                      {.run = run, .name = "samples_lost", .value = 0.0}};
  for (gsize k = 0; k < G_N_ELEMENTS(counts); k++) /* as the program leaves them */
    bench_need(aio_store_add_statistic(store, &counts[k], NULL), "a statistic is not stored");
  bench_need(aio_store_commit(store, NULL), "commit");
  return samples;
}

/* A copy with so many rows more of runs of this kind. */
void bench_write_again(const char *from, const char *path, const char *kind, gsize rows) {
  char *bytes;
  gsize size;
  GPtrArray *all = load_swept(from);
  bench_need(g_file_get_contents(from, &bytes, &size, NULL) &&
                 g_file_set_contents(path, bytes, (gssize)size, NULL),
             path);
  g_free(bytes);
  AioStore *store = aio_store_open_write(path, "bench_cli", NULL);
  bench_need(store != NULL, path);
  for (gsize k = 0, added = 0; added < rows; k++) {
    bench_need(k < all->len || added > 0, "no run of this kind");
    const Swept *swept = all->pdata[k % all->len];
    if (strcmp(swept->row.kind, kind) == 0)
      added += add_again(store, swept);
  }
  bench_need(aio_store_close(store, NULL), path);
  g_ptr_array_unref(all);
}

/* ---- a fit ---- */

/* As the window has it, glibc's limit for what goes back to the system included. */
void bench_fit_session(const char *path) {
  struct rusage usage;
  GError *error = NULL;
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
  AseSession *session = ase_session_open_read(path, &error);
  bench_need(session != NULL, error ? error->message : path);
  ase_session_outline(session);
  bench_need(ase_session_start(session, ASE_STEP_FIT, &error), error ? error->message : path);
  while (ase_procedure_state(ase_session_procedure(session), ASE_STEP_FIT) == ASE_STATE_RUNNING)
    g_main_context_iteration(NULL, TRUE);
  char *text = ase_session_parameters(session, &error);
  bench_need(text != NULL, error ? error->message : path);
  bench_need(ase_session_selection(session) != NULL, "nothing is selected");
  getrusage(RUSAGE_SELF, &usage);
  printf("%s# peak %.1f MB, %.2f s of CPU time\n", text, (double)usage.ru_maxrss / 1024.0,
         (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec);
  g_free(text);
  g_object_unref(session);
}
