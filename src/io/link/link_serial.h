/* SPDX-License-Identifier: MIT */
/* The serial port as a link, by libserialport: the only file that knows that library.
 *
 * The port is locked (flock, TIOCEXCL), every field of its line is set, DTR stays when it is
 * closed, and received bytes are handed over without the 16 ms that FTDI adapters wait. A pulled
 * cable is AIO_ERROR_GONE from `read`. */
#ifndef ARMATURE_IO_LINK_SERIAL_H
#define ARMATURE_IO_LINK_SERIAL_H

#include "io/link/link.h"

/* `path` may be a symbolic link (/dev/serial/by-id/...). NULL, with a message that names the
 * remedy: AIO_ERROR_PERMISSION, _BUSY (by which process), _NOT_FOUND (which ports there are), _GONE
 * (no hardware behind the name), _REFUSED (no serial port; or the port does not come within 3 % of
 * `baud`), _IO. */
AioLink *aio_link_serial_open(const char *path, guint baud, GError **error);

/* The rate the port runs at, which adapters round. */
guint aio_link_serial_baud(const AioLink *link);

/* How long the adapter gathers received bytes [ms], as sysfs says; -1: this kind of port does not.
 * Above 1 the telemetry comes in bursts. */
int aio_link_serial_latency_ms(const AioLink *link);

#endif
