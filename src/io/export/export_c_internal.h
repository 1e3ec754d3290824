/* SPDX-License-Identifier: MIT */
/* Inside export_c*.c only: what the parts of a header are printed from. */
#ifndef ARMATURE_IO_EXPORT_C_INTERNAL_H
#define ARMATURE_IO_EXPORT_C_INTERNAL_H

#include "io/export/export_c.h"
#include "io/export/export_program.h"

/* The limit of a joint that has none: more than any motor draws. */
#define AIO_EXPORT_NO_LIMIT 1e30

/* Friction of a joint. */
typedef struct {
  double lambda[4];         /* lambda1+, lambda2+, lambda1-, lambda2- */
  bool has_load, has_curve; /* terms of core/params/terms.h */
  double load, curve, curve_speed, sign;
} AioExportFriction;

/* What the numbers are from, whatever method found them. */
typedef struct {
  const ArmParamSet *found;
  const char *digest, *arm_name, *arm_digest; /* of the parameter file; arm_digest may be NULL */
  const AioProvenance *provenance;            /* may be NULL */
  const GPtrArray *warnings;                  /* of char *, each a sentence */
} AioExportOrigin;

typedef struct {
  const AioArm *arm;
  const AioExportOrigin *of;
  const AioExportC *options;
  const ArmParamSet *found; /* of `of` */
  bool is_motion;           /* takes accelerations: inertia counts */
  int n;
  char *prefix;                    /* owned */
  AioProgram *program;             /* owned; the lines that `load` and `rotor` need are marked */
  AioScalar load[ARM_MAX_JOINTS];  /* gravity, of a motion inertia too [A] */
  AioScalar rotor[ARM_MAX_JOINTS]; /* of a motion [A] */
  AioExportFriction friction[ARM_MAX_JOINTS];
  bool is_known[ARM_MAX_JOINTS]; /* some row was fitted */
  bool has_friction[ARM_MAX_JOINTS], reads_speed;
  double limit[ARM_MAX_JOINTS];
} AioExport;

/* The comment at the head of the file. */
void aio_export_c_comment(const AioExport *x, GString *out);

/* The function for one precision, with its helpers. */
void aio_export_c_function(const AioExport *x, bool is_float, GString *out);

#endif
