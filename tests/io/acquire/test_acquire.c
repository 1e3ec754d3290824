/* SPDX-License-Identifier: MIT */
/* Samples on their way from the link to the queues, and links that are lost. */
#include <glib-unix.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acquire_rig.h"
#include "io/base/said.h"

static AioQueue *subscribe(Rig *rig, const char *name, guint capacity, AioQueuePolicy policy) {
  GError *error = NULL;
  AioQueue *queue = aio_queue_new(name, capacity, policy, &error);
  g_assert_no_error(error);
  g_assert_true(aio_acquirer_subscribe(rig->acquirer, queue));
  return queue;
}

/* Every sample that a queue gives, in order. */
typedef struct {
  AioQueue *queue;
  guint64 samples, lost, gaps, chunks;
  gint64 host_ns;
} Consumer;

static void take_chunk(Consumer *consumer, AioChunk *chunk) {
  g_assert_cmpuint(chunk->first_index, ==, consumer->samples);
  g_assert_cmpuint(chunk->n, >, 0);
  for (guint k = 0; k < chunk->n; k++) {
    const guint32 index = (guint32)(chunk->t_us[k] / 1000);
    g_assert_cmpuint(chunk->t_us[k] - chunk->t_us[0], <, AIO_CHUNK_SPAN_US);
    g_assert_cmpint(chunk->t_host_ns[k], >=, consumer->host_ns);
    rig_assert_sample(chunk, k, index);
    consumer->host_ns = chunk->t_host_ns[k];
    if (chunk->flags[k] & AIO_SAMPLE_GAP)
      consumer->gaps++;
  }
  consumer->samples += chunk->n;
  consumer->lost += chunk->lost;
  consumer->chunks++;
  aio_chunk_unref(chunk);
}

static void take_all(Consumer *consumer) {
  for (AioChunk *chunk; (chunk = aio_queue_pop(consumer->queue));)
    take_chunk(consumer, chunk);
}

static void take_until(Consumer *consumer, guint64 samples) {
  while (consumer->samples < samples) {
    g_assert_true(aio_queue_wait(consumer->queue, 20000));
    take_all(consumer);
  }
}

/* ---- 12 joints at 1 kHz, the main thread blocked 120 of every 300 ms ---- */

enum { RATE = 1000, SECONDS = 3 };

static gpointer send_at_rate(gpointer data) {
  Rig *rig = data;
  const gint64 begin_us = g_get_monotonic_time();
  for (guint k = 0; k < RATE * SECONDS; k++) {
    const gint64 ahead_us = begin_us + (gint64)k * 1000000 / RATE - g_get_monotonic_time();
    if (ahead_us > 0)
      g_usleep((gulong)ahead_us);
    rig_send(rig, 'S', 0, k);
  }
  return NULL;
}

static gpointer record(gpointer data) {
  take_until(data, RATE * SECONDS);
  return NULL;
}

static gboolean show(gint fd, GIOCondition condition, gpointer data) {
  (void)fd;
  (void)condition;
  take_all(data);
  return G_SOURCE_CONTINUE;
}

static gboolean block(gpointer data) {
  (void)data;
  g_usleep(120000);
  return G_SOURCE_CONTINUE;
}

static void test_blocked_main_thread(void) {
  Rig *rig = rig_new();
  rig_describe(rig);
  Consumer recorder = {.queue = subscribe(rig, "recorder", 500, AIO_QUEUE_KEEP_OLDEST)};
  Consumer display = {.queue = subscribe(rig, "display", 500, AIO_QUEUE_KEEP_NEWEST)};
  const guint watch = g_unix_fd_add(aio_queue_fd(display.queue), G_IO_IN, show, &display);
  const guint timer = g_timeout_add(300, block, NULL);
  GThread *writer = g_thread_new("writer", record, &recorder);
  GThread *device = g_thread_new("device", send_at_rate, rig);
  while (display.samples < RATE * SECONDS) {
    AioStatistics statistics;
    g_main_context_iteration(NULL, TRUE);
    aio_acquirer_statistics(rig->acquirer, &statistics);
    if (display.samples > 2500)
      g_assert_cmpfloat_with_epsilon(statistics.samples_per_s, RATE, 0.15 * RATE);
  }
  g_thread_join(device);
  g_thread_join(writer);
  g_source_remove(watch);
  g_source_remove(timer);
  AioStatistics statistics;
  aio_acquirer_statistics(rig->acquirer, &statistics);
  g_test_message("%" G_GUINT64_FORMAT " samples in %" G_GUINT64_FORMAT
                 " chunks, reader at worst %.2f ms, display queue at most %u deep",
                 recorder.samples, recorder.chunks, 1e-6 * (double)statistics.reader_worst_ns,
                 statistics.queue[1].deepest);
  g_assert_cmpuint(recorder.samples, ==, RATE * SECONDS);
  g_assert_cmpuint(recorder.lost + display.lost, ==, 0);
  g_assert_cmpuint(statistics.counters.samples, ==, RATE * SECONDS);
  g_assert_cmpuint(statistics.queues, ==, 2);
  g_assert_cmpuint(statistics.queue[0].dropped + statistics.queue[1].dropped, ==, 0);
  g_assert_true(statistics.has_clock && statistics.is_connected);
  aio_queue_unref(recorder.queue);
  aio_queue_unref(display.queue);
  rig_free(rig);
}

/* ---- losses ---- */

static void test_gap(void) {
  Rig *rig = rig_new();
  rig_send(rig, 'S', 0, 0); /* the number of joints is not known: counted, not shown */
  rig_describe(rig);
  Consumer consumer = {.queue = subscribe(rig, "recorder", 100, AIO_QUEUE_KEEP_OLDEST)};
  for (guint k = 1; k < 100; k++)
    if (k < 50 || k >= 57)
      rig_send(rig, 'S', 0, k);
  take_until(&consumer, 92);
  AioStatistics statistics;
  aio_acquirer_statistics(rig->acquirer, &statistics);
  g_assert_cmpuint(statistics.samples_unknown, ==, 1);
  g_assert_cmpuint(statistics.counters.samples_lost, ==, 7);
  g_assert_cmpuint(consumer.lost, ==, 7);
  g_assert_cmpuint(consumer.gaps, ==, 1);
  aio_queue_unref(consumer.queue);
  rig_free(rig);
}

/* A sample does not wait for the next one longer than a chunk may last. */
static void test_lone_sample(void) {
  Rig *rig = rig_new();
  rig_describe(rig);
  Consumer consumer = {.queue = subscribe(rig, "display", 100, AIO_QUEUE_KEEP_NEWEST)};
  const gint64 begin_us = g_get_monotonic_time();
  rig_send(rig, 'S', 0, 0);
  take_until(&consumer, 1);
  g_assert_cmpint(g_get_monotonic_time() - begin_us, >=, AIO_CHUNK_SPAN_US - 1000);
  aio_acquirer_unsubscribe(rig->acquirer, consumer.queue);
  rig_send(rig, 'S', 0, 1);
  g_assert_false(aio_queue_wait(consumer.queue, 50));
  aio_queue_unref(consumer.queue);
  rig_free(rig);
}

static void test_slow_recorder(void) {
  Rig *rig = rig_new();
  rig_describe(rig);
  AioQueue *queue = subscribe(rig, "recorder", 2, AIO_QUEUE_KEEP_OLDEST);
  rig_hold(rig); /* all at once: chunks of 20, however slow this thread is */
  for (guint k = 0; k < 100; k++)
    rig_send(rig, 'S', 0, k);
  rig_release();
  g_assert_cmpstr(aio_said_shown(rig_event(rig, AIO_EVENT_LOG, 0)->text), ==,
                  "recorder does not keep up: 2 pieces of the measurement wait for it, samples "
                  "are lost there");
  AioQueueCounters counters = {.dropped = 0};
  for (guint k = 0; k < 1200 && counters.dropped < 3; k++) { /* a minute at most */
    rig_dispatch_for(rig, 50);
    aio_queue_counters(queue, &counters);
  }
  while (aio_queue_wait(queue, 0))
    aio_chunk_unref(aio_queue_pop(queue));
  rig_send(rig, 'S', 0, 100);
  g_assert_cmpstr(aio_said_shown(rig_event(rig, AIO_EVENT_LOG, 1)->text), ==,
                  "recorder keeps up again: 60 samples did not reach it so far");
  aio_queue_counters(queue, &counters);
  g_assert_cmpuint(counters.pushed, ==, 6);
  g_assert_cmpuint(counters.dropped, ==, 3);
  g_assert_cmpuint(rig->events->len, ==, 2);
  aio_queue_unref(queue);
  rig_free(rig);
}

/* Whoever acts on the end of a motion finds all its samples in the queue. */
static void test_samples_before_event(void) {
  Rig *rig = rig_new();
  rig_describe(rig);
  Consumer consumer = {.queue = subscribe(rig, "recorder", 100, AIO_QUEUE_KEEP_OLDEST)};
  for (guint k = 0; k < 7; k++)
    rig_send(rig, 'S', 0, k);
  rig_send(rig, 'E', AIO_EVENT_MOTION_END, 3);
  g_assert_cmpuint(rig_event(rig, AIO_EVENT_MOTION_END, 0)->value, ==, 3);
  take_all(&consumer);
  g_assert_cmpuint(consumer.samples, ==, 7);
  aio_queue_unref(consumer.queue);
  rig_free(rig);
}

/* ---- the link ---- */

#define GONE_TEXT "arm: the other end is gone: it was closed or its program ended; connect again"

static void test_hang_up(void) {
  Rig *rig = rig_new();
  rig_describe(rig);
  rig->reopen_failures = 2;
  Consumer consumer = {.queue = subscribe(rig, "recorder", 100, AIO_QUEUE_KEEP_OLDEST)};
  const guint64 unanswered = rig_command(rig, AIO_COMMAND_STATE);
  rig_expect_silent(rig, AIO_COMMAND_STATE);
  for (guint k = 0; k < 1005; k++)
    rig_send(rig, 'S', 0, k);
  rig_hang_up(rig);
  const AioEvent *event = rig_event(rig, AIO_EVENT_LINK, 0);
  g_assert_cmpstr(aio_said_shown(event->text), ==, GONE_TEXT);
  g_assert_cmpuint(event->value, ==, 0);
  g_assert_cmpint(event->level, ==, 2);
  take_all(&consumer);
  g_assert_cmpuint(consumer.samples, ==, 1005);
  AioReply *reply = rig_wait(rig, unanswered);
  g_assert_cmpint(reply->code, ==, AIO_REPLY_CODE(AIO_ERROR_GONE));
  aio_reply_free(reply);
  reply = rig_wait(rig, rig_command(rig, AIO_COMMAND_STATE));
  g_assert_cmpint(reply->code, ==, AIO_REPLY_CODE(AIO_ERROR_GONE));
  g_assert_cmpstr(aio_said_shown(reply->message), ==, "arm: not connected");
  aio_reply_free(reply);
  event = rig_event(rig, AIO_EVENT_LINK, 1);
  g_assert_cmpstr(aio_said_shown(event->text), ==,
                  "arm: connected again; nothing of before is valid, the arm is not armed");
  g_assert_cmpuint(event->value, ==, 1);
  /* two attempts failed for the same reason: reported once */
  g_assert_cmpstr(aio_said_shown(rig_event(rig, AIO_EVENT_LOG, 0)->text), ==,
                  "no port has the serial number 42");
  g_assert_cmpuint(rig->events->len, ==, 3);
  g_assert_cmpuint(rig->reopens, ==, 1);
  /* it begins with nothing: not even the number of joints is known */
  rig_send(rig, 'S', 0, 0);
  rig_describe(rig);
  consumer.samples = 0;
  for (guint k = 1; k < 31; k++)
    rig_send(rig, 'S', 0, k);
  take_until(&consumer, 30);
  AioStatistics statistics;
  aio_acquirer_statistics(rig->acquirer, &statistics);
  g_assert_cmpuint(statistics.links_lost, ==, 1);
  g_assert_true(statistics.is_connected);
  g_assert_cmpuint(statistics.counters.samples, ==, 1005 + 31);
  g_assert_cmpuint(statistics.samples_unknown, ==, 1);
  aio_queue_unref(consumer.queue);
  rig_free(rig);
}

static void test_free_while_down(void) {
  Rig *rig = rig_new();
  rig->reopen_failures = G_MAXUINT;
  rig_hang_up(rig);
  rig_event(rig, AIO_EVENT_LOG, 0);
  const gint64 begin_us = g_get_monotonic_time();
  aio_acquirer_free(g_steal_pointer(&rig->acquirer));
  g_assert_cmpint(g_get_monotonic_time() - begin_us, <, 500000);
  rig_free(rig);
}

static void test_queues_end(void) {
  Rig *rig = rig_new();
  rig_describe(rig);
  Consumer consumer = {.queue = subscribe(rig, "recorder", 100, AIO_QUEUE_KEEP_OLDEST)};
  rig_send(rig, 'S', 0, 0);
  rig_send(rig, 'L', 0, 0);
  rig_event(rig, AIO_EVENT_LOG, 0);
  aio_acquirer_free(g_steal_pointer(&rig->acquirer));
  take_all(&consumer); /* the open chunk as well */
  g_assert_cmpuint(consumer.samples, ==, 1);
  g_assert_true(aio_queue_is_finished(consumer.queue));
  aio_queue_unref(consumer.queue);
  rig_free(rig);
}

/* ---- the capture ---- */

static void test_capture(void) {
  enum { SENT = 300 };
  GError *error = NULL;
  char *directory = g_dir_make_tmp("armature-XXXXXX", &error);
  g_assert_no_error(error);
  char *path = g_build_filename(directory, "all.acp", NULL);
  AioCapture *capture = aio_capture_new(path, &error);
  g_assert_no_error(error);
  Rig *rig = rig_new_captured(capture);
  rig_describe(rig);
  for (guint k = 0; k < SENT; k++)
    rig_send(rig, 'S', 0, k);
  rig_send(rig, 'L', 0, 0);
  rig_event(rig, AIO_EVENT_LOG, 0);
  rig_free(rig);
  AioCaptureReader *reader = aio_capture_reader_new(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(aio_capture_reader_driver(reader), ==, "rig");
  GByteArray *both[3] = {g_byte_array_new(), g_byte_array_new(), g_byte_array_new()};
  for (AioCaptureRecord record; aio_capture_reader_next(reader, &record);)
    g_byte_array_append(both[record.direction], record.bytes, (guint)record.n);
  g_assert_null(aio_capture_reader_damage(reader));
  g_assert_cmpuint(both[AIO_CAPTURE_SENT]->len, ==, sizeof(RigFrame));
  const GByteArray *received = both[AIO_CAPTURE_RECEIVED];
  g_assert_cmpuint(received->len, ==, (SENT + 2) * sizeof(RigFrame));
  for (guint k = 0; k < SENT; k++) {
    RigFrame frame;
    memcpy(&frame, received->data + (k + 1) * sizeof frame, sizeof frame);
    g_assert_cmpuint(frame.value, ==, k);
  }
  aio_capture_reader_free(reader);
  g_byte_array_unref(both[0]);
  g_byte_array_unref(both[1]);
  g_byte_array_unref(both[2]);
  g_unlink(path);
  g_rmdir(directory);
  g_free(path);
  g_free(directory);
}

/* No thread of a process that is stopped leaves the kernel; kill returns before it is. */
static bool is_stopped(pid_t process) {
  char path[64], *text = NULL;
  g_snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  const bool is_read = g_file_get_contents(path, &text, NULL, NULL);
  const bool is = is_read && strstr(text, ") T ");
  g_free(text);
  return is;
}

/* Another process stops this one before the chunk is due which sample 0 has opened, sends a sample
 * meanwhile, and lets go 100 ms later. false: it came too late, nothing was due. */
static bool stop_for_a_while(Rig *rig, gint64 due_us) {
  enum { STOPPED, FAILED, TOO_LATE };
  const pid_t me = getpid(), other = fork();
  g_assert_cmpint(other, >=, 0);
  if (other == 0) {
    const RigFrame sample = {.type = 'S', .value = 1};
    bool is_done = kill(me, SIGSTOP) == 0;
    while (is_done && !is_stopped(me))
      g_thread_yield();
    const bool is_in_time = g_get_monotonic_time() < due_us;
    is_done &= send(rig->device, &sample, sizeof sample, MSG_NOSIGNAL) == sizeof sample;
    g_usleep(100000);
    is_done &= kill(me, SIGCONT) == 0;
    _exit(!is_done ? FAILED : is_in_time ? STOPPED : TOO_LATE);
  }
  int status = -1;
  g_assert_cmpint(waitpid(other, &status, 0), ==, other);
  g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) != FAILED);
  return WEXITSTATUS(status) == STOPPED;
}

/* Until the reader has this many samples and waits for more. */
static void wait_for_samples(Rig *rig, guint64 samples) {
  AioStatistics statistics;
  do {
    g_thread_yield();
    aio_acquirer_statistics(rig->acquirer, &statistics);
  } while (statistics.counters.samples < samples);
}

/* The longest time in which nobody looked at the link [ns]; -1: nothing was due meanwhile. */
static gint64 worst_when_stopped(void) {
  Rig *rig = rig_new();
  AioStatistics statistics;
  rig_describe(rig);
  const gint64 due_us = g_get_monotonic_time() + AIO_CHUNK_SPAN_US;
  rig_send(rig, 'S', 0, 0);
  wait_for_samples(rig, 1);
  const bool was_due = stop_for_a_while(rig, due_us);
  wait_for_samples(rig, 2);
  aio_acquirer_statistics(rig->acquirer, &statistics);
  rig_free(rig);
  return was_due ? statistics.reader_worst_ns : -1;
}

/* Time in which nobody looked at the link does not stay hidden because something had come. */
static void test_stopped_process(void) {
  enum { WANTED = 4, TRIES = 200 };
  guint stopped = 0, tries = 0;
  for (; stopped < WANTED && tries < TRIES; tries++) {
    const gint64 worst_ns = worst_when_stopped();
    if (worst_ns < 0)
      continue;
    g_assert_cmpint(worst_ns, >, 50000000);
    stopped++;
  }
  g_test_message("stopped in time %u times of %u", stopped, tries);
  g_assert_cmpuint(stopped, ==, WANTED);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/acquire/blocked-main-thread", test_blocked_main_thread);
  g_test_add_func("/acquire/gap", test_gap);
  g_test_add_func("/acquire/lone-sample", test_lone_sample);
  g_test_add_func("/acquire/slow-recorder", test_slow_recorder);
  g_test_add_func("/acquire/samples-before-event", test_samples_before_event);
  g_test_add_func("/acquire/hang-up", test_hang_up);
  g_test_add_func("/acquire/free-while-down", test_free_while_down);
  g_test_add_func("/acquire/queues-end", test_queues_end);
  g_test_add_func("/acquire/stopped-process", test_stopped_process);
  g_test_add_func("/acquire/capture", test_capture);
  return g_test_run();
}
