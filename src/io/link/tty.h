/* SPDX-License-Identifier: MIT */
/* Terminal devices, as serial ports and ptys are: opening one for this program alone, and setting
 * its line. Nothing here knows of links.
 */
#ifndef ARMATURE_IO_TTY_H
#define ARMATURE_IO_TTY_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

/* Opens `device` (no symbolic link), non-blocking, never as the controlling terminal, and locks it
 * with flock, before anything about the line is changed: a port in use by another program is not
 * disturbed. Returns the descriptor, or -1 with an error of aio_tty_set_error, or
 * AIO_ERROR_REFUSED: not a terminal. */
int aio_tty_open(const char *device, GError **error);

/* The message and remedy for `errnum`, which opening or setting `device` gave:
 *   AIO_ERROR_PERMISSION  EACCES, EPERM: whose it is, and how to become allowed
 *   AIO_ERROR_BUSY        EBUSY, EWOULDBLOCK: which process has it open
 *   AIO_ERROR_NOT_FOUND   ENOENT, ENOTDIR: with the ports there are
 *   AIO_ERROR_GONE        ENODEV, ENXIO, EIO: a name without hardware
 *   AIO_ERROR_REFUSED     ENOTTY, EINVAL: not a serial port
 *   AIO_ERROR_IO          any other */
void aio_tty_set_error(GError **error, const char *device, int errnum);

/* Sets every field: 8 data bits, no parity, one stop bit, no flow control, raw, HUPCL off (DTR
 * stays when the port is closed, so that boards do not reset), and reads back what came of it.
 *   baud    0: as it is
 *   actual  out: what the line runs at, NULL: not wanted
 * false: AIO_ERROR_REFUSED, the port does not take 8N1, or runs more than 3 % beside `baud`; or an
 * error of aio_tty_set_error. */
bool aio_tty_set_line(int fd, const char *device, guint baud, guint *actual, GError **error);

/* Forgets what was received and not read, and what was written and not sent. */
void aio_tty_flush(int fd);

/* Bytes are to be handed over at once (FTDI: after 1 ms instead of 16). Silently nothing where the
 * driver knows no such thing. */
void aio_tty_set_low_latency(int fd);

#endif
