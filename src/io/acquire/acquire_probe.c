/* SPDX-License-Identifier: MIT */
/* Which driver speaks to what is at the line? One of the list after the other asks its one harmless
 * question. What it hears while nobody knows whose language it is goes no further. */
#include "io/acquire/acquire_internal.h"
#include "io/registry/driver_registry.h"

#define PROBE_NS (G_GINT64_CONSTANT(1000000000)) /* a slow controller's first answer */

static void write_probe(void *ctx, const guint8 *bytes, gsize n) {
  aio_reader_sink.write(ctx, bytes, n);
}

static void ignore_sample(void *ctx, const AioSample *sample) {
  (void)ctx, (void)sample;
}

static void ignore_event(void *ctx, const AioEvent *event) {
  (void)ctx, (void)event;
}

static void take_answer(void *ctx, const AioReply *reply) {
  AioReader *reader = ctx;
  if (reply->ticket != reader->probe.ticket || reader->probe.is_answered)
    return;
  reader->probe.is_answered = true;
  reader->probe.is_found = reply->code == 0;
}

static const AioSink sink = {write_probe, ignore_sample, ignore_event, take_answer};

static void ask(AioReader *reader, gint64 t_ns) {
  const AioDriverClass *klass = aio_driver_list[reader->probe.index];
  reader->probe.ticket = aio_acquirer_new_ticket(reader->acquirer);
  reader->probe.due_ns = t_ns + PROBE_NS;
  reader->probe.is_answered = reader->probe.is_found = false;
  reader->probe.driver =
      klass->make(&sink, reader, g_random_int(), &reader->acquirer->options.context);
  aio_driver_probe(reader->probe.driver, reader->probe.ticket);
}

void aio_reader_begin_probe(AioReader *reader) {
  reader->probe.index = 0;
  ask(reader, g_get_monotonic_time() * 1000);
}

void aio_reader_end_probe(AioReader *reader) {
  g_clear_pointer(&reader->probe.driver, aio_driver_free);
}

gint64 aio_reader_probe(AioReader *reader, gint64 t_ns) {
  if (!reader->probe.driver)
    return G_MAXINT64;
  const gint64 due_ns = aio_driver_tick(reader->probe.driver, t_ns);
  if (!reader->probe.is_answered && t_ns < reader->probe.due_ns)
    return MIN(due_ns, reader->probe.due_ns);
  aio_reader_end_probe(reader);
  if (reader->probe.is_found)
    reader->klass = aio_driver_list[reader->probe.index];
  if (reader->klass || !aio_driver_list[++reader->probe.index])
    aio_reader_start_driver(reader, reader->klass ? reader->klass : aio_driver_list[0]);
  else
    ask(reader, t_ns);
  return t_ns; /* what waited goes to it now */
}
