/* SPDX-License-Identifier: MIT */
/* SQLite takes whatever has the right name for its own: it plays it into the file, writes over it
 * and deletes it. A log of another session makes one session of two, and of both nothing is left.
 */
#include "io/store/store_beside.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/file.h"
#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/store/store.h"
#include "io/store/store_schema.h"
#include "io/store/store_sql.h"

static const char *const SUFFIXES[] = {"-wal", "-shm", "-journal", ".lock"};

goffset aio_beside_size(const char *path, const char *suffix) {
  char *name = g_strconcat(path, suffix, NULL);
  struct stat info;
  const bool is_there = lstat(name, &info) == 0;
  g_free(name);
  return is_there ? info.st_size : -1;
}

/* A log of an earlier file would be taken for this one's. */
bool aio_beside_check_free(const char *path, GError **error) {
  static const char *const suffixes[] = {"", "-wal", "-journal"};
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++)
    if (aio_beside_size(path, suffixes[k]) >= 0) {
      char *name = g_strconcat(path, suffixes[k], NULL);
      aio_error_set_file_said(
          error, AIO_ERROR_EXISTS, name,
          aio_said_word(N_("exists already; choose another name for the session")));
      g_free(name);
      return false;
    }
  return true;
}

/* A link there would lead it elsewhere, a pipe would have it wait. (It never follows a symbolic
 * link itself.) */
bool aio_beside_check_kind(const char *path, GError **error) {
  return aio_file_check_beside(path, "-wal", error) && aio_file_check_beside(path, "-shm", error) &&
         aio_file_check_beside(path, "-journal", error);
}

/* `format` has one %s, for the session's name. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* of those below, which are literals */
static bool refuse(const char *path, const char *suffix, const char *format, GError **error) {
  char *name = g_strconcat(path, suffix, NULL), *visible = aio_text_visible(path, false);
  char *said = aio_said(format, visible);
  aio_error_set_file_said(error, AIO_ERROR_REFUSED, name, said);
  g_free(said);
  g_free(visible);
  g_free(name);
  return false;
}
#pragma GCC diagnostic pop

/* ---- what a name promises ---- */

static const char *suffix_of(const char *path) {
  for (gsize k = 0; k < G_N_ELEMENTS(SUFFIXES); k++)
    if (g_str_has_suffix(path, SUFFIXES[k]))
      return SUFFIXES[k];
  return NULL;
}

bool aio_store_check_name(const char *path, GError **error) {
  const char *suffix = suffix_of(path);
  if (!suffix)
    return true;
  char *said = aio_said(
      N_("ends in \"%s\", as what stands beside a session does; give the session another name"),
      suffix);
  aio_error_set_file_said(error, AIO_ERROR_REFUSED, path, said);
  g_free(said);
  return false;
}

bool aio_store_check_output(const char *path, const char *in_use, GError **error) {
  char *resolved = realpath(path, NULL);
  const char *name = resolved ? resolved : path, *suffix = suffix_of(name);
  char *session = suffix ? g_strndup(name, strlen(name) - strlen(suffix)) : NULL;
  char *used = in_use ? g_canonicalize_filename(in_use, NULL) : NULL;
  char *meant = session ? g_canonicalize_filename(session, NULL) : NULL;
  const bool is_free = !session || (g_strcmp0(used, meant) != 0 && !aio_store_is_session(session));
  if (!is_free)
    refuse(session, suffix, N_("belongs to the session %s; choose another name"), error);
  g_free(meant);
  g_free(used);
  g_free(session);
  free(resolved);
  return is_free;
}

/* ---- what the files begin with ---- */

/* What cannot be read is not known to be wrong. */
static bool fail_read(const char *path, const char *suffix, int saved, GError **error) {
  const AioErrorCode code = aio_sql_code_of_errno(saved);
  const char *remedy = aio_sql_remedy(code);
  char *name = g_strconcat(path, suffix, NULL);
  char *found = aio_said("%s%s%s", g_strerror(saved), *remedy ? "; " : "", remedy);
  aio_error_set_file_said(error, code, name, found);
  g_free(found);
  g_free(name);
  return false;
}

/* Up to *n bytes (then how many there are) from the beginning, or (negative) the end. SQLite has no
 * locks on log and journal that the closing would drop. false: AIO_ERROR_IO, ... */
static bool read_beside(const char *path, const char *suffix, off_t from, guint8 *bytes, gsize *n,
                        GError **error) {
  char *name = g_strconcat(path, suffix, NULL);
  const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  g_free(name);
  if (fd < 0)
    return fail_read(path, suffix, errno, error);
  if (from < 0)
    lseek(fd, from, SEEK_END); /* a shorter one is read from its beginning */
  const gssize got = read(fd, bytes, *n);
  const int saved = errno;
  close(fd);
  *n = (gsize)MAX(got, 0);
  return got >= 0 || fail_read(path, suffix, saved, error);
}

static bool is_zero(const guint8 *bytes, gsize n) {
  for (gsize k = 0; k < n; k++)
    if (bytes[k])
      return false;
  return true;
}

/* SQLite writes zeros first, and zeros are what a power cut leaves of what was not written yet. */
static bool begins_with(const guint8 *bytes, gsize n, const guint8 *magic, gsize length) {
  return n == length && (memcmp(bytes, magic, length) == 0 || is_zero(bytes, length));
}

/* SQLite deletes the file that the end of a rollback journal names. This program never writes such
 * a journal, so one that names a file is an attack. */
bool aio_beside_check_journal(const char *path, GError **error) {
  static const guint8 magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  guint8 bytes[sizeof magic];
  gsize n = sizeof bytes;
  if (aio_beside_size(path, "-journal") <= 0)
    return true;
  if (!read_beside(path, "-journal", 0, bytes, &n, error))
    return false;
  if (!begins_with(bytes, n, magic, sizeof magic))
    return refuse(path, "-journal",
                  N_("is not the journal of %s, though it stands beside it as such; move it to "
                     "another folder"),
                  error);
  n = sizeof bytes;
  if (!read_beside(path, "-journal", -(off_t)sizeof bytes, bytes, &n, error))
    return false;
  return n != sizeof magic || memcmp(bytes, magic, sizeof magic) != 0 ||
         refuse(path, "-journal",
                N_("names another file to delete, beside %s; remove this journal"), error);
}

static bool check_is_log(const char *path, GError **error) {
  static const guint8 magic[4] = {0x37, 0x7f, 0x06, 0x82}; /* the last bit: order of checksums */
  guint8 bytes[sizeof magic];
  gsize n = sizeof bytes;
  if (!read_beside(path, "-wal", 0, bytes, &n, error))
    return false;
  if (n == sizeof bytes)
    bytes[sizeof bytes - 1] &= 0xfe;
  return begins_with(bytes, n, magic, sizeof magic) ||
         refuse(path, "-wal",
                N_("is not the log of %s, though it stands beside it as such; move it to another "
                   "folder"),
                error);
}

bool aio_beside_may_be_log(const char *path) {
  GError *error = NULL;
  if (aio_beside_size(path, "-wal") <= 0 || check_is_log(path, &error))
    return true;
  const bool is_other = g_error_matches(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_error_free(error);
  return !is_other;
}

/* ---- does the log continue the file? ---- */

/* Of SQLite's file header. */
enum {
  HEADER = 100,
  AT_PAGE_SIZE = 16, /* 2 bytes; 1: 65536 */
  AT_JOURNAL = 18,
  AT_CHANGES = 24,
  AT_PAGES = 28,
  AT_APPLICATION = 68,
  AT_VALID_FOR = 92
};

/* The roots of all tables are within. */
enum { BEGINNING = 16 * 16384 };

static guint32 number_at(const guint8 *header, guint at) {
  guint32 number;
  memcpy(&number, header + at, sizeof number);
  return GUINT32_FROM_BE(number);
}

/* Rows that are written once, and whose content no other session has. Of what is missing NULL. */
static const char *const ROWS[] = {
    "SELECT value FROM meta WHERE key = 'uid'", "SELECT utc_us FROM connections WHERE id = 1",
    "SELECT utc_us FROM plan WHERE id = 1", "SELECT utc_us FROM steps WHERE id = 1",
    "SELECT t_host_ns FROM events WHERE id = 1"};
enum { N_ROWS = G_N_ELEMENTS(ROWS) };

static bool read_row(AioSql *sql, const char *text, char **value, GError **error) {
  AioSqlQuery *row = aio_sql_query(sql, text, NULL, 0, error);
  const int more = row ? aio_sql_next(row, error) : -1;
  if (more == 1)
    *value = aio_sql_kind_at(row, 0) == AIO_SQL_INT
                 ? g_strdup_printf("%" G_GINT64_FORMAT, aio_sql_int_at(row, 0))
                 : g_strdup(aio_sql_text_at(row, 0));
  aio_sql_query_free(row);
  return more >= 0;
}

/* The file without its log, which a kill amid the moving of the log may have left in pieces: what
 * cannot be read of it is not known, and what can be does not change any more. */
typedef struct {
  guint32 pages; /* 0: not known */
  char *rows[N_ROWS];
} Alone;

/* As a file of its own, which ends where `bytes` do and has no log. */
static AioSql *open_beginning(const char *path, guint8 *bytes, gsize n) {
  const guint told = (guint)bytes[AT_PAGE_SIZE] << 8 | bytes[AT_PAGE_SIZE + 1];
  const gsize page = told == 1 ? 65536 : MAX(told, 512);
  const guint32 pages = GUINT32_TO_BE((guint32)(n / page));
  bytes[AT_JOURNAL] = bytes[AT_JOURNAL + 1] = 1;
  memcpy(bytes + AT_PAGES, &pages, sizeof pages);
  memcpy(bytes + AT_VALID_FOR, bytes + AT_CHANGES, sizeof pages);
  return n >= page ? aio_sql_new_memory(path, bytes, n / page * page, NULL) : NULL;
}

static bool refuse_alone(const char *path, GError **error) {
  return refuse(path, "-wal",
                N_("is the log of a session, but %s is none or was cut off; nothing was changed; "
                   "move one of the two to another folder"),
                error);
}

/* Of the file that `both` has open. false: it cannot be read, or no session is in it. */
static bool look_at_alone(Alone *alone, AioSql *both, const char *path, GError **error) {
  gint64 size = 0;
  guint8 *bytes = g_malloc0(BEGINNING);
  if (!aio_sql_peek(both, false, bytes, BEGINNING, &size)) {
    fail_read(path, "", errno, error);
    g_free(bytes);
    return false;
  }
  const bool is_session = size >= HEADER && memcmp(bytes, "SQLite format 3", 16) == 0 &&
                          number_at(bytes, AT_APPLICATION) == AIO_SCHEMA_APPLICATION;
  if (is_session && number_at(bytes, AT_CHANGES) == number_at(bytes, AT_VALID_FOR))
    alone->pages = number_at(bytes, AT_PAGES);
  AioSql *sql = is_session ? open_beginning(path, bytes, (gsize)MIN(size, BEGINNING)) : NULL;
  if (sql)
    aio_schema_trust(sql);
  for (guint k = 0; sql && k < N_ROWS; k++)
    read_row(sql, ROWS[k], &alone->rows[k], NULL);
  aio_sql_free(sql);
  g_free(bytes);
  return is_session || refuse_alone(path, error);
}

static bool refuse_other(const char *path, GError **error) {
  return refuse(path, "-wal",
                N_("is the log of another session than %s; nothing was changed; move it to "
                   "another folder, beside the session that it belongs to"),
                error);
}

/* What cannot be opened with the log, and can without it. Takes `why` over. */
static bool refuse_torn(const char *path, GError *why, GError **error) {
  AioSql *alone =
      why->code == AIO_ERROR_SYNTAX ? aio_sql_open(path, AIO_SQL_READ_ONLY_MEDIUM, NULL) : NULL;
  if (!alone) {
    g_propagate_error(error, why);
    return false;
  }
  aio_sql_free(alone);
  g_error_free(why);
  return refuse_other(path, error);
}

static bool continues(const Alone *alone, AioSql *both, const char *path, GError **error) {
  gint64 pages = 0;
  aio_schema_trust(both);
  for (guint k = 0; k < N_ROWS; k++) {
    char *value = NULL;
    const bool is_read = read_row(both, ROWS[k], &value, error);
    const bool is_same = !alone->rows[k] || g_strcmp0(alone->rows[k], value) == 0;
    g_free(value);
    if (!is_read)
      return false;
    if (!is_same)
      return refuse_other(path, error);
  }
  return aio_sql_get_int(both, "PRAGMA page_count", &pages, error) &&
         (pages >= alone->pages ||
          refuse(path, "-wal",
                 N_("is an older state of the session than %s, of which it would undo a part; "
                    "nothing was changed; move it to another folder"),
                 error));
}

/* SQLite deletes the log of an empty file, even to read it. */
bool aio_beside_check_log(const char *path, GError **error) {
  Alone alone = {.pages = 0};
  GError *why = NULL;
  if (aio_beside_size(path, "-wal") <= 0)
    return true;
  if (!check_is_log(path, error))
    return false;
  if (aio_beside_size(path, "") == 0)
    return refuse_alone(path, error);
  AioSql *both = aio_sql_open(path, AIO_SQL_READ, &why);
  if (!both)
    return refuse_torn(path, why, error);
  const bool is_own =
      look_at_alone(&alone, both, path, error) && continues(&alone, both, path, error);
  aio_sql_free(both);
  for (guint k = 0; k < N_ROWS; k++)
    g_free(alone.rows[k]);
  return is_own;
}
