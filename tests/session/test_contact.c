/* SPDX-License-Identifier: MIT */
/* CONNECT, DESCRIBE and CHECK follow a simulated controller, without a session: no file, no plan.
 */
#include "session/contact.h"

#include <string.h>

#include "rig.h"
#include "session/check.h"
#include "session/session.h"
#include "support/support.h"

static struct {
  Rig rig;
  GObject *object;
  AioArm *arm;
  AseEdits edits;
  AseProcedure procedure;
  AseContact *contact;
  GString *said;
  guint described, syncs;
} own;

/* ---- the owner ---- */

static const AioArm *arm_of(gpointer object) {
  g_assert_true(object == own.object);
  return own.arm;
}
static void say(gpointer object, int level, const char *text) {
  g_assert_true(object == own.object);
  g_string_append_printf(own.said, "%d %s\n", level, text);
}
static void sync_now(gpointer object) {
  g_assert_true(object == own.object);
  own.syncs++;
}
static void described(gpointer object, const char *description) {
  g_assert_true(object == own.object);
  g_assert_nonnull(strstr(description, "\"serial\""));
  own.described++;
}
static void on_event(gpointer object, const AioEvent *event) {
  g_assert_true(object == own.object);
  g_assert_nonnull(event);
}

static AioArm *load(const char *name) {
  GError *error = NULL;
  char *path = g_strdup_printf("data/robots/%s.arm.json", name);
  AioArm *arm = aio_arm_load(test_source_path(path), &error);
  g_assert_no_error(error);
  g_free(path);
  return arm;
}

static bool has_checked(void *data) {
  const AseStepState state = ase_procedure_state(&own.procedure, ASE_STEP_CHECK);
  (void)data;
  return state == ASE_STATE_PASSED || state == ASE_STATE_FAILED;
}

static bool has_described(void *data) {
  const AseStepState state = ase_procedure_state(&own.procedure, ASE_STEP_DESCRIBE);
  (void)data;
  return state == ASE_STATE_PASSED || state == ASE_STATE_FAILED;
}

static void open_at(double telemetry_hz) {
  GError *error = NULL;
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.telemetry_hz = telemetry_hz;
  const int fd = asim_loop_connect(own.rig.loop, &error);
  AioLink *link = aio_link_fd_new(fd, "simulator", &error);
  g_assert_no_error(error);
  g_assert_true(ase_contact_open(own.contact, link, &options, &error));
}

static void open_again(void) {
  open_at(100.0);
}

/* The planar arm's controller, and an arm file. */
static void begin(const char *arm) {
  memset(&own, 0, sizeof own);
  rig_init(&own.rig, "planar2r", 20.0, RIG_LEASE_MS);
  own.object = g_object_new(G_TYPE_OBJECT, NULL);
  own.said = g_string_new(NULL);
  own.arm = load(arm);
  ase_edits_init(&own.edits, &own.arm->model);
  ase_procedure_init(&own.procedure, ase_session_steps(), (guint)own.arm->model.n);
  const AseContactOwner owner = {.object = own.object,
                                 .arm = arm_of,
                                 .say = say,
                                 .sync = sync_now,
                                 .described = described,
                                 .event = on_event};
  ase_device_close(own.rig.device);
  own.contact = ase_contact_new(own.rig.device, &own.procedure, &own.edits, &owner);
  g_assert_cmpfloat(ase_contact_telemetry_hz(own.contact), ==, 0.0);
  open_again();
}

static void finish(void) {
  ase_contact_free(own.contact);
  g_assert_cmpuint(own.object->ref_count, ==, 1);
  g_object_unref(own.object);
  rig_clear(&own.rig); /* tells nobody any more */
  aio_arm_free(own.arm);
  g_string_free(own.said, TRUE);
}

/* ---- cases ---- */

static void test_right_arm(void) {
  begin("planar2r");
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  if (ase_procedure_state(&own.procedure, ASE_STEP_CHECK) != ASE_STATE_PASSED)
    g_error("%s", ase_step_reason(&own.procedure.steps[ASE_STEP_CHECK]));
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_CONNECT), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_DESCRIBE), ==, ASE_STATE_PASSED);
  g_assert_cmpuint(own.described, ==, 1);
  g_assert_cmpuint(own.syncs, >, 0);
  g_assert_cmpuint(ase_contact_params(own.contact)->len, >, 0);
  g_assert_cmpfloat(ase_contact_telemetry_hz(own.contact), >, 0.0);

  /* another connection: what was asked in the last one counts no more */
  const guint connections = ase_contact_connections(own.contact);
  ase_device_close(own.rig.device);
  g_assert_cmpuint(ase_contact_params(own.contact)->len, ==, 0);
  g_assert_false(ase_state_is_done(ase_procedure_state(&own.procedure, ASE_STEP_CONNECT)));
  open_again();
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
  g_assert_cmpuint(ase_contact_connections(own.contact), >, connections);
  g_assert_cmpuint(own.described, ==, 2);
  finish();
}

/* Another one than the controller's, until it is changed. */
static void test_other_arm(void) {
  begin("puma560");
  g_assert_true(rig_wait(has_described, NULL, 10.0));
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_DESCRIBE), ==, ASE_STATE_FAILED);
  g_assert_nonnull(strstr(own.said->str, "2 "));
  aio_arm_free(own.arm);
  own.arm = load("planar2r");
  ase_edits_init(&own.edits, &own.arm->model);
  ase_procedure_init(&own.procedure, ase_session_steps(), (guint)own.arm->model.n);
  ase_contact_compare_arm(own.contact);
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_DESCRIBE), ==, ASE_STATE_PASSED);
  ase_contact_check_again(own.contact);
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
  finish();
}

/* So few samples that the arm could be neither watched nor fed a motion: told before arming. */
static void test_rate(void) {
  begin("planar2r");
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  ase_device_close(own.rig.device);
  open_at(10.0);
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_CHECK), ==, ASE_STATE_FAILED);
  const char *reason = ase_step_reason(&own.procedure.steps[ASE_STEP_CHECK]);
  if (!strstr(reason, "telemetry: expected 20 samples per second or more") ||
      !strstr(reason, "found 10"))
    g_error("%s", reason);
  ase_device_close(own.rig.device);
  open_at(ASE_CHECK_LEAST_HZ);
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  g_assert_cmpint(ase_procedure_state(&own.procedure, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
  finish();
}

/* What is asked when everything goes is answered to nobody. */
static void test_gone(void) {
  begin("planar2r");
  g_assert_true(rig_wait(has_checked, NULL, 10.0));
  ase_contact_check_again(own.contact);
  finish();
  rig_pass(0.2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/contact/right-arm", test_right_arm);
  g_test_add_func("/contact/other-arm", test_other_arm);
  g_test_add_func("/contact/rate", test_rate);
  g_test_add_func("/contact/gone", test_gone);
  return g_test_run();
}
