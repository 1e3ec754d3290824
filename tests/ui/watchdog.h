/* SPDX-License-Identifier: MIT */
/* How long the main loop is away from its events: CPU time of its thread from one wait to the next,
 * so that a busy machine does not count.
 *
 * With ARMATURE_WATCHDOG=MS in the environment, more than MS milliseconds end the program, with a
 * list of the functions that were at it. What runs outside of dispatches does not count: the code
 * of a test between two rounds, and a window that is built before the loop begins. It begins by
 * itself in whatever it is linked into, or preloaded to.
 */
#ifndef ARMATURE_TESTS_UI_WATCHDOG_H
#define ARMATURE_TESTS_UI_WATCHDOG_H

/* One round of the default main context, which waits for it. */
void watchdog_iterate(void);

/* The longest of those rounds since the beginning or the last call of this function [ms]. */
double watchdog_worst_ms(void);

#endif
