/* SPDX-License-Identifier: MIT */
/* What a main loop that is busy misses is counted; a recorder misses nothing. */
#include <glib/gstdio.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "io/base/said.h"
#include "rig.h"
#include "session/device/device_internal.h"
#include "wire/message.h"

#define FACTOR    40.0
#define DISPLAY_S 0.25

enum { BUSY_US = 500000, TRIES = 60, LONG = 4, ROOM = 1 << 16 };

static void on_chunk(AseDevice *device, gpointer chunk, guint64 *shown) {
  (void)device;
  *shown += ((const AioChunk *)chunk)->n;
}

static guint64 take_all(AioQueue *queue) {
  guint64 samples = 0;
  for (AioChunk *chunk; (chunk = aio_queue_pop(queue));) {
    samples += chunk->n;
    aio_chunk_unref(chunk);
  }
  return samples;
}

static void on_reply(const AioReply *reply, void *ctx) {
  (void)ctx;
  g_assert_cmpint(reply->code, ==, 0);
}

static void stream(Rig *rig, double hz, double seconds) {
  const AioCommand command = {.kind = AIO_COMMAND_TELEMETRY, .telemetry = {.hz = hz}};
  ase_device_send(rig->device, &command, on_reply, NULL);
  rig_pass(seconds);
}

static void test_not_shown(void) {
  Rig rig;
  guint64 shown = 0;
  AioQueue *recorder = aio_queue_new("recorder", ROOM, AIO_QUEUE_KEEP_OLDEST, NULL);
  rig_init_display(&rig, "planar2r", FACTOR, RIG_LEASE_MS, DISPLAY_S);
  g_assert_cmpuint(ase_device_samples_not_shown(rig.device), ==, 0);
  stream(&rig, 0.0, 1.0); /* so that both queues see the same */
  g_signal_connect(rig.device, "chunk", G_CALLBACK(on_chunk), &shown);
  g_assert_true(ase_device_add_queue(rig.device, recorder));
  const guint64 before = ase_device_samples_not_shown(rig.device);
  stream(&rig, 100.0, 0.1);
  for (guint k = 0; k < TRIES && ase_device_samples_not_shown(rig.device) == before; k++)
    g_usleep(BUSY_US); /* more than once where the simulator does not get its time */
  stream(&rig, 0.0, 1.0);
  const guint64 missed = ase_device_samples_not_shown(rig.device) - before;
  g_assert_cmpuint(missed, >, 0);
  g_assert_cmpuint(shown + missed, ==, take_all(recorder));
  ase_device_close(rig.device);
  g_assert_cmpuint(ase_device_samples_not_shown(rig.device), ==, 0);
  aio_queue_unref(recorder);
  rig_clear(&rig);
}

/* The computer is kept awake while the arm is armed, and only then. */
static void test_awake(void) {
  Rig rig;
  rig_init(&rig, "planar2r", 1.0, RIG_LEASE_MS);
  rig_pass(0.2);
  g_assert_null(rig.device->inhibit);
  rig_arm(&rig);
  g_assert_nonnull(rig.device->inhibit);
  ase_device_halt(rig.device);
  rig_until_disarmed(rig.device);
  g_assert_null(rig.device->inhibit);
  rig_clear(&rig);
}

static bool is_lost(void *data) {
  return ase_device_link(data) != ASE_LINK_READY;
}

/* Nothing is renewed, kept awake or waited for any more, however the connection ends. */
static void assert_idle(const AseDevice *device) {
  g_assert_null(device->heartbeat);
  g_assert_null(device->inhibit);
  g_assert_null(device->clearing);
  g_assert_null(device->asking);
}

/* Of before the restart nothing holds while it is asked anew. */
static void on_asked(AseDevice *device, guint *asked) {
  double q[ARM_MAX_JOINTS];
  if (ase_device_link(device) != ASE_LINK_ASKING)
    return;
  *asked += 1;
  g_assert_cmpint(ase_device_state(device)->state, ==, AIO_DEVICE_OFF);
  g_assert_null(ase_device_last_state(device));
  if (!ase_device_description(device))
    g_assert_false(ase_device_pose(device, q));
}

static void test_end(gconstpointer data) {
  const int way = GPOINTER_TO_INT(data);
  guint asked = 0;
  Rig rig;
  rig_init(&rig, "planar2r", 1.0, RIG_LEASE_MS);
  rig_arm(&rig);
  g_assert_nonnull(rig.device->heartbeat);
  rig.device->state.faults = AIO_FAULT_CURRENT;
  ase_device_note_lockout(rig.device, 60000);
  ase_device_clear_faults(rig.device);
  g_assert_nonnull(rig.device->clearing);
  g_signal_connect(rig.device, "changed", G_CALLBACK(on_asked), &asked);
  if (way == 0)
    ase_device_close(rig.device);
  else
    rig_test(&rig, way, 0, 0, 0);
  g_assert_true(rig_wait(is_lost, rig.device, 5.0));
  assert_idle(rig.device);
  if (way != WIRE_TEST_REBOOT) { /* which is asked anew at once */
    g_assert_null(ase_device_description(rig.device));
    g_assert_cmpint(ase_device_state(rig.device)->state, ==, AIO_DEVICE_OFF);
  }
  g_assert_false(ase_device_is_clearing(rig.device));
  g_assert_false(ase_device_is_armed(rig.device));
  if (way == WIRE_TEST_REBOOT)
    g_assert_cmpuint(asked, >, 0);
  g_signal_handlers_disconnect_by_func(rig.device, on_asked, &asked);
  rig_clear(&rig);
}

static void on_gone(const AioReply *reply, void *ctx) {
  g_assert_cmpint(reply->code, ==, AIO_REPLY_CODE(AIO_ERROR_GONE));
  g_assert_cmpstr(aio_said_shown(reply->message), ==, "the controller is not connected");
  *(bool *)ctx = true;
}

/* What has not been told is not known. */
static void test_unknown(void) {
  AseDevice *device = ase_device_new();
  double q[ARM_MAX_JOINTS];
  for (guint joint = 0; joint <= ARM_MAX_JOINTS + 1; joint++)
    g_assert_true(isnan(ase_device_temperature(device, joint)));
  g_assert_true(isnan(ase_device_supply(device)));
  g_assert_false(ase_device_pose(device, q));
  g_assert_cmpfloat(device->pose[0], ==, 0.0); /* nor written behind the last joint */
  g_assert_cmpstr(ase_device_reason(device), ==, "");
  g_assert_null(ase_device_description(device));
  g_assert_null(ase_device_last_state(device));
  AioStatistics statistics = {.bytes_sent = 7}, none = {0};
  ase_device_statistics(device, &statistics);
  g_assert_cmpmem(&statistics, sizeof statistics, &none, sizeof none);
  bool is_told = false;
  ase_device_send(device, &(AioCommand){.kind = AIO_COMMAND_STATE}, on_gone, &is_told);
  g_assert_true(is_told);
  g_object_unref(device);
}

static bool has_supply(void *data) {
  return !isnan(ase_device_supply(data));
}

/* What tells of the supply is no fault, and what tells of the state says nothing of the supply. */
static void test_health(void) {
  Rig rig;
  rig_init(&rig, "planar2r", 1.0, RIG_LEASE_MS);
  g_assert_true(rig_wait(has_supply, rig.device, 5.0));
  g_assert_cmpint(rig.device->clear_from_us, <=, g_get_monotonic_time());
  g_assert_cmpfloat(ase_device_supply(rig.device), >, 1.0);
  g_assert_cmpfloat(ase_device_temperature(rig.device, 1), >, 1.0);
  g_assert_cmpfloat(ase_device_temperature(rig.device, 2), >, 1.0);
  rig_arm(&rig);
  rig_pass(0.1);
  g_assert_cmpfloat(ase_device_supply(rig.device), >, 1.0);
  g_assert_cmpfloat(ase_device_temperature(rig.device, 2), >, 1.0);
  rig_clear(&rig);
}

/* Of others' queues each is served as long as it is wanted, and no longer. */
static void test_queues(void) {
  AseDevice *device = ase_device_new();
  AioQueue *queue[AIO_QUEUES_MAX];
  for (guint k = 0; k < AIO_QUEUES_MAX; k++) {
    queue[k] = aio_queue_new("queue", 4, AIO_QUEUE_KEEP_NEWEST, NULL);
    g_assert_true(ase_device_add_queue(device, queue[k]) == (k < AIO_QUEUES_MAX - 1));
  }
  for (guint twice = 0; twice < 2; twice++) /* what is not there is not taken away */
    ase_device_remove_queue(device, queue[0]);
  g_assert_true(ase_device_add_queue(device, queue[0]));
  g_assert_false(ase_device_add_queue(device, queue[AIO_QUEUES_MAX - 1]));
  for (guint k = AIO_QUEUES_MAX - 1; k-- > 0;) {
    ase_device_remove_queue(device, queue[k]);
    ase_device_remove_queue(device, queue[k]);
  }
  g_object_unref(device);
  for (guint k = 0; k < AIO_QUEUES_MAX; k++)
    aio_queue_unref(queue[k]);
}

/* As when a window is built again after a cable was pulled: the arm's time goes on. */
static void test_busy(void) {
  Rig rig;
  rig_init(&rig, "planar2r", FACTOR, RIG_LEASE_MS);
  stream(&rig, 100.0, 0.1);
  for (guint k = 0; k < LONG; k++)
    g_usleep(BUSY_US);
  rig_pass(0.1);
  g_assert_cmpuint(ase_device_samples_not_shown(rig.device), ==, 0);
  rig_clear(&rig);
}

/* ---- back, but not yet listening ---- */

typedef struct {
  AioLink base;
  AioLink *inner;
} DeafLink;

static atomic_bool is_deaf; /* the controller: nothing that is written reaches it */

static gssize deaf_read(AioLink *link, guint8 *bytes, gsize room, gint64 *t_ns, GError **error) {
  return aio_link_read(((DeafLink *)link)->inner, bytes, room, t_ns, error);
}

static gssize deaf_write(AioLink *link, const guint8 *bytes, gsize n, GError **error) {
  return is_deaf ? (gssize)n : aio_link_write(((DeafLink *)link)->inner, bytes, n, error);
}

static int deaf_fd(AioLink *link) {
  return aio_link_fd(((DeafLink *)link)->inner);
}

static void deaf_close(AioLink *link) {
  aio_link_close(((DeafLink *)link)->inner);
  g_free(link->name);
  g_free(link);
}

static AioLink *plug_in(void *loop, GError **error) {
  static const AioLinkClass class = {
      .kind = "deaf", .read = deaf_read, .write = deaf_write, .fd = deaf_fd, .close = deaf_close};
  const int fd = asim_loop_connect(loop, error);
  if (fd < 0)
    return NULL;
  DeafLink *deaf = g_new0(DeafLink, 1);
  deaf->base = (AioLink){&class, g_strdup("deaf")};
  deaf->inner = aio_link_fd_new(fd, "simulator", NULL);
  return &deaf->base;
}

static bool is_ready(void *data) {
  return ase_device_link(data) == ASE_LINK_READY;
}

static bool is_unanswered(void *data) {
  return ase_device_link(data) != ASE_LINK_LOST &&
         strstr(ase_device_reason(data), "HELLO: no answer from the controller") != NULL;
}

static void connect_deaf(Rig *rig) {
  GError *error = NULL;
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.reopen = plug_in;
  options.reopen_ctx = rig->loop;
  ase_device_open(rig->device, plug_in(rig->loop, &error), &options, &error);
  g_assert_no_error(error);
}

static void return_deaf(Rig *rig) {
  rig_init(rig, "planar2r", 1.0, RIG_LEASE_MS);
  is_deaf = false;
  connect_deaf(rig);
  g_assert_true(rig_wait(is_ready, rig->device, 5.0));
  is_deaf = true;
  const int other = asim_loop_connect(rig->loop, NULL); /* takes its line away */
  g_assert_true(rig_wait(is_unanswered, rig->device, 10.0));
  g_assert_cmpint(ase_device_link(rig->device), ==, ASE_LINK_ASKING);
  g_close(other, NULL);
}

static bool has_failed(void *data) {
  return ase_device_link(data) == ASE_LINK_FAILED;
}

/* Not for ever. */
static void test_no_return(void) {
  Rig rig;
  return_deaf(&rig);
  g_assert_cmpuint(rig.device->asks_left, <, 10);
  rig.device->asks_left = 0;
  g_assert_true(rig_wait(has_failed, rig.device, 10.0));
  g_assert_null(rig.device->asking);
  rig_clear(&rig);
}

/* As a controller that boots for longer than HELLO is repeated: whoever comes back by itself is
 * asked until it hears. */
static void test_slow_return(void) {
  Rig rig;
  return_deaf(&rig);
  is_deaf = false;
  g_assert_true(rig_wait(is_ready, rig.device, 10.0));
  g_assert_cmpstr(ase_device_reason(rig.device), ==, "");
  rig_clear(&rig);
}

/* Who is asked again is on the same connection: a clock that went wrong on it is still wrong, and
 * the acquirer does not say so twice. */
static void test_clock_asked_again(void) {
  Rig rig;
  AioEvent wrong = {.kind = AIO_EVENT_CLOCK, .level = 2, .value = 1};
  GError *error = NULL;
  g_strlcpy(wrong.text, "its clock stands", sizeof wrong.text);
  return_deaf(&rig);
  ase_device_note_clock(rig.device, &wrong);
  is_deaf = false;
  g_assert_true(rig_wait(is_ready, rig.device, 10.0));
  g_assert_false(ase_device_may_arm(rig.device, &error));
  g_assert_cmpstr(error->message, ==, wrong.text);
  g_clear_error(&error);
  const int other = asim_loop_connect(rig.loop, NULL); /* takes its line away: a new connection */
  g_assert_true(rig_wait(is_lost, rig.device, 10.0));
  g_assert_true(rig_wait(is_ready, rig.device, 10.0));
  g_assert_null(rig.device->clock);
  g_close(other, NULL);
  rig_clear(&rig);
}

/* What never answered is not asked again: it may be something else. */
static void test_never_there(void) {
  Rig rig;
  rig_init(&rig, "planar2r", 1.0, RIG_LEASE_MS);
  is_deaf = true;
  connect_deaf(&rig);
  g_assert_true(rig_wait(is_unanswered, rig.device, 10.0));
  g_assert_cmpint(ase_device_link(rig.device), ==, ASE_LINK_FAILED);
  g_assert_null(rig.device->asking);
  rig_clear(&rig);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/device/unknown", test_unknown);
  g_test_add_func("/device/health", test_health);
  g_test_add_func("/device/queues", test_queues);
  g_test_add_func("/device/awake", test_awake);
  g_test_add_data_func("/device/closed", GINT_TO_POINTER(0), test_end);
  g_test_add_data_func("/device/unplugged", GINT_TO_POINTER(WIRE_TEST_UNPLUG), test_end);
  g_test_add_data_func("/device/restarted", GINT_TO_POINTER(WIRE_TEST_REBOOT), test_end);
  g_test_add_func("/device/slow-return", test_slow_return);
  g_test_add_func("/device/no-return", test_no_return);
  g_test_add_func("/device/clock-asked-again", test_clock_asked_again);
  g_test_add_func("/device/never-there", test_never_there);
  g_test_add_func("/device/not-shown", test_not_shown);
  g_test_add_func("/device/busy", test_busy);
  return g_test_run();
}
