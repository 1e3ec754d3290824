/* SPDX-License-Identifier: MIT */
#include "io/recording/motion_clear.h"

#include "core/excite/clearance.h"

static const ArmClearanceViolation *worst_of(const ArmClearanceViolation *found, gsize count) {
  const ArmClearanceViolation *worst = found;
  for (gsize k = 1; k < count; k++)
    if (found[k].value < worst->value)
      worst = &found[k];
  return worst;
}

static void object(const AioMotionTable *motion, const ArmClearanceViolation *v, GError **error) {
  const guint line = motion->line ? motion->line[v->worst] : 0;
  char *expected = v->is_table ? g_strdup_printf("link %d off the table", (int)v->link[0] + 1)
                               : g_strdup_printf("links %d and %d off each other",
                                                 (int)v->link[0] + 1, (int)v->link[1] + 1);
  char *found = g_strdup_printf("%s %.3g m in %s, by the capsules of the arm file (%" G_GSIZE_FORMAT
                                " of %" G_GSIZE_FORMAT " rows)",
                                v->is_table ? "it" : "them", -v->value,
                                v->is_table ? "it" : "each other", v->samples, motion->rows);
  aio_error_set_at(error, AIO_ERROR_REFUSED, motion->name, line, 0, NULL, expected, found);
  g_free(expected);
  g_free(found);
}

bool aio_motion_is_clear(const AioMotionTable *motion, const ArmModel *model,
                         const ArmMotionLimits *limits, double table_z_m, GError **error) {
  ArmClearance *clearance = NULL;
  const ArmStatus status = arm_clearance_new(model, limits, table_z_m, &clearance);
  if (status != ARM_OK) {
    aio_error_set_at(error, AIO_ERROR_MEMORY, motion->name, 0, 0, NULL, NULL,
                     arm_status_text(status));
    return false;
  }
  ArmClearanceViolation *found = g_new(ArmClearanceViolation, ARM_CLEARANCE_MOST);
  const gsize count = clearance->count > 0
                          ? arm_clearance_violations(clearance, 0, motion->rows, motion->q, found)
                          : 0;
  if (count > 0)
    object(motion, worst_of(found, count), error);
  g_free(found);
  arm_clearance_free(clearance);
  return count == 0;
}
