/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/link/link.h"
#include "io/link/link_serial.h"
#include "io/link/tty.h"

/* By the same name as libserialport looks for it. */
static bool is_known_port(const char *device) {
  const char *name = g_str_has_prefix(device, "/dev/") ? device + strlen("/dev/") : device;
  char *path = g_build_filename("/sys/class/tty", name, NULL);
  char *target = g_file_read_link(path, NULL);
  const bool is_there = target != NULL;
  g_free(target);
  g_free(path);
  return is_there;
}

/* flock alone: TIOCEXCL on a pty would outlive a killed program for as long as the simulator runs,
 * and lock its user out. */
static AioLink *open_terminal(const char *device, guint baud, GError **error) {
  const int fd = aio_tty_open(device, error);
  if (fd < 0)
    return NULL;
  AioLink *link =
      aio_tty_set_line(fd, device, baud, NULL, error) ? aio_link_fd_new(fd, device, error) : NULL;
  if (link)
    aio_tty_flush(fd);
  else
    close(fd);
  return link;
}

AioLink *aio_link_open(const char *path, guint baud, GError **error) {
  char *device = realpath(path, NULL);
  if (!device) {
    aio_tty_set_error(error, path, errno);
    return NULL;
  }
  AioLink *link = is_known_port(device) ? aio_link_serial_open(device, baud, error)
                                        : open_terminal(device, baud, error);
  free(device);
  return link;
}
