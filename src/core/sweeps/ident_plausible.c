/* SPDX-License-Identifier: MIT */
/* What a fit knows, in the words of the rules of plausibility. */
#include <math.h>
#include <stdlib.h>

#include "core/sweeps/ident_internal.h"

void arm_ident_scan_window(ArmIdent *ident, const ArmWindow *window) {
  for (size_t r = window->begin; r < window->end; r++)
    arm_plausible_push(&ident->scan, ident->model, &window->data, r, window->use[r]);
}

static size_t id_of(const ArmGravityParameters *fit, ArmParamKind kind, size_t i) {
  size_t k = 0;
  while (k < fit->n_ids && (fit->ids[k].kind != kind || fit->ids[k].i != i))
    k++;
  return k;
}

/* what friction terms add at the middle of the loads seen, signed as v */
static double terms_at(const ArmJointFit *joint, double v) {
  double sum = 0.0;
  if (joint->has_term[ARM_TERM_LOAD])
    sum += joint->term[ARM_TERM_LOAD].used * (joint->load_seen[0] + joint->load_seen[1]) / 2.0;
  if (joint->has_term[ARM_TERM_CURVE])
    sum += joint->term[ARM_TERM_CURVE].used * exp(-fabs(v) / joint->curve_speed);
  return v < 0.0 ? -sum * joint->term_sign : sum * joint->term_sign;
}

/* lambda1 + lambda2 v of the side with Coulomb parameter `kind`, and its sd: of a mean of the rows
 * where the two cannot be told apart, INFINITY without rows */
static double friction_at(const ArmGravityParameters *fit, size_t i, ArmParamKind kind, double v,
                          size_t rows, double *sd) {
  const ArmJointFit *joint = &fit->joint[i];
  const ArmEstimate *coulomb = &joint->friction[kind - ARM_PARAM_COULOMB_POS];
  const ArmEstimate *viscous = coulomb + 1;
  const size_t a = id_of(fit, kind, i), b = id_of(fit, (ArmParamKind)(kind + 1), i);
  *sd = rows > 0 ? joint->widening * joint->residual_sd / sqrt((double)rows) : (double)INFINITY;
  if (coulomb->identifiable && viscous->identifiable && a < fit->n_ids && b < fit->n_ids)
    *sd = sqrt(fmax(0.0, fit->covariance[a + a * fit->n_ids] +
                             2.0 * v * fit->covariance[a + b * fit->n_ids] +
                             v * v * fit->covariance[b + b * fit->n_ids]));
  return coulomb->used + v * viscous->used + terms_at(joint, v);
}

static void doubt_friction(const ArmIdent *ident, const ArmGravityParameters *fit, size_t i,
                           ArmDoubts *doubts) {
  const ArmPlausibleJoint *j = &ident->scan.joint[i];
  if (j->forth == 0 || j->back == 0 || !isfinite(fit->joint[i].residual_sd))
    return;
  ArmPlausibleFriction f = {
      .holds_load = fit->type[i] == ARM_JOINT_T && !fit->joint[i].w[0].identifiable,
      .is_torque = ident->is_torque_ratio[i],
  };
  f.forth = friction_at(fit, i, ARM_PARAM_COULOMB_POS, j->speed_forth / (double)j->forth, j->forth,
                        &f.forth_sd);
  f.back = friction_at(fit, i, ARM_PARAM_COULOMB_NEG, j->speed_back / (double)j->back, j->back,
                       &f.back_sd);
  arm_plausible_friction(&ident->scan, ident->model, i, &f, doubts);
}

static ArmStatus doubt_ratios(const ArmIdent *ident, const ArmGravityParameters *fit,
                              ArmDoubts *doubts) {
  const size_t n = fit->n;
  double *rho = malloc(2 * n * n * sizeof *rho), *sd = rho ? rho + n * n : NULL;
  if (!rho)
    return ARM_E_MEMORY;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const bool is_known = i < j && fit->ratio[i][j].identifiable;
      rho[i + j * n] = is_known ? fit->ratio[i][j].value : (double)NAN;
      sd[i + j * n] = is_known ? fit->ratio[i][j].sd : (double)NAN;
    }
  const ArmPlausibleRatios ratios = {
      .n = n, .cluster = fit->cluster, .is_torque = ident->is_torque_ratio, .rho = rho, .sd = sd};
  arm_plausible_ratios(ident->model, &ratios, doubts);
  free(rho);
  return ARM_OK;
}

static void doubt_wild(const ArmIdent *ident, size_t i, ArmDoubtKind kind, ArmDoubts *doubts) {
  const ArmWildFar *wild =
      kind == ARM_DOUBT_WILD ? &ident->wild[i].current : &ident->wild[i].position;
  if (wild->count == 0 || doubts->count == ARM_MAX_DOUBTS)
    return;
  doubts->at[doubts->count++] = (ArmDoubt){.kind = kind,
                                           .joint = i,
                                           .other = wild->row,
                                           .found = wild->found,
                                           .expected = wild->expected,
                                           .time = wild->t,
                                           .count = wild->count,
                                           .rows = ident->rows[i].rows};
}

ArmStatus arm_ident_doubt(const ArmIdent *ident, const ArmGravityParameters *fit, double least_r2,
                          ArmDoubts *doubts) {
  arm_plausible_rows(&ident->scan, ident->model, doubts);
  for (size_t i = 0; i < fit->n; i++) {
    doubt_wild(ident, i, ARM_DOUBT_WILD, doubts);
    doubt_wild(ident, i, ARM_DOUBT_WILD_POSITION, doubts);
    doubt_friction(ident, fit, i, doubts);
    arm_plausible_signal(&ident->scan, i, fit->joint[i].r2, least_r2, doubts);
    arm_plausible_residual(&ident->scan, i, fit->joint[i].max_abs, fit->joint[i].residual_sd,
                           doubts);
  }
  const ArmStatus status = doubt_ratios(ident, fit, doubts);
  for (size_t k = 0; k < doubts->count; k++)
    doubts->at[k].is_torque =
        doubts->at[k].joint < fit->n && ident->is_torque_ratio[doubts->at[k].joint];
  return status;
}

static ArmUntold why_withheld(const ArmDoubt *doubt) {
  if (arm_doubt_is_no_current(doubt))
    return ARM_UNTOLD_NO_CURRENT;
  return doubt->kind == ARM_DOUBT_NO_SIGNAL && doubt->found < 0.0 ? ARM_UNTOLD_NO_SIGNAL
                                                                  : ARM_UNTOLD_NOTHING;
}

void arm_ident_withhold(const ArmDoubts *doubts, ArmVerdict *verdict) {
  for (size_t k = 0; k < doubts->count; k++) {
    const ArmDoubt *d = &doubts->at[k];
    const ArmUntold why = why_withheld(d);
    if (why == ARM_UNTOLD_NOTHING || verdict->joint[d->joint].verdict != ARM_VERDICT_FITS)
      continue;
    verdict->joint[d->joint].verdict = ARM_VERDICT_UNKNOWN;
    verdict->joint[d->joint].untold = why;
    if (verdict->verdict == ARM_VERDICT_FITS)
      verdict->verdict = ARM_VERDICT_UNKNOWN;
  }
}
