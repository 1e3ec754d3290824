/* SPDX-License-Identifier: MIT */
#include "acquire_rig.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "acquire_driver.h"

enum { PATIENCE_MS = 60000 };

/* ---- a link that can break the line ---- */

typedef struct {
  AioLink link;
  AioLink *inner;
  Rig *rig;
} RigLink;

static gssize link_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  return aio_link_read(((RigLink *)link)->inner, bytes, room, t_ns, error);
}

static gssize link_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  return aio_link_write(((RigLink *)link)->inner, bytes, n, error);
}

static int link_fd(AioLink *link) {
  return aio_link_fd(((RigLink *)link)->inner);
}

static bool link_break(AioLink *link, GError **error) {
  (void)error;
  ((RigLink *)link)->rig->breaks++;
  return true;
}

static void link_close(AioLink *link) {
  aio_link_close(((RigLink *)link)->inner);
  g_free(link->name);
  g_free(link);
}

static const AioLinkClass link_class = {"rig",   link_read,  link_write,
                                        link_fd, link_break, link_close};

static AioLink *link_new(Rig *rig, int room) {
  GError *error = NULL;
  int ends[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  if (room > 0)
    g_assert_cmpint(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room), ==, 0);
  RigLink *self = g_new0(RigLink, 1);
  self->inner = aio_link_fd_new(ends[0], "arm", &error);
  g_assert_no_error(error);
  self->link = (AioLink){&link_class, g_strdup("arm")};
  self->rig = rig;
  rig->device = ends[1];
  return &self->link;
}

/* In the reader's thread, while the test waits for the event that tells of it. */
static AioLink *reopen(void *ctx, GError **error) {
  Rig *rig = ctx;
  if (rig->reopen_failures > 0) {
    rig->reopen_failures--;
    g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND, "no port has the serial number 42");
    return NULL;
  }
  rig->reopens++;
  return link_new(rig, 0);
}

/* ---- events and replies ---- */

static void on_event(const AioEvent *event, void *ctx) {
  Rig *rig = ctx;
  rig->dispatched_in = g_thread_self();
  g_array_append_vals(rig->events, event, 1);
}

static void note_reply(const AioReply *reply, void *ctx) {
  Rig *rig = ctx;
  g_array_append_val(rig->codes, reply->code);
}

static Rig *new_rig(int room, AioCapture *capture) {
  GError *error = NULL;
  Rig *rig = g_new0(Rig, 1);
  rig->events = g_array_new(FALSE, FALSE, sizeof(AioEvent));
  rig->codes = g_array_new(FALSE, FALSE, sizeof(int));
  const AioAcquirerOptions options = {
      .driver = &rig_driver,
      .on_event = on_event,
      .event_ctx = rig,
      .reopen = reopen,
      .reopen_ctx = rig,
      .capture = capture,
  };
  rig->acquirer = aio_acquirer_new(&options, link_new(rig, room), &error);
  g_assert_no_error(error);
  return rig;
}

Rig *rig_new(void) {
  return new_rig(0, NULL);
}

Rig *rig_new_narrow(void) {
  return new_rig(1, NULL);
}

Rig *rig_new_captured(AioCapture *capture) {
  return new_rig(0, capture);
}

void rig_free(Rig *rig) {
  aio_acquirer_free(rig->acquirer);
  rig_hang_up(rig);
  g_array_unref(rig->events);
  g_array_unref(rig->codes);
  g_free(rig);
}

/* ---- device side ---- */

void rig_send(Rig *rig, guint8 type, guint8 kind, guint32 value) {
  const RigFrame frame = {.type = type, .kind = kind, .value = value};
  g_assert_cmpint(send(rig->device, &frame, sizeof frame, MSG_NOSIGNAL), ==, sizeof frame);
}

void rig_hang_up(Rig *rig) {
  const int fd = rig->device;
  rig->device = -1; /* before the reader can open another */
  if (fd >= 0)
    close(fd);
}

static bool receive_bytes(Rig *rig, void *bytes, gsize n, int timeout_ms) {
  for (gsize have = 0; have < n;) {
    struct pollfd on = {.fd = rig->device, .events = POLLIN};
    if (poll(&on, 1, timeout_ms) != 1)
      return false;
    const gssize got = recv(rig->device, (char *)bytes + have, n - have, 0);
    if (got <= 0)
      return false;
    have += (gsize)got;
  }
  return true;
}

bool rig_receive(Rig *rig, RigFrame *frame, int timeout_ms) {
  char rest[RIG_LONG - sizeof *frame];
  if (!receive_bytes(rig, frame, sizeof *frame, timeout_ms))
    return false;
  g_assert_true(frame->type == 'C' || frame->type == 'K' || frame->type == 'T');
  return frame->type != 'T' || receive_bytes(rig, rest, sizeof rest, timeout_ms);
}

guint32 rig_expect_silent(Rig *rig, AioCommandKind kind) {
  RigFrame frame;
  do
    g_assert_true(rig_receive(rig, &frame, PATIENCE_MS));
  while (frame.type == 'K');
  g_assert_cmpint(frame.kind, ==, kind);
  return frame.value;
}

guint32 rig_expect(Rig *rig, AioCommandKind kind) {
  const guint32 ticket = rig_expect_silent(rig, kind);
  rig_send(rig, 'A', 0, ticket);
  return ticket;
}

/* ---- host side ---- */

guint64 rig_command(Rig *rig, AioCommandKind kind) {
  return aio_acquirer_send(rig->acquirer, &(AioCommand){.kind = kind}, NULL, NULL);
}

guint64 rig_command_noted(Rig *rig, AioCommandKind kind) {
  return aio_acquirer_send(rig->acquirer, &(AioCommand){.kind = kind}, note_reply, rig);
}

AioReply *rig_wait(Rig *rig, guint64 ticket) {
  AioReply *reply;
  g_assert_true(aio_acquirer_wait(rig->acquirer, ticket, PATIENCE_MS, &reply));
  g_assert_cmpuint(reply->ticket, ==, ticket);
  return reply;
}

void rig_describe(Rig *rig) {
  const guint64 ticket = rig_command(rig, AIO_COMMAND_DESCRIBE);
  rig_expect(rig, AIO_COMMAND_DESCRIBE);
  AioReply *reply = rig_wait(rig, ticket);
  g_assert_cmpint(reply->code, ==, 0);
  g_assert_cmpuint(reply->description->joints, ==, RIG_JOINTS);
  aio_reply_free(reply);
}

static const AioEvent *find_event(const Rig *rig, AioEventKind kind, guint n) {
  for (guint k = 0; k < rig->events->len; k++) {
    const AioEvent *event = &g_array_index(rig->events, AioEvent, k);
    if (event->kind == kind && n-- == 0)
      return event;
  }
  return NULL;
}

const AioEvent *rig_event(Rig *rig, AioEventKind kind, guint n) {
  const gint64 end_us = g_get_monotonic_time() + PATIENCE_MS * 1000;
  const AioEvent *event;
  while (!(event = find_event(rig, kind, n)) && g_get_monotonic_time() < end_us) {
    aio_acquirer_dispatch(rig->acquirer);
    g_usleep(1000);
  }
  g_assert_nonnull(event);
  return event;
}

void rig_dispatch_replies(Rig *rig, guint n) {
  const gint64 end_us = g_get_monotonic_time() + PATIENCE_MS * G_GINT64_CONSTANT(1000);
  while (rig->codes->len < n && g_get_monotonic_time() < end_us) {
    aio_acquirer_dispatch(rig->acquirer);
    g_usleep(1000);
  }
  g_assert_cmpuint(rig->codes->len, ==, n);
}

void rig_dispatch_for(Rig *rig, guint ms) {
  const gint64 end_us = g_get_monotonic_time() + 1000 * ms;
  while (g_get_monotonic_time() < end_us) {
    aio_acquirer_dispatch(rig->acquirer);
    g_usleep(1000);
  }
}
