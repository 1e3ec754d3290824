/* SPDX-License-Identifier: MIT */
/* How long the main loop is away from its events: CPU time of this thread in one round of
 * dispatches, so that a busy machine does not count. */
#ifndef ARMATURE_TESTS_UI_WATCHDOG_H
#define ARMATURE_TESTS_UI_WATCHDOG_H

/* One round of the default main context, which waits for it. With ARMATURE_WATCHDOG=MS in the
 * environment a round of more than MS milliseconds is an error of the test. */
void watchdog_iterate(void);

/* The longest round since the beginning or the last call of this function [ms]. */
double watchdog_worst_ms(void);

#endif
