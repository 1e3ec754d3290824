/* SPDX-License-Identifier: MIT */
/* What a session asks of the method of sweeps before anything moves, asked without one: a plan,
 * whether it is to be made again, and what is said of it. */
#include <string.h>

#include "io/arm/arm_file.h"
#include "io/base/said.h"
#include "session/method/gravity.h"
#include "session/method/method.h"
#include "support/support.h"

static AioArm *arm_new(void) {
  GError *error = NULL;
  char *text = NULL;
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/puma560.arm.json"), &text, NULL, NULL));
  AioArm *arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  g_free(text);
  return arm;
}

static void free_nothing(gpointer data) {
  (void)data;
}

typedef struct {
  const AseMeasuring *measuring;
  AsePlanning planning;
  AseProposal made;
  bool is_cancelled, is_done, is_made; /* is_cancelled: before it begins */
  double most;                         /* of its progress */
  GError *error;
} Planning;

static void compute_plan(AseJob *job, void *data) {
  Planning *p = data;
  if (p->is_cancelled)
    ase_job_cancel(job);
  p->is_made = p->measuring->plan(job, &p->planning, &p->made, &p->error);
}

static void on_plan_progress(double part, void *ctx) {
  Planning *p = ctx;
  p->most = MAX(p->most, part);
}

static void on_plan_done(void *data, bool is_cancelled, void *ctx) {
  (void)ctx;
  g_assert_true(is_cancelled == ((Planning *)data)->is_cancelled);
  ((Planning *)data)->is_done = true;
}

static void make_plan(Planning *p) {
  const AseJobTask task = {.work = compute_plan,
                           .data = p,
                           .free_data = free_nothing,
                           .progress = on_plan_progress,
                           .done = on_plan_done,
                           .ctx = p};
  ase_proposal_clear(&p->made);
  p->is_done = false;
  AseJob *job = ase_job_start(&task);
  while (!p->is_done)
    g_main_context_iteration(NULL, TRUE);
  ase_job_free(job);
}

static Planning *planning_new(const AioArm *arm) {
  Planning *p = g_new0(Planning, 1);
  p->measuring = ase_method_gravity.measuring;
  p->planning.model = arm->model;
  p->planning.n_speeds = 2;
  p->planning.speeds_R[0] = 0.4, p->planning.speeds_R[1] = 0.8;
  return p;
}

static void test_plan(void) {
  ArmParamSet set = {0};
  AioArm *arm = arm_new();
  arm->model.n = 3; /* for patience */
  Planning *p = planning_new(arm);
  make_plan(p);
  g_assert_no_error(p->error);
  g_assert_true(p->is_made);
  g_assert_cmpfloat(p->most, >=, 0.95);
  g_assert_cmpuint(p->made.plan.n, ==, 3);
  g_assert_cmpuint(p->made.plan.joint[1].n_speeds, ==, 2);
  g_assert_cmpint(p->made.basis, ==, ASE_BASIS_FILE);
  g_assert_cmpfloat(p->made.noise_sd, ==, 0.02);
  g_assert_cmpint(ase_method_gravity.measuring->foreseen(p->made.forecast, &set), ==, ARM_OK);
  g_assert_cmpuint(set.n_joints, ==, 3);
  arm_param_set_clear(&set);

  memcpy(&p->planning.plan, &p->made.plan, sizeof p->made.plan);
  p->planning.plan.joint[1].n_holds = 1;
  p->planning.is_given = true;
  make_plan(p);
  g_assert_true(p->is_made);
  g_assert_cmpmem(&p->made.plan, sizeof p->made.plan, &p->planning.plan, sizeof p->planning.plan);
  g_assert_nonnull(p->made.forecast);

  p->is_cancelled = true;
  make_plan(p);
  g_assert_false(p->is_made);
  g_assert_error(p->error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_null(p->made.forecast);
  g_clear_error(&p->error);
  g_free(p);
  aio_arm_free(arm);
}

/* Where masses are not stated nothing is promised, until all joints were found. */
static void test_plan_unstated(void) {
  AioArm *arm = arm_new();
  arm->model.n = 2;
  g_assert_false(ase_method_gravity.measuring->plans_again(&arm->model));
  for (gsize j = 0; j < 2; j++)
    arm->model.joints[j].link = (ArmLink){0};
  g_assert_true(ase_method_gravity.measuring->plans_again(&arm->model));
  Planning *p = planning_new(arm);
  make_plan(p);
  g_assert_cmpint(p->made.basis, ==, ASE_BASIS_NO_MASSES);

  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  ArmGravityParameters *found = &fit->refined;
  p->planning.found = ase_gravity_wrap(fit);
  *found = p->made.forecast->predicted; /* its numbers */
  found->ids = NULL;
  found->covariance = NULL;
  found->n_ids = 0;
  found->joint[0].rows_used = found->joint[1].rows_used = 100;
  make_plan(p);
  g_assert_no_error(p->error);
  g_assert_cmpint(p->made.basis, ==, ASE_BASIS_FIT);
  found->joint[1].rows_used = 0;
  make_plan(p);
  g_assert_cmpint(p->made.basis, ==, ASE_BASIS_NO_MASSES);
  ase_planning_clear(&p->planning);
  ase_proposal_clear(&p->made);
  g_free(p);
  aio_arm_free(arm);
}

static void assert_said(const AseProposal *made, const char *text) {
  char *said = ase_method_gravity.measuring->plan_said(made, 12.0);
  g_assert_cmpstr(aio_said_shown(said), ==, text);
  g_free(said);
}

static void test_plan_said(void) {
  AseProposal made = {.forecast = g_atomic_rc_box_new0(ArmPlanReport), .noise_sd = 0.02};
  made.plan.n = 3;
  made.plan.joint[0] = (ArmJointPlan){.is_swept = true, .n_holds = 2, .n_speeds = 5};
  made.plan.joint[1] = (ArmJointPlan){.is_swept = true, .n_holds = 1, .n_speeds = 3};
  made.plan.joint[2] = (ArmJointPlan){.n_holds = 4, .n_speeds = 4};
  made.forecast->score[0] = 0.001;
  made.forecast->score[1] = 0.003;
  made.forecast->score[2] = 0.009; /* it is not swept */
  assert_said(&made, "3 holds, 13 sweeps, 12 min with dry run and validation; gravity currents "
                     "will be known within 3 mA (1 sd), if their noise is 20 mA");
  made.basis = ASE_BASIS_FIT;
  assert_said(&made, "3 holds, 13 sweeps, 12 min with dry run and validation; gravity currents "
                     "will be known within 3 mA (1 sd)");
  made.basis = ASE_BASIS_NO_MASSES;
  assert_said(&made, "3 holds, 13 sweeps, 12 min with dry run and validation; the arm file does "
                     "not state all masses, so that no accuracy is promised: plan again after the "
                     "first fit");
  made.basis = ASE_BASIS_NO_DRIVES;
  assert_said(&made, "3 holds, 13 sweeps, 12 min with dry run and validation; the arm file does "
                     "not state all gear ratios and torque constants, so that no accuracy is "
                     "promised: plan again after the first fit");
  ase_proposal_clear(&made);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/planning/plan", test_plan);
  g_test_add_func("/planning/unstated", test_plan_unstated);
  g_test_add_func("/planning/said", test_plan_said);
  return g_test_run();
}
