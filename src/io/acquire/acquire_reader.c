/* SPDX-License-Identifier: MIT */
/* The reader's thread: waits, reads, gives time and commands to the driver, keeps the link up. */
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "io/acquire/acquire_internal.h"
#include "io/base/said.h"

#define MS_NS             (G_GINT64_CONSTANT(1000000))
#define ALIVE_NS          (200 * MS_NS)      /* and a lease of 300 ms: an arm stops within 0.5 s */
#define REOPEN_FIRST_NS   (100 * MS_NS)      /* chosen, then twice as long each time */
#define REOPEN_LONGEST_NS (2000 * MS_NS)     /* chosen: no longer than somebody waits */
#define END_NS            (500 * MS_NS)      /* for the acknowledgement of the last STOP */
#define AWAY_NS           (1800000 * MS_NS)  /* less than half a turn of a clock: 35.8 minutes */
#define WAIT_LONGEST_NS   (60000 * MS_NS)    /* chosen, far less than that */
enum { PIECE = 4096, PIECES_PER_PASS = 16 }; /* then commands are looked at again */

static gint64 now_ns(void) {
  return g_get_monotonic_time() * 1000;
}

/* Goes on while this computer sleeps, too. */
static gint64 awake_or_not_ns(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000 * MS_NS + now.tv_nsec;
}

/* ---- capture and line ---- */

static void end_capture(AioReader *reader, AioCapture *capture) {
  GError *error = NULL;
  if (!aio_capture_free(capture, &error))
    aio_reader_say(reader, AIO_EVENT_LOG, 0, 2, "%s", aio_error_said(error));
  g_clear_error(&error);
}

void aio_reader_capture(AioReader *reader, AioCaptureDirection direction, gint64 t_ns,
                        const guint8 *bytes, gsize n) {
  if (reader->capture && !reader->probe.driver &&
      !aio_capture_write(reader->capture, direction, t_ns, bytes, n, NULL))
    end_capture(reader, g_steal_pointer(&reader->capture)); /* tells the same error */
}

/* Sends what waited for the line. */
static void flush_unsent(AioReader *reader) {
  while (reader->link && !reader->write_error && !g_queue_is_empty(&reader->unsent)) {
    gsize n;
    const guint8 *bytes = g_bytes_get_data(g_queue_peek_head(&reader->unsent), &n);
    const gssize taken = aio_link_write(reader->link, bytes + reader->unsent_at,
                                        n - reader->unsent_at, &reader->write_error);
    if (taken <= 0)
      return;
    aio_reader_capture(reader, AIO_CAPTURE_SENT, now_ns(), bytes + reader->unsent_at, (gsize)taken);
    reader->statistics.bytes_sent += (guint64)taken;
    reader->unsent_at += (gsize)taken;
    if (reader->unsent_at < n)
      return;
    g_bytes_unref(g_queue_pop_head(&reader->unsent));
    reader->unsent_at = 0;
  }
}

/* Gives up what is not yet on the line, and with `all` also the rest of what is. */
static void drop_unsent(AioReader *reader, bool all) {
  const guint keep = !all && reader->unsent_at > 0 ? 1 : 0;
  while (reader->unsent.length > keep) {
    GBytes *last = g_queue_pop_tail(&reader->unsent);
    reader->statistics.bytes_unsent +=
        g_bytes_get_size(last) - (reader->unsent.length == 0 ? reader->unsent_at : 0);
    g_bytes_unref(last);
  }
  if (all)
    reader->unsent_at = 0;
}

/* ---- connection ---- */

void aio_reader_start_driver(AioReader *reader, const AioDriverClass *klass) {
  const AioDriverContext *context = &reader->acquirer->options.context;
  GError *error = NULL;
  reader->driver = klass->make(&aio_reader_sink, reader, g_random_int(), context);
  if (!reader->capture ||
      aio_capture_connect(reader->capture, now_ns(), klass->name, context, &error))
    return;
  aio_reader_say(reader, AIO_EVENT_LOG, 0, 2, "%s", aio_error_said(error));
  g_error_free(error);
  aio_capture_free(g_steal_pointer(&reader->capture), NULL);
}

static void connect_link(AioReader *reader, AioLink *link) {
  reader->link = link;
  g_free(reader->link_name);
  reader->link_name = g_strdup(link->name);
  reader->joints = 0;
  reader->next_index = 0;
  aio_clock_map_restart(&reader->clock);
  reader->order = (AioClockOrder){0};
  reader->statistics.is_connected = true;
  if (reader->klass)
    aio_reader_start_driver(reader, reader->klass);
  else
    aio_reader_begin_probe(reader);
}

/* The driver answers everything that is outstanding, then goes. */
static void end_driver(AioReader *reader) {
  AioDriverCounters counters;
  aio_reader_end_probe(reader);
  if (reader->driver) {
    aio_driver_counters(reader->driver, &counters);
    aio_driver_counters_add(&reader->past, &counters);
    aio_driver_disconnected(reader->driver);
  }
  g_clear_pointer(&reader->driver, aio_driver_free);
  drop_unsent(reader, true);
  reader->may_be_armed = false;
}

static void disconnect(AioReader *reader) {
  if (!reader->link)
    return;
  end_driver(reader);
  g_clear_pointer(&reader->link, aio_link_close);
  g_clear_error(&reader->write_error);
  reader->statistics.is_connected = false;
}

/* Takes over the error. */
static void lose_link(AioReader *reader, GError *error) {
  aio_reader_publish(reader);
  reader->statistics.links_lost++;
  if (reader->phase != AIO_READER_RUNS)
    reader->phase = AIO_READER_ENDS;
  aio_reader_say(reader, AIO_EVENT_LINK, 0, 2, "%s", aio_error_said(error));
  disconnect(reader);
  g_error_free(error);
  reader->reopen_pause_ns = REOPEN_FIRST_NS;
  reader->reopen_due_ns = now_ns() + reader->reopen_pause_ns;
  reader->reopen_code = 0;
}

static void tell_connected(AioReader *reader) {
  aio_reader_say(reader, AIO_EVENT_LINK, 1, 0,
                 N_("%s: connected again; nothing of before is valid, the arm is not armed"),
                 reader->link_name);
}

static void begin_anew(AioReader *reader, gint64 away_ns) {
  const double minutes = 1e-9 * (double)away_ns / 60.0;
  aio_reader_publish(reader);
  reader->statistics.links_lost++;
  aio_reader_say(reader, AIO_EVENT_LINK, 0, 2,
                 N_("%s: this computer slept or was stopped for %.0f minutes; what the controller "
                    "sent meanwhile is lost"),
                 reader->link_name, minutes);
  end_driver(reader);
  connect_link(reader, reader->link);
  tell_connected(reader);
}

/* After so long nobody can tell which turn of its clock a controller's time is of, nor whether what
 * waits in the line is of before or of now: it is as if the line had been cut. */
static void look_at_absence(AioReader *reader) {
  const gint64 seen_ns = reader->seen_ns;
  reader->seen_ns = awake_or_not_ns();
  if (reader->link && reader->phase == AIO_READER_RUNS && reader->seen_ns - seen_ns > AWAY_NS)
    begin_anew(reader, reader->seen_ns - seen_ns);
}

static void reopen(AioReader *reader) {
  const AioAcquirerOptions *options = &reader->acquirer->options;
  GError *error = NULL;
  AioLink *link = options->reopen(options->reopen_ctx, &error);
  if (link) {
    connect_link(reader, link);
    tell_connected(reader);
    return;
  }
  if (reader->reopen_code != AIO_REPLY_CODE(error->code)) {
    aio_reader_say(reader, AIO_EVENT_LOG, 0, 1, "%s", aio_error_said(error));
    reader->reopen_code = AIO_REPLY_CODE(error->code);
  }
  g_error_free(error);
  reader->reopen_pause_ns = MIN(2 * reader->reopen_pause_ns, REOPEN_LONGEST_NS);
  reader->reopen_due_ns = now_ns() + reader->reopen_pause_ns;
}

static void read_link(AioReader *reader) {
  guint8 bytes[PIECE];
  for (guint k = 0; reader->link && k < PIECES_PER_PASS; k++) {
    GError *error = NULL;
    gint64 t_ns = 0;
    const gssize n = aio_link_read(reader->link, bytes, sizeof bytes, &t_ns, &error);
    if (n < 0)
      lose_link(reader, error);
    if (n <= 0)
      break;
    reader->pass_bytes += (guint64)n;
    if (reader->probe.driver) {
      aio_driver_receive(reader->probe.driver, t_ns, bytes, (gsize)n);
      continue;
    }
    aio_reader_capture(reader, AIO_CAPTURE_RECEIVED, t_ns, bytes, (gsize)n);
    aio_driver_receive(reader->driver, t_ns, bytes, (gsize)n);
  }
  if (reader->link && reader->write_error)
    lose_link(reader, g_steal_pointer(&reader->write_error));
}

/* ---- commands ---- */

static void answer(AioReader *reader, guint64 ticket, AioErrorCode code, const char *said) {
  AioReply reply = {.ticket = ticket, .code = AIO_REPLY_CODE(code)};
  aio_said_copy(reply.message, sizeof reply.message, said);
  aio_acquirer_post_reply(reader->acquirer, &reply);
}

static void run_command(AioReader *reader, guint64 ticket, const AioCommand *command) {
  if (!reader->driver) {
    char *said = aio_said(N_("%s: not connected"), reader->link_name);
    answer(reader, ticket, AIO_ERROR_GONE, said);
    g_free(said);
    return;
  }
  if (aio_command_is_emergency(command))
    drop_unsent(reader, false);
  if (command->kind == AIO_COMMAND_ARM)
    reader->may_be_armed = true;
  aio_command_run(command, reader->driver, ticket);
}

/* The number of commands up to the last emergency: what is no emergency among them is cancelled. */
static guint count_overtaken(const GQueue *commands) {
  guint count = 0, overtaken = 0;
  for (const GList *item = commands->head; item; item = item->next) {
    count++;
    if (aio_command_is_emergency(((const AioPending *)item->data)->command))
      overtaken = count;
  }
  return overtaken;
}

static void begin_end(AioReader *reader);

static void take_commands(AioReader *reader) {
  AioAcquirer *acquirer = reader->acquirer;
  g_mutex_lock(&acquirer->lock);
  const bool wants_end = acquirer->wants_end;
  if (reader->probe.driver && !wants_end) { /* they wait until there is a driver for them */
    g_mutex_unlock(&acquirer->lock);
    return;
  }
  GQueue commands = acquirer->commands;
  g_queue_init(&acquirer->commands);
  g_mutex_unlock(&acquirer->lock);
  const guint overtaken = count_overtaken(&commands);
  guint k = 0;
  for (AioPending *pending; (pending = g_queue_pop_head(&commands)); k++) {
    /* the reply, which may come at once, frees `pending` */
    AioCommand *command = g_steal_pointer(&pending->command);
    if (aio_command_is_emergency(command) || (k >= overtaken && !wants_end))
      run_command(reader, pending->ticket, command);
    else
      answer(reader, pending->ticket, AIO_ERROR_CANCELLED,
             aio_said_word(wants_end ? N_("not sent: the connection is being closed")
                                     : N_("not sent: a stop came in between")));
    aio_command_free(command);
  }
  if (wants_end && reader->phase == AIO_READER_RUNS)
    begin_end(reader);
}

/* ---- the end ---- */

static void begin_end(AioReader *reader) {
  if (!reader->driver || !reader->may_be_armed) {
    reader->phase = AIO_READER_ENDS;
    return;
  }
  reader->phase = AIO_READER_STOPS;
  reader->end_due_ns = now_ns() + END_NS;
  reader->end_ticket = aio_acquirer_new_ticket(reader->acquirer);
  drop_unsent(reader, false);
  aio_driver_stop(reader->driver, reader->end_ticket);
}

void aio_reader_end_answered(AioReader *reader) {
  if (reader->phase == AIO_READER_STOPS) {
    reader->phase = AIO_READER_DISARMS;
    reader->end_due_ns = now_ns() + END_NS;
    reader->end_ticket = aio_acquirer_new_ticket(reader->acquirer);
    aio_driver_disarm(reader->driver, reader->end_ticket, false);
  } else {
    reader->phase = AIO_READER_ENDS;
  }
}

static void look_at_end(AioReader *reader) {
  if (reader->phase != AIO_READER_STOPS && reader->phase != AIO_READER_DISARMS)
    return;
  if (now_ns() < reader->end_due_ns)
    return;
  aio_reader_say(
      reader, AIO_EVENT_LOG, 0, 2,
      N_("%s: %s before disconnecting was not acknowledged; the arm holds when its lease "
         "is over"),
      reader->link_name, reader->phase == AIO_READER_STOPS ? "STOP" : "DISARM");
  reader->phase = AIO_READER_ENDS;
}

/* ---- the loop ---- */

static void report_statistics(AioReader *reader, gint64 t_ns) {
  AioAcquirer *acquirer = reader->acquirer;
  AioStatistics *statistics = &reader->statistics;
  statistics->counters = reader->past;
  if (reader->driver) {
    AioDriverCounters counters;
    aio_driver_counters(reader->driver, &counters);
    aio_driver_counters_add(&statistics->counters, &counters);
  }
  statistics->has_clock = aio_clock_map_estimate(&reader->clock, &statistics->clock_offset_ns,
                                                 &statistics->clock_skew_ppm);
  g_mutex_lock(&acquirer->lock);
  statistics->events_waiting = acquirer->statistics.events_waiting;
  statistics->events_dropped = acquirer->statistics.events_dropped;
  acquirer->statistics = *statistics;
  aio_tally_add(&acquirer->tally, t_ns, reader->pass_samples, reader->pass_bytes);
  g_mutex_unlock(&acquirer->lock);
  reader->pass_samples = reader->pass_bytes = 0;
}

/* One look at everything; returns when to look again at the latest. */
static gint64 pass(AioReader *reader) {
  const gint64 heartbeat_ns = atomic_load(&reader->acquirer->heartbeat_ns);
  gint64 due_ns = G_MAXINT64;
  look_at_absence(reader);
  if (reader->driver && heartbeat_ns > 0)
    aio_driver_keep_alive(reader->driver, heartbeat_ns + ALIVE_NS);
  take_commands(reader);
  const bool was_probing = reader->probe.driver != NULL;
  read_link(reader);
  if (was_probing && !reader->probe.driver)
    take_commands(reader); /* the line is gone: they need not wait any longer */
  flush_unsent(reader);
  due_ns = aio_reader_probe(reader, now_ns());
  if (reader->driver)
    due_ns = MIN(due_ns, aio_driver_tick(reader->driver, now_ns()));
  if (!reader->link && reader->acquirer->options.reopen && reader->phase == AIO_READER_RUNS) {
    if (now_ns() >= reader->reopen_due_ns)
      reopen(reader);
    due_ns = reader->link ? now_ns() : reader->reopen_due_ns;
  }
  look_at_end(reader);
  const gint64 t_ns = now_ns();
  if (reader->chunk && t_ns >= reader->chunk_due_ns)
    aio_reader_publish(reader);
  if (reader->chunk)
    due_ns = MIN(due_ns, reader->chunk_due_ns);
  if (reader->write_error)
    due_ns = t_ns; /* what is left to read first, then the link is lost */
  if (reader->capture)
    due_ns = MIN(due_ns, aio_capture_tick(reader->capture, t_ns));
  if (reader->phase == AIO_READER_STOPS || reader->phase == AIO_READER_DISARMS)
    due_ns = MIN(due_ns, reader->end_due_ns);
  report_statistics(reader, t_ns);
  return due_ns;
}

/* Returns by how much after due_ns it woke up [ns]. */
static gint64 wait_until(AioReader *reader, gint64 due_ns) {
  const bool is_writing = !g_queue_is_empty(&reader->unsent);
  struct pollfd on[2] = {
      {.fd = reader->acquirer->wake_fd, .events = POLLIN},
      {.fd = reader->link ? aio_link_fd(reader->link) : -1,
       .events = (short)(POLLIN | (is_writing ? POLLOUT : 0))},
  };
  const gint64 begin_ns = now_ns(), left_ns = CLAMP(due_ns - begin_ns, 0, WAIT_LONGEST_NS);
  const struct timespec left = {left_ns / (1000 * MS_NS), left_ns % (1000 * MS_NS)};
  (void)ppoll(on, G_N_ELEMENTS(on), &left, NULL);
  guint64 count;
  if (on[0].revents & POLLIN && read(reader->acquirer->wake_fd, &count, sizeof count) < 0)
    g_warn_if_fail(errno == EAGAIN);
  return MAX(now_ns() - MAX(due_ns, begin_ns), 0);
}

static void finish(AioReader *reader) {
  AioAcquirer *acquirer = reader->acquirer;
  aio_reader_publish(reader);
  g_mutex_lock(&acquirer->lock);
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    if (acquirer->queues[k])
      aio_queue_close(acquirer->queues[k]);
  g_mutex_unlock(&acquirer->lock);
  disconnect(reader);
  take_commands(reader); /* the last ones */
  if (reader->capture)
    end_capture(reader, g_steal_pointer(&reader->capture));
  report_statistics(reader, now_ns());
  g_free(reader->link_name);
}

gpointer aio_reader_run(gpointer data) {
  AioReaderStart *start = data;
  AioReader reader = {.acquirer = start->acquirer,
                      .klass = start->acquirer->options.driver,
                      .capture = start->acquirer->options.capture};
  aio_clock_map_init(&reader.clock, 1);
  reader.seen_ns = awake_or_not_ns();
  connect_link(&reader, start->link);
  g_free(start);
  while (reader.phase != AIO_READER_ENDS) {
    const gint64 begin_ns = now_ns();
    const bool had_link = reader.link != NULL;
    const gint64 due_ns = pass(&reader);
    const gint64 busy_ns = had_link ? now_ns() - begin_ns : 0;
    const gint64 late_ns = reader.phase != AIO_READER_ENDS ? wait_until(&reader, due_ns) : 0;
    reader.statistics.reader_worst_ns =
        MAX(reader.statistics.reader_worst_ns, MAX(busy_ns, had_link ? late_ns : 0));
  }
  finish(&reader);
  return NULL;
}
