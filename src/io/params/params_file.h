/* SPDX-License-Identifier: MIT */
/* The parameter file: what `fit` found, and what `predict` and `plan` start from.
 *
 *   {"format": "armature-parameters", "version": 1|2, "kind": "gravity", "arm": {name, digest},
 *    "joints": [..], "ratios": [..], "clusters": [..], "covariance": {..}, "recursive": {..}}
 *
 * Version 2: a joint has friction beyond Coulomb and viscous (core/params/terms.h). Its
 * `parameters` then hold "load": E [1] with "load_seen_A": [least, most], "curve": E [A] with
 * "curve_speed_rad_s" (T: "curve_speed_m_s"), "friction_sign": the s of a positive speed, and every
 * joint's "terms": [{name, offered, chosen, gain, reason, reason_key}]. A fit without such terms is
 * written as version 1, byte by byte as before.
 *
 * The top level is the joint refinement, `recursive` the n -> 1 recursion. Written beyond the
 * agreed keys: `program`, `refinement`; `verdict`, `warnings` and per joint `misfit`
 * (io/params/verdict_file.h; a file without them is read as one that says nothing); `units` (one
 * per parameter, by name), `provenance` (program, version, arm, recordings, options) and `digest`,
 * the checksum of all the rest (io/json/digest.h: white space, order of keys and x_ keys do not
 * count); per joint `measured` ("current" or "torque"), `columns`, `widening` and, when it was
 * fitted, `own_acceleration`; per estimate `reason_key`; of a session `validation`
 * (io/params/held_out.h). Numbers have 17 digits, unknown is null.
 * Joints count from 1 in the file, from 0 here. covariance.lower holds the rows of the lower
 * triangle one after the other, names are parameter_joint ("kx_star_2") and ratio_i_j. A loaded
 * file is plain data; two threads may read it.
 */
#ifndef ARMATURE_IO_PARAMS_FILE_H
#define ARMATURE_IO_PARAMS_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/ident.h"
#include "io/base/error.h"
#include "io/json/json_read.h"

/* A file that something was made from. */
typedef struct {
  char *name, *digest; /* "sha256:<hex>"; NULL: not known */
} AioSource;

/* How a fit came about; strings are NULL when not known. */
typedef struct {
  char *program, *version, *arm_digest;
  GPtrArray *recordings; /* of AioSource */
  char *options;         /* a JSON object, verbatim */
  GArray *wild; /* of AioWildSpan (io/recording/wild_spans.h), owned; NULL or empty: none */
} AioProvenance;

typedef struct {
  char *arm_name, *arm_digest;    /* as in the file; NULL when null there */
  char *program;                  /* which program wrote it; NULL when not stated */
  bool is_torque[ARM_MAX_JOINTS]; /* fitted from a torque or force: A reads N m or N */
  AioProvenance *provenance;      /* NULL when not stated */
  char *digest;                   /* of what the file says now */
  char *stated_digest; /* what the file says of itself; NULL when not stated. Not equal: the file
                          was changed after the fit, which is for the caller to say */
  GPtrArray *held_out; /* of AioHeldOut; NULL: the file says nothing of a validation */
  ArmGravityFit fit;   /* recursive.n = 0 when the file has no recursion */
} AioParams;

/* Reads a parameter file written for an arm like `model`.
 * NULL with the first error, "file:line:column: joint 2: parameters.kx_star: expected X, found Y",
 * and nothing half-loaded: AIO_ERROR_NOT_FOUND, AIO_ERROR_IO, AIO_ERROR_TOO_LARGE (the file),
 * AIO_ERROR_SYNTAX (not JSON), AIO_ERROR_MEANING (a key or value is wrong, or the joints are not
 * those of `model`), AIO_ERROR_REFUSED (a newer version, another kind), AIO_ERROR_MEMORY.
 * Unknown keys are errors unless they begin with x_. Whether arm_digest is that of the arm at hand
 * is for the caller to judge. Free with aio_params_free. */
AioParams *aio_params_load(const char *path, const ArmModel *model, GError **error);

/* The same from memory; `name` is how messages call it. */
AioParams *aio_params_load_bytes(const char *name, const char *bytes, gsize length,
                                 const ArmModel *model, GError **error);

/* NULL allowed. */
void aio_params_free(AioParams *params);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioParams, aio_params_free)

/* The fit as the text of a parameter file. The recursion is left out when fit->recursive.n is 0.
 *   is_torque  per joint, as in AioParams; NULL = none
 *   arm_name, arm_digest, program  NULL = null, and no `program`
 *   provenance  NULL = none
 * Free with g_free. */
char *aio_params_format(const ArmGravityFit *fit, const bool *is_torque, const char *arm_name,
                        const char *arm_digest, const char *program,
                        const AioProvenance *provenance, gsize *length);

/* The same of one that was validated.
 *   held_out  of AioHeldOut; NULL or empty = as above */
char *aio_params_format_validated(const ArmGravityFit *fit, const bool *is_torque,
                                  const char *arm_name, const char *arm_digest, const char *program,
                                  const AioProvenance *provenance, const GPtrArray *held_out,
                                  gsize *length);

/* aio_held_out_lines of the file. */
GPtrArray *aio_params_validation_lines(const AioParams *params);

/* No recordings, no options; strings are copied and may be NULL. Free with aio_provenance_free. */
AioProvenance *aio_provenance_new(const char *program, const char *version, const char *arm_digest);
void aio_provenance_add_recording(AioProvenance *provenance, const char *name, const char *digest);
void aio_provenance_free(AioProvenance *provenance); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioProvenance, aio_provenance_free)

/* "kx_star_2", "ratio_2_3": the name of a parameter in covariance and truth files. g_free it. */
char *aio_params_name(ArmParamId id);

/* The name of parameter k: its own, or as above. g_free it. */
char *aio_param_name(const ArmParamSet *set, size_t k);
/* The inverse; ARM_PARAM_NONE: no parameter of the set is called so. */
size_t aio_param_find(const ArmParamSet *set, const char *name);

/* What the file found, as a set with its covariance; cleared by the caller. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus aio_params_found(const AioParams *params, ArmParamSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArmParamSet, arm_param_set_clear)

/* ---- of any method ---- */

/* The kind that a file says of itself: a string. NULL: no parameter file (AIO_ERROR_MEANING), or a
 * newer one (AIO_ERROR_REFUSED). */
const AioJsonNode *aio_params_kind(const AioJsonNode *root, GError **error);

/* What a file says of itself, members as of AioParams. */
typedef struct {
  char *arm_name, *arm_digest, *program, *digest, *stated_digest;
} AioParamsOrigin;

/* Of the text of any parameter file.
 *   origin  out; aio_params_origin_clear on success, untouched otherwise */
bool aio_params_load_origin(const char *name, const char *bytes, gsize length,
                            AioParamsOrigin *origin, GError **error);
void aio_params_origin_clear(AioParamsOrigin *origin);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AioParamsOrigin, aio_params_origin_clear)

/* A set as the text of a parameter file of kind method->key, with all of the above that is not of
 * gravity fits alone. Texts may be NULL. Free with g_free. */
char *aio_params_format_found(const ArmMethod *method, const ArmParamSet *found,
                              const char *arm_name, const char *arm_digest, const char *program,
                              const AioProvenance *provenance, gsize *length);

/* The inverse, with the errors of aio_params_load_bytes.
 *   found  out; cleared by the caller on success, untouched otherwise */
bool aio_params_load_found(const char *name, const char *bytes, gsize length,
                           const ArmMethod *method, const ArmModel *model, ArmParamSet *found,
                           GError **error);

/* Of aio_params_name; false, `id` untouched, when it is not the canonical name of a parameter of
 * joints 1..n. */
bool aio_params_parse_name(const char *name, size_t n, ArmParamId *id);

#endif
