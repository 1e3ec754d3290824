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

/* Where some rows go; jacobian NULL: none. */
typedef struct {
  double *residual, *jacobian;
  size_t ld; /* of the jacobian */
} Into;

static Into into_of(const ArmStrokeFit *fit, size_t first, bool has_slope) {
  return (Into){fit->residual + first, has_slope ? fit->jacobian + first : NULL, fit->rows};
}

/* residual and jacobian += columns [from, to) of the joint
 *   z  m x (to - from) */
static void add_columns(const ArmStrokeFit *fit, const Coefficients *of, size_t from, size_t to,
                        const double *z, size_t m, const Into *into) {
  const size_t count = fit->ident->tree.count;
  for (size_t a = from; a < to; a++)
    for (size_t k = 0; k < m; k++)
      into->residual[k] += z[k + (a - from) * m] * of->c[a];
  for (size_t t = 0; into->jacobian && t < count; t++) {
    double *column = into->jacobian + t * into->ld;
    const double *slope = of->slope + t * of->columns;
    for (size_t a = from; a < to && of->is_seen[t]; a++)
      for (size_t k = 0; k < m && slope[a] != 0.0; k++)
        column[k] += z[k + (a - from) * m] * slope[a];
  }
}

/* the same of the trend and the measured current */
static void begin_rows(const ArmStrokeFit *fit, size_t i, const double *trend, const double *y,
                       size_t m, const Into *into) {
  const size_t at = fit->ident->tree.count + i;
  for (size_t k = 0; k < m; k++)
    into->residual[k] = trend[k] * fit->phi[at] - y[k];
  for (size_t k = 0; into->jacobian && k < m; k++)
    into->jacobian[k + at * into->ld] = trend[k];
}

static void evaluate_rows(const ArmStrokeFit *fit, size_t i, const ArmFitRows *rows, size_t m,
                          const Coefficients *of, const Into *into) {
  begin_rows(fit, i, rows->trend, rows->y, m, into);
  add_columns(fit, of, 0, of->columns, rows->z, m, into);
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

/* Where rows go: those of the fit, or some at a time, with a jacobian of their own. */
typedef struct {
  ArmRowsTaken take;
  void *user;
  double *some; /* ARM_PAIR_ROWS x count */
} Taker;

static void evaluate_some(ArmStrokeFit *fit, size_t i, const ArmFitRows *rows, size_t m,
                          const Coefficients *of, size_t first, const Taker *taker) {
  Into into = into_of(fit, first, of->slope != NULL);
  if (taker) {
    memset(taker->some, 0, m * fit->count * sizeof *taker->some);
    into.jacobian = taker->some;
    into.ld = m;
  }
  evaluate_rows(fit, i, rows, m, of, &into);
  if (taker)
    taker->take(fit, first, m, taker->some, taker->user);
}

static void evaluate_joint(ArmStrokeFit *fit, size_t i, double *slope, const Taker *taker) {
  const ArmJointStrokes *joint = &fit->joint[i];
  size_t row = joint->first_row;
  Coefficients of;
  bool has_extra = false;
  find_coefficients(fit, i, slope, &of);
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    has_extra = switch_extra(fit, i, fit->strokes[fit->pairs[p].plus].has_extra, has_extra, &of);
    evaluate_some(fit, i, &fit->pairs[p].rows, ARM_PAIR_ROWS, &of, row, taker);
    arm_stroke_fit_saw_pair(fit, &fit->pairs[p]);
    row += ARM_PAIR_ROWS;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    arm_stroke_fit_saw_stroke(fit, &fit->strokes[s]);
    if (fit->strokes[s].is_paired)
      continue;
    has_extra = switch_extra(fit, i, fit->strokes[s].has_extra, has_extra, &of);
    evaluate_some(fit, i, &fit->strokes[s].rows, K, &of, row, taker);
    row += K;
  }
}

static void evaluate_few(ArmStrokeFit *fit, const ArmFewRows *few, double *slope, size_t first) {
  const size_t i = few->joint, m = few->width, gravity = 2 * (fit->ident->model->n - i);
  const double *at = few->triangle;
  const Into into = into_of(fit, first, slope != NULL);
  Coefficients of;
  find_coefficients(fit, i, slope, &of);
  begin_rows(fit, i, at + (few->own - 1) * m, at + (m - 1) * m, m, &into);
  add_columns(fit, &of, gravity, of.columns, at, m, &into);
  add_columns(fit, &of, 0, gravity, at + few->own * m, m, &into);
  if (switch_extra(fit, i, few->has_extra, false, &of))
    add_columns(fit, &of, 0, gravity, at + (few->own + gravity) * m, m, &into);
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
      evaluate_joint(fit, i, slope, NULL);
}

void arm_stroke_fit_each_rows(ArmStrokeFit *fit, ArmRowsTaken take, void *user) {
  /* as above; the jacobian has room for as many rows as a compact fit, which is more than a pair */
  double *slope = fit->q + (fit->rows + fit->priors) * fit->count;
  const Taker taker = {take, user, fit->jacobian};
  for (size_t i = 0; i < fit->ident->model->n; i++)
    if (fit->joint[i].strokes > 0)
      evaluate_joint(fit, i, slope, &taker);
}
