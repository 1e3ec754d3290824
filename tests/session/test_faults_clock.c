/* SPDX-License-Identifier: MIT */
/* A controller whose clock goes wrong in mid-sweep: the arm is halted, why is said and kept, and no
 * sample is left out unseen. */
#include <glib.h>
#include <string.h>

#include "fault_case.h"
#include "io/base/said.h"
#include "io/store/store.h"
#include "support/asleep.h"

#define FACTOR 5.0
enum { AHEAD_US = 600000000, ASLEEP_S = 3000 }; /* more than half a turn of 32 bits of us */

typedef enum { SOUND, BACKWARDS, STANDING, HOUR, AHEAD, ASLEEP } Wrong;

/* The simulator's thread asks. */
static gint wrong;

static guint32 stamp(guint64 now_us) {
  static guint64 stood_us;
  switch (g_atomic_int_get(&wrong)) {
  case BACKWARDS:
    return (guint32)(0u - (guint32)now_us);
  case STANDING:
    return (guint32)stood_us;
  case HOUR:
    return (guint32)(now_us + 3600000000u);
  case AHEAD:
    return (guint32)(now_us + AHEAD_US);
  case ASLEEP: /* of before until the computer has looked at its own clock */
    return (guint32)(now_us + G_USEC_PER_SEC * (guint64)asleep_noticed());
  default:
    stood_us = now_us;
    return (guint32)now_us;
  }
}

/* ---- what the file says ---- */

typedef struct {
  guint errors, ends;
  char *text;
} Events;

static bool add_event(const AioStoreEvent *row, void *data) {
  Events *events = data;
  if (strcmp(row->kind, "clock") != 0)
    return true;
  events->errors += row->level == 2;
  events->ends += row->value == 0;
  if (!events->text)
    events->text = aio_said_text(row->text);
  return true;
}

static Events read_events(const char *path) {
  Events events = {.errors = 0};
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  aio_store_each_event(store, add_event, &events, &error);
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  return events;
}

/* ---- the cases ---- */

typedef struct {
  const char *name, *says;
  Wrong wrong;
  bool is_unordered;
} Case;

static const Case cases[] = {
    {"runs backwards", "the controller's clock went back by ", BACKWARDS, true},
    {"stands still", "the controller's clock stands still: ", STANDING, true},
    {"is set forward by an hour", "the controller's clock went back by ", HOUR, true},
    {"is set forward by 10 minutes", "the controller's clock leapt ahead by ", AHEAD, false},
};

static bool is_disarmed(void *device) {
  return !ase_device_is_armed(device);
}

static bool may_arm(void *device) {
  return ase_device_may_arm(device, NULL);
}

static void expect_held(FaultCase *c, const Case *is) {
  AseDevice *device = ase_session_device(c->bench.session);
  bench_until(&c->bench, ASE_STEP_SWEEP, 20);
  g_assert_cmpint(bench_state(&c->bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  const char *reason = bench_reason(&c->bench, ASE_STEP_SWEEP);
  g_test_message("%s", reason);
  g_assert_true(g_str_has_prefix(reason, is->says));
  if (is->wrong == AHEAD) { /* less what a busy simulator was late just before */
    const double leapt_s = g_ascii_strtod(reason + strlen(is->says), NULL);
    g_assert_cmpfloat(leapt_s, >, 500.0);
    g_assert_cmpfloat(leapt_s, <, 601.0);
  }
  g_assert_true(rig_wait(is_disarmed, device, 5));
  g_assert_true(bench_has_message(&c->bench, is->says));
}

static void expect_kept(FaultCase *c, const Case *is) {
  const FileRows rows = fault_wait_rows(c->bench.path, c->received);
  Events events = read_events(c->bench.path);
  AioStatistics statistics;
  ase_device_statistics(ase_session_device(c->bench.session), &statistics);
  g_assert_cmpuint(events.errors, ==, 1);
  g_assert_true(g_str_has_prefix(events.text, is->says));
  g_assert_true((rows.marked > 0) == is->is_unordered);
  g_assert_cmpuint(statistics.samples_unordered, >=, rows.marked);
  g_free(events.text);
}

/* Not armed as long as it is wrong; then all goes on. */
static void expect_way_on(FaultCase *c, const Case *is) {
  AseDevice *device = ase_session_device(c->bench.session);
  GError *error = NULL;
  if (!is->is_unordered) { /* it leapt, and goes on */
    g_assert_true(rig_wait(may_arm, device, 10));
    return;
  }
  rig_pass(1.0);
  g_assert_false(ase_device_may_arm(device, &error));
  g_assert_true(g_str_has_prefix(error->message, is->says));
  g_clear_error(&error);
  g_atomic_int_set(&wrong, SOUND);
  g_assert_true(rig_wait(may_arm, device, 10));
  fault_go_on(&c->bench);
  const Events events = read_events(c->bench.path);
  g_assert_cmpuint(events.ends, ==, 1);
  g_free(events.text);
}

static void test_wrong(gconstpointer data) {
  const Case *is = data;
  FaultCase c;
  g_atomic_int_set(&wrong, SOUND);
  fault_init_stamped(&c, FACTOR, RIG_LEASE_MS, stamp);
  fault_sweep(&c);
  g_atomic_int_set(&wrong, (gint)is->wrong);
  expect_held(&c, is);
  expect_kept(&c, is);
  expect_way_on(&c, is);
  fault_clear(&c);
}

/* Nobody moves: it is said, and the arm is not armed. */
static void test_idle(void) {
  FaultCase c;
  GError *error = NULL;
  g_atomic_int_set(&wrong, SOUND);
  fault_init_stamped(&c, FACTOR, RIG_LEASE_MS, stamp);
  AseDevice *device = ase_session_device(c.bench.session);
  ase_device_disarm(device);
  g_assert_true(rig_wait(may_arm, device, 10));
  g_atomic_int_set(&wrong, STANDING);
  rig_pass(1.0);
  g_assert_false(ase_device_arm(device, &error));
  g_assert_true(g_str_has_prefix(error->message, cases[1].says));
  g_clear_error(&error);
  fault_clear(&c);
}

static bool has_been_asleep(void *bench) {
  return bench_has_message(bench, " slept or was stopped for 50 minutes");
}

/* The computer was: nothing is wrong with the controller, which went on. */
static void test_asleep(void) {
  FaultCase c;
  g_atomic_int_set(&wrong, ASLEEP);
  fault_init_stamped(&c, FACTOR, RIG_LEASE_MS, stamp);
  AseDevice *device = ase_session_device(c.bench.session);
  ase_device_disarm(device);
  g_assert_true(rig_wait(may_arm, device, 10));
  const guint64 before = c.received;
  asleep_for(ASLEEP_S);
  g_assert_true(rig_wait(has_been_asleep, &c.bench, 5));
  g_assert_true(rig_wait(may_arm, device, 10));
  rig_pass(0.5);
  g_assert_true(ase_device_may_arm(device, NULL));
  g_assert_cmpuint(c.received, >, before);
  const FileRows rows = fault_wait_rows(c.bench.path, c.received);
  g_assert_cmpuint(rows.connections, ==, 2);
  g_assert_cmpuint(rows.unordered + rows.marked, ==, 0);
  fault_go_on(&c.bench);
  const Events events = read_events(c.bench.path);
  g_assert_cmpuint(events.errors, ==, 0);
  fault_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *path = g_strconcat("/session/clock ", cases[k].name, NULL);
    g_test_add_data_func(path, &cases[k], test_wrong);
    g_free(path);
  }
  g_test_add_func("/session/clock goes wrong in an idle arm", test_idle);
  g_test_add_func("/session/clock goes on while the computer sleeps", test_asleep);
  return g_test_run();
}
