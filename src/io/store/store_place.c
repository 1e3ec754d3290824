/* SPDX-License-Identifier: MIT */
/* Is the file that is written still the one that its name leads to? Its descriptor goes on working
 * when somebody deletes or renames it, and then everything written is lost with the process. And is
 * what it leads to still what was written? "cp other FILE" keeps the file and takes its content. */
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/said.h"
#include "io/store/store_internal.h"

/* Another number as soon as another connection has committed something, or begun the log anew. */
#define VERSION "PRAGMA data_version"

/* In the order of AioStore.id. */
static const char *const SUFFIXES[AIO_STORE_FILES] = {"", "-wal", "-shm"};

static AioFileId identify(const char *path, const char *suffix) {
  struct stat info;
  char *name = g_strconcat(path, suffix, NULL);
  const bool is_there = lstat(name, &info) == 0;
  g_free(name);
  return is_there ? (AioFileId){true, info.st_dev, info.st_ino, info.st_size}
                  : (AioFileId){.is_there = false};
}

static bool is_same(const AioFileId *a, const AioFileId *b) {
  return a->is_there && b->is_there && a->device == b->device && a->inode == b->inode;
}

void aio_store_remember_place(AioStore *store) {
  for (guint k = 0; k < AIO_STORE_FILES; k++)
    store->id[k] = identify(store->resolved, SUFFIXES[k]);
  aio_store_remember_content(store, true);
  store->version = 0;
  if (!store->is_waiting)
    aio_sql_get_int(store->sql, VERSION, &store->version, NULL);
}

bool aio_store_has_log(const AioStore *store) {
  return store->id[1].is_there;
}

/* ---- what it leads to ---- */

static AioContent look_at(const AioStore *store, bool is_log) {
  AioContent content = {.is_known = false};
  content.is_known =
      aio_sql_peek(store->sql, is_log, content.head, sizeof content.head, &content.size);
  return content;
}

void aio_store_remember_content(AioStore *store, bool and_file) {
  store->content[1] = look_at(store, true);
  if (and_file)
    store->content[0] = look_at(store, false);
}

static guint32 number_at(const AioContent *content, guint at) {
  guint32 number;
  memcpy(&number, content->head + at, sizeof number);
  return GUINT32_FROM_BE(number);
}

/* Of SQLite's header a session that is written changes these and no others: they grow, but for
 * what it says of free pages, which packing makes and what comes next takes. */
enum { AT_CHANGES = 24, AT_PAGES = 28, AT_COOKIE = 40, AT_VALID_FOR = 92 };

static bool has_grown_to(const AioContent *before, const AioContent *now) {
  return now->size >= before->size && memcmp(before->head, now->head, AT_CHANGES) == 0 &&
         memcmp(before->head + AT_COOKIE, now->head + AT_COOKIE, AT_VALID_FOR - AT_COOKIE) == 0 &&
         number_at(now, AT_CHANGES) >= number_at(before, AT_CHANGES) &&
         number_at(now, AT_PAGES) >= number_at(before, AT_PAGES);
}

static bool is_as_before(const AioContent *before, const AioContent *now) {
  return now->size == before->size && memcmp(before->head, now->head, sizeof now->head) == 0;
}

/* Between two passes of the checkpointer nobody but strangers changes the file. Without one a row
 * that is added outside a transaction may. */
static bool is_file_ours(AioStore *store) {
  const gint begun = g_atomic_int_get(&store->passes);
  const AioContent now = look_at(store, false), before = store->content[0];
  const bool is_still = begun % 2 == 0 && begun == g_atomic_int_get(&store->passes);
  if (!now.is_known || !before.is_known)
    return true;
  if (store->is_tended && is_still && begun == store->passes_known)
    return is_as_before(&before, &now);
  if (!has_grown_to(&before, &now))
    return false;
  if (is_still) {
    store->content[0] = now;
    store->passes_known = begun;
  }
  return true;
}

/* Of SQLite's log: a header with the size of a page and salts, then frames of a header, which has
 * the salts too, and a page. */
enum { LOG_HEADER = 32, LOG_PAGE = 8, LOG_SALTS = 16, FRAME_HEADER = 24, FRAME_SALTS = 8 };
enum { LEAST_PAGE = 512, MOST_PAGE = 65536 };

/* Only this thread writes to it, and begins it anew. Without a checkpointer see above. */
static bool is_log_ours(const AioStore *store) {
  const AioContent now = look_at(store, true), *before = &store->content[1];
  return !now.is_known || !before->is_known || !store->is_tended ||
         (now.size >= before->size && memcmp(now.head, before->head, LOG_HEADER) == 0);
}

/* ---- its end ---- */

/* Unless it was begun anew. */
static bool is_end_there(const AioStore *store, const AioContent *now) {
  const AioLogEnd *end = &store->end;
  guint8 bytes[AIO_LOG_END];
  return !end->at || memcmp(end->salts, now->head + LOG_SALTS, AIO_LOG_SALTS) != 0 ||
         !aio_sql_peek_log(store->sql, end->at, bytes, sizeof bytes) ||
         memcmp(bytes, end->bytes, sizeof bytes) == 0;
}

/* false: the last frame is not of the log with this header. */
static bool remember_end(AioStore *store, const AioContent *now) {
  const gint64 frames = aio_sql_log_pages(store->sql);
  const guint32 page = number_at(now, LOG_PAGE), size = FRAME_HEADER + page;
  store->end.at = 0;
  if (frames == 0)
    return true;
  if (page < LEAST_PAGE || page > MOST_PAGE)
    return false;
  const gint64 at = LOG_HEADER + (frames - 1) * size;
  guint8 *frame = g_malloc(size);
  const bool is_read = aio_sql_peek_log(store->sql, at, frame, size);
  const bool is_ours =
      is_read && memcmp(frame + FRAME_SALTS, now->head + LOG_SALTS, AIO_LOG_SALTS) == 0;
  guint32 length = size;
  while (length > FRAME_HEADER && frame[length - 1] == 0)
    length--;
  if (is_ours) {
    store->end.at = at + length - AIO_LOG_END;
    memcpy(store->end.bytes, frame + length - AIO_LOG_END, AIO_LOG_END);
    memcpy(store->end.salts, now->head + LOG_SALTS, AIO_LOG_SALTS);
  }
  g_free(frame);
  return is_ours || !is_read;
}

void aio_store_look_at_log_end(AioStore *store, bool is_committed) {
  const AioContent now = look_at(store, true);
  if (!store->is_tended || !now.is_known)
    return;
  const bool is_whole = is_end_there(store, &now) && (!is_committed || remember_end(store, &now));
  store->is_overwritten[1] = store->is_overwritten[1] || !is_whole;
}

/* ---- both ---- */

/* What SQLite did for somebody else leaves a whole file: what follows is judged by what it is now.
 * An index that was cut off is made anew, which counts as a change and is none. */
bool aio_store_is_changed(AioStore *store) {
  gint64 now = 0;
  if (store->version && !aio_store_is_overwritten(store) && !store->is_index_cut &&
      aio_sql_get_int(store->sql, VERSION, &now, NULL) && now != store->version) {
    store->is_changed = true;
    store->version = now;
    aio_store_remember_content(store, true);
  }
  return store->is_changed;
}

bool aio_store_is_overwritten(const AioStore *store) {
  return store->is_overwritten[0] || store->is_overwritten[1];
}

/* SQLite maps the log's index, and whoever reads there where the file has been cut off is killed by
 * SIGBUS. It only ever grows, and is made of the log: where all of it is zero SQLite makes it anew
 * before it reads. Its descriptor is SQLite's own, and closing another one would drop its locks. */
static void mend_index(AioStore *store) {
  const AioFileId now = identify(store->resolved, SUFFIXES[2]);
  AioFileId *before = &store->id[2];
  if (!is_same(before, &now))
    return;
  if (now.size < before->size) {
    char *name = g_strconcat(store->resolved, SUFFIXES[2], NULL);
    store->is_index_cut = true;
    if (truncate(name, 0) != 0 || truncate(name, before->size) != 0)
      g_debug("%s: cannot be mended", name);
    g_free(name);
  }
  before->size = MAX(before->size, now.size);
}

static bool check_content(AioStore *store, GError **error) {
  mend_index(store);
  aio_store_is_changed(store);
  store->is_overwritten[0] = store->is_overwritten[0] || !is_file_ours(store);
  store->is_overwritten[1] = store->is_overwritten[1] || !is_log_ours(store);
  if (!aio_store_is_overwritten(store) && !store->is_index_cut)
    return true;
  const guint which = store->is_overwritten[0] ? 0 : store->is_overwritten[1] ? 1 : 2;
  char *name = g_strconcat(store->resolved, SUFFIXES[which], NULL);
  aio_error_set_file_said(
      error, AIO_ERROR_GONE, name,
      aio_said_word(N_("was overwritten or cut off while the session was recorded to it")));
  g_free(name);
  return false;
}

bool aio_store_is_in_place(AioStore *store, GError **error) {
  for (guint k = 0; k < AIO_STORE_FILES; k++) {
    const AioFileId now = identify(store->resolved, SUFFIXES[k]);
    if (!store->id[k].is_there || is_same(&store->id[k], &now))
      continue;
    char *name = g_strconcat(store->resolved, SUFFIXES[k], NULL);
    aio_error_set_file_said(
        error, AIO_ERROR_GONE, name,
        aio_said_word(now.is_there
                          ? N_("was replaced by another file while the session was recorded to it")
                          : N_("was deleted or renamed while the session was recorded to it")));
    g_free(name);
    return false;
  }
  return check_content(store, error);
}

bool aio_store_check_place(AioStore *store, GError **error) {
  if (!aio_store_is_in_place(store, error))
    return false;
  if (!store->is_changed)
    return true;
  aio_error_set_file_said(
      error, AIO_ERROR_GONE, store->resolved,
      aio_said_word(N_("was changed by another program while the session was recorded to it")));
  return false;
}

void aio_store_remove_own_log(const AioStore *store) {
  for (guint k = 1; k < AIO_STORE_FILES; k++) {
    const AioFileId now = identify(store->resolved, SUFFIXES[k]);
    char *name = g_strconcat(store->resolved, SUFFIXES[k], NULL);
    if (is_same(&store->id[k], &now))
      unlink(name);
    g_free(name);
  }
}
