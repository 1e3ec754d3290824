/* SPDX-License-Identifier: MIT */
/* The acquirer finds out which of two drivers speaks to what is at the line, and what becomes of
 * commands, of the line and of the acquirer meanwhile. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../registry/abacus.h"
#include "io/acquire/acquire.h"
#include "io/base/said.h"
#include "io/registry/driver_registry.h"

enum { PATIENCE_MS = 60000 };

typedef struct {
  AioAcquirer *acquirer;
  Abacus abacus;
  int device;
  guint links_lost;
} Bench;

static void on_event(const AioEvent *event, void *ctx) {
  Bench *bench = ctx;
  bench->links_lost += event->kind == AIO_EVENT_LINK && !event->value;
}

static void bench_init(Bench *bench) {
  GError *error = NULL;
  int ends[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  *bench = (Bench){.device = ends[1]};
  abacus_init(&bench->abacus);
  AioAcquirerOptions options = {.on_event = on_event, .event_ctx = bench};
  AioArm *arm = aio_arm_load_bytes("abacus", abacus_arm, strlen(abacus_arm), &error);
  g_assert_no_error(error);
  g_assert_true(aio_driver_context_of(&options.context, arm, &error));
  aio_arm_free(arm);
  AioLink *link = aio_link_fd_new(ends[0], "arm", &error);
  g_assert_no_error(error);
  bench->acquirer = aio_acquirer_new(&options, link, &error);
  g_assert_no_error(error);
}

static void bench_clear(Bench *bench) {
  aio_acquirer_free(bench->acquirer);
  abacus_clear(&bench->abacus);
  if (bench->device >= 0)
    close(bench->device);
}

static guint64 give(Bench *bench, AioCommandKind kind) {
  return aio_acquirer_send(bench->acquirer, &(AioCommand){.kind = kind}, NULL, NULL);
}

/* What has come so far, answered. */
static void serve(Bench *bench) {
  struct pollfd on = {.fd = bench->device, .events = POLLIN};
  guint8 bytes[512];
  if (poll(&on, 1, 5) < 1)
    return;
  const ssize_t n = read(bench->device, bytes, sizeof bytes);
  g_assert_cmpint(n, >, 0);
  abacus_pass(&bench->abacus, 1000);
  abacus_hear(&bench->abacus, bytes, (gsize)n);
  GString *answer = bench->abacus.answer;
  g_assert_cmpint(write(bench->device, answer->str, answer->len), ==, (gssize)answer->len);
  g_string_truncate(answer, 0);
}

/* NULL: no reply within the time. aio_reply_free. */
static AioReply *wait_for(Bench *bench, guint64 ticket, guint timeout_ms) {
  const gint64 end_us = g_get_monotonic_time() + 1000 * (gint64)timeout_ms;
  AioReply *reply = NULL;
  while (!aio_acquirer_wait(bench->acquirer, ticket, 0, &reply) && g_get_monotonic_time() < end_us)
    serve(bench);
  return reply;
}

static void assert_code(AioReply *reply, int code) {
  g_assert_nonnull(reply);
  g_assert_cmpint(reply->code, ==, code);
  aio_reply_free(reply);
}

/* What was given before anybody knew its language is said in the right one, in the order given, a
 * KILL first and alone. */
static void test_commands_wait(void) {
  Bench bench;
  bench_init(&bench);
  const guint64 arm = give(&bench, AIO_COMMAND_ARM), off = give(&bench, AIO_COMMAND_KILL);
  const guint64 who = give(&bench, AIO_COMMAND_DESCRIBE);
  AioReply *reply = wait_for(&bench, who, PATIENCE_MS);
  g_assert_nonnull(reply);
  g_assert_cmpint(reply->code, ==, 0);
  g_assert_cmpstr(reply->description->driver, ==, "abacus");
  aio_reply_free(reply);
  assert_code(wait_for(&bench, arm, 0), AIO_REPLY_CODE(AIO_ERROR_CANCELLED));
  assert_code(wait_for(&bench, off, 0), 0);
  g_assert_cmpstr(bench.abacus.heard->str, ==, "who\noff\nwho\nread\n");
  bench_clear(&bench);
}

/* The first of the list says so, in its own words. */
static void test_nobody(void) {
  Bench bench;
  bench_init(&bench);
  bench.abacus.is_mute = true;
  AioReply *reply = wait_for(&bench, give(&bench, AIO_COMMAND_DESCRIBE), PATIENCE_MS);
  g_assert_nonnull(reply);
  g_assert_cmpint(reply->code, ==, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
  g_assert_nonnull(strstr(aio_said_shown(reply->message), "HELLO"));
  aio_reply_free(reply);
  bench_clear(&bench);
}

static void note(const AioReply *reply, void *ctx) {
  *(int *)ctx = reply->code;
}

static void test_end(void) {
  Bench bench;
  int codes[2] = {0, 0};
  bench_init(&bench);
  aio_acquirer_send(bench.acquirer, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE}, note, &codes[0]);
  aio_acquirer_send(bench.acquirer, &(AioCommand){.kind = AIO_COMMAND_STOP}, note, &codes[1]);
  bench_clear(&bench);
  g_assert_cmpint(codes[0], ==, AIO_REPLY_CODE(AIO_ERROR_CANCELLED));
  g_assert_cmpint(codes[1], !=, 0);
}

static void test_lost(void) {
  Bench bench;
  bench_init(&bench);
  AioReply *reply = NULL;
  const guint64 ticket = give(&bench, AIO_COMMAND_DESCRIBE);
  g_assert_false(aio_acquirer_wait(bench.acquirer, ticket, 50, &reply)); /* it waits */
  close(bench.device);
  bench.device = -1;
  g_assert_true(aio_acquirer_wait(bench.acquirer, ticket, PATIENCE_MS, &reply));
  assert_code(reply, AIO_REPLY_CODE(AIO_ERROR_GONE));
  while (bench.links_lost == 0)
    aio_acquirer_dispatch(bench.acquirer);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/acquire-probe/commands-wait", test_commands_wait);
  g_test_add_func("/acquire-probe/nobody", test_nobody);
  g_test_add_func("/acquire-probe/end", test_end);
  g_test_add_func("/acquire-probe/lost", test_lost);
  return g_test_run();
}
