/* SPDX-License-Identifier: MIT */
/* The end of a leg: which samples a runner waits for. Most of it by events and chunks that come
 * between two rounds of the main loop, so that no time passes. */
#include <glib.h>
#include <string.h>

#include "runner_case.h"
#include "session/measure/runner_internal.h"

enum { FAR_US = 60000000, SETTLE_US = 1500000, SETTLE_MS = 2000, BETWEEN_US = 5 };

static bool has_samples(void *data) {
  return last_run(data)->motion != 0 && last_run(data)->chunks->len > 0;
}

static void sweep(Case *c, guint first) {
  rig_arm(&c->rig);
  start(c, first);
  g_assert_true(rig_wait(is_sweeping, c, 10.0));
  g_assert_true(rig_wait(has_samples, c, 10.0));
}

static Case *sweeping(void) {
  Case *c = runner_case_new(1.0);
  sweep(c, 0);
  return c;
}

/* Well beyond all samples that have come. */
static guint64 later(Case *c) {
  const GPtrArray *chunks = last_run(c)->chunks;
  const AioChunk *last = chunks->pdata[chunks->len - 1];
  return last->t_us[last->n - 1] + FAR_US;
}

/* Two samples, the younger at that time; at the end of the leg, or beside it. Was it the last that
 * the runner waited for? */
static bool ends_with(Case *c, guint64 t_us, bool is_at_end) {
  const AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, ase_runner_leg(c->runner));
  const guint ended = c->ended;
  AioSample sample = {.t_us = t_us - BETWEEN_US};
  AioChunk *chunk = aio_chunk_new((guint)c->itinerary->n, 0);
  g_assert_true(leg->sweeps);
  for (guint j = 0; j < c->itinerary->n; j++)
    sample.q[j] = leg->pose[j];
  sample.q[leg->joint - 1] = (leg->passes % 2 ? leg->q1 : leg->q0) + (is_at_end ? 0.0 : 0.1);
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  sample.t_us = t_us;
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  g_signal_emit_by_name(c->rig.device, "chunk", chunk);
  aio_chunk_unref(chunk);
  return c->ended > ended;
}

static guint64 end_motion(Case *c, AioMotionEnd end) {
  const AioEvent event = {
      .kind = AIO_EVENT_MOTION_END, .motion_id = last_run(c)->motion, .end = end, .t_us = later(c)};
  g_signal_emit_by_name(c->rig.device, "event", &event);
  g_assert_cmpuint(c->ended + 1, ==, c->started);
  return event.t_us;
}

/* At rest where it should be, as soon as a sample is younger than the end. */
static void test_done(void) {
  Case *c = sweeping();
  const guint64 end_us = end_motion(c, AIO_END_DONE);
  g_assert_false(ends_with(c, end_us - FAR_US / 2, true));
  g_assert_false(ends_with(c, end_us, true));
  g_assert_true(ends_with(c, end_us + 1, true));
  runner_case_free(c);
}

/* Elsewhere it may still be coming to rest, but not for ever. */
static void test_not_there(void) {
  Case *c = sweeping();
  const guint64 end_us = end_motion(c, AIO_END_DONE);
  g_assert_false(ends_with(c, end_us + 1, false));
  g_assert_false(ends_with(c, end_us + SETTLE_US, false));
  g_assert_true(ends_with(c, end_us + SETTLE_US + 1, false));
  runner_case_free(c);
}

/* An arm that was stopped is where it is. */
static void test_stopped(void) {
  Case *c = sweeping();
  const guint64 end_us = end_motion(c, AIO_END_STOP);
  g_assert_false(ends_with(c, end_us, false));
  g_assert_true(ends_with(c, end_us + 1, false));
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpstr(c->reason, ==, "held");
  runner_case_free(c);
}

/* Of an end whose time nobody knows no sample is said to be younger: those on their way are
 * waited for. */
static void test_time_unknown(gconstpointer data) {
  const AioEventKind kind = (AioEventKind)GPOINTER_TO_INT(data);
  AioEvent event = {.kind = kind, .value = 0};
  Case *c = sweeping();
  g_strlcpy(event.text, "gone", sizeof event.text);
  g_signal_emit_by_name(c->rig.device, "event", &event);
  g_assert_false(ends_with(c, later(c), false));
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpstr(c->reason, ==, kind == AIO_EVENT_BOOT ? "the controller restarted" : "gone");
  runner_case_free(c);
}

/* The link is there, as it was: no news. */
static void test_linked(void) {
  const AioEvent event = {.kind = AIO_EVENT_LINK, .value = 1};
  Case *c = sweeping();
  g_signal_emit_by_name(c->rig.device, "event", &event);
  rig_pass(0.5);
  g_assert_false(c->has_stopped);
  g_assert_true(is_sweeping(c));
  runner_case_free(c);
}

/* Others on the line may be why a leg ended: it is said, once. */
static void test_foreign(void) {
  const AioEvent foreign = {.kind = AIO_EVENT_FOREIGN};
  Case *c = sweeping();
  g_signal_emit_by_name(c->rig.device, "event", &foreign);
  g_assert_true(ends_with(c, end_motion(c, AIO_END_STOP) + 1, false));
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_true(g_str_has_prefix(c->reason, "held; requests that this program did not send"));
  runner_case_free(c);
  c = sweeping();
  g_signal_emit_by_name(c->rig.device, "event", &foreign);
  const AioReply refusal = {
      .code = AIO_REPLY_CODE(AIO_ERROR_DEVICE), .message = "so it is", .names_foreign = true};
  ase_runner_take_refusal(c->runner, &refusal);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpstr(c->reason, ==, "so it is");
  runner_case_free(c);
  c = sweeping();
  g_signal_emit_by_name(c->rig.device, "event", &foreign);
  ase_device_halt(c->rig.device); /* a person: no need to look for somebody else */
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpstr(c->reason, ==, "held");
  runner_case_free(c);
}

static bool has_one_ended(void *data) {
  const Case *c = data;
  return c->has_stopped || c->ended == c->started;
}

/* What it missed is why the arm was held. */
static void go_on(Case *c) {
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_nonnull(strstr(c->reason, "no samples came any more"));
  g_assert_false(last_run(c)->is_complete);
  g_assert_true(rig_wait(is_at_rest, c, 5.0));
  rig_until_unlocked(c->rig.device);
  sweep(c, ase_runner_leg(c->runner));
}

/* No younger sample comes: it is waited for, and not for ever; after each leg anew. */
static void test_no_samples(void) {
  Case *c = sweeping();
  for (guint twice = 0; twice < 2; twice++) {
    end_motion(c, AIO_END_DONE);
    const gint64 began_us = g_get_monotonic_time();
    g_assert_true(rig_wait(has_one_ended, c, 5.0));
    g_assert_cmpint(g_get_monotonic_time() - began_us, >=, 1000 * (SETTLE_MS - 100));
    if (twice == 0)
      go_on(c);
  }
  runner_case_free(c);
}

static void count_run(void *ctx, const AseRun *run) {
  ++*(guint *)ctx;
  g_assert_nonnull(run->outcome);
}

/* What the session's file has is not kept in memory, too. */
static void test_logged(void) {
  guint logged = 0;
  Case *c = runner_case_new(1.0);
  c->log = &(AseRunLog){.end = count_run, .ctx = &logged};
  runner_case_renew(c);
  sweep(c, 0);
  g_assert_true(ends_with(c, end_motion(c, AIO_END_STOP) + 1, false));
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpuint(logged, ==, c->ended);
  g_assert_cmpuint(ase_runner_runs(c->runner)->len, ==, 0);
  runner_case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runner/end/done", test_done);
  g_test_add_func("/runner/end/not-there", test_not_there);
  g_test_add_func("/runner/end/stopped", test_stopped);
  g_test_add_data_func("/runner/end/restarted", GINT_TO_POINTER(AIO_EVENT_BOOT), test_time_unknown);
  g_test_add_data_func("/runner/end/gone", GINT_TO_POINTER(AIO_EVENT_LINK), test_time_unknown);
  g_test_add_func("/runner/end/linked", test_linked);
  g_test_add_func("/runner/end/foreign", test_foreign);
  g_test_add_func("/runner/end/no-samples", test_no_samples);
  g_test_add_func("/runner/end/logged", test_logged);
  return g_test_run();
}
