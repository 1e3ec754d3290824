/* SPDX-License-Identifier: MIT */
/* A session's process is stopped (SIGSTOP) or killed in mid-sweep: the arm halts by itself, at most
 * 250 ms of rows are missing, the session goes on to the end.
 *
 * The session is a child, this program with --session FILE; it has its end of a socket as
 * descriptor 3. The simulator runs here, so that the truth of the arm can be looked at. */
#include <gio/gio.h>
#include <glib-unix.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fault_case.h"
#include "folder.h"
#include "io/store/store.h"
#include "support/support.h"
#include "wire/message.h"

#define FACTOR 5.0
#define SWIFT  0.1  /* [rad/s] and more: joint 2 sweeps */
#define REST   0.02 /* [rad/s] and less: it does not move */

enum {
  LEASE_MS = 1000,
  LINK_FD = 3,
  SWEPT = 1,
  PATIENCE_S = 60,
  SETTLING_MS = 800,
  MAX_LOST_MS = 250
};

/* ---- the session ---- */

static AseSession *open_session(const char *path) {
  GError *error = NULL;
  char *arm = NULL, *words = NULL;
  AseSession *session = NULL;
  if (g_file_test(path, G_FILE_TEST_EXISTS))
    session = ase_session_open(path, "test 1.0", &words, &error);
  else if (g_file_get_contents(test_source_path("data/robots/planar2r.arm.json"), &arm, NULL,
                               &error))
    session = ase_session_create(path, "test 1.0", "planar2r", arm, &error);
  g_assert_no_error(error);
  if (words)
    printf("%s\n", words);
  g_free(words);
  g_free(arm);
  return session;
}

static void connect_session(Bench *bench) {
  GError *error = NULL;
  AseDeviceOptions options;
  fault_options(&options, LEASE_MS);
  AioLink *link = aio_link_fd_new(LINK_FD, "simulator", &error);
  if (!link || !ase_session_connect(bench->session, link, &options, &error))
    g_error("%s", error->message);
}

static bool is_decided(void *data) {
  const AseStepState state = bench_state(data, ASE_STEP_CHECK);
  return state == ASE_STATE_PASSED || state == ASE_STATE_FAILED;
}

static bool is_sweeping(void *data) {
  return ase_device_state(ase_session_device(((Bench *)data)->session))->motion == AIO_MOTION_SWEEP;
}

/* One line for each that the parent waits for. */
static int be_session(const char *path) {
  Bench bench = {.path = (char *)path, .messages = g_ptr_array_new_with_free_func(g_free)};
  setvbuf(stdout, NULL, _IOLBF, 0);
  const bool goes_on = g_file_test(path, G_FILE_TEST_EXISTS);
  bench_watch(&bench, open_session(path));
  if (!goes_on)
    bench_plan_one(&bench, 0.2);
  connect_session(&bench);
  g_assert_true(rig_wait(is_decided, &bench, 20));
  if (!goes_on) {
    GError *error = NULL;
    bench_reach(&bench, ASE_STEP_DRY_RUN);
    g_assert_true(ase_session_start(bench.session, ASE_STEP_SWEEP, &error));
    g_assert_true(rig_wait(is_sweeping, &bench, 20));
    rig_pass(0.5); /* into the sweep; the commit of what came before */
    printf("sweeping\n");
    bench_until(&bench, ASE_STEP_SWEEP, PATIENCE_S);
  }
  printf("%s\n", bench_reason(&bench, ASE_STEP_SWEEP));
  fault_go_on(&bench);
  const GPtrArray *runs = ase_session_runs(bench.session);
  printf("%s, %u runs\n", ase_state_key(bench_state(&bench, ASE_STEP_SWEEP)), runs->len);
  bench_close(&bench);
  g_ptr_array_unref(bench.messages);
  return 0;
}

/* ---- the arm, and what is done to the session ---- */

typedef struct World World;
struct World {
  AsimController *controller;
  int fd; /* of the arm's end, -1: none */
  GPid pid;
  int out;          /* what the child prints */
  GString *printed; /* since it was started */
  bool has_ended;
  bool (*is_over)(World *world);
  gint64 struck_us, moving_us; /* device time: of the signal, when the arm moved last */
  double qd_then, held_ms;
};

static double speed_of(const World *w) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS];
  arm_plant_truth(asim_controller_plant(w->controller), q, qd, current);
  return qd[SWEPT];
}

static void listen_to(World *w) {
  char text[512];
  struct pollfd on = {.fd = w->out, .events = POLLIN};
  if (w->has_ended || poll(&on, 1, 0) <= 0)
    return;
  const ssize_t n = read(w->out, text, sizeof text);
  w->has_ended = n <= 0;
  if (n > 0)
    g_string_append_len(w->printed, text, n);
}

static int plug(void *ctx, int fd) {
  (void)fd;
  return ((World *)ctx)->fd;
}

static void unplug(void *ctx, int fd) {
  close(fd);
  ((World *)ctx)->fd = -1;
}

static bool should_stop(void *ctx) {
  World *w = ctx;
  listen_to(w);
  if (fabs(speed_of(w)) > REST)
    w->moving_us = asim_controller_device_us(w->controller);
  return w->is_over(w);
}

static void run(World *w, bool (*is_over)(World *world)) {
  const AsimCable cable = {plug, unplug, should_stop, w};
  const int kept = w->fd >= 0 ? dup(w->fd) : -1; /* the loop closes it at its end */
  w->is_over = is_over;
  asim_loop_run(w->controller, &cable, NULL);
  w->fd = kept;
}

static void start_session(World *w, const char *path) {
  const char *const arguments[] = {"/proc/self/exe", "--session", path, NULL};
  GError *error = NULL;
  int ends[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), ==, 0);
  const int from[] = {ends[1]}, to[] = {LINK_FD};
  g_spawn_async_with_pipes_and_fds(NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, -1,
                                   -1, -1, from, to, 1, &w->pid, NULL, &w->out, NULL, &error);
  g_assert_no_error(error);
  close(ends[1]);
  w->fd = ends[0];
  w->has_ended = false;
  g_string_truncate(w->printed, 0);
}

/* What the session prints is heard late on a busy machine, when the stroke may be ending. */
static bool is_sweeping_there(World *w) {
  return w->has_ended || (strstr(w->printed->str, "sweeping\n") && fabs(speed_of(w)) > SWIFT);
}

/* Wall time of the simulator: what it did not get has not passed for the arm. */
static bool is_watched(World *w) {
  const double us = (double)(asim_controller_device_us(w->controller) - w->struck_us);
  return us > 1e3 * FACTOR * (LEASE_MS + 1000);
}

static bool has_ended(World *w) {
  return w->has_ended;
}

static void strike(World *w, int signal_number) {
  run(w, is_sweeping_there);
  g_assert_false(w->has_ended);
  w->qd_then = speed_of(w);
  w->struck_us = asim_controller_device_us(w->controller);
  g_assert_cmpfloat(fabs(w->qd_then), >, SWIFT);
  g_assert_cmpint(kill(w->pid, signal_number), ==, 0);
}

/* The lease, the deceleration, and what the servo needs to settle. */
static void expect_held(World *w, const ArmLimits *limits) {
  run(w, is_watched);
  const double ms = 1e-3 * (double)(w->moving_us - w->struck_us);
  const double braking_ms = 1e3 * fabs(w->qd_then) / limits->accel_max;
  g_assert_cmpfloat(ms, >, 0);
  g_assert_cmpfloat(ms, <=, FACTOR * (LEASE_MS + 50) + braking_ms + SETTLING_MS);
  g_assert_cmpfloat(fabs(speed_of(w)), <, REST);
  w->held_ms = ms / FACTOR;
}

static void expect_lines(World *w, const char *first, const char *last) {
  run(w, has_ended);
  if (!strstr(w->printed->str, first) || !g_str_has_suffix(w->printed->str, last))
    g_error("%s", w->printed->str);
  g_spawn_close_pid(w->pid);
  close(w->out);
}

typedef struct {
  World world;
  AsimTruth truth;
  char *folder, *path;
} Case;

static void set_up(Case *c, gconstpointer data) {
  GError *error = NULL;
  (void)data;
  asim_truth_load(&c->truth, test_source_path("data/robots/planar2r.arm.json"), 1, &error);
  g_assert_no_error(error);
  const AsimOptions options = {
      .truth = &c->truth, .seed = 1, .time_factor = FACTOR, .line_room = 1 << 20};
  c->folder = folder_new();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->world = (World){
      .controller = asim_controller_new(&options, &error), .fd = -1, .printed = g_string_new(NULL)};
  g_assert_no_error(error);
  start_session(&c->world, c->path);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  if (c->world.fd >= 0)
    close(c->world.fd);
  asim_controller_free(c->world.controller);
  g_string_free(c->world.printed, TRUE);
  folder_free(c->folder);
  g_free(c->path);
}

/* ---- tests ---- */

static void test_stop(Case *c, gconstpointer data) {
  (void)data;
  strike(&c->world, SIGSTOP);
  expect_held(&c->world, &c->truth.plant.model.joints[SWEPT].limits);
  const FileRows rows = fault_rows(c->path);
  g_assert_cmpint(kill(c->world.pid, SIGCONT), ==, 0);
  expect_lines(&c->world, "LEASE: the lease expired\n", "passed, 6 runs\n");
  g_assert_cmpuint(fault_rows(c->path).n, >, rows.n);
  g_test_message("LEASE: the lease expired; the arm moved for %.0f ms, the lease being %d ms",
                 c->world.held_ms, LEASE_MS);
}

/* The file opens, and what it lacks is the last 250 ms: samples are stamped with the controller's
 * time, which begins with the simulator's. */
static void test_kill(Case *c, gconstpointer data) {
  (void)data;
  strike(&c->world, SIGKILL);
  expect_held(&c->world, &c->truth.plant.model.joints[SWEPT].limits);
  const FileRows rows = fault_rows(c->path);
  const double lost_ms =
      1e-3 / FACTOR * (double)(c->world.struck_us - (gint64)(rows.last_us & G_MAXUINT32));
  g_assert_cmpfloat(lost_ms, <, MAX_LOST_MS);
  start_session(&c->world, c->path);
  expect_lines(&c->world, "resumed: 0 of 4 sweeps, ", "passed, 6 runs\n");
  g_assert_nonnull(strstr(c->world.printed->str, "interrupted in joint 2"));
  g_assert_nonnull(strstr(c->world.printed->str, "interrupted: the program ended\n"));
  g_assert_cmpuint(fault_rows(c->path).n, >, rows.n);
  g_test_message("interrupted: the program ended; %" G_GUINT64_FORMAT
                 " rows, the last %.0f ms before the kill; the arm moved for %.0f ms, the lease "
                 "being %d ms",
                 rows.n, lost_ms, c->world.held_ms, LEASE_MS);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--session") == 0)
    return be_session(argv[2]);
  signal(SIGPIPE, SIG_IGN); /* the other end may be gone */
  g_test_init(&argc, &argv, NULL);
  g_test_add("/faults/session's process stopped in mid-sweep", Case, NULL, set_up, test_stop,
             tear_down);
  g_test_add("/faults/session's process killed in mid-sweep", Case, NULL, set_up, test_kill,
             tear_down);
  return g_test_run();
}
