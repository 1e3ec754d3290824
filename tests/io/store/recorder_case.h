/* SPDX-License-Identifier: MIT */
/* A recorder with its queue, and what it told. */
#ifndef ARMATURE_TESTS_RECORDER_CASE_H
#define ARMATURE_TESTS_RECORDER_CASE_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/store/recorder.h"
#include "session_case.h"

typedef struct {
  char *folder, *path;
  AioQueue *queue;
  AioRecorder *recorder;
  guint64 next; /* sample */
  GMutex lock;
  guint told[AIO_RECORDER_REFUSED + 1];
  gint failure; /* code of the last error told, -1: none */
  char *loss;   /* what could not come along, as told with AIO_RECORDER_MOVED */
} RecorderCase;

static inline void recorder_case_news(const AioRecorderNews *news, void *ctx) {
  RecorderCase *c = ctx;
  g_mutex_lock(&c->lock);
  c->told[news->kind]++;
  c->failure = news->error ? news->error->code : -1;
  if (news->kind == AIO_RECORDER_MOVED && news->error)
    c->loss = g_strdup(news->error->message);
  g_mutex_unlock(&c->lock);
}

static inline guint recorder_case_told(RecorderCase *c, AioRecorderNewsKind kind) {
  g_mutex_lock(&c->lock);
  const guint count = c->told[kind];
  g_mutex_unlock(&c->lock);
  return count;
}

static inline void recorder_case_start(RecorderCase *c, gsize memory_max) {
  GError *error = NULL;
  AioStore *store = g_file_test(c->path, G_FILE_TEST_EXISTS)
                        ? aio_store_open_write(c->path, "test 1", &error)
                        : aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
  c->queue = aio_queue_new("recorder", 512, AIO_QUEUE_KEEP_OLDEST, &error);
  const AioRecorderOptions options = {
      .program = "test 1", .on_news = recorder_case_news, .news_ctx = c, .memory_max = memory_max};
  c->recorder = aio_recorder_new(store, c->queue, &options, &error);
  g_assert_no_error(error);
}

static inline void recorder_case_set_up(RecorderCase *c, gconstpointer data) {
  (void)data;
  g_mutex_init(&c->lock);
  c->failure = -1;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->next = 0;
}

static inline void recorder_case_tear_down(RecorderCase *c, gconstpointer data) {
  (void)data;
  aio_recorder_free(c->recorder, NULL);
  aio_queue_unref(c->queue);
  g_mutex_clear(&c->lock);
  g_free(c->loss);
  g_free(c->path);
  session_remove(c->folder);
}

static inline void recorder_case_stop(RecorderCase *c) {
  GError *error = NULL;
  g_assert_true(aio_recorder_free(c->recorder, &error));
  g_assert_no_error(error);
  c->recorder = NULL;
  g_clear_pointer(&c->queue, aio_queue_unref);
}

/* The next chunks of 20 samples. */
static inline void recorder_case_push(RecorderCase *c, guint joints, guint chunks) {
  for (guint k = 0; k < chunks; k++) {
    AioChunk *chunk = session_chunk(joints, c->next, 20);
    g_assert_true(aio_queue_push(c->queue, chunk));
    aio_chunk_unref(chunk);
    c->next += 20;
  }
}

/* Chunks one after the other, without a gap, as they were made. */
typedef struct {
  guint64 next;
} Prefix;

static inline bool recorder_case_on_chunk(const AioStoreChunk *row, void *data) {
  Prefix *prefix = data;
  AioChunk *expected = session_chunk(row->chunk->joints, prefix->next, row->chunk->n);
  session_assert_same(row->chunk, expected);
  aio_chunk_unref(expected);
  prefix->next += row->chunk->n;
  return true;
}

/* The number of samples in a file, all of them right. */
static inline guint64 recorder_case_count(const char *path) {
  GError *error = NULL;
  Prefix prefix = {0};
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_chunk(store, 0, recorder_case_on_chunk, &prefix, &error));
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  return prefix.next;
}

/* kill -9, after so long, of a child that records until then and writes what it has done to `told`,
 * one number after the other. false: it had written none.
 *   last  out, of these; untouched where there is none */
static inline bool recorder_case_kill(const char *path, guint milliseconds,
                                      void (*record)(const char *path, int told), guint64 *last) {
  int ends[2], status = 0;
  bool has_told = false;
  g_assert_cmpint(pipe(ends), ==, 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    record(path, ends[1]);
  }
  close(ends[1]);
  g_usleep(1000 * milliseconds);
  g_assert_cmpint(kill(child, SIGKILL), ==, 0);
  for (guint64 number; read(ends[0], &number, sizeof number) == sizeof number; has_told = true)
    *last = number;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_true(WIFSIGNALED(status));
  close(ends[0]);
  return has_told;
}

#endif
