/* SPDX-License-Identifier: MIT */
/* Device time follows the clock times the speed, in slices; what cannot be followed slips and is
 * counted (DESIGN: bursts would be another arm). Beside the controller nothing is decided here: the
 * same controller in a test has no loop. */
#include "sim/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/base/error.h"

enum { SLICE_US = 1000, TURN_US = 5000, BEHIND_MAX_US = 100000, POLL_MS = 1, BUFFER = 16384 };

typedef struct {
  AsimController *controller;
  const AsimCable *cable;
  int fd;             /* -1: unplugged */
  gint64 last_us;     /* monotonic: up to here the controller has been advanced */
  guint8 out[BUFFER]; /* [out_at, out_end) is on its way */
  gsize out_at, out_end;
  gint64 slipped_us;
} Run;

/* ---- the cable ---- */

static void unplug(Run *run) {
  if (run->fd >= 0)
    run->cable->unplug(run->cable->ctx, run->fd);
  run->fd = -1;
  run->out_at = run->out_end = 0;
}

static void plug(Run *run, int fd) {
  if (fd == run->fd)
    return;
  unplug(run);
  run->fd = fd;
}

static void follow_cable(Run *run) {
  if (asim_controller_is_unplugged(run->controller))
    unplug(run);
  else
    plug(run, run->cable->plug(run->cable->ctx, run->fd));
}

static bool is_transient(int error) {
  return error == EAGAIN || error == EINTR;
}

static void read_host(Run *run) {
  guint8 bytes[BUFFER];
  const gssize n = read(run->fd, bytes, sizeof bytes);
  if (n > 0)
    asim_controller_receive(run->controller, bytes, (gsize)n);
  else if (n == 0 || !is_transient(errno))
    unplug(run);
}

/* As much as the host takes now. */
static void write_host(Run *run) {
  while (run->fd >= 0) {
    if (run->out_at == run->out_end) {
      run->out_at = 0;
      run->out_end = asim_controller_take(run->controller, run->out, sizeof run->out);
    }
    if (run->out_at == run->out_end)
      return;
    const gssize n = write(run->fd, run->out + run->out_at, run->out_end - run->out_at);
    if (n > 0)
      run->out_at += (gsize)n;
    else if (n < 0 && is_transient(errno))
      return;
    else
      unplug(run);
  }
}

/* ---- the clock ---- */

/* In slices, so that what they report leaves before the line is full, and no longer than a turn, so
 * that a host is heard even when time cannot be followed. */
static void follow_clock(Run *run) {
  const gint64 now_us = g_get_monotonic_time();
  if (now_us - run->last_us > BEHIND_MAX_US) {
    run->slipped_us += now_us - run->last_us - BEHIND_MAX_US;
    run->last_us = now_us - BEHIND_MAX_US;
  }
  while (run->last_us < now_us && g_get_monotonic_time() < now_us + TURN_US) {
    const gint64 slice_us = MIN(SLICE_US, now_us - run->last_us);
    asim_controller_advance(run->controller, slice_us);
    run->last_us += slice_us;
    write_host(run);
  }
}

/* What the host sent comes first: the loop being late must not cost it its lease. */
static void step(Run *run) {
  struct pollfd wait = {.fd = run->fd, .events = POLLIN};
  (void)poll(&wait, 1, POLL_MS); /* a negative descriptor is not looked at */
  if (run->fd >= 0 && wait.revents)
    read_host(run);
  follow_clock(run);
  follow_cable(run);
}

void asim_loop_run(AsimController *controller, const AsimCable *cable, AsimLoopReport *report) {
  const gint64 start_us = g_get_monotonic_time();
  const gint64 device_us = asim_controller_device_us(controller);
  Run run = {.controller = controller, .cable = cable, .fd = -1, .last_us = start_us};
  follow_cable(&run);
  while (!cable->should_stop(cable->ctx))
    step(&run);
  unplug(&run);
  if (report)
    *report = (AsimLoopReport){
        .wall_s = (double)(g_get_monotonic_time() - start_us) * 1e-6,
        .device_s = (double)(asim_controller_device_us(controller) - device_us) * 1e-6,
        .slipped_s = (double)run.slipped_us * 1e-6};
}

/* ---- in a thread ---- */

struct AsimLoop {
  AsimController *controller;
  GThread *thread;
  atomic_int next_fd;       /* waits to be plugged in, -1: none */
  atomic_bool is_unplugged; /* by a fault */
  atomic_bool is_over;
  AsimLoopReport report; /* once the thread has ended */
};

static int plug_socket(void *ctx, int fd) {
  const int next = atomic_exchange(&((AsimLoop *)ctx)->next_fd, -1);
  return next >= 0 ? next : fd;
}

/* Whoever sees the end of the line may connect at once, and must then hear why it ended. */
static void unplug_socket(void *ctx, int fd) {
  AsimLoop *loop = ctx;
  loop->is_unplugged = asim_controller_is_unplugged(loop->controller);
  close(fd);
}

static bool should_stop(void *ctx) {
  AsimLoop *loop = ctx;
  loop->is_unplugged = asim_controller_is_unplugged(loop->controller);
  return loop->is_over;
}

/* Signals are for the program's own threads; a host that is gone is an error of write. */
static gpointer run_thread(gpointer data) {
  AsimLoop *loop = data;
  const AsimCable cable = {plug_socket, unplug_socket, should_stop, loop};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  asim_loop_run(loop->controller, &cable, &loop->report);
  return NULL;
}

static bool make_pair(int pair[2], GError **error) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0)
    return true;
  aio_error_set_said(error, AIO_ERROR_IO, N_("simulator: no socket pair: %s"), g_strerror(errno));
  return false;
}

AsimLoop *asim_loop_start(AsimController *controller, int *host_fd, GError **error) {
  int pair[2];
  if (!make_pair(pair, error))
    return NULL;
  AsimLoop *loop = g_new0(AsimLoop, 1);
  loop->controller = controller;
  loop->next_fd = pair[0];
  loop->thread = g_thread_try_new("simulator", run_thread, loop, NULL);
  if (!loop->thread) {
    aio_error_set_said(error, AIO_ERROR_IO, N_("simulator: the system gives no thread"));
    close(pair[0]);
    close(pair[1]);
    g_free(loop);
    return NULL;
  }
  *host_fd = pair[1];
  return loop;
}

int asim_loop_connect(AsimLoop *loop, GError **error) {
  int pair[2];
  if (!make_pair(pair, error))
    return -1;
  if (!loop->is_unplugged) {
    const int before = atomic_exchange(&loop->next_fd, pair[0]);
    if (before >= 0)
      close(before);
    return pair[1];
  }
  close(pair[0]);
  close(pair[1]);
  aio_error_set_said(error, AIO_ERROR_GONE,
                     N_("simulator: the cable is out until the fault \"unplug\" ends"));
  return -1;
}

void asim_loop_stop_report(AsimLoop *loop, AsimLoopReport *report) {
  loop->is_over = true;
  g_thread_join(loop->thread);
  *report = loop->report;
  if (loop->next_fd >= 0)
    close(loop->next_fd);
  asim_controller_free(loop->controller);
  g_free(loop);
}

void asim_loop_stop(AsimLoop *loop) {
  AsimLoopReport report;
  if (loop)
    asim_loop_stop_report(loop, &report);
}
