/* SPDX-License-Identifier: MIT */
/* Each joint is judged by its own rows, with base parameters of its own: what other joints say of
 * them would pass for knowledge of its friction. What is tried are products of rows, fold by fold
 * (core/num/trials); y is what the fit leaves. */
#include "core/dynamics/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_internal.h"
#include "core/num/distribution.h"
#include "core/num/trials.h"

/* Limits: Armature theory notes, friction models, section 3. Ours: what is made up by the other
 * columns to a hundredth of its length is not seen. */
enum {
  LEAST_STROKES = 6,
  TRIED = ARM_DYN_OWN - ARM_DYN_LOCAL,
  SIDES = TRIED + 1,
  MOST_FOLDS = 20 /* then pairs become one */
};
#define LEAST_TIME   0.3 /* s */
#define LEAST_SHARE  1e-4
#define MOST_LOAD_SD 0.03
#define MOST_LOAD    0.5
#define TAIL         0.01 /* of load one-sided, of the curve two-sided */
#define LEAST_GAIN   0.02
#define COST         6.0
#define ROUNDING     1e-9 /* of the current */

typedef struct {
  ArmTrials trials;
  double own[ARM_DYN_OWN], eta; /* of the fit */
  size_t places;
  size_t place[ARM_DYN_OWN]; /* places  own columns that the fit has */
  double residual_sd, widening;
  double *line, *stroke;    /* a row; products of the stroke on its way */
  size_t stroke_rows, rows; /* rows: of all strokes that were taken */
  int way;                  /* of the stroke; 0: none */
  double t_first, t_last;   /* of the stroke */
  double effort;            /* squares of what was measured */
  size_t strokes, per_fold; /* per_fold: strokes in a fold that is full */
  size_t in_fold;           /* strokes in the last fold */
} Joint;

struct ArmDynStudy {
  size_t n, count;
  double *base; /* count  of the fit */
  Joint joint[ARM_MAX_JOINTS];
};

/* ---- what terms lean on ---- */

bool arm_dynamics_has_term(const ArmDynamicsJoint *joint, ArmFrictionTerm term) {
  return term == ARM_TERM_LOAD ? joint->has[ARM_DYN_LOAD]
                               : joint->has[ARM_DYN_CURVE] || joint->has[ARM_DYN_CURVE_WIDE];
}

void arm_dyn_terms_of(const ArmDynamicsFit *fit, const double *fastest, double *beta,
                      ArmDynTerms *terms) {
  *terms = (ArmDynTerms){.beta = beta};
  for (size_t b = 0; b < fit->count; b++)
    beta[b] = fit->base[b].used;
  for (size_t j = 0; j < fit->n; j++) {
    const double most = fastest[j] > 0 ? fastest[j] : 1;
    terms->eta[j] = fit->joint[j].eta.used;
    terms->curve_speed[j][0] = ARM_DYN_CURVE_PART * most;
    terms->curve_speed[j][1] = ARM_DYN_CURVE_WIDE_PART * most;
  }
}

/* ---- life ---- */

static ArmStatus joint_init(const ArmDynamicsFit *fit, size_t j, Joint *joint) {
  const ArmDynamicsJointFit *of = &fit->joint[j];
  *joint = (Joint){.eta = of->eta.used,
                   .residual_sd = of->statistics.residual_sd,
                   .widening = fmax(of->statistics.widening, 1),
                   .per_fold = 1};
  for (size_t l = 0; l < ARM_DYN_OWN; l++)
    if (of->known.has[l]) {
      joint->own[l] = of->local[l].used;
      joint->place[joint->places++] = l;
    }
  const size_t columns = joint->places + fit->count, width = columns + SIDES;
  joint->line = calloc(width + width * width, sizeof *joint->line);
  if (!joint->line)
    return ARM_E_MEMORY;
  joint->stroke = joint->line + width;
  return arm_trials_init(&joint->trials, columns, SIDES, MOST_FOLDS);
}

ArmStatus arm_dyn_study_new(const ArmDynamicsFit *fit, ArmDynStudy **out) {
  ArmDynStudy *study = calloc(1, sizeof *study);
  if (!study)
    return ARM_E_MEMORY;
  study->n = fit->n;
  study->count = fit->count;
  study->base = calloc(fit->count + 1, sizeof *study->base);
  ArmStatus status = study->base ? ARM_OK : ARM_E_MEMORY;
  for (size_t b = 0; b < fit->count && status == ARM_OK; b++)
    study->base[b] = fit->base[b].used;
  for (size_t j = 0; j < fit->n && status == ARM_OK; j++)
    status = joint_init(fit, j, &study->joint[j]);
  if (status == ARM_OK)
    *out = study;
  else
    arm_dyn_study_free(study);
  return status;
}

void arm_dyn_study_free(ArmDynStudy *study) {
  if (!study)
    return;
  for (size_t j = 0; j < study->n; j++) {
    arm_trials_clear(&study->joint[j].trials);
    free(study->joint[j].line);
  }
  free(study->base);
  free(study);
}

/* ---- strokes ---- */

static void add_products(double *to, const double *from, size_t count) {
  for (size_t k = 0; k < count; k++)
    to[k] += from[k];
}

/* All folds are full and one more would be too many: neighbours share one from now on. */
static void pair_folds(Joint *joint) {
  ArmTrials *trials = &joint->trials;
  const size_t size = trials->width * trials->width;
  for (size_t f = 0; f < MOST_FOLDS / 2; f++) {
    double *to = arm_trials_gram(trials, f);
    if (f > 0)
      memcpy(to, arm_trials_gram(trials, 2 * f), size * sizeof *to);
    add_products(to, arm_trials_gram(trials, 2 * f + 1), size);
  }
  for (size_t f = MOST_FOLDS / 2; f < MOST_FOLDS; f++)
    memset(arm_trials_gram(trials, f), 0, size * sizeof(double));
  trials->folds = MOST_FOLDS / 2;
  joint->per_fold *= 2;
}

static void end_stroke(Joint *joint) {
  ArmTrials *trials = &joint->trials;
  const size_t size = trials->width * trials->width;
  if (joint->way != 0 && joint->t_last - joint->t_first >= LEAST_TIME) {
    if (joint->in_fold == 0)
      trials->folds++;
    add_products(arm_trials_gram(trials, trials->folds - 1), joint->stroke, size);
    joint->rows += joint->stroke_rows;
    joint->strokes++;
    joint->in_fold = (joint->in_fold + 1) % joint->per_fold;
    if (trials->folds == MOST_FOLDS && joint->in_fold == 0)
      pair_folds(joint);
  }
  if (joint->way != 0)
    memset(joint->stroke, 0, size * sizeof *joint->stroke);
  joint->way = 0;
  joint->stroke_rows = 0;
}

/* [ own columns of the fit | base | what is tried | what the fit leaves ] */
static void make_line(const ArmDynStudy *study, Joint *joint, const double *row, size_t ld) {
  double *line = joint->line, torque = 0;
  double *sides = line + joint->trials.count;
  double left = row[(ARM_DYN_OWN + study->count) * ld];
  joint->effort += left * left;
  for (size_t p = 0; p < joint->places; p++) {
    line[p] = row[joint->place[p] * ld];
    left -= joint->own[joint->place[p]] * line[p];
  }
  for (size_t b = 0; b < study->count; b++) {
    line[joint->places + b] = row[(ARM_DYN_OWN + b) * ld];
    torque += study->base[b] * line[joint->places + b];
  }
  for (size_t k = 0; k < TRIED; k++)
    sides[k] = row[(ARM_DYN_LOCAL + k) * ld];
  sides[TRIED] = left - joint->eta * torque;
}

void arm_dyn_study_push(ArmDynStudy *study, size_t j, size_t rows, bool follows, const double *t,
                        const double *block, size_t ld) {
  Joint *joint = &study->joint[j];
  for (size_t r = 0; r < rows; r++) {
    const double *row = block + r;
    const int way = row[ARM_DYN_COULOMB_POS * ld] >= row[ARM_DYN_COULOMB_NEG * ld] ? 1 : -1;
    if (way != joint->way || (r == 0 && !follows)) {
      end_stroke(joint);
      joint->way = way;
      joint->t_first = t[r];
    }
    make_line(study, joint, row, ld);
    arm_trials_add(&joint->trials, joint->line, joint->stroke);
    joint->stroke_rows++;
    joint->t_last = t[r];
  }
}

/* ---- the rule ---- */

static ArmTermOutcome judge(const Joint *joint, ArmFrictionTerm term, const ArmTrial *t,
                            double sd) {
  const bool is_load = term == ARM_TERM_LOAD;
  const double effective = (double)joint->rows / (joint->widening * joint->widening);
  if (!t->is_seen || !(t->share > LEAST_SHARE) || (is_load && !(sd < MOST_LOAD_SD)))
    return ARM_TERM_UNSEEN;
  const double tail =
      arm_t_upper((is_load ? t->value : fabs(t->value)) / sd, (double)(joint->trials.folds - 1));
  if (!(tail < (is_load ? TAIL : TAIL / 2)) ||
      !(t->without > ROUNDING * ROUNDING * joint->effort) ||
      !(effective * log(t->without / fmax(t->with, 0)) > log(effective) + COST))
    return ARM_TERM_NOT_NEEDED;
  if (is_load && t->value > MOST_LOAD)
    return ARM_TERM_ABSURD;
  return t->gain >= LEAST_GAIN ? ARM_TERM_CHOSEN : ARM_TERM_NO_GAIN;
}

/* sd: the larger of what rows and what strokes left out say */
static ArmStatus try_column(Joint *joint, size_t tried, ArmTermTrial *trial) {
  const ArmFrictionTerm term = tried == 0 ? ARM_TERM_LOAD : ARM_TERM_CURVE;
  ArmTrial t;
  const ArmStatus status = arm_trials_try(&joint->trials, tried, &t);
  const double white = sqrt(fmax(0, t.with) / (double)joint->rows / t.own);
  const double by_rows = white * joint->widening, sd = fmax(by_rows, t.spread);
  *trial = (ArmTermTrial){judge(joint, term, &t, sd), t.value, sd, t.gain, sd / by_rows};
  return status;
}

/* Of the two curves the one that may be chosen, and of those the one that predicts better. */
static bool is_better(const ArmTermTrial *a, const ArmTermTrial *than) {
  const bool is_chosen = a->outcome == ARM_TERM_CHOSEN;
  if (is_chosen != (than->outcome == ARM_TERM_CHOSEN))
    return is_chosen;
  return a->gain > than->gain;
}

static ArmStatus try_all(Joint *joint, const bool *offers, const ArmDynamicsJoint *known,
                         ArmTermTrial *trial, size_t *curve) {
  ArmStatus status = ARM_OK;
  *curve = 0;
  for (size_t tried = 0; tried < TRIED && status == ARM_OK; tried++) {
    const ArmFrictionTerm term = tried == 0 ? ARM_TERM_LOAD : ARM_TERM_CURVE;
    ArmTermTrial made;
    if (!offers[term] || arm_dynamics_has_term(known, term))
      continue;
    status = try_column(joint, tried, &made);
    if (status != ARM_OK || (tried > 1 && !is_better(&made, &trial[term])))
      continue;
    trial[term] = made;
    *curve = tried > 1 ? tried - 1 : 0;
  }
  return status;
}

/* Of those that may be chosen the one with the largest gain. */
static int find_best(const bool *offers, const ArmDynamicsJoint *known, const ArmTermTrial *trial) {
  int best = -1;
  for (int t = 0; t < ARM_TERMS; t++)
    if (offers[t] && !arm_dynamics_has_term(known, (ArmFrictionTerm)t) &&
        trial[t].outcome == ARM_TERM_CHOSEN && (best < 0 || trial[t].gain > trial[best].gain))
      best = t;
  return best;
}

static void take(ArmDynamicsJoint *known, int term, size_t curve, const ArmDynTerms *terms,
                 size_t j) {
  known->friction_sign = terms->eta[j] < 0 ? -1 : 1;
  if (term == ARM_TERM_LOAD) {
    known->has[ARM_DYN_LOAD] = true;
    return;
  }
  known->has[ARM_DYN_CURVE + curve] = true;
  known->curve_speed = terms->curve_speed[j][curve];
}

/* What might have been chosen too is not better than what was, until another study says so. */
static void leave_others(const bool *offers, const ArmDynamicsJoint *known, ArmTermTrial *trial) {
  for (int t = 0; t < ARM_TERMS; t++)
    if (offers[t] && !arm_dynamics_has_term(known, (ArmFrictionTerm)t) &&
        trial[t].outcome == ARM_TERM_CHOSEN)
      trial[t].outcome = ARM_TERM_NO_GAIN;
}

static ArmStatus choose_joint(ArmDynStudy *study, size_t j, const bool *offers,
                              const ArmDynTerms *terms, ArmDynamicsJoint *known,
                              ArmTermTrial *trial, bool *any) {
  Joint *joint = &study->joint[j];
  const double none = (double)NAN;
  size_t curve;
  end_stroke(joint);
  for (int t = 0; t < ARM_TERMS; t++)
    if (offers[t] && !arm_dynamics_has_term(known, (ArmFrictionTerm)t))
      trial[t] = (ArmTermTrial){ARM_TERM_FEW_STROKES, none, none, none, 1};
  if (joint->strokes < LEAST_STROKES || !(joint->residual_sd >= 0))
    return ARM_OK;
  arm_trials_sum(&joint->trials);
  ArmStatus status = arm_trials_turn(&joint->trials);
  if (status == ARM_OK)
    status = try_all(joint, offers, known, trial, &curve);
  if (status != ARM_OK)
    return status == ARM_E_NUMERIC ? ARM_OK : status;
  const int best = find_best(offers, known, trial);
  if (best >= 0) {
    take(known, best, curve, terms, j);
    leave_others(offers, known, trial);
    *any = true;
  }
  return ARM_OK;
}

ArmStatus arm_dyn_study_choose(ArmDynStudy *study, const bool *offers, const ArmDynTerms *terms,
                               ArmDynamicsJoint *joint, ArmTermTrial (*trial)[ARM_TERMS],
                               bool *any) {
  ArmStatus status = ARM_OK;
  *any = false;
  for (size_t j = 0; j < study->n && status == ARM_OK; j++)
    status = choose_joint(study, j, offers, terms, &joint[j], trial[j], any);
  return status;
}

/* ---- sds ---- */

/* The sd of one parameter by a factor; of all others what they share with it, as their values for a
 * given one are what they were: C + (f^2 - 1) c c^T / c_l, c its column, f the factor. */
static void widen(ArmDynamicsFit *fit, size_t j, size_t column, double factor) {
  const size_t at = arm_dynamics_place(fit, j, column), u = fit->unknowns;
  const double variance = fit->covariance[at + at * u];
  if (!(factor > 1) || !isfinite(factor) || !(variance > 0))
    return;
  const double *c = fit->covariance + at * u, by = (factor * factor - 1) / variance;
  for (size_t b = 0; b < u; b++)
    for (size_t a = 0; a < u && b != at; a++)
      if (a != at)
        fit->covariance[a + b * u] += by * c[a] * c[b];
  for (size_t k = 0; k < u; k++) {
    const double shared = fit->covariance[k + at * u] * factor * factor;
    fit->covariance[k + at * u] = fit->covariance[at + k * u] = shared;
  }
}

void arm_dynamics_widen_terms(ArmDynamicsFit *fit, ArmTermTrial (*trial)[ARM_TERMS]) {
  for (size_t j = 0; j < fit->n; j++)
    for (size_t l = ARM_DYN_LOAD; l < ARM_DYN_OWN; l++)
      if (fit->joint[j].known.has[l])
        widen(fit, j, l, trial[j][l == ARM_DYN_LOAD ? ARM_TERM_LOAD : ARM_TERM_CURVE].widening);
  arm_dyn_restate(fit);
}
