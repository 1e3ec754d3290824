/* SPDX-License-Identifier: MIT */
/* The session's file, or what it stands in, is deleted or replaced in mid-sweep: the arm is halted,
 * the session says so and goes on in another file with all that was recorded. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "fault_case.h"
#include "folder.h"

#define FACTOR 20.0

static const char STRANGER[] = "somebody else's file\n";

typedef struct {
  const char *place; /* that it goes on in, of what is in the case's folder; NULL: elsewhere */
  void (*harm)(const FaultCase *c);
} Harm;

static void delete_file(const FaultCase *c) {
  g_assert_cmpint(g_unlink(c->bench.path), ==, 0);
}

static void replace_file(const FaultCase *c) {
  g_assert_cmpint(g_unlink(c->bench.path), ==, 0);
  g_assert_true(g_file_set_contents(c->bench.path, STRANGER, -1, NULL));
}

static void delete_log(const FaultCase *c) {
  char *log = g_strconcat(c->bench.path, "-wal", NULL);
  g_assert_cmpint(g_unlink(log), ==, 0);
  g_free(log);
}

static void delete_folder(const FaultCase *c) {
  folder_free(g_strdup(c->bench.folder));
}

/* As "cp other FILE" does: the file stays, its content is another. */
static void overwrite_file(const FaultCase *c) {
  const int fd = open(c->bench.path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  g_assert_cmpint(write(fd, STRANGER, strlen(STRANGER)), ==, (gssize)strlen(STRANGER));
  close(fd);
}

/* Of the sweep, too: its samples have no run any more. */
static void delete_rows(const FaultCase *c) {
  sqlite3 *other = NULL;
  g_assert_cmpint(sqlite3_open(c->bench.path, &other), ==, SQLITE_OK);
  sqlite3_busy_timeout(other, 1000);
  g_assert_cmpint(sqlite3_exec(other, "DELETE FROM runs", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_close(other), ==, SQLITE_OK);
}

static const Harm HARMS[] = {
    {"bench-rescued.armsession", delete_file}, {"bench-rescued.armsession", replace_file},
    {"bench-rescued.armsession", delete_log},  {"bench-rescued.armsession", overwrite_file},
    {"bench-rescued.armsession", delete_rows}, {NULL, delete_folder}};

static bool has_moved(void *data) {
  const FaultCase *c = data;
  return bench_has_message(&c->bench, "0 the session goes on in ");
}

/* The case goes on with the new file. */
static void expect_rescued(FaultCase *c, const Harm *harm) {
  g_assert_true(rig_wait(has_moved, c, 20));
  bench_until(&c->bench, ASE_STEP_SWEEP, 20);
  g_assert_cmpint(bench_state(&c->bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_nonnull(
      strstr(bench_reason(&c->bench, ASE_STEP_SWEEP), "while the session was recorded"));
  g_assert_true(bench_has_message(&c->bench, "2 hold: "));
  rig_until_disarmed(ase_session_device(c->bench.session));
  const char *path = ase_session_path(c->bench.session);
  char *beside = g_build_filename(c->bench.folder, harm->place, NULL);
  char *elsewhere = g_build_filename(g_get_user_data_dir(), "armature", "sessions",
                                     "bench-rescued.armsession", NULL);
  g_assert_cmpstr(path, ==, harm->place ? beside : elsewhere);
  g_free(elsewhere);
  g_free(beside);
  g_free(c->bench.path);
  c->bench.path = g_strdup(path);
  fault_wait_rows(path, c->received);
  g_assert_null(ase_session_disk_failure(c->bench.session));
}

static void test_gone(gconstpointer data) {
  const Harm *harm = data;
  FaultCase c;
  fault_init(&c, FACTOR, RIG_LEASE_MS, 0);
  char *old = g_strdup(c.bench.path), *text = NULL;
  fault_sweep(&c);
  harm->harm(&c);
  expect_rescued(&c, harm);
  fault_go_on(&c.bench);
  if (harm->harm == replace_file || harm->harm == overwrite_file) {
    g_assert_true(g_file_get_contents(old, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, STRANGER);
  }
  bench_close(&c.bench);
  bench_open(&c.bench); /* with arm, plan and runs */
  g_assert_true(g_str_has_prefix(c.bench.kept, "resumed: 4 of 4 sweeps, "));
  if (!harm->place)
    g_mkdir(c.bench.folder, 0700); /* to be removed */
  fault_clear(&c);
  g_free(text);
  g_free(old);
}

/* The last moment: nobody has told the main loop yet. */
static void test_at_the_end(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", FACTOR);
  bench_connect(&bench);
  g_assert_cmpint(g_unlink(bench.path), ==, 0);
  g_assert_true(ase_session_close(bench.session, &error));
  g_assert_no_error(error);
  const char *path = ase_session_path(bench.session);
  g_assert_true(g_str_has_suffix(path, "bench-rescued.armsession"));
  g_assert_cmpuint(fault_rows(path).n, >, 0);
  bench_clear(&bench);
}

/* Overwritten in place, and the program ends at once, as `calibrate` does: the new file has what
 * the program knows, and says what has happened. */
static void test_overwritten_at_the_end(gconstpointer data) {
  const bool is_held = data != NULL; /* the failure was told, not yet what followed */
  FaultCase c;
  GError *error = NULL;
  fault_init(&c, FACTOR, RIG_LEASE_MS, 0);
  fault_sweep(&c);
  overwrite_file(&c);
  if (is_held)
    bench_until(&c.bench, ASE_STEP_SWEEP, 20);
  g_assert_true(ase_session_close(c.bench.session, &error));
  g_assert_no_error(error);
  g_assert_true(bench_has_message(&c.bench, "2 hold: "));
  g_assert_true(has_moved(&c));
  g_assert_error(ase_session_left_for(c.bench.session), AIO_ERROR, AIO_ERROR_GONE);
  g_assert_null(ase_session_lost(c.bench.session)); /* all was in the log yet */
  g_free(c.bench.path);
  c.bench.path = g_strdup(ase_session_path(c.bench.session));
  g_assert_true(g_str_has_suffix(c.bench.path, "bench-rescued.armsession"));
  bench_close(&c.bench);
  bench_open(&c.bench);
  g_assert_cmpuint(ase_session_arm(c.bench.session)->model.n, ==, 2);
  g_assert_cmpint(bench_state(&c.bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  fault_clear(&c);
}

int main(int argc, char **argv) {
  char *home = folder_new();
  g_setenv("XDG_DATA_HOME", home, TRUE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/faults/gone/deleted", &HARMS[0], test_gone);
  g_test_add_data_func("/faults/gone/replaced", &HARMS[1], test_gone);
  g_test_add_data_func("/faults/gone/log deleted", &HARMS[2], test_gone);
  g_test_add_data_func("/faults/gone/overwritten", &HARMS[3], test_gone);
  g_test_add_data_func("/faults/gone/rows deleted", &HARMS[4], test_gone);
  g_test_add_data_func("/faults/gone/folder deleted", &HARMS[5], test_gone);
  g_test_add_func("/faults/gone/at the end", test_at_the_end);
  g_test_add_data_func("/faults/gone/overwritten at the end", NULL, test_overwritten_at_the_end);
  g_test_add_data_func("/faults/gone/overwritten, then the end", &HARMS[3],
                       test_overwritten_at_the_end);
  const int code = g_test_run();
  folder_free(home);
  return code;
}
