/* SPDX-License-Identifier: MIT */
/* What the tests of predictions of moving arms share; include after cmocka.h. */
#ifndef ARMATURE_TESTS_CURRENTS_RIG_H
#define ARMATURE_TESTS_CURRENTS_RIG_H

#include "core/dynamics/currents.h"
#include "identify_rig.h"
#include "support/dyn_random.h"
#include "support/moving.h"

enum { STATES = 200 }; /* no multiple of a chunk */

/* An identified arm, ready to predict, and a motion that was not fitted. */
typedef struct {
  Rig rig;
  double pi[BASE_COLUMNS];
  ArmParamSet set;
  ArmCurrents *currents;
  Moving *moving; /* with true efforts */
  double current[STATES * BASE_JOINTS], sd[STATES * BASE_JOINTS];
} Predicted;

static inline ArmCurrentsStates states_of(const Moving *m) {
  return (ArmCurrentsStates){m->samples, m->samples, m->q, m->qd, m->qdd};
}

/* The set of a fit without noise, or with noise of `sigma` [A]. */
static inline void predicted_init(Predicted *p, const ArmModel *model, TestRng *rng, double sigma,
                                  bool is_torque, const ArmDynamicsOptions *options) {
  double noise[BASE_JOINTS];
  MovingDrive drives[BASE_JOINTS] = {0};
  rig_init(&p->rig, model, rng, 400);
  (void)arm_inertia_nominal(model, p->pi);
  for (size_t j = 0; j < model->n; j++) {
    noise[j] = sigma;
    p->rig.joint[j].is_torque = is_torque;
    if (is_torque) {
      p->rig.drives.eta[j] = 1;
      p->rig.drives.local[j][ARM_DYN_ROTOR] = 0;
    }
  }
  dyn_rows_drive(&p->rig.rows, p->rig.beta, &p->rig.drives);
  dyn_rows_disturb(&p->rig.rows, rng, noise);
  ArmDynamicsFit *fit = identify(&p->rig, options);
  assert_int_equal(arm_dynamics_set(fit, model, p->rig.base, &p->set), ARM_OK);
  arm_dynamics_fit_free(fit);
  assert_int_equal(arm_currents_new(model, &p->set, &p->currents), ARM_OK);
  for (size_t j = 0; j < model->n; j++) {
    drives[j].eta = p->rig.drives.eta[j];
    memcpy(drives[j].phi, p->rig.drives.local[j], sizeof drives[j].phi);
  }
  p->moving = moving_new(model, rng, STATES, 0.05, 0.1, 1);
  moving_drive(p->moving, model, p->pi, drives);
}

static inline void predicted_clear(Predicted *p) {
  moving_free(p->moving);
  arm_currents_free(p->currents);
  arm_param_set_clear(&p->set);
  rig_clear(&p->rig);
}

static inline void predict(Predicted *p, const ArmPredictOptions *options) {
  const ArmCurrentsStates states = states_of(p->moving);
  const ArmPredictOptions none = {0};
  arm_currents_predict(p->currents, &states, options ? options : &none, p->current, p->sd);
}

/* Largest |got - want| over 1 + the largest |want|, of all states and joints. */
static inline double deviation(const Predicted *p, const double *got, const double *want) {
  double largest = 0, error = 0;
  for (size_t k = 0; k < STATES * p->rig.model.n; k++) {
    largest = fmax(largest, fabs(want[k]));
    error = isnan(got[k]) ? (double)INFINITY : fmax(error, fabs(got[k] - want[k]));
  }
  return error / (1 + largest);
}

#endif
