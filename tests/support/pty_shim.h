/* SPDX-License-Identifier: MIT */
/* Lets an unmodified libserialport 0.1.1 use a pty: it insists on /sys/class/tty/NAME, and on modem
 * lines. Tests link this library before all others; a program gets it by
 * LD_PRELOAD=".../libpty-shim.so" (under ASan: LD_PRELOAD="libasan.so .../libpty-shim.so"). */
#ifndef ARMATURE_TESTS_PTY_SHIM_H
#define ARMATURE_TESTS_PTY_SHIM_H

#include <stdbool.h>

/* What the shim saw, and what it is to pretend. */
typedef struct {
  int breaks_begun, breaks_ended;
  long break_ms;           /* how long the last one was */
  unsigned stuck_baud;     /* every line says it runs at this rate; 0: the truth */
  bool has_serial_flags;   /* TIOCGSERIAL and TIOCSSERIAL exist */
  int serial_flags;        /* as set by TIOCSSERIAL */
  bool refuses_modem_line; /* as ptys do */
} PtyShim;

PtyShim *pty_shim(void);

#endif
