/* SPDX-License-Identifier: MIT */
/* Lets an unmodified libserialport 0.1.1 use a pty: it insists on /sys/class/tty/NAME, and on modem
 * lines. Tests link this library before all others; a program gets it by
 * LD_PRELOAD=".../libpty-shim.so" (under ASan: LD_PRELOAD="libasan.so .../libpty-shim.so"). */
#ifndef ARMATURE_TESTS_PTY_SHIM_H
#define ARMATURE_TESTS_PTY_SHIM_H

/* Line breaks begun and ended so far, and how long the last one was [ms]. */
typedef struct {
  int begun, ended;
  long last_ms;
} PtyShimBreaks;

PtyShimBreaks pty_shim_breaks(void);

#endif
