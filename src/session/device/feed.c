/* SPDX-License-Identifier: MIT */
/* A chain of requests, each sent by the answer to the one before; the end of a chain (a full
 * buffer) is taken up by ase_feed_advance. The struct outlives ase_feed_free while an answer is
 * under way.
 */
#include "session/device/feed.h"

struct AseFeed {
  AseDevice *device; /* NULL: freed, but an answer is under way */
  const ArmCubics *cubics;
  guint32 joints;
  double slowness;
  AseFeedFuncs funcs;
  guint capacity, room; /* segments of its buffer; how many are free, at least */
  guint done;           /* segments, at least */
  gsize next;           /* knot that is sent next */
  bool is_asking, has_started, has_failed;
  guint references;
};

static void unref(AseFeed *feed) {
  if (--feed->references == 0)
    g_free(feed);
}

static void go_on(AseFeed *feed);

/* ---- one request after the other ---- */

typedef void (*Take)(AseFeed *feed, const AioReply *reply);

static void on_reply(AseFeed *feed, const AioReply *reply, Take take) {
  feed->is_asking = false;
  if (feed->device && reply->code && !feed->has_failed) {
    feed->has_failed = true;
    feed->funcs.failed(feed->funcs.ctx, reply);
  } else if (feed->device && !feed->has_failed) {
    take(feed, reply);
    go_on(feed);
  }
  unref(feed);
}

static void send(AseFeed *feed, const AioCommand *command, AioReplyFunc done) {
  feed->is_asking = true;
  feed->references++;
  ase_device_send(feed->device, command, done, feed);
}

static void take_begun(AseFeed *feed, const AioReply *reply) {
  feed->capacity = feed->room = reply->free_segments;
  feed->next = 1;
}

static void on_begun(const AioReply *reply, void *ctx) {
  on_reply(ctx, reply, take_begun);
}

static void take_segment(AseFeed *feed, const AioReply *reply) {
  feed->next++;
  feed->room = reply->free_segments;
}

static void on_segment(const AioReply *reply, void *ctx) {
  on_reply(ctx, reply, take_segment);
}

static void send_segment(AseFeed *feed) {
  const ArmCubics *c = feed->cubics;
  AioCommand command = {.kind = AIO_COMMAND_TRAJECTORY_SEGMENT};
  AioSegment *segment = &command.segment;
  segment->duration_s = feed->slowness * (c->t[feed->next] - c->t[feed->next - 1]);
  segment->is_last = feed->next + 1 == c->count;
  for (gsize j = 0; j < c->n; j++) {
    segment->q[j] = c->q[feed->next + j * c->count];
    segment->qd[j] = c->qd[feed->next + j * c->count] / feed->slowness;
  }
  send(feed, &command, on_segment);
}

static void take_started(AseFeed *feed, const AioReply *reply) {
  feed->has_started = true;
  feed->room = reply->free_segments;
  feed->funcs.started(feed->funcs.ctx, reply);
}

static void on_started(const AioReply *reply, void *ctx) {
  on_reply(ctx, reply, take_started);
}

static void go_on(AseFeed *feed) {
  if (!feed->device || feed->is_asking || feed->has_failed)
    return;
  if (feed->next < feed->cubics->count && feed->room > 0)
    send_segment(feed);
  else if (!feed->has_started)
    send(feed, &(AioCommand){.kind = AIO_COMMAND_TRAJECTORY_START}, on_started);
}

/* ---- from outside ---- */

AseFeed *ase_feed_new(AseDevice *device, const ArmCubics *cubics, guint32 joints, double slowness,
                      const AseFeedFuncs *funcs) {
  AseFeed *feed = g_new0(AseFeed, 1);
  *feed = (AseFeed){.device = device,
                    .cubics = cubics,
                    .joints = joints,
                    .slowness = slowness,
                    .funcs = *funcs,
                    .references = 1};
  return feed;
}

void ase_feed_free(AseFeed *feed) {
  if (!feed)
    return;
  feed->device = NULL;
  unref(feed);
}

void ase_feed_begin(AseFeed *feed) {
  send(feed, &(AioCommand){.kind = AIO_COMMAND_TRAJECTORY_BEGIN, .joints = feed->joints}, on_begun);
}

void ase_feed_advance(AseFeed *feed, guint64 elapsed_us) {
  const ArmCubics *c = feed->cubics;
  if (!feed->has_started || feed->next == c->count)
    return;
  while (feed->done + 1 < feed->next &&
         1e6 * feed->slowness * c->t[feed->done + 1] <= (double)elapsed_us)
    feed->done++;
  const guint waiting = (guint)feed->next - 1 - feed->done;
  if (feed->capacity > waiting)
    feed->room = feed->capacity - waiting;
  go_on(feed);
}
