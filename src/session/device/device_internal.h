/* SPDX-License-Identifier: MIT */
/* Inside device*.c only: what a device holds. device.c has the connection and what comes in,
 * device_motion.c what the arm is told, device_clear.c how its faults are cleared, device_silence.c
 * whether it is heard at all, and who else is, device_still.c whether it falls. */
#ifndef ARMATURE_SESSION_DEVICE_INTERNAL_H
#define ARMATURE_SESSION_DEVICE_INTERNAL_H

#include "session/device/device.h"
#include "session/device/inhibit.h"

struct _AseDevice {
  GObject parent;
  AseDeviceOptions options;
  AioAcquirer *acquirer; /* NULL: closed */
  AioQueue *display;
  GSource *chunks, *heartbeat;
  AioQueue *queue[AIO_QUEUES_MAX]; /* of others */
  guint queues;

  AseLinkState link;
  char *reason, *reason_line; /* as it was said, and as a page shows it */
  AioDescription description;
  AioState state, lost_state; /* lost_..: before the link was lost */
  guint lost_lease_ms;        /* 0: it never was ready */
  guint32 lost_capabilities;
  double telemetry_hz; /* granted; 0: not known */
  double supply, temperature[ARM_MAX_JOINTS], pose[ARM_MAX_JOINTS];
  bool has_pose;
  guint pose_joints; /* of `pose`, whether it holds or not; 0: there never was one */
  gint64 heard_us, moved_us, locked_until_us; /* g_get_monotonic_time */
  AioMotionEnd stopped_by;
  GSource *asking;      /* who it is, once more; NULL: not due */
  guint asks_left;      /* 0: what does not answer has failed */
  gint64 clear_from_us; /* the controller refuses to clear before */
  GSource *clearing;    /* waits for it, NULL: nothing waits */
  guint attempts;       /* to clear, 0: nobody wants to */
  guint32 faults_seen;  /* by who wants to */
  AseInhibit *inhibit;  /* while armed */
  GSource *silence;     /* looks for it */
  bool was_silent;      /* as told last */
  guint was_moving;     /* as told last: ase_device_moving_joint */
  /* device_still.c only: where the arm was found since `still_from_us`, and which joint (from 1; 0:
   * none) had come from elsewhere; device time */
  double still_q[ARM_MAX_JOINTS];
  bool has_still;
  guint still_n, still_joint;
  guint64 still_from_us, still_seen_us;
  char *foreign;     /* what somebody else sends, as it was told last; NULL: nothing */
  char *clock;       /* what is wrong with the controller's clock, as it was told; NULL: nothing */
  gint64 foreign_us; /* when, g_get_monotonic_time */
};

void ase_device_emit_changed(AseDevice *self);
void ase_device_emit_refused(AseDevice *self, const char *why);
void ase_device_set_reason(AseDevice *self, const char *reason);

/* While it beats the lease is renewed. */
void ase_device_start_heartbeat(AseDevice *self);
void ase_device_stop_heartbeat(AseDevice *self);

/* device_clear.c: the controller's lock-out; and nothing is to be cleared any more. */
void ase_device_note_lockout(AseDevice *self, guint ms);
void ase_device_note_fault(AseDevice *self);
void ase_device_stop_clearing(AseDevice *self);

/* device_silence.c: while open, "changed" when silence begins and ends. */
void ase_device_watch_silence(AseDevice *self);
void ase_device_unwatch_silence(AseDevice *self);
void ase_device_note_foreign(AseDevice *self, const AioEvent *event);

/* device_motion.c: an arm whose samples have no times is halted, and is not armed. */
void ase_device_note_clock(AseDevice *self, const AioEvent *event);

/* device_still.c: looks at every sample. */
void ase_device_note_still(AseDevice *self, const AioChunk *chunk);

/* AioReplyFunc, ctx the device: takes state or reason of the answer, and tells it. */
void ase_device_on_reply(const AioReply *reply, void *ctx);

/* Answered with ase_device_on_reply; nothing when closed. */
void ase_device_send_plain(AseDevice *self, const AioCommand *command);

#endif
