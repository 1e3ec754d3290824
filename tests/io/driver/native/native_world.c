/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/base/said.h"
#include "native_world.h"

#include "io/driver/native/driver_native.h"

World world;

/* ---- sink ---- */

static void take_write(void *ctx, const guint8 *bytes, gsize n) {
  assert_ptr_equal(ctx, &world);
  assert_true(n <= sizeof world.written + 1);
  world.n_written = n - 1;
  memcpy(world.written, bytes + 1, n - 1); /* the first is a delimiter */
  if (!world.is_mute)
    line_send(&world.line, bytes, n);
}

static void take_sample(void *ctx, const AioSample *sample) {
  (void)ctx;
  if (world.n_samples > 0 && world.n_samples < WORLD_SAMPLES)
    assert_true(sample->t_us >= world.samples[world.n_samples - 1].t_us);
  if (world.n_samples < WORLD_SAMPLES)
    world.samples[world.n_samples] = *sample;
  world.n_samples++;
  world.lost += sample->lost;
}

static void take_event(void *ctx, const AioEvent *event) {
  (void)ctx;
  assert_true(g_utf8_validate(event->text, -1, NULL));
  if (event->kind == AIO_EVENT_HEALTH) {
    world.n_health++;
    world.health = *event;
  } else if (world.n_events < WORLD_EVENTS) {
    AioEvent *kept = &world.events[world.n_events++];
    *kept = *event;
    g_strlcpy(kept->text, aio_said_shown(event->text), sizeof kept->text);
  }
  if (world.on_event)
    world.on_event(event);
}

static void take_reply(void *ctx, const AioReply *reply) {
  (void)ctx;
  assert_in_range(reply->ticket, 1, world.next_ticket - 1);
  assert_false(world.is_answered[reply->ticket]);
  assert_true(reply->code == 0 || reply->message[0] != 0);
  assert_true(g_utf8_validate(reply->message, -1, NULL));
  world.is_answered[reply->ticket] = true;
  world.reply = *reply;
  g_strlcpy(world.reply.message, aio_said_shown(reply->message), sizeof world.reply.message);
  world.replies[reply->ticket] = world.reply;
  world.n_replies++;
  if (reply->description)
    world.description = *reply->description;
  world.n_params = MIN(reply->n_params, RIG_PARAMS);
  if (world.n_params > 0)
    memcpy(world.params, reply->params, world.n_params * sizeof *world.params);
}

static const AioSink sink = {take_write, take_sample, take_event, take_reply};

/* ---- time ---- */

static void hear(void) {
  static guint8 bytes[LINE_ROOM];
  const gsize n = world.line.n;
  memcpy(bytes, world.line.bytes, n); /* the driver sends while it hears */
  world.line.n = 0;
  aio_driver_receive(world.driver, world.now_ns, bytes, n);
}

void world_pass(guint ms) {
  for (guint k = 0; k < ms; k++) {
    world.now_ns += 1000000;
    if (world.keeps_alive)
      aio_driver_keep_alive(world.driver, world.now_ns + 200000000);
    if (!world.is_mute)
      line_pass(&world.line, 1000);
    world.line.rig.n_frames = 0;
    if (world.line.n > 0)
      hear();
    assert_true(aio_driver_tick(world.driver, world.now_ns) > world.now_ns);
  }
}

void world_init(void) {
  world_init_as(0x12345678);
}

void world_init_as(guint32 host_id) {
  memset(&world, 0, sizeof world);
  line_init(&world.line);
  world.next_ticket = 1;
  world.keeps_alive = true;
  world.now_ns = 1000000000;
  world.driver = aio_driver_native.make(&sink, &world, host_id, NULL);
  for (guint k = 0; k < 5; k++)
    line_pass(&world.line, 1000);
  world.line.n = 0;
}

void world_free(void) {
  for (guint64 k = 1; k < world.next_ticket; k++)
    assert_true(world.is_answered[k]);
  aio_driver_free(world.driver);
  world.driver = NULL;
}

int world_set_up(void **state) {
  (void)state;
  world_init();
  return 0;
}

int world_tear_down(void **state) {
  (void)state;
  world_free();
  return 0;
}

/* ---- commands ---- */

guint64 world_ticket(void) {
  assert_in_range(world.next_ticket, 1, WORLD_TICKETS - 1);
  return world.next_ticket++;
}

int world_wait(guint64 ticket) {
  for (guint ms = 0; ms < 30000 && !world.is_answered[ticket]; ms++)
    world_pass(1);
  assert_true(world.is_answered[ticket]);
  return world.replies[ticket].code;
}

void world_connect(void) {
  assert_int_equal(RUN(describe), 0);
}

void world_arm(guint ttl_ms) {
  assert_int_equal(RUN(arm, ttl_ms), 0);
  assert_int_equal(world.line.rig.device.state, WIRE_STATE_ARMED);
}

const AioEvent *world_event(AioEventKind kind) {
  for (guint k = world.n_events; k-- > 0;)
    if (world.events[k].kind == kind)
      return &world.events[k];
  return NULL;
}

guint world_count(AioEventKind kind) {
  guint count = 0;
  for (guint k = 0; k < world.n_events; k++)
    count += world.events[k].kind == kind;
  return count;
}

void world_forget(void) {
  world.n_events = world.n_samples = world.n_health = 0;
  world.lost = 0;
}

WireHeader world_sent(void) {
  static WireDecoder decoder;
  WireReceived received;
  const uint8_t *bytes = world.written;
  size_t n = world.n_written;
  wire_decoder_init(&decoder);
  assert_true(wire_decoder_next(&decoder, &bytes, &n, &received));
  return received.header;
}
