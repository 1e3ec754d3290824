/* SPDX-License-Identifier: MIT */
/* The names of Gautier and Khalil 1990 (XX, mX, an R for regrouped), which papers and toolboxes
 * share, beside the order of our own (core/arm/inertia.h). */
#include "io/arm/base_text.h"

#include <math.h>
#include <string.h>

#include "core/arm/inertia.h"

/* Of what is beside the links. Key and unit are the catalogue's where it has the kind; not of a
 * rotor, which it has as seen in a current. */
typedef struct {
  const char *symbol, *parameter;
  const char *unit[2]; /* of an R, of a T joint; NULL: of an effort */
} Beside;

static const Beside beside[ARM_COLUMN_KINDS] = {
    [ARM_COLUMN_COULOMB_POS] = {.symbol = "Fcp"},
    [ARM_COLUMN_VISCOUS_POS] = {.symbol = "Fvp"},
    [ARM_COLUMN_COULOMB_NEG] = {.symbol = "Fcn"},
    [ARM_COLUMN_VISCOUS_NEG] = {.symbol = "Fvn"},
    [ARM_COLUMN_SPRING] = {"Ks", "spring", {"N m/rad", "N/m"}},
    [ARM_COLUMN_SPRING_BIAS] = {.symbol = "Os", .parameter = "spring_bias"},
    [ARM_COLUMN_BALANCE_COS] = {.symbol = "Bc", .parameter = "balance_cos"},
    [ARM_COLUMN_BALANCE_SIN] = {.symbol = "Bs", .parameter = "balance_sin"},
    [ARM_COLUMN_BALANCE] = {.symbol = "Bf", .parameter = "balance"},
    [ARM_COLUMN_ROTOR] = {"Ia", NULL, {"kg m^2", "kg"}},
};

static const ArmParamInfo *info_of(const ArmBaseColumn *column) {
  return arm_param_info(arm_base_kind(column));
}

/* "coulomb_pos" of coulomb_pos_A, which says that a current was measured. */
static const char *without_unit(const char *key) {
  char stem[32];
  g_strlcpy(stem, key, sizeof stem);
  if (g_str_has_suffix(stem, "_A"))
    stem[strlen(stem) - 2] = '\0';
  return g_intern_string(stem);
}

const char *aio_base_parameter(const ArmBaseColumn *column) {
  const char *own = beside[column->kind].parameter;
  return own ? own : without_unit(arm_param_term_key(arm_base_kind(column)));
}

static char *name_of(const ArmBaseColumn *column, bool is_regrouped) {
  const char *symbol = beside[column->kind].symbol;
  char name[ARM_BASE_NAME];
  return g_strdup(
      arm_base_name(symbol ? symbol : info_of(column)->key, is_regrouped, column->joint, name));
}

char *aio_base_column_name(const ArmBaseColumn *column) {
  return name_of(column, false);
}

char *aio_base_name(const ArmBase *base, gsize b) {
  return name_of(&base->column[base->kept[b]], arm_base_is_regrouped(base, b));
}

const char *aio_base_unit(const ArmModel *model, const ArmBaseColumn *column) {
  const ArmJointType type = model->joints[column->joint].type;
  const ArmParamKind kind = arm_base_kind(column);
  const char *own = beside[column->kind].unit[type == ARM_JOINT_T];
  const ArmQuantity quantity =
      kind == ARM_PARAM_KINDS ? ARM_COUNTS_EFFORT : arm_param_info(kind)->quantity;
  return own ? own : arm_param_unit_of(quantity, type, true, type, true);
}

void aio_base_order(const ArmBase *base, gsize *order) {
  const gsize p = ARM_INERTIA_PARAMETERS;
  for (gsize c = 0; c < base->columns; c++)
    order[c] = c < p * base->n
                   ? c / p * p + arm_inertia_place(ARM_INERTIA_ORDER_GAUTIER_KHALIL, c % p)
                   : c;
}

static void append_term(GString *text, double coefficient, const char *name) {
  const char *sign = coefficient < 0 ? "- " : "+ ";
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (text->len)
    g_string_append_printf(text, " %s", sign);
  else if (coefficient < 0)
    g_string_append(text, "-");
  if (fabs(fabs(coefficient) - 1) > 1e-9)
    g_string_append_printf(text, "%s ",
                           g_ascii_formatd(number, sizeof number, "%.6g", fabs(coefficient)));
  g_string_append(text, name);
}

char *aio_base_combination(const ArmBase *base, gsize b) {
  GString *text = g_string_new(NULL);
  gsize *order = g_new(gsize, base->columns);
  aio_base_order(base, order);
  for (int own = 1; own >= 0; own--)
    for (gsize k = 0; k < base->columns; k++) {
      const double coefficient = base->map[b + base->count * order[k]];
      if ((order[k] == base->kept[b]) != own || fabs(coefficient) < ARM_BASE_NEGLIGIBLE)
        continue;
      char *name = aio_base_column_name(&base->column[order[k]]);
      append_term(text, coefficient, name);
      g_free(name);
    }
  g_free(order);
  return g_string_free(text, FALSE);
}

/* ---- why not ---- */

static char *reason_text(const ArmBaseColumn *column) {
  const int joint = (int)column->joint + 1, before = joint - 1;
  switch (column->reason) {
  case ARM_BASE_ROUND:
    return g_strdup_printf("only XX%d - YY%d shows: what both have in common turns with link %d",
                           joint, joint, before);
  case ARM_BASE_ON_AXIS:
    if (before == 0)
      return g_strdup("what lies on the axis of joint 1 does not move");
    return g_strdup_printf("on the axis of joint %d it moves as a part of link %d", joint, before);
  case ARM_BASE_ONE_AXIS:
    return g_strdup_printf("link %d turns about one direction only, and this is not about it",
                           joint);
  case ARM_BASE_BEARINGS:
    return g_strdup_printf("the axis of joint %d is parallel to gravity and never moves sideways: "
                           "bearings carry this, no motor does",
                           joint);
  case ARM_BASE_SLIDES:
    return g_strdup_printf("joint %d slides, so that link %d turns as link %d does", joint, joint,
                           before);
  case ARM_BASE_ALONG:
    return g_strdup_printf("joint %d slides along the one direction about which link %d turns, as "
                           "a part of link %d",
                           joint, joint, before);
  case ARM_BASE_OBLIQUE:
    return g_strdup_printf("link %d turns about one direction only, along which a first moment "
                           "does not show: of three components two are left",
                           joint);
  case ARM_BASE_NEVER_TURNS:
    return g_strdup_printf("link %d never turns, only its mass shows", joint);
  case ARM_BASE_DEPENDENT:
    return g_strdup("in every motion its effect is that of others together");
  case ARM_BASE_UNFELT:
    return g_strdup("no motor feels it in any motion");
  case ARM_BASE_KEPT:
  case ARM_BASE_REASONS:
    break;
  }
  return NULL;
}

/* Was it moved elsewhere, where it may have no effect either? */
static gboolean is_moved(ArmBaseReason reason, gsize joint) {
  return joint > 0 && (reason == ARM_BASE_ROUND || reason == ARM_BASE_ON_AXIS ||
                       reason == ARM_BASE_SLIDES || reason == ARM_BASE_ALONG);
}

char *aio_base_reason(const ArmBase *base, gsize column) {
  const ArmBaseColumn *c = &base->column[column];
  char *text = reason_text(c);
  if (!text || !is_moved(c->reason, c->joint) || arm_base_fate(base, column) != ARM_FATE_LOST)
    return text;
  char *more = g_strconcat(text, ", and no motor feels it there", NULL);
  g_free(text);
  return more;
}

const char *aio_base_fate(const ArmBase *base, gsize column) {
  static const char *const fates[] = {
      [ARM_FATE_KEPT] = "base", [ARM_FATE_REGROUPED] = "regrouped", [ARM_FATE_LOST] = "no_effect"};
  return fates[arm_base_fate(base, column)];
}
