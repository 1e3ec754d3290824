/* SPDX-License-Identifier: MIT */
/* What the tests of links share: a pty, and reading as an owner of a link does. */
#ifndef ARMATURE_TESTS_LINK_RIG_H
#define ARMATURE_TESTS_LINK_RIG_H

#include <glib.h>

#include "io/link/link.h"

typedef struct {
  int master;
  char path[64]; /* of the slave */
} RigPty;

/* Raw already at the master's side, so that nothing is echoed before a link is there. */
RigPty rig_pty_new(void);
void rig_pty_clear(RigPty *pty);

/* What an owner got: all bytes until the link said an error, or `wanted` bytes, or 2 s passed. */
typedef struct {
  GByteArray *bytes;
  guint pieces, polls, reads;
  GError *error;
} RigReading;

RigReading rig_read(AioLink *link, gsize wanted);
void rig_reading_clear(RigReading *reading);

/* n bytes of which all values occur. Free with g_free. */
guint8 *rig_bytes(gsize n);

/* Writes everything, waiting while the line is busy. */
void rig_write_fd(int fd, const guint8 *bytes, gsize n);

/* "test_io_link_fd (pid 812)", as a message is to name it. Free with g_free. */
char *rig_this_process(void);

/* Runs `ask` in a child process without privileges (uid 65534 when this is root), and gives back
 * what it wrote into `text` (room 1024). */
void rig_run_unprivileged(void (*ask)(const char *path, char *text), const char *path, char *text);

#endif
