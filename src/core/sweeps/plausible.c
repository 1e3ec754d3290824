/* SPDX-License-Identifier: MIT */
/* The scan: what one pass over the rows keeps for the rules. */
#include "core/sweeps/plausible.h"

#include <math.h>
#include <string.h>

#include "core/num/filter.h"

/* SLACK, SHORT_STROKE, ODD_STEP: Armature theory notes, lack of fit, section 7. WAY and UNSTEADY
 * were found on perfect calibrations, where a servo swings by 0.01 rad at the end of a sweep
 * (DESIGN, gap amid a sweep). BACK as CUT_STEP of core/sweeps/ident.c. MOVES and FLAT are chosen,
 * far below what is swept. */
#define BACK_R     0.02   /* rad from one row to the next, against the stroke: a new one begins */
#define BACK_T     0.01   /* m */
#define WAY_R      0.05   /* rad of way that a slope needs */
#define WAY_T      0.02   /* m */
#define SLACK_R    0.0175 /* rad, 1 deg: beyond a limit, or moved though held */
#define SLACK_T    0.005  /* m */
#define MOVES_R    0.01   /* rad/s */
#define MOVES_T    0.001  /* m/s */
#define MOVES_PART 0.05   /* of the fastest joint of the row */
#define ODD_STEP   0.5    /* of the shorter of two intervals in succession */
#define FLAT       0.01   /* of the largest current: a stroke that does not change */
#define BEYOND     1.05   /* of the limit of the current, of rows that are left out */
#define AT_LIMIT   0.99   /* the same: a drive that limits stays here */
#define SURE       4.0    /* sds of noise that the sign of friction needs */
#define UNSTEADY   2.0    /* times the mean speed of the stroke, or the part of it, beside a gap */
enum { SHORT_STROKE = 20, SLOPE_ROWS = 3 };

static bool is_R(const ArmModel *model, size_t joint) {
  return model->joints[joint].type == ARM_JOINT_R;
}

static void clear_extreme(ArmExtreme *e) {
  *e = (ArmExtreme){.value = -(double)INFINITY, .next = -(double)INFINITY};
}

void arm_plausible_init(ArmPlausibleScan *scan, size_t n, double median_step) {
  memset(scan, 0, sizeof *scan);
  scan->n = n;
  scan->median_step = median_step;
  for (size_t i = 0; i < n; i++) {
    scan->joint[i].low = (double)INFINITY;
    scan->joint[i].high = -(double)INFINITY;
    clear_extreme(&scan->joint[i].top);
    clear_extreme(&scan->joint[i].bottom);
  }
}

/* ---- extremes ---- */

static void add_level(ArmExtreme *e, double value, size_t count, size_t longest) {
  if (value > e->value) {
    e->next = e->value;
    e->next_count = e->count;
    e->value = value;
    e->count = count;
    e->longest = longest;
  } else if (value == e->value) {
    e->count += count;
    e->longest = longest > e->longest ? longest : e->longest;
  } else if (value > e->next) {
    e->next = value;
    e->next_count = count;
  } else if (value == e->next) {
    e->next_count += count;
  }
}

static void add_value(ArmExtreme *e, double value) {
  const bool is_more = value > e->value;
  e->run = is_more ? 1 : value == e->value ? e->run + 1 : 0;
  add_level(e, value, 1, e->run);
}

static void merge_extreme(ArmExtreme *into, const ArmExtreme *from) {
  add_level(into, from->value, from->count, from->longest);
  if (from->next_count > 0)
    add_level(into, from->next, from->next_count, 0);
}

/* ---- the open stroke ---- */

static ArmSpeedUnit unit_of(const ArmModel *model, size_t joint, double slope) {
  static const struct {
    ArmSpeedUnit unit;
    ArmJointType type;
    double slope;
  } units[] = {
      {ARM_SPEED_DEG, ARM_JOINT_R, 0.017453292519943295},
      {ARM_SPEED_Q_DEG, ARM_JOINT_R, 57.295779513082323},
      {ARM_SPEED_RPM, ARM_JOINT_R, 0.10471975511965977},
      {ARM_SPEED_PER_MIN, ARM_JOINT_R, 1.0 / 60.0},
      {ARM_SPEED_PER_MIN, ARM_JOINT_T, 1.0 / 60.0},
      {ARM_SPEED_MM, ARM_JOINT_T, 1e-3},
      {ARM_SPEED_Q_MM, ARM_JOINT_T, 1e3},
  };
  const ArmJoint *j = &model->joints[joint];
  if (slope > 0.9 && slope < 1.1) /* notes, section 7; a named unit is met to 2 % */
    return ARM_SPEED_SI;
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (units[k].type == j->type && fabs(slope / units[k].slope - 1.0) < 0.02)
      return units[k].unit;
  if (j->n_motors > 0 && fabs(slope * j->motors[0].gear_ratio - 1.0) < 0.02)
    return ARM_SPEED_MOTOR;
  return ARM_SPEED_OTHER;
}

static void take_slope(ArmPlausibleScan *scan, const ArmModel *model) {
  const ArmPlausibleStroke *s = &scan->open;
  ArmPlausibleJoint *j = &scan->joint[s->joint];
  const double way = s->q_last - s->q_first, speed = s->qd_sum / (double)s->rows;
  const double told = (s->t_last - s->t_first) * speed;
  if (s->rows < SLOPE_ROWS ||
      !(fmax(fabs(way), fabs(told)) > (is_R(model, s->joint) ? WAY_R : WAY_T)))
    return;
  const double slope = way / told;
  const ArmSpeedUnit unit = unit_of(model, s->joint, fabs(slope));
  j->slopes[slope < 0.0][unit]++;
  j->slope_sum[slope < 0.0][unit] += slope;
}

static bool is_way_back(const ArmModel *model, const ArmPlausibleStroke *s,
                        const ArmPlausibleStroke *t) {
  if (s->used < SLOPE_ROWS || t->used < SLOPE_ROWS ||
      !((s->q_to - s->q_from) * (t->q_to - t->q_from) < 0.0))
    return false;
  for (size_t j = 0; j < model->n; j++)
    if (j != s->joint && !(fabs(s->hold[j] - t->hold[j]) <= (is_R(model, j) ? SLACK_R : SLACK_T)))
      return false;
  return true;
}

/* Where the two ranges do not end alike, gravity differs by its part of the range. */
static void take_friction(ArmPlausibleScan *scan, const ArmModel *model) {
  const ArmPlausibleStroke *s = &scan->open;
  ArmPlausibleJoint *j = &scan->joint[s->joint];
  ArmPlausibleWays *w = &j->ways;
  const ArmPlausibleStroke *t = &w->last;
  if (is_way_back(model, s, t)) {
    const double way = s->q_to - s->q_from;
    const double apart = fabs(s->q_from - t->q_to) + fabs(s->q_to - t->q_from);
    const double span = fmax(s->top.value + s->bottom.value, t->top.value + t->bottom.value);
    const double noise = j->noise_rows > 0 ? j->noise_sum / (double)j->noise_rows : 0.0;
    const double rows = (double)(s->used < t->used ? s->used : t->used);
    const double mean[2] = {s->current_sum / (double)s->used, t->current_sum / (double)t->used};
    const double half = (way > 0.0 ? 0.5 : -0.5) * (mean[0] - mean[1]);
    if (fabs(half) > span * apart / fabs(way) + SURE * sqrt(noise / rows)) {
      *(half > 0.0 ? &w->positive : &w->negative) += 1;
      w->high = fmax(w->high, half);
      w->low = fmin(w->low, half);
      if (w->positive + w->negative == 1 || fabs(half) < w->least) {
        w->least = fabs(half);
        w->least_mean = 0.5 * fabs(mean[0] + mean[1]);
      }
    }
  }
  w->last = *s;
}

static void close_stroke(ArmPlausibleScan *scan, const ArmModel *model) {
  ArmPlausibleStroke *s = &scan->open;
  if (!s->is_open)
    return;
  s->is_open = false;
  ArmPlausibleJoint *j = &scan->joint[s->joint];
  take_slope(scan, model);
  if (s->used > 0) {
    const double most = fmax(fabs(s->top.value), fabs(s->bottom.value));
    j->strokes++;
    j->stroke_rows += s->used;
    j->short_strokes += s->used < SHORT_STROKE;
    take_friction(scan, model);
    if (s->top.value + s->bottom.value > FLAT * most) { /* bottom is negated */
      merge_extreme(&j->top, &s->top);
      merge_extreme(&j->bottom, &s->bottom);
    }
  }
}

static void end_runs(ArmPlausibleJoint *j) {
  j->at_limit[0].run = j->at_limit[1].run = 0;
}

static void open_stroke(ArmPlausibleScan *scan, const ArmDataset *data, size_t row) {
  ArmPlausibleStroke *s = &scan->open;
  const size_t joint = (size_t)data->joint[row] - 1;
  end_runs(&scan->joint[joint]);
  *s = (ArmPlausibleStroke){.is_open = true,
                            .joint = joint,
                            .q_first = data->q[row + joint * data->rows],
                            .t_first = data->t[row],
                            .current = {(double)NAN, (double)NAN}};
  for (size_t j = 0; j < data->n; j++)
    s->hold[j] = data->q[row + j * data->rows];
  clear_extreme(&s->top);
  clear_extreme(&s->bottom);
}

/* moving by its motion, whatever else is wrong with the row */
static bool is_moving(ArmRowUse use) {
  return use == ARM_ROW_USED || use == ARM_ROW_NO_CURRENT || use == ARM_ROW_NO_ACCEL ||
         use == ARM_ROW_LEFT_OUT || use == ARM_ROW_WILD || use == ARM_ROW_OFF_PLATEAU;
}

static bool is_at_speed(const ArmPlausibleStroke *s, double qd) {
  const double part = qd * (double)s->rows / s->qd_sum;
  return part > 1.0 / UNSTEADY && part < UNSTEADY;
}

/* The motion bridges dt: a joint that was on its way, at the same speed before and after. Where a
 * sweep ends and where the next one begins a servo swings by some 0.01 rad, and what is left of one
 * swing may look like its other half. */
static bool is_bridged(const ArmPlausibleStroke *s, const ArmModel *model, const ArmDataset *data,
                       size_t row, double dt) {
  const size_t at = row + s->joint * data->rows;
  const double way = s->q_last - s->q_first, step = data->q[at] - s->q_last;
  if (s->rows < 2 || !(fabs(way) > (is_R(model, s->joint) ? WAY_R : WAY_T)) ||
      !is_at_speed(s, data->qd[at - 1]) || !is_at_speed(s, data->qd[at]))
    return false;
  const double steady = way / (s->t_last - s->t_first) * dt;
  return fabs(step - steady) < 0.2 * fabs(steady);
}

/* The stroke goes on with this row. Its direction is that of the position, which the sign of the
 * speed may contradict; a gap that the motion bridges is counted. */
static bool continues(ArmPlausibleScan *scan, const ArmModel *model, const ArmDataset *data,
                      size_t row) {
  const ArmPlausibleStroke *s = &scan->open;
  const size_t at = row + s->joint * data->rows;
  if (!s->is_open || data->joint[row] != (int)s->joint + 1 || !(s->qd_sum * data->qd[at] > 0.0) ||
      !(data->t[row] > s->t_last) || (data->begins && data->begins[row]))
    return false;
  const double step = data->q[at] - s->q_last, dt = data->t[row] - s->t_last;
  const double way = s->q_last - s->q_first;
  if (way * step < 0.0 && fabs(step) > (is_R(model, s->joint) ? BACK_R : BACK_T))
    return false;
  if (isnan(scan->median_step) || dt <= ARM_FILTER_GAP_STEPS * scan->median_step)
    return true;
  if (is_bridged(s, model, data, row, dt)) {
    scan->gaps++;
    scan->longest_gap = fmax(scan->longest_gap, dt);
  }
  return false;
}

/* ---- rows ---- */

/* Against the interval before it: what is sampled by position has another one in each stroke. */
static void add_interval(ArmPlausibleScan *scan, double dt) {
  const double before = scan->open.last_step;
  scan->open.last_step = dt;
  if (!(before > 0.0))
    return;
  scan->steps++;
  scan->odd_steps += fabs(dt - before) > ODD_STEP * fmin(dt, before);
}

static void add_held(ArmPlausibleScan *scan, const ArmModel *model, const ArmDataset *data,
                     size_t row) {
  const ArmPlausibleStroke *s = &scan->open;
  for (size_t j = 0; j < data->n; j++) {
    ArmPlausibleJoint *held = &scan->joint[j];
    const double moved = fabs(data->q[row + j * data->rows] - s->hold[j]);
    if (j == s->joint || !(moved > (is_R(model, j) ? SLACK_R : SLACK_T)) ||
        moved <= held->held_moved)
      continue;
    held->held_moved = moved;
    held->held_by = s->joint;
    held->held_time = data->t[row];
  }
}

static void add_position(ArmPlausibleJoint *j, const ArmJoint *joint, double q, size_t row) {
  const double slack = joint->type == ARM_JOINT_R ? SLACK_R : SLACK_T;
  const double below = joint->limits.q_min - q, above = q - joint->limits.q_max;
  const bool is_below = below > slack;
  j->moving_rows++;
  if (!is_below && !(above > slack))
    return;
  const double limit = is_below ? joint->limits.q_min : joint->limits.q_max;
  if (j->outside++ == 0 || fabs(q - limit) > fabs(j->outside_worst - j->outside_limit)) {
    j->outside_worst = q;
    j->outside_limit = limit;
    j->outside_row = row;
  }
}

static void add_limit(ArmPlausibleJoint *j, double current, double limit, size_t row) {
  j->limit_rows++;
  j->over += fabs(current) > limit;
  if (fabs(current) > j->worst) {
    j->worst = fabs(current);
    j->worst_row = row;
  }
}

/* Of a row that may be left out for being near the limit; where a drive limits, noise goes beyond.
 */
static void add_left_out(ArmPlausibleJoint *j, double current, double limit, size_t row) {
  const bool is_over = fabs(current) > BEYOND * limit;
  for (int side = 0; side < 2; side++) {
    ArmAtLimit *at = &j->at_limit[side];
    const bool is_at = !is_over && (side ? -current : current) >= AT_LIMIT * limit;
    at->run = is_at ? at->run + 1 : 0;
    at->count += is_at;
    at->longest = at->run > at->longest ? at->run : at->longest;
  }
  if (is_over)
    add_limit(j, current, limit, row);
}

static void add_current(ArmPlausibleScan *scan, double limit, double q, double qd, double current,
                        size_t row) {
  ArmPlausibleStroke *s = &scan->open;
  ArmPlausibleJoint *j = &scan->joint[s->joint];
  j->rows++;
  *(qd > 0.0 ? &j->forth : &j->back) += 1;
  *(qd > 0.0 ? &j->speed_forth : &j->speed_back) += qd;
  end_runs(j);
  j->low = fmin(j->low, current);
  j->high = fmax(j->high, current);
  add_limit(j, current, limit, row);
  if (s->used >= 2) {
    const double bend = current - 2.0 * s->current[0] + s->current[1];
    j->noise_sum += bend * bend / 6.0;
    j->noise_rows++;
  }
  s->current[1] = s->current[0];
  s->current[0] = current;
  s->current_sum += current;
  if (s->used++ == 0)
    s->q_from = q;
  s->q_to = q;
  add_value(&s->top, current);
  add_value(&s->bottom, -current);
}

/* How many joints move by their own speeds. */
static void count_moving(ArmPlausibleScan *scan, const ArmModel *model, const ArmDataset *data,
                         size_t row) {
  double fastest = 0.0;
  size_t count = 0;
  for (size_t j = 0; j < data->n; j++)
    if (is_R(model, j))
      fastest = fmax(fastest, fabs(data->qd[row + j * data->rows]));
  for (size_t j = 0; j < data->n; j++) {
    const double speed = fabs(data->qd[row + j * data->rows]);
    count += is_R(model, j) ? speed > MOVES_R && speed > MOVES_PART * fastest : speed > MOVES_T;
  }
  scan->moving_rows += count > 0;
  scan->many_rows += count > 1;
  scan->most_moving = count > scan->most_moving ? count : scan->most_moving;
}

void arm_plausible_push(ArmPlausibleScan *scan, const ArmModel *model, const ArmDataset *data,
                        size_t row, ArmRowUse use) {
  count_moving(scan, model, data, row);
  if (use == ARM_ROW_WILD_POSITION) /* where it was nobody knows: the stroke goes on behind it */
    return;
  if (!is_moving(use)) {
    close_stroke(scan, model);
    return;
  }
  ArmPlausibleStroke *s = &scan->open;
  if (continues(scan, model, data, row)) {
    add_interval(scan, data->t[row] - s->t_last);
  } else {
    close_stroke(scan, model);
    open_stroke(scan, data, row);
  }
  const size_t at = row + s->joint * data->rows;
  const ArmJoint *joint = &model->joints[s->joint];
  /* the arm file's is one of currents, a torque has none */
  const double limit =
      data->is_torque[s->joint] ? (double)INFINITY : arm_plausible_most_current(joint);
  s->q_last = data->q[at];
  s->t_last = data->t[row];
  s->qd_sum += data->qd[at];
  s->rows++;
  add_held(scan, model, data, row);
  add_position(&scan->joint[s->joint], joint, data->q[at], data->first + row);
  if (use == ARM_ROW_USED)
    add_current(scan, limit, data->q[at], data->qd[at], data->current[at], data->first + row);
  else
    add_left_out(&scan->joint[s->joint], data->current[at], limit, data->first + row);
}

void arm_plausible_end(ArmPlausibleScan *scan, const ArmModel *model) {
  close_stroke(scan, model);
}

/* ---- scans of several recordings ---- */

static void merge_position(ArmPlausibleJoint *to, const ArmPlausibleJoint *from, double shift,
                           size_t row) {
  to->moving_rows += from->moving_rows;
  if (from->outside > 0 && (to->outside == 0 || fabs(from->outside_worst - from->outside_limit) >
                                                    fabs(to->outside_worst - to->outside_limit))) {
    to->outside_worst = from->outside_worst;
    to->outside_limit = from->outside_limit;
    to->outside_row = from->outside_row + row;
  }
  to->outside += from->outside;
  if (from->held_moved > to->held_moved) {
    to->held_moved = from->held_moved;
    to->held_by = from->held_by;
    to->held_time = from->held_time + shift;
  }
}

static void merge_current(ArmPlausibleJoint *to, const ArmPlausibleJoint *from, size_t row) {
  to->low = fmin(to->low, from->low);
  to->high = fmax(to->high, from->high);
  merge_extreme(&to->top, &from->top);
  merge_extreme(&to->bottom, &from->bottom);
  for (int side = 0; side < 2; side++) {
    ArmAtLimit *at = &to->at_limit[side];
    at->count += from->at_limit[side].count;
    at->longest =
        from->at_limit[side].longest > at->longest ? from->at_limit[side].longest : at->longest;
  }
  to->over += from->over;
  to->limit_rows += from->limit_rows;
  to->noise_sum += from->noise_sum;
  to->noise_rows += from->noise_rows;
  if (from->worst > to->worst) {
    to->worst = from->worst;
    to->worst_row = from->worst_row + row;
  }
}

/* A way at the end of one part and its way back at the beginning of the next are no pair. */
static void merge_ways(ArmPlausibleWays *into, const ArmPlausibleWays *from) {
  if (from->positive + from->negative == 0)
    return;
  if (into->positive + into->negative == 0 || from->least < into->least) {
    into->least = from->least;
    into->least_mean = from->least_mean;
  }
  into->positive += from->positive;
  into->negative += from->negative;
  into->high = fmax(into->high, from->high);
  into->low = fmin(into->low, from->low);
}

static void merge_joint(ArmPlausibleJoint *to, const ArmPlausibleJoint *from, double shift,
                        size_t row) {
  to->rows += from->rows;
  to->forth += from->forth;
  to->back += from->back;
  to->speed_forth += from->speed_forth;
  to->speed_back += from->speed_back;
  to->strokes += from->strokes;
  to->short_strokes += from->short_strokes;
  to->stroke_rows += from->stroke_rows;
  for (size_t s = 0; s < 2; s++)
    for (size_t u = 0; u < ARM_SPEED_UNITS; u++) {
      to->slopes[s][u] += from->slopes[s][u];
      to->slope_sum[s][u] += from->slope_sum[s][u];
    }
  merge_current(to, from, row);
  merge_position(to, from, shift, row);
  merge_ways(&to->ways, &from->ways);
}

void arm_plausible_merge(ArmPlausibleScan *into, const ArmPlausibleScan *from, double shift,
                         size_t row) {
  for (size_t i = 0; i < into->n; i++)
    merge_joint(&into->joint[i], &from->joint[i], shift, row);
  into->steps += from->steps;
  into->odd_steps += from->odd_steps;
  into->gaps += from->gaps;
  into->moving_rows += from->moving_rows;
  into->many_rows += from->many_rows;
  into->most_moving = from->most_moving > into->most_moving ? from->most_moving : into->most_moving;
  into->longest_gap = fmax(into->longest_gap, from->longest_gap);
}

void arm_plausible_join_stroke(ArmPlausibleScan *scan, size_t joint, size_t before, size_t after) {
  ArmPlausibleJoint *j = &scan->joint[joint];
  const size_t parts = (before < SHORT_STROKE ? 1u : 0u) + (after < SHORT_STROKE ? 1u : 0u);
  const size_t whole = before + after < SHORT_STROKE ? 1 : 0;
  if (j->strokes < 2 || j->short_strokes + whole < parts)
    return; /* counted by nobody: of a file that is not ours */
  j->strokes--;
  j->short_strokes += whole;
  j->short_strokes -= parts;
}
