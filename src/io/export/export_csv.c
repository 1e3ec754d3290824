/* SPDX-License-Identifier: MIT */
#include "io/export/export_csv.h"

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

/* What belongs to a joint's friction terms and was not estimated: its sd is 0. */
static void append_constant(GString *out, ArmParamId id, const char *name, double value,
                            const char *unit) {
  g_string_append_printf(out, "%d,%s_%d", id.i + 1, name, id.i + 1);
  append_number(out, value);
  append_number(out, 0.0);
  g_string_append_printf(out, ",%s,true", unit);
  append_number(out, value);
  g_string_append(out, ",\n");
}

/* After a term: without these nothing can be predicted with it. */
static void append_constants(GString *out, const AioParams *params, ArmParamId id) {
  const ArmGravityParameters *p = &params->fit.refined;
  const ArmJointFit *joint = &p->joint[id.i];
  const ArmParamId coulomb = {ARM_PARAM_COULOMB_POS, id.i, 0};
  if (id.kind == ARM_PARAM_LOAD) {
    const char *unit = aio_params_unit(p, params->is_torque, coulomb);
    append_constant(out, id, "load_seen_least", joint->load_seen[0], unit);
    append_constant(out, id, "load_seen_most", joint->load_seen[1], unit);
  }
  if (id.kind == ARM_PARAM_CURVE)
    append_constant(out, id, "curve_speed", joint->curve_speed,
                    p->type[id.i] == ARM_JOINT_R ? "rad/s" : "m/s");
  if (id.kind == (joint->has_term[ARM_TERM_CURVE] ? ARM_PARAM_CURVE : ARM_PARAM_LOAD))
    append_constant(out, id, "friction_sign", joint->term_sign, "1");
}

char *aio_export_csv(const AioParams *params, gsize *length) {
  GString *out = g_string_new("joint,name,value,sd,unit,identifiable,used,reason\n");
  GArray *ids = aio_params_list(&params->fit.refined);
  for (guint k = 0; k < ids->len; k++) {
    append_row(out, params, g_array_index(ids, ArmParamId, k));
    append_constants(out, params, g_array_index(ids, ArmParamId, k));
  }
  g_array_unref(ids);
  *length = out->len;
  return g_string_free(out, FALSE);
}
