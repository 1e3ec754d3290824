/* SPDX-License-Identifier: MIT */
/* A capture played again as a link: the same bytes in the same pieces with the captured times, so
 * that everything behind the link comes to the same result. What is written to it is ignored. */
#ifndef ARMATURE_IO_LINK_REPLAY_H
#define ARMATURE_IO_LINK_REPLAY_H

#include "io/link/link.h"

/* A piece is never joined with the next; one larger than the `room` of a read comes in several. At
 * the end of the capture `read` gives AIO_ERROR_GONE, "the recording ends", with where and why if
 * it was cut short.
 *   speed  times as fast as it was captured; 0: as fast as it is read
 * NULL: the errors of aio_capture_reader_new; AIO_ERROR_REFUSED, no such speed; AIO_ERROR_IO. */
AioLink *aio_link_replay_open(const char *path, double speed, GError **error);

#endif
