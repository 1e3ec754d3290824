/* SPDX-License-Identifier: MIT */
/* One double as the shortest text that reads back the same, several times as fast as the C library:
 * as printf writes it for %.17g in the C locale, with no more digits than that takes. Re-entrant.
 */
#ifndef ARMATURE_IO_CSV_NUMBER_WRITE_H
#define ARMATURE_IO_CSV_NUMBER_WRITE_H

#include <glib.h>

enum { AIO_NUMBER_ROOM = 40 };

/* Writes a finite number, without a terminating NUL; returns how many characters.
 *   out  AIO_NUMBER_ROOM */
gsize aio_number_write(double value, char *out);

#endif
