/* SPDX-License-Identifier: MIT */
/* Which strokes pair: what is compared again and again lies together for it, since the strokes
 * themselves may lie outside of the memory. At the same speed first. */
#include <math.h>
#include <stdlib.h>

#include "core/sweeps/verdict_internal.h"

/* Armature theory notes, lack of fit, section 1, reasoned there. */
#define SAME_SPEED 0.05
/* of the faster one; chosen: joggers and coarse speed sliders stay below, planned levels above */
#define NEAR_SPEED 0.15

ArmPartner arm_fit_stroke_partner(const ArmFitStroke *stroke) {
  return (ArmPartner){.speed = stroke->speed,
                      .t_first = stroke->sums->t_first,
                      .hold = stroke->sums->hold,
                      .is_full = stroke->is_full,
                      .is_paired = stroke->is_paired};
}

static bool is_partner(const ArmPartner *a, const ArmPartner *b, bool is_near) {
  const double va = fabs(a->speed), vb = fabs(b->speed);
  return !b->is_paired && b->is_full && a->hold == b->hold && a->speed * b->speed < 0.0 &&
         fabs(va - vb) <= (is_near ? NEAR_SPEED * fmax(va, vb) : SAME_SPEED * va);
}

size_t arm_partner_find(const ArmPartner *all, size_t count, size_t s, bool is_near) {
  size_t best = ARM_IDENT_NONE;
  double nearest = (double)INFINITY;
  for (size_t o = 0; o < count; o++) {
    if (o == s || !is_partner(&all[s], &all[o], is_near))
      continue;
    const double apart = is_near ? fabs(fabs(all[o].speed) - fabs(all[s].speed))
                                 : fabs(all[o].t_first - all[s].t_first);
    if (!(apart < nearest))
      continue;
    nearest = apart;
    best = o;
  }
  return best;
}

typedef struct {
  double speed;
  size_t level;
} Level;

/* Of one joint. */
typedef struct {
  ArmPartner *partners; /* of its strokes, owned */
  Level *levels;        /* of its pairs, owned */
} Pairing;

/* The level of the pair that is nearest in speed. */
static size_t level_of(const Level *levels, size_t pairs, ArmJointStrokes *joint, double speed,
                       bool is_near) {
  const double most = (is_near ? NEAR_SPEED : SAME_SPEED) * speed;
  double nearest = (double)INFINITY;
  size_t level = joint->levels;
  for (size_t p = 0; p < pairs; p++) {
    const double apart = fabs(levels[p].speed - speed);
    if (apart > most || !(apart < nearest))
      continue;
    nearest = apart;
    level = levels[p].level;
  }
  joint->levels += level == joint->levels;
  return level;
}

/* Strokes s and other of the joint. */
static void add_pair(ArmStrokeFit *fit, ArmJointStrokes *joint, Pairing *by, size_t s, size_t other,
                     bool is_near) {
  ArmFitStroke *a = &fit->strokes[joint->first_stroke + s];
  ArmFitStroke *b = &fit->strokes[joint->first_stroke + other];
  const double speed = 0.5 * (fabs(a->speed) + fabs(b->speed));
  const size_t pairs = fit->n_pairs - joint->first_pair;
  const size_t level = level_of(by->levels, pairs, joint, speed, is_near);
  by->levels[pairs] = (Level){speed, level};
  by->partners[s].is_paired = by->partners[other].is_paired = true;
  a->is_paired = b->is_paired = true;
  fit->pairs[fit->n_pairs++] = (ArmPair){
      .plus = joint->first_stroke + (a->speed > 0.0 ? s : other),
      .minus = joint->first_stroke + (a->speed > 0.0 ? other : s),
      .hold = a->sums->hold,
      .level = level,
      .speed = speed,
      .weight = 4.0 / (1.0 / (double)a->sums->rows + 1.0 / (double)b->sums->rows),
  };
  arm_shelf_saw(fit->shelf, sizeof *fit->pairs + 2 * (sizeof *a + sizeof *a->sums));
}

static void pair_by(ArmStrokeFit *fit, ArmJointStrokes *joint, Pairing *by, bool is_near) {
  for (size_t s = 0; s < joint->strokes; s++) {
    const ArmPartner *a = &by->partners[s];
    const size_t other = a->is_full && !a->is_paired
                             ? arm_partner_find(by->partners, joint->strokes, s, is_near)
                             : ARM_IDENT_NONE;
    if (other != ARM_IDENT_NONE)
      add_pair(fit, joint, by, s, other, is_near);
  }
}

/* What is left pairs with the nearest speed, as passes that are jogged by
 * hand: each stroke has its own speed column, so that the straight line of friction is in the rows
 * whatever the speeds, and a curve differs by less than the noise of the means. Of such a pair the
 * speed is vague, and so is its level. */
ArmStatus arm_stroke_fit_pair(ArmStrokeFit *fit, ArmJointStrokes *joint) {
  Pairing by = {calloc(joint->strokes + 1, sizeof *by.partners),
                calloc(joint->strokes / 2 + 1, sizeof *by.levels)};
  const ArmStatus status = by.partners && by.levels ? ARM_OK : ARM_E_MEMORY;
  joint->first_pair = fit->n_pairs;
  for (size_t s = 0; s < joint->strokes && status == ARM_OK; s++) {
    by.partners[s] = arm_fit_stroke_partner(&fit->strokes[joint->first_stroke + s]);
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes + sizeof *fit->strokes->sums);
  }
  if (status == ARM_OK) {
    pair_by(fit, joint, &by, false);
    pair_by(fit, joint, &by, true);
  }
  joint->pairs = fit->n_pairs - joint->first_pair;
  joint->outlier = ARM_IDENT_NONE;
  free(by.partners);
  free(by.levels);
  return status;
}
