/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <math.h>

#include "session/base/text.h"
#include "ui/arm/arm_edit.h"
#include "ui/kit/format.h"
#include "ui/plan/plan_edit.h"

/* Closer than this in every joint, two holds tell the same; a tenth of a stroke does for T. */
#define SAME_R (10.0 * G_PI / 180.0)
#define SAME_T 0.02

static bool is_near(const AioArm *arm, const ArmJointPlan *plan, guint joint, size_t a, size_t b) {
  for (size_t i = 0; i < arm->model.n; i++) {
    const double most = arm->model.joints[i].type == ARM_JOINT_R ? SAME_R : SAME_T;
    if (i != joint && fabs(plan->holds[a][i] - plan->holds[b][i]) > most)
      return false;
  }
  return true;
}

static void compare_holds(GPtrArray *list, const AioArm *arm, const ArmJointPlan *plan,
                          guint joint) {
  for (size_t a = 0; a < plan->n_holds; a++)
    for (size_t b = a + 1; b < plan->n_holds; b++)
      if (is_near(arm, plan, joint, a, b)) {
        g_autofree char *of = aui_joint_text(arm, joint);
        g_ptr_array_add(list, g_strdup_printf(_("%s: holds %zu and %zu are nearly the same pose; "
                                                "turn a joint further out by 60 to 120 degrees in "
                                                "one of them"),
                                              of, a + 1, b + 1));
      }
}

GPtrArray *aui_plan_warnings(const AioArm *arm, const ArmPlan *plan,
                             const ArmPlanReport *forecast) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < arm->model.n && i < plan->n; i++) {
    if (plan->joint[i].is_swept)
      compare_holds(list, arm, &plan->joint[i], i);
    if (!forecast || forecast->excitation_rank[i] >= forecast->excitation_required[i])
      continue;
    g_autofree char *of = aui_joint_text(arm, i);
    g_ptr_array_add(list, g_strdup_printf(_("%s: the holds are too similar, they show %zu of %zu "
                                            "directions of gravity"),
                                          of, forecast->excitation_rank[i],
                                          forecast->excitation_required[i]));
  }
  return list;
}

GPtrArray *aui_plan_unknowns(const AioArm *arm, const ArmParamSet *found) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  for (size_t k = 0; k < found->n; k++) {
    const ArmEstimate *e = &found->estimate[k];
    if (e->identifiable)
      continue;
    g_autofree char *of = aui_joint_text(arm, (size_t)found->param[k].id.i);
    g_autofree char *name = aui_format_parameter(found, k);
    g_ptr_array_add(list, g_strdup_printf(C_("joint, parameter: reason", "%s, %s: %s"), of, name,
                                          ase_reason_text(e->reason)));
  }
  return list;
}
