/* SPDX-License-Identifier: MIT */
#include "written.h"

#include <string.h>

#include "wire/message.h"

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

/* What was fitted is made out of date. */
static void edit(Bench *bench) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->low[0] += 0.1;
  ase_session_set_edits(bench->session, edits, "narrow joint 1");
  g_free(edits);
}

void written_session(Bench *bench, void (*note)(Bench *bench)) {
  tell = note;
  bench_init(bench, "planar2r", 10.0);
  bench_plan_one(bench, 0.3);
  bench_connect(bench);
  bench_reach(bench, ASE_STEP_DRY_RUN);
  interrupt(bench);
  restart(bench);
  bench_do(bench, ASE_STEP_SWEEP);
  bench_do(bench, ASE_STEP_FIT);
  bench_do(bench, ASE_STEP_VALIDATE);
  told(bench);
  edit(bench);
}
