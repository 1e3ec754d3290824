/* SPDX-License-Identifier: MIT */
/* Hold configurations: antipodal start from what is known outboard, then a bounded search. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/base/random.h"
#include "core/num/optimise.h"
#include "core/sweeps/plan_internal.h"

/* As many as it takes: with them the free PUMA 560 comes to 8.07 equilibrated and 1.99 centred,
 * where 8.06 and 1.96 are the best there is (Armature theory notes, gravity, section 4.2). */
enum { RANDOM_STARTS = 300, ANTIPODAL_STARTS = 60, POLISHED = 4, EVALUATIONS_PER_VARIABLE = 100 };
#define PI         3.14159265358979323846
/* Of a simplex: chosen, part of the range, and what keeps a range of one value from having none. */
#define FIRST_STEP 0.1
#define LEAST_STEP 1e-9

/* the search moves every other joint in every hold: the inboard ones turn gravity; `tidy` takes
 * back what buys nothing */
typedef struct {
  const ArmPlanContext *context;
  ArmPlanMemo *memo;
  ArmJointPlan *plan;
  double low[ARM_MAX_JOINTS], high[ARM_MAX_JOINTS];
} Search;

typedef struct {
  double score;
  ArmJointPlan plan;
} Candidate;

/* The score to a relative 2^-32: which of two equal holds wins is up to their order, not to how a
 * processor rounds. */
static double judge(const Search *s, const ArmJointPlan *plan) {
  const double score = arm_plan_context_score(s->context, plan, s->memo);
  int exponent;
  const double fraction = frexp(score, &exponent);
  return isfinite(score) ? ldexp(rint(ldexp(fraction, 32)), exponent - 32) : score;
}

static void unpack(const Search *s, const double *x, ArmJointPlan *plan) {
  const size_t n = s->context->model->n;
  for (size_t h = 0, k = 0; h < plan->n_holds; h++)
    for (size_t j = 0; j < n; j++)
      plan->holds[h][j] = j != s->context->joint ? x[k++] : 0.5 * (plan->from + plan->to);
}

static size_t pack(const Search *s, const ArmJointPlan *plan, double *x, double *low, double *high,
                   double *step) {
  size_t k = 0;
  for (size_t h = 0; h < plan->n_holds; h++) {
    for (size_t j = 0; j < s->context->model->n; j++) {
      if (j == s->context->joint)
        continue;
      low[k] = s->low[j];
      high[k] = s->high[j];
      step[k] = fmax(FIRST_STEP * (high[k] - low[k]), LEAST_STEP);
      x[k] = fmin(fmax(plan->holds[h][j], low[k]), high[k]);
      k++;
    }
  }
  return k;
}

static double objective(const double *x, void *user) {
  Search *s = user;
  unpack(s, x, s->plan);
  return judge(s, s->plan);
}

static void randomise(const Search *s, uint64_t *state, ArmJointPlan *plan) {
  for (size_t h = 0; h < plan->n_holds; h++)
    for (size_t j = 0; j < s->context->model->n; j++)
      plan->holds[h][j] = arm_random_uniform(state, s->low[j], s->high[j]);
}

/* into [low, high] by whole turns, else to the nearer end */
static double fit_angle(double q, double low, double high) {
  while (q < low)
    q += 2.0 * PI;
  while (q > high)
    q -= 2.0 * PI;
  return q >= low ? q : fabs(q - low) < fabs(q + 2.0 * PI - high) ? low : high;
}

/* next joint so that its lever w lies along +x resp. -x of the frame before it:
 * q = atan2(-w_y, w_x) - theta0 and +180 deg; a T joint to its two ends */
static void make_antipodal(const Search *s, ArmJointPlan *plan) {
  const ArmModel *model = s->context->model;
  const size_t next = s->context->joint + 1;
  double row[2 * ARM_MAX_JOINTS], w[2] = {0, 0};
  if (next >= model->n)
    return;
  const ArmJoint *joint = &model->joints[next];
  for (int axis = 0; axis < 2 && joint->type == ARM_JOINT_R; axis++) {
    arm_gravity_lever(model, plan->holds[0], next, axis, row);
    for (size_t c = 0; c + s->context->own < s->context->columns; c++)
      for (size_t j = 2 * next; j < 2 * model->n; j++)
        w[axis] += row[j] * s->context->weight[c][j];
  }
  for (size_t h = 1; h < plan->n_holds; h++)
    memcpy(plan->holds[h], plan->holds[0], sizeof plan->holds[h]);
  for (size_t h = 0; h < plan->n_holds; h++) {
    const double turn = h % 2 ? PI : 0.0, quarter = h >= 2 ? 0.5 * PI : 0.0;
    plan->holds[h][next] = joint->type == ARM_JOINT_T
                               ? (h % 2 ? s->high[next] : s->low[next])
                               : fit_angle(atan2(-w[1], w[0]) - joint->offset + turn + quarter,
                                           s->low[next], s->high[next]);
  }
}

static void keep_best(Candidate *best, const Candidate *candidate) {
  size_t at = POLISHED;
  while (at > 0 && candidate->score < best[at - 1].score)
    at--;
  if (at == POLISHED)
    return;
  memmove(&best[at + 1], &best[at], (POLISHED - 1 - at) * sizeof *best);
  best[at] = *candidate;
}

static ArmStatus polish(Search *s, Candidate *candidate) {
  enum { MOST = ARM_PLAN_MAX_HOLDS * ARM_MAX_JOINTS };
  double x[MOST], low[MOST], high[MOST], step[MOST];
  ArmJointPlan trial = candidate->plan;
  const size_t count = pack(s, &candidate->plan, x, low, high, step);
  s->plan = &trial;
  const ArmStatus status =
      arm_optimise(count, x, low, high, step, EVALUATIONS_PER_VARIABLE * (int)count + 1, objective,
                   s, &candidate->score);
  s->plan = NULL; /* trial ends here */
  if (status == ARM_OK)
    unpack(s, x, &candidate->plan);
  return status;
}

/* moves joint j of hold h to a value, if the score stays allowed */
static bool try_value(const Search *s, Candidate *candidate, size_t h, size_t j, double value,
                      double allowed) {
  ArmJointPlan trial = candidate->plan;
  if (value < s->low[j] || value > s->high[j])
    return false;
  trial.holds[h][j] = value;
  if (judge(s, &trial) > allowed)
    return false;
  candidate->plan = trial;
  return true;
}

/* a person walks through these poses: no motion that buys nothing, and round angles; what each
 * pass may lose grows so that the first does not use it all up: chosen, 1 % in all (1e-12:
 * rounding) */
static void tidy(const Search *s, bool rounds_angles, Candidate *candidate) {
  const double grid[] = {0.0, PI / 12.0, PI / 36.0, PI / 180.0};
  const double loss[] = {1.0 + (rounds_angles ? 5e-4 : 1e-12), 1.003, 1.004, 1.01};
  for (size_t pass = 0; pass < (rounds_angles ? 4u : 1u); pass++) {
    const double allowed = candidate->score * loss[pass];
    for (size_t h = 0; h < candidate->plan.n_holds; h++) {
      for (size_t j = 0; j < s->context->model->n; j++) {
        const double value = candidate->plan.holds[h][j];
        const double step =
            grid[pass] * (s->context->model->joints[j].type == ARM_JOINT_R ? 1.0 : 0.1);
        if (j == s->context->joint)
          continue;
        if (pass > 0)
          try_value(s, candidate, h, j, round(value / step) * step, allowed);
        else if (!try_value(s, candidate, h, j, 0.0, allowed))
          try_value(s, candidate, h, j, candidate->plan.holds[0][j], allowed);
      }
    }
  }
}

static void collect_starts(const Search *s, uint64_t seed, const ArmJointPlan *blank,
                           Candidate *best) {
  uint64_t state = seed + 7919 * s->context->joint;
  Candidate candidate;
  for (size_t k = 0; k < POLISHED; k++)
    best[k] = (Candidate){(double)INFINITY, *blank};
  for (int k = 0; k < RANDOM_STARTS + ANTIPODAL_STARTS; k++) {
    candidate.plan = *blank;
    randomise(s, &state, &candidate.plan);
    if (k >= RANDOM_STARTS)
      make_antipodal(s, &candidate.plan);
    candidate.score = judge(s, &candidate.plan);
    keep_best(best, &candidate);
  }
}

static ArmStatus propose_joint(const ArmPlanContext *context, const ArmPlanOptions *options,
                               ArmPlanMemo *memo, ArmJointPlan *plan) {
  const ArmModel *model = context->model;
  Search search = {.context = context, .memo = memo};
  Candidate *best = malloc((POLISHED + 1) * sizeof *best);
  ArmStatus status = best ? ARM_OK : ARM_E_MEMORY;
  memo->grid.positions = 0;
  for (size_t h = 0; h < memo->count; h++)
    arm_plan_chain_clear(&memo->chain[h]);
  for (size_t j = 0; j < model->n; j++)
    arm_plan_range(model, options, j, &search.low[j], &search.high[j]);
  if (best)
    collect_starts(&search, options->seed, plan, best);
  for (size_t k = 0; k < POLISHED && status == ARM_OK; k++)
    status = polish(&search, &best[k]);
  size_t winner = 0;
  for (size_t k = 1; k < POLISHED && status == ARM_OK; k++)
    winner = best[k].score < best[winner].score ? k : winner;
  if (status == ARM_OK) {
    tidy(&search, options->rounds_angles, &best[winner]);
    *plan = best[winner].plan;
  }
  free(best);
  return status;
}

ArmStatus arm_plan_propose(const ArmModel *model, const ArmGravityParameters *parameters,
                           const ArmPlanOptions *options, ArmPlan *plan) {
  ArmStructure structure;
  ArmStatus status = arm_structure_find(model, &structure);
  ArmPlan *made = calloc(1, sizeof *made);
  ArmPlanContext *context = malloc(sizeof *context);
  ArmPlanMemo memo = {.count = ARM_PLAN_MAX_HOLDS};
  memo.chain = malloc(memo.count * sizeof *memo.chain);
  if (status == ARM_OK && (!made || !context || !memo.chain))
    status = ARM_E_MEMORY;
  for (size_t i = model->n; i-- > 0 && status == ARM_OK;) {
    double low, high;
    arm_plan_range(model, options, i, &low, &high);
    if (!(low <= high)) {
      status = ARM_E_INFEASIBLE;
      break;
    }
    made->n = model->n;
    arm_plan_joint_init(model, &structure, options, i, &made->joint[i]);
    arm_plan_context_init(context, model, &structure, parameters, options, i);
    if (context->columns > 0 && made->joint[i].is_swept)
      status = propose_joint(context, options, &memo, &made->joint[i]);
    if (options->progress &&
        !options->progress((double)(model->n - i) / (double)model->n, options->user))
      status = ARM_E_NO_DATA;
  }
  if (status == ARM_OK)
    *plan = *made;
  free(memo.chain);
  free(context);
  free(made);
  return status;
}
