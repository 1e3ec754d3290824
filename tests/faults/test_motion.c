/* SPDX-License-Identifier: MIT */
/* What ends a sweep through the whole chain: the cable, a restart, a joint that cannot move. Each
 * time the message, the rows kept and the controller's state afterwards are what they must be. */
#include <math.h>

#include "chain.h"
#include "io/base/said.h"
#include "session/measure/selection.h"
#include "wire/message.h"

enum { SETTLED_NS = 60 * 1000000 }; /* a chunk, a batch of the pty, a busy machine */

/* All rows up to the end are there. */
static void expect_rows(const Chain *c, gint64 end_ns) {
  const GPtrArray *runs = ase_runner_runs(c->runner);
  const AseRun *run = runs->pdata[runs->len - 1];
  const ChainRows rows = chain_rows(c);
  g_assert_false(run->is_complete);
  g_assert_cmpstr(aio_said_shown(run->outcome), ==, c->reason);
  g_test_message("%" G_GUINT64_FORMAT " rows, the last %.1f ms before the end", rows.n,
                 1e-6 * (double)(end_ns - rows.last_ns));
  g_assert_cmpuint(rows.n, >, 500);
  g_assert_cmpuint(rows.missing, ==, 0);
  g_assert_cmpint(end_ns - rows.last_ns, <, SETTLED_NS);
}

static void expect_not_moving(Chain *c) {
  double before[ARM_MAX_JOINTS], after[ARM_MAX_JOINTS];
  g_assert_true(ase_device_pose(c->rig.device, before));
  rig_pass(0.2);
  g_assert_true(ase_device_pose(c->rig.device, after));
  for (guint j = 0; j < 2; j++)
    g_assert_cmpfloat(fabs(after[j] - before[j]), <, 1e-3);
}

/* Out for three seconds: the lease ends meanwhile, and the arm halts. */
static void test_unplug(void) {
  AioStatistics statistics;
  Chain *c = chain_new(NULL, 1, NULL, NULL);
  char *path = g_file_read_link(c->port, NULL);
  char *message = g_strdup_printf("%s is gone: the cable was pulled or the controller lost power; "
                                  "connect again when it is back",
                                  path);
  chain_sweep(c);
  rig_test(&c->rig, WIRE_TEST_UNPLUG, 0, 0, 3000);
  chain_expect_stop(c, message);
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_LOST);
  g_assert_cmpstr(ase_device_reason(c->rig.device), ==, message);
  expect_rows(c, chain_event(c, AIO_EVENT_LINK)->t_host_ns);
  ase_device_statistics(c->rig.device, &statistics);
  g_assert_cmpuint(c->samples, ==, statistics.counters.samples); /* to the last one */
  chain_wait_ready(c);
  chain_expect_state(c, AIO_DEVICE_LOCKED, true, WIRE_FAULT_LEASE);
  expect_not_moving(c);
  g_free(message);
  g_free(path);
  chain_free(c);
}

static void test_reboot(void) {
  Chain *c = chain_new(NULL, 1, NULL, NULL);
  chain_sweep(c);
  const guint32 boots = ase_device_description(c->rig.device)->boot_count;
  rig_test(&c->rig, WIRE_TEST_REBOOT, 0, WIRE_RESET_WATCHDOG, 0);
  chain_expect_stop(c, "the controller restarted");
  const AioEvent *boot = chain_event(c, AIO_EVENT_BOOT);
  g_assert_cmpstr(aio_said_shown(boot->text), ==,
                  "the controller has restarted (watchdog): connect again");
  expect_rows(c, boot->t_host_ns);
  chain_wait_ready(c); /* by itself */
  const AioDescription *now = ase_device_description(c->rig.device);
  g_assert_cmpuint(now->boot_count, ==, boots + 1);
  g_assert_cmpstr(now->reset_text, ==, "watchdog");
  chain_expect_state(c, AIO_DEVICE_OFF, false, 0);
  chain_free(c);
}

static void test_stall(void) {
  Chain *c = chain_new(NULL, 1, NULL, NULL);
  GError *error = NULL;
  chain_sweep(c);
  rig_pass(0.8); /* rows that count: the servo has settled */
  rig_test(&c->rig, WIRE_TEST_STALL, 2, 0, 300);
  chain_expect_stop(c, "FOLLOWING: a joint does not follow its set-point (joint 2)");
  expect_rows(c, chain_event(c, AIO_EVENT_FAULT)->t_host_ns);
  AseSelection *s = ase_selection_new(NULL, &c->rig.truth.plant.model, ase_runner_runs(c->runner),
                                      ASE_PURPOSE_DRY_RUN, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(s->counts[1][ASE_SAMPLE_USED], >, 300);
  g_assert_cmpuint(s->counts[1][ASE_SAMPLE_GAP], ==, 0);
  ase_selection_unref(s);
  rig_pass(1.2);
  chain_expect_state(c, AIO_DEVICE_LOCKED, true, WIRE_FAULT_FOLLOWING);
  expect_not_moving(c);
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_cmpstr(error->message, ==,
                  "a fault is latched (FOLLOWING: a joint does not follow its set-point); clear it "
                  "first");
  g_clear_error(&error);
  chain_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  chain_begin(argv[1]);
  g_test_add_func("/faults/cable pulled in mid-sweep", test_unplug);
  g_test_add_func("/faults/restart in mid-sweep", test_reboot);
  g_test_add_func("/faults/stall in mid-sweep", test_stall);
  return g_test_run();
}
