/* SPDX-License-Identifier: MIT */
/* Inside params_*.c only: the parts of a parameter file that every method has. Where a parameter
 * stands follows from the catalogue: among `parameters` of its joint, or in a list of its own,
 * whose items say a pair (i, j), a joint with its group, or a name with unit and terms. */
#ifndef ARMATURE_IO_PARAMS_SET_H
#define ARMATURE_IO_PARAMS_SET_H

#include "core/sweeps/verdict.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "io/params/params_file.h"

/* What was tried of friction terms on one joint. */
typedef struct {
  ArmTermTrial trial[ARM_TERMS];
} AioParamsTried;

/* What a fit says besides. */
typedef struct {
  const ArmVerdict *verdict;   /* of strokes; NULL: nothing of a misfit */
  const AioParamsTried *tried; /* per joint; NULL: none of terms */
  /* more keys of joint i; NULL: none */
  void (*write_joint)(AioJsonWriter *writer, size_t i, const void *of);
  const void *of;
} AioParamsExtra;

/* The k-th kind of the method is the first of its list. */
bool aio_params_begins_list(const ArmMethod *method, size_t k);
/* Friction beyond Coulomb and viscous: a file of version 2. */
bool aio_params_has_terms(const ArmParamSet *set);

/* ---- params_head.c ---- */

/* Borrowed; NULL: not said, of an arm null. */
typedef struct {
  const char *digest, *program, *arm_name, *arm_digest;
  const AioProvenance *provenance;
} AioParamsHead;

/* "format" to "arm", and the provenance. */
void aio_params_write_head(AioJsonWriter *writer, const ArmMethod *method, bool has_terms,
                           const AioParamsHead *head);
/* "arm" and "program". The texts are set as far as they were read (NULL: null); g_free them. */
bool aio_params_read_arm(const AioJsonNode *root, char **arm_name, char **arm_digest,
                         char **program, GError **error);

/* What the file is, and what it says of itself. */
bool aio_params_read_digest(const AioJsonNode *root, char **digest, char **stated, GError **error);

/* ---- params_list.c ---- */

enum { AIO_PARAM_KEY = 40 };

/* A key as the file of a set has it: "residual_sd_A" of joint i, or "residual_sd_Nm" (T: "_N")
 * where the set is of moving arms and the joint's torque was measured.
 *   room  AIO_PARAM_KEY */
const char *aio_params_key(const char *key, const ArmParamSet *set, size_t i, char *room);

/* The key of a constant that belongs to a parameter: the catalogue's, and its unit as keys say
 * it ("curve_speed_rad_s"); the ends of a range share one ("load_seen_A").
 *   room  AIO_PARAM_KEY, returned */
const char *aio_params_constant_key(ArmParamKind kind, ArmJointType type, char *room);

/* ---- params_set_write.c ---- */

/* `joints`, the lists, `clusters`; extra NULL: nothing more. */
void aio_params_write_set(AioJsonWriter *writer, const ArmMethod *method, const ArmParamSet *set,
                          const AioParamsExtra *extra);
void aio_params_write_covariance(AioJsonWriter *writer, const ArmParamSet *set);
void aio_params_write_units(AioJsonWriter *writer, const ArmParamSet *set);

/* ---- params_set_read.c ---- */

/* The inverse of write_set and, where the object has one, write_covariance.
 * Names and units that the file brings are short and without what no C comment or CSV cell can
 * hold; a friction term has its constants.
 *   groups  of whose clusters it is, where the object lists none; NULL: it must
 *   tried   out, n; NULL: the file does not tell which friction terms were tried
 *   set     out; cleared by the caller on success, untouched otherwise */
bool aio_params_read_set(const AioJsonNode *object, const ArmMethod *method, const ArmModel *model,
                         const ArmParamSet *groups, bool has_covariance, AioParamsTried *tried,
                         ArmParamSet *set, GError **error);
/* Is this a parameter file at all, of a version and kind that can be read here? Else an error. */
bool aio_params_check_format(const AioJsonNode *root, const ArmMethod *method, GError **error);

/* Units other than this program's are an error; no member, no check. */
bool aio_params_check_units(const AioJsonNode *root, const ArmParamSet *set, GError **error);

#endif
