/* SPDX-License-Identifier: MIT */
/* The writer's life: what waits is committed every 150 ms; what cannot be written stays in order
 * until it can, here or at another place. Rows that a table refuses are told and left out: one bad
 * row shall not hold up all that come after it. */
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "io/base/said.h"
#include "io/store/recorder_internal.h"

/* No transaction is larger than this, so that the log stays small after a failure [bytes]. */
enum { COMMIT_BYTES = 8 << 20 };

/* ---- the writer: into the file ---- */

static bool is_row_refused(const GError *error) {
  return g_error_matches(error, AIO_ERROR, AIO_ERROR_MEANING) ||
         g_error_matches(error, AIO_ERROR, AIO_ERROR_TOO_LARGE) ||
         g_error_matches(error, AIO_ERROR, AIO_ERROR_REFUSED);
}

/* false: the transaction has failed. A row that its table refuses is told and left out. */
static bool write_item(AioRecorder *r, const AioItem *item, GError **error) {
  GError *failure = NULL;
  if (item->write(r->store, item->data, &failure))
    return true;
  /* what it belongs to was written before it, and somebody has taken it away since */
  if (is_row_refused(failure) && aio_store_is_changed(r->store)) {
    g_error_free(failure);
    return aio_store_check_place(r->store, error);
  }
  if (is_row_refused(failure)) {
    aio_recorder_tell(r, AIO_RECORDER_REFUSED, NULL, failure);
    g_error_free(failure);
    return true;
  }
  g_propagate_error(error, failure);
  return false;
}

/* The first rows of the backlog in one transaction, and what was packed; false: none of it. */
static bool commit_rows(AioRecorder *r, bool with_packs, guint *count, GError **error) {
  gsize cost = 0;
  *count = 0;
  bool is_written = aio_store_begin(r->store, error);
  if (!is_written)
    return false;
  for (GList *link = r->backlog.head; link && is_written && cost < COMMIT_BYTES;
       link = link->next) {
    const AioItem *item = link->data;
    is_written = write_item(r, item, error);
    cost += item->cost;
    ++*count;
  }
  is_written = is_written && (!with_packs || aio_packer_write(r->packer, error));
  if (!is_written)
    aio_store_rollback(r->store);
  return is_written && aio_store_commit(r->store, error);
}

/* What is packed must never keep samples out of the file: where they can be written without it, it
 * is at fault, and nothing is packed any more. */
static bool commit_some(AioRecorder *r, guint *count, GError **error) {
  const bool with_packs = aio_recorder_has_packs(r);
  if (with_packs && commit_rows(r, true, count, NULL)) {
    aio_packer_written(r->packer);
    return true;
  }
  if (with_packs)
    aio_packer_forget(r->packer);
  const bool is_written = commit_rows(r, false, count, error);
  if (with_packs && is_written)
    g_clear_pointer(&r->packer, aio_packer_free);
  return is_written;
}

static bool is_history(const AioItem *item) {
  return item->kind == AIO_ITEM_CONNECT || item->kind == AIO_ITEM_BEGIN_RUN ||
         item->kind == AIO_ITEM_END_RUN;
}

static void forget(AioRecorder *r, guint count, gint64 commit_us) {
  r->may_pack = r->may_pack || count > 0;
  g_mutex_lock(&r->lock);
  AioRecorderStatus *status = &r->status;
  status->commits++;
  status->last_commit_us = commit_us;
  status->worst_commit_us = MAX(status->worst_commit_us, commit_us);
  while (count-- > 0) {
    AioItem *item = g_queue_pop_head(&r->backlog);
    status->bytes_waiting -= item->cost;
    status->samples_waiting -= item->samples;
    status->samples += item->samples;
    status->chunks += item->kind == AIO_ITEM_CHUNK;
    status->bytes += item->cost;
    if (is_history(item))
      g_queue_push_tail(&r->history, item);
    else
      aio_item_free(item);
  }
  g_mutex_unlock(&r->lock);
}

/* Takes the error; NULL: not failing. */
static void set_failure(AioRecorder *r, GError *failure) {
  g_mutex_lock(&r->lock);
  GError *before = r->failure;
  r->failure = failure ? g_error_copy(failure) : NULL;
  g_mutex_unlock(&r->lock);
  if (failure && (!before || before->code != failure->code))
    aio_recorder_tell(r, AIO_RECORDER_FAILED, aio_store_path(r->store), failure);
  if (!failure && before) {
    r->is_memory_full = false;
    aio_recorder_tell(r, AIO_RECORDER_RESUMED, aio_store_path(r->store), NULL);
  }
  g_clear_error(&before);
  g_clear_error(&failure);
}

static void tend_log(AioRecorder *r) {
  if (aio_store_is_overwritten(r->store)) /* holes would be moved into the file */
    return;
  if (r->checkpointer && aio_checkpointer_look(r->checkpointer, aio_recorder_is_resting(r)))
    aio_store_begin_log(r->store, NULL); /* else with the next commit */
}

/* Of a store that is open for writing. */
static void tend_store(AioRecorder *r) {
  r->checkpointer = aio_checkpointer_new(r->store);
  r->packer = aio_packer_new(r->store);
  r->may_pack = true;
}

/* Until there is a row to be written the file is only read. */
static bool start_writing(AioRecorder *r, GError **error) {
  if (!aio_store_is_waiting(r->store))
    return true;
  if (!aio_store_start_writing(r->store, error))
    return false;
  tend_store(r);
  return true;
}

/* Also when there is nothing to be written: whoever deletes the file of an arm at rest is told. */
static bool write_all(AioRecorder *r, GError **failure) {
  if (!aio_store_check_place(r->store, failure) ||
      (!g_queue_is_empty(&r->backlog) && !start_writing(r, failure)))
    return false;
  while (!g_queue_is_empty(&r->backlog) || aio_recorder_has_packs(r)) {
    const gint64 start = g_get_monotonic_time();
    guint count = 0;
    if (!aio_store_check_place(r->store, failure) || !commit_some(r, &count, failure))
      return false;
    forget(r, count, g_get_monotonic_time() - start);
  }
  return true;
}

static void write_backlog(AioRecorder *r) {
  GError *failure = NULL;
  const bool is_written = write_all(r, &failure);
  if (!is_written)
    r->retry_at_us = g_get_monotonic_time() + 1000 * AIO_RECORDER_RETRY_MS;
  set_failure(r, failure);
  if (!is_written)
    return;
  tend_log(r);
}

/* ---- the writer: to another place ---- */

/* What is left of a file that was overwritten, changed or is damaged; `loss` tells what is not. */
static bool salvage(AioRecorder *r, AioStore *to, GError **loss, GError **error) {
  gint64 chunks = 0, of = 0;
  if (!aio_store_salvage(r->store, to, &chunks, &of, error))
    return false;
  of = MAX(of, r->chunks_before + (gint64)r->status.chunks); /* at least */
  if (chunks < of)
    aio_error_set_said(loss, AIO_ERROR_GONE,
                       N_("%zu of %zu pieces of what was recorded before are lost with %s: sweep "
                          "again what they belong to"),
                       (gsize)(of - chunks), (gsize)of, aio_said_plain(aio_store_path(r->store)));
  return true;
}

/* The old file cannot be read, or not all of it: connections and runs are known, so that what waits
 * has its rows, whatever else can be read of it. */
static AioStore *begin_anew(AioRecorder *r, const char *path, GError **loss, GError **error) {
  AioStore *store = aio_store_create(path, r->program, error);
  bool is_written = store && aio_store_begin(store, error);
  for (GList *link = r->history.head; link && is_written; link = link->next) {
    const AioItem *item = link->data;
    is_written = item->write(store, item->data, error);
  }
  if (is_written && salvage(r, store, loss, error))
    return store;
  if (store) {
    aio_store_close(store, NULL);
    g_unlink(path);
  }
  return NULL;
}

/* NULL: also when the copy has turned out to be damaged; it is then removed. */
static AioStore *go_on_with_copy(AioRecorder *r, const char *path, GError **error) {
  if (!aio_store_copy(r->store, path, aio_recorder_collect, r, error))
    return NULL;
  AioStore *store = aio_store_open_write(path, r->program, error);
  if (!store)
    g_unlink(path);
  return store;
}

static void keep_path(AioRecorder *r) {
  g_mutex_lock(&r->lock);
  g_free(r->path);
  r->path = g_strdup(aio_store_path(r->store));
  g_mutex_unlock(&r->lock);
}

static void move_to(AioRecorder *r, const char *path) {
  GError *error = NULL, *loss = NULL;
  const bool is_another = aio_store_is_overwritten(r->store) || aio_store_is_changed(r->store);
  AioStore *store =
      is_another ? begin_anew(r, path, &loss, &error) : go_on_with_copy(r, path, &error);
  if (!store && !is_another && (error->code == AIO_ERROR_IO || error->code == AIO_ERROR_SYNTAX)) {
    g_clear_error(&error);
    store = begin_anew(r, path, &loss, &error);
  }
  if (store) {
    aio_checkpointer_free(r->checkpointer);
    g_clear_pointer(&r->packer, aio_packer_free);
    aio_store_close(r->store, NULL); /* what it could not move into its file stays in its log */
    r->store = store;
    tend_store(r);
    r->retry_at_us = 0; /* what waits is safe with the next commit */
    keep_path(r);
  }
  aio_recorder_tell(r, store ? AIO_RECORDER_MOVED : AIO_RECORDER_MOVE_FAILED, path,
                    store ? loss : error);
  g_clear_error(&loss);
  g_clear_error(&error);
}

/* ---- the writer's life ---- */

typedef struct {
  char *move_to;
  bool is_ending;
  guint flush;
} Wish;

static void wait_until(AioRecorder *r, gint64 until, Wish *wish) {
  g_mutex_lock(&r->lock);
  while (!r->is_ending && r->flush_wanted == r->flush_done)
    if (!g_cond_wait_until(&r->changed, &r->lock, until))
      break;
  *wish = (Wish){NULL, r->is_ending, r->flush_wanted};
  g_mutex_unlock(&r->lock);
}

/* The next commit is due 150 ms after the last began, however long that took. */
static Wish wait_for_wish(AioRecorder *r, gint64 due) {
  Wish wish;
  wait_until(r, due - AIO_RECORDER_PACKING_US, &wish);
  if (!wish.is_ending && wish.flush == r->flush_done) {
    aio_recorder_pack(r);
    wait_until(r, due, &wish);
  }
  g_mutex_lock(&r->lock);
  wish.move_to = g_steal_pointer(&r->move_to);
  g_mutex_unlock(&r->lock);
  return wish;
}

static void answer_flush(AioRecorder *r, guint flush) {
  g_mutex_lock(&r->lock);
  r->flush_done = flush;
  g_cond_broadcast(&r->changed);
  g_mutex_unlock(&r->lock);
}

static gpointer write_until_end(gpointer data) {
  AioRecorder *r = data;
  bool is_ending = false;
  gint64 due = 0;
  while (!is_ending) {
    const Wish wish = wait_for_wish(r, due);
    is_ending = wish.is_ending;
    due = g_get_monotonic_time() + 1000 * AIO_RECORDER_COMMIT_MS;
    aio_recorder_collect(r);
    if (is_ending)
      aio_recorder_wake(r);
    if (wish.move_to)
      move_to(r, wish.move_to);
    g_free(wish.move_to);
    const bool is_urgent = is_ending || wish.flush != r->flush_done;
    if (is_urgent || g_get_monotonic_time() >= r->retry_at_us)
      write_backlog(r);
    answer_flush(r, wish.flush);
    if (!is_ending && g_get_monotonic_time() > r->packed_us + 1000 * AIO_RECORDER_COMMIT_MS)
      aio_recorder_pack(r); /* somebody has one flush after the other */
  }
  aio_recorder_pack_rest(r);
  return NULL;
}

/* ---- the owner ---- */

bool aio_recorder_flush(AioRecorder *recorder, GError **error) {
  g_mutex_lock(&recorder->lock);
  const guint wanted = ++recorder->flush_wanted;
  g_cond_broadcast(&recorder->changed);
  while ((gint)(recorder->flush_done - wanted) < 0)
    g_cond_wait(&recorder->changed, &recorder->lock);
  const bool is_written = !recorder->failure;
  if (!is_written && error)
    *error = g_error_copy(recorder->failure);
  g_mutex_unlock(&recorder->lock);
  return is_written;
}

AioRecorder *aio_recorder_new(AioStore *store, AioQueue *queue, const AioRecorderOptions *options,
                              GError **error) {
  gint64 connection = 0, run = 0, chunk = 0;
  AioQueueCounters counters;
  if (!aio_store_last_ids(store, &connection, &run, error) ||
      !aio_store_last_chunk(store, &chunk, error))
    return NULL;
  aio_queue_counters(queue, &counters);
  AioRecorder *r = g_new0(AioRecorder, 1);
  *r = (AioRecorder){.store = store,
                     .queue = aio_queue_ref(queue),
                     .on_news = options->on_news,
                     .news_ctx = options->news_ctx,
                     .program = g_strdup(options->program),
                     .path = g_strdup(aio_store_path(store)),
                     .memory_max = options->memory_max ? options->memory_max : AIO_RECORDER_MEMORY,
                     .taken = counters.taken,
                     .last_connection = connection,
                     .last_run = run,
                     .chunks_before = chunk,
                     .idle_ns = (gint64)(1e9 * options->idle_s)};
  if (!aio_store_is_waiting(store))
    tend_store(r);
  g_mutex_init(&r->lock);
  g_cond_init(&r->changed);
  if (!aio_store_is_waiting(store))
    aio_recorder_connect(r, options->controller);
  r->writer = g_thread_new("recorder", write_until_end, r);
  return r;
}

bool aio_recorder_free(AioRecorder *recorder, GError **error) {
  if (!recorder)
    return true;
  g_mutex_lock(&recorder->lock);
  recorder->is_ending = true;
  g_cond_broadcast(&recorder->changed);
  g_mutex_unlock(&recorder->lock);
  g_thread_join(recorder->writer);
  aio_checkpointer_free(recorder->checkpointer);
  aio_packer_free(recorder->packer);
  bool is_whole = !recorder->failure && recorder->status.samples_lost == 0;
  if (recorder->failure)
    g_propagate_error(error, g_steal_pointer(&recorder->failure));
  else if (!is_whole)
    aio_error_set_said(error, AIO_ERROR_FULL,
                       N_("%s: %zu samples were lost while the disk and the memory were full"),
                       aio_said_plain(aio_store_path(recorder->store)),
                       (gsize)recorder->status.samples_lost);
  const bool is_closed = aio_store_close(recorder->store, is_whole ? error : NULL);
  g_queue_clear_full(&recorder->backlog, aio_item_free);
  g_queue_clear_full(&recorder->history, aio_item_free);
  aio_queue_unref(recorder->queue);
  g_mutex_clear(&recorder->lock);
  g_cond_clear(&recorder->changed);
  g_free(recorder->program);
  g_free(recorder->path);
  g_free(recorder);
  return is_whole && is_closed;
}
