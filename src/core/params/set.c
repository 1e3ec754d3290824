/* SPDX-License-Identifier: MIT */
/* One block holds, by falling alignment: covariance, estimates, statistics, terms, parameters,
 * indices, places, texts. */
#include "core/params/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 65534 /* indices from 1 fit 16 bits */

static size_t places_of(ArmParamKind kind, size_t n) {
  switch (arm_param_info(kind)->scope) {
  case ARM_OF_PAIR:
    return n * n;
  case ARM_NAMED:
    return n * ARM_PARAM_INERTIAS;
  case ARM_OF_JOINT:
    break;
  }
  return n;
}

static size_t count_places(ArmParamSet *set) {
  size_t places = 0;
  for (int kind = 0; kind < ARM_PARAM_KINDS; kind++) {
    set->first[kind] = (uint16_t)places;
    places += places_of((ArmParamKind)kind, set->n_joints);
  }
  return places;
}

ArmStatus arm_param_set_init(ArmParamSet *set, size_t n_joints, const ArmParamRoom *room) {
  if (n_joints > ARM_MAX_JOINTS || room->params > MOST || room->covered > MOST)
    return ARM_E_ARGUMENT;
  ArmParamSet made = {.n_joints = n_joints,
                      .most = room->params,
                      .most_covered = room->covered,
                      .terms_left = room->terms,
                      .text_left = room->text};
  const size_t cells = room->covered * room->covered, places = count_places(&made);
  const size_t sizes[] = {cells * sizeof *made.covariance,   room->params * sizeof *made.estimate,
                          n_joints * sizeof *made.joint,     room->terms * sizeof *made.terms,
                          room->params * sizeof *made.param, room->covered * sizeof *made.covered,
                          places * sizeof *made.place,       room->text};
  size_t bytes = 0;
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    bytes += sizes[k];
  char *at = made.block = calloc(1, bytes + 1);
  if (!at)
    return ARM_E_MEMORY;
  made.covariance = (double *)(void *)at;
  made.estimate = (ArmEstimate *)(void *)(at += sizes[0]);
  made.joint = (ArmJointStatistics *)(void *)(at += sizes[1]);
  made.terms = (ArmParamTerm *)(void *)(at += sizes[2]);
  made.param = (ArmParam *)(void *)(at += sizes[3]);
  made.covered = (size_t *)(void *)(at += sizes[4]);
  made.place = (uint16_t *)(void *)(at += sizes[5]);
  made.text = at + sizes[6];
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++)
    made.group[i] = -1;
  *set = made;
  return ARM_OK;
}

void arm_param_set_clear(ArmParamSet *set) {
  free(set->block);
  *set = (ArmParamSet){0};
}

/* The place of an id, NULL: there can be none. */
static uint16_t *place_of(const ArmParamSet *set, ArmParamId id) {
  if ((unsigned)id.kind >= ARM_PARAM_KINDS || id.i >= set->n_joints)
    return NULL;
  const ArmParamScope scope = arm_param_info(id.kind)->scope;
  const size_t width = scope == ARM_OF_JOINT  ? 1
                       : scope == ARM_OF_PAIR ? set->n_joints
                                              : ARM_PARAM_INERTIAS;
  if (id.j >= width)
    return NULL;
  return &set->place[set->first[id.kind] + id.i * width + id.j];
}

static const char *keep_text(ArmParamSet *set, const char *text) {
  if (!text)
    return NULL;
  const size_t bytes = strlen(text) + 1;
  char *kept = set->text;
  memcpy(kept, text, bytes);
  set->text += bytes;
  set->text_left -= bytes;
  return kept;
}

static size_t text_of(const ArmParam *param) {
  return (param->name ? strlen(param->name) + 1 : 0) + (param->unit ? strlen(param->unit) + 1 : 0);
}

ArmEstimate *arm_param_set_add(ArmParamSet *set, const ArmParam *param) {
  uint16_t *place = place_of(set, param->id);
  if (!place || *place || set->n == set->most || param->n_terms > set->terms_left ||
      text_of(param) > set->text_left)
    return NULL;
  ArmParam *kept = &set->param[set->n];
  *kept = *param;
  kept->name = keep_text(set, param->name);
  kept->unit = keep_text(set, param->unit);
  kept->terms = param->n_terms ? set->terms : NULL;
  if (param->n_terms)
    memcpy(set->terms, param->terms, param->n_terms * sizeof *param->terms);
  set->terms += param->n_terms;
  set->terms_left -= param->n_terms;
  set->estimate[set->n] = (ArmEstimate){(double)NAN, (double)NAN, 0.0, false, ARM_REASON_NONE};
  *place = (uint16_t)(set->n + 1);
  return &set->estimate[set->n++];
}

ArmEstimate *arm_param_set_add_id(ArmParamSet *set, ArmParamKind kind, size_t i, size_t j) {
  const ArmParam param = {.id = {kind, (unsigned char)i, (unsigned char)j}};
  return arm_param_set_add(set, &param);
}

bool arm_param_set_cover(ArmParamSet *set, size_t k) {
  if (set->n_covered == set->most_covered || k >= set->n)
    return false;
  set->covered[set->n_covered++] = k;
  return true;
}

size_t arm_param_set_row(const ArmParamSet *set, size_t k) {
  for (size_t c = 0; c < set->n_covered; c++)
    if (set->covered[c] == k)
      return c;
  return ARM_PARAM_NONE;
}

size_t arm_param_set_find(const ArmParamSet *set, ArmParamId id) {
  const uint16_t *place = place_of(set, id);
  return place && *place ? (size_t)*place - 1 : ARM_PARAM_NONE;
}

const ArmEstimate *arm_param_set_at(const ArmParamSet *set, ArmParamId id) {
  const size_t k = arm_param_set_find(set, id);
  return k == ARM_PARAM_NONE ? NULL : &set->estimate[k];
}

typedef const char *UnitOf(ArmQuantity quantity, ArmJointType of, bool is_torque_of,
                           ArmJointType over, bool is_torque_over);

static const char *unit_by(UnitOf *unit_of, const ArmParamSet *set, size_t k) {
  const ArmParam *param = &set->param[k];
  const ArmParamInfo *info = arm_param_info(param->id.kind);
  ArmParamId id = param->id;
  if (param->unit)
    return param->unit;
  if (info->quantity == ARM_COUNTS_AS_TERMS && param->n_terms > 0) {
    id = param->terms[0].id;
    info = arm_param_info(id.kind);
  }
  const size_t j = info->scope == ARM_OF_PAIR ? id.j : id.i;
  return unit_of(info->quantity, set->type[id.i], set->is_torque[id.i], set->type[j],
                 set->is_torque[j]);
}

const char *arm_param_set_unit(const ArmParamSet *set, size_t k) {
  return unit_by(arm_param_unit_of, set, k);
}

const char *arm_param_set_unit_shown(const ArmParamSet *set, size_t k) {
  return unit_by(arm_param_unit_shown, set, k);
}

const char *arm_param_set_effort_unit(const ArmParamSet *set, size_t i) {
  return arm_param_unit_of(ARM_COUNTS_EFFORT, set->type[i], set->is_torque[i], set->type[i],
                           set->is_torque[i]);
}

bool arm_param_set_is_listed(const ArmParamSet *set, size_t k) {
  return !arm_param_is_constant(set->param[k].id.kind);
}
