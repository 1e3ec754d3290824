/* SPDX-License-Identifier: MIT */
/* The parameter file of kind "dynamics": what `identify` found of an arm's full dynamics.
 *
 *   {"format": "armature-parameters", "version": 1, "kind": "dynamics", "arm": {name, digest},
 *    "gauge": {"kind": "datasheet|reference|torque|known-load", "joint": null},
 *    "verdict", "warnings", "joints": [..], "base": [..], "eta": [..], "links": [..],
 *    "validation": [..], "covariance": {..}}
 *
 * Current of joint j: what the base parameters make of the regressor's columns, times eta_j, and
 * its own friction and rotor (core/dynamics/rows.h); the column of a base parameter is that of the
 * first of its terms. `base`, `eta`, the joints' `parameters` and `covariance` are a set
 * (core/params/set.h) of arm_dynamics_method; predictions take `used`. Where a joint's torque was
 * measured, its keys say Nm (T: N) instead of A, and its eta is 1.
 *
 * With friction terms (core/params/terms.h) it is of version 2, and says of each joint which were
 * tried; without, it is as it was before there were any.
 *
 * Beyond the agreed keys: as any parameter file has (params_file.h) `program`, `units`,
 * `provenance`, `digest`; of a joint `samples` (how many counted, and why others did not) and
 * `misfit`; of links `sd` and `prior_sd` of their ten parameters about the frame's origin, `fate`
 * of the nominal one, and where base parameters hold the joint's rotor, whose terms name it then,
 * `rotor_inertia` (kg m^2, T: kg), `rotor_sd`, `rotor_prior_sd`; `completion`; `weakest`, what the
 * recording shows least, in words. A loaded file is plain data; two threads may read it.
 */
#ifndef ARMATURE_IO_DYNAMICS_FILE_H
#define ARMATURE_IO_DYNAMICS_FILE_H

#include "core/arm/inertia.h"
#include "core/dynamics/consistent.h"
#include "core/dynamics/identify.h"
#include "core/dynamics/outcome.h"
#include "core/dynamics/stream.h"
#include "core/params/terms.h"
#include "core/sweeps/verdict.h"
#include "io/params/held_out.h"
#include "io/params/params_file.h"

/* Where scales of torque constants come from. */
typedef enum {
  AIO_GAUGE_DATASHEET = 0, /* stated ones, within their sds */
  AIO_GAUGE_REFERENCE,     /* of `gauge_joint` (of the first of each group where that is -1): exact;
                              not stated: base parameters are in its amperes per (A/(N m)) */
  AIO_GAUGE_TORQUE,        /* torques were measured */
  AIO_GAUGE_KNOWN_LOAD,
  AIO_GAUGES
} AioGauge;

/* As files say it; "": none. Static storage. */
const char *aio_gauge_key(AioGauge gauge);
/* "known", "rounded", "repaired", "guessed". */
const char *aio_nominal_key(ArmNominalFate fate);

/* One link, completed so that a body can have it. */
typedef struct {
  ArmLink link;
  bool is_consistent;
  ArmNominalFate fate;                     /* of the nominal link */
  double sd[ARM_INERTIA_PARAMETERS];       /* order of core/arm/inertia.h; NAN: not known */
  double prior_sd[ARM_INERTIA_PARAMETERS]; /* sd as large as this: the data are silent */
  ArmDynamicsRotor rotor;                  /* what base parameters hold beside the link */
} AioDynamicsLink;

typedef struct {
  char *code;
  gsize joint; /* from 1, 0: the whole */
  char *message;
} AioDynamicsWarning;

/* What the data show least, and what would show it. */
typedef struct {
  char *direction, *motion;
} AioWeakest;

typedef struct {
  char *arm_name, *arm_digest, *program; /* NULL when not stated */
  char *digest, *stated_digest;          /* as of AioParams */
  AioProvenance *provenance;             /* NULL when not stated */
  AioGauge gauge;
  int gauge_joint; /* from 0, -1: of no single one */
  ArmParamSet found;
  gsize samples[ARM_MAX_JOINTS][ARM_DYN_USES];
  double sample_sd[ARM_MAX_JOINTS]; /* of single samples about the fit, before the filter, whose
                                       rows have the set's residual_sd; NAN: not known */
  bool has_links;                   /* false: none were completed */
  AioDynamicsLink link[ARM_MAX_JOINTS];
  ArmConsistentMethod completion; /* of the links */
  ArmConsistentReason completion_reason;
  GPtrArray *held_out; /* of AioHeldOut */
  ArmVerdictKind verdict, joint_verdict[ARM_MAX_JOINTS];
  double p[ARM_MAX_JOINTS]; /* of the joint's errors in held_out by chance, the smallest; NAN */
  GPtrArray *warnings;      /* of AioDynamicsWarning */
  GPtrArray *weakest;       /* of AioWeakest */
  ArmTermTrial tried[ARM_MAX_JOINTS][ARM_TERMS]; /* friction terms; told where a joint has one */
} AioDynamics;

/* Empty lists, verdicts unknown, no set. Free with aio_dynamics_free. */
AioDynamics *aio_dynamics_new(void);
void aio_dynamics_free(AioDynamics *dynamics); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioDynamics, aio_dynamics_free)

/* A new item at the end; names, texts are copied. */
AioHeldOut *aio_dynamics_add_held_out(AioDynamics *dynamics, const char *name);
void aio_dynamics_warn(AioDynamics *dynamics, const char *code, gsize joint, const char *message);
void aio_dynamics_add_weakest(AioDynamics *dynamics, const char *direction, const char *motion);

/* The verdict of all from those of joints: the worst. Of a search that did not converge nothing is
 * known: where the arm file predicts well that is no fit, of a joint neither. */
void aio_dynamics_judge(AioDynamics *dynamics, gsize joints, bool has_converged);

/* The text of a file, with its digest. g_free it. */
char *aio_dynamics_format(const AioDynamics *dynamics, gsize *length);

/* Reads one that was written for an arm like `model`: as aio_params_load, of the other kind. */
AioDynamics *aio_dynamics_load(const char *path, const ArmModel *model, GError **error);
AioDynamics *aio_dynamics_load_bytes(const char *name, const char *bytes, gsize length,
                                     const ArmModel *model, GError **error);

/* What whoever uses its numbers is to be told, a sentence each; of warnings with one code the
 * first, and which other joints have it. Of char *; g_ptr_array_unref. */
GPtrArray *aio_dynamics_reminders(const AioDynamics *dynamics);

#endif
