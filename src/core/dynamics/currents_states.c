/* SPDX-License-Identifier: MIT */
/* Chunks of states through the batched regressor, joint by joint; gradients are columns beside each
 * other, so that all sds of a chunk are one sweep over the covariance. */
#include <math.h>
#include <string.h>

#include "core/dynamics/couple.h"
#include "core/dynamics/currents_internal.h"

#define BEYOND     0.2   /* of the largest load seen: as core/sweeps/predict.c */
#define NEGLIGIBLE 1e-12 /* of the largest entry of a row: rounding */

/* ---- states ---- */

static bool is_state_finite(const ArmCurrentsStates *from, size_t n, size_t s) {
  bool is_finite = true;
  for (size_t j = 0; j < n; j++) {
    const size_t at = s + j * from->ld;
    is_finite =
        is_finite && isfinite(from->q[at]) && isfinite(from->qd[at]) && isfinite(from->qdd[at]);
  }
  return is_finite;
}

/* `count` states from `first` on; those that are not finite, and what is left of the chunk, are at
 * rest in q = 0. */
static void take_states(ArmCurrents *c, const ArmCurrentsStates *from, size_t first, size_t count) {
  const double *const given[3] = {from->q, from->qd, from->qdd};
  const size_t n = c->n;
  memset(c->state, 0, 3 * n * CURRENTS_CHUNK * sizeof *c->state);
  for (size_t s = 0; s < count; s++) {
    c->is_finite[s] = is_state_finite(from, n, first + s);
    for (size_t v = 0; v < 3 && c->is_finite[s]; v++)
      for (size_t j = 0; j < n; j++)
        c->state[(v * n + j) * CURRENTS_CHUNK + s] = given[v][first + s + j * from->ld];
  }
  const double *q = c->state, *qd = q + n * CURRENTS_CHUNK, *qdd = qd + n * CURRENTS_CHUNK;
  arm_dyn_regressor_batch(&c->dyn, CURRENTS_CHUNK, q, qd, qdd, c->y);
  arm_dyn_couple_rates(&c->model, CURRENTS_CHUNK, qd, c->drive);
  arm_dyn_couple_rates(&c->model, CURRENTS_CHUNK, qdd, c->drive + n * CURRENTS_CHUNK);
}

static const double *column_of(const ArmCurrents *c, size_t j, size_t b) {
  return c->y + (ARM_INERTIA_PARAMETERS * c->n * j + c->column[b]) * CURRENTS_CHUNK;
}

/* Y_b beta, and how large the entries of the row are. */
static void sum_torques(ArmCurrents *c, size_t j) {
  const JointCurrents *joint = &c->joint[j];
  memset(c->torque, 0, CURRENTS_CHUNK * sizeof *c->torque);
  memset(c->reach, 0, CURRENTS_CHUNK * sizeof *c->reach);
  for (size_t e = 0; e < joint->felt; e++) {
    const double *y = column_of(c, j, joint->base[e]), beta = c->beta[joint->base[e]];
    for (size_t s = 0; s < CURRENTS_CHUNK; s++) {
      c->torque[s] += y[s] * beta;
      c->reach[s] = fmax(c->reach[s], fabs(y[s]));
    }
  }
}

/* ---- sds ---- */

static double *entry_at(const ArmCurrents *c, size_t entry) {
  return c->gradient + entry * CURRENTS_CHUNK;
}

/* g' C g of all states of the chunk, into c->sum. */
static void find_variances(ArmCurrents *c, const JointCurrents *joint) {
  const double *row = joint->lower;
  double *sum = c->sum, *partial = c->partial;
  memset(sum, 0, CURRENTS_CHUNK * sizeof *sum);
  for (size_t a = 0; a < joint->covered; row += ++a) {
    const double *g = entry_at(c, joint->entry[a]);
    for (size_t s = 0; s < CURRENTS_CHUNK; s++)
      partial[s] = row[a] * g[s];
    for (size_t b = 0; b < a; b++) {
      const double *other = entry_at(c, joint->entry[b]), twice = 2 * row[b];
      for (size_t s = 0; s < CURRENTS_CHUNK; s++)
        partial[s] += twice * other[s];
    }
    for (size_t s = 0; s < CURRENTS_CHUNK; s++)
      sum[s] += partial[s] * g[s];
  }
}

/* A weight that is not known is a part of Coulomb friction as far as that acts. */
static bool acts(const ArmCurrents *c, const JointCurrents *joint, size_t own, size_t s) {
  double part = entry_at(c, joint->felt + own)[s];
  if (own == OWN_WEIGHT)
    part -= entry_at(c, joint->felt + ARM_DYN_COULOMB_POS)[s] +
            entry_at(c, joint->felt + ARM_DYN_COULOMB_NEG)[s];
  return part != 0;
}

/* Does state s lean on something of which nothing is known? */
static bool leans_on_unknown(const ArmCurrents *c, const JointCurrents *joint, size_t s, size_t j) {
  for (size_t e = 0; e < joint->felt; e++)
    if (c->is_open[joint->base[e]] &&
        fabs(column_of(c, j, joint->base[e])[s]) > NEGLIGIBLE * c->reach[s])
      return true;
  for (size_t own = 0; own < OWN; own++)
    if (joint->is_open[own] && acts(c, joint, own, s))
      return true;
  return false;
}

static bool has_open(const ArmCurrents *c, const JointCurrents *joint) {
  bool is_some = false;
  for (size_t e = 0; e < joint->felt; e++)
    is_some = is_some || c->is_open[joint->base[e]];
  for (size_t own = 0; own < OWN; own++)
    is_some = is_some || joint->is_open[own];
  return is_some;
}

/* ---- currents ---- */

/* One state: its own entries of the gradient but eta's, in `g`; what L changes the current by, in
 * `slope`; what a static current may be off, in `more`. Returns the current. */
static double predict_state(const JointCurrents *joint, const ArmPredictOptions *options, double v,
                            double a, double error, double load, double g[OWN], double *slope,
                            double *more) {
  memset(g, 0, OWN * sizeof *g);
  arm_friction_weights(options, v, error, g);
  const double way = (g[ARM_DYN_COULOMB_POS] - g[ARM_DYN_COULOMB_NEG]) * joint->sign;
  g[ARM_DYN_ROTOR] = a;
  g[OWN_WEIGHT] = 1;
  g[OWN_LOAD] = joint->has_load ? way * fabs(load) : 0;
  g[OWN_CURVE] = joint->has_curve ? way * exp(-fabs(v) / joint->curve_speed) : 0;
  *slope = 1 + (joint->has_load ? way * joint->own[OWN_LOAD] * (load < 0 ? -1 : 1) : 0);
  *more = 0;
  if (v == 0 && options->wants_stiction) {
    const double terms = (joint->own[OWN_LOAD] * fabs(load) + joint->own[OWN_CURVE]) * joint->sign;
    *more = joint->is_coulomb_known
                ? arm_friction_band_variance(joint->own[ARM_DYN_COULOMB_POS],
                                             joint->own[ARM_DYN_COULOMB_NEG], terms, g)
                : (double)NAN;
  }
  double current = load;
  for (size_t own = 0; own < OWN_ETA; own++)
    current += g[own] * joint->own[own];
  return current;
}

static bool is_beyond(const JointCurrents *joint, double load) {
  const double size = fabs(load), *seen = joint->load_seen;
  return joint->has_load &&
         (size > seen[1] + BEYOND * seen[1] || size < seen[0] - BEYOND * seen[1]);
}

/* Columns of base parameters times what the current changes by with the torque. */
static void fill_base(ArmCurrents *c, size_t j, const double *slope) {
  const JointCurrents *joint = &c->joint[j];
  for (size_t e = 0; e < joint->felt; e++) {
    const double *y = column_of(c, j, joint->base[e]);
    double *g = entry_at(c, e);
    for (size_t s = 0; s < CURRENTS_CHUNK; s++)
      g[s] = slope[s] * joint->own[OWN_ETA] * y[s];
  }
}

static void predict_joint(ArmCurrents *c, size_t j, size_t count, const ArmPredictOptions *options,
                          size_t error_ld, double *current, double *sd) {
  JointCurrents *joint = &c->joint[j];
  const double *v = c->drive + j * CURRENTS_CHUNK, *a = v + c->n * CURRENTS_CHUNK;
  const double *error = options->position_error ? options->position_error + j * error_ld : NULL;
  const double noise = options->wants_noise ? joint->noise_sd : 0;
  double slope[CURRENTS_CHUNK], more[CURRENTS_CHUNK];
  sum_torques(c, j);
  for (size_t s = 0; s < CURRENTS_CHUNK; s++) {
    const double load = joint->own[OWN_ETA] * c->torque[s];
    const bool is_asked = s < count;
    double g[OWN];
    const double i = predict_state(joint, options, v[s], a[s], error && is_asked ? error[s] : 0,
                                   load, g, &slope[s], &more[s]);
    g[OWN_ETA] = slope[s] * c->torque[s];
    for (size_t own = 0; own < OWN; own++)
      entry_at(c, joint->felt + own)[s] = g[own];
    if (!is_asked)
      continue;
    current[s] = i;
    joint->was_beyond = joint->was_beyond || (c->is_finite[s] && is_beyond(joint, load));
  }
  fill_base(c, j, slope);
  find_variances(c, joint);
  const bool may_lean = has_open(c, joint);
  for (size_t s = 0; s < count; s++) {
    const bool is_known = !may_lean || !leans_on_unknown(c, joint, s, j);
    sd[s] = is_known ? sqrt(fmax(0, c->sum[s]) + more[s] + noise * noise) : (double)NAN;
    if (!c->is_finite[s] || !joint->has_rows)
      current[s] = sd[s] = (double)NAN;
  }
}

void arm_currents_predict(ArmCurrents *currents, const ArmCurrentsStates *states,
                          const ArmPredictOptions *options, double *current, double *sd) {
  for (size_t first = 0; first < states->samples; first += CURRENTS_CHUNK) {
    const size_t left = states->samples - first,
                 count = left < CURRENTS_CHUNK ? left : CURRENTS_CHUNK;
    ArmPredictOptions own = *options;
    own.position_error = options->position_error ? options->position_error + first : NULL;
    take_states(currents, states, first, count);
    arm_dyn_couple_rows(&currents->model, currents->count, currents->column, CURRENTS_CHUNK,
                        currents->y);
    for (size_t j = 0; j < currents->n; j++)
      predict_joint(currents, j, count, &own, states->ld, current + first + j * states->ld,
                    sd + first + j * states->ld);
  }
}

/* ---- torques ---- */

/* The first parameter of the row that is not told; ARM_PARAM_NONE: all are. */
static size_t find_untold(const ArmCurrents *c, const JointCurrents *joint, size_t s, size_t j) {
  for (size_t e = 0; e < joint->felt; e++)
    if (!c->is_told[joint->base[e]] &&
        fabs(column_of(c, j, joint->base[e])[s]) > NEGLIGIBLE * c->reach[s])
      return joint->base[e];
  return ARM_PARAM_NONE;
}

/* w / eta, and what the torque changes by with both. */
static double take_weight(ArmCurrents *c, const JointCurrents *joint) {
  const double eta = joint->own[OWN_ETA], weight = joint->own[OWN_WEIGHT] / eta;
  memset(entry_at(c, joint->felt), 0, OWN * CURRENTS_CHUNK * sizeof *c->gradient);
  for (size_t s = 0; s < CURRENTS_CHUNK && weight != 0; s++) {
    entry_at(c, joint->felt + OWN_WEIGHT)[s] = 1 / eta;
    entry_at(c, joint->felt + OWN_ETA)[s] = -weight / eta;
  }
  return weight;
}

static void torque_joint(ArmCurrents *c, size_t j, size_t count, double *torque, double *sd) {
  JointCurrents *joint = &c->joint[j];
  sum_torques(c, j);
  const double weight = take_weight(c, joint);
  for (size_t e = 0; e < joint->felt; e++)
    memcpy(entry_at(c, e), column_of(c, j, joint->base[e]), CURRENTS_CHUNK * sizeof *c->gradient);
  find_variances(c, joint);
  for (size_t s = 0; s < count; s++) {
    const size_t untold = c->is_finite[s] ? find_untold(c, joint, s, j) : ARM_PARAM_NONE;
    const bool is_untold = untold != ARM_PARAM_NONE || joint->is_open[OWN_WEIGHT];
    torque[s] = c->torque[s] + weight;
    sd[s] = sqrt(fmax(0, c->sum[s]));
    if (!c->is_finite[s] || is_untold)
      torque[s] = sd[s] = (double)NAN;
    if (c->is_finite[s] && is_untold && !joint->lacks_torque) {
      joint->lacks_torque = true;
      joint->why_no_torque =
          untold != ARM_PARAM_NONE ? c->reason[untold] : ARM_REASON_ROTOR_NOT_KNOWN;
    }
  }
}

void arm_currents_torque(ArmCurrents *currents, const ArmCurrentsStates *states, double *torque,
                         double *sd) {
  for (size_t first = 0; first < states->samples; first += CURRENTS_CHUNK) {
    const size_t left = states->samples - first,
                 count = left < CURRENTS_CHUNK ? left : CURRENTS_CHUNK;
    take_states(currents, states, first, count);
    for (size_t j = 0; j < currents->n; j++)
      torque_joint(currents, j, count, torque + first + j * states->ld,
                   sd + first + j * states->ld);
  }
}
