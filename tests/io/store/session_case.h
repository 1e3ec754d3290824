/* SPDX-License-Identifier: MIT */
/* Sessions for tests: a folder of their own, simulated chunks, everything a session can hold. */
#ifndef ARMATURE_TESTS_SESSION_CASE_H
#define ARMATURE_TESTS_SESSION_CASE_H

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "io/store/store.h"
#include "io/store/store_blob.h"
#include "io/store/store_packer.h"

#define SESSION_DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static inline char *session_folder(void) {
  GError *error = NULL;
  char *folder = g_dir_make_tmp("armature-session-XXXXXX", &error);
  g_assert_no_error(error);
  return folder;
}

static inline guint session_count_files(const char *folder) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  guint count = 0;
  g_assert_nonnull(dir);
  while (g_dir_read_name(dir))
    count++;
  g_dir_close(dir);
  return count;
}

/* Takes the string. */
static inline void session_remove(char *folder) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
    g_free(path);
  }
  if (dir)
    g_dir_close(dir);
  g_rmdir(folder);
  g_free(folder);
}

/* A fixture: where a session file may be made, and goes with its folder. */
typedef struct {
  char *folder, *path;
} SessionPlace;

static inline void session_place_set_up(SessionPlace *c, gconstpointer data) {
  (void)data;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
}

static inline void session_place_tear_down(SessionPlace *c, gconstpointer data) {
  (void)data;
  g_free(c->path);
  session_remove(c->folder);
}

static inline AioStore *session_create(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_create(path, "test 1", &error);
  g_assert_no_error(error);
  return store;
}

/* Sample k of a connection at 1 kHz: whole micro-units as from the native protocol. */
static inline AioSample session_sample(guint joints, guint64 k) {
  AioSample sample = {.t_us = 1000 * k, .flags = AIO_SAMPLE_ARMED, .motion = 7, .joint = 1};
  for (guint j = 0; j < joints; j++) {
    sample.q[j] = (gint32)(k * 37 + j * 1001) / 1e6;
    sample.qd[j] = -(gint32)(k % 977 + j) / 1e6;
    sample.current[j] = (gint32)((k * 7 + j) % 3000 * 1000) / 1e6;
    sample.joint_flags[j] = (guint16)(k + j);
  }
  return sample;
}

static inline AioChunk *session_chunk(guint joints, guint64 first, guint n) {
  AioChunk *chunk = aio_chunk_new(joints, first);
  for (guint k = 0; k < n; k++) {
    const AioSample sample = session_sample(joints, first + k);
    g_assert_true(aio_chunk_push(chunk, &sample, (gint64)(1000000 * (first + k) + 5)));
  }
  return chunk;
}

static inline bool session_same_bytes(const void *a, const void *b, gsize n) {
  return memcmp(a, b, n) == 0;
}

static inline void session_assert_same(const AioChunk *a, const AioChunk *b) {
  const gsize n = a->n, values = (gsize)a->n * a->joints;
  g_assert_cmpuint(a->n, ==, b->n);
  g_assert_cmpuint(a->joints, ==, b->joints);
  g_assert_cmpuint(a->first_index, ==, b->first_index);
  g_assert_cmpuint(a->lost, ==, b->lost);
  g_assert_true(session_same_bytes(a->t_us, b->t_us, n * sizeof *a->t_us));
  g_assert_true(session_same_bytes(a->t_host_ns, b->t_host_ns, n * sizeof *a->t_host_ns));
  g_assert_true(session_same_bytes(a->flags, b->flags, n * sizeof *a->flags));
  g_assert_true(session_same_bytes(a->motion, b->motion, n * sizeof *a->motion));
  g_assert_true(session_same_bytes(a->joint, b->joint, n));
  g_assert_true(session_same_bytes(a->q, b->q, values * sizeof *a->q));
  g_assert_true(session_same_bytes(a->qd, b->qd, values * sizeof *a->qd));
  g_assert_true(session_same_bytes(a->current, b->current, values * sizeof *a->current));
  g_assert_true(
      session_same_bytes(a->joint_flags, b->joint_flags, values * sizeof *a->joint_flags));
}

static inline void session_add_chunk(AioStore *store, gint64 run, AioChunk *chunk) {
  GError *error = NULL;
  GByteArray *bytes = aio_blob_encode(chunk);
  const AioStoreBlob blob = {.connection = 1,
                             .run = run,
                             .first_index = chunk->first_index,
                             .t0_us = chunk->t_us[0],
                             .n = chunk->n,
                             .data = bytes->data,
                             .size = bytes->len};
  g_assert_true(aio_store_add_blob(store, &blob, &error));
  g_assert_no_error(error);
  g_byte_array_unref(bytes);
}

/* All that can be, as when a recorder ends; the number of packs. */
static inline guint session_pack_with(AioPacker *packer, AioStore *store) {
  GError *error = NULL;
  guint count = 0;
  for (; aio_packer_prepare(packer, 0, true); count++) {
    g_assert_true(aio_store_begin(store, &error));
    g_assert_true(aio_packer_write(packer, &error));
    g_assert_true(aio_store_commit(store, &error));
    g_assert_no_error(error);
    aio_packer_written(packer);
  }
  return count;
}

static inline guint session_pack(AioStore *store) {
  AioPacker *packer = aio_packer_new(store);
  const guint count = session_pack_with(packer, store);
  aio_packer_free(packer);
  return count;
}

/* One row or more of everything, in one transaction. */
static inline void session_fill(AioStore *store) {
  GError *error = NULL;
  g_assert_true(aio_store_begin(store, &error));
  g_assert_true(aio_store_add_text(store, AIO_STORE_ARM, "{\"joints\": [\"\xc3\xa9\"]}\n", &error));
  g_assert_true(aio_store_add_text(store, AIO_STORE_PLAN, "{\"holds\": 1}", &error));
  g_assert_true(aio_store_add_text(store, AIO_STORE_PLAN, "{\"holds\": 2}", &error));
  g_assert_true(aio_store_add_text(store, AIO_STORE_STEPS, "{\"step\": \"sweep\"}", &error));
  const AioStoreConnection connection = {
      .id = 1, .utc_us = 1700000000000000, .t_host_ns = 123456789, .controller = "{}"};
  g_assert_true(aio_store_add_connection(store, &connection, &error));
  AioStoreRun run = {.id = 1,
                     .connection = 1,
                     .kind = "sweep",
                     .joint = 3,
                     .hold = 2,
                     .speed = 0.25,
                     .started_us = 1700000000100000};
  g_assert_true(aio_store_add_run(store, &run, &error));
  for (guint64 k = 0; k < 10; k++) {
    AioChunk *chunk = session_chunk(6, 20 * k, 20);
    session_add_chunk(store, k < 5 ? 1 : 0, chunk);
    aio_chunk_unref(chunk);
  }
  run.ended_us = 1700000000900000;
  run.motion = 7;
  run.outcome = "done";
  g_assert_true(aio_store_end_run(store, &run, &error));
  const AioStoreRaw raw = {
      .connection = 1, .t_host_ns = -5, .is_sent = true, .bytes = (const guint8 *)"\0\1\2", .n = 3};
  g_assert_true(aio_store_add_raw(store, &raw, &error));
  const AioStoreEvent event = {.connection = 1,
                               .run = 1,
                               .t_host_ns = 9,
                               .t_us = 8,
                               .kind = "fault",
                               .joint = 3,
                               .motion = 7,
                               .level = 2,
                               .value = 1 << 5,
                               .text = "over-current",
                               .detail = "{\"mA\": 5}"};
  g_assert_true(aio_store_add_event(store, &event, &error));
  const AioStoreFit fit = {.utc_us = 1700000001000000,
                           .program = "test 1",
                           .dataset_sha256 = SESSION_DIGEST,
                           .options = "{}",
                           .parameters = "{\"eta\": 1}"};
  g_assert_true(aio_store_add_fit(store, &fit, &error));
  const AioStoreStatistic statistic = {
      .run = 1, .utc_us = 1700000001000000, .name = "lost", .value = 0.5};
  g_assert_true(aio_store_add_statistic(store, &statistic, &error));
  g_assert_true(aio_store_commit(store, &error));
  g_assert_no_error(error);
}

#endif
