/* SPDX-License-Identifier: MIT */
/* Opening a session, looking at all of it and closing it leaves its file, and what stands beside
 * it, as they were; the first edit writes, and brings what opening found. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "folder.h"
#include "io/base/said.h"
#include "io/store/store.h"

#define FACTOR 50.0

/* ---- the file ---- */

typedef struct {
  char *bytes, *listing;
  gsize n;
  GStatBuf info;
} Look;

static int compare(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *list(const char *folder) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(dir));)
    g_ptr_array_add(names, g_strdup(name));
  g_dir_close(dir);
  g_ptr_array_sort(names, compare);
  g_ptr_array_add(names, NULL);
  char *listing = g_strjoinv(" ", (char **)names->pdata);
  g_ptr_array_unref(names);
  return listing;
}

static void look(const Bench *bench, Look *look) {
  g_assert_true(g_file_get_contents(bench->path, &look->bytes, &look->n, NULL));
  g_assert_cmpint(g_stat(bench->path, &look->info), ==, 0);
  look->listing = list(bench->folder);
}

static void forget(Look *look) {
  g_free(look->bytes);
  g_free(look->listing);
}

static void assert_same(const Bench *bench, const Look *before) {
  Look now;
  look(bench, &now);
  g_assert_cmpstr(now.listing, ==, before->listing);
  g_assert_cmpmem(now.bytes, now.n, before->bytes, before->n);
  g_assert_cmpint(now.info.st_mtim.tv_sec, ==, before->info.st_mtim.tv_sec);
  g_assert_cmpint(now.info.st_mtim.tv_nsec, ==, before->info.st_mtim.tv_nsec);
  g_assert_cmpuint(now.info.st_ino, ==, before->info.st_ino);
  forget(&now);
}

/* ---- looking ---- */

static bool has_traces(void *session) {
  const GPtrArray *runs = ase_session_runs(session);
  for (guint k = 0; k < runs->len; k++)
    if (!((const AseRun *)runs->pdata[k])->trace->step)
      return false;
  return ase_session_forecast(session) != NULL;
}

static void look_at_all(Bench *bench) {
  AioRecorderStatus status;
  g_assert_true(ase_session_recording(bench->session, &status));
  ase_session_forecast(bench->session);
  ase_session_validation(bench->session);
  g_assert_nonnull(ase_session_fit(bench->session));
  g_assert_nonnull(ase_session_selection(bench->session));
  char *text = ase_session_parameters(bench->session, NULL);
  g_assert_nonnull(text);
  g_free(text);
  ase_session_outline(bench->session); /* as the window does */
  g_assert_true(rig_wait(has_traces, bench->session, 20.0));
  rig_pass(0.4); /* the writer comes every 150 ms */
}

static bool find_resumed(const AioStoreEvent *row, void *data) {
  *(guint *)data += g_str_has_prefix(aio_said_shown(row->text), "resumed: ");
  return true;
}

static guint count_resumed(const Bench *bench) {
  guint found = 0;
  GError *error = NULL;
  AioStore *store = aio_store_open_read(bench->path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_event(store, find_resumed, &found, NULL));
  aio_store_close(store, NULL);
  return found;
}

static void edit(Bench *bench, double current) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->itinerary.move_speed_R = current;
  ase_session_set_edits(bench->session, edits, "another speed");
  g_free(edits);
}

static void calibrate(Bench *bench) {
  bench_init(bench, "planar2r", FACTOR);
  bench_hurry(bench);
  bench_connect(bench);
  bench_reach(bench, ASE_STEP_FIT);
  bench_close(bench);
}

static void test_look(void) {
  Bench bench;
  Look before;
  calibrate(&bench);
  look(&bench, &before);
  bench_open(&bench);
  g_assert_true(g_str_has_prefix(bench.kept, "resumed: "));
  look_at_all(&bench);
  bench_close(&bench);
  assert_same(&bench, &before);
  g_assert_cmpuint(count_resumed(&bench), ==, 0);
  bench_open(&bench);
  edit(&bench, 0.7);
  bench_close(&bench);
  g_assert_cmpuint(count_resumed(&bench), ==, 1);
  char *listing = list(bench.folder);
  g_assert_cmpstr(listing, ==, before.listing);
  bench_open(&bench);
  g_assert_cmpfloat(ase_session_edits(bench.session)->itinerary.move_speed_R, ==, 0.7);
  g_free(listing);
  forget(&before);
  bench_clear(&bench);
}

/* ---- another file, or none, when the first row comes ---- */

static bool has_moved(void *bench) {
  return bench_has_message(bench, "the session goes on in");
}

static void test_replaced(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_close(&bench);
  bench_open(&bench);
  char *aside = g_strconcat(bench.path, ".aside", NULL), *found = NULL;
  g_assert_cmpint(g_rename(bench.path, aside), ==, 0);
  g_assert_true(g_file_set_contents(bench.path, "a stranger's", -1, NULL));
  edit(&bench, 0.7);
  g_assert_true(rig_wait(has_moved, &bench, 20.0));
  g_assert_nonnull(strstr(ase_session_path(bench.session), "bench-rescued"));
  char *rescued = g_strdup(ase_session_path(bench.session));
  bench_close(&bench);
  g_assert_true(g_file_get_contents(bench.path, &found, NULL, NULL));
  g_assert_cmpstr(found, ==, "a stranger's");
  g_free(bench.path);
  bench.path = rescued;
  bench_open(&bench);
  g_assert_cmpfloat(ase_session_edits(bench.session)->itinerary.move_speed_R, ==, 0.7);
  g_free(found);
  g_free(aside);
  bench_clear(&bench);
}

/* ---- whose it is ---- */

/* As if it had been begun on a computer whose name ends otherwise: SQLite keeps the text as it is.
 */
static void rename_host(const Bench *bench) {
  char *bytes = NULL, *host = g_strconcat("host", g_get_host_name(), NULL);
  gsize n = 0, found = 0;
  const gsize length = strlen(host);
  g_assert_true(g_file_get_contents(bench->path, &bytes, &n, NULL));
  for (gsize k = 0; k + length <= n; k++)
    if (memcmp(bytes + k, host, length) == 0) {
      bytes[k + length - 1] ^= 1;
      found++;
    }
  g_assert_cmpuint(found, ==, 1);
  g_assert_true(g_file_set_contents(bench->path, bytes, (gssize)n, NULL));
  g_free(host);
  g_free(bytes);
}

static bool is_own(Bench *bench) {
  bench_open(bench);
  const bool is_own = ase_session_is_own(bench->session);
  bench_close(bench);
  return is_own;
}

static void test_own(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  g_assert_true(ase_session_is_own(bench.session));
  bench_close(&bench);
  g_assert_true(is_own(&bench));
  if (geteuid() == 0) { /* giving files away needs root */
    g_assert_cmpint(chown(bench.path, 65534, 65534), ==, 0);
    g_assert_false(is_own(&bench));
    g_assert_cmpint(chown(bench.path, 0, 0), ==, 0);
  }
  rename_host(&bench);
  g_assert_false(is_own(&bench));
  bench_open(&bench);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/look/own", test_own);
  g_test_add_func("/look/look", test_look);
  g_test_add_func("/look/replaced", test_replaced);
  return g_test_run();
}
