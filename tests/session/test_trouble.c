/* SPDX-License-Identifier: MIT */
/* What a banner says: of made-up situations, and of a session to which they happen. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "session/trouble.h"
#include "wire/message.h"

static const AioState halted = {
    .state = AIO_DEVICE_HALTED, .drives_on = true, .is_estop_closed = true};
static const AioState armed = {
    .state = AIO_DEVICE_ARMED, .drives_on = true, .is_estop_closed = true};
static const AioState moving = {.state = AIO_DEVICE_ARMED,
                                .motion = AIO_MOTION_SWEEP,
                                .drives_on = true,
                                .is_estop_closed = true};
static const AioState unpowered = {
    .state = AIO_DEVICE_LOCKED, .is_estop_closed = true, .faults = AIO_FAULT_KILL};
static const AioState stalled = {.state = AIO_DEVICE_LOCKED,
                                 .drives_on = true,
                                 .is_estop_closed = true,
                                 .faults = AIO_FAULT_FOLLOWING,
                                 .fault_joints = 1u << 1};
static const AioState expired = {.state = AIO_DEVICE_LOCKED,
                                 .motion = AIO_MOTION_STOPPING,
                                 .drives_on = true,
                                 .is_estop_closed = true,
                                 .faults = AIO_FAULT_LEASE};
static const AioState open_chain = {.state = AIO_DEVICE_LOCKED,
                                    .faults = AIO_FAULT_ESTOP | AIO_FAULT_KILL};

typedef struct {
  AseSituation situation;
  AseTroubleKind kind;
  AseRemedy remedy;
  const char *cause, *arm, *helps; /* parts of them */
} Expected;

/* is_silent of a link that is lost, a disk that fails at the same time: the worst is told. */
static const Expected cases[] = {
    {{.link = ASE_LINK_LOST,
      .is_silent = true,
      .reason = "the cable",
      .state = &moving,
      .lease_ms = 300,
      .comes_back = true,
      .disk_failure = "full"},
     ASE_TROUBLE_LINK_LOST,
     ASE_REMEDY_RECONNECT,
     "lost: the cable",
     "at the latest 0.3 s",
     "by itself"},
    {{.link = ASE_LINK_LOST,
      .reason = "the cable",
      .state = &moving,
      .lease_ms = 300,
      .has_no_lease = true},
     ASE_TROUBLE_LINK_LOST,
     ASE_REMEDY_RECONNECT,
     "lost: the cable",
     "no lease: it goes on to the end of its motion",
     "then connect again"},
    {{.link = ASE_LINK_LOST, .reason = "the cable", .state = &halted, .lease_ms = 300},
     ASE_TROUBLE_LINK_LOST,
     ASE_REMEDY_RECONNECT,
     "lost",
     "not armed: it stays",
     "then connect again"},
    {{.link = ASE_LINK_LOST, .reason = "the cable", .state = &unpowered, .lease_ms = 300},
     ASE_TROUBLE_LINK_LOST,
     ASE_REMEDY_RECONNECT,
     "lost",
     "drives were off",
     "connect again"},
    {{.link = ASE_LINK_LOST, .reason = "the cable"},
     ASE_TROUBLE_LINK_LOST,
     ASE_REMEDY_RECONNECT,
     "lost",
     "not known",
     "connect again"},
    {{.link = ASE_LINK_FAILED, .reason = "no answer"},
     ASE_TROUBLE_LINK_FAILED,
     ASE_REMEDY_RECONNECT,
     "no answer",
     "not known",
     "port and rate"},
    {{.link = ASE_LINK_READY, .is_silent = true, .state = &armed, .lease_ms = 2000},
     ASE_TROUBLE_SILENT,
     ASE_REMEDY_RECONNECT,
     "silent",
     "armed when it was last heard; what",
     "still sent"},
    {{.link = ASE_LINK_READY,
      .is_silent = true,
      .state = &halted,
      .foreign = "1 request that this program did not send: HELLO"},
     ASE_TROUBLE_SILENT,
     ASE_REMEDY_RECONNECT,
     "silent: 1 request that this program did not send: HELLO.",
     "not armed",
     "what else sends, then connect again"},
    {{.link = ASE_LINK_READY, .state = &open_chain},
     ASE_TROUBLE_ESTOP,
     ASE_REMEDY_NONE,
     "chain is open",
     "drives are off",
     "Release"},
    {{.link = ASE_LINK_READY, .state = &open_chain, .has_no_estop = true},
     ASE_TROUBLE_KILLED,
     ASE_REMEDY_CLEAR_FAULTS,
     "switched off",
     "drives are off",
     "clear the faults"},
    {{.link = ASE_LINK_READY, .state = &unpowered, .disk_failure = "full"},
     ASE_TROUBLE_KILLED,
     ASE_REMEDY_CLEAR_FAULTS,
     "switched off",
     "may have|has fallen",
     "arm it again"},
    {{.link = ASE_LINK_READY, .state = &stalled},
     ASE_TROUBLE_FAULT,
     ASE_REMEDY_CLEAR_FAULTS,
     "FOLLOWING: a joint does not follow its set-point (joint 2)",
     "holds its pose; it is not armed",
     "blocks"},
    {{.link = ASE_LINK_READY, .state = &expired},
     ASE_TROUBLE_FAULT,
     ASE_REMEDY_CLEAR_FAULTS,
     "LEASE",
     "coming to rest",
     "busy"},
    {{.link = ASE_LINK_READY, .state = &armed, .disk_failure = "full"},
     ASE_TROUBLE_DISK,
     ASE_REMEDY_SAVE_ELSEWHERE,
     "recorded: full",
     "armed and holds",
     "elsewhere"},
    {{.link = ASE_LINK_READY, .state = &moving, .disk_failure = "full"},
     ASE_TROUBLE_DISK,
     ASE_REMEDY_SAVE_ELSEWHERE,
     "full",
     "armed and moves",
     "elsewhere"},
    {{.link = ASE_LINK_CLOSED, .disk_failure = "full"},
     ASE_TROUBLE_DISK,
     ASE_REMEDY_SAVE_ELSEWHERE,
     "full",
     "No arm",
     "elsewhere"},
    {{.link = ASE_LINK_READY, .state = &moving, .reason = "old", .disk_failure = ""},
     ASE_TROUBLE_NONE,
     ASE_REMEDY_NONE,
     NULL,
     NULL,
     NULL},
    {{.link = ASE_LINK_CLOSED, .is_silent = true, .reason = "old"},
     ASE_TROUBLE_NONE,
     ASE_REMEDY_NONE,
     NULL,
     NULL,
     NULL},
    {{.link = ASE_LINK_READY, .is_silent = true, .state = &halted},
     ASE_TROUBLE_SILENT,
     ASE_REMEDY_RECONNECT,
     "silent",
     "not armed when",
     "connect"},
    {{.link = ASE_LINK_ASKING}, ASE_TROUBLE_NONE, ASE_REMEDY_NONE, NULL, NULL, NULL},
};

/* `parts`: one of them, "a|b". */
static void assert_says(gsize k, const char *text, const char *parts) {
  if (!parts) {
    g_assert_null(text);
    return;
  }
  char **part = g_strsplit(parts, "|", -1);
  bool is_there = false;
  for (guint p = 0; part[p]; p++)
    is_there |= text && strstr(text, part[p]);
  g_strfreev(part);
  if (!is_there)
    g_error("case %zu: \"%s\" lacks \"%s\"", k, text, parts);
}

static void test_words(void) {
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    const Expected *expected = &cases[k];
    AseTrouble trouble;
    ase_trouble_of(&trouble, &expected->situation);
    g_test_message("%zu: %s %s %s", k, trouble.cause, trouble.arm, trouble.helps);
    g_assert_cmpint(trouble.kind, ==, expected->kind);
    g_assert_cmpint(trouble.remedy, ==, expected->remedy);
    assert_says(k, trouble.cause, expected->cause);
    assert_says(k, trouble.arm, expected->arm);
    assert_says(k, trouble.helps, expected->helps);
    g_assert_true((ase_remedy_title(trouble.remedy) == NULL) ==
                  (trouble.remedy == ASE_REMEDY_NONE));
    ase_trouble_clear(&trouble);
    g_assert_null(trouble.cause);
  }
}

/* ---- of a session ---- */

static AseTroubleKind wanted;

static bool has_trouble(void *data) {
  AseTrouble trouble;
  ase_session_trouble(((Bench *)data)->session, &trouble);
  const bool is_it = trouble.kind == wanted;
  ase_trouble_clear(&trouble);
  return is_it;
}

static AseTrouble await(Bench *bench, AseTroubleKind kind) {
  AseTrouble trouble;
  wanted = kind;
  g_assert_true(rig_wait(has_trouble, bench, 5.0));
  ase_session_trouble(bench->session, &trouble);
  g_test_message("%s %s %s", trouble.cause, trouble.arm, trouble.helps);
  return trouble;
}

/* The fault comes as an event, at once; that the drives are off, with the next telemetry. */
static bool are_drives_off(void *data) {
  Bench *bench = data;
  AseTrouble trouble;
  ase_session_trouble(bench->session, &trouble);
  const bool are = strstr(trouble.arm, "drives are off") != NULL;
  ase_trouble_clear(&trouble);
  return are;
}

static void plant(Bench *bench, guint kind, guint joint) {
  const AioCommand command = {.kind = AIO_COMMAND_TEST, .test = {.kind = kind, .joint = joint}};
  ase_device_send(ase_session_device(bench->session), &command, bench_ignore, NULL);
}

/* Killed and cleared; then the cable, with the arm armed; then everything is well again. */
static void test_session(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 1.0);
  AseTrouble trouble = await(&bench, ASE_TROUBLE_NONE);
  bench_connect(&bench);
  bench_do(&bench, ASE_STEP_PLAN);
  trouble = await(&bench, ASE_TROUBLE_NONE);
  bench_arm(&bench);
  AseDevice *device = ase_session_device(bench.session);
  ase_device_power_off(device);
  trouble = await(&bench, ASE_TROUBLE_KILLED);
  ase_trouble_clear(&trouble);
  g_assert_true(rig_wait(are_drives_off, &bench, 5.0));
  rig_clear_faults(device);
  rig_until_unlocked(device);
  trouble = await(&bench, ASE_TROUBLE_NONE);
  bench_arm(&bench);
  plant(&bench, WIRE_TEST_UNPLUG, 0);
  trouble = await(&bench, ASE_TROUBLE_LINK_LOST);
  assert_says(1, trouble.arm, "was armed: the controller stops it");
  assert_says(1, trouble.arm, "latest 2.0 s");
  assert_says(1, trouble.helps, "then connect again");
  ase_trouble_clear(&trouble);
  bench_clear(&bench);
}

static bool is_checked(void *data) {
  return bench_state(data, ASE_STEP_CHECK) == ASE_STATE_PASSED;
}

/* CHECK failed for a fault: nobody has to ask again when that is cleared. */
static void test_check(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 1.0);
  bench_connect(&bench);
  AseDevice *device = ase_session_device(bench.session);
  ase_device_power_off(device);
  AseTrouble trouble = await(&bench, ASE_TROUBLE_KILLED);
  ase_trouble_clear(&trouble);
  bench_do(&bench, ASE_STEP_CHECK);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_FAILED);
  rig_clear_faults(device);
  g_assert_true(rig_wait(is_checked, &bench, 5.0));
  bench_clear(&bench);
}

static void test_foreign(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 1.0);
  bench_connect(&bench);
  g_assert_null(ase_device_foreign(ase_session_device(bench.session)));
  const AioEvent event = {.kind = AIO_EVENT_FOREIGN, .level = 1, .text = "somebody's HELLO"};
  g_signal_emit_by_name(ase_session_device(bench.session), "event", &event);
  g_assert_true(bench_has_message(&bench, "1 somebody's HELLO"));
  g_assert_cmpstr(ase_device_foreign(ase_session_device(bench.session)), ==, "somebody's HELLO");
  bench_clear(&bench);
}

/* The pose of a lost arm is what it was. */
static void test_pose(void) {
  double q[2] = {0.0}, last[2] = {0.0};
  Bench bench;
  bench_init(&bench, "planar2r", 1.0);
  AseDevice *device = ase_session_device(bench.session);
  g_assert_false(ase_device_last_pose(device, 2, last));
  bench_connect(&bench);
  plant(&bench, WIRE_TEST_UNPLUG, 0);
  AseTrouble trouble = await(&bench, ASE_TROUBLE_LINK_LOST);
  ase_trouble_clear(&trouble);
  g_assert_false(ase_device_pose(device, q));
  g_assert_true(ase_device_last_pose(device, 2, last));
  g_assert_cmpfloat(fabs(last[0]) + fabs(last[1]), >, 0.0);
  g_assert_false(ase_device_last_pose(device, 3, last));
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  setlocale(LC_NUMERIC, "C"); /* numbers for people are written as theirs */
  g_test_add_func("/trouble/words", test_words);
  g_test_add_func("/trouble/session", test_session);
  g_test_add_func("/trouble/check", test_check);
  g_test_add_func("/trouble/foreign", test_foreign);
  g_test_add_func("/trouble/pose", test_pose);
  return g_test_run();
}
