/* SPDX-License-Identifier: MIT */
/* From the callers and the queue into the writer's backlog. */
#include "io/store/recorder_internal.h"
#include "io/store/store_blob.h"
#include "io/store/store_event.h"

/* ---- rows ---- */

typedef struct {
  AioStoreConnection row;
  char *controller;
} Connection;

static bool write_connection(AioStore *store, gconstpointer data, GError **error) {
  return aio_store_add_connection(store, &((const Connection *)data)->row, error);
}

static void free_connection(gpointer data) {
  g_free(((Connection *)data)->controller);
  g_free(data);
}

typedef struct {
  AioStoreRun row;
  char *kind, *outcome;
} Run;

static bool write_run(AioStore *store, gconstpointer data, GError **error) {
  return aio_store_add_run(store, &((const Run *)data)->row, error);
}

static bool write_run_end(AioStore *store, gconstpointer data, GError **error) {
  return aio_store_end_run(store, &((const Run *)data)->row, error);
}

static void free_run(gpointer data) {
  g_free(((Run *)data)->kind);
  g_free(((Run *)data)->outcome);
  g_free(data);
}

typedef struct {
  gint64 connection, run;
  AioEvent event;
} Event;

static bool write_event(AioStore *store, gconstpointer data, GError **error) {
  const Event *event = data;
  return aio_store_add_driver_event(store, event->connection, event->run, &event->event, error);
}

typedef struct {
  AioStoreBlob row;
  GByteArray *bytes;
} Blob;

static bool write_blob(AioStore *store, gconstpointer data, GError **error) {
  return aio_store_add_blob(store, &((const Blob *)data)->row, error);
}

static void free_blob(gpointer data) {
  g_byte_array_unref(((Blob *)data)->bytes);
  g_free(data);
}

void aio_item_free(gpointer data) {
  AioItem *item = data;
  if (item->free)
    item->free(item->data);
  g_free(item);
}

/* ---- from the callers to the writer ---- */

/* With the lock held. */
static void add(AioRecorder *r, AioItem item, gsize size) {
  AioQueueCounters counters;
  aio_queue_counters(r->queue, &counters);
  item.after = counters.taken + counters.depth;
  item.cost = sizeof item + size;
  g_queue_push_tail(&r->inbox, g_memdup2(&item, sizeof item));
}

static AioItem connection_item(gint64 id, const char *controller) {
  Connection *connection = g_new0(Connection, 1);
  connection->controller = g_strdup(controller ? controller : "{}");
  connection->row = (AioStoreConnection){.id = id,
                                         .utc_us = g_get_real_time(),
                                         .t_host_ns = g_get_monotonic_time() * 1000,
                                         .controller = connection->controller};
  return (AioItem){.kind = AIO_ITEM_CONNECT,
                   .write = write_connection,
                   .data = connection,
                   .free = free_connection,
                   .cost = sizeof(AioItem) + sizeof *connection};
}

/* With the lock held. */
static gint64 add_connection(AioRecorder *r, const char *controller) {
  const gint64 id = ++r->last_connection;
  r->is_connected = true;
  add(r, connection_item(id, controller), sizeof(Connection));
  return id;
}

/* Takes the lock. Every row belongs to a connection. */
static void lock_connected(AioRecorder *r) {
  g_mutex_lock(&r->lock);
  if (!r->is_connected)
    add_connection(r, NULL);
}

void aio_recorder_add(AioRecorder *recorder,
                      bool (*write)(AioStore *store, gconstpointer data, GError **error),
                      gpointer data, GDestroyNotify free) {
  lock_connected(recorder);
  add(recorder, (AioItem){.kind = AIO_ITEM_ADD, .write = write, .data = data, .free = free}, 0);
  g_mutex_unlock(&recorder->lock);
}

gint64 aio_recorder_connect(AioRecorder *recorder, const char *controller) {
  g_mutex_lock(&recorder->lock);
  const gint64 id = add_connection(recorder, controller);
  g_mutex_unlock(&recorder->lock);
  return id;
}

gint64 aio_recorder_begin_run(AioRecorder *recorder, const AioStoreRun *run) {
  Run *copy = g_new0(Run, 1);
  copy->row = *run;
  copy->row.kind = copy->kind = g_strdup(run->kind);
  copy->row.outcome = copy->outcome = g_strdup(run->outcome);
  copy->row.started_us = g_get_real_time();
  lock_connected(recorder);
  const gint64 id = copy->row.id = ++recorder->last_run;
  copy->row.connection = recorder->last_connection;
  add(recorder,
      (AioItem){.kind = AIO_ITEM_BEGIN_RUN, .write = write_run, .data = copy, .free = free_run},
      sizeof *copy);
  g_mutex_unlock(&recorder->lock);
  return id;
}

void aio_recorder_end_run(AioRecorder *recorder, gint64 run, guint motion, const char *outcome) {
  Run *copy = g_new0(Run, 1);
  copy->row = (AioStoreRun){.id = run, .motion = motion, .ended_us = g_get_real_time()};
  copy->row.outcome = copy->outcome = g_strdup(outcome);
  lock_connected(recorder);
  add(recorder,
      (AioItem){.kind = AIO_ITEM_END_RUN, .write = write_run_end, .data = copy, .free = free_run},
      sizeof *copy);
  g_mutex_unlock(&recorder->lock);
}

void aio_recorder_add_event(AioRecorder *recorder, const AioEvent *event) {
  Event *copy = g_new0(Event, 1);
  copy->event = *event;
  lock_connected(recorder);
  add(recorder,
      (AioItem){.kind = AIO_ITEM_EVENT, .write = write_event, .data = copy, .free = g_free},
      sizeof *copy);
  g_mutex_unlock(&recorder->lock);
}

void aio_recorder_move_to(AioRecorder *recorder, const char *path) {
  g_mutex_lock(&recorder->lock);
  g_free(recorder->move_to);
  recorder->move_to = g_strdup(path); /* seen with the next commit */
  g_mutex_unlock(&recorder->lock);
}

char *aio_recorder_path(AioRecorder *recorder) {
  g_mutex_lock(&recorder->lock);
  char *path = g_strdup(recorder->path);
  g_mutex_unlock(&recorder->lock);
  return path;
}

void aio_recorder_status(AioRecorder *recorder, AioRecorderStatus *out) {
  AioQueueCounters counters;
  aio_queue_counters(recorder->queue, &counters);
  g_mutex_lock(&recorder->lock);
  *out = recorder->status;
  out->is_failing = recorder->failure != NULL;
  g_mutex_unlock(&recorder->lock);
  out->queue_depth = counters.depth;
  out->deepest_queue = counters.deepest;
}

/* ---- the writer: collecting ---- */

void aio_recorder_tell(AioRecorder *r, AioRecorderNewsKind kind, const char *path,
                       const GError *error) {
  const AioRecorderNews news = {.kind = kind, .path = path, .error = error};
  if (r->on_news)
    r->on_news(&news, r->news_ctx);
}

static void wait_in_backlog(AioRecorder *r, AioItem *item) {
  g_queue_push_tail(&r->backlog, item);
  g_mutex_lock(&r->lock);
  r->status.bytes_waiting += item->cost;
  r->status.samples_waiting += item->samples;
  r->status.deepest_bytes = MAX(r->status.deepest_bytes, r->status.bytes_waiting);
  g_mutex_unlock(&r->lock);
}

static void collect_item(AioRecorder *r, AioItem *item) {
  switch (item->kind) {
  case AIO_ITEM_CONNECT:
    aio_recorder_note(r, 0);
    r->connection = ((Connection *)item->data)->row.id;
    break;
  case AIO_ITEM_BEGIN_RUN:
    aio_recorder_note(r, 0);
    r->run = ((Run *)item->data)->row.id;
    break;
  case AIO_ITEM_END_RUN: /* its samples have kept awake what follows, or its beginning has */
    r->run = r->run == ((Run *)item->data)->row.id ? 0 : r->run;
    break;
  case AIO_ITEM_EVENT:
    if (!aio_recorder_wants_event(r, &((Event *)item->data)->event)) {
      aio_item_free(item);
      return;
    }
    ((Event *)item->data)->connection = r->connection;
    ((Event *)item->data)->run = r->run;
    break;
  case AIO_ITEM_ADD:
  case AIO_ITEM_CHUNK:
    break;
  }
  wait_in_backlog(r, item);
}

static void lose_samples(AioRecorder *r, guint samples) {
  const bool is_first = !r->is_memory_full;
  r->is_memory_full = true;
  g_mutex_lock(&r->lock);
  r->status.samples_lost += samples;
  g_mutex_unlock(&r->lock);
  if (is_first)
    aio_recorder_tell(r, AIO_RECORDER_MEMORY_FULL, NULL, NULL);
}

void aio_recorder_admit(AioRecorder *r, AioItem *item) {
  const gsize waiting = r->status.bytes_waiting; /* only the writer changes it */
  if (item->kind == AIO_ITEM_CHUNK && waiting + item->cost > r->memory_max) {
    lose_samples(r, item->samples);
    aio_item_free(item);
  } else {
    wait_in_backlog(r, item);
  }
}

static AioItem *chunk_item(const AioRecorder *r, const AioChunk *chunk) {
  GByteArray *bytes = aio_blob_encode(chunk);
  Blob *blob = g_new(Blob, 1);
  *blob = (Blob){.bytes = bytes,
                 .row = {.connection = r->connection,
                         .run = r->run,
                         .first_index = chunk->first_index,
                         .n = chunk->n,
                         .t0_us = chunk->t_us[0],
                         .data = bytes->data,
                         .size = bytes->len}};
  const AioItem item = {.kind = AIO_ITEM_CHUNK,
                        .write = write_blob,
                        .data = blob,
                        .free = free_blob,
                        .cost = sizeof item + sizeof *blob + bytes->len,
                        .samples = chunk->n,
                        .lost = chunk->lost,
                        .t_us = chunk->t_us[0],
                        .t_ns = chunk->t_host_ns[0]};
  return g_memdup2(&item, sizeof item);
}

/* A chunk before any row. */
static void connect_late(AioRecorder *r) {
  g_mutex_lock(&r->lock);
  const AioItem item = connection_item(++r->last_connection, NULL);
  r->is_connected = true;
  g_mutex_unlock(&r->lock);
  collect_item(r, g_memdup2(&item, sizeof item));
}

static void collect_chunk(AioRecorder *r, const AioChunk *chunk) {
  if (!r->connection)
    connect_late(r);
  aio_recorder_watch_motion(r, chunk);
  if (aio_recorder_wants_chunk(r, chunk))
    aio_recorder_admit(r, chunk_item(r, chunk));
  else
    aio_recorder_rest(r, chunk_item(r, chunk));
}

/* The next row that comes before the next chunk, NULL: none. */
static AioItem *take_item(AioRecorder *r) {
  g_mutex_lock(&r->lock);
  AioItem *item = g_queue_peek_head(&r->inbox);
  if (item && item->after <= r->taken)
    g_queue_pop_head(&r->inbox);
  else
    item = NULL;
  g_mutex_unlock(&r->lock);
  return item;
}

void aio_recorder_collect(void *data) {
  AioRecorder *r = data;
  for (;;) {
    for (AioItem *item; (item = take_item(r));)
      collect_item(r, item);
    AioChunk *chunk = aio_queue_pop(r->queue);
    if (!chunk)
      return;
    r->taken++;
    if (chunk->n > 0)
      collect_chunk(r, chunk);
    aio_chunk_unref(chunk);
  }
}
