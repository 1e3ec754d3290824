/* SPDX-License-Identifier: MIT */
/* What is saved of a session whose file was cut off: every row of every table, as it was. */
#include <sqlite3.h>
#include <unistd.h>

#include "io/store/store_internal.h"
#include "session_v1.h"
#include "support/file_limit.h"

typedef struct {
  char *folder, *path, *other;
  AioStore *from, *to;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->other = g_build_filename(c->folder, "other.armsession", NULL);
  c->from = session_create(c->path);
  session_fill(c->from);
  c->to = session_create(c->other);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  aio_store_close(c->from, NULL);
  aio_store_close(c->to, NULL);
  g_free(c->other);
  g_free(c->path);
  session_remove(c->folder);
}

/* ---- what is in a file ---- */

static void append_rows(sqlite3 *db, const char *table, GString *out) {
  sqlite3_stmt *rows = NULL;
  char *sql = g_strdup_printf("SELECT * FROM %s ORDER BY id", table);
  g_assert_cmpint(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), ==, SQLITE_OK);
  while (sqlite3_step(rows) == SQLITE_ROW) {
    g_string_append_printf(out, "\n%s", table);
    for (int k = 0; k < sqlite3_column_count(rows); k++) {
      const int type = sqlite3_column_type(rows, k);
      const guchar *bytes = sqlite3_column_blob(rows, k);
      char *text = g_base64_encode(bytes, (gsize)sqlite3_column_bytes(rows, k));
      g_string_append_printf(out, " %d:%s", type, text);
      g_free(text);
    }
  }
  sqlite3_finalize(rows);
  g_free(sql);
}

/* Free with g_free. */
static char *rows_of(const char *path) {
  static const char *const tables[] = {"arm",        "plan",  "steps",  "connections",
                                       "runs",       "raw",   "events", "fits",
                                       "statistics", "packs", "chunks"};
  GString *out = g_string_new(NULL);
  sqlite3 *db = NULL;
  g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
  for (gsize k = 0; k < G_N_ELEMENTS(tables); k++)
    append_rows(db, tables[k], out);
  g_assert_cmpint(sqlite3_close(db), ==, SQLITE_OK);
  return g_string_free(out, FALSE);
}

/* ---- */

static void assert_salvaged(Case *c, gint64 chunks, gint64 of) {
  GError *error = NULL;
  gint64 found = -1, all = -1;
  g_assert_true(aio_store_begin(c->to, NULL));
  g_assert_true(aio_store_salvage(c->from, c->to, &found, &all, &error));
  g_assert_no_error(error);
  g_assert_cmpint(found, ==, chunks);
  g_assert_cmpint(all, ==, of);
  g_assert_true(c->from->is_salvaged);
  g_assert_true(aio_store_close(g_steal_pointer(&c->to), &error));
  g_assert_no_error(error);
}

/* Its log has all of it. */
static void test_cut(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *copy = g_build_filename(c->folder, "copy.armsession", NULL);
  g_assert_true(aio_store_copy(c->from, copy, NULL, NULL, NULL));
  g_assert_cmpint(truncate(c->path, 100), ==, 0);
  g_assert_false(aio_store_check_place(c->from, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  assert_salvaged(c, 10, 10);
  char *expected = rows_of(copy), *found = rows_of(c->other);
  g_assert_cmpstr(found, ==, expected);
  g_assert_true(aio_store_close(g_steal_pointer(&c->from), &error)); /* nothing of it is missing */
  g_assert_no_error(error);
  g_free(expected);
  g_free(found);
  g_free(copy);
}

/* The same of what is packed. */
static void test_packed(Case *c, gconstpointer data) {
  (void)data;
  gint64 left = -1;
  char *copy = g_build_filename(c->folder, "copy.armsession", NULL);
  g_assert_cmpuint(session_pack(c->from), ==, 2);
  g_assert_true(aio_store_copy(c->from, copy, NULL, NULL, NULL));
  g_assert_cmpint(truncate(c->path, 100), ==, 0);
  g_assert_false(aio_store_check_place(c->from, NULL));
  assert_salvaged(c, 10, 10);
  char *expected = rows_of(copy), *found = rows_of(c->other);
  g_assert_cmpstr(found, ==, expected);
  c->to = aio_store_open_write(c->other, "test 1", NULL);
  g_assert_true(aio_sql_get_int(c->to->sql, "SELECT count(*) FROM chunks", &left, NULL));
  g_assert_cmpint(left, ==, 0);
  g_free(expected);
  g_free(found);
  g_free(copy);
}

/* Nothing was saved: whoever closes it is told. */
static void test_closed(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  g_assert_cmpint(truncate(c->path, 100), ==, 0);
  g_assert_false(aio_store_close(g_steal_pointer(&c->from), &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
}

/* A row without the run that it belongs to is left out, and nothing else. */
static void test_orphan(Case *c, gconstpointer data) {
  (void)data;
  gint64 events = -1, statistics = -1;
  g_assert_true(aio_store_close(c->from, NULL));
  session_make(c->path, "UPDATE events SET run=77; DELETE FROM chunks WHERE id=3;");
  c->from = aio_store_open_write(c->path, "test 1", NULL);
  assert_salvaged(c, 9, 10);
  c->to = aio_store_open_write(c->other, "test 1", NULL);
  g_assert_true(aio_sql_get_int(c->to->sql, "SELECT count(*) FROM events", &events, NULL));
  g_assert_true(aio_sql_get_int(c->to->sql, "SELECT count(*) FROM statistics", &statistics, NULL));
  g_assert_cmpint(events, ==, 0);
  g_assert_cmpint(statistics, ==, 1);
}

/* No room for a row, or for all of them. */
static void test_no_room(Case *c, gconstpointer data) {
  (void)data;
  static const gsize sizes[] = {1 << 20, 8 << 20};
  for (gsize k = 0; k < G_N_ELEMENTS(sizes); k++) {
    GError *error = NULL;
    gint64 found = -1, all = -1, count = -1;
    char *text = g_strnfill(sizes[k], 'x');
    g_assert_true(aio_store_add_text(c->from, AIO_STORE_ARM, text, &error));
    test_limit_files(1 << 19);
    g_assert_true(aio_store_begin(c->to, &error));
    g_assert_false(aio_store_salvage(c->from, c->to, &found, &all, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
    g_clear_error(&error);
    aio_store_rollback(c->to);
    test_limit_files(0);
    g_assert_false(c->from->is_salvaged);
    g_assert_true(aio_sql_get_int(c->to->sql, "SELECT count(*) FROM arm", &count, NULL));
    g_assert_cmpint(count, ==, 0);
    g_free(text);
  }
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-salvage/" name, Case, NULL, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("cut", test_cut);
  ADD("packed", test_packed);
  ADD("closed", test_closed);
  ADD("orphan", test_orphan);
  ADD("no-room", test_no_room);
  return g_test_run();
}
