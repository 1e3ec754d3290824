/* SPDX-License-Identifier: MIT */
/* Between the files of io/base/said. */
#ifndef ARMATURE_IO_SAID_PARTS_H
#define ARMATURE_IO_SAID_PARTS_H

#include <stdbool.h>

enum { AIO_SAID_VALUES = 24 }; /* in one sentence; with more it is text */

/* Is it a sentence: marked, and whole? */
bool aio_said_is(const char *text);

#endif
