/* SPDX-License-Identifier: MIT */
/* A descriptor as a link: pty or socket. A hang-up is told only when all bytes before it have been
 * read, since the last ones often say why. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/base/said.h"
#include "io/link/link.h"
#include "io/link/tty.h"

typedef struct {
  AioLink link;
  int fd;
  bool is_socket, is_gone;
} FdLink;

/* What a descriptor says when there is nobody at its other end any more. */
static bool means_gone(int errnum) {
  return errnum == EIO || errnum == EPIPE || errnum == ECONNRESET || errnum == ENODEV ||
         errnum == ENXIO;
}

static gssize fail(FdLink *self, int errnum, GError **error) {
  self->is_gone = self->is_gone || means_gone(errnum);
  if (self->is_gone)
    aio_error_set_said(
        error, AIO_ERROR_GONE,
        N_("%s: the other end is gone: it was closed or its program ended; connect again"),
        self->link.name);
  else
    aio_error_set_said(error, AIO_ERROR_IO, N_("%s: %s"), self->link.name, g_strerror(errnum));
  return -1;
}

static bool is_nothing_now(int errnum) {
  return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

static gssize fd_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  FdLink *self = (FdLink *)link;
  if (self->is_gone)
    return fail(self, EIO, error);
  const gssize n = read(self->fd, bytes, room);
  *t_ns = g_get_monotonic_time() * 1000;
  if (n < 0 && is_nothing_now(errno))
    return 0;
  if (n == 0 && room > 0)
    return fail(self, EPIPE, error); /* never "nothing now": see VMIN in tty_line.c */
  return n < 0 ? fail(self, errno, error) : n;
}

/* While bytes wait to be read, the other end does not count as gone: `read` will tell. */
static gssize fd_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  FdLink *self = (FdLink *)link;
  if (self->is_gone)
    return fail(self, EIO, error);
  const gssize taken =
      self->is_socket ? send(self->fd, bytes, n, MSG_NOSIGNAL) : write(self->fd, bytes, n);
  if (taken >= 0)
    return taken;
  const int errnum = errno;
  int waiting = 0;
  if (is_nothing_now(errnum) ||
      (means_gone(errnum) && ioctl(self->fd, FIONREAD, &waiting) == 0 && waiting > 0))
    return 0;
  return fail(self, errnum, error);
}

static int fd_fd(AioLink *link) {
  return ((FdLink *)link)->fd;
}

static void fd_close(AioLink *link) {
  close(((FdLink *)link)->fd);
  g_free(link->name);
  g_free(link);
}

static const AioLinkClass fd_class = {"fd", fd_read, fd_write, fd_fd, NULL, fd_close};

static bool is_socket(int fd) {
  int type;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

AioLink *aio_link_fd_new(int fd, const char *name, GError **error) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    aio_error_set_said(error, AIO_ERROR_IO, N_("%s: %s"), name, g_strerror(errno));
    return NULL;
  }
  GError *refusal = NULL;
  if (isatty(fd) && !aio_tty_set_line(fd, name, 0, NULL, &refusal)) {
    refusal->code = AIO_ERROR_IO;
    g_propagate_error(error, refusal);
    return NULL;
  }
  FdLink *self = g_new0(FdLink, 1);
  self->link = (AioLink){&fd_class, g_strdup(name)};
  self->fd = fd;
  self->is_socket = is_socket(fd);
  return &self->link;
}
