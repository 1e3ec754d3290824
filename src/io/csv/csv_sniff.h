/* SPDX-License-Identifier: MIT */
/* Tells what a file that is no table of numbers is instead, and what to do about it. */
#ifndef ARMATURE_IO_CSV_SNIFF_H
#define ARMATURE_IO_CSV_SNIFF_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

/* false with AIO_ERROR_REFUSED: a pointer to a file kept elsewhere, a web page, a compressed or
 * binary file, UTF-16. AIO_ERROR_SYNTAX: empty, or with a NUL byte.
 *   advises_map  a column map may be the remedy */
bool aio_csv_sniff(const char *name, const char *bytes, gsize length, bool advises_map,
                   GError **error);

/* Sets the AIO_ERROR_SYNTAX of a NUL byte in this line; returns false. */
bool aio_csv_sniff_fail_nul(const char *name, guint line, GError **error);

/* Why the first line does not come apart at `delimiter`, when another separator explains it:
 * "semicolons between the cells", ...; NULL when none does. Static storage. */
const char *aio_csv_sniff_separator(const char *line, gsize length, char delimiter);

#endif
