/* SPDX-License-Identifier: MIT */
/* Which strokes pair, at the same speed first. What is compared lies together for it, since the
 * strokes themselves may lie outside of the memory, and in order: of very many strokes each meets
 * only those that are near. */
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

/* One that may still be paired, and by what the nearest is looked for: time, or |speed|. */
typedef struct {
  size_t hold;
  bool is_plus;
  double key;
  size_t s;
} Place;

/* All of one joint in the order of their places; who is paired leaves it. Next and previous ones
 * are found by jumping over those that have left, shorter each time. */
typedef struct {
  const ArmPartner *all;
  bool is_near;
  size_t count;
  Place *place;
  size_t *next; /* of place k: itself, or one nearer to the next that is there; count: none */
  size_t *last; /* the same backwards, counted from 1; 0: none */
} Queue;

static int compare_places(const void *left, const void *right) {
  const Place *a = left, *b = right;
  if (a->hold != b->hold)
    return a->hold < b->hold ? -1 : 1;
  if (a->is_plus != b->is_plus)
    return a->is_plus ? 1 : -1;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->s < b->s ? -1 : a->s > b->s;
}

static Place place_of(const Queue *q, size_t s) {
  const ArmPartner *a = &q->all[s];
  return (Place){a->hold, a->speed > 0.0, q->is_near ? fabs(a->speed) : a->t_first, s};
}

static size_t jump(size_t *to, size_t k) {
  while (to[k] != k)
    k = to[k] = to[to[k]];
  return k;
}

static void leave(Queue *q, size_t s) {
  const Place place = place_of(q, s);
  const Place *at = bsearch(&place, q->place, q->count, sizeof place, compare_places);
  if (!at)
    return;
  const size_t k = (size_t)(at - q->place);
  q->next[k] = k + 1;
  q->last[k + 1] = k;
}

static ArmStatus queue_init(Queue *q, const ArmPartner *all, size_t count, bool is_near) {
  *q = (Queue){.all = all, .is_near = is_near};
  q->place = calloc(count + 1, sizeof *q->place);
  q->next = calloc(2 * (count + 1), sizeof *q->next);
  if (!q->place || !q->next)
    return ARM_E_MEMORY;
  q->last = q->next + count + 1;
  for (size_t s = 0; s < count; s++)
    if (all[s].is_full && !all[s].is_paired && all[s].speed != 0.0)
      q->place[q->count++] = place_of(q, s);
  qsort(q->place, q->count, sizeof *q->place, compare_places);
  for (size_t k = 0; k <= q->count; k++)
    q->next[k] = q->last[k] = k;
  return ARM_OK;
}

static void queue_clear(Queue *q) {
  free(q->place);
  free(q->next);
}

typedef struct {
  size_t s;
  double apart;
} Nearest;

static bool is_speed_of(const Queue *q, double of, double speed) {
  const double va = fabs(of), vb = fabs(speed);
  return fabs(va - vb) <= (q->is_near ? NEAR_SPEED * fmax(va, vb) : SAME_SPEED * va);
}

/* Place k, which is on the other side of `of` than places before it were; false: farther ones need
 * not be looked at. */
static bool look_at(const Queue *q, const Place *of, size_t k, Nearest *found) {
  const Place *at = &q->place[k];
  const double apart = fabs(at->key - of->key);
  if (at->hold != of->hold || at->is_plus != of->is_plus || apart > found->apart)
    return false;
  if (!is_speed_of(q, q->all[of->s].speed, q->all[at->s].speed))
    return !q->is_near; /* farther ones are still less of its speed */
  if (apart < found->apart || at->s < found->s)
    *found = (Nearest){at->s, apart};
  return true;
}

/* The one back at the hold of s: at its speed the nearest in time, or the nearest in speed; of
 * equally near ones the first. ARM_IDENT_NONE without. */
static size_t find_partner(Queue *q, size_t s) {
  Place of = place_of(q, s);
  Nearest found = {ARM_IDENT_NONE, (double)INFINITY};
  of.is_plus = !of.is_plus;
  size_t low = 0, high = q->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_places(&q->place[middle], &of) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (size_t k = jump(q->next, low); k < q->count && look_at(q, &of, k, &found);)
    k = jump(q->next, k + 1);
  for (size_t k = jump(q->last, low); k > 0 && look_at(q, &of, k - 1, &found);)
    k = jump(q->last, k - 1);
  return found.s;
}

ArmStatus arm_partners_pair(ArmPartner *all, size_t count, bool is_near, ArmMates *mates,
                            size_t *pairs) {
  Queue q;
  const ArmStatus status = queue_init(&q, all, count, is_near);
  *pairs = 0;
  for (size_t s = 0; s < count && status == ARM_OK; s++) {
    if (all[s].is_paired || !all[s].is_full || all[s].speed == 0.0)
      continue;
    const size_t other = find_partner(&q, s);
    if (other == ARM_IDENT_NONE)
      continue;
    all[s].is_paired = all[other].is_paired = true;
    leave(&q, s);
    leave(&q, other);
    mates[(*pairs)++] = (ArmMates){s, other};
  }
  queue_clear(&q);
  return status;
}

typedef struct {
  double speed;
  size_t level;
} Level;

/* Of one joint. */
typedef struct {
  ArmPartner *partners; /* of its strokes, owned */
  ArmMates *mates;      /* owned */
  Level *levels;        /* of its pairs, owned; without those that tell nothing new */
  size_t n_levels;
} Pairing;

/* The level of the pair that is nearest in speed. What comes between two neighbours of one level,
 * one of which has joined the other, is near enough to either: it decides of no later one. */
static size_t level_of(Pairing *by, ArmJointStrokes *joint, double speed, bool is_near) {
  const double most = (is_near ? NEAR_SPEED : SAME_SPEED) * speed;
  Level below = {0.0, ARM_IDENT_NONE}, above = {(double)INFINITY, ARM_IDENT_NONE};
  double nearest = (double)INFINITY;
  size_t level = joint->levels;
  for (size_t l = 0; l < by->n_levels; l++) {
    const Level *at = &by->levels[l];
    const double apart = fabs(at->speed - speed);
    if (at->speed <= speed && at->speed > below.speed)
      below = *at;
    if (at->speed >= speed && at->speed < above.speed)
      above = *at;
    if (apart > most || !(apart < nearest))
      continue;
    nearest = apart;
    level = at->level;
  }
  joint->levels += level == joint->levels;
  if (below.level != level || above.level != level)
    by->levels[by->n_levels++] = (Level){speed, level};
  return level;
}

/* Strokes s and other of the joint. */
static void add_pair(ArmStrokeFit *fit, ArmJointStrokes *joint, Pairing *by, ArmMates mates,
                     bool is_near) {
  ArmFitStroke *a = &fit->strokes[joint->first_stroke + mates.s];
  ArmFitStroke *b = &fit->strokes[joint->first_stroke + mates.other];
  const double speed = 0.5 * (fabs(a->speed) + fabs(b->speed));
  a->is_paired = b->is_paired = true;
  fit->pairs[fit->n_pairs++] = (ArmPair){
      .plus = joint->first_stroke + (a->speed > 0.0 ? mates.s : mates.other),
      .minus = joint->first_stroke + (a->speed > 0.0 ? mates.other : mates.s),
      .hold = a->sums->hold,
      .level = level_of(by, joint, speed, is_near),
      .speed = speed,
      .weight = 4.0 / (1.0 / (double)a->sums->rows + 1.0 / (double)b->sums->rows),
  };
  arm_shelf_saw(fit->shelf, sizeof *fit->pairs + 2 * (sizeof *a + sizeof *a->sums));
}

static ArmStatus pair_by(ArmStrokeFit *fit, ArmJointStrokes *joint, Pairing *by, bool is_near) {
  size_t pairs;
  const ArmStatus status =
      arm_partners_pair(by->partners, joint->strokes, is_near, by->mates, &pairs);
  for (size_t p = 0; p < pairs && status == ARM_OK; p++)
    add_pair(fit, joint, by, by->mates[p], is_near);
  return status;
}

/* What is left pairs with the nearest speed, as passes that are jogged by
 * hand: each stroke has its own speed column, so that the straight line of friction is in the rows
 * whatever the speeds, and a curve differs by less than the noise of the means. Of such a pair the
 * speed is vague, and so is its level. */
ArmStatus arm_stroke_fit_pair(ArmStrokeFit *fit, ArmJointStrokes *joint) {
  Pairing by = {.partners = calloc(joint->strokes + 1, sizeof *by.partners),
                .mates = calloc(joint->strokes / 2 + 1, sizeof *by.mates),
                .levels = calloc(joint->strokes / 2 + 1, sizeof *by.levels)};
  ArmStatus status = by.partners && by.mates && by.levels ? ARM_OK : ARM_E_MEMORY;
  joint->first_pair = fit->n_pairs;
  for (size_t s = 0; s < joint->strokes && status == ARM_OK; s++) {
    by.partners[s] = arm_fit_stroke_partner(&fit->strokes[joint->first_stroke + s]);
    arm_shelf_saw(fit->shelf, sizeof *fit->strokes + sizeof *fit->strokes->sums);
  }
  if (status == ARM_OK)
    status = pair_by(fit, joint, &by, false);
  if (status == ARM_OK)
    status = pair_by(fit, joint, &by, true);
  joint->pairs = fit->n_pairs - joint->first_pair;
  joint->outlier = ARM_IDENT_NONE;
  free(by.partners);
  free(by.mates);
  free(by.levels);
  return status;
}
