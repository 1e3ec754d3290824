/* SPDX-License-Identifier: MIT */
/* A capture as a link: a timer that is never read makes the descriptor readable when the next piece
 * is due, so that whoever polls needs to know nothing of it. */
#include "io/acquire/link_replay.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "io/acquire/capture.h"
#include "io/base/said.h"

typedef struct {
  AioLink link;
  AioCaptureReader *reader;
  AioCaptureRecord piece; /* that comes next */
  gsize done;             /* bytes of it that were given */
  bool has_piece;         /* false: the capture has ended */
  double speed;
  int timer; /* expired, and so readable, from due_ns on: never read itself */
  gint64 begin_ns, first_ns, due_ns; /* now at the open; captured time of the first piece; now */
} ReplayLink;

static gint64 now_ns(void) {
  return g_get_monotonic_time() * 1000;
}

static gint64 due(const ReplayLink *self) {
  if (!self->has_piece || self->speed == 0)
    return 0;
  const double ns = ((double)self->piece.t_ns - (double)self->first_ns) / self->speed;
  return self->begin_ns + (gint64)CLAMP(ns, 0, 1e18);
}

/* A time of 0 would switch the timer off. */
static void set_timer(const ReplayLink *self) {
  const gint64 at = MAX(self->due_ns, 1);
  const struct itimerspec expiry = {
      .it_value = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000}};
  (void)timerfd_settime(self->timer, TFD_TIMER_ABSTIME, &expiry, NULL);
}

static void take_next(ReplayLink *self) {
  self->done = 0;
  do
    self->has_piece = aio_capture_reader_next(self->reader, &self->piece);
  while (self->has_piece && (self->piece.direction != AIO_CAPTURE_RECEIVED || self->piece.n == 0));
  self->due_ns = due(self);
  set_timer(self);
}

static gssize end(const ReplayLink *self, GError **error) {
  const char *damage = aio_capture_reader_damage(self->reader);
  if (damage)
    /* TRANSLATORS: what is wrong with the file, in English */
    aio_error_set_said(error, AIO_ERROR_GONE, N_("the recording ends early: %s"), damage);
  else
    aio_error_set_said(error, AIO_ERROR_GONE, N_("%s: the recording ends"), self->link.name);
  return -1;
}

static gssize replay_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  ReplayLink *self = (ReplayLink *)link;
  if (!self->has_piece)
    return end(self, error);
  if (self->due_ns > now_ns())
    return 0;
  const gsize n = MIN(room, self->piece.n - self->done);
  memcpy(bytes, self->piece.bytes + self->done, n);
  *t_ns = self->piece.t_ns;
  self->done += n;
  if (self->done == self->piece.n)
    take_next(self);
  return (gssize)n;
}

static gssize replay_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  (void)link, (void)bytes, (void)error;
  return (gssize)n;
}

static int replay_fd(AioLink *link) {
  return ((ReplayLink *)link)->timer;
}

static void replay_close(AioLink *link) {
  ReplayLink *self = (ReplayLink *)link;
  close(self->timer);
  aio_capture_reader_free(self->reader);
  g_free(link->name);
  g_free(link);
}

static const AioLinkClass replay_class = {"replay",  replay_read, replay_write,
                                          replay_fd, NULL,        replay_close};

static AioLink *begin(AioCaptureReader *reader, const char *path, double speed, GError **error) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) {
    aio_error_set_said(error, AIO_ERROR_IO, N_("%s: no timer: %s"), aio_said_plain(path),
                       g_strerror(errno));
    aio_capture_reader_free(reader);
    return NULL;
  }
  ReplayLink *self = g_new0(ReplayLink, 1);
  self->link = (AioLink){&replay_class, g_strdup(aio_said_plain(path))};
  self->reader = reader;
  self->speed = speed;
  self->timer = timer;
  self->begin_ns = now_ns();
  take_next(self);
  self->first_ns = self->has_piece ? self->piece.t_ns : 0;
  self->due_ns = due(self);
  set_timer(self);
  return &self->link;
}

AioLink *aio_link_replay_open(const char *path, double speed, GError **error) {
  if (!isfinite(speed) || speed < 0) {
    char *found = aio_error_numbers(&speed, 1);
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       N_("%s: expected a speed of 0 (as fast as possible) or more, found %s"),
                       aio_said_plain(path), found);
    g_free(found);
    return NULL;
  }
  AioCaptureReader *reader = aio_capture_reader_new(path, error);
  return reader ? begin(reader, path, speed, error) : NULL;
}
