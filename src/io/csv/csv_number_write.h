/* SPDX-License-Identifier: MIT */
/* One double as text that reads back the same: what printf writes for %.17g in the C locale,
 * character by character, several times as fast. Re-entrant.
 */
#ifndef ARMATURE_IO_CSV_NUMBER_WRITE_H
#define ARMATURE_IO_CSV_NUMBER_WRITE_H

#include <glib.h>

enum { AIO_NUMBER_ROOM = 40 };

/* Writes a finite number, without a terminating NUL; returns how many characters.
 *   out  AIO_NUMBER_ROOM */
gsize aio_number_write(double value, char *out);

#endif
