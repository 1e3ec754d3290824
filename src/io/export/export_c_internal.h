/* SPDX-License-Identifier: MIT */
/* Inside export_c*.c only: what the parts of a header are printed from. */
#ifndef ARMATURE_IO_EXPORT_C_INTERNAL_H
#define ARMATURE_IO_EXPORT_C_INTERNAL_H

#include "io/export/export_c.h"
#include "io/export/export_program.h"

/* The limit of a joint that has none: more than any motor draws. */
#define AIO_EXPORT_NO_LIMIT 1e30

typedef struct {
  const AioArm *arm;
  const AioParams *params;
  const AioExportC *options;
  const ArmGravityParameters *p; /* of params */
  ArmParamSet found;             /* the same for readers; owned */
  int n;
  char *prefix;        /* owned */
  AioProgram *program; /* owned; the lines that `gravity` needs are marked */
  AioScalar gravity[ARM_MAX_JOINTS];
  bool is_known[ARM_MAX_JOINTS]; /* some row was fitted */
  bool has_friction[ARM_MAX_JOINTS], reads_speed;
  double limit[ARM_MAX_JOINTS];
} AioExport;

/* The comment at the head of the file. */
void aio_export_c_comment(const AioExport *x, GString *out);

/* The function for one precision, with its helpers. */
void aio_export_c_function(const AioExport *x, bool is_float, GString *out);

#endif
