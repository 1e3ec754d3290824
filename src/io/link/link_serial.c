/* SPDX-License-Identifier: MIT */
/* libserialport for what it is good at, with what it lacks beside: exclusive use that others
 * respect (flock, TIOCEXCL), all fields of the line set and read back, the latency of FTDI
 * adapters, and a cable that is pulled, which it reads as silence. */
#include "io/link/link_serial.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <libserialport.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/link/tty.h"

enum { BREAK_US = 300000 }; /* as tcsendbreak(3): a quarter to half a second */

typedef struct {
  AioLink link;
  struct sp_port *port;
  int fd;   /* the port's, borrowed */
  int lock; /* open as long as the link: the port is locked before libserialport touches it */
  guint baud;
  bool is_gone;
} SerialLink;

static gssize fail(SerialLink *self, int errnum, GError **error) {
  self->is_gone = self->is_gone || errnum == EIO || errnum == ENODEV || errnum == ENXIO;
  if (self->is_gone)
    aio_error_set_said(
        error, AIO_ERROR_GONE,
        N_("%s is gone: the cable was pulled or the controller lost power; connect again when "
           "it is back"),
        self->link.name);
  else
    g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "%s: %s", self->link.name, g_strerror(errnum));
  return -1;
}

/* libserialport reads 0 bytes for ever from a port that was unplugged; asking how many wait then
 * fails. */
static gssize serial_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  SerialLink *self = (SerialLink *)link;
  if (self->is_gone)
    return fail(self, EIO, error);
  const int n = (int)sp_nonblocking_read(self->port, bytes, room);
  *t_ns = g_get_monotonic_time() * 1000;
  if (n < 0 || (n == 0 && sp_input_waiting(self->port) < 0))
    return fail(self, sp_last_error_code(), error);
  return n;
}

/* A full buffer is an error to libserialport, with EAGAIN. */
static gssize serial_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  SerialLink *self = (SerialLink *)link;
  if (self->is_gone)
    return fail(self, EIO, error);
  const int taken = (int)sp_nonblocking_write(self->port, bytes, n);
  if (taken >= 0)
    return taken;
  const int errnum = sp_last_error_code();
  if (errnum == EAGAIN || errnum == EINTR || sp_input_waiting(self->port) > 0)
    return 0; /* bytes that wait are read first: `read` tells that the port is gone */
  return fail(self, errnum, error);
}

static int serial_fd(AioLink *link) {
  return ((SerialLink *)link)->fd;
}

static bool serial_send_break(AioLink *link, GError **error) {
  SerialLink *self = (SerialLink *)link;
  if (sp_start_break(self->port) == SP_OK) {
    g_usleep(BREAK_US);
    if (sp_end_break(self->port) == SP_OK)
      return true;
  }
  fail(self, sp_last_error_code(), error);
  return false;
}

/* Exclusive use outlives the descriptor while anyone else has the port open: take it back. */
static void serial_close(AioLink *link) {
  SerialLink *self = (SerialLink *)link;
  (void)ioctl(self->fd, TIOCNXCL);
  sp_close(self->port);
  sp_free_port(self->port);
  close(self->lock);
  g_free(link->name);
  g_free(link);
}

static const AioLinkClass serial_class = {"serial",  serial_read,       serial_write,
                                          serial_fd, serial_send_break, serial_close};

/* NULL: an error of aio_tty_set_error. */
static struct sp_port *open_port(const char *device, GError **error) {
  struct sp_port *port = NULL;
  enum sp_return status = sp_get_port_by_name(device, &port);
  if (status == SP_OK)
    status = sp_open(port, SP_MODE_READ_WRITE);
  if (status == SP_OK)
    return port;
  /* SP_ERR_ARG: /sys/class/tty does not have it */
  aio_tty_set_error(error, device, status == SP_ERR_FAIL ? sp_last_error_code() : ENOTTY);
  sp_free_port(port);
  return NULL;
}

/* The line and exclusive use of an open port; its descriptor, or -1. */
static int prepare(struct sp_port *port, const char *device, guint baud, guint *actual,
                   GError **error) {
  int fd = -1;
  sp_get_port_handle(port, &fd);
  if (ioctl(fd, TIOCEXCL) != 0) {
    aio_tty_set_error(error, device, errno);
    return -1;
  }
  if (!aio_tty_set_line(fd, device, baud, actual, error)) {
    (void)ioctl(fd, TIOCNXCL);
    return -1;
  }
  aio_tty_set_low_latency(fd);
  aio_tty_flush(fd);
  return fd;
}

static AioLink *open_device(const char *device, guint baud, GError **error) {
  const int lock = aio_tty_open(device, error);
  struct sp_port *port = lock >= 0 ? open_port(device, error) : NULL;
  guint actual = 0;
  const int fd = port ? prepare(port, device, baud, &actual, error) : -1;
  if (fd >= 0) {
    SerialLink *self = g_new0(SerialLink, 1);
    *self = (SerialLink){.link = {&serial_class, g_strdup(device)},
                         .port = port,
                         .fd = fd,
                         .lock = lock,
                         .baud = actual};
    return &self->link;
  }
  if (port)
    sp_close(port);
  sp_free_port(port);
  if (lock >= 0)
    close(lock);
  return NULL;
}

AioLink *aio_link_serial_open(const char *path, guint baud, GError **error) {
  char *device = realpath(path, NULL);
  if (!device) {
    aio_tty_set_error(error, path, errno);
    return NULL;
  }
  AioLink *link = open_device(device, baud, error);
  free(device);
  return link;
}

guint aio_link_serial_baud(const AioLink *link) {
  g_return_val_if_fail(link->klass == &serial_class, 0);
  return ((const SerialLink *)link)->baud;
}

int aio_link_serial_latency_ms(const AioLink *link) {
  g_return_val_if_fail(link->klass == &serial_class, -1);
  char *port = g_path_get_basename(link->name);
  char *path = g_build_filename("/sys/class/tty", port, "device/latency_timer", NULL);
  char *text = NULL;
  int latency = -1;
  if (g_file_get_contents(path, &text, NULL, NULL))
    latency = (int)g_ascii_strtoll(text, NULL, 10);
  g_free(text);
  g_free(path);
  g_free(port);
  return latency;
}
