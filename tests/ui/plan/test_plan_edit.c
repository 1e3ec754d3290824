/* SPDX-License-Identifier: MIT */
/* What is typed into the tables of a plan, without a display. */
#include <math.h>
#include <string.h>

#include "support/support.h"
#include "ui/plan/plan_edit.h"

static AioArm *load(const char *name) {
  GError *error = NULL;
  g_autofree char *path = g_strdup_printf("data/robots/%s.arm.json", name);
  AioArm *arm = aio_arm_load(test_source_path(path), &error);
  g_assert_no_error(error);
  return arm;
}

static AseEdits *edits_of(const AioArm *arm) {
  AseEdits *edits = g_new0(AseEdits, 1);
  ase_edits_init(edits, &arm->model);
  edits->has_plan = true;
  edits->plan.n = arm->model.n;
  for (guint i = 0; i < arm->model.n; i++) {
    ArmJointPlan *p = &edits->plan.joint[i];
    *p = (ArmJointPlan){.is_swept = true, .from = -0.5, .to = 0.5, .n_holds = 2};
    p->positions = 100, p->n_speeds = 2, p->speeds[0] = 0.5, p->speeds[1] = 1.0;
  }
  return edits;
}

static void test_plan_numbers(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree AseEdits *edits = edits_of(arm);
  g_autoptr(GError) error = NULL;
  g_assert_true(aui_hold_set(arm, edits, 2, 1, 4, "90", NULL));
  g_assert_cmpfloat_with_epsilon(edits->plan.joint[2].holds[1][4], 0.5 * G_PI, 1e-12);
  g_autofree AseEdits *before = g_memdup2(edits, sizeof *edits);
  g_assert_false(aui_hold_set(arm, edits, 2, 1, 4, "101", &error));
  g_assert_cmpstr(error->message, ==,
                  "joint 5 (wrist bend) in hold 2 of joint 3 (elbow): expected -100 to 100, found "
                  "“101”");
  g_clear_error(&error);
  g_assert_false(aui_sweep_set(arm, edits, 2, AUI_SWEEP_FROM, "40", &error));
  g_assert_nonnull(strstr(error->message, "joint 3 (elbow), sweep: expected -45 to 27.1"));
  g_clear_error(&error);
  g_assert_false(aui_sweep_set(arm, edits, 1, AUI_SWEEP_SPEEDS, "30 75", &error));
  g_assert_nonnull(strstr(error->message, "joint 2 (shoulder), sweep: expected 0.001 to 74"));
  g_clear_error(&error);
  g_assert_false(aui_sweep_set(arm, edits, 1, AUI_SWEEP_SPEEDS, "30", &error));
  g_clear_error(&error);
  g_assert_false(aui_way_set(arm, edits, AUI_WAY_ORDER, "6 5 4 3 2 2", &error));
  g_clear_error(&error);
  g_assert_cmpmem(edits, sizeof *edits, before, sizeof *before); /* refused: untouched */
  g_assert_true(aui_sweep_set(arm, edits, 1, AUI_SWEEP_SPEEDS, "50 30 40", NULL));
  g_autofree char *speeds = aui_sweep_text(arm, edits, 1, AUI_SWEEP_SPEEDS);
  g_assert_cmpstr(speeds, ==, "30 40 50");
  g_assert_true(aui_way_set(arm, edits, AUI_WAY_ORDER, "1 2 3 4 5 6", NULL));
  g_assert_cmpuint(edits->itinerary.order[5], ==, 6);
  aio_arm_free(arm);
}

static void test_hold_ranges(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree AseEdits *edits = edits_of(arm);
  g_autofree AseEdits *before = g_memdup2(edits, sizeof *edits);
  g_autofree char *none = aui_hold_text(arm, edits, 0, 1, AUI_HOLD_FROM);
  g_assert_cmpstr(none, ==, "");
  g_assert_true(aui_hold_set(arm, edits, 0, 1, AUI_HOLD_FROM, "-20", NULL));
  g_assert_cmpuint(edits->n_holds, ==, 1);
  g_autofree char *low = aui_hold_text(arm, edits, 0, 1, AUI_HOLD_FROM);
  g_autofree char *high = aui_hold_text(arm, edits, 0, 1, AUI_HOLD_TO);
  g_assert_cmpstr(low, ==, "-20");
  g_assert_cmpstr(high, ==, "");
  g_assert_false(aui_hold_set(arm, edits, 0, 1, AUI_HOLD_TO, "-30", NULL));
  g_assert_true(aui_hold_set(arm, edits, 0, 1, AUI_HOLD_FROM, "", NULL));
  g_assert_cmpmem(edits, sizeof *edits, before, sizeof *before);
  aio_arm_free(arm);
}

static void test_similar(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree AseEdits *edits = edits_of(arm);
  for (guint i = 0; i < 6; i++)
    edits->plan.joint[i].holds[1][i == 5 ? 4 : 5] = 1.0;
  g_autoptr(GPtrArray) none = aui_plan_warnings(arm, &edits->plan, NULL);
  g_assert_cmpuint(none->len, ==, 0);
  edits->plan.joint[2].holds[1][5] = 0.1;
  g_autoptr(GPtrArray) one = aui_plan_warnings(arm, &edits->plan, NULL);
  g_assert_cmpuint(one->len, ==, 1);
  g_assert_true(g_str_has_prefix(one->pdata[0], "joint 3 (elbow): holds 1 and 2"));
  aio_arm_free(arm);
}

int main(int argc, char **argv) {
  g_setenv("GSETTINGS_BACKEND", "memory", TRUE); /* not the settings of whoever tests */
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/plan-edit/plan", test_plan_numbers);
  g_test_add_func("/ui/plan-edit/hold-ranges", test_hold_ranges);
  g_test_add_func("/ui/plan-edit/similar", test_similar);
  return g_test_run();
}
