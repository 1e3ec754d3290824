/* SPDX-License-Identifier: MIT */
/* A computer that has slept, for a program that takes asleep.c among its sources: CLOCK_BOOTTIME
 * goes on then, CLOCK_MONOTONIC does not. */
#ifndef ARMATURE_TESTS_ASLEEP_H
#define ARMATURE_TESTS_ASLEEP_H

#include <glib.h>

/* For so long, up to now; any thread. */
void asleep_for(guint seconds);

/* What the program has noticed of it [s]: whoever asked for the time since then. */
guint asleep_noticed(void);

#endif
