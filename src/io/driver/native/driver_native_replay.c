/* SPDX-License-Identifier: MIT */
/* The native driver in a capture that is played: what the computer asked then, it asks again. */
#include "io/driver/native/driver_native.h"

static AioNative *native_of(const AioReplay *replay) {
  return (AioNative *)replay->driver;
}

/* The same number makes the captured answers those to the driver's own questions. Time does not
 * pass for it: it repeats nothing and gives nothing up, so what it still asks when the next HELLO
 * comes was given up then. */
static void take_hello(AioNativeReplay *self, const WireReceived *frame, gint64 t_ns) {
  AioReplay *replay = &self->base;
  WireHello hello;
  if (!wire_hello_get(&hello, frame->payload, frame->length) ||
      (replay->driver && hello.host_id == self->host_id && frame->header.seq == self->hello_seq))
    return;
  if (!replay->driver || hello.host_id != self->host_id)
    replay->connect(replay, hello.host_id);
  else
    aio_native_forget(native_of(replay));
  native_of(replay)->is_replayed = true;
  self->host_id = hello.host_id;
  self->hello_seq = frame->header.seq;
  native_of(replay)->host.next_seq = frame->header.seq;
  aio_driver_describe(replay->driver, 1);
  aio_driver_tick(replay->driver, t_ns);
}

/* Other requests came in between then. */
static void take_number(const AioNativeReplay *self, const WireHeader *header) {
  WireExchange *request = self->base.driver ? &native_of(&self->base)->host.request : NULL;
  if (request && request->is_open && request->type == header->type)
    request->seq = header->seq;
}

void aio_native_replay_sent(AioReplay *replay, gint64 t_ns, const guint8 *bytes, gsize n) {
  AioNativeReplay *self = (AioNativeReplay *)replay;
  WireReceived frame;
  while (wire_decoder_next(&self->sent, &bytes, &n, &frame)) /* zero is its beginning */
    if (frame.kind == WIRE_RECEIVED_FRAME && frame.header.type == WIRE_TYPE_HELLO)
      take_hello(self, &frame, t_ns);
    else if (frame.kind == WIRE_RECEIVED_FRAME)
      take_number(self, &frame.header);
}
