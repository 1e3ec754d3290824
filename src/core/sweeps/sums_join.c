/* SPDX-License-Identifier: MIT */
/* Sums of several recordings as one. Times come into one order as they would for rows; a stroke
 * that was cut by the end of a file, as where a long recording is reduced in parts, goes on where
 * time, position, speed and held joints say so, and is one again, neighbours across the cut
 * included. What was judged by all rows of a part (what is wild) stays as it was judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS, JOIN_GAP_STEPS = 100 };
#define JOIN_GAP_S  1.0  /* as recordings that are fitted together are apart, with the steps */
#define SAME_HOLD_R 0.02 /* rad, m: as what ends a stroke in core/sweeps/stroke_cut.c; with the */
#define SAME_HOLD_T 0.01 /* next one */
#define COLUMN(c)   ((size_t)(c) * ((size_t)(c) + 1) / 2) /* where it begins in a triangle */

typedef struct {
  const ArmModel *model;
  const ArmReduced *const *parts;
  ArmReduced *const *taken; /* the same; NULL: they are copied */
  ArmReduced *sums;
  bool is_moved; /* one part, taken: its strokes stay where they are */
  double *cells; /* of the stroke that comes next */
  double shift;  /* of the part that comes next [s] */
  size_t cut;    /* rows of its first stroke before it; 0: that begins with it */
} Join;

/* ---- where a stroke goes on ---- */

/* From the last row of a to the first one of b no held joint moves. */
static bool is_same_hold(const ArmModel *model, const ArmSumsStroke *a, const ArmSumsStroke *b) {
  for (size_t j = 0; j < model->n; j++) {
    const double limit = model->joints[j].type == ARM_JOINT_R ? SAME_HOLD_R : SAME_HOLD_T;
    if (j != a->stroke.joint && fabs(b->first.q[j] - a->last.q[j]) > limit)
      return false;
  }
  return true;
}

/* The last stroke so far goes on with the first one of a part that begins `gap` seconds after it.
 */
static bool goes_on(const Join *join, const ArmSumsStroke *a, const ArmSumsStroke *b, double gap) {
  const size_t joint = a->stroke.joint;
  return joint == b->stroke.joint && gap > 0.0 &&
         gap <= ARM_FILTER_GAP_STEPS * join->sums->median_step &&
         a->stroke.basis_low == b->stroke.basis_low &&
         a->stroke.basis_high == b->stroke.basis_high &&
         arm_stroke_goes_on(join->model->joints[joint].type, a->last.qd[joint], b->first.qd[joint],
                            b->first.q[joint] - a->last.q[joint]) &&
         is_same_hold(join->model, a, b);
}

/* ---- one part after the other ---- */

/* Columns t and t v. The first column is 1 in all rows, 2 in all pairs. */
static void shift_columns(double *r, double by) {
  double *time = r + COLUMN(K + ARM_STROKE_TIME), *product = r + COLUMN(K + ARM_STROKE_TIME_SPEED);
  const double *speed = r + COLUMN(K + ARM_STROKE_SPEED);
  time[0] += by * r[0];
  for (size_t k = 0; k <= K + ARM_STROKE_SPEED; k++)
    product[k] += by * speed[k];
}

static void shift_rows(double *at, size_t rows, size_t width, double by) {
  for (size_t k = 0; k < rows; k++, at += width) {
    at[K + ARM_STROKE_TIME] += by * at[0];
    at[K + ARM_STROKE_TIME_SPEED] += by * at[K + ARM_STROKE_SPEED];
  }
}

/* Times since the origin of all. */
static void shift_time(ArmSumsStroke *s, size_t n, double by, size_t row) {
  const size_t width = arm_sums_width(n, s->stroke.joint), rows = arm_sums_gap_rows(n, &s->stroke);
  shift_columns(s->triangle, by);
  shift_columns(s->pairs, by);
  shift_rows(s->before, rows, width, by);
  shift_rows(s->after, rows, width, by);
  s->stroke.t_first += by;
  s->stroke.t_last += by;
  s->stroke.t_sum += by * (double)s->stroke.rows;
  s->stroke.first_row += row;
  s->stroke.last_row += row;
  arm_sums_complete(s);
}

/* Stroke s of part p, its triangles where the next ones belong. */
static void take_stroke(const Join *join, size_t p, size_t s, ArmSumsStroke *to) {
  const ArmReduced *part = join->parts[p];
  const size_t cells = arm_sums_cells(part->n, &part->at[s].stroke);
  *to = part->at[s];
  arm_sums_place(part->n, join->cells, to);
  memcpy(to->triangle, part->at[s].triangle, cells * sizeof *to->triangle);
  to->stroke.hold = 0;
  shift_time(to, part->n, part->origin + join->shift - join->sums->origin, join->sums->rows);
  arm_sums_saw(part, to);
  arm_sums_saw(join->sums, to);
}

/* The part begins while a stroke is under way: seconds since its last row; NAN: it does not. */
static double gap_of(const Join *join, const ArmReduced *part) {
  const ArmReduced *sums = join->sums;
  if (join->shift != 0.0 || sums->count == 0 || part->count == 0)
    return (double)NAN;
  const double slack = ARM_SUMS_SAME_TIME * sums->median_step;
  const double end = sums->origin + sums->at[sums->count - 1].stroke.t_last;
  const double start = part->origin + part->at[0].stroke.t_first;
  return fabs(end - sums->t_last) <= slack && fabs(start - part->t_first) <= slack ? start - end
                                                                                   : (double)NAN;
}

/* Strokes of one part alone are those of all, and in their place already. */
static void move_strokes(Join *join) {
  ArmReduced *part = join->taken[0], *sums = join->sums;
  join->cut = 0;
  sums->at = part->at;
  sums->cells = part->cells;
  sums->count = part->count;
  part->at = NULL;
  part->cells = NULL;
  if (sums->count == 0)
    return;
  sums->origin = part->origin;
  arm_sums_join_edges(sums, part, 0, 0);
}

static ArmStatus add_strokes(Join *join, size_t p) {
  const ArmReduced *part = join->parts[p];
  ArmReduced *sums = join->sums;
  const size_t strokes = sums->count;
  join->cut = 0;
  const double gap = gap_of(join, part);
  ArmStatus status = ARM_OK;
  if (isnan(sums->origin) && part->count > 0)
    sums->origin = part->origin + join->shift;
  for (size_t s = 0; s < part->count && status == ARM_OK; s++) {
    ArmSumsStroke *to = &sums->at[sums->count];
    take_stroke(join, p, s, to);
    if (s == 0 && !isnan(gap) && goes_on(join, to - 1, to, gap)) {
      join->cut = to[-1].stroke.rows;
      status = arm_sums_append(join->model, sums, part, to - 1);
      join->cells = to[-1].triangle + arm_sums_cells(sums->n, &to[-1].stroke);
      continue;
    }
    join->cells += arm_sums_cells(sums->n, &to->stroke);
    sums->count++;
  }
  if (status == ARM_OK && part->count > 0)
    arm_sums_join_edges(sums, part, strokes, join->cut);
  return status;
}

/* What a part keeps. */
static void add_kept(const Join *join, const ArmReduced *part) {
  ArmReduced *sums = join->sums;
  const size_t width = arm_kept_width(part->n), count = sums->kept.count;
  const double slack = ARM_SUMS_SAME_TIME * sums->median_step;
  if (part->kept.count == 0 || !sums->kept.at)
    return;
  const double *last = count > 0 ? sums->kept.at + (count - 1) * width : NULL;
  const bool goes_on = last && join->shift == 0.0 &&
                       fabs(last[ARM_KEPT_TIME] - sums->t_last) <= slack &&
                       fabs(part->kept.at[ARM_KEPT_TIME] - part->t_first) <= slack;
  arm_kept_append(sums, part, join->shift, goes_on);
}

static void add_wild(const ArmWildFar *from, double shift, size_t row, ArmWildFar *to) {
  const size_t count = to->count + from->count;
  if (from->count > 0 &&
      (to->count == 0 || fabs(from->found - from->expected) > fabs(to->found - to->expected))) {
    *to = *from;
    to->t += shift;
    to->row += row;
  }
  to->count = count;
}

static void add_counts(const Join *join, const ArmReduced *part) {
  ArmReduced *sums = join->sums;
  for (size_t j = 0; j < sums->n; j++) {
    ArmIdentRange *range = &sums->range[j];
    for (size_t u = 0; u < ARM_ROW_REASONS; u++)
      sums->rows_by_use[j][u] += part->rows_by_use[j][u];
    range->low = fmin(range->low, part->range[j].low);
    range->high = fmax(range->high, part->range[j].high);
    range->sum += part->range[j].sum;
    add_wild(&part->wild[j].current, join->shift, sums->rows, &sums->wild[j].current);
    add_wild(&part->wild[j].position, join->shift, sums->rows, &sums->wild[j].position);
  }
  arm_plausible_merge(&sums->scan, &part->scan, join->shift, sums->rows);
  if (join->cut > 0)
    arm_plausible_join_stroke(&sums->scan, part->at[0].stroke.joint, join->cut,
                              part->at[0].stroke.rows);
  sums->used += part->used;
  sums->unmoved += part->unmoved;
}

static double gap_between(const ArmReduced *a, const ArmReduced *b) {
  const double step = fmax(isnan(a->median_step) ? 0.0 : a->median_step,
                           isnan(b->median_step) ? 0.0 : b->median_step);
  return fmax(JOIN_GAP_S, JOIN_GAP_STEPS * step);
}

static ArmStatus add_part(Join *join, size_t p) {
  const ArmReduced *part = join->parts[p];
  ArmReduced *sums = join->sums;
  join->shift = part->t_first > sums->t_last || isnan(part->t_first) || isnan(sums->t_last)
                    ? 0.0
                    : sums->t_last + gap_between(sums, part) - part->t_first;
  ArmStatus status = ARM_OK;
  if (join->is_moved)
    move_strokes(join);
  else
    status = add_strokes(join, p);
  if (status != ARM_OK)
    return status;
  add_kept(join, part);
  add_counts(join, part);
  sums->rows += part->rows;
  if (isnan(part->t_first))
    return ARM_OK;
  sums->t_first = isnan(sums->t_first) ? part->t_first : sums->t_first;
  sums->t_last = part->t_last + join->shift;
  return ARM_OK;
}

/* ---- all ---- */

static bool are_alike(const ArmModel *model, const ArmReduced *const *parts, size_t count) {
  for (size_t p = 0; p < count; p++)
    if (parts[p]->n != model->n || parts[p]->has_acceleration != parts[0]->has_acceleration ||
        memcmp(parts[p]->is_torque, parts[0]->is_torque, model->n * sizeof(bool)) != 0)
      return false;
  return count > 0;
}

static void sort_by_time(const ArmReduced *const *parts, size_t count, size_t *order) {
  for (size_t p = 0; p < count; p++) {
    size_t at = p;
    for (; at > 0 && parts[p]->t_first < parts[order[at - 1]]->t_first; at--)
      order[at] = order[at - 1];
    order[at] = p;
  }
}

typedef struct {
  double step;
  size_t rows;
} PartStep;

static int by_step(const void *a, const void *b) {
  const double x = ((const PartStep *)a)->step, y = ((const PartStep *)b)->step;
  return (x > y) - (x < y);
}

/* The median of all steps is known of each part alone: that of the part which half of the rows lie
 * below is the nearest to it. NAN: no part knows one. */
static ArmStatus find_step(const ArmReduced *const *parts, size_t count, double *step) {
  PartStep *known = malloc(count * sizeof *known);
  size_t n = 0, rows = 0, below = 0;
  if (!known)
    return ARM_E_MEMORY;
  for (size_t p = 0; p < count; p++)
    if (!isnan(parts[p]->median_step)) {
      known[n++] = (PartStep){parts[p]->median_step, parts[p]->rows};
      rows += parts[p]->rows;
    }
  qsort(known, n, sizeof *known, by_step);
  *step = (double)NAN;
  for (size_t k = 0; k < n && 2 * below <= rows; k++) {
    *step = known[k].step;
    below += known[k].rows;
  }
  free(known);
  return ARM_OK;
}

/* Of the same hold are strokes of all parts. */
static ArmStatus number_holds(const ArmModel *model, ArmReduced *sums) {
  ArmStrokes strokes = {.count = sums->count, .room = sums->count, .shelf = sums->shelf};
  ArmStatus status = ARM_OK;
  strokes.at = arm_shelf_take(sums->shelf, sums->count + 1, sizeof *strokes.at, &status);
  if (!strokes.at)
    return status;
  for (size_t s = 0; s < sums->count; s++) {
    strokes.at[s] = sums->at[s].stroke;
    arm_shelf_saw(sums->shelf, sizeof *sums->at + sizeof *strokes.at);
  }
  status = arm_strokes_number_holds(model, &strokes);
  for (size_t s = 0; s < sums->count && status == ARM_OK; s++) {
    sums->at[s].stroke.hold = strokes.at[s].hold;
    arm_shelf_saw(sums->shelf, sizeof *sums->at + sizeof *strokes.at);
  }
  arm_strokes_clear(&strokes);
  return status;
}

/* Rows of a joint are of use where every part has all of them. */
static ArmStatus make_room_for_rows(const Join *join, size_t count) {
  ArmReduced *sums = join->sums;
  size_t records = 0;
  bool has_any = false;
  for (size_t j = 0; j < sums->n; j++) {
    bool has_all = true;
    for (size_t p = 0; p < count; p++)
      has_all = has_all &&
                (join->parts[p]->kept.has[j] || join->parts[p]->rows_by_use[j][ARM_ROW_USED] == 0);
    for (size_t p = 0; p < count; p++)
      sums->kept.swings[j] = sums->kept.swings[j] || join->parts[p]->kept.swings[j];
    sums->kept.has[j] = has_all;
    has_any = has_any || has_all;
  }
  for (size_t p = 0; p < count && has_any; p++)
    records += join->parts[p]->kept.count + 1;
  return has_any && records > count ? arm_kept_make_room(sums, records) : ARM_OK;
}

static ArmStatus join_parts(Join *join, size_t count, const size_t *order) {
  const ArmReduced *const *parts = join->parts;
  ArmReduced *sums = join->sums;
  size_t strokes = 0, cells = 0;
  for (size_t p = 0; p < count && !join->is_moved; p++) {
    strokes += parts[p]->count;
    cells += arm_sums_all_cells(parts[p]);
  }
  ArmStatus status = join->is_moved ? ARM_OK : arm_sums_make_room(sums, strokes, cells);
  if (status == ARM_OK)
    status = arm_sums_make_edges(sums, ARM_SUMS_FARTHEST, ARM_SUMS_FARTHEST);
  if (status != ARM_OK)
    return status;
  join->cells = sums->cells;
  sums->n = join->model->n;
  sums->has_acceleration = parts[0]->has_acceleration;
  memcpy(sums->is_torque, parts[0]->is_torque, sizeof sums->is_torque);
  sums->t_first = sums->t_last = sums->origin = (double)NAN;
  status = find_step(parts, count, &sums->median_step);
  if (status == ARM_OK)
    status = make_room_for_rows(join, count);
  for (size_t j = 0; j < sums->n; j++)
    sums->range[j] = (ArmIdentRange){(double)INFINITY, -(double)INFINITY, 0.0};
  arm_plausible_init(&sums->scan, sums->n, sums->median_step);
  for (size_t p = 0; p < count && status == ARM_OK; p++) {
    status = add_part(join, order[p]);
    if (join->taken)
      arm_sums_clear(join->taken[order[p]]);
  }
  return status == ARM_OK ? number_holds(join->model, sums) : status;
}

static ArmStatus join_all(const ArmModel *model, const ArmReduced *const *parts,
                          ArmReduced *const *taken, size_t count, ArmReduced *sums) {
  ArmReduced made = {.shelf = count > 0 ? parts[0]->shelf : NULL};
  Join join = {.model = model,
               .parts = parts,
               .taken = taken,
               .sums = &made,
               .is_moved = taken && count == 1};
  if (!are_alike(model, parts, count))
    return ARM_E_ARGUMENT;
  size_t *order = malloc(count * sizeof *order);
  if (!order)
    return ARM_E_MEMORY;
  sort_by_time(parts, count, order);
  const ArmStatus status = join_parts(&join, count, order);
  free(order);
  if (status == ARM_OK)
    *sums = made;
  else
    arm_sums_clear(&made);
  return status;
}

ArmStatus arm_sums_join(const ArmModel *model, const ArmReduced *const *parts, size_t count,
                        ArmReduced *sums) {
  return join_all(model, parts, NULL, count, sums);
}

ArmStatus arm_sums_join_taken(const ArmModel *model, ArmReduced *const *parts, size_t count,
                              ArmReduced *sums) {
  return join_all(model, (const ArmReduced *const *)parts, parts, count, sums);
}
