/* SPDX-License-Identifier: MIT */
/* A simulated controller whose telemetry of a joint is frozen, and that does not know: nothing of
 * it passes, and the arm is halted. */
#include <string.h>

#include "bench.h"
#include "wire/message.h"

enum { POSITION = 1, SPEED = 2, CURRENT = 4 };

static bool is_held(void *data) {
  const AioState *state = ase_device_state(ase_session_device(((Bench *)data)->session));
  return state->state == AIO_DEVICE_HALTED && state->motion == AIO_MOTION_NONE;
}

static void freeze(Bench *bench, gint32 what) {
  const AioCommand command = {.kind = AIO_COMMAND_TEST,
                              .test = {.kind = WIRE_TEST_FREEZE, .joint = 2, .value = what}};
  bench_ask(bench, &command);
}

/* From where the arm stands [deg], so that no move to its beginning tells. */
static void plan_short(Bench *bench, double reach) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->plan.joint[1].from = 0.0;
  edits->plan.joint[1].to = reach * G_PI / 180.0;
  edits->plan.joint[1].speeds[0] = edits->itinerary.dry_speed_R = 0.05;
  edits->plan.joint[1].speeds[1] = 0.08;
  ase_session_set_edits(bench->session, edits, "short");
  g_free(edits);
}

/* joint 1, which moves between the holds, is well; joint 2 sweeps. reach 0: far. */
static void begin(Bench *bench, double reach) {
  bench_init(bench, "planar2r", 20.0);
  bench_plan_one(bench, 0.5);
  if (reach > 0.0)
    plan_short(bench, reach);
  bench_connect(bench);
  bench_do(bench, ASE_STEP_PLAN);
  bench_arm(bench);
}

static void expect(Bench *bench, AseStep step, const char *part) {
  bench_do(bench, step);
  g_assert_cmpint(bench_state(bench, step), ==, ASE_STATE_FAILED);
  if (!strstr(bench_reason(bench, step), part))
    g_error("\"%s\" lacks \"%s\"", bench_reason(bench, step), part);
  g_assert_nonnull(strstr(bench_reason(bench, step), "joint 2"));
  g_assert_true(bench_has_message(bench, part));
  g_assert_true(rig_wait(is_held, bench, 5.0));
  g_assert_true(ase_device_state(ase_session_device(bench->session))->drives_on);
  const GPtrArray *runs = ase_session_runs(bench->session);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    g_assert_true(!run->is_complete ||
                  (run->purpose == ASE_PURPOSE_DRY_RUN) != (step == ASE_STEP_DRY_RUN));
  }
}

typedef struct {
  const char *name;
  gint32 what;
  const char *part;
} Case;

static const Case cases[] = {
    {"all", POSITION | SPEED | CURRENT, "nothing that the controller tells of it changed"},
    {"encoder", POSITION | SPEED, "its position never changed"},
    {"position", POSITION, "its position never changed"},
    {"speed", SPEED, "its speed never changed"},
    {"current", CURRENT, "its current never changed"},
};

static void test_dry_run(gconstpointer data) {
  const Case *c = data;
  Bench bench;
  begin(&bench, 0.0);
  freeze(&bench, c->what);
  expect(&bench, ASE_STEP_DRY_RUN, c->part);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_WAITING);
  bench_clear(&bench);
}

static void test_sweep(gconstpointer data) {
  const Case *c = data;
  Bench bench;
  begin(&bench, 0.0);
  bench_do(&bench, ASE_STEP_DRY_RUN);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  freeze(&bench, c->what);
  expect(&bench, ASE_STEP_SWEEP, c->part);
  bench_clear(&bench);
}

/* The simulated arm states no error at rest: 0.5 deg. */
static void test_short(void) {
  Bench bench;
  begin(&bench, 1.6);
  freeze(&bench, POSITION);
  expect(&bench, ASE_STEP_DRY_RUN, "its position never changed");
  bench_clear(&bench);
}

/* It would end where it began, wherever the encoder is stuck. */
static void test_too_short(void) {
  Bench bench;
  g_autoptr(GError) error = NULL;
  begin(&bench, 1.4);
  g_assert_false(ase_session_start(bench.session, ASE_STEP_DRY_RUN, &error));
  g_assert_nonnull(strstr(error->message, "a stuck encoder would not be noticed"));
  g_assert_true(ase_device_is_armed(ase_session_device(bench.session)));
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stuck/short", test_short);
  g_test_add_func("/stuck/too-short", test_too_short);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *dry_run = g_strdup_printf("/stuck/dry-run/%s", cases[k].name);
    char *sweep = g_strdup_printf("/stuck/sweep/%s", cases[k].name);
    g_test_add_data_func(dry_run, &cases[k], test_dry_run);
    g_test_add_data_func(sweep, &cases[k], test_sweep);
    g_free(dry_run);
    g_free(sweep);
  }
  return g_test_run();
}
