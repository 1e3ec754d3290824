/* SPDX-License-Identifier: MIT */
#include "make_dynamics.h"

#include <math.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/identify.h"
#include "core/dynamics/terms.h"
#include "io/params/dynamics_file.h"

#define UNIT 0.125 /* eta of the first joint counts as 1 where nothing is stated: a power of 2 */

typedef struct {
  const AioArm *arm;
  bool is_torque, has_scale, lacks_rows, has_terms;
  double heavier;
} Make;

static ArmEstimate told(double value) {
  return (ArmEstimate){value, 0.01 * (0.1 + fabs(value)), value, true, ARM_REASON_NONE};
}

static ArmEstimate untold(double used) {
  return (ArmEstimate){(double)NAN, (double)NAN, used, false, ARM_REASON_SCALE_NOT_STATED};
}

static double sd_of(double used) {
  return 0.01 * (0.1 + fabs(used));
}

static void fill_joint(const Make *make, size_t j, ArmDynamicsJointFit *joint) {
  const double number = (double)j + 1, eta = (0.05 + 0.01 * number) * (j % 2 ? -1 : 1);
  const double local[ARM_DYN_LOCAL] = {0.4 + 0.1 * number, 0.2, -0.3, 0.1, 0.02};
  joint->known.is_torque = make->is_torque;
  joint->statistics = (ArmJointStatistics){.rows_used = make->lacks_rows && j == 1 ? 0 : 1000,
                                           .columns = 5,
                                           .rank = 5,
                                           .cond_raw = 10,
                                           .cond_equilibrated = 5,
                                           .cond_centred = (double)NAN,
                                           .residual_sd = 0.03125,
                                           .r2 = 0.99,
                                           .max_abs = (double)NAN,
                                           .lag1 = 0.5,
                                           .widening = 1};
  joint->statistics.rows_by_use[ARM_ROW_USED] = joint->statistics.rows_used;
  for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
    joint->local[l] = told(joint->known.has[l] ? local[l] : 0);
  if (make->is_torque)
    joint->eta = (ArmEstimate){1, 0, 1, true, ARM_REASON_NONE};
  else
    joint->eta = make->has_scale ? told(eta) : untold(eta / UNIT);
  joint->to_first = make->is_torque ? joint->eta : told((0.05 + 0.01 * number) / 0.06);
}

/* Load on even joints, a curve on odd ones, on the third both. */
static void fill_terms(size_t j, ArmDynamicsJointFit *joint) {
  ArmDynamicsJoint *known = &joint->known;
  known->friction_sign = joint->eta.used < 0 ? -1 : 1;
  known->has[ARM_DYN_LOAD] = j % 2 == 1 || j == 2;
  known->has[ARM_DYN_CURVE_WIDE] = j % 2 == 0;
  known->load_seen[1] = 100;
  known->curve_speed = 0.5;
  joint->local[ARM_DYN_LOAD] = told(known->has[ARM_DYN_LOAD] ? 0.125 : 0);
  joint->local[ARM_DYN_CURVE_WIDE] = told(known->has[ARM_DYN_CURVE_WIDE] ? -0.25 : 0);
}

/* Of all that has an sd, with some correlation. */
static void fill_covariance(const Make *make, ArmDynamicsFit *fit) {
  const size_t u = fit->unknowns;
  g_autofree double *sd = g_new0(double, u);
  for (size_t b = 0; b < fit->count; b++)
    sd[b] = sd_of(fit->base[b].used);
  for (size_t j = 0; j < fit->n; j++) {
    for (size_t l = 0; l < ARM_DYN_OWN; l++)
      sd[arm_dynamics_place(fit, j, l)] = fit->joint[j].local[l].sd;
    const double eta = fit->joint[j].eta.used;
    sd[arm_dynamics_place(fit, j, ARM_DYN_OWN)] =
        make->is_torque || (!make->has_scale && j == 0) ? 0 : sd_of(eta) / fabs(eta);
  }
  for (size_t a = 0; a < u; a++)
    for (size_t b = 0; b < u; b++)
      fit->covariance[a + b * u] = sd[a] * sd[b] * (a == b ? 1 : a % 2 == b % 2 ? 0.25 : -0.25);
}

static ArmDynamicsFit *new_fit(const Make *make, const ArmBase *base) {
  const ArmModel *model = &make->arm->model;
  ArmDynamicsFit *fit = g_new0(ArmDynamicsFit, 1);
  ArmDynamicsJoint known[ARM_MAX_JOINTS];
  double pi[ARM_INERTIA_PARAMETERS * ARM_MAX_JOINTS];
  g_autofree double *beta = g_new0(double, base->count + 1);
  *fit = (ArmDynamicsFit){.n = model->n, .count = base->count, .n_groups = 1};
  (void)arm_inertia_nominal(model, pi);
  arm_base_values(base, pi, beta);
  if (arm_dynamics_joints(model, known) != ARM_OK)
    g_error("no joints");
  fit->scale[0] = make->is_torque   ? ARM_SCALE_TORQUE
                  : make->has_scale ? ARM_SCALE_DATASHEET
                                    : ARM_SCALE_NONE;
  fit->base = g_new0(ArmEstimate, base->count + 1);
  for (size_t b = 0; b < base->count; b++) {
    const double value = beta[b] * make->heavier;
    fit->base[b] = make->has_scale ? told(value) : untold(value * UNIT);
  }
  for (size_t j = 0; j < model->n; j++) {
    fit->joint[j].known = known[j];
    fill_joint(make, j, &fit->joint[j]);
    if (make->has_terms)
      fill_terms(j, &fit->joint[j]);
  }
  fit->unknowns = base->count + (ARM_DYN_OWN + 1) * model->n;
  fit->covariance = g_new0(double, fit->unknowns * fit->unknowns);
  fill_covariance(make, fit);
  return fit;
}

static char *format(const Make *make, gsize *length) {
  ArmBase *base = NULL;
  if (arm_base_new(&make->arm->model, 0, ARM_BASE_CLOSED_FORM, &base) != ARM_OK)
    g_error("no base");
  ArmDynamicsFit *fit = new_fit(make, base);
  g_autoptr(AioDynamics) dynamics = aio_dynamics_new();
  if (arm_dynamics_set(fit, &make->arm->model, base, &dynamics->found) != ARM_OK)
    g_error("no set");
  for (size_t j = 0; j < fit->n && make->has_terms; j++)
    for (int t = 0; t < ARM_TERMS; t++)
      dynamics->tried[j][t] = (ArmTermTrial){
          arm_dynamics_has_term(&fit->joint[j].known, (ArmFrictionTerm)t) ? ARM_TERM_CHOSEN
                                                                          : ARM_TERM_NOT_NEEDED,
          (double)NAN, (double)NAN, 0.25, 1};
  dynamics->arm_name = g_strdup(make->arm->name);
  dynamics->arm_digest = g_strdup(make->arm->digest);
  dynamics->gauge = make->is_torque   ? AIO_GAUGE_TORQUE
                    : make->has_scale ? AIO_GAUGE_DATASHEET
                                      : AIO_GAUGE_REFERENCE;
  dynamics->gauge_joint = make->has_scale ? -1 : 0;
  char *text = aio_dynamics_format(dynamics, length);
  g_free(fit->base);
  g_free(fit->covariance);
  g_free(fit);
  arm_base_free(base);
  return text;
}

char *make_dynamics(const AioArm *arm, const char *what, gsize *length) {
  Make make = {.arm = arm, .has_scale = true, .heavier = 1};
  if (strcmp(what, "scale") == 0)
    make.has_scale = false;
  else if (strcmp(what, "torque") == 0)
    make.is_torque = true;
  else if (strcmp(what, "heavier") == 0)
    make.heavier = 1.1;
  else if (strcmp(what, "no-rows") == 0)
    make.lacks_rows = true;
  else if (strcmp(what, "terms") == 0)
    make.has_terms = true;
  else if (strcmp(what, "stated") != 0)
    return NULL;
  return format(&make, length);
}
