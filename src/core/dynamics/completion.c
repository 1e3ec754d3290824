/* SPDX-License-Identifier: MIT */
/* Links of an identification, and the rotors that its base parameters hold beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/dynamics/identify_internal.h"
#include "core/dynamics/outcome_internal.h"

enum { P = ARM_INERTIA_PARAMETERS };

#define NOT_STATED 3.0 /* sd of log |eta|: nobody says anything */

typedef struct {
  const ArmDynamicsFit *fit;
  ArmInformation *information;
  const ArmModel *model;
  const ArmBase *base;
  double *storage;   /* n x count x (count + 2)   of each joint R', z', and `along` of its rotor */
  double *asked;     /* 10 n x n                  sums of pi that rotors hang on */
  double *asked_eta; /* n x n */
  double *beta;      /* count                     of the links */
  bool is_free[ARM_MAX_JOINTS]; /* its rotor is an unknown; else 0, or none */
  ArmOutcomeRotor rotor[ARM_MAX_JOINTS];
  ArmDynamicsRotor found[ARM_MAX_JOINTS];
  ArmConsistentData data;
} Completion;

/* ---- what is known ---- */

static void begin_rotors(Completion *c) {
  for (size_t j = 0; j < c->fit->n; j++) {
    const ArmDynamicsJoint *known = &c->fit->joint[j].known;
    ArmDynamicsRotor *found = &c->found[j];
    const double stated = arm_dyn_rotor_of(&c->model->joints[j]);
    if (!arm_dyn_feels_rotor(known) || known->has[ARM_DYN_ROTOR])
      continue;
    const double sd = stated > 0 ? ARM_ROTOR_REL_SD * stated : (double)NAN;
    *found = (ArmDynamicsRotor){true, stated, sd, sd};
    c->is_free[j] = true;
    c->rotor[j] = (ArmOutcomeRotor){
        .eta = c->fit->joint[j].eta.used, .stated = stated, .rel_sd = ARM_ROTOR_REL_SD};
  }
}

/* Of log |eta| without the recording: what a data sheet leaves open. */
static double prior_sd_of(const ArmDynamicsFit *fit, size_t j) {
  const ArmDynamicsJoint *known = &fit->joint[j].known;
  if (known->is_torque || fit->joint[j].log_eta_sd == 0)
    return 0;
  if (!isfinite(known->eta) || fit->scale[fit->group[j]] == ARM_SCALE_REFERENCE)
    return NOT_STATED;
  return known->rel_sd > 0 ? fmin(known->rel_sd, NOT_STATED) : arm_dynamics_defaults.rel_sd;
}

/* The sums in Ia = alone + along . T pi, where alone is current over eta. */
static void ask(Completion *c, size_t j) {
  const size_t p = c->fit->count;
  c->asked_eta[j + c->fit->n * c->data.n_asked] = -c->rotor[j].alone;
  double *sum = c->asked + P * c->fit->n * c->data.n_asked++;
  for (size_t k = 0; k < P * c->fit->n; k++) {
    sum[k] = 0;
    for (size_t b = 0; b < p; b++)
      sum[k] += c->rotor[j].along[b] * c->base->map[b + p * k];
  }
}

static ArmStatus gather_joint(Completion *c, size_t j) {
  const size_t p = c->fit->count;
  double *triangle = c->storage + j * p * (p + 2), *right = triangle + p * p;
  ArmOutcomeRotor *rotor = c->is_free[j] ? &c->rotor[j] : NULL;
  c->data.sigma[j] = arm_outcome_sigma(c->fit, c->information, j);
  c->rotor[j].sigma = c->data.sigma[j];
  c->rotor[j].along = right + p;
  const ArmStatus status =
      arm_outcome_project(c->information, &c->fit->joint[j].known, j, rotor, triangle, p, right);
  if (status != ARM_OK)
    return status;
  c->data.triangle[j] = triangle;
  c->data.right[j] = right;
  c->is_free[j] = rotor && isfinite(rotor->sd);
  if (c->is_free[j])
    ask(c, j);
  return ARM_OK;
}

static ArmStatus gather_data(Completion *c) {
  ArmStatus status = ARM_E_NO_DATA;
  c->data.n_asked = 0;
  memset(c->asked_eta, 0, c->fit->n * c->fit->n * sizeof *c->asked_eta);
  for (size_t j = 0; j < c->fit->n; j++) {
    c->data.eta[j] = c->fit->joint[j].eta.used;
    c->data.eta_sd[j] = prior_sd_of(c->fit, j);
    c->data.sigma[j] = 1;
  }
  for (size_t j = 0; j < c->fit->n; j++) {
    if (!arm_outcome_says(c->fit, j)) {
      c->is_free[j] = false;
      continue;
    }
    status = gather_joint(c, j);
    if (status != ARM_OK)
      return status;
  }
  return status;
}

/* ---- what is left for rotors ---- */

/* true: one is negative, and none any more. */
static bool take_rotors(Completion *c, const ArmConsistent *links) {
  bool is_negative = false;
  size_t asked = 0;
  arm_base_values(c->base, links->pi, c->beta);
  for (size_t j = 0; j < c->fit->n; j++) {
    if (!c->is_free[j])
      continue;
    double inertia = c->rotor[j].alone;
    for (size_t b = 0; b < c->fit->count; b++)
      inertia += c->rotor[j].along[b] * c->beta[b];
    c->found[j].inertia = fmax(inertia, 0);
    c->found[j].sd = hypot(c->rotor[j].sd, links->asked_sd[asked++]);
    c->is_free[j] = inertia >= 0;
    is_negative = is_negative || inertia < 0;
  }
  return is_negative;
}

/* Each round but the last has one rotor less. */
static ArmStatus complete(Completion *c, const ArmConsistentOptions *options,
                          ArmConsistent *links) {
  ArmStatus status;
  do {
    status = gather_data(c);
    if (status == ARM_OK)
      status = arm_consistent(c->model, &c->data, options, links);
  } while (status == ARM_OK && take_rotors(c, links));
  return status;
}

static ArmStatus run(Completion *c, const ArmConsistentOptions *options, ArmConsistent *result,
                     ArmDynamicsRotor *rotors) {
  ArmConsistent links;
  c->data = (ArmConsistentData){.count = c->fit->count,
                                .map = c->base->map,
                                .has_eta = true,
                                .asked = c->asked,
                                .asked_eta = c->asked_eta};
  begin_rotors(c);
  const ArmStatus status = complete(c, options, &links);
  if (status == ARM_OK)
    *result = links;
  if (status == ARM_OK && rotors)
    memcpy(rotors, c->found, c->fit->n * sizeof *rotors);
  return status;
}

ArmStatus arm_dynamics_complete(const ArmDynamicsFit *fit, ArmInformation *information,
                                const ArmModel *model, const ArmBase *base,
                                const ArmConsistentOptions *options, ArmConsistent *result,
                                ArmDynamicsRotor *rotors) {
  const size_t p = fit->count, n = fit->n;
  Completion c = {.fit = fit, .information = information, .model = model, .base = base};
  if (base->count != p || base->n != n || model->n != n || base->with != 0)
    return ARM_E_ARGUMENT;
  c.storage = calloc(n * p * (p + 2) + 1, sizeof *c.storage);
  c.asked = calloc((P + 1) * n * n, sizeof *c.asked);
  c.beta = calloc(p + 1, sizeof *c.beta);
  c.asked_eta = c.asked + P * n * n;
  const ArmStatus status =
      c.storage && c.asked && c.beta ? run(&c, options, result, rotors) : ARM_E_MEMORY;
  free(c.storage);
  free(c.asked);
  free(c.beta);
  return status;
}

void arm_dynamics_take_rotors(ArmDynamicsFit *fit, const ArmDynamicsRotor *rotors) {
  for (size_t j = 0; j < fit->n; j++) {
    fit->joint[j].rotor = rotors[j].is_held ? rotors[j].inertia : (double)NAN;
    fit->joint[j].rotor_sd = rotors[j].is_held ? rotors[j].sd : (double)NAN;
  }
}
