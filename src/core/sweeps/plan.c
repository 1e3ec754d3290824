/* SPDX-License-Identifier: MIT */
/* What a plan is made with: nominal loads, ranges, speeds, and the exact condition of excitation
 * (Armature theory notes, gravity, section 4.2), as a rank. Where to hold is plan_propose.c's. */
#include "core/sweeps/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/num/lsq.h"
#include "core/sweeps/plan_internal.h"

#define PI                3.14159265358979323846
#define DEG               (PI / 180.0)
/* Chosen: what a tool or a cable adds to a load that is stated as zero; a run-up as long as the
 * plateau leaves out (core/data/dataset.h); and some speed left to a servo that overshoots. */
#define LEAST_LOAD        0.02 /* of the largest nominal load */
#define RUN_UP_PART       0.1  /* of the stroke, at each end */
#define SPEED_PART        0.9  /* of the joint's speed limit */
/* Rounding: of singular values, and of a column its rms over random poses. */
#define NEGLIGIBLE        1e-9
#define NEGLIGIBLE_SQUARE 1e-18

/* Stroke, positions and speeds: Table I's sweeps, +-125 deg, 126 positions, 30(10)70 deg/s
 * (Armature theory notes, gravity, section 4.2). 20 mA: that table's residual sds are 15 to 29 mA
 * (DESIGN: white noise of 20 mA is assumed, and plans say so). Margins are chosen: what a servo
 * overshoots. */
void arm_plan_options_default(ArmPlanOptions *options) {
  *options = (ArmPlanOptions){
      .limit_margin_R = 5.0 * DEG,
      .limit_margin_part = 0.05,
      .stroke_R = 250.0 * DEG,
      .positions = 126,
      .n_speeds = 5,
      .rounds_angles = true,
      .noise_sd = 0.02,
      .seed = 1994,
  };
  for (size_t k = 0; k < 5; k++) {
    options->speeds_R[k] = (30.0 + 10.0 * (double)k) * DEG;
    options->speeds_T[k] = 0.03 + 0.01 * (double)k;
  }
}

/* Some joint's load contains a link whose masses nobody stated. */
static bool is_load_unstated(const ArmModel *model, const ArmStructure *s) {
  bool has_own = false;
  for (size_t i = 0; i < model->n; i++) {
    has_own |= s->has_own[i];
    if (has_own && !model->joints[i].link.is_present)
      return true;
  }
  return false;
}

/* A load of zero would hide a ratio that the real arm (a tool, a cable) makes count: every own
 * parameter is at least this part of the largest of its unit - kg m of R, kg of T - and
 * 0.1 A s^2/m (about 1 A) where none is known. Plans are made with that (`used`), promises with
 * what is stated (`value`). */
static void floor_loads(const ArmModel *model, const ArmStructure *s,
                        ArmGravityParameters *parameters) {
  double largest[2] = {0.0, 0.0}; /* by ArmJointType */
  for (size_t i = 0; i < model->n; i++)
    for (size_t a = 0; a < 2; a++) {
      double *of_type = &largest[model->joints[i].type];
      *of_type = fmax(*of_type, fabs(parameters->joint[i].w[a].used));
    }
  for (size_t i = 0; i < model->n; i++) {
    const ArmJointType type = model->joints[i].type;
    const double least = largest[type] > 0.0 ? LEAST_LOAD * largest[type] : 0.1;
    ArmEstimate *w = parameters->joint[i].w;
    if (!s->has_own[i] || hypot(w[0].used, w[1].used) >= least)
      continue;
    w[0].used = type == ARM_JOINT_R ? 0.8 * least : least;
    w[1].used = type == ARM_JOINT_R ? 0.6 * least : 0.0;
    w[0].reason = w[1].reason = ARM_REASON_LOAD_NOT_STATED;
  }
}

static bool is_shared(const ArmStructure *s, size_t joint) {
  for (size_t j = 0; j < s->n; j++)
    if (j != joint && s->cluster[joint] >= 0 && s->cluster[j] == s->cluster[joint])
      return true;
  return false;
}

ArmStatus arm_plan_nominal(const ArmModel *model, ArmGravityParameters *parameters,
                           ArmPlanOptions *options) {
  ArmStructure s;
  bool is_unscaled = false;
  double w[2 * ARM_MAX_JOINTS], eta[ARM_MAX_JOINTS], sd;
  const ArmStatus status = arm_structure_find(model, &s);
  if (status != ARM_OK)
    return status;
  memset(parameters, 0, sizeof *parameters);
  parameters->n = model->n;
  parameters->n_clusters = s.n_clusters;
  arm_gravity_nominal(model, w);
  for (size_t i = 0; i < model->n; i++) {
    ArmJointFit *joint = &parameters->joint[i];
    if (!arm_model_nominal_eta(model, i, &eta[i], &sd)) {
      eta[i] = 1.0;
      is_unscaled |= is_shared(&s, i);
    }
    parameters->type[i] = model->joints[i].type;
    parameters->cluster[i] = s.cluster[i];
    joint->residual_sd = (double)NAN;
    for (size_t a = 0; a < 2 && s.has_own[i]; a++)
      joint->w[a].used = joint->w[a].value = eta[i] * w[2 * i + a];
  }
  for (size_t i = 0; i < model->n; i++)
    for (size_t j = i + 1; j < model->n; j++)
      if (s.cluster[i] >= 0 && s.cluster[i] == s.cluster[j])
        parameters->ratio[i][j].used = parameters->ratio[i][j].value = eta[i] / eta[j];
  floor_loads(model, &s, parameters);
  if (options) {
    options->is_made_up = is_load_unstated(model, &s);
    options->is_unscaled = is_unscaled;
  }
  return ARM_OK;
}

static double load_of(const ArmGravityParameters *p, size_t i) {
  return hypot(p->joint[i].w[0].used, p->type[i] == ARM_JOINT_R ? p->joint[i].w[1].used : 0.0);
}

static void take_joint(const ArmJointFit *found, ArmJointFit *joint) {
  for (size_t a = 0; a < 2; a++)
    joint->w[a] = found->w[a];
  for (size_t a = 0; a < 4; a++)
    joint->friction[a] = found->friction[a];
  joint->residual_sd = found->residual_sd;
}

void arm_plan_take_found(const ArmGravityParameters *found, ArmGravityParameters *parameters,
                         ArmPlanOptions *options) {
  double largest[2] = {0.0, 0.0}; /* by ArmJointType */
  bool has_all = true;
  for (size_t i = 0; i < parameters->n; i++) {
    options->is_found[i] = found->joint[i].rows_used > 0;
    has_all &= options->is_found[i];
    if (!options->is_found[i])
      continue;
    take_joint(&found->joint[i], &parameters->joint[i]);
    largest[parameters->type[i]] = fmax(largest[parameters->type[i]], load_of(parameters, i));
    for (size_t j = i + 1; j < parameters->n; j++)
      if (found->joint[j].rows_used > 0)
        parameters->ratio[i][j] = found->ratio[i][j];
  }
  for (size_t i = 0; i < parameters->n; i++) {
    const double load = load_of(parameters, i), least = largest[parameters->type[i]];
    for (size_t a = 0; a < 2 && !options->is_found[i] && load > 0.0 && load < least; a++)
      parameters->joint[i].w[a].used *= least / load;
  }
  options->is_made_up &= !has_all;
  options->is_unscaled &= !has_all;
}

void arm_plan_range(const ArmModel *model, const ArmPlanOptions *options, size_t joint, double *low,
                    double *high) {
  const ArmJoint *j = &model->joints[joint];
  const bool is_rotational = j->type == ARM_JOINT_R;
  const bool is_limited = isfinite(j->limits.q_min) && isfinite(j->limits.q_max);
  if (is_rotational && (options->ignores_limits || !is_limited)) {
    *low = -PI;
    *high = PI;
    return;
  }
  const double stroke = is_limited ? j->limits.q_max - j->limits.q_min : 0.0;
  /* a hold more than a turn away is only a longer way to the same pose */
  const double most = is_rotational ? 2.0 * PI : (double)INFINITY;
  const double margin = is_rotational ? fmin(options->limit_margin_R, 0.1 * stroke)
                                      : options->limit_margin_part * stroke;
  *low = is_limited ? fmax(j->limits.q_min + margin, -most) : 0.0;
  *high = is_limited ? fmin(j->limits.q_max - margin, most) : 0.0;
}

static size_t holds_needed(const ArmModel *model, const ArmStructure *structure, size_t joint,
                           const ArmPlanOptions *options) {
  if (model->joints[joint].type == ARM_JOINT_T)
    return structure->has_own[joint] ? 2 : 1;
  size_t clusters = 0;
  bool is_made_up = false;
  bool is_counted[ARM_MAX_JOINTS] = {false};
  for (size_t j = joint + 1; j < model->n; j++) {
    if (!structure->reaches[joint][j])
      continue;
    is_made_up |= options->is_made_up && !options->is_found[j];
    bool is_new = !is_counted[j];
    for (size_t k = j; k < model->n; k++)
      is_counted[k] = is_counted[k] || k == j || structure->reaches[j][k];
    clusters += is_new;
  }
  const size_t more = is_made_up ? ARM_PLAN_MORE_HOLDS : 0;
  const size_t holds = 1 + (clusters + 1) / 2 + more;
  return holds > ARM_PLAN_MAX_HOLDS ? ARM_PLAN_MAX_HOLDS : holds;
}

/* what the joint may do, and what it can reach within a tenth of the stroke: v^2 = 2 a x */
static double speed_limit(const ArmLimits *limits, double stroke) {
  double limit = (double)INFINITY;
  if (isfinite(limits->speed_max))
    limit = SPEED_PART * limits->speed_max;
  if (isfinite(limits->accel_max))
    limit = fmin(limit, sqrt(2.0 * limits->accel_max * RUN_UP_PART * stroke));
  return limit;
}

void arm_plan_joint_init(const ArmModel *model, const ArmStructure *structure,
                         const ArmPlanOptions *options, size_t joint, ArmJointPlan *plan) {
  const bool is_rotational = model->joints[joint].type == ARM_JOINT_R;
  const double *speeds = is_rotational ? options->speeds_R : options->speeds_T;
  double low, high;
  memset(plan, 0, sizeof *plan);
  arm_plan_range(model, options, joint, &low, &high);
  const double middle = 0.5 * (low + high);
  const double half =
      is_rotational ? fmin(0.5 * options->stroke_R, 0.5 * (high - low)) : 0.5 * (high - low);
  plan->is_swept = half > 0.0;
  plan->from = middle - half;
  plan->to = middle + half;
  plan->positions = options->positions;
  plan->n_speeds = options->n_speeds;
  const double fastest = speeds[options->n_speeds - 1];
  const double limit = speed_limit(&model->joints[joint].limits, 2.0 * half);
  const double shrink = limit < fastest ? limit / fastest : 1.0;
  for (size_t k = 0; k < plan->n_speeds; k++)
    plan->speeds[k] = shrink * speeds[k];
  plan->n_holds = holds_needed(model, structure, joint, options);
  for (size_t h = 0; h < plan->n_holds; h++)
    for (size_t j = 0; j < model->n; j++) {
      arm_plan_range(model, options, j, &low, &high);
      plan->holds[h][j] = fmin(fmax(0.0, low), high);
    }
}

static size_t rank_of(const double *matrix, size_t rows, size_t columns) {
  double x[ARM_PLAN_MAX_COLUMNS + 1], zeros[256] = {0};
  ArmSvdInfo info = {0};
  ArmSvdWork *work = arm_svd_work_new(rows, columns);
  if (work && rows <= 256 &&
      arm_svd_solve(work, rows, columns, matrix, zeros, NEGLIGIBLE, x, NULL, NULL, &info) != ARM_OK)
    info.rank = 0;
  arm_svd_work_free(work);
  return info.rank;
}

/* [I_2 | v_S] stacked over the holds, two rows each; column-major */
static size_t lever_rank(const ArmPlanContext *c, const ArmJointPlan *plan) {
  double matrix[2 * ARM_PLAN_MAX_HOLDS * ARM_PLAN_MAX_COLUMNS] = {0}, row[2 * ARM_MAX_JOINTS];
  const size_t rows = 2 * plan->n_holds;
  for (size_t h = 0; h < plan->n_holds; h++) {
    for (size_t axis = 0; axis < 2; axis++) {
      const size_t at = 2 * h + axis;
      arm_gravity_lever(c->model, plan->holds[h], c->joint, (int)axis, row);
      matrix[at + axis * rows] = 1.0;
      for (size_t s = 0; s + 2 < c->columns; s++)
        for (size_t j = 2 * (c->joint + 1); j < 2 * c->model->n; j++)
          matrix[at + (2 + s) * rows] += row[j] * c->weight[s][j];
    }
  }
  return rank_of(matrix, rows, c->columns);
}

/* rounding is not excitation: a column below NEGLIGIBLE of its rms becomes zero */
static void clear_negligible(const ArmPlanContext *c, size_t rows, double *matrix) {
  for (size_t k = 0; k < c->columns; k++) {
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++)
      sum += matrix[r + k * rows] * matrix[r + k * rows];
    if (sum <= NEGLIGIBLE_SQUARE * (double)rows * c->square[k])
      memset(matrix + k * rows, 0, rows * sizeof *matrix);
  }
}

/* gravity columns beside a constant, over holds and four positions; minus the constant */
static size_t column_rank(const ArmPlanContext *c, const ArmJointPlan *plan) {
  enum { POSITIONS = 4 };
  double matrix[POSITIONS * ARM_PLAN_MAX_HOLDS * (ARM_PLAN_MAX_COLUMNS + 1)];
  double a[ARM_PLAN_MAX_COLUMNS], q[ARM_MAX_JOINTS];
  const size_t rows = POSITIONS * plan->n_holds;
  for (size_t h = 0; h < plan->n_holds; h++) {
    memcpy(q, plan->holds[h], c->model->n * sizeof *q);
    for (size_t p = 0; p < POSITIONS; p++) {
      q[c->joint] = plan->from + (plan->to - plan->from) * (double)p / (POSITIONS - 1);
      arm_plan_columns(c, q, a);
      for (size_t k = 0; k < c->columns; k++)
        matrix[h * POSITIONS + p + k * rows] = a[k];
      matrix[h * POSITIONS + p + c->columns * rows] = 1.0;
    }
  }
  clear_negligible(c, rows, matrix);
  const size_t rank = rank_of(matrix, rows, c->columns + 1);
  return rank > 0 ? rank - 1 : 0;
}

void arm_plan_excitation(const ArmModel *model, const ArmStructure *structure,
                         const ArmGravityParameters *parameters, size_t joint,
                         const ArmJointPlan *plan, size_t *rank, size_t *required) {
  ArmPlanContext context;
  ArmPlanOptions options;
  arm_plan_options_default(&options);
  arm_plan_context_init(&context, model, structure, parameters, &options, joint);
  *required = context.columns;
  *rank = 0;
  if (context.columns == 0 || !plan->is_swept || plan->n_holds == 0)
    return;
  const bool is_simple =
      model->joints[joint].type == ARM_JOINT_R && !model->has_coupling && context.own == 2;
  *rank = is_simple ? lever_rank(&context, plan) : column_rank(&context, plan);
  /* gperp = 0 over the whole sweep, or a singular direction of gravity: the levers are not enough
   */
  const size_t seen = column_rank(&context, plan);
  *rank = seen < *rank ? seen : *rank;
}
