/* SPDX-License-Identifier: MIT */
/* What a method found, as everybody reads it who shows, writes, compares or exports it: parameters
 * in the order of tables, each with its estimate, and what is known of the joints they belong to.
 * A method fills one; a reader asks for nothing else, and knows no method.
 *
 * One allocation, freed at once. An id is found in constant time. A set that is filled is plain
 * data; two threads may read it.
 */
#ifndef ARMATURE_CORE_PARAMS_SET_H
#define ARMATURE_CORE_PARAMS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arm/structure.h"
#include "core/data/dataset.h"
#include "core/params/catalogue.h"

/* Not identifiable: value and sd are NAN, `used` is what a prediction uses. */
typedef struct {
  double value, sd, used;
  bool identifiable;
  ArmReason reason;
} ArmEstimate;

/* One of what a base parameter is a combination of. */
typedef struct {
  ArmParamId id;
  double coefficient;
} ArmParamTerm;

typedef struct {
  ArmParamId id;
  const char *name;          /* of its own; NULL: key and joints */
  const char *unit;          /* of its own; NULL: the catalogue's */
  const ArmParamTerm *terms; /* n_terms; NULL: itself */
  size_t n_terms;
} ArmParam;

/* How well the rows of one joint could be solved. */
typedef struct {
  size_t rows_used;
  size_t rows_by_use[ARM_ROW_REASONS]; /* rows_by_use[ARM_ROW_USED] == rows_used */
  size_t columns, rank;
  double cond_raw, cond_equilibrated, cond_centred; /* INFINITY when rank < columns */
  double residual_sd;                               /* A; NAN: no residual degree of freedom */
  double r2, max_abs, lag1;
  double widening; /* factor already applied to every sd of the joint */
} ArmJointStatistics;

#define ARM_PARAM_NONE ((size_t)-1)

typedef struct {
  size_t n_joints;
  ArmJointType type[ARM_MAX_JOINTS];
  bool is_torque[ARM_MAX_JOINTS]; /* found from a torque or force: A reads N m or N */
  bool is_of_motion;              /* as of the method */
  int group[ARM_MAX_JOINTS];      /* joints whose eta share a scale, from 0; -1: none */
  size_t n_groups;
  bool is_scale_stated;      /* of all groups: eta are data sheets', within their sds */
  ArmJointStatistics *joint; /* n_joints */
  size_t n;
  ArmParam *param;       /* n */
  ArmEstimate *estimate; /* n */
  size_t n_covered;      /* the covariance speaks of these */
  size_t *covered;       /* n_covered: indices of parameters */
  double *covariance;    /* n_covered x n_covered column-major, widened like the sds */
  /* ---- set.c only ---- */
  void *block;
  size_t most, most_covered, terms_left, text_left;
  ArmParamTerm *terms;
  char *text;
  uint16_t *place;                 /* of an id: index + 1, 0 = none */
  uint16_t first[ARM_PARAM_KINDS]; /* of a kind in `place` */
} ArmParamSet;

/* What a set has room for. */
typedef struct {
  size_t params, covered; /* below 65535 */
  size_t terms;           /* of all parameters */
  size_t text;            /* bytes of all names and units of their own, with their ends */
} ArmParamRoom;

/* An empty set of n_joints rotational joints in no group, with statistics of zero.
 *   set  out; on success the caller clears it with arm_param_set_clear
 * ARM_E_ARGUMENT: more than ARM_MAX_JOINTS joints, or too much room. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_param_set_init(ArmParamSet *set, size_t n_joints,
                                            const ArmParamRoom *room);
/* Also of a set of zeros. */
void arm_param_set_clear(ArmParamSet *set);

/* Appends a parameter; name, unit and terms are copied. The place of its estimate, which is that of
 * something not identifiable until it is written. NULL: no room left, no such joint, or the id is
 * there already. */
ArmEstimate *arm_param_set_add(ArmParamSet *set, const ArmParam *param);

/* The same of one without name, unit and terms. */
ArmEstimate *arm_param_set_add_id(ArmParamSet *set, ArmParamKind kind, size_t i, size_t j);

/* The next row and column of the covariance is that of parameter k. false: no room left. After the
 * last one there is as much as the room said, or the covariance is wrong. */
bool arm_param_set_cover(ArmParamSet *set, size_t k);

/* Row and column of parameter k in the covariance. ARM_PARAM_NONE: it is not covered, or none. */
size_t arm_param_set_row(const ArmParamSet *set, size_t k);

/* Index of an id, ARM_PARAM_NONE: not in the set. */
size_t arm_param_set_find(const ArmParamSet *set, ArmParamId id);
/* Its estimate, NULL: not in the set. */
const ArmEstimate *arm_param_set_at(const ArmParamSet *set, ArmParamId id);

/* "A s/rad": the unit of parameter k, as files state it. */
const char *arm_param_set_unit(const ArmParamSet *set, size_t k);
/* The same as tables show it (arm_param_unit_shown). */
const char *arm_param_set_unit_shown(const ArmParamSet *set, size_t k);

/* "A", or "N m", "N" where its torque or force was measured: what joint i's rows, residuals and
 * errors count. Static storage. */
const char *arm_param_set_effort_unit(const ArmParamSet *set, size_t i);

/* Tables list it: not a constant that belongs to another parameter. */
bool arm_param_set_is_listed(const ArmParamSet *set, size_t k);

#endif
