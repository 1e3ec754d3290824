/* SPDX-License-Identifier: MIT */
#include "io/export/export_csv.h"

#include <math.h>

static void append_number(GString *out, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(out, ',');
  if (isfinite(number))
    g_string_append(out, g_ascii_formatd(digits, sizeof digits, "%.17g", number));
}

static void append_row(GString *out, const ArmParamSet *set, size_t k) {
  const ArmEstimate *e = &set->estimate[k];
  char *name = aio_param_name(set, k);
  g_string_append_printf(out, "%d,%s", set->param[k].id.i + 1, name);
  append_number(out, e->value);
  append_number(out, e->sd);
  g_string_append_printf(out, ",%s,%s", arm_param_set_unit(set, k),
                         e->identifiable ? "true" : "false");
  append_number(out, e->used);
  if (!e->identifiable && e->reason != ARM_REASON_NONE)
    g_string_append_printf(out, ",\"%s\"\n", arm_reason_text(e->reason)); /* holds no quote */
  else
    g_string_append(out, ",\n");
  g_free(name);
}

char *aio_export_csv(const ArmParamSet *found, gsize *length) {
  GString *out = g_string_new("joint,name,value,sd,unit,identifiable,used,reason\n");
  for (size_t k = 0; k < found->n; k++)
    append_row(out, found, k);
  *length = out->len;
  return g_string_free(out, FALSE);
}
