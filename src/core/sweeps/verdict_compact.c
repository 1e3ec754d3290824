/* SPDX-License-Identifier: MIT */
/* The rows of a fit on strokes in few. A triangle of a joint's columns, its trend and the current
 * has as many rows as columns, and the same squares for any phi: a step of Gauss-Newton costs what
 * the parameters cost, not what the strokes do. Friction's parameters enter linearly and only in
 * their joint: with their columns in front, the rows below do without them. */
#include <math.h>
#include <string.h>

#include "core/num/lsq.h"
#include "core/sweeps/verdict_internal.h"

enum { MOST = ARM_IDENT_MAX_COLUMNS + 2 * ARM_MAX_JOINTS + 2 + ARM_CAUSE_VALUES };
/* Of its column: friction terms that the strokes tell apart; the square of less is rounding. */
#define LEAST_PIVOT 1e-7

static size_t gravity_of(const ArmStrokeFit *fit, size_t i) {
  return 2 * (fit->ident->model->n - i);
}

static size_t width_of(const ArmStrokeFit *fit, size_t i, bool has_extra, size_t d) {
  return arm_ident_columns(fit->ident, i) + (has_extra ? gravity_of(fit, i) : 0) + 2 + d;
}

void arm_stroke_fit_compact_size(const ArmStrokeFit *fit, size_t *rows, size_t *room) {
  *rows = *room = 0;
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    const size_t width = width_of(fit, i, true, ARM_CAUSE_VALUES);
    *rows += width;
    *room += width * width;
  }
}

/* What goes into the triangle of one joint. */
typedef struct {
  const ArmStrokeFit *fit;
  const ArmFewRows *to;
  size_t columns, gravity, d;
  const double *more; /* (rows + priors) x d, whitened */
  ArmLsq *lsq;
} Fold;

static void scale_columns(double *to, const double *from, size_t m, size_t columns,
                          const double *part) {
  for (size_t a = 0; a < columns; a++)
    for (size_t k = 0; k < m; k++)
      to[k + a * m] = part[k] * from[k + a * m];
}

static ArmStatus fold_rows(Fold *fold, const ArmFitRows *rows, size_t m, size_t first,
                           bool has_extra) {
  const ArmStrokeFit *fit = fold->fit;
  const size_t own = fold->to->own, width = fold->to->width, ld = fit->rows + fit->priors;
  double block[ARM_PAIR_ROWS * MOST], part[ARM_PAIR_ROWS];
  for (size_t k = 0; k < m; k++)
    part[k] = fit->sd[first + k] > 0.0 ? 1.0 / fit->sd[first + k] : 0.0;
  memset(block, 0, m * width * sizeof *block);
  scale_columns(block, rows->z + fold->gravity * m, m, fold->columns - fold->gravity, part);
  scale_columns(block + (own - 1) * m, rows->trend, m, 1, part);
  scale_columns(block + (own + (has_extra ? fold->gravity : 0)) * m, rows->z, m, fold->gravity,
                part);
  scale_columns(block + (width - 1) * m, rows->y, m, 1, part);
  for (size_t c = 0; c < fold->d; c++)
    for (size_t k = 0; k < m; k++)
      block[k + (width - 1 - fold->d + c) * m] = fold->more[first + k + c * ld];
  return arm_lsq_push_block(fold->lsq, block, m, m);
}

static ArmStatus fold_prior(Fold *fold) {
  double row[MOST] = {0};
  row[fold->to->own - 1] = 1.0 / ARM_TREND_PRIOR_SD;
  return arm_lsq_push(fold->lsq, row);
}

static ArmStatus fold_joint(Fold *fold, size_t i) {
  const ArmStrokeFit *fit = fold->fit;
  const ArmJointStrokes *joint = &fit->joint[i];
  size_t row = joint->first_row;
  ArmStatus status = fold_prior(fold);
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    const bool has_extra = fit->strokes[fit->pairs[p].plus].has_extra;
    if (status == ARM_OK)
      status = fold_rows(fold, &fit->pairs[p].rows, ARM_PAIR_ROWS, row, has_extra);
    arm_stroke_fit_saw_pair(fit, &fit->pairs[p]);
    row += ARM_PAIR_ROWS;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    const ArmFitStroke *stroke = &fit->strokes[s];
    arm_stroke_fit_saw_stroke(fit, stroke);
    if (stroke->is_paired)
      continue;
    if (status == ARM_OK)
      status = fold_rows(fold, &stroke->rows, ARM_STROKE_ORDERS, row, stroke->has_extra);
    row += ARM_STROKE_ORDERS;
  }
  return status;
}

/* Else what is left of an own column would be in the rows below too. */
static bool is_told_apart(const ArmFewRows *few) {
  bool is = true;
  for (size_t c = 0; c < few->own; c++) {
    const double *column = few->triangle + c * few->width;
    is = is && fabs(column[c]) > LEAST_PIVOT * sqrt(arm_dot(c + 1, column, column));
  }
  return is;
}

static ArmStatus compact_joint(const ArmStrokeFit *fit, size_t d, const double *more,
                               ArmFewRows *few) {
  const size_t i = few->joint;
  Fold fold = {.fit = fit,
               .to = few,
               .columns = arm_ident_columns(fit->ident, i),
               .gravity = gravity_of(fit, i),
               .d = d,
               .more = more};
  fold.lsq = arm_lsq_new(few->width);
  if (!fold.lsq)
    return ARM_E_MEMORY;
  const ArmStatus status = fold_joint(&fold, i);
  if (status == ARM_OK)
    arm_lsq_triangle(fold.lsq, few->triangle);
  arm_lsq_free(fold.lsq);
  return status;
}

static bool has_any_extra(const ArmStrokeFit *fit, size_t i) {
  bool has = false;
  for (size_t s = 0; s < fit->joint[i].strokes; s++) {
    has |= fit->strokes[fit->joint[i].first_stroke + s].has_extra;
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
  }
  return has;
}

/* the joints' triangles, still empty; returns their rows */
static size_t lay_out(const ArmStrokeFit *fit, size_t d, ArmStrokeFit *few) {
  size_t rows = 0;
  double *next = fit->room;
  few->n_few = 0;
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    if (fit->joint[i].strokes == 0)
      continue;
    ArmFewRows *to = &few->few[few->n_few++];
    *to = (ArmFewRows){.joint = i, .has_extra = has_any_extra(fit, i), .triangle = next};
    to->width = width_of(fit, i, to->has_extra, d);
    to->own = arm_ident_columns(fit->ident, i) - gravity_of(fit, i) + 1;
    next += to->width * to->width;
    rows += to->width;
  }
  few->residual = next;
  return rows;
}

/* the d columns of the triangles below each other; of the priors as they were */
static void take_more(const ArmStrokeFit *fit, const ArmStrokeFit *few, size_t d,
                      const double *more, double *to) {
  const size_t from_ld = fit->rows + fit->priors;
  for (size_t c = 0; c < d; c++) {
    for (size_t b = 0; b < few->n_few; b++) {
      const size_t width = few->few[b].width;
      memcpy(to, few->few[b].triangle + (width - 1 - d + c) * width, width * sizeof *to);
      to += width;
    }
    memcpy(to, more + fit->rows + c * from_ld, fit->priors * sizeof *to);
    to += fit->priors;
  }
}

ArmStatus arm_stroke_fit_compact(const ArmStrokeFit *fit, size_t d, const double *more,
                                 ArmStrokeFit *few, double *few_more) {
  ArmStatus status = ARM_OK;
  *few = *fit;
  few->rows = lay_out(fit, d, few);
  if (few->rows >= fit->rows) {
    *few = *fit;
    if (d > 0)
      memcpy(few_more, more, d * (fit->rows + fit->priors) * sizeof *few_more);
    return ARM_OK;
  }
  few->is_told_apart = true;
  for (size_t b = 0; b < few->n_few && status == ARM_OK; b++) {
    status = compact_joint(fit, d, more, &few->few[b]);
    few->is_told_apart = few->is_told_apart && is_told_apart(&few->few[b]);
  }
  few->sd = few->residual + few->rows;
  for (size_t k = 0; k < few->rows; k++)
    few->sd[k] = 1.0;
  if (d > 0 && status == ARM_OK)
    take_more(fit, few, d, more, few_more);
  return status;
}

/* ---- steps without the own parameters ---- */

double arm_stroke_fit_above(const ArmStrokeFit *few, const double *x) {
  double sum = 0.0;
  for (size_t b = 0; b < few->n_few; x += few->few[b++].width)
    sum += arm_dot(few->few[b].own, x, x);
  return sum;
}

size_t arm_stroke_fit_below(const ArmStrokeFit *few, const double *from, double *to) {
  size_t count = 0;
  for (size_t b = 0; b < few->n_few; b++) {
    const size_t rows = few->few[b].width - few->few[b].own;
    memmove(to + count, from + few->few[b].own, rows * sizeof *to);
    from += few->few[b].width;
    count += rows;
  }
  memmove(to + count, from, few->priors * sizeof *to);
  return count + few->priors;
}

bool arm_stroke_fit_is_own(const ArmStrokeFit *few, size_t a) {
  const ArmIdentTree *tree = &few->ident->tree;
  bool is = a >= tree->count;
  for (size_t i = 0; i < tree->n && !is; i++) {
    size_t own[ARM_IDENT_OWN];
    const size_t count = arm_ident_tree_own(tree, i, own);
    for (size_t k = 0; k < count; k++)
      is |= own[k] == a;
  }
  return is;
}

/* first: of the joint's rows */
static void follow_joint(const ArmStrokeFit *few, const ArmFewRows *rows, size_t first,
                         double *move) {
  const ArmIdentTree *tree = &few->ident->tree;
  const size_t width = rows->width;
  size_t at[ARM_IDENT_OWN + 1];
  double x[ARM_IDENT_OWN + 1] = {0};
  at[arm_ident_tree_own(tree, rows->joint, at)] = tree->count + rows->joint;
  for (size_t k = rows->own; k-- > 0;) {
    x[k] = -few->residual[first + k];
    for (size_t a = 0; a < tree->count; a++)
      if (move[a] != 0.0)
        x[k] -= few->jacobian[first + k + a * few->rows] * move[a];
    for (size_t c = k + 1; c < rows->own; c++)
      x[k] -= rows->triangle[k + c * width] * x[c];
    x[k] /= rows->triangle[k + k * width];
  }
  for (size_t k = 0; k < rows->own; k++)
    move[at[k]] = x[k];
}

void arm_stroke_fit_follow(const ArmStrokeFit *few, double *move) {
  size_t first = 0;
  for (size_t b = 0; b < few->n_few; b++) {
    follow_joint(few, &few->few[b], first, move);
    first += few->few[b].width;
  }
}
