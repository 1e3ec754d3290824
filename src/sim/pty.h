/* SPDX-License-Identifier: MIT */
/* A pseudo-terminal as the cable of a simulated controller: raw, its other end always open, so that
 * hosts may come and go. Linux tells the master of a pty nothing of line breaks; hosts use the
 * emergency string. */
#ifndef ARMATURE_SIM_PTY_H
#define ARMATURE_SIM_PTY_H

#include <stdbool.h>

typedef struct {
  int slave;        /* held open; -1: unplugged */
  const char *link; /* symbolic link to keep pointing to it, NULL: none */
  bool has_failed;  /* the last attempt to plug in */
} AsimPty;

/* May `link` be made? Nothing is there, or a link to a pseudo-terminal, whose simulator may have
 * been killed. */
bool asim_pty_may_link(const char *link);

/* ctx is an AsimPty. plug prints the path as one line on stdout; -1 with a message
 * on stderr when the system has no pty or the link cannot be made. */
int asim_pty_plug(void *ctx);
void asim_pty_unplug(void *ctx, int fd);

#endif
