/* SPDX-License-Identifier: MIT */
/* All causes, scored, the likely ones refitted. */
#include "core/sweeps/diagnose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/diagnose_internal.h"

/* Refitted, after the linear step has ranked them: the four likeliest geometric causes (Armature
 * theory notes, lack of fit, section 5.1), and two each of those whose linear step misleads: a
 * payload's may leave 80 times the noise (5.2), a ripple's more than noise, since it bends the
 * ratios. */
enum { REFITTED = 4, PAYLOADS_REFITTED = 2, RIPPLES_REFITTED = 2 };
/* The lists are bounded. The time at which a gain changed is looked for in 16 steps, then finer: at
 * each stroke of 19,700 it took 138 s, so 25 s. A part of fewer strokes than a fifth is one sweep's
 * affair. */
enum { MOST = 2048, MOST_PAYLOADS = 512, GAIN_PART = 5, GAIN_TIMES = 16, GAIN_FINER = 8 };
#define LEAST_SCORE 6.0  /* as far as the recording tells anything apart (notes, 5.1) */
#define ROUNDING    1e-9 /* of a direction cosine that is 1, as in core/arm/structure */
#define LEAST_SINE  1e-3 /* 0.06 deg: less is parallel there, too */

const char *arm_cause_key(ArmCauseCode code) {
  static const char *const keys[ARM_CAUSES] = {
      "base-tilt",      "joint-zero",      "gear-ratio",    "joint-direction", "dh-sign",
      "swapped-joints", "payload-changed", "one-sweep",     "ripple",          "current-gain",
      "current-delay",  "backlash",        "load-friction", "friction-curve",  "friction-drift"};
  return (unsigned)code < ARM_CAUSES ? keys[code] : "";
}

typedef struct {
  ArmStrokeFit *fit;
  const ArmStrokes *strokes;
  const ArmVerdict *verdict;
  ArmCause *list; /* MOST, owned */
  size_t count, unseen, worst;
  double *z;         /* (rows + priors) x 4, owned */
  size_t done, most; /* of what is reported */
  bool (*progress)(double done, void *user);
  void *user;
} Search;

/* ARM_E_NO_DATA: cancelled */
static ArmStatus report(Search *s, size_t more) {
  s->done += more;
  const double part = fmin(1.0, (double)s->done / (double)s->most);
  return !s->progress || s->progress(part, s->user) ? ARM_OK : ARM_E_NO_DATA;
}

static ArmCause blank(ArmCauseCode code, size_t joint, size_t values) {
  return (ArmCause){.code = code,
                    .joint = joint,
                    .other = ARM_CAUSE_NO_JOINT,
                    .time = (double)NAN,
                    .speed = (double)NAN,
                    .values = values,
                    .dof = (double)values};
}

static void add(Search *s, const ArmCause *cause) {
  if (s->count < MOST)
    s->list[s->count++] = *cause;
}

/* Is what a cause leaves noise? By all rows, and by the tests of the joint that misses most: what
 * is wrong in one joint of six alone may pass for noise among the rows of all. Where only friction
 * alarms these tests have found nothing to begin with. */
static bool leaves_noise(const Search *s, const ArmCause *cause) {
  return (s->fit->chi2 - cause->explained) / (double)s->fit->rows <= ARM_REST_EXPLAINED &&
         (arm_verdict_first(s->verdict) > ARM_TEST_DIRECTION ||
          arm_stroke_fit_is_noise(s->fit, s->worst, s->fit->work));
}

/* by the linear step */
static void score(Search *s, ArmCause *cause, double *z) {
  const ArmScore found = arm_diagnose_score(s->fit, cause->values, z);
  if (found.rank == 0) {
    s->unseen++;
    return;
  }
  for (size_t c = 0; c < cause->values; c++) /* work: the residual, whitened */
    arm_project_out(s->fit->shelf, s->fit->rows + s->fit->priors, 1,
                    z + c * (s->fit->rows + s->fit->priors), s->fit->work);
  cause->left = arm_diagnose_missed(s->fit, s->worst, s->fit->work);
  cause->explained = found.explained;
  cause->explains_it = leaves_noise(s, cause);
  memcpy(cause->value, found.value, sizeof cause->value);
  memcpy(cause->sd, found.sd, sizeof cause->sd);
  if (!arm_cause_is_absurd(s->fit, cause))
    add(s, cause);
}

static void try_columns(Search *s, ArmCause cause) {
  if (arm_diagnose_columns(s->fit, &cause, s->z))
    score(s, &cause, s->z);
}

/* of the causes since `first` */
static void keep_best(Search *s, size_t first) {
  for (size_t k = first + 1; k < s->count; k++)
    if (s->list[k].explained > s->list[first].explained)
      s->list[first] = s->list[k];
  s->count = s->count > first ? first + 1 : first;
}

static void try_drift(Search *s) {
  static const double constants[] = {100.0, 300.0, 1000.0}; /* s; notes, 5.1 */
  const size_t first = s->count;
  for (size_t k = 0; k < 3; k++) {
    ArmCause cause = blank(ARM_CAUSE_FRICTION_DRIFT, ARM_CAUSE_NO_JOINT, 1);
    cause.time = constants[k];
    try_columns(s, cause);
  }
  keep_best(s, first);
}

typedef struct {
  size_t from, to;
} Range;

/* Since each `step`-th of these strokes; the best is kept in the list at `first`, its stroke in
 * *best. */
static void try_gains(Search *s, size_t i, size_t first, Range strokes, size_t step, size_t *best) {
  const ArmFitStroke *at = s->fit->strokes + s->fit->joint[i].first_stroke;
  for (size_t k = strokes.from; k <= strokes.to; k += step) {
    ArmCause cause = blank(ARM_CAUSE_CURRENT_GAIN, i, 1);
    cause.time = at[k].sums->t_first;
    cause.dof = 2.0; /* its time is chosen too */
    try_columns(s, cause);
    keep_best(s, first);
    if (s->count > first && s->list[first].time == cause.time)
      *best = k;
  }
}

/* Since one of the joint's strokes, in order of time, that has a fifth of them before and behind
 * it: one that begins or ends so is a disturbed sweep. Where they are many, ever nearer to the best
 * of some: each step goes over all rows. */
static void try_gain(Search *s, size_t i) {
  const size_t strokes = s->fit->joint[i].strokes, first = s->count;
  const size_t least = (strokes + GAIN_PART - 1) / GAIN_PART;
  if (strokes < 2 * least || strokes == 0)
    return;
  const Range all = {least, strokes - least};
  size_t step = (all.to - all.from) / GAIN_TIMES + 1, best = least;
  try_gains(s, i, first, all, step, &best);
  while (step > 1) {
    const Range near = {best > least + step ? best - step : least,
                        best + step < all.to ? best + step : all.to};
    step = (step - 1) / GAIN_FINER + 1;
    try_gains(s, i, first, near, step, &best);
  }
}

/* where one sweep stands out: that one, or its partner */
static void try_sweeps(Search *s, size_t i) {
  const ArmJointStrokes *joint = &s->fit->joint[i];
  if (!s->verdict->joint[i].test[ARM_TEST_STROKE].is_alarm || joint->outlier == ARM_IDENT_NONE)
    return;
  const ArmPair *pair = &s->fit->pairs[joint->outlier];
  const size_t both[2] = {pair->plus, pair->minus};
  for (size_t k = 0; k < 2; k++) {
    const ArmFitStroke *stroke = &s->fit->strokes[both[k]];
    ArmCause cause = blank(ARM_CAUSE_ONE_SWEEP, i, 2);
    cause.hold = stroke->sums->hold;
    cause.time = stroke->sums->t_first;
    cause.speed = stroke->speed;
    try_columns(s, cause);
  }
}

static void try_local(Search *s) {
  const size_t n = s->fit->ident->model->n;
  for (size_t i = 0; i < n; i++) {
    if (s->fit->joint[i].strokes == 0)
      continue;
    for (size_t order = 1; order <= 2; order++) {
      ArmCause cause = blank(ARM_CAUSE_RIPPLE, i, 2);
      cause.order = order;
      if (s->fit->ident->model->joints[i].type == ARM_JOINT_R)
        try_columns(s, cause);
    }
    try_columns(s, blank(ARM_CAUSE_BACKLASH, i, 1));
    try_columns(s, blank(ARM_CAUSE_LOAD_FRICTION, i, 1));
    try_gain(s, i);
    try_sweeps(s, i);
  }
  try_columns(s, blank(ARM_CAUSE_CURRENT_DELAY, ARM_CAUSE_NO_JOINT, 1));
  try_columns(s, blank(ARM_CAUSE_LOAD_FRICTION, ARM_CAUSE_NO_JOINT, 1));
  try_columns(s, blank(ARM_CAUSE_FRICTION_CURVE, ARM_CAUSE_NO_JOINT, 1));
  try_drift(s);
}

/* ---- geometry and payload: scored on a trial at its start, the best refitted ---- */

static void probe(Search *s, ArmTrial *trial, ArmCause *as, ArmCause cause) {
  *as = cause;
  memset(trial->p, 0, sizeof trial->p);
  if (cause.code == ARM_CAUSE_PAYLOAD_CHANGED)
    arm_trial_load_columns(trial);
  else
    arm_trial_columns(trial);
  score(s, as, trial->z);
}

/* the same joint and hold as the stroke before it: a payload does not change between */
static bool is_new_group(const ArmStrokes *strokes, size_t s) {
  return s > 0 && (strokes->at[s].joint != strokes->at[s - 1].joint ||
                   strokes->at[s].hold != strokes->at[s - 1].hold);
}

static ArmStatus probe_payloads(Search *s, ArmTrial *trial, ArmCause *as) {
  size_t holds = 0;
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < s->fit->ident->model->n; i++)
    holds = s->fit->joint[i].holds > holds ? s->fit->joint[i].holds : holds;
  for (size_t h = 0; h < holds && holds > 1; h++) {
    ArmCause cause = blank(ARM_CAUSE_PAYLOAD_CHANGED, ARM_CAUSE_NO_JOINT, 4);
    cause.hold = h;
    probe(s, trial, as, cause);
  }
  for (size_t k = 0; k < s->strokes->count && status == ARM_OK; k++) {
    ArmCause cause = blank(ARM_CAUSE_PAYLOAD_CHANGED, ARM_CAUSE_NO_JOINT, 4);
    cause.time = s->strokes->at[k].t_first;
    arm_shelf_saw(s->fit->shelf, sizeof *s->strokes->at);
    if (!is_new_group(s->strokes, k) || s->count >= MOST_PAYLOADS)
      continue;
    probe(s, trial, as, cause);
    status = report(s, 0);
  }
  return status;
}

static ArmStatus probe_all(Search *s) {
  ArmCause as = blank(ARM_CAUSE_JOINT_ZERO, 0, 1);
  ArmTrial *trial = malloc(sizeof *trial);
  if (!trial)
    return ARM_E_MEMORY;
  ArmStatus status = arm_trial_init(trial, s->fit, s->strokes, &as);
  for (size_t j = 0; j < s->fit->ident->model->n && status == ARM_OK; j++) {
    probe(s, trial, &as, blank(ARM_CAUSE_JOINT_ZERO, j, 1));
    probe(s, trial, &as, blank(ARM_CAUSE_GEAR_RATIO, j, 1));
  }
  as = blank(ARM_CAUSE_JOINT_ZERO, 0, 1); /* leaves the geometry as it was */
  if (status == ARM_OK) {
    memset(trial->p, 0, sizeof trial->p);
    arm_trial_apply(trial);
    status = probe_payloads(s, trial, &as);
  }
  arm_trial_clear(trial);
  free(trial);
  return status;
}

/* Refits one cause from `start` (NULL: from nothing); the better of it and what it was is kept. A
 * cause that cannot be fitted stays as it is. */
static ArmStatus refit(Search *s, ArmCause *cause, const double *start) {
  ArmCause made = *cause;
  ArmTrial *trial = malloc(sizeof *trial);
  if (!trial)
    return ARM_E_MEMORY;
  ArmStatus status = arm_trial_init(trial, s->fit, s->strokes, &made);
  trial->worst = s->worst;
  if (status == ARM_OK && start)
    memcpy(trial->p, start, made.values * sizeof *start);
  if (status == ARM_OK)
    status = arm_trial_solve(trial);
  arm_trial_clear(trial);
  free(trial);
  if (status == ARM_OK && (!cause->is_refitted || made.explained > cause->explained))
    *cause = made;
  return status == ARM_OK || status == ARM_E_NUMERIC ? report(s, 1) : status;
}

static bool is_geometric(const ArmCause *c) {
  return c->code == ARM_CAUSE_JOINT_ZERO || c->code == ARM_CAUSE_GEAR_RATIO;
}

static bool is_payload(const ArmCause *c) {
  return c->code == ARM_CAUSE_PAYLOAD_CHANGED;
}

/* linear, but the ratios that it has bent are not: what the linear step leaves of a true one is not
 * noise */
static bool is_ripple(const ArmCause *c) {
  return c->code == ARM_CAUSE_RIPPLE;
}

/* the `most` that explain most by the linear step */
static ArmStatus refit_best(Search *s, bool (*is_kind)(const ArmCause *), size_t most) {
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < most && status == ARM_OK; k++) {
    ArmCause *best = NULL;
    for (size_t c = 0; c < s->count; c++)
      if (is_kind(&s->list[c]) && !s->list[c].is_refitted &&
          (!best || s->list[c].explained > best->explained))
        best = &s->list[c];
    if (!best || best->explained < LEAST_SCORE)
      break;
    const ArmCause linear = *best;
    best->explained = 0.0;
    status = refit(s, best, is_ripple(best) ? linear.value : NULL);
    best->is_refitted = true; /* or cannot be: it explains nothing then */
    if (arm_cause_is_absurd(s->fit, best))
      best->explained = 0.0;
  }
  return status;
}

static ArmStatus refit_gears(Search *s) {
  /* log 2, log 1/2 beside the linear step: a gear is not local (notes, 5.1) */
  static const double starts[2] = {0.69314718055994531, -0.69314718055994531};
  ArmStatus status = ARM_OK;
  for (size_t c = 0; c < s->count; c++)
    for (size_t k = 0; k < 2 && status == ARM_OK; k++)
      if (s->list[c].code == ARM_CAUSE_GEAR_RATIO)
        status = refit(s, &s->list[c], &starts[k]);
  return status;
}

/* Is there a pair that stands across the change? Its rows have no one gain. */
static bool splits_pair(const ArmStrokeFit *fit, const ArmCause *c) {
  const ArmJointStrokes *joint = &fit->joint[c->joint];
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    arm_stroke_fit_saw_pair(fit, &fit->pairs[p]);
    if ((fit->strokes[fit->pairs[p].plus].sums->t_first >= c->time) !=
        (fit->strokes[fit->pairs[p].minus].sums->t_first >= c->time))
      return true;
  }
  return false;
}

static ArmStatus refit_gain(Search *s) {
  ArmCause *best = NULL;
  for (size_t c = 0; c < s->count; c++)
    if (s->list[c].code == ARM_CAUSE_CURRENT_GAIN && !splits_pair(s->fit, &s->list[c]) &&
        (!best || s->list[c].explained > best->explained))
      best = &s->list[c];
  return best ? refit(s, best, NULL) : ARM_OK;
}

static ArmStatus try_alone(Search *s, ArmCause cause, double dof) {
  cause.dof = dof;
  const ArmStatus status = refit(s, &cause, NULL);
  if (cause.is_refitted)
    add(s, &cause);
  return status;
}

/* Rx(beta) with a beta whose sign means something: the axes are not parallel. */
static bool has_angle(const ArmJoint *joint) {
  const double *r = joint->rotation;
  return fabs(r[0] - 1.0) < ROUNDING && fabs(r[5]) > LEAST_SINE;
}

static ArmStatus try_discrete(Search *s) {
  const ArmModel *model = s->fit->ident->model;
  const size_t n = model->n;
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < n && status == ARM_OK; i++) {
    if (has_angle(&model->joints[i]))
      status = try_alone(s, blank(ARM_CAUSE_DH_SIGN, i, 0), 0.5);
    if (status == ARM_OK)
      status = try_alone(s, blank(ARM_CAUSE_JOINT_DIRECTION, i, 0), 0.5);
    for (size_t j = i + 1; j < n && status == ARM_OK; j++) {
      ArmCause cause = blank(ARM_CAUSE_SWAPPED_JOINTS, i, 0);
      cause.other = j;
      if (model->joints[i].type == model->joints[j].type && s->fit->joint[i].strokes > 0 &&
          s->fit->joint[j].strokes > 0)
        status = try_alone(s, cause, 0.5);
    }
  }
  return status;
}

/* ---- the outcome ---- */

static void rank(Search *s, ArmDiagnosis *to) {
  arm_causes_rank(s->fit, s->strokes->origin, s->list, s->count);
  for (size_t k = 0; k < s->count && to->count < ARM_MAX_DIAGNOSED; k++) {
    ArmCause *c = &s->list[k];
    if (c->score < LEAST_SCORE)
      break;
    if (to->count == 0 && c->doubt == ARM_CAUSE_UNCERTAIN && !arm_cause_leaves_noise(c))
      continue; /* nobody is sent first after what may be nothing */
    c->is_tied = to->count > 0 && arm_causes_tied(&to->at[0], c);
    to->at[to->count++] = *c;
  }
  to->unseen = s->unseen;
}

/* Where gravity alarms, currents are told by the measure of its test: one misfit, one number. */
static void measure_as_test(const Search *s, ArmDiagnosis *to) {
  const double size = s->verdict->joint[s->worst].test[ARM_TEST_GRAVITY].size;
  if (arm_verdict_first(s->verdict) != ARM_TEST_GRAVITY || !(to->missed > 0.0))
    return;
  for (size_t k = 0; k < to->count; k++)
    to->at[k].left *= size / to->missed;
  to->missed = size;
}

/* friction that went while the joint was swept: the fit has it already */
static void add_trend(Search *s, size_t i) {
  const ArmJointVerdict *v = &s->verdict->joint[i];
  ArmCause cause = blank(ARM_CAUSE_FRICTION_DRIFT, i, 1);
  if (!v->test[ARM_TEST_TREND].is_alarm || !(v->trend_sd > 0.0))
    return;
  cause.value[0] = v->trend;
  cause.sd[0] = v->trend_sd;
  cause.explained = v->trend / v->trend_sd * v->trend / v->trend_sd;
  cause.time = s->fit->joint[i].t_span;
  cause.rest = s->fit->chi2 / (double)s->fit->rows;
  cause.left = (double)NAN;
  cause.is_refitted = true;
  cause.explains_it = cause.rest <= ARM_REST_EXPLAINED;
  add(s, &cause);
}

/* Gravity and direction fit: what is wrong is friction's size, speed or time, and nothing else is
 * looked for. Scatter has no cause that a recording could tell. */
static void search_friction(Search *s) {
  const ArmTestKind kind = arm_verdict_first(s->verdict);
  for (size_t i = 0; i < s->verdict->n && kind == ARM_TEST_TREND; i++)
    add_trend(s, i);
  if (kind == ARM_TEST_SPEED)
    try_columns(s, blank(ARM_CAUSE_FRICTION_CURVE, ARM_CAUSE_NO_JOINT, 1));
}

/* the joint with the alarm that misses most; the residual is in work */
static void find_worst(Search *s, ArmDiagnosis *to) {
  const ArmTestKind kind = arm_verdict_first(s->verdict);
  for (size_t i = 0; i < s->verdict->n; i++) {
    const double missed = arm_diagnose_missed(s->fit, i, s->fit->work);
    if (!s->verdict->joint[i].test[kind].is_alarm || missed < to->missed)
      continue;
    to->missed = missed;
    to->worst = i;
  }
  s->worst = to->worst;
}

/* refits of causes, by the way of `search`: some of them may not be needed */
static size_t most_refits(const ArmModel *model) {
  const size_t n = model->n;
  return REFITTED + PAYLOADS_REFITTED + RIPPLES_REFITTED + 1 + 1 + 2 * n + 2 * n + n * (n - 1) / 2;
}

static ArmStatus search(Search *s, ArmDiagnosis *to) {
  ArmStatus status;
  s->fit->cost = arm_stroke_fit_weighted(s->fit, s->fit->work);
  find_worst(s, to);
  if (arm_verdict_first(s->verdict) > ARM_TEST_DIRECTION) {
    search_friction(s);
    return ARM_OK;
  }
  try_local(s);
  status = probe_all(s);
  if (status == ARM_OK)
    status = refit_best(s, is_ripple, RIPPLES_REFITTED);
  if (status == ARM_OK)
    status = refit_best(s, is_geometric, REFITTED);
  if (status == ARM_OK)
    status = refit_gears(s);
  if (status == ARM_OK)
    status = refit_best(s, is_payload, PAYLOADS_REFITTED);
  if (status == ARM_OK)
    status = refit_gain(s);
  if (status == ARM_OK)
    status = try_alone(s, blank(ARM_CAUSE_BASE_TILT, ARM_CAUSE_NO_JOINT, 2), 2.0);
  return status == ARM_OK ? try_discrete(s) : status;
}

ArmStatus arm_diagnose(ArmStrokeFit *fit, const ArmStrokes *strokes, const ArmVerdict *verdict,
                       bool (*progress)(double done, void *user), void *user,
                       ArmDiagnosis *diagnosis) {
  *diagnosis = (ArmDiagnosis){.chi2 = fit->chi2, .rows = fit->rows};
  if (arm_verdict_first(verdict) == ARM_TESTS)
    return ARM_OK;
  Search s = {.fit = fit, .strokes = strokes, .verdict = verdict};
  s.most = most_refits(fit->ident->model);
  s.progress = progress;
  s.user = user;
  s.list = calloc(MOST, sizeof *s.list);
  ArmStatus status = s.list ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK)
    s.z = arm_shelf_take(fit->shelf, (fit->rows + fit->priors) * ARM_CAUSE_VALUES + 1, sizeof *s.z,
                         &status);
  if (status == ARM_OK)
    status = search(&s, diagnosis);
  if (status == ARM_OK)
    rank(&s, diagnosis);
  if (status == ARM_OK)
    measure_as_test(&s, diagnosis);
  free(s.list);
  arm_shelf_give(fit->shelf, s.z);
  return status;
}
