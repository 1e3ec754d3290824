/* SPDX-License-Identifier: MIT */
/* A row that its table refuses is said, which is a row too, and may be refused in its turn: each
 * reason is said once, the main loop is left, and that something is missing is known to the end. */
#include <glib/gstdio.h>

#include "folder.h"
#include "session/record/record_internal.h"

enum { ROWS = 100, ROUNDS_MAX = 300 };

typedef struct {
  GObject *object;
  AseRecord *record;
  guint said, rounds;
} Case;

static Case *the_case;

static const char *const REASONS[] = {"not this one", "nor this one"};

static bool refuse(AioStore *store, gconstpointer data, GError **error) {
  (void)store;
  g_set_error_literal(error, AIO_ERROR, AIO_ERROR_MEANING, data);
  return false;
}

static void add_refused(Case *c) {
  for (gsize k = 0; k < G_N_ELEMENTS(REASONS); k++)
    aio_recorder_add(ase_record_recorder(c->record), refuse, (gpointer)REASONS[k], NULL);
}

static void on_say(gpointer object, int level, const char *said) {
  (void)object;
  g_assert_cmpint(level, ==, 1);
  g_assert_nonnull(strstr(said, REASONS[the_case->said]));
  g_assert_cmpuint(++the_case->said, <=, G_N_ELEMENTS(REASONS));
  add_refused(the_case);
}

static void on_nothing(gpointer object) {
  (void)object;
}

static char *no_text(gpointer object, AioStoreText kind) {
  (void)object, (void)kind;
  return NULL;
}

static char *nothing_told(gpointer object) {
  (void)object;
  return NULL;
}

static gboolean on_round(gpointer data) {
  ((Case *)data)->rounds++;
  return G_SOURCE_CONTINUE;
}

static void test_said_once(void) {
  Case c = {.object = g_object_new(G_TYPE_OBJECT, NULL)};
  GError *error = NULL;
  char *folder = folder_new(), *path = g_build_filename(folder, "bench.armsession", NULL);
  const AseRecordOwner owner = {c.object,   on_say,     on_nothing, on_nothing,
                                on_nothing, on_nothing, no_text,    nothing_told};
  the_case = &c;
  c.record = ase_record_new(path, "test 1", false, &owner);
  g_assert_true(ase_record_start(c.record, aio_store_create(path, "test 1", NULL), &error));
  g_assert_no_error(error);
  g_assert_null(ase_record_lost(c.record));
  for (guint k = 0; k < ROWS; k++)
    add_refused(&c);
  const guint timer = g_timeout_add(5, on_round, &c);
  while (c.rounds < ROUNDS_MAX)
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(timer);
  g_assert_cmpuint(c.said, ==, G_N_ELEMENTS(REASONS));
  g_assert_nonnull(strstr(ase_record_lost(c.record), REASONS[0]));
  g_assert_true(ase_record_close(c.record, &error));
  g_assert_no_error(error);
  ase_record_free(c.record);
  g_object_unref(c.object);
  folder_free(folder);
  g_free(path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/record/refused", test_said_once);
  return g_test_run();
}
