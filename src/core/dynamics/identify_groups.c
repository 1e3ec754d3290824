/* SPDX-License-Identifier: MIT */
/* Which torque constants have a ratio, by a recursion from the last joint to the first: a group of
 * outboard joints takes in the joint whose row tells its load from all else. Sources: Armature
 * theory notes, full dynamics, 5.2 and (the gate) 5.4; Lin, IEEE TAC note 1994, section II, is the
 * case of gravity alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_internal.h"

/* Section 5.2: relative length that is left of an independent column; below RELATIVE_ZERO of the
 * longest a column is none; an independent one with more than MIXED of a dependent one in it
 * stands for both. */
#define TOLERANCE     1e-7
#define RELATIVE_ZERO 1e-10
#define MIXED         1e-6

typedef enum { OWN, LOCAL, NU } Kind;

typedef struct {
  Kind kind;
  size_t index; /* base parameter, local column, group (its name) */
  double length;
  bool is_kept, is_mixed;
  size_t place; /* in the basis, if kept */
} Column;

typedef struct {
  const ArmDynTriangle *triangle;
  size_t n, count;
  double worst_ratio;
  ArmDynGroups groups;
  int *owner;    /* count   name of the group that knows a base parameter; -1: none */
  double *known; /* count   its value times eta of the group's reference */
  bool has_news; /* something became known in this pass */
  /* one row */
  size_t joint, columns;
  Column *column; /* most */
  double *vector; /* width x most, unit length */
  double *part, *x, *sd;
  ArmBasis basis;
} Work;

const double *arm_dyn_column(const ArmDynTriangle *triangle, size_t c) {
  return triangle->r + c * triangle->width;
}

static const ArmDynTriangle *current(const Work *w) {
  return &w->triangle[w->joint];
}

static double *vector_of(const Work *w, size_t c) {
  return w->vector + c * current(w)->width;
}

static double length_of(const double *v, size_t length) {
  double sum = 0;
  for (size_t i = 0; i < length; i++)
    sum += v[i] * v[i];
  return sqrt(sum);
}

/* A group of outboard joints knows its parameters times the eta of one of them; what these
 * parameters would draw in row i is one column, nu. If no other column of row i can stand for it,
 * its coefficient is a ratio of eta and the group takes joint i in. What a row cannot tell apart
 * may be told by one further in: rows are visited again while anything becomes known. */

/* ---- the columns of a row ---- */

static void append(Work *w, Kind kind, size_t index) {
  const double length = length_of(vector_of(w, w->columns), current(w)->width);
  w->column[w->columns++] = (Column){.kind = kind, .index = index, .length = length};
}

static void append_own(Work *w) {
  const ArmDynTriangle *t = current(w);
  for (size_t b = 0; b < t->base; b++)
    if (w->owner[t->first + b] < 0) {
      memcpy(vector_of(w, w->columns), arm_dyn_column(t, t->own + b), t->width * sizeof(double));
      append(w, OWN, t->first + b);
    }
}

static void append_local(Work *w) {
  const ArmDynTriangle *t = current(w);
  for (size_t l = 0; l < t->own; l++)
    if (t->has[l]) {
      memcpy(vector_of(w, w->columns), arm_dyn_column(t, l), t->width * sizeof(double));
      append(w, LOCAL, l);
    }
}

/* What the parameters of group g draw in this row. */
static void append_group(Work *w, int g) {
  const ArmDynTriangle *t = current(w);
  double *nu = vector_of(w, w->columns);
  memset(nu, 0, t->width * sizeof *nu);
  for (size_t b = 0; b < t->base; b++) {
    if (w->owner[t->first + b] != g)
      continue;
    const double *y = arm_dyn_column(t, t->own + b);
    for (size_t i = 0; i < t->width; i++)
      nu[i] += y[i] * w->known[t->first + b];
  }
  append(w, NU, (size_t)g);
}

static bool is_first_of_group(const Work *w, size_t j) {
  for (size_t k = 0; k < j; k++)
    if (w->groups.group[k] == w->groups.group[j])
      return false;
  return true;
}

static void list_columns(Work *w) {
  w->columns = 0;
  append_own(w);
  append_local(w);
  for (size_t j = 0; j < w->n; j++) /* those that know nothing yet have no length */
    if (is_first_of_group(w, j))
      append_group(w, w->groups.group[j]);
}

/* Unit length; those of no length are left out. */
static void scale_columns(Work *w) {
  const size_t width = current(w)->width;
  double longest = 0;
  size_t kept = 0;
  for (size_t c = 0; c < w->columns; c++)
    longest = fmax(longest, w->column[c].length);
  for (size_t c = 0; c < w->columns; c++) {
    const double length = w->column[c].length;
    if (!(length > RELATIVE_ZERO * longest))
      continue;
    for (size_t i = 0; i < width; i++)
      vector_of(w, kept)[i] = vector_of(w, c)[i] / length;
    w->column[kept++] = w->column[c];
  }
  w->columns = kept;
}

/* ---- which are independent, and of what they are mixed ---- */

static void choose(Work *w) {
  const size_t bytes = current(w)->width * sizeof(double);
  double *v = w->x;
  for (size_t c = 0; c < w->columns; c++) {
    memcpy(v, vector_of(w, c), bytes);
    w->column[c].place = w->basis.rank;
    w->column[c].is_kept = arm_basis_add(&w->basis, v, TOLERANCE);
  }
  for (size_t c = 0; c < w->columns; c++) {
    if (w->column[c].is_kept)
      continue;
    memcpy(v, vector_of(w, c), bytes);
    arm_basis_project(&w->basis, v, w->part);
    arm_basis_solve(&w->basis, w->part, w->part);
    for (size_t k = 0; k < w->columns; k++)
      if (w->column[k].is_kept && fabs(w->part[w->column[k].place]) > MIXED)
        w->column[k].is_mixed = true;
  }
}

/* Regression of the efforts: coefficients of the columns as given in part, their sds in sd. */
static ArmStatus regress(Work *w) {
  const ArmDynTriangle *t = current(w);
  memcpy(w->x, arm_dyn_column(t, t->width - 1), t->width * sizeof(double));
  arm_basis_project(&w->basis, w->x, w->part);
  const double left = length_of(w->x, t->width);
  const double freedom = t->mass - (double)w->basis.rank;
  const double sigma = freedom > 0 ? left / sqrt(freedom) : (double)NAN;
  w->groups.sigma[w->joint] = sigma;
  w->groups.rank[w->joint] = w->basis.rank;
  arm_basis_solve(&w->basis, w->part, w->part);
  ArmStatus status = arm_basis_sds(&w->basis, w->sd);
  for (size_t c = 0; c < w->columns && status == ARM_OK; c++)
    if (w->column[c].is_kept) {
      w->part[w->column[c].place] /= w->column[c].length;
      w->sd[w->column[c].place] *= sigma / w->column[c].length;
    }
  return status;
}

/* ---- what becomes known ---- */

static void take_own(Work *w) {
  const int group = w->groups.group[w->joint];
  for (size_t c = 0; c < w->columns; c++) {
    const Column *column = &w->column[c];
    if (column->kind != OWN || !column->is_kept || column->is_mixed)
      continue;
    w->owner[column->index] = group;
    w->known[column->index] = w->part[column->place] / w->groups.relative[w->joint];
    w->has_news = true;
  }
}

/* Group g had another reference, over whose eta that of this joint is a. */
static void take_group(Work *w, int g, double a) {
  const int into = w->groups.group[w->joint];
  const double over = a / w->groups.relative[w->joint]; /* reference over that of g */
  for (size_t b = 0; b < w->count; b++)
    if (w->owner[b] == g) {
      w->owner[b] = into;
      w->known[b] *= over;
    }
  for (size_t j = 0; j < w->n; j++)
    if (w->groups.group[j] == g) {
      w->groups.group[j] = into;
      w->groups.relative[j] /= over;
    }
  w->has_news = true;
}

static void join_structure(ArmDynGroups *groups, size_t i, int g) {
  for (size_t j = 0; j < groups->n; j++) {
    if (groups->group[j] != g)
      continue;
    const int from = groups->structure[j], into = groups->structure[i];
    for (size_t k = 0; k < groups->n; k++)
      if (groups->structure[k] == from)
        groups->structure[k] = into;
  }
}

static void take_groups(Work *w) {
  for (size_t c = 0; c < w->columns; c++) {
    const Column *column = &w->column[c];
    if (column->kind != NU || !column->is_kept || column->is_mixed ||
        (int)column->index == w->groups.group[w->joint])
      continue;
    const double a = w->part[column->place], sd = w->sd[column->place];
    join_structure(&w->groups, w->joint, (int)column->index);
    if (fabs(a) > 0 && sd <= w->worst_ratio * fabs(a))
      take_group(w, (int)column->index, a);
  }
}

static ArmStatus take_row(Work *w) {
  if (current(w)->rows == 0)
    return ARM_OK;
  list_columns(w);
  scale_columns(w);
  ArmStatus status = arm_basis_init(&w->basis, current(w)->width, current(w)->width);
  if (status != ARM_OK)
    return status;
  choose(w);
  status = regress(w);
  arm_basis_clear(&w->basis);
  if (status == ARM_OK) {
    take_own(w);
    take_groups(w);
  }
  return status;
}

/* ---- all ---- */

static ArmStatus work_init(Work *w) {
  const size_t most = w->count + ARM_DYN_OWN + ARM_MAX_JOINTS + 1;
  const size_t width = w->count + ARM_DYN_OWN + 1;
  w->owner = calloc(w->count + 1, sizeof *w->owner);
  w->column = calloc(most, sizeof *w->column);
  w->known = calloc(w->count + 3 * most + width * most, sizeof *w->known);
  if (!w->owner || !w->column || !w->known)
    return ARM_E_MEMORY;
  w->part = w->known + w->count;
  w->x = w->part + most;
  w->sd = w->x + most;
  w->vector = w->sd + most;
  for (size_t b = 0; b < w->count; b++)
    w->owner[b] = -1;
  for (size_t j = 0; j < w->n; j++) {
    w->groups.group[j] = w->groups.structure[j] = (int)j;
    w->groups.relative[j] = 1;
    w->groups.sigma[j] = (double)NAN;
  }
  return ARM_OK;
}

ArmStatus arm_dyn_groups_find(size_t n, const ArmDynTriangle *triangle, size_t count,
                              double worst_ratio, ArmDynGroups *groups) {
  Work w = {.triangle = triangle, .n = n, .count = count, .worst_ratio = worst_ratio};
  w.groups.n = n;
  ArmStatus status = work_init(&w);
  w.has_news = true;
  for (size_t pass = 0; pass < n + 1 && w.has_news && status == ARM_OK; pass++) {
    w.has_news = false;
    for (w.joint = n; w.joint-- > 0 && status == ARM_OK;)
      status = take_row(&w);
  }
  if (status == ARM_OK)
    *groups = w.groups;
  free(w.owner);
  free(w.column);
  free(w.known);
  return status;
}
