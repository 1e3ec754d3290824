/* SPDX-License-Identifier: MIT */
/* The driver that read the bytes then is asked the same again: what the computer sent tells where
 * connections begin and which number each question had, so that the captured answers fit. Samples
 * and their times come out as they did. */
#include "io/acquire/capture_samples.h"

#include "io/acquire/capture.h"
#include "io/acquire/clock_map.h"
#include "io/acquire/statistics.h"
#include "io/driver/native/driver_native.h"

typedef struct {
  AioCaptureSamples *out;
  AioDriver *driver;  /* of the present connection; NULL: none yet */
  bool is_described;  /* on the present connection */
  bool has_other_arm; /* another number of joints than before */
  AioClockMap clock;  /* treated as by acquire_sink.c */
  guint32 host_id;
  guint16 hello_seq;
  guint64 next_index;
  AioChunk *open;
  WireDecoder sent;
} Replay;

/* ---- what the driver says ---- */

static void ignore_write(void *ctx, const guint8 *bytes, gsize n) {
  (void)ctx, (void)bytes, (void)n;
}

static void take_event(void *ctx, const AioEvent *event) {
  if (event->kind == AIO_EVENT_BOOT)
    aio_clock_map_restart(&((Replay *)ctx)->clock);
}

static void close_chunk(Replay *replay) {
  if (replay->open)
    g_ptr_array_add(replay->out->chunks, g_steal_pointer(&replay->open));
}

static void take_sample(void *ctx, const AioSample *sample) {
  Replay *replay = ctx;
  if (!replay->is_described)
    return;
  const gint64 t_ns = aio_clock_map_push(&replay->clock, sample->t_us, sample->t_host_ns);
  if (replay->open && !aio_chunk_push(replay->open, sample, t_ns))
    close_chunk(replay);
  if (!replay->open) {
    replay->open = aio_chunk_new(replay->out->description.joints, replay->next_index);
    aio_chunk_push(replay->open, sample, t_ns);
  }
  replay->next_index++;
}

static void follow_time_factor(AioClockMap *clock, double factor) {
  if (factor <= 0 || factor == clock->time_factor)
    return;
  clock->time_factor = factor;
  aio_clock_map_restart(clock);
}

static void take_reply(void *ctx, const AioReply *reply) {
  Replay *replay = ctx;
  AioDescription *known = &replay->out->description;
  if (reply->code || !reply->description)
    return;
  replay->has_other_arm |= known->driver && known->joints != reply->description->joints;
  *known = *reply->description;
  follow_time_factor(&replay->clock, known->time_factor);
  replay->is_described = true;
}

static const AioSink sink = {ignore_write, take_sample, take_event, take_reply};

/* ---- what the computer asked then, the driver asks again ---- */

static void end_connection(Replay *replay) {
  AioDriverCounters counters;
  close_chunk(replay);
  if (!replay->driver)
    return;
  aio_driver_counters(replay->driver, &counters);
  aio_driver_counters_add(&replay->out->counters, &counters);
  aio_driver_free(replay->driver);
  replay->driver = NULL;
  replay->is_described = false;
  replay->next_index = 0;
  aio_clock_map_restart(&replay->clock);
}

static AioNative *native_of(Replay *replay) {
  return (AioNative *)replay->driver;
}

/* The same number makes the captured answers those to the driver's own questions. Time does not
 * pass for it: it repeats nothing and gives nothing up, so what it still asks when the next HELLO
 * comes was given up then. */
static void take_hello(Replay *replay, const WireReceived *frame, gint64 t_ns) {
  WireHello hello;
  if (!wire_hello_get(&hello, frame->payload, frame->length) ||
      (replay->driver && hello.host_id == replay->host_id &&
       frame->header.seq == replay->hello_seq))
    return;
  if (!replay->driver || hello.host_id != replay->host_id) {
    end_connection(replay);
    replay->driver = aio_driver_native_new(&sink, replay, hello.host_id);
  } else {
    aio_native_forget(native_of(replay));
  }
  replay->host_id = hello.host_id;
  replay->hello_seq = frame->header.seq;
  native_of(replay)->host.next_seq = frame->header.seq;
  aio_driver_describe(replay->driver, 1);
  aio_driver_tick(replay->driver, t_ns);
}

/* Other requests came in between then. */
static void take_number(Replay *replay, const WireHeader *header) {
  WireExchange *request = replay->driver ? &native_of(replay)->host.request : NULL;
  if (request && request->is_open && request->type == header->type)
    request->seq = header->seq;
}

static void take_sent(Replay *replay, const AioCaptureRecord *record) {
  const uint8_t *bytes = record->bytes;
  size_t n = record->n;
  WireReceived frame;
  while (wire_decoder_next(&replay->sent, &bytes, &n, &frame))
    if (frame.kind == WIRE_RECEIVED_FRAME && frame.header.type == WIRE_TYPE_HELLO)
      take_hello(replay, &frame, record->t_ns);
    else if (frame.kind == WIRE_RECEIVED_FRAME)
      take_number(replay, &frame.header);
}

/* ---- the file ---- */

static bool check(const Replay *replay, const char *path, GError **error) {
  if (replay->has_other_arm)
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
                "%s: two controllers with different numbers of joints speak in this capture", path);
  else if (!replay->out->description.driver)
    g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND,
                "%s: the controller does not describe itself in this capture, so that its "
                "telemetry has no meaning; capture from before connecting",
                path);
  else
    return true;
  return false;
}

static void unref_chunk(gpointer chunk) {
  aio_chunk_unref(chunk);
}

AioCaptureSamples *aio_capture_samples_load(const char *path, GError **error) {
  AioCaptureReader *reader = aio_capture_reader_new(path, error);
  if (!reader)
    return NULL;
  AioCaptureSamples *out = g_new0(AioCaptureSamples, 1);
  Replay *replay = g_new0(Replay, 1);
  out->chunks = g_ptr_array_new_with_free_func(unref_chunk);
  replay->out = out;
  wire_decoder_init(&replay->sent);
  aio_clock_map_init(&replay->clock, 1);
  for (AioCaptureRecord record;
       !replay->has_other_arm && aio_capture_reader_next(reader, &record);) {
    if (record.direction == AIO_CAPTURE_SENT)
      take_sent(replay, &record);
    else if (replay->driver)
      aio_driver_receive(replay->driver, record.t_ns, record.bytes, record.n);
  }
  end_connection(replay);
  out->damage = g_strdup(aio_capture_reader_damage(reader));
  aio_capture_reader_free(reader);
  const bool is_good = check(replay, path, error);
  g_free(replay);
  if (is_good)
    return out;
  aio_capture_samples_free(out);
  return NULL;
}

void aio_capture_samples_free(AioCaptureSamples *samples) {
  if (!samples)
    return;
  g_ptr_array_unref(samples->chunks);
  g_free(samples->damage);
  g_free(samples);
}
