/* SPDX-License-Identifier: MIT */
/* Which causes are believed, and in which order: by what is explained less what as many values
 * explain by chance, but behind all credible ones where nobody could have overlooked a cause of
 * that size, or its size is noise. Source: Armature theory notes, lack of fit, section 5.1. */
#include <math.h>
#include <stdlib.h>

#include "core/sweeps/diagnose_internal.h"

/* Armature theory notes, lack of fit, section 5.1: what is nearer than this is not told apart. */
#define TIED_SCORE 6.0
#define TIED_PART  0.002
/* With two holds a ripple of 234 +- 540 mA came first where the gain had changed in mid-joint:
 * below 2 sds the size of a cause is in doubt. ENOUGH: chosen, of what such a cause explains. */
#define KNOWN      2.0 /* sds */
#define ENOUGH     0.5

/* Larger ones than these would have been seen, or are beyond what there is. */
#define MOST_ANGLE_R 0.34906585039886592 /* 20 deg: whoever sets an arm to its marks sees a few */
#define MOST_ZERO_T  0.1                 /* m */
#define MOST_GEAR    4.0 /* times; wrong plates and stages halve or double, motion is a quarter */
#define MOST_LOAD    0.5 /* of the load; theory notes, friction models, section 3 */
#define MOST_CHANGE  1.0 /* of friction: it doubles, or goes */
#define MOST_DELAY   1.0 /* s: no drive reports later */

bool arm_causes_tied(const ArmCause *a, const ArmCause *b) {
  return fabs(a->score - b->score) <=
         fmax(TIED_SCORE, TIED_PART * fmax(a->explained, b->explained));
}

/* the largest current of a joint's strokes, rms [A] */
static double current_of(const ArmStrokeFit *fit, size_t i) {
  const ArmJointStrokes *joint = &fit->joint[i];
  double most = 0.0;
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    double square = 0.0;
    for (size_t k = 0; k < ARM_STROKE_ORDERS; k++)
      square += fit->strokes[s].numbers.alpha[k] * fit->strokes[s].numbers.alpha[k];
    most = fmax(most, sqrt(square));
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
  }
  return most;
}

/* A ripple larger than the current it is in, friction that falls with the load, gears that touch
 * before they touch, or by more than the joint was swept, a current that turns its sign or is
 * reported long after. They only imitate what is wrong: of unsigned currents a backlash of 35 turns
 * came first. */
bool arm_cause_is_absurd(const ArmStrokeFit *fit, const ArmCause *c) {
  if (c->code == ARM_CAUSE_RIPPLE)
    return hypot(c->value[0], c->value[1]) > current_of(fit, c->joint);
  if (c->code == ARM_CAUSE_CURRENT_GAIN)
    return !(c->value[0] > -1.0);
  if (c->code == ARM_CAUSE_CURRENT_DELAY)
    return !(fabs(c->value[0]) <= MOST_DELAY);
  if (c->code == ARM_CAUSE_BACKLASH)
    return !(c->value[0] > 0.0 &&
             c->value[0] < fit->joint[c->joint].high - fit->joint[c->joint].low);
  return c->code == ARM_CAUSE_LOAD_FRICTION && !(c->value[0] > 0.0);
}

/* ---- values as they are told ---- */

static void express_payload(const ArmModel *model, ArmCause *c) {
  double eta, rel_sd;
  c->is_absolute = arm_model_nominal_eta(model, model->n - 1, &eta, &rel_sd);
  for (size_t k = 0; k < c->values && c->is_absolute; k++) {
    c->value[k] /= eta;
    c->sd[k] /= fabs(eta);
  }
}

/* Without a refit the fit has the mean of both gains: the change is relative to that. */
static void express_gain(const ArmStrokeFit *fit, ArmCause *c) {
  const ArmJointStrokes *joint = &fit->joint[c->joint];
  size_t since = 0;
  if (c->is_refitted) {
    c->value[0] = exp(c->value[0]);
    c->sd[0] *= c->value[0];
    return;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    since += fit->strokes[s].sums->t_first >= c->time;
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes + sizeof *fit->strokes->sums);
  }
  const double part = (double)since / (double)joint->strokes;
  const double scale = 1.0 / fmax(1.0 - part * c->value[0], 0.1);
  c->value[0] = 1.0 + scale * c->value[0];
  c->sd[0] *= scale * scale;
}

static void express(const ArmStrokeFit *fit, double origin, ArmCause *c) {
  if (c->code == ARM_CAUSE_GEAR_RATIO) {
    c->value[0] = exp(c->value[0]);
    c->sd[0] *= c->value[0];
  }
  if (c->code == ARM_CAUSE_PAYLOAD_CHANGED)
    express_payload(fit->ident->model, c);
  if (c->code == ARM_CAUSE_CURRENT_GAIN)
    express_gain(fit, c);
  if (c->code == ARM_CAUSE_ONE_SWEEP || c->code == ARM_CAUSE_PAYLOAD_CHANGED ||
      c->code == ARM_CAUSE_CURRENT_GAIN)
    c->time += origin;
}

/* ---- doubt ---- */

/* of all links, as far as the arm file states them; 0: of none */
static double mass_of(const ArmModel *model) {
  double mass = 0.0;
  for (size_t j = 0; j < model->n; j++)
    mass += model->joints[j].link.is_present ? model->joints[j].link.mass_kg : 0.0;
  return mass;
}

static bool is_too_large(const ArmModel *model, const ArmCause *c) {
  const double size = fabs(c->value[0]);
  switch (c->code) {
  case ARM_CAUSE_BASE_TILT:
    return hypot(c->value[0], c->value[1]) > MOST_ANGLE_R;
  case ARM_CAUSE_JOINT_ZERO:
    return size > (model->joints[c->joint].type == ARM_JOINT_R ? MOST_ANGLE_R : MOST_ZERO_T);
  case ARM_CAUSE_GEAR_RATIO:
  case ARM_CAUSE_CURRENT_GAIN:
    return fabs(log(size)) > log(MOST_GEAR);
  case ARM_CAUSE_LOAD_FRICTION:
    return size > MOST_LOAD;
  case ARM_CAUSE_FRICTION_CURVE:
  case ARM_CAUSE_FRICTION_DRIFT:
    return size > MOST_CHANGE;
  case ARM_CAUSE_BACKLASH: /* who moves the joint by hand feels a few degrees */
    return size > (model->joints[c->joint].type == ARM_JOINT_R ? MOST_ANGLE_R : MOST_ZERO_T);
  case ARM_CAUSE_PAYLOAD_CHANGED: /* no arm lifts itself */
    return c->is_absolute && isfinite(c->sd[0]) && mass_of(model) > 0.0 &&
           size - KNOWN * c->sd[0] > mass_of(model);
  case ARM_CAUSE_JOINT_DIRECTION:
  case ARM_CAUSE_DH_SIGN:
  case ARM_CAUSE_SWAPPED_JOINTS:
  case ARM_CAUSE_ONE_SWEEP:
  case ARM_CAUSE_RIPPLE:
  case ARM_CAUSE_CURRENT_DELAY:
  case ARM_CAUSES:
    break;
  }
  return false;
}

bool arm_cause_leaves_noise(const ArmCause *c) {
  return c->is_refitted && c->rest <= ARM_REST_EXPLAINED;
}

static bool is_uncertain(const ArmCause *c) {
  if (c->code == ARM_CAUSE_RIPPLE)
    return hypot(c->value[0], c->value[1]) < KNOWN * fmax(c->sd[0], c->sd[1]);
  const double none =
      c->code == ARM_CAUSE_GEAR_RATIO || c->code == ARM_CAUSE_CURRENT_GAIN ? 1.0 : 0.0;
  bool has_known = c->values == 0; /* it is so or not */
  for (size_t v = 0; v < c->values; v++)
    has_known = has_known || fabs(c->value[v] - none) >= KNOWN * c->sd[v];
  return !has_known;
}

/* ---- order ---- */

static void judge(const ArmStrokeFit *fit, ArmCause *c) {
  const double rows = (double)fit->rows;
  c->score = isfinite(c->explained) ? c->explained - c->dof * log(rows) : -1.0;
  if (!c->is_refitted)
    c->rest = fmax(0.0, fit->chi2 - c->explained) / rows;
  for (size_t v = 0; v < c->values; v++) /* what is left over is not noise alone */
    c->sd[v] *= sqrt(fmax(1.0, c->rest));
}

static int by_score(const void *a, const void *b) {
  const double x = ((const ArmCause *)a)->score, y = ((const ArmCause *)b)->score;
  return x < y ? 1 : x > y ? -1 : 0;
}

/* A cause in doubt goes behind the first credible one that does as well, and is not tied with it:
 * one that is too large, or that leaves no more than noise, behind one that explains the misfit,
 * one of unknown size behind one that explains half as much. */
static void set_back(ArmCause *list, size_t count) {
  for (size_t k = 0; k < count; k++) {
    ArmCause *c = &list[k];
    for (size_t other = k + 1; c->doubt != ARM_CAUSE_CREDIBLE && other < count; other++) {
      const ArmCause *o = &list[other];
      if (o->doubt != ARM_CAUSE_CREDIBLE ||
          !(c->doubt == ARM_CAUSE_TOO_LARGE || arm_cause_leaves_noise(c)
                ? o->explains_it
                : o->explained >= ENOUGH * c->explained))
        continue;
      c->score = o->score - 1.1 * fmax(TIED_SCORE, TIED_PART * c->explained); /* just not tied */
      break;
    }
  }
  qsort(list, count, sizeof *list, by_score);
}

void arm_causes_rank(const ArmStrokeFit *fit, double origin, ArmCause *list, size_t count) {
  for (size_t k = 0; k < count; k++) {
    ArmCause *c = &list[k];
    judge(fit, c);
    express(fit, origin, c);
    c->doubt = is_too_large(fit->ident->model, c) ? ARM_CAUSE_TOO_LARGE
               : is_uncertain(c)                  ? ARM_CAUSE_UNCERTAIN
                                                  : ARM_CAUSE_CREDIBLE;
    c->explains_it = c->explains_it && c->doubt == ARM_CAUSE_CREDIBLE;
  }
  qsort(list, count, sizeof *list, by_score);
  set_back(list, count);
}
