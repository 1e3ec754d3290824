/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include "io/base/said.h"
#include "support/support.h"

/* A busy computer needs longer, a sanitizer's build too; what is met does not wait any longer. */
#define BUSY_FACTOR 4.0
#define PATIENCE_S  60.0
#define HZ          100.0 /* of telemetry, by the controller's clock */

enum { CLEAR_TRIES = 30 };

static gboolean on_timeout(gpointer data) {
  *(bool *)data = true;
  return G_SOURCE_REMOVE;
}

static gboolean on_tick(gpointer data) {
  (void)data;
  return G_SOURCE_CONTINUE; /* wakes the loop, so that conditions of time are seen */
}

bool rig_try(bool (*is_met)(void *data), void *data, double seconds) {
  bool is_over = false;
  const guint timeout = g_timeout_add((guint)(1000.0 * seconds), on_timeout, &is_over);
  const guint tick = g_timeout_add(5, on_tick, NULL);
  bool met = is_met && is_met(data);
  while (!met && !is_over) {
    g_main_context_iteration(NULL, TRUE);
    met = is_met && is_met(data);
  }
  if (!is_over)
    g_source_remove(timeout);
  g_source_remove(tick);
  return met;
}

bool rig_wait(bool (*is_met)(void *data), void *data, double seconds) {
  return rig_try(is_met, data, MAX(BUSY_FACTOR * seconds, PATIENCE_S));
}

void rig_pass(double seconds) {
  rig_try(NULL, NULL, seconds);
}

static bool is_ready(void *data) {
  return ase_device_link(data) == ASE_LINK_READY;
}
static bool is_armed(void *data) {
  return ase_device_is_armed(data);
}

void rig_until_ready(AseDevice *device) {
  if (!rig_wait(is_ready, device, 10.0))
    g_error("not ready: %s", ase_device_reason(device));
}

static void open_display(Rig *rig, int fd, guint lease_ms, double display_s) {
  GError *error = NULL;
  AioLink *link = aio_link_fd_new(fd, "simulator", &error);
  AseDeviceOptions device;
  ase_device_options_default(&device);
  device.lockout_s = 0.2;
  device.lease_ms = lease_ms;
  if (display_s > 0.0)
    device.display_s = display_s;
  if (!link || !ase_device_open(rig->device, link, &device, &error))
    g_error("%s", error->message);
  rig_until_ready(rig->device);
}

void rig_open(Rig *rig, int fd, guint lease_ms) {
  open_display(rig, fd, lease_ms, 0.0);
}

void rig_init(Rig *rig, const char *name, double time_factor, guint lease_ms) {
  rig_init_display(rig, name, time_factor, lease_ms, 0.0);
}

void rig_init_display(Rig *rig, const char *name, double time_factor, guint lease_ms,
                      double display_s) {
  GError *error = NULL;
  char *path = g_strdup_printf("data/robots/%s.arm.json", name);
  if (!asim_truth_load(&rig->truth, test_source_path(path), 1, &error))
    g_error("%s", error->message);
  g_free(path);
  const AsimOptions options = {
      .truth = &rig->truth, .seed = 1, .time_factor = time_factor, .line_room = 1 << 16};
  AsimController *controller = asim_controller_new(&options, &error);
  int fd = -1;
  rig->loop = controller ? asim_loop_start(controller, &fd, &error) : NULL;
  if (!rig->loop)
    g_error("%s", error->message);
  rig->device = ase_device_new();
  open_display(rig, fd, lease_ms, display_s);
}

void rig_clear(Rig *rig) {
  g_object_unref(rig->device);
  asim_loop_stop(rig->loop);
}

static bool is_still(void *data) {
  return !ase_device_moving_joint(data);
}

void rig_until_still(AseDevice *device) {
  if (!rig_wait(is_still, device, 30.0))
    g_error("joint %u does not come to rest", ase_device_moving_joint(device));
}

void rig_arm(Rig *rig) {
  GError *error = NULL;
  rig_until_still(rig->device);
  if (!ase_device_arm(rig->device, &error))
    g_error("%s", error->message);
  if (!rig_wait(is_armed, rig->device, 5.0))
    g_error("not armed: %s", ase_device_reason(rig->device));
}

static bool is_disarmed(void *data) {
  return !is_armed(data);
}

void rig_until_disarmed(AseDevice *device) {
  if (!rig_wait(is_disarmed, device, 10.0))
    g_error("still armed: %s", ase_device_reason(device));
}

static bool has_no_fault(void *data) {
  return ase_device_state(data)->faults == 0;
}

void rig_clear_faults(AseDevice *device) {
  for (guint k = 0; k < CLEAR_TRIES && !has_no_fault(device); k++) {
    ase_device_clear_faults(device);
    rig_try(has_no_fault, device, 2.0);
  }
  if (!has_no_fault(device))
    g_error("not cleared: %s", ase_device_reason(device));
}

static bool is_unlocked(void *data) {
  return ase_device_lockout_s(data) == 0.0;
}

void rig_until_unlocked(AseDevice *device) {
  g_assert_true(rig_wait(is_unlocked, device, 10.0));
}

static guint64 samples_of(AseDevice *device) {
  AioStatistics statistics;
  ase_device_statistics(device, &statistics);
  return statistics.counters.samples;
}

void rig_hang(AseDevice *device, double device_s) {
  const guint64 end = samples_of(device) + (guint64)(HZ * device_s);
  const gint64 limit_us = g_get_monotonic_time() + (gint64)(1e6 * PATIENCE_S);
  while (samples_of(device) < end && g_get_monotonic_time() < limit_us)
    g_usleep(10000);
}

/* A controller that restarts or loses its cable cannot answer. */
static void on_reply(const AioReply *reply, void *ctx) {
  if (reply->code && reply->code != AIO_REPLY_CODE(AIO_ERROR_GONE))
    g_error("%s", aio_said_shown(reply->message));
  *(bool *)ctx = true;
}

static bool is_true(void *data) {
  return *(bool *)data;
}

void rig_test(Rig *rig, guint kind, guint joint, gint32 value, guint32 duration_ms) {
  bool done = false;
  const AioCommand command = {
      .kind = AIO_COMMAND_TEST,
      .test = {.kind = kind, .joint = joint, .value = value, .duration_ms = duration_ms}};
  ase_device_send(rig->device, &command, on_reply, &done);
  g_assert_true(rig_wait(is_true, &done, 5.0));
}
