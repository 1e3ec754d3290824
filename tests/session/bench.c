/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "folder.h"
#include "support/support.h"

enum { CONNECT_TRIES = 3 };

static void on_message(AseSession *session, int level, const char *text, Bench *bench) {
  (void)session;
  g_test_message("%d %s", level, text);
  g_ptr_array_add(bench->messages, g_strdup_printf("%d %s", level, text));
}

static void on_leg(AseSession *session, guint leg, Bench *bench) {
  (void)session, (void)leg;
  bench->legs++;
}

static void on_progress(AseSession *session, guint step, double part, double left_s, Bench *bench) {
  (void)session, (void)step;
  g_assert_cmpfloat(part, >=, 0.0);
  g_assert_cmpfloat(part, <=, 1.0 + 1e-9);
  g_assert_true(isnan(left_s) || left_s >= 0.0);
  bench->progress++;
}

void bench_watch(Bench *bench, AseSession *session) {
  bench->session = session;
  g_signal_connect(session, "message", G_CALLBACK(on_message), bench);
  g_signal_connect(session, "leg", G_CALLBACK(on_leg), bench);
  g_signal_connect(session, "progress", G_CALLBACK(on_progress), bench);
}

static void start_options(Bench *bench, const AsimOptions *options) {
  GError *error = NULL;
  AsimController *controller = asim_controller_new(options, &error);
  int fd = -1;
  bench->loop = controller ? asim_loop_start(controller, &fd, &error) : NULL;
  if (!bench->loop)
    g_error("%s", error->message);
  g_close(fd, NULL);
}

static void start_controller(Bench *bench, double time_factor, guint64 seed) {
  const AsimOptions options = {
      .truth = &bench->truth, .seed = seed, .time_factor = time_factor, .line_room = 1 << 20};
  start_options(bench, &options);
}

void bench_replace_by_minor_0(Bench *bench, double time_factor) {
  const AsimOptions options = {.truth = &bench->truth,
                               .seed = 1,
                               .time_factor = time_factor,
                               .line_room = 1 << 20,
                               .is_minor_0 = true};
  asim_loop_stop_report(bench->loop, &bench->report);
  start_options(bench, &options);
}

void bench_replace_controller(Bench *bench, double time_factor, guint64 seed) {
  asim_loop_stop_report(bench->loop, &bench->report);
  start_controller(bench, time_factor, seed);
}

static void start(Bench *bench, const char *name, double time_factor, guint64 seed) {
  GError *error = NULL;
  memset(bench, 0, sizeof *bench);
  bench->lease_ms = RIG_LEASE_MS;
  char *relative = g_strdup_printf("data/robots/%s.arm.json", name);
  const char *arm = test_source_path(relative);
  if (!asim_truth_load(&bench->truth, arm, seed, &error) ||
      !g_file_get_contents(arm, &bench->arm_text, NULL, &error))
    g_error("%s", error->message);
  start_controller(bench, time_factor, seed);
  bench->messages = g_ptr_array_new_with_free_func(g_free);
  g_free(relative);
}

static void init(Bench *bench, const char *name, double time_factor, guint64 seed, char *folder) {
  GError *error = NULL;
  start(bench, name, time_factor, seed);
  bench->folder = folder;
  bench->path = g_build_filename(folder, "bench.armsession", NULL);
  if (g_file_test(bench->path, G_FILE_TEST_EXISTS)) {
    bench_open(bench);
    return;
  }
  AseSession *session = ase_session_create(bench->path, "test 1.0", name, bench->arm_text, &error);
  if (!session)
    g_error("%s", error->message);
  bench_watch(bench, session);
}

void bench_init(Bench *bench, const char *name, double time_factor) {
  init(bench, name, time_factor, 1, folder_new());
}

void bench_init_seed(Bench *bench, const char *name, double time_factor, guint64 seed) {
  init(bench, name, time_factor, seed, folder_new());
}

void bench_init_in(Bench *bench, const char *name, double time_factor, char *folder) {
  init(bench, name, time_factor, 1, folder);
}

void bench_close(Bench *bench) {
  GError *error = NULL;
  ase_session_close(bench->session, &error);
  g_assert_no_error(error);
  g_assert_finalize_object(bench->session);
  bench->session = NULL;
}

void bench_open(Bench *bench) {
  GError *error = NULL;
  g_clear_pointer(&bench->kept, g_free);
  AseSession *session = ase_session_open(bench->path, "test 1.0", &bench->kept, &error);
  if (!session)
    g_error("%s", error->message);
  g_test_message("%s", bench->kept);
  bench_watch(bench, session);
}

void bench_clear(Bench *bench) {
  if (bench->session)
    bench_close(bench);
  asim_loop_stop_report(bench->loop, &bench->report);
  folder_free(bench->folder);
  g_ptr_array_unref(bench->messages);
  g_free(bench->path);
  g_free(bench->kept);
  g_free(bench->arm_text);
}

void bench_hurry(Bench *bench) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->n_speeds = 2;
  edits->speeds_R[0] = 0.6, edits->speeds_R[1] = 1.0;
  edits->speeds_T[0] = 0.05, edits->speeds_T[1] = 0.1;
  edits->itinerary.dry_speed_R = 0.8;
  edits->itinerary.dry_speed_T = 0.1;
  edits->itinerary.move_speed_R = 0.8;
  edits->itinerary.moves_together = true;
  ase_session_set_edits(bench->session, edits, "hurry");
  g_free(edits);
}

AseStepState bench_state(Bench *bench, AseStep step) {
  return ase_procedure_state(ase_session_procedure(bench->session), step);
}

const char *bench_reason(Bench *bench, AseStep step) {
  return ase_step_reason(&ase_session_procedure(bench->session)->steps[step]);
}

typedef struct {
  Bench *bench;
  AseStep step;
  guint sweeps;
} Wanted;

static bool is_over(void *data) {
  const Wanted *wanted = data;
  const AseStepState state = bench_state(wanted->bench, wanted->step);
  return state != ASE_STATE_RUNNING && state != ASE_STATE_WAITING && state != ASE_STATE_READY;
}

void bench_until(Bench *bench, AseStep step, double seconds) {
  Wanted wanted = {bench, step, 0};
  if (!rig_wait(is_over, &wanted, seconds))
    g_error("%s does not end", ase_steps_title(ase_session_steps(), step));
}

static bool is_decided(void *data) {
  const Wanted *wanted = data;
  const AseStepState state = bench_state(wanted->bench, wanted->step);
  return state == ASE_STATE_PASSED || state == ASE_STATE_FAILED;
}

void bench_connect(Bench *bench) {
  bench_connect_to(bench, ASE_STEP_CHECK);
}

/* A simulator that is not scheduled for a third of a second does not answer in time. */
static bool has_answered(void *data) {
  const Wanted *wanted = data;
  return is_decided(data) ||
         ase_device_link(ase_session_device(wanted->bench->session)) == ASE_LINK_FAILED;
}

static void connect_once(Bench *bench, Wanted *wanted) {
  GError *error = NULL;
  const int fd = asim_loop_connect(bench->loop, &error);
  g_assert_no_error(error);
  AioLink *link = aio_link_fd_new(fd, "simulator", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.lockout_s = 0.2;
  options.lease_ms = bench->lease_ms;
  if (!link || !ase_session_connect(bench->session, link, &options, &error))
    g_error("%s", error->message);
  rig_wait(has_answered, wanted, 5.0);
}

void bench_connect_to(Bench *bench, AseStep step) {
  Wanted wanted = {bench, step, 0};
  connect_once(bench, &wanted);
  for (guint k = 0; k < CONNECT_TRIES && !is_decided(&wanted); k++)
    connect_once(bench, &wanted);
  if (!is_decided(&wanted))
    g_error("%s is not decided: %s", ase_steps_title(ase_session_steps(), step),
            ase_device_reason(ase_session_device(bench->session)));
}

static bool is_armed(void *data) {
  return ase_device_is_armed(ase_session_device(((Bench *)data)->session));
}

void bench_arm(Bench *bench) {
  GError *error = NULL;
  rig_until_still(ase_session_device(bench->session));
  if (!ase_device_arm(ase_session_device(bench->session), &error))
    g_error("%s", error->message);
  if (!rig_wait(is_armed, bench, 5.0))
    g_error("not armed: %s", ase_device_reason(ase_session_device(bench->session)));
}

void bench_do(Bench *bench, AseStep step) {
  GError *error = NULL;
  const gint64 began = g_get_monotonic_time();
  if (!ase_session_start(bench->session, step, &error))
    g_error("%s", error->message);
  bench_until(bench, step, 600.0);
  g_test_message("%s: %s, %s (%.1f s)", ase_steps_title(ase_session_steps(), step),
                 ase_state_key(bench_state(bench, step)), bench_reason(bench, step),
                 1e-6 * (double)(g_get_monotonic_time() - began));
}

void bench_reach(Bench *bench, AseStep last) {
  static const AseStep steps[] = {ASE_STEP_PLAN, ASE_STEP_DRY_RUN, ASE_STEP_SWEEP, ASE_STEP_FIT,
                                  ASE_STEP_VALIDATE};
  for (gsize k = 0; k < G_N_ELEMENTS(steps) && steps[k] <= last; k++) {
    if (ase_state_is_done(bench_state(bench, steps[k])))
      continue;
    if (steps[k] == ASE_STEP_DRY_RUN && !is_armed(bench))
      bench_arm(bench);
    bench_do(bench, steps[k]);
    if (!ase_state_is_done(bench_state(bench, steps[k])))
      g_error("%s: %s", ase_steps_title(ase_session_steps(), steps[k]),
              bench_reason(bench, steps[k]));
  }
}

static bool has_swept(void *data) {
  const Wanted *wanted = data;
  const GPtrArray *runs = ase_session_runs(wanted->bench->session);
  guint complete = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    complete += run->is_complete && run->purpose != ASE_PURPOSE_DRY_RUN;
  }
  return complete >= wanted->sweeps;
}

void bench_sweep_until(Bench *bench, guint sweeps) {
  GError *error = NULL;
  Wanted wanted = {bench, ASE_STEP_SWEEP, sweeps};
  if (!ase_session_start(bench->session, ASE_STEP_SWEEP, &error))
    g_error("%s", error->message);
  if (!rig_wait(has_swept, &wanted, 60.0))
    g_error("sweeps do not come");
}

bool bench_has_message(const Bench *bench, const char *part) {
  for (guint k = 0; k < bench->messages->len; k++)
    if (strstr(bench->messages->pdata[k], part))
      return true;
  return false;
}

void bench_refused(Bench *bench, AseStep step, const char *part) {
  GError *error = NULL;
  g_assert_false(ase_session_start(bench->session, step, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, part))
    g_error("\"%s\" lacks \"%s\"", error->message, part);
  g_clear_error(&error);
}

void bench_plan_one(Bench *bench, double speed) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  memset(&edits->plan, 0, sizeof edits->plan);
  edits->has_plan = true;
  edits->plan.n = 2;
  edits->plan.joint[1] =
      (ArmJointPlan){.is_swept = true,
                     .from = -0.5,
                     .to = 0.5,
                     .positions = 100,
                     .n_speeds = 2,
                     .speeds = {speed, 1.5 * speed},
                     .n_holds = 2,
                     .holds = {{0.0, 0.0}, {1.2, 0.0}}}; /* the current changes its sign */
  edits->itinerary.validation_holds = 0;
  edits->itinerary.repeats_first = false;
  edits->itinerary.dry_speed_R = 1.0;
  edits->itinerary.move_speed_R = 1.0;
  ase_session_set_edits(bench->session, edits, "plan by hand");
  g_free(edits);
}

void bench_ignore(const AioReply *reply, void *ctx) {
  (void)reply, (void)ctx;
}

static void on_answered(const AioReply *reply, void *ctx) {
  (void)reply;
  *(bool *)ctx = true;
}

static bool is_true(void *data) {
  return *(bool *)data;
}

void bench_ask(Bench *bench, const AioCommand *command) {
  bool is_answered = false;
  ase_device_send(ase_session_device(bench->session), command, on_answered, &is_answered);
  g_assert_true(rig_wait(is_true, &is_answered, 10.0));
}

bool bench_is_shelved(void *data) {
  const GPtrArray *runs = ase_session_runs(((Bench *)data)->session);
  for (guint k = 0; k < runs->len; k++)
    if (((const AseRun *)runs->pdata[k])->chunks->len > 0)
      return false;
  return true;
}
