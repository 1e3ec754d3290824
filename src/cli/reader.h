/* SPDX-License-Identifier: MIT */
/* Whether somebody takes what is written. A pipe whose reader has stopped and a terminal that is
 * held with Ctrl-S keep a write waiting, and with it the main loop that an armed arm hangs on. */
#ifndef ARMATURE_CLI_READER_H
#define ARMATURE_CLI_READER_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

/* How long what is written may wait for its reader [ms]; negative, as at the start: for ever. Who
 * did not read with less patience is tried again with more. */
void cli_reader_set_patience(int ms);

/* Somebody did not read in time, at any time. */
bool cli_reader_was_stuck(void);

/* false, with errno: cannot be written; ETIMEDOUT: not read in time. From then on nothing is
 * written to that stream until the patience grows. */
bool cli_reader_write(FILE *stream, const char *text, gsize length);

/* The same for a text whose writing may fail. */
void cli_reader_print(FILE *stream, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
