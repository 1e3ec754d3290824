/* SPDX-License-Identifier: MIT */
/* A fit of sweeps tells noise and friction, an identification also drives and links. */
#include "cli/excite_known.h"

#include <math.h>

#include "cli/cli.h"
#include "io/params/dynamics_file.h"

static void take_noise(CliExciteKnown *known, size_t joint, double left, double eta) {
  if (!(left > 0 && isfinite(left / eta)))
    return;
  known->noise[joint] = fabs(left / eta);
  known->is_assumed[joint] = false;
}

/* Of amperes; NAN where the arm file does not tell it. */
static double nominal_eta(const ArmModel *model, size_t joint) {
  double eta = (double)NAN, rel_sd;
  (void)arm_model_nominal_eta(model, joint, &eta, &rel_sd);
  return eta;
}

/* Coulomb and viscous friction in A: `factor` is 1, or eta where it was fitted from torques. */
static ArmCurrentFriction friction_of(const double used[4], double factor) {
  double amperes[4];
  for (int k = 0; k < 4; k++)
    amperes[k] = isfinite(factor * used[k]) ? factor * used[k] : 0;
  return (ArmCurrentFriction){amperes[0], amperes[1], amperes[2], amperes[3]};
}

static void take_fit(const ArmGravityFit *found, const bool *is_torque, const ArmModel *model,
                     CliExciteKnown *known) {
  for (size_t j = 0; j < model->n; j++) {
    const ArmJointFit *fit = &found->refined.joint[j];
    const double eta = nominal_eta(model, j),
                 used[4] = {fit->friction[0].used, fit->friction[1].used, fit->friction[2].used,
                            fit->friction[3].used};
    take_noise(known, j, fit->residual_sd, is_torque[j] ? 1 : eta);
    known->friction[j] = friction_of(used, is_torque[j] ? eta : 1);
  }
}

/* NAN: not in the set, or only with the links. */
static double used_of(const ArmParamSet *set, ArmParamKind kind, size_t joint) {
  const ArmEstimate *e = arm_param_set_at(set, (ArmParamId){kind, (unsigned char)joint, 0});
  return e && e->reason != ARM_REASON_REGROUPED ? e->used : (double)NAN;
}

/* Torques were measured: their eta is 1, and that of the currents the arm file's. What is left over
 * behind a filter is no noise of samples. */
static void take_joint(const AioDynamics *dynamics, const ArmModel *model, size_t j,
                       CliExciteKnown *known) {
  static const ArmParamKind kinds[4] = {ARM_PARAM_COULOMB_POS, ARM_PARAM_VISCOUS_POS,
                                        ARM_PARAM_COULOMB_NEG, ARM_PARAM_VISCOUS_NEG};
  const ArmParamSet *set = &dynamics->found;
  const double nominal = nominal_eta(model, j), found = used_of(set, ARM_PARAM_ETA, j);
  const double sample_sd = dynamics->sample_sd[j];
  const bool is_found = !set->is_torque[j] && isfinite(found) && found != 0;
  const double factor = set->is_torque[j] ? nominal : 1;
  double used[4];
  for (int k = 0; k < 4; k++)
    used[k] = used_of(set, kinds[k], j);
  take_noise(known, j, isfinite(sample_sd) ? sample_sd : set->joint[j].residual_sd,
             set->is_torque[j] ? 1
             : is_found        ? found
                               : nominal);
  known->friction[j] = friction_of(used, factor);
  known->rotor[j] = factor * used_of(set, ARM_PARAM_ROTOR, j);
  if (is_found)
    known->eta[j] = found;
}

static void take_dynamics(const AioDynamics *dynamics, const ArmModel *model,
                          CliExciteKnown *known) {
  known->has_links = dynamics->has_links;
  for (size_t j = 0; j < model->n; j++) {
    const AioDynamicsLink *link = &dynamics->link[j];
    take_joint(dynamics, model, j, known);
    known->link[j] = link->link;
    if (dynamics->has_links && link->rotor.is_held && isfinite(known->eta[j]))
      known->rotor[j] = known->eta[j] * link->rotor.inertia;
  }
}

static void begin(const ArmModel *model, bool has_friction, CliExciteKnown *known) {
  *known = (CliExciteKnown){.has_friction = has_friction};
  for (size_t j = 0; j < model->n; j++) {
    known->noise[j] = 1;
    known->is_assumed[j] = true;
    known->eta[j] = known->rotor[j] = (double)NAN;
  }
}

void cli_excite_know_fit(const ArmGravityFit *fit, const ArmModel *model, CliExciteKnown *known) {
  static const bool is_torque[ARM_MAX_JOINTS] = {false};
  begin(model, fit != NULL, known);
  if (fit)
    take_fit(fit, is_torque, model, known);
}

int cli_excite_know(const char *params, const char *arm_name, const AioArm *arm,
                    CliExciteKnown *known) {
  begin(&arm->model, params != NULL, known);
  if (!params)
    return CLI_OK;
  const AseMethod *method = cli_load_method(params);
  if (!method)
    return CLI_BAD_INPUT;
  if (method == &ase_method_dynamics) {
    g_autoptr(AioDynamics) dynamics = cli_load_dynamics(params, arm_name, arm);
    if (dynamics)
      take_dynamics(dynamics, &arm->model, known);
    return dynamics ? CLI_OK : CLI_BAD_INPUT;
  }
  g_autoptr(AioParams) fit = cli_load_params(params, arm_name, arm);
  if (fit)
    take_fit(&fit->fit, fit->is_torque, &arm->model, known);
  return fit ? CLI_OK : CLI_BAD_INPUT;
}
