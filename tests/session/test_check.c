/* SPDX-License-Identifier: MIT */
/* A controller is judged by what it has: what lacks is said, and refused is only one with nothing
 * at all that would end a motion. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/check.h"
#include "support/support.h"

static AioArm *load_arm(void) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load(test_source_path("data/robots/planar2r.arm.json"), &error);
  g_assert_no_error(error);
  return arm;
}

static char *objections(const AioArm *arm, guint32 can, bool is_estop_closed) {
  AioDescription d = {.capabilities = AIO_CAN_SWEEP | AIO_CAN_CURRENT | can,
                      .joints = (guint)arm->model.n};
  const AioState state = {.is_estop_closed = is_estop_closed};
  double q[ARM_MAX_JOINTS] = {0.0}, motor_C[ARM_MAX_JOINTS];
  for (guint j = 0; j < d.joints; j++) {
    d.joint[j] = (AioJointInfo){.q_min = NAN, .q_max = NAN, .speed_max = NAN};
    motor_C[j] = NAN;
  }
  AseEdits *edits = g_new0(AseEdits, 1);
  ase_edits_init(edits, &arm->model);
  const AseCondition condition = {&d, &state, q, motor_C};
  GPtrArray *list = ase_check_controller(arm, &d);
  g_ptr_array_extend_and_steal(list, ase_check_condition(arm, edits, &condition));
  char *text = aio_said_take_text(ase_check_said(list));
  g_ptr_array_unref(list);
  g_free(edits);
  return text;
}

static void assert_has(const char *text, const char *part) {
  if (part ? !text || !strstr(text, part) : text && *text)
    g_error("\"%s\" instead of \"%s\"", text, part);
}

static void test_by_what_it_has(void) {
  static const struct {
    guint32 can;
    bool is_estop_closed;
    const char *objection, *caution; /* NULL: none */
  } cases[] = {
      {AIO_CAN_LEASE | AIO_CAN_ESTOP, true, NULL, NULL},
      {AIO_CAN_LEASE | AIO_CAN_ESTOP, false, "release the emergency stop button", NULL},
      {AIO_CAN_ESTOP, true, NULL, "no lease: when the computer fails"},
      {AIO_CAN_ESTOP, false, "release the emergency stop button", "no lease"},
      {AIO_CAN_LEASE, false, NULL, "no emergency stop chain: keep a hand at the plug"},
      {AIO_CAN_KILL, false, NULL, "no lease and no emergency stop chain"},
      {0, false, "nothing would end a motion", "no lease and no emergency stop chain"},
      {0, true, "nothing would end a motion", "no lease and no emergency stop chain"},
  };
  AioArm *arm = load_arm();
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *text = objections(arm, cases[k].can, cases[k].is_estop_closed);
    const AioDescription d = {.capabilities = cases[k].can};
    char *caution = aio_said_take_text(ase_check_caution(&d));
    assert_has(text, cases[k].objection);
    assert_has(caution, cases[k].caution);
    g_free(text);
    g_free(caution);
  }
  aio_arm_free(arm);
}

/* What a driver objects to is told line by line, after what it cannot do at all. */
static void test_set_up(void) {
  AioArm *arm = load_arm();
  AioDescription d = {.capabilities = AIO_CAN_SWEEP | AIO_CAN_CURRENT | AIO_CAN_LEASE,
                      .joints = (guint)arm->model.n,
                      .objections = "servo 4 (joint 2) turns in mode 4: set mode 3\n"
                                    "servo 6 does not answer"};
  GPtrArray *list = ase_check_controller(arm, &d);
  g_assert_cmpuint(list->len, ==, 2);
  g_assert_cmpstr(aio_said_shown(list->pdata[0]), ==,
                  "servo 4 (joint 2) turns in mode 4: set mode 3");
  g_assert_cmpstr(aio_said_shown(list->pdata[1]), ==, "servo 6 does not answer");
  g_ptr_array_unref(list);
  aio_arm_free(arm);
}

/* What an upload asks of a controller: the number of joints, then kinds and drives. */
static void test_same_arm(void) {
  AioArm *arm = load_arm();
  GError *error = NULL;
  AioParam ratio = {.name = "gear.ratio[2]", .value = 50.0};
  AioDescription d = {.joints = 2};
  g_assert_true(ase_check_count(arm, &d, &error));
  GPtrArray *list = ase_check_arm(arm, &d, NULL, 0);
  g_assert_cmpuint(list->len, ==, 0);
  g_ptr_array_unref(list);
  d.joint[1].type = ARM_JOINT_T;
  list = ase_check_arm(arm, &d, &ratio, 1);
  g_assert_cmpuint(list->len, ==, 2);
  assert_has(aio_said_shown(list->pdata[0]),
             "joint 2: gear.ratio[2]: expected 80 as in the arm file, found 50");
  assert_has(aio_said_shown(list->pdata[1]), "joint 2: the controller says it is translational");
  g_ptr_array_unref(list);
  for (d.joints = 1; d.joints <= 3; d.joints += 2) { /* fewer and more */
    g_assert_false(ase_check_count(arm, &d, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    assert_has(error->message, d.joints == 1 ? "the controller has 1 joints, the arm file 2"
                                             : "the controller has 3 joints, the arm file 2");
    g_clear_error(&error);
  }
  aio_arm_free(arm);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/check/by-what-it-has", test_by_what_it_has);
  g_test_add_func("/check/set-up", test_set_up);
  g_test_add_func("/check/same-arm", test_same_arm);
  return g_test_run();
}
