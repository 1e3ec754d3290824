/* SPDX-License-Identifier: MIT */
/* Each fault by name, and exactly what it does. */
#include <math.h>

#include "host.h"

/* Plants a fault as the command line would; its times count from power-up. */
static void plan(Host *host, const char *text) {
  AsimFault fault;
  GError *error = NULL;
  asim_fault_parse(&fault, text, &error);
  g_assert_no_error(error);
  g_assert_true(asim_controller_plan_fault(host->controller, &fault));
}

/* Device and wall time are the same; 5 ms have passed. */
static Host *begin(const char *arm, const char *fault) {
  Host *host = host_new(arm, NULL);
  if (fault)
    plan(host, fault);
  host_run_ms(host, 5);
  host_hello(host);
  return host;
}

/* ---- the line ---- */

static void test_bit_errors(void) {
  Host *host = begin("planar2r", "bit-errors=1000,at=1,for=10");
  host_subscribe(host, 1000, 0);
  host_run_ms(host, 900);
  g_assert_cmpuint(wire_counters_rejected(&host->decoder.counters), ==, 0);
  const guint bytes = host->bytes->len, frames = host_count(host, WIRE_TYPE_TELEM);
  host_run_ms(host, 10200);
  const double sent = (double)(host->bytes->len - bytes) * 10.0 / 10.2;
  const guint64 bad = wire_counters_rejected(&host->decoder.counters);
  /* a wrong byte costs its frame, or two when it was or becomes a delimiter */
  g_assert_cmpfloat((double)host->telem.lost, >, 0.85 * sent * 1e-3);
  g_assert_cmpfloat((double)host->telem.lost, <, 1.2 * sent * 1e-3);
  g_assert_cmpuint(bad, >, 0);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_TELEM) - frames + host->telem.lost, ==, 10200);
  const guint64 lost = host->telem.lost;
  host_run_ms(host, 500);
  g_assert_cmpuint(host->telem.lost, ==, lost);
  host_free(host);
}

static void test_drop_frames(void) {
  Host *host = begin("planar2r", "drop-frames=200000,at=1,for=5");
  host_subscribe(host, 1000, 0);
  host_run_ms(host, 990);
  g_assert_cmpuint(host->telem.lost, ==, 0);
  host_run_ms(host, 6000);
  g_assert_cmpuint(host->telem.lost, >, 880);
  g_assert_cmpuint(host->telem.lost, <, 1120);
  g_assert_cmpuint(wire_counters_rejected(&host->decoder.counters), ==, 0);
  plan(host, "drop-frames=1000000,at=7");
  host_run_ms(host, 10);
  g_assert_cmpuint(host_request(host, WIRE_TYPE_STATE_GET, NULL, 0), ==, 0);
  host_free(host);
}

static void test_late_frames(void) {
  Host *host = begin("planar2r", "late-frames=30000,at=0.5,for=0.5");
  host_subscribe(host, 1000, 0);
  host_run_ms(host, 490);
  const guint before = host_count(host, WIRE_TYPE_TELEM);
  host_run_ms(host, 15);
  const guint held = host_count(host, WIRE_TYPE_TELEM);
  g_assert_cmpuint(held - before, <=, 6);
  g_assert_cmpuint(host_request(host, WIRE_TYPE_STATE_GET, NULL, 0), ==, 0); /* not at once */
  host_run_ms(host, 29);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_STATE), ==, 0);
  host_run_ms(host, 1);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_STATE), ==, 1);
  host_run_ms(host, 600);
  g_assert_cmpuint(host->telem.lost + host->telem.old + host->ordered.lost + host->ordered.old, ==,
                   0);
  host_state(host); /* in time again */
  host_free(host);
}

/* ---- the arm ---- */

static void test_stall(void) {
  const WireSweep sweep = {2, 1, 0, -1800000, -1000000, 500000, 4000000, 0};
  Host *host = begin("puma560-table1", "stall,joint=2,at=1,for=1");
  WireEvent event;
  double before[6], after[6];
  host_arm(host);
  g_assert_cmpuint(host_sweep(host, &sweep), ==, 0);
  host_run_ms(host, 996);
  arm_plant_truth(asim_controller_plant(host->controller), before, NULL, NULL);
  g_assert_false(host_event(host, WIRE_EVENT_FAULT, &event));
  host_run_ms(host, 900);
  arm_plant_truth(asim_controller_plant(host->controller), after, NULL, NULL);
  g_assert_cmpfloat(fabs(after[1] - before[1]), <, 1e-3);
  g_assert_true(host_event(host, WIRE_EVENT_FAULT, &event));
  g_assert_cmpint(event.value, ==, WIRE_FAULT_FOLLOWING);
  g_assert_cmpuint(event.joint, ==, 2);
  const WireState state = host_state(host);
  g_assert_cmpuint(state.state, ==, WIRE_STATE_LOCKED);
  g_assert_cmpuint(state.flags & WIRE_FLAG_DRIVES_ON, !=, 0); /* holds where it is */
  g_assert_cmpuint(state.last_end, ==, WIRE_END_FAULT);
  host_run_ms(host, 600);
  g_assert_cmpuint(host_clear(host, WIRE_FAULT_FOLLOWING), ==, 0);
  host_free(host);
}

static WireTelemJoint last_of(Host *host, gsize joint) {
  return host_telem(host_last(host, WIRE_TYPE_TELEM), joint);
}

/* the largest change of a current [mA] */
static gint current_change(Host *host, const WireTelemJoint *before) {
  gint most = 0;
  for (gsize j = 0; j < 6; j++)
    most = MAX(most, ABS(last_of(host, j).current - before[j].current));
  return most;
}

static void test_payload(void) {
  Host *host = begin("puma560-truth2", "payload=15000,at=2,for=2");
  WireTelemJoint before[6];
  host_subscribe(host, 1000, 0);
  host_arm(host);
  host_run_ms(host, 1900);
  for (gsize j = 0; j < 6; j++)
    before[j] = last_of(host, j);
  host_run_ms(host, 2000);
  g_assert_cmpint(current_change(host, before), >, 100); /* it stands nearly upright */
  g_assert_cmpuint(host_state(host).state, ==, WIRE_STATE_ARMED);
  host_free(host);
}

/* From where it is to stand still, and back when it is to move. */
static void test_creep(void) {
  const WireSweep sweep = {
      .joint = 2, .passes = 1, .q0 = -500000, .q1 = 500000, .v = 400000, .a = 2000000};
  Host *host = begin("planar2r", "creep=20000,joint=2,at=1");
  host_subscribe(host, 1000, 0);
  host_arm(host);
  host_run_ms(host, 990);
  const gint32 q[2] = {last_of(host, 0).q, last_of(host, 1).q};
  host_run_ms(host, 2000);
  g_assert_cmpint(ABS(last_of(host, 1).q - q[1] - 40000), <, 8000);
  g_assert_cmpint(ABS(last_of(host, 0).q - q[0]), <, 2000);
  host_sweep(host, &sweep);
  host_run_ms(host, 3000);
  g_assert_cmpuint(host_state(host).faults, ==, 0);
  host_free(host);
}

static void test_over_current(void) {
  Host *host = begin("puma560-table1", "over-current=13000,joint=3,at=0.5,for=0.3");
  WireEvent event;
  host_subscribe(host, 1000, 0);
  host_arm(host);
  host_run_ms(host, 490);
  g_assert_cmpuint(host_state(host).state, ==, WIRE_STATE_ARMED);
  host_run_ms(host, 20);
  g_assert_cmpint(host_telem(host_last(host, WIRE_TYPE_TELEM), 2).current, >, 12000);
  g_assert_cmpint(host_telem(host_last(host, WIRE_TYPE_TELEM), 1).current, <, 5000);
  g_assert_false(host_event(host, WIRE_EVENT_FAULT, &event)); /* not for 20 ms yet */
  host_run_ms(host, 15);
  g_assert_true(host_event(host, WIRE_EVENT_FAULT, &event));
  g_assert_cmpint(event.value, ==, WIRE_FAULT_CURRENT);
  g_assert_cmpuint(event.joint, ==, 3);
  g_assert_cmpuint(host_state(host).flags & WIRE_FLAG_DRIVES_ON, ==, 0);
  host_free(host);
}

/* Telemetry alone is stuck: the joint moves on, and nothing supervises what is told. */
static void test_freeze(void) {
  Host *host = begin("planar2r", "freeze=5,joint=2,at=2,for=1");
  const WireSweep sweep = {
      .joint = 2, .passes = 2, .q0 = -500000, .q1 = 500000, .v = 400000, .a = 2000000};
  host_subscribe(host, 1000, 0);
  host_arm(host);
  host_sweep(host, &sweep);
  host_run_ms(host, 2050);
  const WireTelemJoint began = host_telem(host_last(host, WIRE_TYPE_TELEM), 1);
  host_run_ms(host, 400);
  const WireTelemJoint frozen = host_telem(host_last(host, WIRE_TYPE_TELEM), 1);
  double q[ARM_MAX_JOINTS];
  arm_plant_truth(asim_controller_plant(host->controller), q, NULL, NULL);
  g_assert_cmpint(frozen.q, ==, began.q);
  g_assert_cmpint(frozen.current, ==, began.current);
  g_assert_cmpint(frozen.qd, !=, began.qd);
  g_assert_cmpfloat(fabs(q[1] - 1e-6 * frozen.q), >, 0.1);
  g_assert_cmpuint(host_state(host).faults, ==, 0);
  host_run_ms(host, 700);
  g_assert_cmpint(host_telem(host_last(host, WIRE_TYPE_TELEM), 1).q, !=, began.q);
  g_assert_cmpuint(wire_counters_rejected(&host->decoder.counters), ==, 0);
  host_free(host);
}

static void test_over_temperature(void) {
  Host *host = begin("puma560-table1", "over-temperature=9150,joint=4,at=0.5,for=0.3");
  WireHealthJoint health;
  WireEvent event;
  host_subscribe(host, 0, 100);
  host_arm(host);
  host_run_ms(host, 510);
  const HostFrame *frame = host_last(host, WIRE_TYPE_HEALTH);
  g_assert_true(wire_health_joint_get(
      &health, frame->payload + WIRE_SIZE_HEALTH + 3 * WIRE_SIZE_HEALTH_JOINT, 2));
  g_assert_cmpint(health.temperature, ==, 9150);
  g_assert_true(host_event(host, WIRE_EVENT_FAULT, &event));
  g_assert_cmpint(event.value, ==, WIRE_FAULT_TEMPERATURE);
  g_assert_cmpuint(event.joint, ==, 4);
  g_assert_cmpuint(host_state(host).flags & WIRE_FLAG_DRIVES_ON, !=, 0);
  host_run_ms(host, 100);
  g_assert_cmpuint(host_clear(host, WIRE_FAULT_TEMPERATURE), ==, WIRE_CODE_LOCKOUT);
  host_run_ms(host, 500);
  g_assert_cmpuint(host_clear(host, WIRE_FAULT_TEMPERATURE), ==, 0); /* 25 degrees again */
  host_free(host);
}

static void test_estop_open(void) {
  Host *host = begin("puma560-truth2", "estop-open,at=0.5,for=1");
  double q[6], fallen[6], current[6];
  host_arm(host);
  host_run_ms(host, 490);
  g_assert_cmpuint(host_state(host).flags & WIRE_FLAG_ESTOP_CLOSED, !=, 0);
  arm_plant_truth(asim_controller_plant(host->controller), q, NULL, NULL);
  host_run_ms(host, 20);
  WireState state = host_state(host);
  g_assert_cmpuint(state.faults, ==, WIRE_FAULT_ESTOP);
  g_assert_cmpuint(state.flags & (WIRE_FLAG_ESTOP_CLOSED | WIRE_FLAG_DRIVES_ON), ==, 0);
  host_run_ms(host, 700);
  g_assert_cmpuint(host_clear(host, WIRE_FAULT_ESTOP), ==, WIRE_CODE_FAULT_ACTIVE);
  arm_plant_truth(asim_controller_plant(host->controller), fallen, NULL, current);
  g_assert_cmpfloat(fabs(current[1]), <, 1e-9);
  host_run_ms(host, 400);
  g_assert_cmpuint(host_clear(host, WIRE_FAULT_ESTOP), ==, 0);
  host_free(host);
}

/* ---- the cable and the device ---- */

static void test_unplug(void) {
  Host *host = begin("planar2r", "unplug,at=1,for=0.5");
  host_subscribe(host, 100, 0);
  host_arm(host);
  host_run_ms(host, 990);
  g_assert_false(asim_controller_is_unplugged(host->controller));
  host_run_ms(host, 10);
  g_assert_true(asim_controller_is_unplugged(host->controller));
  const guint bytes = host->bytes->len;
  g_assert_cmpuint(host_request(host, WIRE_TYPE_STATE_GET, NULL, 0), ==, 0);
  host_run_ms(host, 480);
  g_assert_cmpuint(host->bytes->len, ==, bytes);
  host->keeps_lease = false;
  host_run_ms(host, 20);
  g_assert_false(asim_controller_is_unplugged(host->controller));
  const WireState state = host_state(host); /* the same session; its lease ran out meanwhile */
  g_assert_cmpuint(state.faults, ==, WIRE_FAULT_LEASE);
  g_assert_cmpuint(state.frames, <, 16); /* what was sent into the pulled cable never arrived */
  plan(host, "unplug,at=2");
  host_run_ms(host, 60000);
  g_assert_true(asim_controller_is_unplugged(host->controller));
  host_free(host);
}

static void test_reboot(void) {
  Host *host = begin("planar2r", "reboot=2,at=0.5,for=0.001");
  WireEvent event;
  host_arm(host);
  host_run_ms(host, 490);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_EVENT), ==, 1);
  host_run_ms(host, 10);
  g_assert_true(host_event(host, WIRE_EVENT_BOOT, &event));
  g_assert_cmpint(event.value, ==, 2);
  g_assert_cmpint(event.reason, ==, WIRE_RESET_WATCHDOG);
  host->keeps_lease = false;
  g_assert_cmpuint(host_ask(host, WIRE_TYPE_STATE_GET, NULL, 0), ==, WIRE_CODE_NO_HELLO);
  const WireHelloAck ack = host_hello(host);
  g_assert_cmpuint(ack.boot_count, ==, 2);
  g_assert_cmpuint(ack.reset_cause, ==, WIRE_RESET_WATCHDOG);
  g_assert_cmpuint(host_state(host).state, ==, WIRE_STATE_OFF);
  host_run_ms(host, 1000);
  g_assert_cmpuint(host_hello(host).boot_count, ==, 2); /* once */
  host_free(host);
}

/* ---- by message ---- */

static void test_by_message(void) {
  Host *host = begin("planar2r", NULL);
  g_assert_cmpuint(host_test(host, 0, 0, 0, 0), ==, WIRE_CODE_UNSUPPORTED);
  g_assert_cmpuint(host_test(host, 11, 0, 0, 0), ==, WIRE_CODE_UNSUPPORTED);
  g_assert_cmpuint(host_test(host, WIRE_TEST_STALL, 3, 0, 0), ==, WIRE_CODE_UNSUPPORTED);
  g_assert_cmpuint(host_test(host, WIRE_TEST_BIT_ERRORS, 0, -1, 0), ==, WIRE_CODE_UNSUPPORTED);
  g_assert_cmpuint(host_test(host, WIRE_TEST_ESTOP_OPEN, 0, 0, 0), ==, 0);
  host_run_ms(host, 2000);
  g_assert_cmpuint(host_state(host).flags & WIRE_FLAG_ESTOP_CLOSED, ==, 0);
  /* one of 1 ms ends one that was until further notice */
  g_assert_cmpuint(host_test(host, WIRE_TEST_ESTOP_OPEN, 0, 0, 1), ==, 0);
  host_run_ms(host, 3);
  g_assert_cmpuint(host_state(host).flags & WIRE_FLAG_ESTOP_CLOSED, !=, 0);
  for (int k = 0; k < 500; k++) { /* those that are over make room */
    g_assert_cmpuint(host_test(host, WIRE_TEST_STALL, 1, 0, 1), ==, 0);
    host_run_ms(host, 2);
  }
  /* ... and none that was ended comes back */
  g_assert_cmpuint(host_state(host).flags & WIRE_FLAG_ESTOP_CLOSED, !=, 0);
  const AsimFault later = {.test = {.kind = WIRE_TEST_STALL, .joint = 1}, .at_s = 1000};
  guint planted = 0;
  while (asim_controller_plan_fault(host->controller, &later))
    planted++;
  g_assert_cmpuint(planted, >=, ASIM_FAULTS_MAX - 3);
  host_free(host);
}

/* ---- the text ---- */

static void test_parse(void) {
  AsimFault fault = {.at_s = -1.0};
  GError *error = NULL;
  g_assert_true(asim_fault_parse(&fault, "over-current=-500,for=2.5,joint=4,at=1e1", &error));
  g_assert_cmpint(fault.test.kind, ==, WIRE_TEST_OVER_CURRENT);
  g_assert_cmpint(fault.test.value, ==, -500);
  g_assert_cmpint(fault.test.joint, ==, 4);
  g_assert_cmpint(fault.test.duration_ms, ==, 2500);
  g_assert_true(fault.at_s == 10.0);
  g_assert_true(asim_fault_parse(&fault, "reboot", &error));
  g_assert_cmpint(fault.test.value, ==, WIRE_RESET_SOFTWARE);
  g_assert_true(fault.at_s == 0.0 && fault.test.joint == 0 && fault.test.duration_ms == 0);
}

static void test_wrong_texts(void) {
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {"", "expected one of bit-errors, drop-frames, late-frames, stall, over-current, "
           "over-temperature, estop-open, unplug, reboot, brown-out, freeze, payload, creep, found "
           "\"\""},
      {"stal", "stal: expected the name of a fault (did you mean \"stall\"?), found \"stal\""},
      {"stall=3", "stall=3: expected no value, found \"3\""},
      {"bit-errors", "bit-errors: expected bit-errors: a whole number in 0..1000000, found \"\""},
      {"bit-errors=1.5",
       "bit-errors=1.5: expected bit-errors: a whole number in 0..1000000, found \"1.5\""},
      {"reboot=9", "reboot=9: expected reboot: a whole number in 0..5, found \"9\""},
      {"stall,joint=33", "stall,joint=33: expected joint: a whole number in 0..32, found \"33\""},
      {"unplug,joint=1", "unplug,joint=1: expected at= or for=, found \"joint=1\""},
      {"stall,on=1", "stall,on=1: expected joint=, at= or for=, found \"on=1\""},
      {"stall,at=-1", "stall,at=-1: expected at: a number in 0..1000000, found \"-1\""},
      {"stall,for", "stall,for: expected for: a number in 0..1000000, found \"\""},
      {"stall,for=0,5", "stall,for=0,5: expected for: a number in 0..1000000, found \"0\""},
      {"stall,", "stall,: expected joint=, at= or for=, found \"\""}};
  for (gsize k = 0; k < G_N_ELEMENTS(wrong); k++) {
    AsimFault fault = {.at_s = -1.0};
    GError *error = NULL;
    g_assert_false(asim_fault_parse(&fault, wrong[k].text, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
    g_assert_cmpstr(error->message, ==, wrong[k].message);
    g_assert_true(fault.at_s == -1.0);
    g_clear_error(&error);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim/fault/bit-errors", test_bit_errors);
  g_test_add_func("/sim/fault/drop-frames", test_drop_frames);
  g_test_add_func("/sim/fault/late-frames", test_late_frames);
  g_test_add_func("/sim/fault/stall", test_stall);
  g_test_add_func("/sim/fault/over-current", test_over_current);
  g_test_add_func("/sim/fault/payload", test_payload);
  g_test_add_func("/sim/fault/creep", test_creep);
  g_test_add_func("/sim/fault/freeze", test_freeze);
  g_test_add_func("/sim/fault/over-temperature", test_over_temperature);
  g_test_add_func("/sim/fault/estop-open", test_estop_open);
  g_test_add_func("/sim/fault/unplug", test_unplug);
  g_test_add_func("/sim/fault/reboot", test_reboot);
  g_test_add_func("/sim/fault/by-message", test_by_message);
  g_test_add_func("/sim/fault/parse", test_parse);
  g_test_add_func("/sim/fault/wrong-texts", test_wrong_texts);
  return g_test_run();
}
