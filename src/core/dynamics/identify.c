/* SPDX-License-Identifier: MIT */
/* The way of an identification: triangles, groups, two starts, likelihood, noise, ratios,
 * report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_work.h"

/* Theory notes, full dynamics, 5.4: a ratio that the recursion may start from. */
#define WORST_START      0.3
/* Of the rms effort: smaller residuals are rounding, and weights by them would be too. */
#define NOISE_FLOOR      1e-7
/* Five sds: weaker data than that do not gainsay a sign that is stated. */
#define SIGNIFICANT_COST 25.0

const ArmDynamicsOptions arm_dynamics_defaults = {
    .gauge = ARM_GAUGE_DATASHEET, .rel_sd = 0.15, .worst_ratio = ARM_DYNAMICS_WORST_RATIO};

/* ---- what is known before ---- */

static bool is_rotor_of(const ArmBaseColumn *column, size_t joint) {
  return column->kind == ARM_COLUMN_ROTOR && column->joint == joint;
}

/* Forth; back it is the same: what both make up is a constant. */
static double rotor_in_coulomb(const ArmBase *base, size_t joint) {
  for (size_t b = 0; b < base->count; b++) {
    const ArmBaseColumn *of = &base->column[base->kept[b]];
    for (size_t c = 0;
         of->kind == ARM_COLUMN_COULOMB_POS && of->joint == joint && c < base->columns; c++)
      if (is_rotor_of(&base->column[c], joint) &&
          fabs(base->map[b + base->count * c]) >= ARM_BASE_NEGLIGIBLE)
        return base->map[b + base->count * c];
  }
  return 0;
}

static ArmDynamicsJoint joint_of(const ArmModel *model, const ArmBase *base, size_t j) {
  ArmDynamicsJoint joint = {.eta = (double)NAN, .rel_sd = (double)NAN};
  (void)arm_model_nominal_eta(model, j, &joint.eta, &joint.rel_sd);
  for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
    joint.has[l] = l != ARM_DYN_ROTOR;
  for (size_t b = 0; b < base->count; b++)
    if (is_rotor_of(&base->column[base->kept[b]], j))
      joint.has[ARM_DYN_ROTOR] = true;
  joint.rotor_in_coulomb = rotor_in_coulomb(base, j);
  return joint;
}

ArmStatus arm_dynamics_joints(const ArmModel *model, ArmDynamicsJoint *joint) {
  ArmBase *base = NULL;
  const ArmStatus status = arm_base_new(model, ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR,
                                        ARM_BASE_CLOSED_FORM, &base);
  for (size_t j = 0; status == ARM_OK && j < model->n; j++)
    joint[j] = joint_of(model, base, j);
  arm_base_free(base);
  return status;
}

/* ---- triangles ---- */

static double column_length(const ArmDynTriangle *t, size_t c) {
  double sum = 0;
  for (size_t i = 0; i < t->width; i++)
    sum += arm_dyn_column(t, c)[i] * arm_dyn_column(t, c)[i];
  return sqrt(sum);
}

/* A joint without rows, or without any effort in them, takes no part. */
static ArmReason absence(const ArmDynTriangle *t) {
  if (t->rows == 0)
    return ARM_REASON_NO_ROWS;
  return t->length > 0 ? ARM_REASON_NONE : ARM_REASON_CURRENT_ZERO;
}

static ArmStatus load_triangle(ArmDynWork *work, size_t j) {
  ArmDynTriangle *t = &work->triangle[j];
  t->first = arm_information_first(work->information, j);
  t->width = arm_information_width(work->information, j);
  t->own = arm_information_own(work->information);
  t->base = t->width - t->own - 1;
  t->rows = arm_information_rows(work->information, j);
  t->mass = arm_information_mass(work->information, j);
  t->mean = arm_information_mean(work->information, j);
  t->r = calloc(t->width * t->width, sizeof *t->r);
  if (!t->r)
    return ARM_E_MEMORY;
  arm_information_triangle(work->information, j, t->r);
  t->length = column_length(t, t->width - 1);
  for (size_t l = 0; l < t->own; l++)
    t->has[l] = work->joint[j].has[l] && column_length(t, l) > 0;
  work->absent[j] = absence(t);
  if (work->absent[j] != ARM_REASON_NONE)
    t->rows = 0;
  work->noise[j] = (ArmDynNoise){.sigma = (double)NAN,
                                 .floor = NOISE_FLOOR * t->length / sqrt(fmax(t->mass, 1)),
                                 .lag1 = (double)NAN,
                                 .widening = 1,
                                 .r2 = (double)NAN};
  return ARM_OK;
}

static ArmStatus load(ArmDynWork *work) {
  size_t rows = 0;
  for (size_t j = 0; j < work->n; j++) {
    const ArmStatus status = load_triangle(work, j);
    if (status != ARM_OK)
      return status;
    rows += work->triangle[j].rows;
  }
  return rows > 0 ? ARM_OK : ARM_E_NO_DATA;
}

/* ---- the search ---- */

static void set_weights(ArmDynWork *work) {
  for (size_t j = 0; j < work->n; j++) {
    const ArmDynTriangle *t = &work->triangle[j];
    const double rms = t->length / sqrt(fmax(t->mass, 1));
    const double sigma = isnan(work->groups.sigma[j]) ? rms : work->groups.sigma[j];
    work->problem.weight[j] = t->rows > 0 ? 1 / fmax(sigma, work->noise[j].floor) : 0;
  }
}

static ArmStatus search_from(ArmDynWork *work, bool by_statement) {
  arm_dyn_set_start(work, by_statement);
  ArmStatus status = arm_dyn_problem_start(&work->problem);
  if (status == ARM_OK)
    status = arm_dyn_problem_refine(&work->problem);
  return status;
}

static bool has_statement(const ArmDynWork *work) {
  for (size_t j = 0; j < work->n; j++)
    if (arm_dyn_is_stated(work, j))
      return true;
  return false;
}

/* From both starts: what is stated, unless the other one fits that much better. */
static ArmStatus search(ArmDynWork *work) {
  const size_t bytes = work->problem.unknowns * sizeof(double);
  ArmDynKappa kappa[ARM_MAX_JOINTS];
  ArmStatus status = search_from(work, false);
  if (status != ARM_OK || !has_statement(work))
    return status;
  double *x = malloc(bytes);
  if (!x)
    return ARM_E_MEMORY;
  const double cost = work->problem.cost;
  memcpy(x, work->problem.x, bytes);
  memcpy(kappa, work->problem.kappa, sizeof kappa);
  status = search_from(work, true);
  if (status == ARM_OK && cost < work->problem.cost - SIGNIFICANT_COST) {
    memcpy(work->problem.x, x, bytes);
    memcpy(work->problem.kappa, kappa, sizeof kappa);
  }
  free(x);
  return status;
}

/* The residual says how noisy a joint is, that weighs its rows, and the residual is another. */
static ArmStatus weigh(ArmDynWork *work) {
  enum { PASSES = 3 };
  ArmStatus status = ARM_OK;
  for (int pass = 0; pass < PASSES && status == ARM_OK; pass++) {
    status = arm_dyn_noise_find(work);
    if (status == ARM_OK)
      status = arm_dyn_problem_refine(&work->problem);
  }
  if (status == ARM_OK)
    status = arm_dyn_noise_widen(work);
  if (status == ARM_OK)
    status = arm_dyn_problem_refine(&work->problem);
  return status;
}

/* Where a search was left says nothing. What predictions take then: eta as stated, and what is of
 * minimum length for these. */
static ArmStatus give_up(ArmDynWork *work) {
  arm_dyn_set_start(work, true);
  const ArmStatus status = arm_dyn_problem_start(&work->problem);
  return status == ARM_OK ? arm_dyn_noise_find(work) : status;
}

/* Is there a direction that is not seen? */
static bool has_hidden(const ArmDynWork *work) {
  for (size_t u = 0; u < work->problem.unknowns; u++)
    if (arm_dyn_problem_estimates(&work->problem, u) && work->null_share[u] > 0)
      return true;
  return false;
}

static ArmStatus at_once(ArmDynWork *work) {
  ArmStatus status = search(work);
  if (status == ARM_OK)
    status = weigh(work);
  if (status == ARM_OK && !work->problem.has_converged)
    status = give_up(work);
  if (status == ARM_OK)
    status = arm_dyn_problem_covariance(&work->problem, work->covariance, work->null_share);
  if (status == ARM_OK && work->problem.has_converged && has_hidden(work))
    status = arm_dyn_problem_settle(&work->problem);
  return status;
}

static ArmStatus in_sequence(ArmDynWork *work) {
  arm_dyn_set_start(work, false);
  return arm_dyn_sequential(work);
}

static ArmStatus find_groups(ArmDynWork *work) {
  return arm_dyn_groups_find(work->n, work->triangle, work->count, WORST_START, &work->groups);
}

/* Groups say how noisy joints are, and that what they see. */
static ArmStatus group(ArmDynWork *work) {
  const ArmStatus status = find_groups(work);
  return status == ARM_OK && arm_dyn_hide_unseen(work) ? find_groups(work) : status;
}

static ArmStatus solve(ArmDynWork *work) {
  ArmStatus status = group(work);
  if (status == ARM_OK)
    status = arm_dyn_problem_init(&work->problem, work->n, work->count, work->triangle);
  if (status != ARM_OK)
    return status;
  if (work->options.most_trials > 0)
    work->problem.most_trials = work->options.most_trials;
  const size_t u = work->problem.unknowns;
  work->covariance = calloc(u * u + u, sizeof *work->covariance);
  if (!work->covariance)
    return ARM_E_MEMORY;
  work->null_share = work->covariance + u * u;
  arm_dyn_choose_references(work);
  set_weights(work);
  status = work->options.way == ARM_DYNAMICS_SEQUENTIAL ? in_sequence(work) : at_once(work);
  if (status == ARM_OK)
    status = arm_dyn_ratios_find(work);
  return status;
}

/* ---- all ---- */

static bool is_sound(double x) {
  return x > 0 && x < 10;
}

static ArmStatus check(const ArmDynWork *work) {
  if (!is_sound(work->options.rel_sd) || !is_sound(work->options.worst_ratio))
    return ARM_E_ARGUMENT;
  for (size_t j = 0; j < work->n; j++)
    if (arm_dyn_is_stated(work, j) && (work->joint[j].eta == 0 || work->joint[j].rel_sd < 0))
      return ARM_E_ARGUMENT;
  for (size_t j = 0; j < work->n; j++)
    if (work->options.way == ARM_DYNAMICS_SEQUENTIAL && !work->joint[j].is_torque &&
        arm_information_rows(work->information, j) > 0)
      return ARM_E_ARGUMENT;
  return ARM_OK;
}

static void work_free(ArmDynWork *work) {
  for (size_t j = 0; j < work->n; j++)
    free(work->triangle[j].r);
  arm_dyn_problem_clear(&work->problem);
  free(work->covariance);
  free(work);
}

ArmStatus arm_dynamics_identify(ArmInformation *information, const ArmDynamicsJoint *joint,
                                const ArmDynamicsOptions *options, ArmDynamicsFit **fit) {
  ArmDynWork *work = calloc(1, sizeof *work);
  if (!work)
    return ARM_E_MEMORY;
  work->n = arm_information_joints(information);
  work->count = arm_information_count(information);
  work->information = information;
  work->joint = joint;
  work->options = options ? *options : arm_dynamics_defaults;
  ArmStatus status = check(work);
  if (status == ARM_OK)
    status = load(work);
  if (status == ARM_OK)
    status = solve(work);
  if (status == ARM_OK)
    status = arm_dyn_report(work, fit);
  work_free(work);
  return status;
}

size_t arm_dynamics_place(const ArmDynamicsFit *fit, size_t joint, size_t local) {
  return arm_dyn_unknown(fit->count, joint, local);
}

void arm_dynamics_fit_free(ArmDynamicsFit *fit) {
  if (!fit)
    return;
  free(fit->base);
  free(fit->covariance);
  free(fit->bread);
  free(fit);
}
