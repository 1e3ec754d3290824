/* SPDX-License-Identifier: MIT */
/* What the driver gives to the reader: bytes to send, samples, events, replies. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/acquire/acquire_internal.h"
#include "io/base/said.h"

#define CHUNK_NS (G_GINT64_CONSTANT(1000) * AIO_CHUNK_SPAN_US)
enum { UNSENT_MAX = 16384 }; /* bytes; a driver waits for answers, so more means a dead line */

/* Takes the sentence over. */
static void say_said(AioReader *reader, AioEventKind kind, guint32 value, int level, char *said) {
  AioEvent event = {.kind = kind, .value = value, .level = level};
  event.t_host_ns = g_get_monotonic_time() * 1000;
  aio_said_copy(event.text, sizeof event.text, said);
  g_free(said);
  aio_acquirer_post_event(reader->acquirer, &event, false);
}

void aio_reader_say(AioReader *reader, AioEventKind kind, guint32 value, int level,
                    const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *said = aio_said_v(format, arguments);
  va_end(arguments);
  say_said(reader, kind, value, level, said);
}

/* ---- samples ---- */

typedef struct {
  bool is_kept;
  AioQueueCounters counters;
} Pushed;

/* Reports when a queue begins and ceases to drop, not every time in between. */
static void tell_dropping(AioReader *reader, guint k, const Pushed *pushed) {
  if (pushed->is_kept != reader->is_dropping[k])
    return;
  reader->is_dropping[k] = !pushed->is_kept;
  const AioQueueCounters *counters = &pushed->counters;
  const char *name = aio_said_word(counters->name);
  if (pushed->is_kept)
    /* TRANSLATORS: "recorder" or "display" */
    aio_reader_say(reader, AIO_EVENT_LOG, 0, 1,
                   N_("%s keeps up again: %zu samples did not reach it so far"), name,
                   (gsize)counters->samples_dropped);
  else
    aio_reader_say(reader, AIO_EVENT_LOG, 0, 2,
                   N_("%s does not keep up: %u pieces of the measurement wait for it, samples are "
                      "lost there"),
                   name, counters->capacity);
}

void aio_reader_publish(AioReader *reader) {
  AioAcquirer *acquirer = reader->acquirer;
  AioChunk *chunk = g_steal_pointer(&reader->chunk);
  Pushed pushed[AIO_QUEUES_MAX];
  bool is_pushed[AIO_QUEUES_MAX] = {false};
  if (!chunk)
    return;
  chunk = aio_chunk_pack(chunk);
  g_mutex_lock(&acquirer->lock);
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    if (acquirer->queues[k]) {
      is_pushed[k] = true;
      pushed[k].is_kept = aio_queue_push(acquirer->queues[k], chunk);
      aio_queue_counters(acquirer->queues[k], &pushed[k].counters);
    } else {
      reader->is_dropping[k] = false;
    }
  g_mutex_unlock(&acquirer->lock);
  aio_chunk_unref(chunk);
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    if (is_pushed[k])
      tell_dropping(reader, k, &pushed[k]);
}

/* As people are told; to be called once per piece of news. */
static void tell_clock(AioReader *reader, AioClockNews news) {
  AioClockOrder *order = &reader->order;
  const guint unordered = (guint)(order->unordered - order->told);
  if (news == AIO_CLOCK_STANDS)
    aio_reader_say(
        reader, AIO_EVENT_CLOCK, 1, 2,
        N_("the controller's clock stands still: samples come, but their time does not "
           "go on; restart the controller, and have its firmware looked at if it does so "
           "again"));
  else if (news == AIO_CLOCK_BACK)
    aio_reader_say(
        reader, AIO_EVENT_CLOCK, 1, 2,
        N_("the controller's clock went back by %.3g s: its samples cannot be put in "
           "order; restart the controller, and have its firmware looked at if it does so "
           "again"),
        1e-6 * (double)order->back_us);
  else if (news == AIO_CLOCK_AHEAD)
    aio_reader_say(reader, AIO_EVENT_CLOCK, 1, 2,
                   N_("the controller's clock leapt ahead by %.3g s: the times of its samples mean "
                      "nothing; restart the controller, and have its firmware looked at if it does "
                      "so again"),
                   1e-9 * (double)reader->clock.gained_ns * reader->clock.time_factor);
  else
    say_said(reader, AIO_EVENT_CLOCK, 0, 1,
             aio_said_many("the controller's clock goes on again; %u sample could not be put in "
                           "order",
                           "the controller's clock goes on again; %u samples could not be put in "
                           "order",
                           unordered));
  if (news == AIO_CLOCK_GOES_AGAIN)
    order->told = order->unordered;
}

static void put_in_chunk(AioReader *reader, const AioSample *sample, gint64 t_ns) {
  if (reader->chunk && !aio_chunk_push(reader->chunk, sample, t_ns))
    aio_reader_publish(reader);
  if (!reader->chunk) {
    reader->chunk = aio_chunk_new(reader->joints, reader->next_index);
    reader->chunk_due_ns = g_get_monotonic_time() * 1000 + CHUNK_NS;
    aio_chunk_push(reader->chunk, sample, t_ns);
  }
  reader->next_index++;
  reader->pass_samples++;
}

/* What has no place in the order is kept all the same: where the arm was is true. */
static void take_sample(void *ctx, const AioSample *sample) {
  AioReader *reader = ctx;
  AioSample marked = *sample;
  if (reader->joints == 0) {
    reader->statistics.samples_unknown++;
    return;
  }
  const gint64 t_ns = aio_clock_map_push(&reader->clock, sample->t_us, sample->t_host_ns);
  const guint64 unordered = reader->order.unordered;
  const AioClockNews news = aio_clock_order_push(&reader->order, sample, reader->clock.gained_ns);
  if (news != AIO_CLOCK_SAME) {
    aio_reader_publish(reader); /* whoever acts on it finds all samples before it in the queue */
    tell_clock(reader, news);
  }
  if (reader->order.unordered != unordered) {
    marked.flags |= AIO_SAMPLE_UNORDERED;
    reader->statistics.samples_unordered++;
  }
  put_in_chunk(reader, &marked, t_ns);
}

/* ---- events and replies ---- */

static void take_event(void *ctx, const AioEvent *event) {
  AioReader *reader = ctx;
  if (event->kind == AIO_EVENT_BOOT) {
    aio_clock_map_restart(&reader->clock);
    reader->order = (AioClockOrder){0};
  }
  if (event->kind == AIO_EVENT_STATE || event->kind == AIO_EVENT_BOOT)
    reader->may_be_armed = event->kind == AIO_EVENT_STATE && event->state.state == AIO_DEVICE_ARMED;
  /* whoever acts on the event finds all samples before it in the queue */
  if (event->kind != AIO_EVENT_HEALTH && event->kind != AIO_EVENT_LOG)
    aio_reader_publish(reader);
  aio_acquirer_post_event(reader->acquirer, event, event->kind == AIO_EVENT_LOG);
}

static void take_description(AioReader *reader, const AioDescription *description) {
  if (description->joints != reader->joints)
    aio_reader_publish(reader);
  reader->joints = description->joints;
  if (description->time_factor > 0 && description->time_factor != reader->clock.time_factor) {
    reader->clock.time_factor = description->time_factor;
    aio_clock_map_restart(&reader->clock);
  }
}

static void break_line(AioReader *reader, const AioReply *reply) {
  GError *error = NULL;
  if (!reader->link || !aio_link_can_break(reader->link))
    return;
  if (aio_link_send_break(reader->link, &error))
    aio_reader_say(reader, AIO_EVENT_LOG, 0, 2,
                   N_("%s: KILL was not acknowledged (%s); a line break "
                      "was sent: switch off by hand"),
                   reader->link_name, reply->message);
  else
    aio_reader_say(reader, AIO_EVENT_LOG, 0, 2,
                   N_("KILL was not acknowledged (%s), and no line break "
                      "could be sent (%s): switch off by hand"),
                   reply->message, aio_error_said(error));
  g_clear_error(&error);
}

static void take_reply(void *ctx, const AioReply *reply) {
  AioReader *reader = ctx;
  AioAcquirer *acquirer = reader->acquirer;
  AioCommandKind kind;
  if (reply->ticket == reader->end_ticket) {
    aio_reader_end_answered(reader);
    return;
  }
  if (reply->code == 0 && reply->description)
    take_description(reader, reply->description);
  if (reply->round_trip_ns > 0) {
    g_mutex_lock(&acquirer->lock);
    aio_tally_add_round_trip(&acquirer->tally, reply->round_trip_ns);
    g_mutex_unlock(&acquirer->lock);
  }
  if (reply->code == AIO_REPLY_CODE(AIO_ERROR_TIMEOUT) &&
      aio_acquirer_kind(acquirer, reply->ticket, &kind) && kind == AIO_COMMAND_KILL)
    break_line(reader, reply);
  aio_acquirer_post_reply(acquirer, reply);
}

/* ---- bytes to send ---- */

static void keep_unsent(AioReader *reader, const guint8 *bytes, gsize n, gsize taken) {
  gsize waiting = 0;
  for (const GList *item = reader->unsent.head; item; item = item->next)
    waiting += g_bytes_get_size(item->data);
  if (waiting > UNSENT_MAX) {
    reader->statistics.bytes_unsent += n;
    return;
  }
  if (waiting == 0)
    reader->unsent_at = taken;
  g_queue_push_tail(&reader->unsent, g_bytes_new(bytes, n));
}

/* Keeps what the line does not take now. */
static void send_bytes(void *ctx, const guint8 *bytes, gsize n) {
  AioReader *reader = ctx;
  gssize taken = 0;
  if (!reader->link || reader->write_error) {
    reader->statistics.bytes_unsent += n;
    return;
  }
  if (g_queue_is_empty(&reader->unsent))
    taken = aio_link_write(reader->link, bytes, n, &reader->write_error);
  if (taken < 0) {
    reader->statistics.bytes_unsent += n;
    return;
  }
  aio_reader_capture(reader, AIO_CAPTURE_SENT, g_get_monotonic_time() * 1000, bytes, (gsize)taken);
  reader->statistics.bytes_sent += (guint64)taken;
  if ((gsize)taken < n)
    keep_unsent(reader, bytes, n, (gsize)taken);
}

const AioSink aio_reader_sink = {send_bytes, take_sample, take_event, take_reply};
