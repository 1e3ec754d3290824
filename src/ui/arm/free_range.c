/* SPDX-License-Identifier: MIT */
#include "ui/arm/free_range.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/arm/arm_edit.h"
#include "ui/kit/format.h"

static double unit_of(const AioArm *arm, size_t joint) {
  return arm->model.joints[joint].type == ARM_JOINT_R ? aui_format_angle_scale() : 1.0;
}

char *aui_free_text(const AioArm *arm, const AseEdits *edits, size_t joint, bool is_high) {
  const double q = is_high ? edits->high[joint] : edits->low[joint];
  return g_strdup_printf("%.6g", q * unit_of(arm, joint));
}

bool aui_free_set(const AioArm *arm, AseEdits *edits, size_t joint, bool is_high, const char *text,
                  GError **error) {
  const double unit = unit_of(arm, joint);
  AseFreedom most;
  double value;
  ase_freedom_init(&most, &arm->model);
  g_autofree char *of = aui_joint_text(arm, joint);
  g_autofree char *where = g_strdup_printf(is_high ? _("%s, free to") : _("%s, free from"), of);
  const double low = is_high ? edits->low[joint] : most.low[joint];
  const double high = is_high ? most.high[joint] : edits->high[joint];
  if (!aui_read_number(text, unit * low, unit * high, where, &value, error))
    return false;
  *(is_high ? &edits->high[joint] : &edits->low[joint]) = CLAMP(value / unit, low, high);
  return true;
}
