/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/said.h"
#include "io/link/tty.h"
#include "io/link/tty_permission.h"

#include "io/link/port_holder.h"
#include "io/link/ports.h"

static void set_busy(GError **error, const char *device) {
  char *holder = aio_port_holder(device);
  aio_error_set_said(
      error, AIO_ERROR_BUSY, N_("%s is in use by %s; end that program, or choose another port"),
      aio_said_plain(device),
      holder ? aio_said_plain(holder) : aio_said_word(N_("a program of another user")));
  g_free(holder);
}

static void set_not_found(GError **error, const char *device) {
  GPtrArray *ports = aio_ports_list();
  char *text = aio_ports_said(ports);
  aio_error_set_said(error, AIO_ERROR_NOT_FOUND, N_("%s: no such port; ports there are: %s"),
                     aio_said_plain(device), text);
  g_free(text);
  g_ptr_array_unref(ports);
}

void aio_tty_set_error(GError **error, const char *device, int errnum) {
  switch (errnum) {
  case EACCES:
  case EPERM:
    aio_tty_set_permission_error(error, device);
    break;
  case EBUSY:
  case EWOULDBLOCK:
    set_busy(error, device);
    break;
  case ENOENT:
  case ENOTDIR:
    set_not_found(error, device);
    break;
  case ENODEV:
  case ENXIO:
  case EIO:
    aio_error_set_said(
        error, AIO_ERROR_GONE,
        N_("%s: nothing answers behind this name (%s); it was unplugged, or the port has no "
           "hardware: check the cable, or choose another port"),
        aio_said_plain(device), g_strerror(errnum));
    break;
  case ENOTTY:
  case EINVAL:
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("%s is not a serial port; choose one, such as /dev/ttyUSB0 or /dev/ttyACM0"),
        aio_said_plain(device));
    break;
  default:
    g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "%s: %s", device, g_strerror(errnum));
  }
}

/* Only a character device: to open a tape or a pipe already does something. */
static int open_device(const char *device) {
  struct stat found;
  if (stat(device, &found) != 0)
    return -1;
  if (!S_ISCHR(found.st_mode)) {
    errno = ENOTTY;
    return -1;
  }
  return open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

int aio_tty_open(const char *device, GError **error) {
  const int fd = open_device(device);
  if (fd >= 0 && isatty(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  const int errnum = errno;
  if (fd >= 0)
    close(fd); /* first: this program is not the one to be named */
  aio_tty_set_error(error, device, errnum);
  return -1;
}
