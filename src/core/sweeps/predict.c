/* SPDX-License-Identifier: MIT */
/* A prediction with its gradient in every reported parameter, so that the sd is g' C g. What leans
 * on a parameter of which nothing is known has a value (`used`) and no sd. */
#include "core/sweeps/predict.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/predict_internal.h"

#define BEYOND 0.2 /* of the largest load seen; chosen: a warning, no number depends on it */

/* d(current of one joint)/d(reported parameter), zero where it does not enter */
typedef struct {
  double w[2 * ARM_MAX_JOINTS];
  double ratio[ARM_MAX_JOINTS]; /* of (joint, j) */
  double friction[4];
  double acceleration;
  double term[ARM_TERMS];
} Gradient;

static double add_gravity(const ArmGravityParameters *p, const double *row, size_t i, Gradient *g) {
  double current = 0.0;
  for (size_t j = i; j < p->n; j++) {
    const bool is_other = j != i;
    if (is_other && (p->cluster[i] < 0 || p->cluster[i] != p->cluster[j]))
      continue;
    const double rho = is_other ? p->ratio[i][j].used : 1.0;
    for (size_t a = 0; a < 2; a++) {
      const double w = p->joint[j].w[a].used;
      g->w[2 * j + a] = rho * row[2 * j + a];
      g->ratio[j] += is_other ? row[2 * j + a] * w : 0.0;
      current += rho * row[2 * j + a] * w;
    }
  }
  return current;
}

/* weights of the four friction parameters */
static void friction_weights(const ArmPredictOptions *o, size_t i, double v, double f[4]) {
  arm_friction_weights(o, v, o->position_error ? o->position_error[i] : 0.0, f);
}

enum { NO_PLACE = sizeof(Gradient) / sizeof(double) };

/* Where a parameter's entry is among the doubles of a gradient of joint i; NO_PLACE: it is 0. */
static size_t place_of(size_t i, ArmParamId id) {
  size_t at = sizeof(Gradient);
  if (id.kind <= ARM_PARAM_MHAT)
    at = offsetof(Gradient, w[2 * id.i + (id.kind == ARM_PARAM_KY ? 1 : 0)]);
  else if (id.i != i)
    return NO_PLACE;
  else if (id.kind == ARM_PARAM_RATIO)
    at = offsetof(Gradient, ratio[id.j]);
  else if (id.kind == ARM_PARAM_ACCELERATION)
    at = offsetof(Gradient, acceleration);
  else if (id.kind == ARM_PARAM_LOAD || id.kind == ARM_PARAM_CURVE)
    at = offsetof(Gradient, term[id.kind - ARM_PARAM_LOAD]);
  else if (id.kind <= ARM_PARAM_VISCOUS_NEG)
    at = offsetof(Gradient, friction[id.kind - ARM_PARAM_COULOMB_POS]);
  return at / sizeof(double);
}

static double entry_at(const Gradient *g, size_t place) {
  return place == NO_PLACE ? 0.0 : ((const double *)(const void *)g)[place];
}

static double gradient_entry(const Gradient *g, size_t i, ArmParamId id) {
  return entry_at(g, place_of(i, id));
}

static bool is_covered(const ArmGravityParameters *p, ArmParamId id) {
  for (size_t k = 0; k < p->n_ids; k++)
    if (p->ids[k].kind == id.kind && p->ids[k].i == id.i && p->ids[k].j == id.j)
      return true;
  return false;
}

static bool is_structural(ArmReason reason) {
  return reason == ARM_REASON_AXIS_VERTICAL || reason == ARM_REASON_AXIS_HORIZONTAL ||
         reason == ARM_REASON_EMBODIED;
}

/* the prediction leans on a parameter of which nothing is known */
static bool leans_on_unknown(const ArmGravityParameters *p, const Gradient *g, size_t i) {
  if (p->joint[i].rows_used == 0) /* its load is there for the joints inboard, in their units */
    return true;
  for (size_t f = 0; f < 4; f++)
    if (g->friction[f] != 0.0 && !p->joint[i].friction[f].identifiable &&
        !is_covered(p,
                    (ArmParamId){(ArmParamKind)(ARM_PARAM_COULOMB_POS + f), (unsigned char)i, 0}))
      return true;
  for (size_t t = 0; t < ARM_TERMS; t++)
    if (g->term[t] != 0.0 && !p->joint[i].term[t].identifiable &&
        !is_covered(p, (ArmParamId){arm_term_kind((ArmFrictionTerm)t), (unsigned char)i, 0}))
      return true;
  for (size_t a = 0; a < 2 * p->n; a++) {
    const size_t j = a / 2;
    const ArmEstimate *e = &p->joint[j].w[a % 2];
    const bool is_mass = p->type[j] == ARM_JOINT_T;
    const ArmParamKind kind = is_mass ? ARM_PARAM_MHAT : (ArmParamKind)(a % 2);
    if (is_mass && j != i && p->joint[j].rows_used > 0)
      continue; /* the ratio to it carries its mass */
    if (g->w[a] != 0.0 && !e->identifiable && !is_structural(e->reason) &&
        !is_covered(p, (ArmParamId){kind, (unsigned char)j, 0}))
      return true;
  }
  return false;
}

static double variance_of(const ArmGravityParameters *p, const Gradient *g, size_t i) {
  double entries[8 * ARM_MAX_JOINTS], sum = 0.0;
  size_t index[8 * ARM_MAX_JOINTS], count = 0;
  for (size_t k = 0; k < p->n_ids && count < 8 * ARM_MAX_JOINTS; k++) {
    const double entry = gradient_entry(g, i, p->ids[k]);
    if (entry != 0.0) {
      entries[count] = entry;
      index[count++] = k;
    }
  }
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++)
      sum += entries[a] * entries[b] * p->covariance[index[a] + index[b] * p->n_ids];
  return fmax(0.0, sum);
}

static double apply_row(const ArmGravityParameters *p, size_t i, const ArmPredictRow *row,
                        Gradient *g) {
  *g = (Gradient){.acceleration = row->acceleration};
  double current = add_gravity(p, row->gravity, i, g);
  memcpy(g->friction, row->friction, sizeof g->friction);
  for (size_t f = 0; f < 4; f++)
    current += row->friction[f] * p->joint[i].friction[f].used;
  for (size_t t = 0; t < ARM_TERMS; t++) {
    g->term[t] = row->term[t];
    if (row->term[t] != 0.0)
      current += row->term[t] * p->joint[i].term[t].used;
  }
  for (size_t a = 0; a < 2 * p->n && row->load_slope != 0.0; a++)
    g->w[a] *= 1.0 + row->load_slope;
  for (size_t j = 0; j < p->n && row->load_slope != 0.0; j++)
    g->ratio[j] *= 1.0 + row->load_slope;
  if (row->acceleration != 0.0)
    current += row->acceleration * p->joint[i].acceleration.used;
  return current;
}

double arm_predict_row(const ArmGravityParameters *p, size_t joint, const ArmPredictRow *row,
                       double *gradient, bool *is_known) {
  Gradient g;
  const double current = apply_row(p, joint, row, &g);
  for (size_t k = 0; k < p->n_ids; k++)
    gradient[k] = gradient_entry(&g, joint, p->ids[k]);
  *is_known = !leans_on_unknown(p, &g, joint);
  return current;
}

double arm_predict_gravity(const ArmGravityParameters *p, size_t joint, const double *row) {
  Gradient unused = {0};
  return add_gravity(p, row, joint, &unused);
}

double arm_predict_column(const ArmModel *model, const ArmGravityParameters *parameters,
                          const double *q, const double *qd, size_t joint, ArmParamId id) {
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  ArmPredictRow row = {0};
  Gradient g;
  double motor[ARM_MAX_JOINTS];
  arm_gravity_row(model, q, joint, row.gravity);
  arm_model_motor_speed(model, qd, motor);
  friction_weights(&options, joint, motor[joint], row.friction);
  apply_row(parameters, joint, &row, &g);
  return gradient_entry(&g, joint, id);
}

static void add_terms(const ArmGravityParameters *p, size_t i, double v, ArmPredictRow *row) {
  const ArmJointFit *joint = &p->joint[i];
  const double s = (row->friction[0] - row->friction[2]) * joint->term_sign;
  if (joint->has_term[ARM_TERM_LOAD]) {
    const double load = arm_predict_gravity(p, i, row->gravity);
    row->term[ARM_TERM_LOAD] = s * fabs(load);
    row->load_slope = s * joint->term[ARM_TERM_LOAD].used * (load < 0.0 ? -1.0 : 1.0);
  }
  if (joint->has_term[ARM_TERM_CURVE])
    row->term[ARM_TERM_CURVE] = s * exp(-fabs(v) / joint->curve_speed);
}

double arm_predict_current(const ArmGravityParameters *p, size_t joint, const double *gravity,
                           double v) {
  const ArmPredictOptions options = {0};
  ArmPredictRow row = {0};
  Gradient unused;
  memcpy(row.gravity, gravity, 2 * p->n * sizeof *gravity);
  friction_weights(&options, joint, v, row.friction);
  add_terms(p, joint, v, &row);
  return apply_row(p, joint, &row, &unused);
}

/* what the terms add to Coulomb friction at rest, in the direction of term_sign [A] */
static double terms_at_rest(const ArmGravityParameters *p, size_t i, const double *gravity) {
  const ArmJointFit *joint = &p->joint[i];
  double sum = 0.0;
  if (joint->has_term[ARM_TERM_LOAD])
    sum += joint->term[ARM_TERM_LOAD].used * fabs(arm_predict_gravity(p, i, gravity));
  if (joint->has_term[ARM_TERM_CURVE])
    sum += joint->term[ARM_TERM_CURVE].used;
  return sum * joint->term_sign;
}

/* half^2/3 + (centre - prediction)^2 [A^2]; weights: of what was predicted of friction. NAN: not
 * known. */
static double band_variance(const ArmGravityParameters *p, size_t i, const ArmPredictRow *row) {
  const ArmEstimate *forth = &p->joint[i].friction[0], *back = &p->joint[i].friction[2];
  if (!forth->identifiable || !back->identifiable)
    return (double)NAN;
  const bool has_terms =
      p->joint[i].has_term[ARM_TERM_LOAD] || p->joint[i].has_term[ARM_TERM_CURVE];
  const double more = has_terms ? terms_at_rest(p, i, row->gravity) : 0.0;
  return arm_friction_band_variance(forth->used, back->used, more, row->friction);
}

/* All of a row but its gravity, which is there. */
static void fill_row(const ArmGravityParameters *p, size_t i, double v, double qdd,
                     const ArmPredictOptions *options, ArmPredictRow *row) {
  row->acceleration = p->joint[i].has_acceleration && isfinite(qdd) ? qdd : 0.0;
  friction_weights(options, i, v, row->friction);
  if (p->joint[i].has_term[ARM_TERM_LOAD] || p->joint[i].has_term[ARM_TERM_CURVE])
    add_terms(p, i, v, row);
}

/* What is added to the variance of the mean; NAN: leans on what is not known. */
static double more_variance(const ArmGravityParameters *p, size_t i, double v,
                            const ArmPredictOptions *options, const ArmPredictRow *row,
                            const Gradient *g, double *noise_variance) {
  const double noise = options->wants_noise ? p->joint[i].residual_sd : 0.0;
  *noise_variance = noise * noise;
  if (leans_on_unknown(p, g, i))
    return (double)NAN;
  return v == 0.0 && options->wants_stiction ? band_variance(p, i, row) : 0.0;
}

static void predict_joint(const ArmModel *model, const ArmGravityParameters *p,
                          const ArmGravityChain *chain, double v, double qdd,
                          const ArmPredictOptions *options, size_t i, double *current, double *sd) {
  ArmPredictRow row = {0};
  Gradient g;
  double noise;
  arm_gravity_chain_row(model, chain, i, row.gravity);
  fill_row(p, i, v, qdd, options, &row);
  *current = apply_row(p, i, &row, &g);
  const double more = more_variance(p, i, v, options, &row, &g, &noise);
  *sd = sqrt(variance_of(p, &g, i) + more + noise);
}

bool arm_predict_is_beyond(const ArmModel *model, const ArmGravityParameters *p, const double *q,
                           size_t joint) {
  double row[2 * ARM_MAX_JOINTS];
  const double *seen = p->joint[joint].load_seen;
  if (!p->joint[joint].has_term[ARM_TERM_LOAD])
    return false;
  arm_gravity_row(model, q, joint, row);
  const double load = fabs(arm_predict_gravity(p, joint, row));
  return load > seen[1] + BEYOND * seen[1] || load < seen[0] - BEYOND * seen[1];
}

/* Speeds of the motors of a state that can be predicted. */
static ArmStatus take_state(const ArmModel *model, const ArmGravityParameters *parameters,
                            const double *q, const double *qd, double *motor_qd) {
  double speed[ARM_MAX_JOINTS];
  if (model->n != parameters->n)
    return ARM_E_ARGUMENT;
  for (size_t i = 0; i < model->n; i++) {
    if (model->joints[i].type != parameters->type[i])
      return ARM_E_ARGUMENT;
    if (!isfinite(q[i]) || isinf(qd[i]))
      return ARM_E_NOT_FINITE;
    speed[i] = isnan(qd[i]) ? 0.0 : qd[i];
  }
  arm_model_motor_speed(model, speed, motor_qd);
  return ARM_OK;
}

ArmStatus arm_predict(const ArmModel *model, const ArmGravityParameters *parameters,
                      const double *q, const double *qd, const double *qdd,
                      const ArmPredictOptions *options, double *current, double *sd) {
  double motor_qd[ARM_MAX_JOINTS];
  ArmGravityChain chain;
  const ArmStatus status = take_state(model, parameters, q, qd, motor_qd);
  if (status != ARM_OK)
    return status;
  arm_gravity_chain(model, q, NULL, &chain);
  for (size_t i = 0; i < model->n; i++)
    predict_joint(model, parameters, &chain, motor_qd[i], qdd ? qdd[i] : (double)NAN, options, i,
                  &current[i], &sd[i]);
  return ARM_OK;
}

/* ---- many states ---- */

static bool may_lean_on(const ArmGravityParameters *p, size_t i, ArmParamId id) {
  if (place_of(i, id) == NO_PLACE)
    return false;
  return id.kind > ARM_PARAM_MHAT || id.i == i ||
         (id.i > i && p->cluster[i] >= 0 && p->cluster[i] == p->cluster[id.i]);
}

void arm_predict_begin(const ArmGravityParameters *p, ArmPredictWork *work) {
  work->last = NULL;
  for (size_t i = 0; i < p->n; i++) {
    size_t count = 0;
    for (size_t k = 0; k < p->n_ids && count < ARM_PREDICT_ENTRIES; k++)
      if (may_lean_on(p, i, p->ids[k])) {
        work->id[i][count] = (unsigned short)k;
        work->entry[i][count++] = (unsigned short)place_of(i, p->ids[k]);
      }
    work->count[i] = count;
  }
}

/* The entries of `work->gradient` that are not 0 in all rows, closed up. Their ids are returned in
 * `index`. */
static size_t close_up(ArmPredictWork *work, size_t i, size_t *index) {
  size_t count = 0;
  for (size_t e = 0; e < work->count[i]; e++) {
    bool is_zero = true;
    for (size_t r = 0; r < ARM_PREDICT_ROWS; r++)
      is_zero = is_zero && work->gradient[e][r] == 0.0;
    if (is_zero)
      continue;
    if (count < e)
      memcpy(work->gradient[count], work->gradient[e], sizeof *work->gradient);
    index[count++] = work->id[i][e];
  }
  return count;
}

/* g' C g of all rows, each in the order of variance_of: what is 0 in a row adds 0. */
static void variances_of(const ArmGravityParameters *p, ArmPredictWork *work, size_t i,
                         double sums[ARM_PREDICT_ROWS]) {
  size_t index[ARM_PREDICT_ENTRIES];
  const size_t count = close_up(work, i, index);
  double sum[ARM_PREDICT_ROWS] = {0};
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++) {
      const double c = p->covariance[index[a] + index[b] * p->n_ids];
      for (size_t r = 0; r < ARM_PREDICT_ROWS; r++)
        sum[r] += work->gradient[a][r] * work->gradient[b][r] * c;
    }
  for (size_t r = 0; r < ARM_PREDICT_ROWS; r++)
    sums[r] = fmax(0.0, sum[r]);
}

static void predict_joint_rows(const ArmModel *model, const ArmGravityParameters *p, size_t rows,
                               const double *qdd, const ArmPredictOptions *options, size_t i,
                               ArmPredictWork *work, double *current, double *sd) {
  const size_t n = model->n;
  double more[ARM_PREDICT_ROWS], noise = 0.0, sum[ARM_PREDICT_ROWS];
  ArmPredictOptions own = *options;
  memset(work->gradient, 0, work->count[i] * sizeof *work->gradient);
  for (size_t r = 0; r < rows; r++) {
    ArmPredictRow row = {0};
    Gradient g;
    const double v = work->motor_qd[r][i];
    own.position_error = options->position_error ? options->position_error + r * n : NULL;
    arm_gravity_chain_row(model, &work->chain[r], i, row.gravity);
    fill_row(p, i, v, qdd ? qdd[r * n + i] : (double)NAN, &own, &row);
    current[r * n + i] = apply_row(p, i, &row, &g);
    more[r] = more_variance(p, i, v, options, &row, &g, &noise);
    for (size_t e = 0; e < work->count[i]; e++)
      work->gradient[e][r] = entry_at(&g, work->entry[i][e]);
  }
  variances_of(p, work, i, sum);
  for (size_t r = 0; r < rows; r++)
    sd[r * n + i] = sqrt(sum[r] + more[r] + noise);
}

ArmStatus arm_predict_rows(const ArmModel *model, const ArmGravityParameters *parameters,
                           size_t rows, const double *q, const double *qd, const double *qdd,
                           const ArmPredictOptions *options, ArmPredictWork *work, double *current,
                           double *sd) {
  const size_t n = model->n;
  if (rows > ARM_PREDICT_ROWS)
    return ARM_E_ARGUMENT;
  for (size_t r = 0; r < rows; r++) {
    const ArmStatus status =
        take_state(model, parameters, q + r * n, qd + r * n, work->motor_qd[r]);
    if (status != ARM_OK)
      return status;
  }
  for (size_t r = 0; r < rows; r++) {
    arm_gravity_chain(model, q + r * n, work->last, &work->chain[r]);
    work->last = &work->chain[r];
  }
  for (size_t i = 0; i < n; i++)
    predict_joint_rows(model, parameters, rows, qdd, options, i, work, current, sd);
  return ARM_OK;
}
