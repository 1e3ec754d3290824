/* SPDX-License-Identifier: MIT */
/* How a session file is made, opened, copied and closed. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/file.h"
#include "io/base/said.h"
#include "io/store/store_beside.h"
#include "io/store/store_internal.h"
#include "io/store/store_schema.h"

static const char MAGIC[16] = "SQLite format 3";

/* Of SQLite's file header; what is at 68 is AIO_SCHEMA_APPLICATION. */
enum { HEADER = 100, AT_JOURNAL = 18, NO_LOG = 1, IS_WAL = 2, AT_APPLICATION = 68 };
static const char APPLICATION[4] = {'A', 'R', 'M', 's'};

static bool fail(const char *path, int saved, GError **error) {
  aio_error_set_file_said(error, aio_sql_code_of_errno(saved), path, g_strerror(saved));
  return false;
}

static bool refuse(const char *path, AioErrorCode code, const char *words, GError **error) {
  aio_error_set_file_said(error, code, path, aio_said_word(words));
  return false;
}

/* ---- before SQLite sees a file ---- */

/* NULL: the file is shorter than that. */
static bool check_header(const char *path, const guint8 *header, GError **error) {
  return (header && memcmp(header, MAGIC, sizeof MAGIC) == 0 &&
          memcmp(header + AT_APPLICATION, APPLICATION, sizeof APPLICATION) == 0) ||
         refuse(path, AIO_ERROR_SYNTAX, N_("is not a session file"), error);
}

/* Then it is not opened to be looked at: closing a second descriptor would drop the locks of this
 * process. */
static bool may_be_in_use(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && aio_beside_size(path, "-wal") >= 0;
}

/* Of a file that may be in use zeros: SQLite and the schema tell then what it is. */
static bool read_header(const char *path, guint8 *header, GError **error) {
  if (may_be_in_use(path))
    return true;
  const int fd = aio_file_open(path, error);
  if (fd < 0)
    return false;
  const gssize n = read(fd, header, HEADER);
  const int saved = errno;
  close(fd);
  if (n < 0)
    return fail(path, saved, error);
  return check_header(path, n == HEADER ? header : NULL, error);
}

/* By its other name it has another log and lock, and writing would change the file of that name. */
static bool check_one_name(const char *path, GError **error) {
  struct stat info;
  return stat(path, &info) != 0 || info.st_nlink <= 1 ||
         refuse(path, AIO_ERROR_PERMISSION,
                N_("has another name too (hard link), under which writing would change "
                   "it; open it for reading, or copy it and open the copy"),
                error);
}

static char *resolve(const char *path, GError **error) {
  char *resolved = realpath(path, NULL);
  char *copy = g_strdup(resolved);
  if (!resolved)
    fail(path, errno, error);
  free(resolved);
  return copy;
}

/* Beside any file somebody may have put something that ends in "-wal". */
bool aio_store_is_session(const char *path) {
  char head[sizeof MAGIC] = "";
  if (may_be_in_use(path) && aio_beside_may_be_log(path))
    return true;
  const int fd = aio_file_open(path, NULL);
  const bool is_whole = fd >= 0 && read(fd, head, sizeof head) == (gssize)sizeof head;
  if (fd >= 0)
    close(fd);
  return is_whole && memcmp(head, MAGIC, sizeof MAGIC) == 0;
}

/* ---- reading ---- */

static AioStore *store_new(const char *path, AioSql *sql, AioLock *lock) {
  AioStore *store = g_new0(AioStore, 1);
  *store = (AioStore){.sql = sql, .lock = lock, .path = g_strdup(path)};
  return store;
}

/* Takes `sql`; gives it back checked, or one in memory that was migrated; NULL: failed. */
static AioSql *check_for_reading(AioSql *sql, bool looks_through, GError **error) {
  int version = 0;
  bool is_sound = sql && aio_schema_check(sql, looks_through, &version, error);
  if (is_sound && version < AIO_SCHEMA_READABLE) {
    gsize n = 0;
    guint8 *bytes = aio_sql_bytes(sql, &n, error);
    AioSql *memory = NULL;
    if (bytes) {
      bytes[AT_JOURNAL] = bytes[AT_JOURNAL + 1] = 1; /* there is no log in memory */
      memory = aio_sql_new_memory(aio_sql_path(sql), bytes, n, error);
    }
    g_free(bytes);
    aio_sql_free(sql);
    sql = memory;
    is_sound = sql && aio_schema_migrate(sql, version, error) &&
               aio_schema_check(sql, looks_through, &version, error);
  }
  if (is_sound)
    return sql;
  aio_sql_free(sql);
  return NULL;
}

/* How SQLite is to open the file at `path`: where a log cannot be made and none is there, nothing
 * beside the file is looked at. A writer's log is always there while it writes. */
static bool choose_mode(const char *path, const guint8 *header, AioSqlMode *mode, GError **error) {
  const goffset log = aio_beside_size(path, "-wal");
  char *folder = g_path_get_dirname(path);
  const bool may_write = access(folder, W_OK) == 0;
  g_free(folder);
  if (!may_write &&
      ((log > 0 && aio_beside_size(path, "-shm") < 0) || aio_beside_size(path, "-journal") > 0))
    return refuse(path, AIO_ERROR_PERMISSION,
                  N_("was not closed and cannot be completed here; copy it together "
                     "with its -wal or -journal file to a folder you may write, and "
                     "open it there"),
                  error);
  const bool is_frozen = (log < 0 && header[AT_JOURNAL] == IS_WAL) || (log <= 0 && !may_write);
  *mode = is_frozen ? AIO_SQL_READ_ONLY_MEDIUM : AIO_SQL_READ;
  return true;
}

/* A writer that died while it changed from log to journal or back has left a journal, which only a
 * writer can play back. */
static bool play_back(const char *path, GError **error) {
  GError *refused = NULL;
  gint64 version = 0;
  if (aio_beside_size(path, "-journal") <= 0)
    return true;
  if (!aio_beside_check_journal(path, error))
    return false;
  AioLock *lock = aio_lock_take(path, "a reader", &refused);
  if (!lock && refused->code == AIO_ERROR_BUSY) { /* the journal of a living writer */
    g_error_free(refused);
    return true;
  }
  if (!lock) {
    g_propagate_error(error, refused);
    return false;
  }
  /* Of a journal with nothing in it SQLite goes on with the log, and puts it into the file. */
  AioSql *sql = aio_beside_check_log(path, error) ? aio_sql_open(path, AIO_SQL_WRITE, error) : NULL;
  const bool is_played = sql && aio_sql_get_int(sql, "PRAGMA user_version", &version, error);
  aio_sql_free(sql);
  aio_lock_release(lock);
  return is_played;
}

static AioSql *open_for_reading(const char *path, bool looks_through, GError **error) {
  guint8 header[HEADER] = {0};
  AioSqlMode mode = AIO_SQL_READ;
  if (!aio_beside_check_kind(path, error) || !read_header(path, header, error) ||
      !choose_mode(path, header, &mode, error) || !play_back(path, error) ||
      !read_header(path, header, error) || !choose_mode(path, header, &mode, error) ||
      (mode == AIO_SQL_READ && !aio_beside_check_log(path, error)))
    return NULL;
  return check_for_reading(aio_sql_open(path, mode, error), looks_through, error);
}

/* What this process writes was checked when it was opened for that; looking through all of it again
 * for every reading would take longer than the reading. */
static AioSql *open_beside(const char *path, GError **error) {
  AioSql *sql = aio_beside_check_kind(path, error) ? aio_sql_open(path, AIO_SQL_READ, error) : NULL;
  return check_for_reading(sql, false, error);
}

static AioStore *open_read(const char *path, bool looks_through, GError **error) {
  char *resolved = resolve(path, error);
  AioSql *sql = NULL;
  if (resolved)
    sql = aio_lock_is_mine(resolved) ? open_beside(resolved, error)
                                     : open_for_reading(resolved, looks_through, error);
  g_free(resolved);
  return sql ? store_new(path, sql, NULL) : NULL;
}

AioStore *aio_store_open_read(const char *path, GError **error) {
  return open_read(path, true, error);
}

/* From the first reading in a transaction on a connection sees nothing of what others commit. */
bool aio_store_stand_still(AioStore *store, GError **error) {
  gint64 version = 0;
  return aio_sql_exec(store->sql, "BEGIN", error) &&
         aio_sql_get_int(store->sql, "PRAGMA user_version", &version, error);
}

AioStore *aio_store_open_again(const char *path, GError **error) {
  return open_read(path, false, error);
}

AioStore *aio_store_open_bytes(const char *name, const guint8 *bytes, gsize n, GError **error) {
  const bool is_session = check_header(name, n >= HEADER ? bytes : NULL, error);
  AioSql *sql = is_session ? aio_sql_new_memory(name, bytes, n, error) : NULL;
  sql = check_for_reading(sql, true, error);
  return sql ? store_new(name, sql, NULL) : NULL;
}

/* ---- writing ---- */

static bool put_meta(AioSql *sql, const char *key, const char *value, GError **error) {
  return aio_sql_run(sql, "INSERT INTO meta (key, value) VALUES (?, ?)",
                     (const AioSqlValue[]){aio_sql_text(key), aio_sql_text(value)}, 2, error);
}

typedef struct {
  bool (*add)(AioStore *store, gconstpointer data, GError **error);
  gconstpointer data;
} Fill;

static bool fill_in(AioSql *sql, const char *path, const Fill *fill, GError **error) {
  AioStore memory = {.sql = sql, .path = (char *)path};
  return !fill->add || fill->add(&memory, fill->data, error);
}

static guint8 *new_session(const char *path, const char *program, const Fill *fill, gsize *n,
                           GError **error) {
  AioSql *sql = aio_sql_new_memory(path, NULL, 0, error);
  GDateTime *now = g_date_time_new_now_utc();
  char *created = g_date_time_format_iso8601(now), *uid = g_uuid_string_random();
  guint8 *bytes = NULL;
  if (sql && aio_schema_create(sql, error) && put_meta(sql, "uid", uid, error) &&
      put_meta(sql, "program", program, error) && put_meta(sql, "created", created, error) &&
      put_meta(sql, "host", g_get_host_name(), error) && fill_in(sql, path, fill, error))
    bytes = aio_sql_bytes(sql, n, error);
  aio_sql_free(sql);
  g_free(uid);
  g_free(created);
  g_date_time_unref(now);
  return bytes;
}

AioStore *aio_store_create(const char *path, const char *program, GError **error) {
  return aio_store_create_filled(path, program, NULL, NULL, error);
}

AioStore *aio_store_create_filled(const char *path, const char *program,
                                  bool (*fill)(AioStore *store, gconstpointer data, GError **error),
                                  gconstpointer data, GError **error) {
  gsize n = 0;
  const bool is_free = aio_store_check_name(path, error) && aio_beside_check_free(path, error) &&
                       aio_file_check_beside(path, "-shm", error) &&
                       aio_file_check_beside(path, ".lock", error);
  guint8 *bytes = is_free ? new_session(path, program, &(Fill){fill, data}, &n, error) : NULL;
  const bool is_made = bytes && aio_file_write_atomic(path, (const char *)bytes, n, false, error);
  g_free(bytes);
  return is_made ? aio_store_open_write(path, program, error) : NULL;
}

/* ---- copies ---- */

typedef struct {
  void (*idle)(void *data);
  void *data;
} Idle;

/* With what SQLite leaves beside it when its process is killed. */
static void remove_partial(const char *partial) {
  static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++) {
    char *name = g_strconcat(partial, suffixes[k], NULL);
    unlink(name);
    g_free(name);
  }
}

/* Whoever finds `path` finds all of it, whenever the process was killed. `partial` is an empty file
 * in the same folder; it is gone afterwards. */
static bool copy_by(AioStore *store, const char *partial, const char *path, Idle idle,
                    GError **error) {
  AioSql *to = aio_sql_open(partial, AIO_SQL_WRITE, error);
  const bool is_copied = to && aio_sql_copy(to, store->sql, idle.idle, idle.data, error) &&
                         aio_sql_exec(to, "PRAGMA journal_mode=DELETE", error);
  aio_sql_free(to);
  const bool is_named = is_copied && aio_file_give_name(partial, path, error);
  if (!is_named)
    remove_partial(partial);
  return is_named;
}

bool aio_store_copy(AioStore *store, const char *path, void (*idle)(void *data), void *data,
                    GError **error) {
  if (!aio_store_check_name(path, error) || !aio_beside_check_free(path, error))
    return false;
  char *partial = g_strconcat(path, ".XXXXXX", NULL); /* others may copy to the same name */
  const int fd = g_mkstemp_full(partial, O_RDWR | O_CLOEXEC, 0666);
  const int saved = errno;
  if (fd >= 0)
    close(fd);
  const bool is_copied =
      fd >= 0 ? copy_by(store, partial, path, (Idle){idle, data}, error) : fail(path, saved, error);
  g_free(partial);
  return is_copied;
}

/* Under the session's lock: what stands there is left of an earlier try. */
static bool begin_partial(const char *partial, GError **error) {
  remove_partial(partial);
  const int fd = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0)
    return fail(partial, errno, error);
  close(fd);
  return true;
}

/* PATH.vN-DATE-TIME, and -2, ... where there is one of the same second already. g_free. */
static char *copy_name(const char *path, int version) {
  GDateTime *now = g_date_time_new_now_local();
  char *date = g_date_time_format(now, "%Y%m%d-%H%M%S");
  char *name = g_strdup_printf("%s.v%d-%s", path, version, date);
  for (guint k = 2; !aio_beside_check_free(name, NULL); k++) {
    g_free(name);
    name = g_strdup_printf("%s.v%d-%s-%u", path, version, date, k);
  }
  g_free(date);
  g_date_time_unref(now);
  return name;
}

static bool back_up(AioSql *sql, const char *path, int version, GError **error) {
  char *name = copy_name(path, version);
  char *partial = g_strdup_printf("%s.v%d.partial", path, version);
  AioStore old = {.sql = sql, .path = (char *)path};
  const bool is_copied = aio_store_check_name(name, error) && begin_partial(partial, error) &&
                         copy_by(&old, partial, name, (Idle){NULL, NULL}, error);
  g_free(name);
  g_free(partial);
  return is_copied;
}

static bool prepare_for_writing(AioSql *sql, const char *path, bool looks_through, GError **error) {
  int version = 0;
  if (!aio_schema_check(sql, looks_through, &version, error))
    return false;
  if (version < AIO_SCHEMA_VERSION &&
      (!back_up(sql, path, version, error) || !aio_schema_migrate(sql, version, error)))
    return false;
  gint64 read = 0; /* the first reading makes the log: its place is to be known from now on */
  /* where there is no shared memory (network drives) SQLite keeps its rollback journal: slower */
  return aio_sql_exec(sql, "PRAGMA journal_mode=WAL", error) &&
         aio_sql_get_int(sql, "PRAGMA user_version", &read, error) &&
         aio_sql_exec(sql, "PRAGMA wal_checkpoint(TRUNCATE)", error);
}

/* A file that is refused is not changed: its log is not put into it either. */
static AioSql *open_for_writing(const char *path, GError **error) {
  const bool has_log = aio_beside_size(path, "-wal") > 0;
  AioSql *sql = aio_beside_check_log(path, error) ? aio_sql_open(path, AIO_SQL_WRITE, error) : NULL;
  if (!sql || prepare_for_writing(sql, path, true, error))
    return sql;
  if (has_log)
    aio_sql_leave_log(sql);
  aio_sql_free(sql);
  return NULL;
}

/* It can be read as it is: its last writer has closed it, log and journal are gone. */
static bool is_complete(const char *path, const guint8 *header) {
  return header[AT_JOURNAL] == NO_LOG && aio_beside_size(path, "-journal") < 0;
}

/* Refused now rather than with the first row. */
static AioSql *open_to_wait(const char *path, GError **error) {
  if (access(path, W_OK) == 0)
    return check_for_reading(aio_sql_open(path, AIO_SQL_READ, error), true, error);
  refuse(path, AIO_ERROR_PERMISSION,
         N_("may not be written; open it for reading, or copy it to a folder you may write"),
         error);
  return NULL;
}

static AioStore *open_locked(const char *path, const char *program, bool may_wait, GError **error) {
  guint8 header[HEADER] = {0};
  char *resolved = resolve(path, error);
  const bool is_session = resolved && aio_store_check_name(resolved, error) &&
                          aio_beside_check_kind(resolved, error) &&
                          read_header(resolved, header, error) && check_one_name(resolved, error) &&
                          aio_beside_check_journal(resolved, error);
  AioLock *lock = is_session ? aio_lock_take(resolved, program, error) : NULL;
  const bool is_waiting = lock && may_wait && is_complete(resolved, header);
  AioSql *sql = NULL;
  if (lock)
    sql = is_waiting ? open_to_wait(resolved, error) : open_for_writing(resolved, error);
  AioStore *store = sql ? store_new(path, sql, lock) : NULL;
  if (store) {
    store->is_waiting = is_waiting;
    store->resolved = g_steal_pointer(&resolved);
    aio_store_remember_place(store);
  } else {
    aio_lock_release(lock);
  }
  g_free(resolved);
  return store;
}

AioStore *aio_store_open_write(const char *path, const char *program, GError **error) {
  return open_locked(path, program, false, error);
}

AioStore *aio_store_open_waiting(const char *path, const char *program, GError **error) {
  return open_locked(path, program, true, error);
}

bool aio_store_is_waiting(const AioStore *store) {
  return store->is_waiting;
}

/* What was looked through is still what the name leads to, before it was opened and after. */
bool aio_store_start_writing(AioStore *store, GError **error) {
  if (!store->is_waiting)
    return true;
  const bool is_there =
      aio_store_check_place(store, error) && aio_beside_check_kind(store->resolved, error) &&
      check_one_name(store->resolved, error) && aio_beside_check_journal(store->resolved, error) &&
      aio_beside_check_log(store->resolved, error);
  AioSql *sql = is_there ? aio_sql_open(store->resolved, AIO_SQL_WRITE, error) : NULL;
  if (!sql || !aio_store_check_place(store, error) ||
      !prepare_for_writing(sql, store->resolved, false, error)) {
    aio_sql_free(sql);
    return false;
  }
  aio_sql_free(store->sql);
  store->sql = sql;
  store->is_waiting = false;
  aio_store_remember_place(store);
  return true;
}

/* The log into the file. */
static bool complete(AioStore *store, GError **error) {
  gint64 is_busy = 0;
  if (!aio_sql_get_int(store->sql, "PRAGMA wal_checkpoint(TRUNCATE)", &is_busy, error))
    return false;
  return !is_busy ||
         refuse(store->path, AIO_ERROR_BUSY,
                N_("is being read elsewhere: its end stays in the -wal file beside it"), error);
}

/* SQLite would delete by name, whatever has taken it. */
static void leave_place(AioStore *store, bool is_whole) {
  aio_sql_leave_log(store->sql);
  if (is_whole)
    aio_store_remove_own_log(store);
}

bool aio_store_close(AioStore *store, GError **error) {
  if (!store)
    return true;
  bool is_whole = true;
  if (store->lock && !store->is_waiting) {
    const bool is_in_place = aio_store_is_in_place(store, NULL);
    if (aio_store_is_overwritten(store)) /* not a byte into what is somebody else's by now */
      is_whole = store->is_salvaged || aio_store_is_in_place(store, error);
    else
      is_whole = complete(store, error);
    if (is_in_place) /* refused while somebody reads: the log is empty all the same */
      aio_sql_exec(store->sql, "PRAGMA journal_mode=DELETE", NULL);
    else
      leave_place(store, is_whole);
  }
  aio_sql_free(store->sql);
  aio_lock_release(store->lock);
  g_free(store->path);
  g_free(store->resolved);
  g_free(store);
  return is_whole;
}

const char *aio_store_path(const AioStore *store) {
  return store->path;
}
