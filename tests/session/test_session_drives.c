/* SPDX-License-Identifier: MIT */
/* Motor signs and gear ratios of the controller against those of the arm file. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "io/base/said.h"
#include "session/check.h"

static AioParam param(const char *name, const char *unit, double value) {
  AioParam p = {.type = AIO_PARAM_FLOAT, .is_read_only = true, .value = (double)(float)value};
  g_strlcpy(p.name, name, sizeof p.name);
  g_strlcpy(p.unit, unit, sizeof p.unit);
  return p;
}

/* part NULL: no objection */
static void objects(const AioArm *arm, AioParam told, const char *part) {
  g_autoptr(GPtrArray) list = ase_check_drives(arm, &told, 1);
  g_assert_cmpuint(list->len, ==, part ? 1 : 0);
  if (part && !strstr(aio_said_shown(list->pdata[0]), part))
    g_error("\"%s\" lacks \"%s\"", aio_said_shown(list->pdata[0]), part);
}

static AioArm *two_joints(void) {
  AioArm *arm = g_new0(AioArm, 1);
  arm->model.n = 2;
  arm->model.joints[0].type = ARM_JOINT_R;
  arm->model.joints[0].n_motors = 1;
  arm->model.joints[0].motors[0] = (ArmMotor){.gear_ratio = 107.815, .motor_sign = -1};
  arm->model.joints[1].type = ARM_JOINT_T;
  arm->model.joints[1].n_motors = 1;
  arm->model.joints[1].motors[0] = (ArmMotor){.gear_ratio = 628.3, .motor_sign = 1};
  return arm;
}

static void test_objections(void) {
  AioArm *arm = two_joints();
  ArmJoint *first = &arm->model.joints[0];
  objects(arm, param("motor.sign[1]", "", -1), NULL);
  objects(arm, param("motor.sign[1]", "", 1),
          "joint 1: motor.sign[1]: expected -1 as in the arm file, found 1 in the controller");
  objects(arm, param("gear.ratio[1]", "", 107.815), NULL);
  objects(arm, param("gear.ratio[1]", "", 107.82),
          "joint 1: gear.ratio[1]: expected 107.815 as in the arm file, found 107.82 in the");
  objects(arm, param("gear.ratio[1]", "", (double)NAN), "found nan");
  objects(arm, param("gear.ratio[2]", "rad/m", 628.3), NULL);
  objects(arm, param("gear.ratio[2]", "rad/m", 62.83), "joint 2: gear.ratio[2]");
  objects(arm, param("gear.ratio[2]", "rad/mm", 0.6283), NULL);
  objects(arm, param("gear.ratio[3]", "", 1), NULL);
  objects(arm, param("servo.kp", "1/s2", 1), NULL);
  first->motors[0].gear_ratio = NAN;
  objects(arm, param("gear.ratio[1]", "", 50), NULL);
  objects(arm, param("motor.sign[1]", "", 1), "joint 1: motor.sign[1]");
  first->n_motors = 0;
  objects(arm, param("motor.sign[1]", "", 1), NULL);
  g_free(arm);
}

static void assert_reason(Bench *bench, const char *part) {
  if (!strstr(bench_reason(bench, ASE_STEP_CHECK), part))
    g_error("\"%s\" lacks \"%s\"", bench_reason(bench, ASE_STEP_CHECK), part);
}

static char *replaced(const char *text, const char *old, const char *new_text) {
  g_auto(GStrv) parts = g_strsplit(text, old, 2);
  g_assert_nonnull(parts[1]);
  return g_strjoinv(new_text, parts);
}

static void turn_motor(ArmPlantJoint *joint) {
  double *const signed_values[] = {&joint->eta, &joint->coulomb_pos, &joint->coulomb_neg,
                                   &joint->viscous_pos, &joint->viscous_neg};
  for (gsize k = 0; k < G_N_ELEMENTS(signed_values); k++)
    *signed_values[k] *= -1.0;
}

/* The controller of another arm: nothing moves until one of the two is corrected. */
static void test_check(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 20.0);
  turn_motor(&bench.truth.plant.joints[0]);
  bench.truth.plant.model.joints[1].motors[0].gear_ratio *= 1.1;
  bench_replace_controller(&bench, 20.0, 1);
  bench_connect_to(&bench, ASE_STEP_CHECK);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DESCRIBE), ==, ASE_STATE_PASSED);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_FAILED);
  assert_reason(&bench, "joint 1: motor.sign[1]: expected 1 as in the arm file, found -1 in the");
  assert_reason(&bench, "joint 2: gear.ratio[2]: expected 80 as in the arm file, found 88 in the");
  g_assert_true(bench_has_message(&bench, "joint 2: gear.ratio[2]"));
  bench_refused(&bench, ASE_STEP_DRY_RUN, "joint 1: motor.sign[1]");
  bench_plan_one(&bench, 0.5);
  bench_do(&bench, ASE_STEP_CHECK);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_FAILED);
  g_assert_false(ase_session_begin_arming(bench.session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_autofree char *ratio = replaced(bench.arm_text, "\"gear_ratio\": 80,", "\"gear_ratio\": 88,");
  g_autofree char *arm = replaced(ratio, "\"motor_sign\": 1,", "\"motor_sign\": -1,");
  g_assert_true(ase_session_set_arm(bench.session, arm, &error));
  g_assert_no_error(error);
  bench_do(&bench, ASE_STEP_CHECK);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
  bench_clear(&bench);
}

/* What the controller told holds for its connection: another one is asked anew. */
static void test_other_controller(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 20.0);
  bench_connect(&bench);
  g_assert_cmpuint(ase_session_controller_params(bench.session)->len, >, 0);
  g_assert_true(ase_session_disconnect(bench.session, NULL));
  g_assert_cmpuint(ase_session_controller_params(bench.session)->len, ==, 0);
  bench.truth.plant.model.joints[0].motors[0].gear_ratio = 50.0;
  bench_replace_controller(&bench, 20.0, 1);
  bench_connect_to(&bench, ASE_STEP_CHECK);
  assert_reason(&bench, "joint 1: gear.ratio[1]: expected 100 as in the arm file, found 50 in the");
  bench_clear(&bench);
}

static void fail_upload(Bench *bench, const AseUploadDoubts *accepted, const char *part) {
  GError *error = NULL;
  g_assert_true(ase_session_upload_anyway(bench->session, accepted, &error));
  g_assert_no_error(error);
  bench_until(bench, ASE_STEP_UPLOAD, 30.0);
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_FAILED);
  if (!strstr(bench_reason(bench, ASE_STEP_UPLOAD), part))
    g_error("\"%s\" lacks \"%s\"", bench_reason(bench, ASE_STEP_UPLOAD), part);
  g_assert_true(ase_session_has_told(bench->session, ASE_STEP_UPLOAD));
  g_assert_false(ase_session_has_told(bench->session, ASE_STEP_FIT));
}

/* CHECK may have had nothing to compare: an upload looks at what it has just read. */
static void test_upload(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 100.0);
  bench_plan_one(&bench, 0.4);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  ase_session_exported(bench.session, "p.json");
  ase_device_disarm(ase_session_device(bench.session));
  rig_until_disarmed(ase_session_device(bench.session));
  AseUploadDoubts doubts;
  ase_session_upload_doubts(bench.session, &doubts); /* joint 1 was never swept */
  ArmModel *model = &((AioArm *)ase_session_arm(bench.session))->model; /* as if it was fitted */
  double *ratio = &model->joints[1].motors[0].gear_ratio;
  *ratio = 50.0;
  fail_upload(&bench, &doubts, "joint 2: gear.ratio[2]: expected 50 as in the arm file, found 80");
  *ratio = 80.0;
  model->n = 1;
  fail_upload(&bench, &doubts, "the controller has 2 joints, the arm file 1");
  model->n = 2;
  g_assert_true(ase_session_upload_anyway(bench.session, &doubts, &error));
  bench_until(&bench, ASE_STEP_UPLOAD, 30.0);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/drives/objections", test_objections);
  g_test_add_func("/drives/check", test_check);
  g_test_add_func("/drives/other-controller", test_other_controller);
  g_test_add_func("/drives/upload", test_upload);
  return g_test_run();
}
