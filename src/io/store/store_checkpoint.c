/* SPDX-License-Identifier: MIT */
/* A pass of SQLite's WAL into the file costs two syncs: of the writer's own thread it would make
 * samples wait. The reader that stands in the log keeps it from beginning anew meanwhile, which
 * would cost the next commit a sync more (DESIGN). */
#include "io/store/store_checkpoint.h"

#include <sys/resource.h>

#include "io/store/store_internal.h"

/* Of 16 KiB. After a pass that has moved everything the log begins anew, which costs the next
 * commit a second sync, of the log's head. While an arm moves it is kept from that, up to 64 MiB,
 * by a reader that still stands in it. */
enum { LONG_PAGES = 256, REST_PAGES = 64, MOST_PAGES = 4096, NICE = 10 };

struct AioCheckpointer {
  AioStore *store;
  AioSql *sql, *reader; /* the thread's */
  GThread *thread;
  GMutex lock; /* guards all below */
  GCond changed;
  guint due_pages, asked_pages; /* asked_pages: when the last pass was asked for */
  bool begins_anew;             /* of that pass */
  bool is_moved;                /* it has missed nothing */
  bool is_wanted, is_ending;
};

/* false: some of the log is not in the file yet. */
static bool pass(AioSql *sql) {
  AioSqlQuery *query = aio_sql_query(sql, "PRAGMA wal_checkpoint(PASSIVE)", NULL, 0, NULL);
  const bool is_whole = query && aio_sql_next(query, NULL) > 0 && aio_sql_int_at(query, 0) == 0 &&
                        aio_sql_int_at(query, 1) == aio_sql_int_at(query, 2);
  aio_sql_query_free(query);
  return is_whole;
}

/* At the end of the log, where nothing stands in the way of the pass. It has left its former place
 * only when there is something to be moved behind it: else the log might begin anew in between. */
static void stand_in_log(AioCheckpointer *c, bool stays) {
  gint64 version = 0;
  aio_sql_exec(c->reader, "ROLLBACK", NULL); /* refused the first time */
  if (stays && aio_sql_exec(c->reader, "BEGIN", NULL))
    aio_sql_get_int(c->reader, "PRAGMA user_version", &version, NULL);
}

static bool wait(AioCheckpointer *c, bool *begins_anew) {
  g_mutex_lock(&c->lock);
  while (!c->is_wanted && !c->is_ending)
    g_cond_wait(&c->changed, &c->lock);
  const bool is_wanted = !c->is_ending;
  c->is_wanted = false;
  *begins_anew = c->begins_anew;
  g_mutex_unlock(&c->lock);
  return is_wanted;
}

static gpointer run(gpointer data) {
  AioCheckpointer *c = data;
  setpriority(PRIO_PROCESS, 0, NICE); /* of this thread */
  bool begins_anew = false;
  while (wait(c, &begins_anew)) {
    stand_in_log(c, !begins_anew);
    g_atomic_int_inc(&c->store->passes);
    const bool is_moved = pass(c->sql) && begins_anew;
    g_atomic_int_inc(&c->store->passes);
    g_mutex_lock(&c->lock);
    c->is_moved = is_moved;
    if (is_moved)
      c->due_pages = LONG_PAGES;
    g_mutex_unlock(&c->lock);
  }
  return NULL;
}

/* The same file as the store's: a name that leads elsewhere by now is not touched. */
static AioSql *open_beside(AioStore *store) {
  gint64 version = 0; /* the first reading finds the log */
  AioSql *sql = aio_sql_open(store->resolved, AIO_SQL_WRITE, NULL);
  if (sql && aio_store_check_place(store, NULL) &&
      aio_sql_get_int(sql, "PRAGMA user_version", &version, NULL))
    return sql;
  aio_sql_free(sql);
  return NULL;
}

AioCheckpointer *aio_checkpointer_new(AioStore *store) {
  AioSql *sql = aio_store_has_log(store) ? open_beside(store) : NULL;
  AioSql *reader = sql ? open_beside(store) : NULL;
  if (!reader) {
    aio_sql_free(sql);
    return NULL;
  }
  AioCheckpointer *c = g_new0(AioCheckpointer, 1);
  *c = (AioCheckpointer){.store = store, .sql = sql, .reader = reader, .due_pages = LONG_PAGES};
  g_mutex_init(&c->lock);
  g_cond_init(&c->changed);
  aio_sql_watch_log(store->sql);
  store->is_tended = true;
  c->thread = g_thread_new("checkpointer", run, c);
  return c;
}

bool aio_checkpointer_look(AioCheckpointer *c, bool is_resting) {
  const guint pages = aio_sql_log_pages(c->store->sql);
  g_mutex_lock(&c->lock);
  const bool is_new = pages != c->asked_pages || !c->begins_anew; /* a reader may keep it */
  const bool is_due = is_resting ? pages >= REST_PAGES && is_new : pages >= c->due_pages;
  const bool is_moved = c->is_moved && is_resting && pages == c->asked_pages;
  if (is_due) {
    c->is_wanted = true;
    c->begins_anew = is_resting || pages >= MOST_PAGES;
    c->asked_pages = pages;
    c->due_pages = pages + LONG_PAGES; /* unless it begins anew */
    g_cond_signal(&c->changed);
  }
  if (is_due || is_moved)
    c->is_moved = false;
  g_mutex_unlock(&c->lock);
  return is_moved;
}

void aio_checkpointer_free(AioCheckpointer *c) {
  if (!c)
    return;
  g_mutex_lock(&c->lock);
  c->is_ending = true;
  g_cond_signal(&c->changed);
  g_mutex_unlock(&c->lock);
  g_thread_join(c->thread);
  aio_sql_free(c->reader);
  aio_sql_free(c->sql);
  g_mutex_clear(&c->lock);
  g_cond_clear(&c->changed);
  g_free(c);
}
