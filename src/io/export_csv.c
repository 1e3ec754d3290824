/* SPDX-License-Identifier: MIT */
#include "io/export_csv.h"

#include <math.h>

static void append_number(GString *out, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(out, ',');
  if (isfinite(number))
    g_string_append(out, g_ascii_formatd(digits, sizeof digits, "%.17g", number));
}

static void append_row(GString *out, const AioParams *params, ArmParamId id) {
  ArmGravityParameters *p = (ArmGravityParameters *)&params->fit.refined; /* only read */
  const ArmEstimate *e = arm_gravity_parameters_at(p, id);
  char *name = aio_params_name(id);
  g_string_append_printf(out, "%d,%s", id.i + 1, name);
  append_number(out, e->value);
  append_number(out, e->sd);
  g_string_append_printf(out, ",%s,%s", aio_params_unit(p, params->is_torque, id),
                         e->identifiable ? "true" : "false");
  append_number(out, e->used);
  if (!e->identifiable && e->reason != ARM_REASON_NONE)
    g_string_append_printf(out, ",\"%s\"\n", arm_reason_text(e->reason)); /* holds no quote */
  else
    g_string_append(out, ",\n");
  g_free(name);
}

char *aio_export_csv(const AioParams *params, gsize *length) {
  GString *out = g_string_new("joint,name,value,sd,unit,identifiable,used,reason\n");
  GArray *ids = aio_params_list(&params->fit.refined);
  for (guint k = 0; k < ids->len; k++)
    append_row(out, params, g_array_index(ids, ArmParamId, k));
  g_array_unref(ids);
  *length = out->len;
  return g_string_free(out, FALSE);
}
