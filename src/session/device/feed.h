/* SPDX-License-Identifier: MIT */
/* Gives a controller a trajectory, segment after segment, while it follows it.
 *
 * Its buffer is filled, the motion is started, and it is filled again as segments are done with.
 * One request is under way at a time and none follows on one that failed: a segment that is missing
 * would join what lies before and after it. Who owns the feed says how far the motion is by the
 * controller's own clock (its samples), so that the buffer is never overfilled; a computer that
 * falls silent lets it run empty, and the controller stops by itself.
 */
#ifndef ARMATURE_SESSION_FEED_H
#define ARMATURE_SESSION_FEED_H

#include "core/excite/cubics.h"
#include "session/device/device.h"

typedef struct AseFeed AseFeed;

/* Of one of these, each is called at most once, and neither after ase_feed_free. */
typedef struct {
  void (*started)(void *ctx, const AioReply *reply); /* it moves; motion_id is in the reply */
  void (*failed)(void *ctx, const AioReply *reply);  /* why; what it was given before it follows */
  void *ctx;
} AseFeedFuncs;

/* Device and cubics are borrowed and must stay until ase_feed_free.
 *   joints    bit k: joint k + 1 takes part, the others hold
 *   slowness  the motion takes so many times as long */
AseFeed *ase_feed_new(AseDevice *device, const ArmCubics *cubics, guint32 joints, double slowness,
                      const AseFeedFuncs *funcs);
/* Sends no more; what is under way is not taken back. NULL allowed; also from within its own
 * functions. */
void ase_feed_free(AseFeed *feed);

/* Once. May call `failed` before it returns. */
void ase_feed_begin(AseFeed *feed);

/* The motion has been going on for at least so long, by the controller's clock. */
void ase_feed_advance(AseFeed *feed, guint64 elapsed_us);

#endif
