/* SPDX-License-Identifier: MIT */
/* What can happen to a session in the middle of a sweep: each time its message, the rows in its
 * file, the controller's state are what they must be, and it goes on to the end. */
#include <string.h>

#include "fault_case.h"
#include "support/file_limit.h"
#include "wire/message.h"

#define FACTOR         20.0
#define BLOCKED_FACTOR 5.0

enum {
  BLOCKED_LEASE_MS = 1000,
  BLOCKED_MS = 3000,
  UNPLUGGED_MS = 3000 * (int)FACTOR,
  WRAP_MS = 160000
};

#define LEAP_S   3.0          /* of a joint let go, until it stands again */
#define EPOCH_US (1ull << 32) /* the controller counts to here */

static const char full[] = "%s: no room is left: File too large; free some space or record to "
                           "another place";
static const char gone[] =
    "simulator: the other end is gone: it was closed or its program ended; connect again";

/* One byte in 10000: frames are lost, counted, and told; the sweeps are done all the same. */
static void test_bit_errors(void) {
  FaultCase c;
  fault_init(&c, FACTOR, RIG_LEASE_MS, 0);
  fault_plant(&c, WIRE_TEST_BIT_ERRORS, 0, 100, 0);
  bench_do(&c.bench, ASE_STEP_SWEEP);
  g_assert_cmpint(bench_state(&c.bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  gsize samples = 0, lost = 0;
  guint sweeps = 0;
  for (guint k = 0; k < ase_session_runs(c.bench.session)->len; k++) {
    const AseRun *run = ase_session_runs(c.bench.session)->pdata[k];
    if (run->purpose == ASE_PURPOSE_DRY_RUN)
      continue;
    sweeps++;
    samples += ase_run_samples(run);
    lost += ase_run_trace(run)->lost;
  }
  char *words = g_strdup_printf("0 Sweep: %u sweeps, %zu samples, %zu lost", sweeps, samples, lost);
  g_assert_true(bench_has_message(&c.bench, words));
  g_assert_cmpuint(sweeps, ==, FAULT_SWEEPS);
  g_assert_cmpuint(lost, >, 0);
  g_assert_cmpuint(fault_wait_rows(c.bench.path, c.received).lost, >=, lost);
  fault_plant(&c, WIRE_TEST_BIT_ERRORS, 0, 0, 1);
  ase_device_disarm(ase_session_device(c.bench.session));
  rig_until_disarmed(ase_session_device(c.bench.session));
  fault_expect_state(&c, AIO_DEVICE_HALTED, true, 0);
  c.said = words;
  fault_clear(&c);
}

static void test_unplug(void) {
  FaultCase c;
  char *message = g_strdup_printf("2 the link was lost: %s", gone);
  fault_init(&c, FACTOR, RIG_LEASE_MS, 0);
  fault_sweep(&c);
  fault_plant(&c, WIRE_TEST_UNPLUG, 0, 0, UNPLUGGED_MS);
  fault_expect(&c, gone);
  g_assert_true(bench_has_message(&c.bench, message));
  g_assert_cmpint(bench_state(&c.bench, ASE_STEP_CONNECT), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(bench_reason(&c.bench, ASE_STEP_CONNECT), ==, gone);
  fault_expect_state(&c, AIO_DEVICE_LOCKED, true, WIRE_FAULT_LEASE);
  g_assert_true(bench_has_message(&c.bench, "0 the controller is connected again"));
  g_assert_cmpstr(
      bench_reason(&c.bench, ASE_STEP_SWEEP), ==,
      "interrupted: the link was lost, and is there again; arm, then start it again: it goes "
      "on where it was");
  g_assert_cmpstr(ase_device_reason(ase_session_device(c.bench.session)), ==, "");
  fault_go_on(&c.bench);
  g_free(message);
  fault_clear(&c);
}

static void test_reboot(void) {
  FaultCase c;
  fault_init(&c, FACTOR, RIG_LEASE_MS, 0);
  fault_sweep(&c);
  fault_plant(&c, WIRE_TEST_REBOOT, 0, WIRE_RESET_WATCHDOG, 0);
  fault_expect(&c, "the controller restarted");
  fault_expect_state(&c, AIO_DEVICE_OFF, false, 0);
  fault_go_on(&c.bench);
  fault_clear(&c);
}

/* Stalled until that was seen, and halted where it stands. A stall that ends lets go a drive that
 * pushes: the joint leaps beyond where it follows, and may be switched off, before it stands again.
 * Who clears the fault amid that leap sees it come back. */
static void test_stall(void) {
  FaultCase c;
  fault_init(&c, FACTOR, RIG_LEASE_MS, 0);
  fault_sweep(&c);
  fault_plant(&c, WIRE_TEST_STALL, 2, 0, 0);
  fault_expect(&c, "FOLLOWING: a joint does not follow its set-point (joint 2)");
  fault_expect_state(&c, AIO_DEVICE_LOCKED, true, WIRE_FAULT_FOLLOWING);
  fault_plant(&c, WIRE_TEST_STALL, 2, 0, 1);
  fault_wait(&c, LEAP_S);
  fault_go_on(&c.bench);
  fault_clear(&c);
}

static void test_blocked(void) {
  FaultCase c;
  fault_init(&c, BLOCKED_FACTOR, BLOCKED_LEASE_MS, 0); /* the sweep lasts longer than the lease */
  fault_sweep(&c);
  rig_hang(ase_session_device(c.bench.session), BLOCKED_FACTOR * 1e-3 * BLOCKED_MS);
  fault_expect(&c, "LEASE: the lease expired");
  fault_expect_state(&c, AIO_DEVICE_LOCKED, true, WIRE_FAULT_LEASE);
  fault_go_on(&c.bench);
  fault_clear(&c);
}

/* ---- a clock that wraps ---- */

static bool is_near_wrap(void *data) {
  return ((const FaultCase *)data)->newest_us % EPOCH_US > EPOCH_US - 9000000;
}

typedef struct {
  guint64 first_us, last_us;
} Span;

static void widen(const AioChunk *chunk, void *data) {
  Span *span = data;
  if (!span->first_us)
    span->first_us = chunk->t_us[0];
  span->last_us = chunk->t_us[chunk->n - 1];
}

/* Nobody notices. */
static void test_wrap(void) {
  FaultCase c;
  fault_init(&c, FACTOR, RIG_LEASE_MS, (guint32)(0u - WRAP_MS * 1000u));
  const guint messages = c.bench.messages->len;
  g_assert_false(is_near_wrap(&c));
  g_assert_true(rig_wait(is_near_wrap, &c, 60));
  bench_do(&c.bench, ASE_STEP_SWEEP);
  g_assert_cmpint(bench_state(&c.bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  const GPtrArray *runs = ase_session_runs(c.bench.session);
  AioStore *reader = NULL;
  Span span = {0};
  g_assert_true(ase_run_each_chunk(runs->pdata[0], &reader, widen, &span, NULL));
  g_assert_true(ase_run_each_chunk(runs->pdata[runs->len - 1], &reader, widen, &span, NULL));
  aio_store_close(reader, NULL);
  g_assert_cmpuint(span.last_us / EPOCH_US, ==, span.first_us / EPOCH_US + 1);
  g_assert_cmpuint(c.bench.messages->len, ==, messages + 1);
  g_assert_nonnull(g_str_has_prefix(c.bench.messages->pdata[messages], "0 Sweep: 4 sweeps, ")
                       ? strstr(c.bench.messages->pdata[messages], " 0 lost")
                       : NULL);
  const FileRows rows = fault_wait_rows(c.bench.path, c.received);
  g_assert_cmpuint(rows.last_us / EPOCH_US, ==, rows.first_us / EPOCH_US + 1);
  g_assert_cmpuint(rows.connections, ==, 1);
  g_assert_cmpuint(rows.lost, ==, 0);
  c.said = g_strdup_printf("%" G_GUINT64_FORMAT " rows from %" G_GUINT64_FORMAT
                           " to %" G_GUINT64_FORMAT " us in order",
                           rows.n, rows.first_us, rows.last_us);
  fault_clear(&c);
}

/* ---- a full disk ---- */

static bool is_held(void *data) {
  return bench_state(data, ASE_STEP_SWEEP) == ASE_STATE_FAILED;
}

static bool has_moved(void *data) {
  return bench_has_message(data, "0 the session goes on in ");
}

static bool has_recovered(void *data) {
  return !ase_session_disk_failure(((Bench *)data)->session);
}

/* Why is in the step, not only in a message; nothing moves again, armed or not. */
static void expect_told(Bench *bench) {
  char *error = g_strdup_printf(full, bench->path);
  char *message = g_strdup_printf("2 hold: %s; samples stay in memory meanwhile", error);
  char *why = g_strdup_printf("the session's file cannot be written: %s", error);
  g_assert_true(bench_has_message(bench, message));
  g_assert_cmpstr(bench_reason(bench, ASE_STEP_SWEEP), ==, why);
  g_assert_cmpstr(ase_session_disk_failure(bench->session), ==, why);
  rig_until_unlocked(ase_session_device(bench->session));
  bench_arm(bench);
  bench_refused(bench, ASE_STEP_SWEEP, why);
  bench_refused(bench, ASE_STEP_DRY_RUN, why);
  g_assert_false(ase_session_repeat(bench->session, ASE_STEP_DRY_RUN, 2, NULL));
  g_assert_cmpstr(bench_reason(bench, ASE_STEP_SWEEP), ==, why);
  ase_device_disarm(ase_session_device(bench->session));
  rig_until_disarmed(ase_session_device(bench->session));
  g_free(error);
  g_free(message);
  g_free(why);
}

static void fill_disk_of(FaultCase *c) {
  fault_init(c, FACTOR, RIG_LEASE_MS, 0);
  fault_sweep(c);
  test_limit_files(1 << 14);
  g_assert_true(rig_wait(is_held, &c->bench, 20));
  fault_expect_state(c, AIO_DEVICE_HALTED, true, 0);
  g_assert_cmpuint(fault_rows(c->bench.path).n, <, c->received);
  expect_told(&c->bench);
  test_limit_files(0);
}

/* All that came is there, and the rest follows. */
static void expect_all_in(FaultCase *c, const char *path) {
  const guint64 received = c->received;
  g_assert_true(rig_wait(has_recovered, &c->bench, 20));
  const FileRows rows = fault_wait_rows(path, received); /* what was in memory follows */
  g_assert_cmpuint(rows.lost, ==, 0);
  fault_go_on(&c->bench);
}

/* The arm is halted, samples stay in memory, and all of them are in the file at the other place. */
static void fill_disk(void) {
  FaultCase c;
  GError *error = NULL;
  fill_disk_of(&c);
  char *other = g_build_filename(c.bench.folder, "other.armsession", NULL);
  g_assert_true(ase_session_move_to(c.bench.session, other, &error));
  g_assert_true(rig_wait(has_moved, &c.bench, 20));
  expect_all_in(&c, other);
  g_free(c.bench.path);
  c.bench.path = other;
  fault_clear(&c);
}

/* The same file is written again by itself. */
static void free_disk(void) {
  FaultCase c;
  fill_disk_of(&c);
  expect_all_in(&c, c.bench.path);
  g_assert_true(bench_has_message(&c.bench, "0 everything that was in memory is on the disk"));
  fault_clear(&c);
}

static void test_full(void) {
  g_test_trap_subprocess("/faults/disk full in mid-sweep/subprocess", 0,
                         G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed();
  g_test_message("held; all that came is in the file at the other place");
}

static void test_free(void) {
  g_test_trap_subprocess("/faults/space again after a full disk/subprocess", 0,
                         G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed();
  g_test_message("held; all that came is in the file, and it goes on");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/faults/bit errors at 1e-4 per byte", test_bit_errors);
  g_test_add_func("/faults/cable pulled in mid-sweep", test_unplug);
  g_test_add_func("/faults/controller restarted in mid-sweep", test_reboot);
  g_test_add_func("/faults/joint stalled in mid-sweep", test_stall);
  g_test_add_func("/faults/main loop blocked in mid-sweep", test_blocked);
  g_test_add_func("/faults/disk full in mid-sweep", test_full);
  g_test_add_func("/faults/disk full in mid-sweep/subprocess", fill_disk);
  g_test_add_func("/faults/space again after a full disk", test_free);
  g_test_add_func("/faults/space again after a full disk/subprocess", free_disk);
  g_test_add_func("/faults/clock wrapped in mid-sweep", test_wrap);
  return g_test_run();
}
