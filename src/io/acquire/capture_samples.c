/* SPDX-License-Identifier: MIT */
/* The driver that read the bytes then is asked the same again: what the computer sent tells where
 * connections begin and which number each question had, so that the captured answers fit. Samples
 * and their times come out as they did. */
#include "io/acquire/capture_samples.h"

#include "io/acquire/capture.h"
#include "io/acquire/clock_map.h"
#include "io/acquire/statistics.h"
#include "io/registry/driver_registry.h"

typedef struct {
  AioCaptureSamples *out;
  const AioDriverClass *klass;
  const AioDriverContext *context;
  AioReplay *state;   /* with the driver of the present connection */
  bool is_described;  /* on the present connection */
  bool has_other_arm; /* another number of joints than before */
  AioClockMap clock;  /* treated as by acquire_sink.c */
  guint64 next_index;
  AioChunk *open;
  AioCaptureEach each; /* is given the chunks */
  void *data;
  bool has_enough; /* it wants no more */
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
  if (replay->open && !replay->has_enough)
    replay->has_enough = !replay->each(&replay->out->description, replay->open, replay->data);
  g_clear_pointer(&replay->open, aio_chunk_unref);
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

/* ---- connections ---- */

static void end_connection(Replay *replay) {
  AioDriverCounters counters;
  AioDriver *driver = replay->state->driver;
  close_chunk(replay);
  if (!driver)
    return;
  aio_driver_counters(driver, &counters);
  aio_driver_counters_add(&replay->out->counters, &counters);
  aio_driver_free(driver);
  replay->state->driver = NULL;
  replay->is_described = false;
  replay->next_index = 0;
  aio_clock_map_restart(&replay->clock);
}

static void begin_connection(AioReplay *state, guint32 host_id) {
  Replay *replay = state->player;
  end_connection(replay);
  state->driver = replay->klass->make(&sink, replay, host_id, replay->context);
}

static void take_record(Replay *replay, const AioCaptureRecord *record) {
  AioReplay *state = replay->state;
  if (record->direction == AIO_CAPTURE_CONNECTED)
    begin_connection(state, 0);
  else if (record->direction == AIO_CAPTURE_SENT)
    replay->klass->replay_sent(state, record->t_ns, record->bytes, record->n);
  else if (state->driver)
    aio_driver_receive(state->driver, record->t_ns, record->bytes, record->n);
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

static AioCaptureSamples *play(AioCaptureReader *reader, const AioDriverClass *klass,
                               const char *path, guint64 most, AioCaptureEach each, void *data,
                               GError **error) {
  AioCaptureSamples *out = g_new0(AioCaptureSamples, 1);
  Replay *replay = g_new0(Replay, 1);
  out->chunks = g_ptr_array_new_with_free_func(unref_chunk);
  *replay = (Replay){.out = out,
                     .klass = klass,
                     .context = aio_capture_reader_context(reader),
                     .state = g_malloc0(klass->replay_size),
                     .each = each,
                     .data = data};
  replay->state->connect = begin_connection;
  replay->state->player = replay;
  aio_clock_map_init(&replay->clock, 1);
  for (AioCaptureRecord record; !replay->has_other_arm && !replay->has_enough &&
                                out->records < most && aio_capture_reader_next(reader, &record);
       out->records++)
    take_record(replay, &record);
  end_connection(replay);
  out->damage = g_strdup(aio_capture_reader_damage(reader));
  const bool is_good = check(replay, path, error);
  g_free(replay->state);
  g_free(replay);
  if (is_good)
    return out;
  aio_capture_samples_free(out);
  return NULL;
}

static const AioDriverClass *find_driver(const AioCaptureReader *reader, const char *path,
                                         GError **error) {
  const AioDriverClass *klass = aio_driver_find(aio_capture_reader_driver(reader), error);
  if (!klass)
    g_prefix_error(error, "%s: ", path);
  if (klass && !klass->replay_sent) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
                "%s: captures of the driver \"%s\" cannot be played again", path, klass->name);
    return NULL;
  }
  return klass;
}

AioCaptureSamples *aio_capture_samples_play(const char *path, guint64 most, AioCaptureEach each,
                                            void *data, GError **error) {
  AioCaptureReader *reader = aio_capture_reader_new(path, error);
  if (!reader)
    return NULL;
  const AioDriverClass *klass = find_driver(reader, path, error);
  AioCaptureSamples *out = klass ? play(reader, klass, path, most, each, data, error) : NULL;
  aio_capture_reader_free(reader);
  return out;
}

static bool collect(const AioDescription *description, AioChunk *chunk, void *chunks) {
  (void)description;
  g_ptr_array_add(chunks, aio_chunk_ref(chunk));
  return true;
}

AioCaptureSamples *aio_capture_samples_load(const char *path, GError **error) {
  GPtrArray *chunks = g_ptr_array_new_with_free_func(unref_chunk);
  AioCaptureSamples *out = aio_capture_samples_play(path, G_MAXUINT64, collect, chunks, error);
  if (!out) {
    g_ptr_array_unref(chunks);
    return NULL;
  }
  g_ptr_array_unref(out->chunks);
  out->chunks = chunks;
  return out;
}

void aio_capture_samples_free(AioCaptureSamples *samples) {
  if (!samples)
    return;
  g_ptr_array_unref(samples->chunks);
  g_free(samples->damage);
  g_free(samples);
}
