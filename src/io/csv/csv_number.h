/* SPDX-License-Identifier: MIT */
/* One decimal number of a text file, in the C locale whatever the process has set.
 *
 *   [+-] digits [. digits] [(e|E) [+-] digits]     with at least one digit before the exponent
 *
 * Nothing looser: no hexadecimal, no inf, no nan. Correctly rounded. Re-entrant.
 */
#ifndef ARMATURE_IO_CSV_NUMBER_H
#define ARMATURE_IO_CSV_NUMBER_H

#include <glib.h>

typedef enum {
  AIO_NUMBER_OK = 0,
  AIO_NUMBER_NOT_A_NUMBER, /* another grammar; the output is untouched */
  AIO_NUMBER_TOO_LARGE     /* beyond the largest double; the output is untouched */
} AioNumberStatus;

/* Reads all of text[0..length).
 *   decimal  '.' or ',' */
AioNumberStatus aio_number_parse(const char *text, gsize length, char decimal, double *out);

#endif
