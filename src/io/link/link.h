/* SPDX-License-Identifier: MIT */
/* A link moves bytes to and from a controller: a serial port, a file descriptor (pty, socket pair),
 * or the replay of a capture. It knows nothing of frames.
 *
 * Nothing blocks: `read` and `write` return at once, and whoever owns the link waits on
 * aio_link_fd() with poll(). A link belongs to one thread at a time; open it anywhere, then hand it
 * over. Losing the other end is an error (AIO_ERROR_GONE) that is reported once the bytes before it
 * have been read, and stays: close the link and open a new one.
 */
#ifndef ARMATURE_IO_LINK_H
#define ARMATURE_IO_LINK_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

typedef struct AioLink AioLink;

/* One kind of link. Functions get a link of their own kind; errors are of AIO_ERROR. */
typedef struct {
  const char *kind; /* "serial", "fd", "replay" */
  /* > 0: bytes read; 0: nothing now; -1: error, AIO_ERROR_GONE when the other end is gone.
   *   t_ns  out: CLOCK_MONOTONIC of the arrival; a replay gives the time that was captured */
  gssize (*read)(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error);
  /* >= 0: bytes taken, fewer than n when the line is busy; -1: error. */
  gssize (*write)(AioLink *link, const guint8 *bytes, gsize n, GError **error);
  /* Readable (POLLIN) when `read` has something to say; -1: never. */
  int (*fd)(AioLink *link);
  /* A line break of about 300 ms, which may block so long. NULL: cannot. */
  bool (*send_break)(AioLink *link, GError **error);
  void (*close)(AioLink *link); /* frees the link */
} AioLinkClass;

/* First member of every kind's own struct. */
struct AioLink {
  const AioLinkClass *klass;
  char *name; /* as messages call it: "/dev/ttyUSB0"; or a sentence (io/base/said); owned */
};

gssize aio_link_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error);
gssize aio_link_write(AioLink *link, const guint8 *bytes, gsize n, GError **error);
int aio_link_fd(AioLink *link);
bool aio_link_can_break(const AioLink *link);
bool aio_link_send_break(AioLink *link, GError **error);

/* NULL allowed. */
void aio_link_close(AioLink *link);

/* Takes over an open descriptor (pty, socket, pipe), makes it non-blocking, and closes it with the
 * link. A tty is set raw. `name` may be a sentence (io/base/said), so of somebody else's nothing
 * but aio_said_plain. NULL (and fd still the caller's): AIO_ERROR_IO. */
AioLink *aio_link_fd_new(int fd, const char *name, GError **error);

/* Opens a serial port (see io/link/link_serial.h), or another terminal device, as a simulator
 * offers one: a pty. `path` may be a symbolic link. Locked, set to `baud`, what waited in it
 * forgotten. NULL: the errors of aio_link_serial_open. */
AioLink *aio_link_open(const char *path, guint baud, GError **error);

#endif
