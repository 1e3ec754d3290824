/* SPDX-License-Identifier: MIT */
#include "io/link/link.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"

gssize aio_link_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  return link->klass->read(link, bytes, room, t_ns, error);
}

gssize aio_link_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  return link->klass->write(link, bytes, n, error);
}

int aio_link_fd(AioLink *link) {
  return link->klass->fd(link);
}

bool aio_link_can_break(const AioLink *link) {
  return link->klass->send_break != NULL;
}

bool aio_link_send_break(AioLink *link, GError **error) {
  if (link->klass->send_break)
    return link->klass->send_break(link, error);
  aio_error_set_said(error, AIO_ERROR_REFUSED,
                     N_("%s: a line break needs a serial port, this is a link of kind \"%s\""),
                     link->name, link->klass->kind);
  return false;
}

void aio_link_close(AioLink *link) {
  if (link)
    link->klass->close(link);
}
