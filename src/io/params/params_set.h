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

/* What a gravity fit says besides. */
typedef struct {
  const ArmVerdict *verdict;   /* NULL: nothing of a misfit */
  const AioParamsTried *tried; /* per joint; NULL: none of terms */
} AioParamsExtra;

/* The k-th kind of the method is the first of its list. */
bool aio_params_begins_list(const ArmMethod *method, size_t k);
/* Friction beyond Coulomb and viscous: a file of version 2. */
bool aio_params_has_terms(const ArmParamSet *set);

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
/* Units other than this program's are an error; no member, no check. */
bool aio_params_check_units(const AioJsonNode *root, const ArmParamSet *set, GError **error);

#endif
