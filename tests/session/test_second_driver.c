/* SPDX-License-Identifier: MIT */
/* A second kind of controller (tests/io/registry/abacus.h) from the first question to the replay of
 * what it said, through the same session as the native one. Nothing in src names it: the program is
 * linked with a list of drivers that has one line more. */
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../io/registry/abacus.h"
#include "folder.h"
#include "io/acquire/capture_samples.h"
#include "io/registry/driver_registry.h"
#include "rig.h"
#include "session/session.h"

/* ---- the controller, in a thread of its own ---- */

typedef struct {
  Abacus abacus;
  int fd;
  GThread *thread;
} Desk;

static gpointer desk_run(gpointer data) {
  Desk *desk = data;
  gint64 last_us = g_get_monotonic_time();
  for (;;) {
    guint8 bytes[256];
    struct pollfd on = {.fd = desk->fd, .events = POLLIN};
    poll(&on, 1, 1);
    const gint64 now_us = g_get_monotonic_time();
    abacus_pass(&desk->abacus, (guint64)(now_us - last_us));
    last_us = now_us;
    const ssize_t n = recv(desk->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN))
      return NULL;
    if (n > 0)
      abacus_hear(&desk->abacus, bytes, (gsize)n);
    GString *answer = desk->abacus.answer;
    if (answer->len > 0 && send(desk->fd, answer->str, answer->len, MSG_NOSIGNAL) < 0)
      return NULL;
    g_string_truncate(answer, 0);
  }
}

static int desk_start(Desk *desk) {
  int ends[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  abacus_init(&desk->abacus);
  desk->fd = ends[1];
  desk->thread = g_thread_new("abacus", desk_run, desk);
  return ends[0];
}

static void desk_stop(Desk *desk) {
  shutdown(desk->fd, SHUT_RDWR);
  g_thread_join(desk->thread);
  close(desk->fd);
}

/* ---- the session ---- */

typedef struct {
  Desk desk;
  char *folder, *capture;
  AseSession *session;
  AseDevice *device;
  GPtrArray *chunks;
  AioReply reply;
  guint replies, legs, moving[3]; /* samples in which joint 1, 2 moves */
  AioMotionEnd end;
  gint64 seen_us, late_us; /* the main loop: last seen, and its longest absence since a command */
  gulong sleep_us;         /* so long it is to be absent, once, amid a motion */
} Bench;

static void on_chunk(AseDevice *device, gpointer chunk, Bench *bench) {
  const AioChunk *samples = chunk;
  (void)device;
  g_ptr_array_add(bench->chunks, aio_chunk_ref(chunk));
  for (guint k = 0; k < samples->n; k++)
    bench->moving[MIN(samples->joint[k], 2)]++;
}

static void on_event(AseDevice *device, gpointer data, Bench *bench) {
  const AioEvent *event = data;
  (void)device;
  bench->legs += event->kind == AIO_EVENT_LEG;
  if (event->kind == AIO_EVENT_MOTION_END)
    bench->end = event->end;
}

static void unref_chunk(gpointer chunk) {
  aio_chunk_unref(chunk);
}

static void bench_init(Bench *bench, const char *driver) {
  GError *error = NULL;
  AseDeviceOptions options;
  *bench = (Bench){.folder = folder_new()};
  g_autofree char *path = g_build_filename(bench->folder, "s.armsession", NULL);
  bench->capture = g_build_filename(bench->folder, "line.capture", NULL);
  bench->chunks = g_ptr_array_new_with_free_func(unref_chunk);
  bench->session = ase_session_create(path, "test 1.0", "abacus", abacus_arm, &error);
  g_assert_no_error(error);
  bench->device = ase_session_device(bench->session);
  g_signal_connect(bench->device, "chunk", G_CALLBACK(on_chunk), bench);
  g_signal_connect(bench->device, "event", G_CALLBACK(on_event), bench);
  ase_device_options_default(&options);
  options.driver = driver;
  options.telemetry_hz = 50.0;
  options.capture = aio_capture_new(bench->capture, &error);
  g_assert_no_error(error);
  AioLink *link = aio_link_fd_new(desk_start(&bench->desk), "abacus", &error);
  g_assert_no_error(error);
  g_assert_true(ase_session_connect(bench->session, link, &options, &error));
}

static void bench_clear(Bench *bench) {
  ase_device_close(bench->device);
  g_object_unref(bench->session);
  g_ptr_array_unref(bench->chunks);
  abacus_clear(&bench->desk.abacus);
  folder_free(bench->folder);
  g_free(bench->capture);
}

static AseStepState state_of(Bench *bench, AseStep step) {
  return ase_procedure_state(ase_session_procedure(bench->session), step);
}

static bool is_checked(void *data) {
  const AseStepState state = state_of(data, ASE_STEP_CHECK);
  return state == ASE_STATE_PASSED || state == ASE_STATE_FAILED;
}

static bool is_armed(void *data) {
  return ase_device_is_armed(((Bench *)data)->device);
}

/* Who lets 0.5 s pass without a beat has its motion stopped, as it should be: beats that were late,
 * as on a busy computer, are no fault of the driver's. The reader may be late too, between hearing
 * a beat and looking at the clock, so that it takes less of the main loop than these 0.5 s. */
#define LATE_US 100000
enum { TRIES = 30, LEAST_SAMPLES = 4 };

static void look_at_clock(Bench *bench) {
  const gint64 now_us = g_get_monotonic_time();
  bench->late_us = MAX(bench->late_us, now_us - bench->seen_us);
  bench->seen_us = now_us;
}

static bool has_ended(void *data) {
  Bench *bench = data;
  look_at_clock(bench);
  g_usleep(bench->sleep_us);
  bench->sleep_us = 0;
  return bench->end != AIO_END_NONE;
}

static void take_reply(const AioReply *reply, void *ctx) {
  Bench *bench = ctx;
  bench->reply = *reply;
  bench->replies++;
}

static bool is_answered(void *data) {
  look_at_clock(data);
  return ((Bench *)data)->replies > 0;
}

static void ask(Bench *bench, const AioCommand *command) {
  bench->replies = 0;
  bench->end = AIO_END_NONE;
  bench->legs = 0;
  bench->late_us = 0;
  bench->seen_us = g_get_monotonic_time();
  ase_device_send(bench->device, command, take_reply, bench);
  g_assert_true(rig_wait(is_answered, bench, 5.0));
  g_assert_cmpint(bench->reply.code, ==, 0);
}

/* Once more where it was stopped while the computer was late, or hardly seen because the line was,
 * and for nothing else; moves go to and fro. */
static void do_motion(Bench *bench, AioCommand *command, guint joint) {
  for (guint tries = 0; tries < TRIES; tries++) {
    ask(bench, command);
    g_assert_true(rig_wait(has_ended, bench, 10.0));
    const bool was_late = bench->end == AIO_END_STOP && bench->late_us >= LATE_US;
    if (!was_late && (bench->end != AIO_END_DONE || bench->moving[joint] >= LEAST_SAMPLES))
      break;
    g_test_message("%s, %u samples; the main loop was late by %.2f s",
                   was_late ? "stopped" : "done", bench->moving[joint],
                   1e-6 * (double)bench->late_us);
    if (command->kind == AIO_COMMAND_MOVE)
      command->move.joint[0].q *= -1.0;
  }
  g_assert_cmpint(bench->end, ==, AIO_END_DONE);
}

static void connect_and_check(Bench *bench) {
  g_assert_true(rig_wait(is_checked, bench, 10.0));
  const char *reason =
      ase_step_reason(&ase_session_procedure(bench->session)->steps[ASE_STEP_CHECK]);
  if (state_of(bench, ASE_STEP_CHECK) != ASE_STATE_PASSED)
    g_error("%s", reason);
  g_assert_nonnull(strstr(reason, "pose and limits are as they should be"));
  g_assert_nonnull(strstr(reason, "no lease and no emergency stop chain: when the computer fails"));
  const AioDescription *d = ase_device_description(bench->device);
  g_assert_cmpstr(d->driver, ==, "abacus");
  g_assert_cmpfloat(d->joint[0].speed_unit, >, 0.0);
}

/* Once more where no answer came within 0.6 s, as on a busy computer. */
static void arm(Bench *bench) {
  GError *error = NULL;
  for (guint tries = 0; tries < TRIES && !is_armed(bench); tries++) {
    ase_device_arm(bench->device, &error);
    g_assert_no_error(error); /* no chain, so none that is open */
    (void)rig_try(is_armed, bench, 3.0);
  }
  g_assert_true(is_armed(bench));
}

static void move(Bench *bench) {
  AioCommand command = {.kind = AIO_COMMAND_MOVE, .move = {.n = 1, .joint = {{2, 0.5, 1.0, 3.0}}}};
  do_motion(bench, &command, 2);
  const double unit = ase_device_description(bench->device)->joint[1].speed_unit;
  g_assert_cmpfloat_with_epsilon(bench->reply.speed / unit, round(1.0 / unit), 1e-9);
  g_assert_cmpfloat(bench->reply.accel, >, 0.0);
}

static void sweep(Bench *bench) {
  AioCommand command = {
      .kind = AIO_COMMAND_SWEEP,
      .sweep = {.joint = 1, .q0 = -0.3, .q1 = 0.3, .speed = 1.0, .accel = 3.0, .passes = 2}};
  bench->sleep_us = 700000; /* less than half of it: it is stopped unless the reader is late too */
  do_motion(bench, &command, 1);
  g_assert_cmpuint(bench->legs, ==, 2);
}

/* ---- the replay ---- */

typedef struct {
  const GPtrArray *chunks;
  guint chunk, at;
} Rows;

static const AioChunk *next_row(Rows *rows) {
  while (rows->chunk < rows->chunks->len) {
    const AioChunk *chunk = rows->chunks->pdata[rows->chunk];
    if (rows->at < chunk->n)
      return chunk;
    rows->chunk++;
    rows->at = 0;
  }
  return NULL;
}

/* All that the session saw comes again, bit by bit, and with its time. */
static void replay(Bench *bench) {
  GError *error = NULL;
  AioCaptureSamples *again = aio_capture_samples_load(bench->capture, &error);
  g_assert_no_error(error);
  g_assert_null(again->damage);
  g_assert_cmpstr(again->description.driver, ==, "abacus");
  g_assert_cmpuint(again->description.joints, ==, 2);
  Rows then = {bench->chunks, 0, 0}, now = {again->chunks, 0, 0};
  guint samples = 0, moving[3] = {0, 0, 0};
  const AioChunk *a, *b;
  for (; (a = next_row(&then)) && (b = next_row(&now)); then.at++, now.at++, samples++) {
    g_assert_cmpuint(a->t_us[then.at], ==, b->t_us[now.at]);
    g_assert_cmpint(a->t_host_ns[then.at], ==, b->t_host_ns[now.at]);
    g_assert_cmpuint(a->joint[then.at], ==, b->joint[now.at]);
    g_assert_cmpmem(a->q + 2 * then.at, 2 * sizeof *a->q, b->q + 2 * now.at, 2 * sizeof *b->q);
    g_assert_cmpmem(a->qd + 2 * then.at, 2 * sizeof *a->q, b->qd + 2 * now.at, 2 * sizeof *b->q);
    g_assert_cmpmem(a->current + 2 * then.at, 2 * sizeof *a->q, b->current + 2 * now.at,
                    2 * sizeof *b->q);
    moving[MIN(a->joint[then.at], 2)]++;
  }
  g_assert_null(next_row(&then));
  g_assert_null(next_row(&now));
  g_test_message("%u samples, of joint 1 %u, of joint 2 %u", samples, moving[1], moving[2]);
  g_assert_cmpuint(moving[1], >=, LEAST_SAMPLES); /* on a busy computer */
  g_assert_cmpuint(moving[2], >=, LEAST_SAMPLES);
  aio_capture_samples_free(again);
}

/* ---- tests ---- */

static void test_all_of_it(gconstpointer driver) {
  Bench bench;
  bench_init(&bench, driver);
  connect_and_check(&bench);
  arm(&bench);
  move(&bench);
  sweep(&bench);
  ase_device_close(bench.device);
  desk_stop(&bench.desk);
  /* found out by reading: nothing was written before ARM, and nothing after its hold was let go */
  const char *heard = bench.desk.abacus.heard->str, *on = strstr(heard, "\non\n");
  g_assert_true(g_str_has_prefix(heard, "who\n"));
  g_assert_nonnull(on);
  g_autofree char *before = g_strndup(heard, (gsize)(on - heard));
  g_assert_null(strstr(before, "goal"));
  g_assert_null(strstr(before, "off"));
  replay(&bench);
  bench_clear(&bench);
}

/* A name that nobody has. */
static void test_wrong_name(void) {
  GError *error = NULL;
  int ends[2];
  AseDeviceOptions options;
  AseDevice *device = ase_device_new();
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  AioLink *link = aio_link_fd_new(ends[0], "abacus", &error);
  ase_device_options_default(&options);
  options.driver = "slide rule";
  g_assert_false(ase_device_open(device, link, &options, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_nonnull(strstr(error->message, "expected one of native, abacus, found \"slide rule\""));
  g_assert_cmpint(ase_device_link(device), ==, ASE_LINK_CLOSED);
  g_clear_error(&error);
  aio_link_close(link);
  close(ends[1]);
  g_object_unref(device);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/second-driver/probed", NULL, test_all_of_it);
  g_test_add_data_func("/second-driver/named", "abacus", test_all_of_it);
  g_test_add_func("/second-driver/wrong-name", test_wrong_name);
  return g_test_run();
}
