/* SPDX-License-Identifier: MIT */
/* Commands, replies and events between the caller's thread and the reader's; emergencies, the
 * heartbeat, and how it ends. */
#include <glib.h>
#include <stdbool.h>

#include "acquire_rig.h"
#include "io/base/said.h"

static void assert_code(Rig *rig, guint64 ticket, int code, const char *message) {
  AioReply *reply = rig_wait(rig, ticket);
  g_assert_cmpint(reply->code, ==, code);
  g_assert_cmpstr(aio_said_shown(reply->message), ==, message);
  aio_reply_free(reply);
}

static void test_replies(void) {
  Rig *rig = rig_new();
  const double values[RIG_PARAMS] = {0.25, 1.25, 2.25, 3.25, 4.25};
  AioCommand upload = {.kind = AIO_COMMAND_PARAMS_UPLOAD, .params = {RIG_PARAMS, values}};
  rig_describe(rig);
  const guint64 get = rig_command(rig, AIO_COMMAND_PARAMS_GET);
  rig_expect(rig, AIO_COMMAND_PARAMS_GET);
  AioReply *reply = rig_wait(rig, get);
  g_assert_cmpuint(reply->n_params, ==, RIG_PARAMS);
  for (guint k = 0; k < RIG_PARAMS; k++)
    g_assert_cmpfloat(reply->params[k].value, ==, 0.5 * k);
  aio_reply_free(reply);
  const guint64 put = aio_acquirer_send(rig->acquirer, &upload, NULL, NULL);
  rig_expect(rig, AIO_COMMAND_PARAMS_UPLOAD);
  assert_code(rig, put, 0, "");
  assert_code(rig, rig_command(rig, AIO_COMMAND_SWEEP), AIO_REPLY_CODE(AIO_ERROR_REFUSED),
              "SWEEP: a controller of the kind \"rig\" cannot do this");
  g_assert_false(aio_acquirer_wait(rig->acquirer, put, 0, &reply)); /* once only */
  g_assert_null(reply);
  AioStatistics statistics;
  aio_acquirer_statistics(rig->acquirer, &statistics);
  g_assert_cmpuint(statistics.round_trips, ==, 3);
  g_assert_cmpint(statistics.round_trip_p99_ns, >=, statistics.round_trip_p50_ns);
  g_assert_cmpint(statistics.round_trip_p50_ns, >, 0);
  rig_free(rig);
}

/* By the main context of the thread that made the acquirer. */
static void test_main_context(void) {
  GMainContext *context = g_main_context_new();
  g_main_context_push_thread_default(context);
  Rig *rig = rig_new();
  rig_command_noted(rig, AIO_COMMAND_STATE);
  rig_expect(rig, AIO_COMMAND_STATE);
  rig_send(rig, 'E', AIO_EVENT_BOOT, 9);
  while (rig->codes->len == 0 || rig->events->len == 0)
    g_main_context_iteration(context, TRUE);
  g_assert_cmpint(g_array_index(rig->codes, int, 0), ==, 0);
  g_assert_cmpuint(g_array_index(rig->events, AioEvent, 0).value, ==, 9);
  g_assert_true(rig->dispatched_in == g_thread_self());
  rig_free(rig);
  g_main_context_pop_thread_default(context);
  g_main_context_unref(context);
}

/* ---- order ---- */

static void test_order(void) {
  Rig *rig = rig_new();
  guint64 tickets[20];
  rig_hold(rig);
  for (guint k = 0; k < 20; k++)
    tickets[k] = rig_command(rig, k % 2 ? AIO_COMMAND_STATE : AIO_COMMAND_ARM);
  rig_release();
  for (guint k = 0; k < 20; k++) {
    g_assert_cmpuint(rig_expect(rig, k % 2 ? AIO_COMMAND_STATE : AIO_COMMAND_ARM), ==, tickets[k]);
    assert_code(rig, tickets[k], 0, "");
  }
  rig_free(rig);
}

static void test_stop_overtakes(gconstpointer data) {
  const AioCommandKind kind = (AioCommandKind)GPOINTER_TO_INT(data);
  Rig *rig = rig_new();
  rig_hold(rig);
  const guint64 before = rig_command(rig, AIO_COMMAND_DESCRIBE);
  const guint64 first = rig_command(rig, kind);
  const guint64 between = rig_command(rig, AIO_COMMAND_STATE);
  const guint64 second = rig_command(rig, kind);
  const guint64 after = rig_command(rig, AIO_COMMAND_PARAMS_GET);
  rig_release();
  g_assert_cmpuint(rig_expect(rig, kind), ==, first);
  g_assert_cmpuint(rig_expect(rig, kind), ==, second);
  g_assert_cmpuint(rig_expect(rig, AIO_COMMAND_PARAMS_GET), ==, after);
  assert_code(rig, before, AIO_REPLY_CODE(AIO_ERROR_CANCELLED), "not sent: a stop came in between");
  assert_code(rig, between, AIO_REPLY_CODE(AIO_ERROR_CANCELLED),
              "not sent: a stop came in between");
  assert_code(rig, first, 0, "");
  assert_code(rig, second, 0, "");
  assert_code(rig, after, 0, "");
  rig_free(rig);
}

/* The line is busy: what is on it goes on, what only waits for it is given up for the stop. */
static void test_stop_overtakes_line(void) {
  enum { SENT = 14 };
  Rig *rig = rig_new_narrow();
  for (guint k = 0; k < SENT; k++)
    rig_command(rig, AIO_COMMAND_TEST);
  g_usleep(50000);
  const guint64 stop = rig_command(rig, AIO_COMMAND_STOP);
  g_usleep(50000);
  RigFrame frame;
  guint arrived = 0;
  for (;;) {
    g_assert_true(rig_receive(rig, &frame, 5000));
    if (frame.type != 'T')
      break;
    arrived++;
    g_assert_cmpuint(frame.value, ==, arrived); /* whole frames, in order */
  }
  g_assert_cmpint(frame.kind, ==, AIO_COMMAND_STOP);
  g_assert_cmpuint(frame.value, ==, stop);
  g_assert_false(rig_receive(rig, &frame, 100)); /* and nothing of before comes after it */
  AioStatistics statistics;
  aio_acquirer_statistics(rig->acquirer, &statistics);
  g_test_message("%u of %d frames were on the line already", arrived, SENT);
  g_assert_cmpuint(arrived, <, SENT);
  g_assert_cmpuint(statistics.bytes_unsent, ==, (SENT - arrived) * RIG_LONG);
  g_assert_cmpuint(statistics.bytes_sent, ==, arrived * RIG_LONG + sizeof frame);
  rig_free(rig);
}

static void test_kill_breaks_line(void) {
  Rig *rig = rig_new();
  guint64 ticket = rig_command(rig, AIO_COMMAND_STATE);
  rig_send(rig, 'N', 0, rig_expect_silent(rig, AIO_COMMAND_STATE));
  assert_code(rig, ticket, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT), "no answer");
  g_assert_cmpuint(rig->breaks, ==, 0);
  ticket = rig_command(rig, AIO_COMMAND_KILL);
  rig_send(rig, 'N', 0, rig_expect_silent(rig, AIO_COMMAND_KILL));
  assert_code(rig, ticket, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT), "no answer");
  g_assert_cmpuint(rig->breaks, ==, 1);
  g_assert_cmpstr(aio_said_shown(rig_event(rig, AIO_EVENT_LOG, 0)->text), ==,
                  "arm: KILL was not acknowledged (no answer); a line break was sent: switch off "
                  "by hand");
  rig_free(rig);
}

/* ---- the heartbeat ---- */

enum { BEAT_TRIES = 600 }; /* of 100 ms */

static guint count_leases(Rig *rig, guint ms, bool beats) {
  const gint64 end_us = g_get_monotonic_time() + 1000 * ms;
  guint leases = 0;
  while (g_get_monotonic_time() < end_us) {
    RigFrame frame;
    if (beats)
      aio_acquirer_keep_alive(rig->acquirer);
    if (rig_receive(rig, &frame, 10))
      leases += frame.type == 'K';
  }
  return leases;
}

/* As long as it beats they come, however slow the computer. */
static void expect_leases(Rig *rig, guint n) {
  guint leases = 0;
  for (guint k = 0; k < BEAT_TRIES && leases < n; k++)
    leases += count_leases(rig, 100, true);
  g_assert_cmpuint(leases, >=, n);
}

static void test_heartbeat(void) {
  Rig *rig = rig_new();
  rig_command(rig, AIO_COMMAND_ARM);
  rig_expect(rig, AIO_COMMAND_ARM);
  g_assert_cmpuint(count_leases(rig, 100, false), ==, 0); /* nobody ever said it is alive */
  guint last = 0;
  for (guint k = 0; k < BEAT_TRIES && last < 2; k++) { /* a reader that gets no time sends none */
    expect_leases(rig, 10);
    last = count_leases(rig, 300, false); /* for 200 ms more */
    g_assert_cmpuint(last, <=, 8);
    g_assert_cmpuint(count_leases(rig, 300, false), ==, 0);
  }
  g_test_message("%u leases after the last beat", last);
  g_assert_cmpuint(last, >=, 2);
  expect_leases(rig, 5);
  rig_free(rig);
}

/* ---- too many events ---- */

static void test_events_dropped(void) {
  enum { SENT = 5000, KEPT = 2048 };
  Rig *rig = rig_new();
  for (guint k = 0; k < SENT; k++)
    rig_send(rig, 'L', 0, k);
  rig_send(rig, 'E', AIO_EVENT_FAULT, 1); /* talk leaves room for it */
  const guint64 ticket = rig_command_noted(rig, AIO_COMMAND_STATE);
  g_assert_cmpuint(rig_expect(rig, AIO_COMMAND_STATE), ==, ticket);
  AioStatistics statistics;
  do
    aio_acquirer_statistics(rig->acquirer, &statistics);
  while (statistics.events_waiting + statistics.events_dropped < SENT + 1);
  g_assert_cmpuint(statistics.events_waiting, ==, KEPT + 1);
  rig_dispatch_replies(rig, 1); /* which are never dropped */
  g_assert_cmpuint(rig->events->len, ==, KEPT + 2);
  g_assert_cmpint(g_array_index(rig->events, AioEvent, KEPT).kind, ==, AIO_EVENT_FAULT);
  g_assert_cmpstr(aio_said_shown(g_array_index(rig->events, AioEvent, KEPT + 1).text), ==,
                  "2952 events were lost, since too many waited to be taken: what is known of the "
                  "controller's state may be old");
  rig_free(rig);
}

/* A device that always has something to say leaves time for everything else in the main loop. */
static void test_events_in_turns(void) {
  enum { SENT = 1000 };
  Rig *rig = rig_new();
  AioStatistics statistics;
  guint turns = 0;
  for (guint k = 0; k < SENT; k++)
    rig_send(rig, 'L', 0, k);
  do
    aio_acquirer_statistics(rig->acquirer, &statistics);
  while (statistics.events_waiting < SENT);
  for (guint before = 0; rig->events->len < SENT; turns++, before = rig->events->len) {
    g_main_context_iteration(NULL, FALSE);
    g_assert_cmpuint(rig->events->len - before, <=, 100);
  }
  g_assert_cmpuint(turns, >=, SENT / 100);
  rig_free(rig);
}

/* ---- the end ---- */

static gpointer free_acquirer(gpointer data) {
  aio_acquirer_free(data);
  return NULL;
}

static void arm(Rig *rig) {
  const guint64 ticket = rig_command(rig, AIO_COMMAND_ARM);
  rig_expect(rig, AIO_COMMAND_ARM);
  assert_code(rig, ticket, 0, "");
}

static void test_end_stops(void) {
  Rig *rig = rig_new();
  RigFrame frame;
  arm(rig);
  rig_command_noted(rig, AIO_COMMAND_STATE);
  rig_expect_silent(rig, AIO_COMMAND_STATE);
  GThread *ending = g_thread_new("end", free_acquirer, g_steal_pointer(&rig->acquirer));
  rig_expect(rig, AIO_COMMAND_STOP);
  g_assert_cmpuint(rig->codes->len, ==, 0);
  rig_expect(rig, AIO_COMMAND_DISARM);
  g_assert_false(rig_receive(rig, &frame, 5000)); /* the end */
  g_thread_join(ending);
  g_assert_cmpuint(rig->codes->len, ==, 1);
  g_assert_cmpint(g_array_index(rig->codes, int, 0), ==, AIO_REPLY_CODE(AIO_ERROR_GONE));
  g_assert_cmpuint(rig->events->len, ==, 0);
  rig_free(rig);
}

static void test_end_without_answer(void) {
  Rig *rig = rig_new();
  arm(rig);
  const gint64 begin_us = g_get_monotonic_time();
  aio_acquirer_free(g_steal_pointer(&rig->acquirer));
  const double ms = 1e-3 * (double)(g_get_monotonic_time() - begin_us);
  g_assert_cmpfloat(ms, >=, 499);
  g_assert_cmpfloat(ms, <, 5000);
  rig_expect_silent(rig, AIO_COMMAND_STOP);
  g_assert_cmpuint(rig->events->len, ==, 1);
  g_assert_cmpstr(aio_said_shown(g_array_index(rig->events, AioEvent, 0).text), ==,
                  "arm: STOP before disconnecting was not acknowledged; the arm holds when its "
                  "lease is over");
  rig_free(rig);
}

static void test_end_by_hang_up(void) {
  Rig *rig = rig_new();
  arm(rig);
  GThread *ending = g_thread_new("end", free_acquirer, g_steal_pointer(&rig->acquirer));
  rig_expect_silent(rig, AIO_COMMAND_STOP);
  rig_hang_up(rig);
  g_thread_join(ending);
  g_assert_cmpuint(rig->reopens, ==, 0);
  g_assert_cmpuint(rig->events->len, ==, 1);
  rig_free(rig);
}

static void test_end_unarmed(void) {
  Rig *rig = rig_new();
  RigFrame frame;
  arm(rig);
  rig_send(rig, 'E', AIO_EVENT_STATE, 0); /* not armed any more */
  rig_event(rig, AIO_EVENT_STATE, 0);
  rig_hold(rig);
  rig_command_noted(rig, AIO_COMMAND_STATE);
  GThread *ending = g_thread_new("end", free_acquirer, g_steal_pointer(&rig->acquirer));
  g_usleep(50000);
  rig_release();
  g_assert_false(rig_receive(rig, &frame, 5000));
  g_thread_join(ending);
  g_assert_cmpuint(rig->codes->len, ==, 1);
  g_assert_cmpint(g_array_index(rig->codes, int, 0), ==, AIO_REPLY_CODE(AIO_ERROR_CANCELLED));
  rig_free(rig);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/acquire/replies", test_replies);
  g_test_add_func("/acquire/main-context", test_main_context);
  g_test_add_func("/acquire/order", test_order);
  g_test_add_data_func("/acquire/overtakes/stop", GINT_TO_POINTER(AIO_COMMAND_STOP),
                       test_stop_overtakes);
  g_test_add_data_func("/acquire/overtakes/kill", GINT_TO_POINTER(AIO_COMMAND_KILL),
                       test_stop_overtakes);
  g_test_add_func("/acquire/overtakes/line", test_stop_overtakes_line);
  g_test_add_func("/acquire/kill-breaks-line", test_kill_breaks_line);
  g_test_add_func("/acquire/heartbeat", test_heartbeat);
  g_test_add_func("/acquire/events-dropped", test_events_dropped);
  g_test_add_func("/acquire/events-in-turns", test_events_in_turns);
  g_test_add_func("/acquire/end/stops", test_end_stops);
  g_test_add_func("/acquire/end/without-answer", test_end_without_answer);
  g_test_add_func("/acquire/end/hang-up", test_end_by_hang_up);
  g_test_add_func("/acquire/end/unarmed", test_end_unarmed);
  return g_test_run();
}
