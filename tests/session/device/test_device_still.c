/* SPDX-License-Identifier: MIT */
/* An arm that falls or swings with its drives off is not armed until it has come to rest. */
#include <math.h>

#include "rig.h"
#include "session/device/device_internal.h"

static bool is_moving(void *data) {
  return ase_device_moving_joint(data) != 0;
}

static bool is_still(void *data) {
  return ase_device_moving_joint(data) == 0;
}

static void on_changed(AseDevice *device, guint *still) {
  *still += ase_device_moving_joint(device) == 0;
}

static bool has_told(void *data) {
  return *(guint *)data > 0;
}

/* The simulated UR10e has no brakes and little friction: it swings when it is switched on. */
static void test_swing(void) {
  Rig rig;
  GError *error = NULL;
  guint told = 0;
  rig_init(&rig, "ur10e", 1.0, RIG_LEASE_MS);
  g_assert_true(rig_wait(is_moving, rig.device, 5.0));
  const guint joint = ase_device_moving_joint(rig.device);
  g_assert_false(ase_device_arm(rig.device, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  char *expected = g_strdup_printf("joint %u moves though its drive is off*", joint);
  g_assert_true(g_pattern_match_simple(expected, error->message));
  g_free(expected);
  g_clear_error(&error);
  g_signal_connect(rig.device, "changed", G_CALLBACK(on_changed), &told);
  g_assert_true(rig_wait(is_still, rig.device, 60.0));
  g_assert_true(rig_wait(has_told, &told, 5.0)); /* so that buttons become sensitive */
  rig_arm(&rig);
  rig_pass(0.5);
  g_assert_true(ase_device_is_armed(rig.device));
  g_assert_cmpuint(ase_device_state(rig.device)->faults, ==, 0);
  g_signal_handlers_disconnect_by_func(rig.device, on_changed, &told);
  rig_clear(&rig);
}

/* ---- the rule, on samples made up ---- */

typedef struct {
  AseDevice *device;
  guint64 t_us;
} Feed;

static void feed_init(Feed *feed) {
  feed->device = ase_device_new();
  feed->t_us = 1000000;
  feed->device->link = ASE_LINK_READY;
  feed->device->state.state = AIO_DEVICE_OFF;
  feed->device->description.joints = 2;
  feed->device->description.joint[1].type = ARM_JOINT_T;
}

static void feed_clear(Feed *feed) {
  feed->device->link = ASE_LINK_CLOSED;
  g_object_unref(feed->device);
}

static void feed(Feed *feed, double q1, double q2) {
  const AioSample sample = {.t_us = feed->t_us, .q = {q1, q2}};
  AioChunk *chunk = aio_chunk_new(2, 0);
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  ase_device_note_still(feed->device, chunk);
  aio_chunk_unref(chunk);
  feed->t_us += 20000;
}

static void stay(Feed *f, double q1, double q2, guint samples) {
  for (guint k = 0; k < samples; k++)
    feed(f, q1, q2);
}

static void test_rule(void) {
  Feed f;
  feed_init(&f);
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 0);
  stay(&f, 1.0, 0.5, 2); /* what has not moved yet stands */
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 0);
  stay(&f, 1.004, 0.5004, 2); /* noise */
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 0);
  stay(&f, 1.006, 0.5, 1);
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 1);
  stay(&f, 1.006, 0.5, 24); /* 0.48 s */
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 1);
  stay(&f, 1.006, 0.5, 1);
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 0);
  stay(&f, 1.006, 0.5006, 1); /* a T joint, in metres */
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 2);
  f.device->state.state = AIO_DEVICE_HALTED; /* the drives hold it */
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 0);
  f.device->state.state = AIO_DEVICE_OFF;
  f.t_us = 5; /* the controller's clock begins anew: another start, nothing to compare with */
  stay(&f, 3.0, 0.1, 1);
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 0);
  stay(&f, (double)NAN, 0.1, 1); /* not known is not at rest */
  g_assert_cmpuint(ase_device_moving_joint(f.device), ==, 1);
  feed_clear(&f);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/device-still/rule", test_rule);
  g_test_add_func("/device-still/swing", test_swing);
  return g_test_run();
}
