/* SPDX-License-Identifier: MIT */
#include "written.h"

#include <string.h>

#include "session/measure/motion_case.h"
#include "session/recording.h"
#include "wire/message.h"

#define TIME_FACTOR 10.0

static void (*tell)(Bench *bench);

static void told(Bench *bench) {
  if (tell)
    tell(bench);
}

static bool is_sweeping(void *data) {
  return ase_device_state(ase_session_device(((Bench *)data)->session))->motion == AIO_MOTION_SWEEP;
}

static void sweep(Bench *bench) {
  GError *error = NULL;
  g_assert_true(ase_session_start(bench->session, ASE_STEP_SWEEP, &error));
  g_assert_no_error(error);
  g_assert_true(rig_wait(is_sweeping, bench, 10.0));
  rig_pass(0.1);
}

static void test_device(Bench *bench, const AioTest *test) {
  const AioCommand command = {.kind = AIO_COMMAND_TEST, .test = *test};
  ase_device_send(ase_session_device(bench->session), &command, bench_ignore, NULL);
}

static bool is_clear(void *data) {
  AseDevice *device = ase_session_device(((Bench *)data)->session);
  return !ase_device_state(device)->faults && ase_device_lockout_s(device) <= 0.0;
}

/* Held, paused, skipped, a fault, a controller that starts anew. */
static void interrupt(Bench *bench) {
  AseDevice *device = ase_session_device(bench->session);
  GError *error = NULL;
  sweep(bench);
  ase_device_halt(device);
  bench_until(bench, ASE_STEP_SWEEP, 20.0);
  g_assert_cmpstr(bench_reason(bench, ASE_STEP_SWEEP), ==, "held");
  g_assert_true(rig_wait(is_clear, bench, 10.0));
  told(bench);
  bench_arm(bench);
  sweep(bench);
  g_assert_true(ase_session_skip(bench->session, &error));
  rig_pass(0.3);
  ase_session_cancel(bench->session);
  bench_until(bench, ASE_STEP_SWEEP, 60.0);
  told(bench);
  sweep(bench);
  test_device(bench, &(AioTest){.kind = WIRE_TEST_STALL, .joint = 2});
  bench_until(bench, ASE_STEP_SWEEP, 20.0);
  g_assert_nonnull(strstr(bench_reason(bench, ASE_STEP_SWEEP), "FOLLOWING"));
  test_device(bench, &(AioTest){.kind = WIRE_TEST_STALL, .joint = 2, .duration_ms = 1});
  rig_pass(0.2);
  told(bench);
  ase_device_clear_faults(device);
  g_assert_true(rig_wait(is_clear, bench, 10.0));
}

static void restart(Bench *bench) {
  test_device(bench, &(AioTest){.kind = WIRE_TEST_REBOOT, .value = WIRE_RESET_WATCHDOG});
  rig_pass(0.5);
  told(bench);
  bench_until(bench, ASE_STEP_CHECK, 20.0);
  bench_arm(bench);
}

static bool is_lost(void *data) {
  return ase_device_link(ase_session_device(((Bench *)data)->session)) == ASE_LINK_LOST;
}

/* In the middle of a sweep; connected again, the controller is another process. */
static void lose_cable(Bench *bench) {
  sweep(bench);
  bench_replace_controller(bench, TIME_FACTOR, 1);
  g_assert_true(rig_wait(is_lost, bench, 10.0));
  bench_until(bench, ASE_STEP_SWEEP, 20.0);
  told(bench);
  bench_connect(bench);
  told(bench);
  bench_arm(bench);
}

/* ---- into the controller ---- */

static void upload(Bench *bench) {
  AseUploadDoubts doubts;
  GError *error = NULL;
  ase_session_upload_doubts(bench->session, &doubts); /* joint 1 was never swept */
  ase_session_upload_anyway(bench->session, &doubts, &error);
  g_assert_no_error(error);
  bench_until(bench, ASE_STEP_UPLOAD, 30.0);
  told(bench);
}

static bool is_restored(void *data) {
  return ase_procedure_state(ase_session_procedure(((Bench *)data)->session), ASE_STEP_UPLOAD) ==
         ASE_STATE_STALE;
}

/* Refused, as the arm file is not the controller's; written, proved, and taken back. */
static void deliver(Bench *bench) {
  GError *error = NULL;
  double *ratio =
      &((AioArm *)ase_session_arm(bench->session))->model.joints[1].motors[0].gear_ratio;
  const double right = *ratio;
  ase_session_exported(bench->session, "parameters.json");
  ase_device_disarm(ase_session_device(bench->session));
  rig_until_disarmed(ase_session_device(bench->session));
  told(bench);
  *ratio = 0.5 * right;
  upload(bench);
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_FAILED);
  *ratio = right;
  upload(bench);
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  char *backup = g_strdup(ase_transfer_backup_path(ase_session_transfer(bench->session)));
  bench_do(bench, ASE_STEP_VERIFY);
  told(bench);
  ase_session_restore(bench->session, backup, &error);
  g_assert_no_error(error);
  g_free(backup);
  g_assert_true(rig_wait(is_restored, bench, 30.0));
  told(bench);
}

/* ---- a motion of somebody's ---- */

static AseStepState motion_state(const Bench *bench) {
  return ase_session_record_state(bench->session)->state;
}

static bool is_followed(void *data) {
  return motion_state(data) != ASE_STATE_RUNNING;
}

static bool is_in_dry_run(void *data) {
  const AioState *state = ase_device_state(ase_session_device(((Bench *)data)->session));
  return state->motion == AIO_MOTION_TRAJECTORY;
}

static void take(Bench *bench, double way) {
  GError *error = NULL;
  AioMotionTable *motion =
      motion_case_new(&ase_session_arm(bench->session)->model, bench->truth.home, 2.0, way);
  ase_session_take_motion(bench->session, motion, 1.0, &error);
  g_assert_no_error(error);
  aio_motion_free(motion);
}

static void follow(Bench *bench) {
  GError *error = NULL;
  bench_arm(bench);
  ase_session_record(bench->session, &error);
  g_assert_no_error(error);
}

/* Held in its dry run; to the end; and another one, with a joint that stalls. */
static void record(Bench *bench) {
  AseDevice *device = ase_session_device(bench->session);
  take(bench, 0.2);
  follow(bench);
  told(bench);
  g_assert_true(rig_wait(is_in_dry_run, bench, 20.0));
  ase_device_halt(device);
  g_assert_true(rig_wait(is_followed, bench, 20.0));
  g_assert_true(rig_wait(is_clear, bench, 10.0));
  told(bench);
  follow(bench);
  g_assert_true(rig_wait(is_followed, bench, 60.0));
  g_assert_cmpint(motion_state(bench), ==, ASE_STATE_PASSED);
  told(bench);
  take(bench, 0.1);
  follow(bench);
  g_assert_true(rig_wait(is_in_dry_run, bench, 20.0));
  test_device(bench, &(AioTest){.kind = WIRE_TEST_STALL, .joint = 2});
  g_assert_true(rig_wait(is_followed, bench, 60.0));
  g_assert_cmpint(motion_state(bench), ==, ASE_STATE_FAILED);
  told(bench);
}

/* What was fitted is made out of date. */
void written_edit(Bench *bench) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->low[0] += 0.1;
  ase_session_set_edits(bench->session, edits, "narrow joint 1");
  g_free(edits);
}

void written_session(Bench *bench, void (*note)(Bench *bench)) {
  tell = note;
  bench_init(bench, "planar2r", TIME_FACTOR);
  bench_plan_one(bench, 0.3);
  bench_connect(bench);
  bench_reach(bench, ASE_STEP_DRY_RUN);
  interrupt(bench);
  restart(bench);
  lose_cable(bench);
  bench_do(bench, ASE_STEP_SWEEP);
  bench_do(bench, ASE_STEP_FIT);
  bench_do(bench, ASE_STEP_VALIDATE);
  told(bench);
  deliver(bench);
  record(bench);
}
