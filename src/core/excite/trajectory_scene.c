/* SPDX-License-Identifier: MIT */
/* Limits of current at the times of the limits of joints, distances at those of the criterion, in
 * the same augmented Lagrangian. A design is then held to a part of them at many more times. */
#include "core/excite/trajectory_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"

/* What the search aims at, and what a design must keep at the times that are looked at: parts of
 * the limits of current, and distances [m]. With DENSE_HZ nothing that approaches by less than
 * 5 m/s is missed in between. */
static const double aim_part = 0.98, keep_part = 0.995;
static const double aim_distance = 0.01, keep_distance = 0.005, distance_scale = 0.1;

/* The pose that a design is shrunk about must have this to spare, of its currents or of so many
 * metres. */
static const double least_spare = 0.1, spare_distance = 0.2;
enum {
  DENSE_HZ = 500,
  DENSE_MOST = 100000,
  COARSE = 400,
  BISECTIONS = 12,
  RETRIES = 8,
  SEED = 180,
  POSES = 1000
};

struct ArmTrajectoryScene {
  const ArmScene *scene;
  size_t pairs;
  double rest[ARM_MAX_JOINTS];
  /* at the times of limits: samples x n, 2 samples x n, samples x 10n x n */
  double *current, *bar, *multiplier, *work, *x_bar[ARM_MOTION_QUANTITIES];
  double *distance, *pull, *pair_multiplier; /* pairs, pairs, cost samples x pairs */
  size_t samples;                            /* room of what follows */
  double *x[ARM_MOTION_QUANTITIES], *scaled[ARM_MOTION_QUANTITIES], *amps; /* samples x n */
};

/* ---- the Lagrangian ---- */

/* One limit: its term, and in *pull the derivative by c. */
static double term(double la, double rho, double c, double *pull) {
  *pull = fmax(0, la + rho * c);
  return (*pull * *pull - la * la) / (2 * rho);
}

static double current_cost(ArmTrajectorySearch *s) {
  struct ArmTrajectoryScene *own = s->scene;
  const ArmDriveCurrents *currents = own->scene->currents;
  const ArmTrajectoryGrid *grid = &s->bound;
  const size_t size = grid->samples * s->n;
  double value = 0;
  arm_drive_currents_at(currents, true, grid->samples, grid->x[0], grid->x[1], grid->x[2],
                        own->current);
  for (size_t k = 0; k < size; k++) {
    const double limit = aim_part * currents->limit[k / grid->samples];
    double upper, lower;
    own->bar[k] = 0;
    if (isinf(limit))
      continue;
    value += term(own->multiplier[k], s->rho, own->current[k] / limit - 1, &upper);
    value += term(own->multiplier[size + k], s->rho, -own->current[k] / limit - 1, &lower);
    own->bar[k] = (upper - lower) / limit;
  }
  arm_drive_currents_gradient(currents, grid->samples, grid->x[0], grid->x[1], grid->x[2], own->bar,
                              own->work, own->x_bar[0], own->x_bar[1], own->x_bar[2]);
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    for (size_t k = 0; k < size; k++)
      grid->bar[d][k] += own->x_bar[d][k];
  return value;
}

static void pose_at(const ArmTrajectorySearch *s, const ArmTrajectoryGrid *grid, size_t sample,
                    double *q) {
  for (size_t j = 0; j < s->n; j++)
    q[j] = grid->x[ARM_MOTION_POSITION][j * grid->samples + sample];
}

static double distance_cost(ArmTrajectorySearch *s) {
  struct ArmTrajectoryScene *own = s->scene;
  const ArmTrajectoryGrid *grid = &s->cost;
  double value = 0;
  for (size_t k = 0; k < grid->samples; k++) {
    double q[ARM_MAX_JOINTS], q_bar[ARM_MAX_JOINTS] = {0}, pull;
    pose_at(s, grid, k, q);
    arm_clearance_at(own->scene->clearance, q, own->distance);
    for (size_t p = 0; p < own->pairs; p++) {
      value += term(own->pair_multiplier[k * own->pairs + p], s->rho,
                    (aim_distance - own->distance[p]) / distance_scale, &pull);
      own->pull[p] = -pull / distance_scale;
    }
    arm_clearance_gradient(own->scene->clearance, q, own->pull, q_bar);
    for (size_t j = 0; j < s->n; j++)
      grid->bar[ARM_MOTION_POSITION][j * grid->samples + k] += q_bar[j];
  }
  return value;
}

double arm_trajectory_scene_cost(ArmTrajectorySearch *s) {
  if (!s->scene)
    return 0;
  return (s->scene->current ? current_cost(s) : 0) + (s->scene->pairs > 0 ? distance_cost(s) : 0);
}

static void raise(ArmTrajectorySearch *s, double c, double *la) {
  *la = fmax(0, *la + s->rho * c);
  s->violation = fmax(s->violation, c);
}

void arm_trajectory_scene_update(ArmTrajectorySearch *s) {
  struct ArmTrajectoryScene *own = s->scene;
  const ArmTrajectoryGrid *grid = &s->bound;
  const size_t size = grid->samples * s->n;
  if (own && own->current)
    arm_drive_currents_at(own->scene->currents, true, grid->samples, grid->x[0], grid->x[1],
                          grid->x[2], own->current);
  for (size_t k = 0; own && own->current && k < size; k++) {
    const double limit = aim_part * own->scene->currents->limit[k / grid->samples];
    if (isinf(limit))
      continue;
    raise(s, own->current[k] / limit - 1, &own->multiplier[k]);
    raise(s, -own->current[k] / limit - 1, &own->multiplier[size + k]);
  }
  for (size_t k = 0; own && own->pairs > 0 && k < s->cost.samples; k++) {
    double q[ARM_MAX_JOINTS];
    pose_at(s, &s->cost, k, q);
    arm_clearance_at(own->scene->clearance, q, own->distance);
    for (size_t p = 0; p < own->pairs; p++)
      raise(s, (aim_distance - own->distance[p]) / distance_scale,
            &own->pair_multiplier[k * own->pairs + p]);
  }
}

/* ---- what a motion keeps ---- */

static bool keeps(struct ArmTrajectoryScene *own, size_t n, size_t samples,
                  double *const x[ARM_MOTION_QUANTITIES]) {
  if (own->current) {
    const ArmDriveCurrents *currents = own->scene->currents;
    arm_drive_currents_at(currents, false, samples, x[0], x[1], x[2], own->amps);
    for (size_t k = 0; k < samples * n; k++)
      if (fabs(own->amps[k]) > keep_part * currents->limit[k / samples])
        return false;
  }
  for (size_t k = 0; own->pairs > 0 && k < samples; k++) {
    double q[ARM_MAX_JOINTS];
    for (size_t j = 0; j < n; j++)
      q[j] = x[ARM_MOTION_POSITION][j * samples + k];
    arm_clearance_at(own->scene->clearance, q, own->distance);
    for (size_t p = 0; p < own->pairs; p++)
      if (own->distance[p] < keep_distance)
        return false;
  }
  return true;
}

/* The motion in own->x, `part` of it about the pose at rest. */
static bool keeps_part(struct ArmTrajectoryScene *own, size_t n, size_t samples, double part) {
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    for (size_t k = 0; k < samples * n; k++) {
      const double about = d == ARM_MOTION_POSITION ? own->rest[k / samples] : 0;
      own->scaled[d][k] = about + part * (own->x[d][k] - about);
    }
  return keeps(own, n, samples, own->scaled);
}

static void sample(const ArmTrajectorySearch *s, const double *c, size_t samples) {
  const struct ArmTrajectoryScene *own = s->scene;
  for (size_t k = 0; k < samples; k++) {
    double x[ARM_MOTION_QUANTITIES][ARM_MAX_JOINTS];
    arm_basis_motion(&s->options->basis, s->n, c,
                     s->options->basis.period_s * (double)k / (double)samples, x[0], x[1], x[2]);
    for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
      for (size_t j = 0; j < s->n; j++)
        own->x[d][j * samples + k] = x[d][j];
  }
}

bool arm_trajectory_scene_shrink(ArmTrajectorySearch *s, double *c, bool is_dense) {
  struct ArmTrajectoryScene *own = s->scene;
  if (!own)
    return true;
  const size_t samples = is_dense ? own->samples : COARSE;
  double part = 1, low = 0, high = 1;
  sample(s, c, samples);
  if (keeps_part(own, s->n, samples, 1))
    return true;
  if (is_dense) { /* was made to keep them at fewer times: little is left to do */
    for (int k = 0; k < RETRIES && !keeps_part(own, s->n, samples, part); k++)
      part *= 0.98;
    low = keeps_part(own, s->n, samples, part) ? part : 0;
  } else {
    for (int k = 0; k < BISECTIONS; k++) {
      part = 0.5 * (low + high);
      if (keeps_part(own, s->n, samples, part))
        low = part;
      else
        high = part;
    }
  }
  for (size_t j = 0; low > 0 && j < s->n; j++)
    arm_basis_shrink(&s->options->basis, own->rest[j], 1 / low, c + j * s->functions);
  return low > 0;
}

/* ---- making and unmaking ---- */

/* What a pose at rest has to spare: the least part of a current left, or of SPARE_DISTANCE. */
static double spare(struct ArmTrajectoryScene *own, size_t n, const double *q) {
  const double zero[ARM_MAX_JOINTS] = {0};
  double least = 1, current[ARM_MAX_JOINTS];
  if (own->current)
    arm_drive_currents_at(own->scene->currents, false, 1, q, zero, zero, current);
  for (size_t j = 0; own->current && j < n; j++)
    least = fmin(least, 1 - fabs(current[j]) / own->scene->currents->limit[j]);
  if (own->pairs > 0)
    arm_clearance_at(own->scene->clearance, q, own->distance);
  for (size_t p = 0; p < own->pairs; p++)
    least = fmin(least, own->distance[p] / spare_distance);
  return least;
}

/* The pose that has most to spare; the middle of all ranges where no other has twice as much. */
static ArmStatus find_rest(ArmTrajectorySearch *s) {
  struct ArmTrajectoryScene *own = s->scene;
  uint64_t random = SEED;
  memcpy(own->rest, s->limits.middle, s->n * sizeof *own->rest);
  double most = 2 * spare(own, s->n, own->rest);
  for (size_t pose = 0; pose < POSES; pose++) {
    double q[ARM_MAX_JOINTS];
    for (size_t j = 0; j < s->n; j++)
      q[j] = s->limits.middle[j] +
             s->limits.half[ARM_MOTION_POSITION][j] * arm_random_uniform(&random, -0.9, 0.9);
    const double own_spare = spare(own, s->n, q);
    if (own_spare <= most)
      continue;
    most = own_spare;
    memcpy(own->rest, q, s->n * sizeof *q);
  }
  return spare(own, s->n, own->rest) >= least_spare ? ARM_OK : ARM_E_INFEASIBLE;
}

static double *zeros(size_t count) {
  return calloc(count > 0 ? count : 1, sizeof(double));
}

static bool allocate(const ArmTrajectorySearch *s, struct ArmTrajectoryScene *own,
                     bool has_currents) {
  const size_t size = s->bound.samples * s->n, room = own->samples * s->n;
  bool is_made = true;
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++) {
    own->x_bar[d] = zeros(size);
    own->x[d] = zeros(room);
    own->scaled[d] = zeros(room);
    is_made = is_made && own->x_bar[d] && own->x[d] && own->scaled[d];
  }
  own->amps = zeros(room);
  own->bar = zeros(size);
  own->multiplier = zeros(2 * size);
  own->work = zeros(has_currents ? size * ARM_INERTIA_PARAMETERS * s->n : 1);
  own->distance = zeros(own->pairs);
  own->pull = zeros(own->pairs);
  own->pair_multiplier = zeros(own->pairs * s->cost.samples);
  own->current = has_currents ? zeros(size) : NULL;
  return is_made && own->amps && own->bar && own->multiplier && own->work && own->distance &&
         own->pull && own->pair_multiplier && (own->current || !has_currents);
}

ArmStatus arm_trajectory_scene_init(ArmTrajectorySearch *s) {
  const ArmScene *scene = s->options->scene;
  const bool has_currents =
      scene && scene->currents && arm_drive_currents_kept(scene->currents) > 0;
  const size_t pairs = scene && scene->clearance ? scene->clearance->count : 0;
  if (!has_currents && pairs == 0)
    return ARM_OK;
  s->scene = calloc(1, sizeof *s->scene);
  if (!s->scene)
    return ARM_E_MEMORY;
  const double dense = fmin(ceil(DENSE_HZ * s->options->basis.period_s), DENSE_MOST);
  s->scene->scene = scene;
  s->scene->pairs = pairs;
  s->scene->samples = dense > COARSE ? (size_t)dense : COARSE;
  return allocate(s, s->scene, has_currents) ? find_rest(s) : ARM_E_MEMORY;
}

double arm_trajectory_scene_rest(const ArmTrajectorySearch *s, size_t joint) {
  return s->scene ? s->scene->rest[joint] : s->limits.middle[joint];
}

void arm_trajectory_scene_begin(ArmTrajectorySearch *s) {
  if (!s->scene)
    return;
  memset(s->scene->multiplier, 0, 2 * s->bound.samples * s->n * sizeof(double));
  memset(s->scene->pair_multiplier, 0, s->scene->pairs * s->cost.samples * sizeof(double));
}

void arm_trajectory_scene_clear(ArmTrajectorySearch *s) {
  struct ArmTrajectoryScene *own = s->scene;
  if (!own)
    return;
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++) {
    free(own->x_bar[d]);
    free(own->x[d]);
    free(own->scaled[d]);
  }
  free(own->amps);
  free(own->bar);
  free(own->multiplier);
  free(own->work);
  free(own->distance);
  free(own->pull);
  free(own->pair_multiplier);
  free(own->current);
  free(own);
  s->scene = NULL;
}
