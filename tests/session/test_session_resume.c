/* SPDX-License-Identifier: MIT */
/* What interrupts a calibration, and how it goes on from there without losing anything. */
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "folder.h"
#include "io/store/store.h"
#include "support/file_limit.h"
#include "wire/message.h"

#define FACTOR      50.0
#define SLOW_FACTOR 10.0

static guint sweeps_done(const Bench *bench) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  guint done = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    done += run->is_complete && run->purpose != ASE_PURPOSE_DRY_RUN;
  }
  return done;
}

static gint64 first_sweep(const Bench *bench) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->is_complete && run->purpose != ASE_PURPOSE_DRY_RUN)
      return run->id;
  }
  return 0;
}

static void finish(Bench *bench, guint sweeps) {
  bench_reach(bench, ASE_STEP_FIT);
  g_assert_cmpuint(sweeps_done(bench), ==, sweeps);
}

/* ---- closing in the middle ---- */

static bool has_traces(void *session) {
  const GPtrArray *runs = ase_session_runs(session);
  for (guint k = 0; k < runs->len; k++)
    if (!((const AseRun *)runs->pdata[k])->trace->step)
      return false;
  return true;
}

/* Opening reads no samples of complete runs, and keeps none; what the eye wants comes where it is
 * asked for, and agrees with what was counted when they were recorded. */
static void check_opened(AseSession *session) {
  const GPtrArray *runs = ase_session_runs(session);
  guint unread = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    g_assert_cmpuint(run->chunks->len, ==, 0);
    if (!run->is_complete)
      continue;
    g_assert_cmpuint(run->trace->step, ==, 0);
    g_assert_cmpuint(ase_run_samples(run), >, 20);
    g_assert_cmpuint(run->trace->step, ==, 0);
    unread++;
  }
  g_assert_cmpuint(unread, >=, 4);
  ase_session_outline(session);
  g_assert_true(rig_wait(has_traces, session, 20.0));
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    g_assert_cmpuint(run->trace->samples, ==, ase_run_samples(run));
    g_assert_cmpuint(run->trace->lost, ==, ase_run_lost(run));
  }
}

static void check_read_only(const Bench *bench) {
  GError *error = NULL;
  AseSession *reader = ase_session_open_read(bench->path, &error);
  g_assert_no_error(error);
  check_opened(reader);
  g_assert_nonnull(ase_session_selection(reader));
  g_object_unref(reader);
}

static void test_close(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 1);
  rig_pass(0.03); /* into the second */
  bench_close(&bench);
  bench_open(&bench);
  g_assert_nonnull(g_strstr_len(bench.kept, -1, "resumed: 1 of 4 sweeps, "));
  g_assert_nonnull(g_strstr_len(bench.kept, -1, "interrupted in joint 2"));
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_SWEEP), ==, "interrupted: the program ended");
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  g_assert_nonnull(ase_session_plan(bench.session));
  bench_refused(&bench, ASE_STEP_SWEEP, "first comes");
  bench_connect(&bench);
  bench_arm(&bench);
  const gint64 first = first_sweep(&bench);
  finish(&bench, 4);
  g_assert_cmpint(first_sweep(&bench), ==, first); /* was not done again */
  g_assert_cmpstr(ase_step_reason(&ase_session_procedure(bench.session)->joint[ASE_STEP_FIT][0]),
                  ==, "not judged: joint 1 was never swept: sweep it");
  bench_close(&bench);
  check_read_only(&bench);
  bench_open(&bench); /* with its fit */
  check_opened(bench.session);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  g_assert_nonnull(ase_session_fit(bench.session));
  char *text = ase_session_parameters(bench.session, NULL);
  g_assert_nonnull(text);
  g_free(text);
  bench_clear(&bench);
}

/* Its predecessor's dry run says nothing about what stands around this one. */
static void test_replaced_controller(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 1);
  bench_close(&bench);
  bench_open(&bench);
  bench_connect(&bench);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  bench_close(&bench);
  bench_replace_controller(&bench, FACTOR, 2);
  bench_open(&bench);
  bench_connect(&bench);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_STALE);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_STALE);
  bench_refused(&bench, ASE_STEP_SWEEP, "another controller is connected");
  bench_arm(&bench);
  finish(&bench, 4);
  bench_clear(&bench);
}

/* ---- the forecast ---- */

static bool has_forecast(void *session) {
  return ase_session_forecast(session) != NULL;
}

/* To the last bit what it was, and no state of a step has changed for it. */
static void check_forecast(AseSession *session, const ArmPlanReport *before) {
  const AseProcedure procedure = *ase_session_procedure(session);
  g_assert_null(ase_session_forecast(session));
  g_assert_true(rig_wait(has_forecast, session, 10.0));
  const ArmPlanReport *now = ase_session_forecast(session);
  for (gsize j = 0; j < 2; j++) {
    g_assert_cmpfloat(now->predicted.joint[j].cond_equilibrated, ==,
                      before->predicted.joint[j].cond_equilibrated);
    g_assert_cmpfloat(now->score[j], ==, before->score[j]);
    g_assert_cmpfloat(now->duration_s[j], ==, before->duration_s[j]);
  }
  g_assert_cmpmem(ase_session_procedure(session), sizeof procedure, &procedure, sizeof procedure);
}

/* `before`: its numbers, not what it owns. */
static void plan_and_close(Bench *bench, ArmPlanReport *before) {
  bench_do(bench, ASE_STEP_PLAN);
  *before = *ase_session_forecast(bench->session);
  g_assert_cmpfloat(before->score[0], >, 0.0);
  bench_close(bench);
}

static void test_forecast(void) {
  Bench bench;
  GError *error = NULL;
  ArmPlanReport before;
  bench_init(&bench, "planar2r", FACTOR);
  plan_and_close(&bench, &before);
  AseSession *reader = ase_session_open_read(bench.path, &error);
  g_assert_no_error(error);
  check_forecast(reader, &before);
  g_object_unref(reader);
  bench_open(&bench);
  check_forecast(bench.session, &before);
  bench_close(&bench);
  bench_open(&bench);
  g_assert_null(ase_session_forecast(bench.session));
  bench_close(&bench); /* while it computes */
  rig_pass(0.1);
  bench_clear(&bench);
}

/* The forecast of one plan is never shown beside another. */
static void test_other_forecast(void) {
  Bench bench;
  ArmPlanReport before;
  bench_init(&bench, "planar2r", FACTOR);
  plan_and_close(&bench, &before);
  bench_open(&bench);
  g_assert_null(ase_session_forecast(bench.session));
  bench_plan_one(&bench, 0.3); /* while it computes */
  rig_pass(0.3);
  g_assert_null(ase_session_forecast(bench.session));
  bench_close(&bench);
  bench_open(&bench); /* has not passed: it is the step's to compute */
  g_assert_null(ase_session_forecast(bench.session));
  rig_pass(0.3);
  g_assert_null(ase_session_forecast(bench.session));
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_cmpfloat(ase_session_forecast(bench.session)->duration_s[0], ==, 0.0);
  bench_clear(&bench);
}

/* ---- kill -9 ---- */

/* The file has the ends of two sweeps and samples of a third, for whoever opens it now. */
static bool is_committed(void *data) {
  sqlite3_stmt *query = NULL;
  g_assert_cmpint(
      sqlite3_prepare_v2(data,
                         "SELECT 1 FROM chunks JOIN runs ON chunks.run = runs.id"
                         " WHERE runs.ended_us IS NULL AND 2 ="
                         " (SELECT count(*) FROM runs WHERE kind = 'sweep' AND ended_us > 0)",
                         -1, &query, NULL),
      ==, SQLITE_OK);
  const int step = sqlite3_step(query);
  sqlite3_finalize(query);
  return step == SQLITE_ROW;
}

static void die_in_sweep(void) {
  Bench bench;
  bench_init_in(&bench, "planar2r", FACTOR, g_strdup(g_getenv("ARMATURE_TEST_FOLDER")));
  bench_plan_one(&bench, 0.1);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 2);
  sqlite3 *reader = NULL;
  g_assert_cmpint(sqlite3_open_v2(bench.path, &reader, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_true(rig_wait(is_committed, reader, 10.0)); /* the sweep takes 0.9 s, more when busy */
  raise(SIGKILL);
}

static void test_kill(void) {
  char *folder = folder_new();
  g_setenv("ARMATURE_TEST_FOLDER", folder, TRUE);
  g_test_trap_subprocess("/resume/kill/subprocess", 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_assert_false(g_test_trap_has_passed());
  Bench bench;
  bench_init_in(&bench, "planar2r", FACTOR, folder);
  g_assert_cmpuint(sweeps_done(&bench), >=, 2);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_SWEEP), ==, "interrupted: the program ended");
  g_assert_nonnull(strstr(bench.kept, "interrupted in joint 2"));
  const AseRun *last =
      g_ptr_array_index(ase_session_runs(bench.session), ase_session_runs(bench.session)->len - 1);
  g_assert_cmpuint(ase_run_samples(last), >, 0);
  bench_connect(&bench);
  bench_arm(&bench);
  finish(&bench, 4);
  bench_clear(&bench);
}

/* ---- a full disk ---- */

static bool is_held(void *data) {
  Bench *bench = data;
  return bench_has_message(bench, "2 hold: ") &&
         !ase_device_is_armed(ase_session_device(bench->session)) &&
         bench_state(bench, ASE_STEP_SWEEP) == ASE_STATE_FAILED;
}

static bool has_moved(void *data) {
  return bench_has_message(data, "the session goes on in");
}

static bool has_recovered(void *data) {
  return !ase_session_disk_failure(((Bench *)data)->session);
}

typedef struct {
  gint64 run;
  gsize samples;
} Count;

static bool count(const AioStoreChunk *row, void *data) {
  Count *c = data;
  c->samples += row->chunk->n;
  return true;
}

static void test_full(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.1);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 1);
  test_limit_files(1 << 14);
  g_assert_true(rig_wait(is_held, &bench, 10.0)); /* and not armed */
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_SWEEP), "another place"));
  g_assert_true(bench_has_message(&bench, "another place"));
  char *other = g_build_filename(bench.folder, "other.armsession", NULL);
  test_limit_files(0);
  g_assert_true(ase_session_move_to(bench.session, other, &error));
  g_assert_true(rig_wait(has_moved, &bench, 10.0));
  g_assert_true(rig_wait(has_recovered, &bench, 10.0));
  g_assert_cmpstr(ase_session_path(bench.session), ==, other);
  const guint done = sweeps_done(&bench);
  rig_until_unlocked(ase_session_device(bench.session));
  bench_arm(&bench);
  finish(&bench, 4);
  g_assert_cmpuint(done, >=, 1);
  gsize samples = 0;
  Count disk = {0};
  const GPtrArray *runs = ase_session_runs(bench.session);
  g_assert_true(rig_wait(bench_is_shelved, &bench, 10.0));
  AioStore *store = aio_store_open_read(other, &error);
  g_assert_no_error(error);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    samples += ase_run_samples(run);
    g_assert_true(aio_store_each_chunk(store, run->id, count, &disk, &error));
  }
  aio_store_close(store, NULL);
  g_assert_cmpuint(disk.samples, >=, samples);
  g_free(other);
  bench_clear(&bench);
}

/* ---- a program that hangs; a stalled joint; a cable; a reboot ---- */

static bool is_sweeping(void *data) {
  return ase_device_state(ase_session_device(((Bench *)data)->session))->motion == AIO_MOTION_SWEEP;
}

static void reach_slow_sweep(Bench *bench, double speed) {
  GError *error = NULL;
  bench_init(bench, "planar2r", SLOW_FACTOR);
  bench_plan_one(bench, speed);
  bench_connect(bench);
  bench_reach(bench, ASE_STEP_DRY_RUN);
  g_assert_true(ase_session_start(bench->session, ASE_STEP_SWEEP, &error));
  g_assert_no_error(error);
  g_assert_true(rig_wait(is_sweeping, bench, 10.0));
  rig_pass(0.2);
}

static void test_hang(void) {
  Bench bench;
  reach_slow_sweep(&bench, 0.05); /* a sweep lasts longer than the lease */
  rig_hang(ase_session_device(bench.session), SLOW_FACTOR * 1.5 * 1e-3 * RIG_LEASE_MS);
  bench_until(&bench, ASE_STEP_SWEEP, 5.0);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_SWEEP), ==, "LEASE: the lease expired");
  g_assert_cmpint(ase_device_state(ase_session_device(bench.session))->state, !=, AIO_DEVICE_ARMED);
  bench_clear(&bench);
}

static void test_cancel_and_go_on(void) {
  Bench bench;
  reach_slow_sweep(&bench, 0.1);
  ase_session_cancel(bench.session);
  bench_until(&bench, ASE_STEP_SWEEP, 5.0);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_SWEEP), ==, "paused");
  g_assert_true(ase_device_is_armed(ase_session_device(bench.session)));
  finish(&bench, 4);
  bench_clear(&bench);
}

static bool is_checked(void *data) {
  return bench_state(data, ASE_STEP_CHECK) == ASE_STATE_PASSED;
}

static void test_reboot(void) {
  Bench bench;
  reach_slow_sweep(&bench, 0.1);
  const AioCommand reboot = {.kind = AIO_COMMAND_TEST,
                             .test = {.kind = WIRE_TEST_REBOOT, .value = WIRE_RESET_WATCHDOG}};
  ase_device_send(ase_session_device(bench.session), &reboot, bench_ignore, NULL);
  bench_until(&bench, ASE_STEP_SWEEP, 5.0);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_SWEEP), ==, "the controller restarted");
  g_assert_true(rig_wait(is_checked, &bench, 5.0)); /* anew, by itself */
  bench_arm(&bench);
  finish(&bench, 4);
  bench_clear(&bench);
}

/* ---- another connection while this one must not be left ---- */

static void assert_stays(Bench *bench, const char *part) {
  static const AseDeviceOptions options;
  for (guint k = 0; k < 2; k++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(k ? ase_session_disconnect(bench->session, &error)
                     : ase_session_connect(bench->session, NULL, &options, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_nonnull(strstr(error->message, part));
  }
  g_assert_cmpint(ase_device_link(ase_session_device(bench->session)), ==, ASE_LINK_READY);
}

static bool is_lost(void *data) {
  return ase_device_link(ase_session_device(((Bench *)data)->session)) == ASE_LINK_LOST;
}

static bool is_silent(void *data) {
  return ase_device_is_silent(ase_session_device(((Bench *)data)->session));
}

/* An arm that moves or is armed is not left where no stop reaches it; one that is lost is. */
static void test_elsewhere(void) {
  Bench bench;
  const AioCommand mute = {
      .kind = AIO_COMMAND_TEST,
      .test = {.kind = WIRE_TEST_DROP_FRAMES, .value = 1000000, .duration_ms = 60000}};
  reach_slow_sweep(&bench, 0.1);
  assert_stays(&bench, "the arm moves; hold it first");
  g_assert_true(is_sweeping(&bench));
  bench_replace_controller(&bench, SLOW_FACTOR, 1);
  g_assert_true(rig_wait(is_lost, &bench, 5.0));
  bench_connect(&bench);
  bench_until(&bench, ASE_STEP_SWEEP, 5.0);
  g_assert_true(bench_has_message(&bench, "Sweep: 1 sweep, "));
  bench_arm(&bench);
  assert_stays(&bench, "the arm is armed; disarm it first");
  ase_device_send(ase_session_device(bench.session), &mute, bench_ignore, NULL);
  g_assert_true(rig_wait(is_silent, &bench, 5.0));
  g_assert_true(ase_device_is_armed(ase_session_device(bench.session)));
  g_assert_true(ase_session_disconnect(bench.session, NULL));
  g_assert_cmpint(ase_device_link(ase_session_device(bench.session)), ==, ASE_LINK_CLOSED);
  bench_clear(&bench);
}

static void test_repeat(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.4);
  bench_connect(&bench);
  g_assert_false(ase_session_repeat(bench.session, ASE_STEP_SWEEP, 2, &error));
  g_clear_error(&error);
  bench_reach(&bench, ASE_STEP_FIT);
  const gint64 before = ((AseRun *)ase_session_runs(bench.session)->pdata[4])->id;
  g_assert_true(ase_session_repeat(bench.session, ASE_STEP_SWEEP, 2, &error));
  g_assert_no_error(error);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  bench_until(&bench, ASE_STEP_SWEEP, 30.0);
  g_assert_cmpuint(sweeps_done(&bench), ==, 4);
  const AseRun *last =
      g_ptr_array_index(ase_session_runs(bench.session), ase_session_runs(bench.session)->len - 1);
  g_assert_cmpint(last->id, >, before);
  bench_close(&bench);
  bench_open(&bench); /* what counts is known in the file too */
  g_assert_cmpuint(sweeps_done(&bench), ==, 4);
  g_assert_nonnull(strstr(bench.kept, "resumed: 4 of 4 sweeps"));
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/resume/close", test_close);
  g_test_add_func("/resume/forecast", test_forecast);
  g_test_add_func("/resume/other-forecast", test_other_forecast);
  g_test_add_func("/resume/replaced-controller", test_replaced_controller);
  g_test_add_func("/resume/kill", test_kill);
  g_test_add_func("/resume/kill/subprocess", die_in_sweep);
  g_test_add_func("/resume/full", test_full);
  g_test_add_func("/resume/hang", test_hang);
  g_test_add_func("/resume/cancel", test_cancel_and_go_on);
  g_test_add_func("/resume/reboot", test_reboot);
  g_test_add_func("/resume/elsewhere", test_elsewhere);
  g_test_add_func("/resume/repeat", test_repeat);
  return g_test_run();
}
