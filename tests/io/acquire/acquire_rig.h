/* SPDX-License-Identifier: MIT */
/* An acquirer with a driver and a device made for tests: frames of 8 bytes over a socket pair.
 *
 *   to the host:   'S' sample `value`, 'A' command `value` is done, 'N' it timed out,
 *                  'E' event of `kind`, 'L' log event, 'W' the reader's thread waits until released
 *   to the device: 'C' command of `kind`, its ticket `value`; 'T' likewise, RIG_LONG bytes in all;
 *                  'K' the lease is renewed
 */
#ifndef ARMATURE_TESTS_ACQUIRE_RIG_H
#define ARMATURE_TESTS_ACQUIRE_RIG_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/acquire.h"

enum { RIG_JOINTS = 12, RIG_LONG = 1000, RIG_PARAMS = 5 };

typedef struct {
  guint8 type, kind, odd[2];
  guint32 value;
} RigFrame;

typedef struct {
  AioAcquirer *acquirer;
  int device;     /* the device's end; -1: hung up */
  GArray *events; /* AioEvent, as they were dispatched */
  GArray *codes;  /* int, of the replies to rig_note */
  guint reopen_failures;
  guint reopens, breaks;
  GThread *dispatched_in;
} Rig;

Rig *rig_new(void);
/* With a socket that takes hardly more than one long frame. */
Rig *rig_new_narrow(void);
/* The capture is taken over. */
Rig *rig_new_captured(AioCapture *capture);
void rig_free(Rig *rig); /* also the acquirer, if it is still there */

/* Device side. */
void rig_send(Rig *rig, guint8 type, guint8 kind, guint32 value);
void rig_hang_up(Rig *rig);
bool rig_receive(Rig *rig, RigFrame *frame, int timeout_ms);
/* The next command that arrives must be this one; answered. Returns its ticket. */
guint32 rig_expect(Rig *rig, AioCommandKind kind);
/* The same without an answer. */
guint32 rig_expect_silent(Rig *rig, AioCommandKind kind);

/* Host side. */
guint64 rig_command(Rig *rig, AioCommandKind kind);
guint64 rig_command_noted(Rig *rig, AioCommandKind kind); /* reply's code goes to rig->codes */
/* Sends, answers and waits for the reply: joints are known then. */
void rig_describe(Rig *rig);
AioReply *rig_wait(Rig *rig, guint64 ticket);

/* Dispatches until the n-th event (from 0) of this kind is there. */
const AioEvent *rig_event(Rig *rig, AioEventKind kind, guint n);
/* Dispatches what is there within the time. */
void rig_dispatch_for(Rig *rig, guint ms);
/* Until so many replies have come in all, to commands that are noted. */
void rig_dispatch_replies(Rig *rig, guint n);

/* Keeps the reader's thread waiting in the driver, until rig_release. */
void rig_hold(Rig *rig);
void rig_release(void);

/* Is this what the driver makes of sample `index`? */
void rig_assert_sample(const AioChunk *chunk, guint k, guint32 index);

#endif
