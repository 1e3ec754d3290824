/* SPDX-License-Identifier: MIT */
/* Residual and jacobian of a fit on strokes, and of a compact one. */
#include <string.h>

#include "core/sweeps/verdict_internal.h"

enum { K = ARM_STROKE_ORDERS };

/* The model of some columns of one joint; what of theta a joint's rows see lies outboard of it. */
typedef struct {
  double c[ARM_IDENT_MAX_COLUMNS], *slope; /* columns x count; NULL: no jacobian */
  size_t columns;
  bool is_seen[ARM_IDENT_MAX_THETA];
} Coefficients;

/* residual and jacobian from row `first` on += columns [from, to) of the joint
 *   z  m x (to - from) */
static void add_columns(ArmStrokeFit *fit, const Coefficients *of, size_t from, size_t to,
                        const double *z, size_t m, size_t first) {
  const size_t count = fit->ident->tree.count;
  double *residual = fit->residual + first;
  for (size_t a = from; a < to; a++)
    for (size_t k = 0; k < m; k++)
      residual[k] += z[k + (a - from) * m] * of->c[a];
  for (size_t t = 0; of->slope && t < count; t++) {
    double *into = fit->jacobian + first + t * fit->rows;
    const double *slope = of->slope + t * of->columns;
    for (size_t a = from; a < to && of->is_seen[t]; a++)
      for (size_t k = 0; k < m && slope[a] != 0.0; k++)
        into[k] += z[k + (a - from) * m] * slope[a];
  }
}

/* the same of the trend and the measured current */
static void begin_rows(ArmStrokeFit *fit, size_t i, const double *trend, const double *y, size_t m,
                       bool has_slope, size_t first) {
  const size_t at = fit->ident->tree.count + i;
  for (size_t k = 0; k < m; k++)
    fit->residual[first + k] = trend[k] * fit->phi[at] - y[k];
  for (size_t k = 0; has_slope && k < m; k++)
    fit->jacobian[first + k + at * fit->rows] = trend[k];
}

static void evaluate_rows(ArmStrokeFit *fit, size_t i, const ArmFitRows *rows, size_t m,
                          const Coefficients *of, size_t first) {
  begin_rows(fit, i, rows->trend, rows->y, m, of->slope != NULL, first);
  add_columns(fit, of, 0, of->columns, rows->z, m, first);
}

/* Coefficients and slopes with the extra load: rho_in times it. */
static void add_extra(const ArmStrokeFit *fit, size_t i, double sign, double *c, double *slope) {
  const ArmIdentTree *tree = &fit->ident->tree;
  const size_t n = fit->ident->model->n, columns = arm_ident_columns(fit->ident, i);
  double rho = 1.0;
  if (!arm_ident_tree_path(tree, fit->phi, i, n - 1, &rho))
    return;
  for (size_t a = 0; a < 2 * (n - i); a++)
    c[a] += sign * rho * fit->extra[2 * i + a];
  for (int e = (int)n - 1; slope && e != (int)i; e = tree->parent[e]) {
    double without = 1.0;
    for (int at = (int)n - 1; at != (int)i; at = tree->parent[at])
      if (at != e && tree->edge[at] != ARM_IDENT_NONE)
        without *= fit->phi[tree->edge[at]];
    if (tree->edge[e] == ARM_IDENT_NONE)
      continue;
    for (size_t a = 0; a < 2 * (n - i); a++)
      slope[a + tree->edge[e] * columns] += sign * without * fit->extra[2 * i + a];
  }
}

static void mark_seen(const ArmStrokeFit *fit, Coefficients *of) {
  for (size_t t = 0; of->slope && t < fit->ident->tree.count; t++) {
    of->is_seen[t] = false;
    for (size_t a = 0; a < of->columns; a++)
      of->is_seen[t] |= of->slope[a + t * of->columns] != 0.0;
  }
}

static void find_coefficients(const ArmStrokeFit *fit, size_t i, double *slope, Coefficients *of) {
  of->columns = arm_ident_columns(fit->ident, i);
  of->slope = slope;
  arm_ident_coefficients(&fit->ident->tree, fit->ident->model, fit->phi, i, of->c, slope);
  mark_seen(fit, of);
}

/* Goes from coefficients without to those with the extra load, or back. */
static bool switch_extra(const ArmStrokeFit *fit, size_t i, bool wanted, bool is_in,
                         Coefficients *of) {
  if (wanted == is_in)
    return is_in;
  add_extra(fit, i, wanted ? 1.0 : -1.0, of->c, of->slope);
  mark_seen(fit, of);
  return wanted;
}

static void evaluate_joint(ArmStrokeFit *fit, size_t i, double *slope) {
  const ArmJointStrokes *joint = &fit->joint[i];
  size_t row = joint->first_row;
  Coefficients of;
  bool has_extra = false;
  find_coefficients(fit, i, slope, &of);
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    has_extra = switch_extra(fit, i, fit->strokes[fit->pairs[p].plus].has_extra, has_extra, &of);
    evaluate_rows(fit, i, &fit->pairs[p].rows, ARM_PAIR_ROWS, &of, row);
    row += ARM_PAIR_ROWS;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    if (fit->strokes[s].is_paired)
      continue;
    has_extra = switch_extra(fit, i, fit->strokes[s].has_extra, has_extra, &of);
    evaluate_rows(fit, i, &fit->strokes[s].rows, K, &of, row);
    row += K;
  }
}

static void evaluate_few(ArmStrokeFit *fit, const ArmFewRows *few, double *slope, size_t first) {
  const size_t i = few->joint, m = few->width, gravity = 2 * (fit->ident->model->n - i);
  const double *at = few->triangle;
  Coefficients of;
  find_coefficients(fit, i, slope, &of);
  begin_rows(fit, i, at + (few->own - 1) * m, at + (m - 1) * m, m, slope != NULL, first);
  add_columns(fit, &of, gravity, of.columns, at, m, first);
  add_columns(fit, &of, 0, gravity, at + few->own * m, m, first);
  if (switch_extra(fit, i, few->has_extra, false, &of))
    add_columns(fit, &of, 0, gravity, at + (few->own + gravity) * m, m, first);
}

void arm_stroke_fit_evaluate(ArmStrokeFit *fit, bool wants_jacobian) {
  /* behind all columns of q there is room for the slopes of one joint */
  double *slope = wants_jacobian ? fit->q + (fit->rows + fit->priors) * fit->count : NULL;
  size_t first = 0;
  if (wants_jacobian)
    memset(fit->jacobian, 0, fit->rows * fit->count * sizeof *fit->jacobian);
  for (size_t b = 0; b < fit->n_few; b++) {
    evaluate_few(fit, &fit->few[b], slope, first);
    first += fit->few[b].width;
  }
  for (size_t i = 0; i < fit->ident->model->n && fit->n_few == 0; i++)
    if (fit->joint[i].strokes > 0)
      evaluate_joint(fit, i, slope);
}
