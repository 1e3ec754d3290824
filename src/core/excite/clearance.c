/* SPDX-License-Identifier: MIT */
/* Nearest points of two segments by the minimum of a convex quadratic on the unit square; the
 * gradient moves these points with their links alone, as what moves them along the axes changes
 * nothing at the minimum. */
#include "core/excite/clearance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"

enum { SEED = 18, POSES = 200 };

/* Sine squared of lines that count as parallel, to rounding: any point of them is as near. */
static const double parallel = 1e-12;

typedef struct {
  double rotation[ARM_MAX_JOINTS][9], position[ARM_MAX_JOINTS][3];
} Pose;

/* ---- distances ---- */

static void to_base(const Pose *pose, size_t link, const double *local, double *out) {
  for (int r = 0; r < 3; r++)
    out[r] = pose->position[link][r] + pose->rotation[link][3 * r] * local[0] +
             pose->rotation[link][3 * r + 1] * local[1] +
             pose->rotation[link][3 * r + 2] * local[2];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double x) {
  return fmin(fmax(x, 0), 1);
}

/* Parts s and t of the way along p0 p1 and q0 q1 where they are nearest. */
static void nearest(const double p0[3], const double p1[3], const double q0[3], const double q1[3],
                    double *s, double *t) {
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) {
    u[k] = p1[k] - p0[k];
    v[k] = q1[k] - q0[k];
    w[k] = p0[k] - q0[k];
  }
  const double a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, w), e = dot(v, w);
  const double determinant = a * c - b * b;
  *s = determinant > parallel * a * c ? clamp((b * e - c * d) / determinant) : 0;
  *t = c > 0 ? clamp((b * *s + e) / c) : 0;
  *s = a > 0 ? clamp((b * *t - d) / a) : 0;
}

/* Two points, the second with is_table straight below the first, and their distance. */
typedef struct {
  double point[2][3], distance;
} Near;

static void find_near(const ArmClearance *clearance, const Pose *pose, const ArmClearancePair *pair,
                      Near *near) {
  const ArmCapsule *a = &clearance->model->joints[pair->link[0]].capsules[pair->capsule[0]];
  double end[4][3], s, t;
  if (pair->is_table) {
    to_base(pose, pair->link[0], pair->capsule[1] ? a->to_m : a->from_m, near->point[0]);
    near->distance = near->point[0][2] - a->radius_m - clearance->table_z;
    return;
  }
  const ArmCapsule *b = &clearance->model->joints[pair->link[1]].capsules[pair->capsule[1]];
  to_base(pose, pair->link[0], a->from_m, end[0]);
  to_base(pose, pair->link[0], a->to_m, end[1]);
  to_base(pose, pair->link[1], b->from_m, end[2]);
  to_base(pose, pair->link[1], b->to_m, end[3]);
  nearest(end[0], end[1], end[2], end[3], &s, &t);
  double square = 0;
  for (int k = 0; k < 3; k++) {
    near->point[0][k] = end[0][k] + s * (end[1][k] - end[0][k]);
    near->point[1][k] = end[2][k] + t * (end[3][k] - end[2][k]);
    square += pow(near->point[0][k] - near->point[1][k], 2);
  }
  near->distance = sqrt(square) - a->radius_m - b->radius_m;
}

void arm_clearance_at(const ArmClearance *clearance, const double *q, double *distance) {
  Pose pose;
  Near near;
  arm_model_poses(clearance->model, q, pose.rotation, pose.position);
  for (size_t k = 0; k < clearance->count; k++) {
    find_near(clearance, &pose, &clearance->pair[k], &near);
    distance[k] = near.distance;
  }
}

/* ---- the gradient ---- */

/* q_bar += factor times the speed of a link's point along `direction` per speed of each joint. */
static void pull(const ArmClearance *clearance, const Pose *pose, size_t link, const double *point,
                 const double *direction, double factor, double *q_bar) {
  for (size_t j = 0; j <= link; j++) {
    const double *turn = pose->rotation[j], *from = pose->position[j];
    const double axis[3] = {turn[2], turn[5], turn[8]};
    const double arm[3] = {point[0] - from[0], point[1] - from[1], point[2] - from[2]};
    const double moved[3] = {axis[1] * arm[2] - axis[2] * arm[1],
                             axis[2] * arm[0] - axis[0] * arm[2],
                             axis[0] * arm[1] - axis[1] * arm[0]};
    const bool is_turning = clearance->model->joints[j].type == ARM_JOINT_R;
    q_bar[j] += factor * dot(is_turning ? moved : axis, direction);
  }
}

void arm_clearance_gradient(const ArmClearance *clearance, const double *q, const double *bar,
                            double *q_bar) {
  Pose pose;
  Near near;
  arm_model_poses(clearance->model, q, pose.rotation, pose.position);
  for (size_t k = 0; k < clearance->count; k++) {
    const ArmClearancePair *pair = &clearance->pair[k];
    double direction[3] = {0, 0, 1}, length = 0;
    if (bar[k] == 0)
      continue;
    find_near(clearance, &pose, pair, &near);
    for (int r = 0; !pair->is_table && r < 3; r++) {
      direction[r] = near.point[0][r] - near.point[1][r];
      length += direction[r] * direction[r];
    }
    if (!pair->is_table && !(length > 0))
      continue;
    for (int r = 0; !pair->is_table && r < 3; r++)
      direction[r] /= sqrt(length);
    pull(clearance, &pose, pair->link[0], near.point[0], direction, bar[k], q_bar);
    if (!pair->is_table)
      pull(clearance, &pose, pair->link[1], near.point[1], direction, -bar[k], q_bar);
  }
}

/* ---- pairs ---- */

static void put(ArmClearance *clearance, ArmClearancePair pair) {
  if (clearance->pair)
    clearance->pair[clearance->count] = pair;
  clearance->count++;
}

/* All pairs, or without clearance->pair their number alone. */
static void list(ArmClearance *clearance) {
  const ArmModel *model = clearance->model;
  clearance->count = 0;
  for (size_t a = 0; a < model->n; a++) {
    for (size_t b = a + 2; b < model->n; b++)
      for (size_t k = 0; k < model->joints[a].n_capsules; k++)
        for (size_t l = 0; l < model->joints[b].n_capsules; l++)
          put(clearance, (ArmClearancePair){false, {a, b}, {k, l}});
    for (size_t k = 0; !isnan(clearance->table_z) && k < model->joints[a].n_capsules; k++)
      for (size_t end = 0; end < 2; end++)
        put(clearance, (ArmClearancePair){true, {a, 0}, {k, end}});
  }
}

/* Drops the pairs that touch in every pose. */
static void drop(ArmClearance *clearance, const ArmMotionLimits *limits, double *distance,
                 bool *is_free) {
  uint64_t random = SEED;
  size_t kept = 0;
  memset(is_free, 0, clearance->count * sizeof *is_free);
  for (size_t pose = 0; pose < POSES; pose++) {
    double q[ARM_MAX_JOINTS];
    for (size_t j = 0; j < limits->n; j++)
      q[j] = limits->middle[j] +
             limits->half[ARM_MOTION_POSITION][j] * arm_random_uniform(&random, -1, 1);
    arm_clearance_at(clearance, q, distance);
    for (size_t k = 0; k < clearance->count; k++)
      is_free[k] = is_free[k] || distance[k] > 0;
  }
  for (size_t k = 0; k < clearance->count; k++)
    if (is_free[k])
      clearance->pair[kept++] = clearance->pair[k];
  clearance->ignored = clearance->count - kept;
  clearance->count = kept;
}

ArmStatus arm_clearance_new(const ArmModel *model, const ArmMotionLimits *limits, double table_z,
                            ArmClearance **clearance) {
  ArmClearance *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  made->model = model;
  made->table_z = table_z;
  list(made);
  made->pair = calloc(made->count + 1, sizeof *made->pair);
  double *distance = calloc(made->count + 1, sizeof *distance);
  bool *is_free = calloc(made->count + 1, sizeof *is_free);
  const bool is_made = made->pair && distance && is_free;
  if (is_made) {
    list(made);
    drop(made, limits, distance, is_free);
  }
  free(distance);
  free(is_free);
  if (is_made)
    *clearance = made;
  else
    arm_clearance_free(made);
  return is_made ? ARM_OK : ARM_E_MEMORY;
}

void arm_clearance_free(ArmClearance *clearance) {
  if (!clearance)
    return;
  free(clearance->pair);
  free(clearance);
}

/* ---- motions ---- */

static bool is_same(const ArmClearanceViolation *v, const ArmClearancePair *pair) {
  return v->is_table == pair->is_table && v->link[0] == pair->link[0] &&
         v->link[1] == pair->link[1];
}

/* One sample of the pairs `first` .. of the same two links. Returns the pair behind them. */
static size_t judge(const ArmClearance *clearance, const Pose *pose, size_t first, double *least) {
  const ArmClearanceViolation links = {
      .is_table = clearance->pair[first].is_table,
      .link = {clearance->pair[first].link[0], clearance->pair[first].link[1]}};
  size_t k = first;
  *least = (double)INFINITY;
  for (; k < clearance->count && is_same(&links, &clearance->pair[k]); k++) {
    Near near;
    find_near(clearance, pose, &clearance->pair[k], &near);
    *least = fmin(*least, near.distance);
  }
  return k;
}

static void note(ArmClearanceViolation *out, size_t *count, const ArmClearancePair *pair,
                 size_t sample, double value) {
  size_t at = 0;
  while (at < *count && !is_same(&out[at], pair))
    at++;
  if (at == *count) {
    out[at] = (ArmClearanceViolation){
        .is_table = pair->is_table, .link = {pair->link[0], pair->link[1]}, .value = value};
    out[at].worst = sample;
    ++*count;
  }
  out[at].samples++;
  if (value < out[at].value) {
    out[at].value = value;
    out[at].worst = sample;
  }
}

size_t arm_clearance_violations(const ArmClearance *clearance, double least, size_t samples,
                                const double *q, ArmClearanceViolation *out) {
  size_t count = 0;
  for (size_t s = 0; s < samples && clearance->count > 0; s++) {
    double here[ARM_MAX_JOINTS], value;
    Pose pose;
    for (size_t j = 0; j < clearance->model->n; j++)
      here[j] = q[s + j * samples];
    arm_model_poses(clearance->model, here, pose.rotation, pose.position);
    for (size_t k = 0; k < clearance->count;) {
      const ArmClearancePair *pair = &clearance->pair[k];
      k = judge(clearance, &pose, k, &value);
      if (value < least)
        note(out, &count, pair, s, value);
    }
  }
  return count;
}
