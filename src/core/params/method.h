/* SPDX-License-Identifier: MIT */
/* What a method finds: a new one states it here once, and files, tables, exports and comparisons
 * take its sets. */
#ifndef ARMATURE_CORE_PARAMS_METHOD_H
#define ARMATURE_CORE_PARAMS_METHOD_H

#include "core/params/catalogue.h"

typedef struct {
  ArmParamKind kind;
  bool is_optional; /* a set may lack it where it could be */
} ArmMethodParam;

typedef struct {
  const char *key; /* "gravity": the kind of its parameter files */
  size_t n;
  const ArmMethodParam *params; /* n, in the order of files */
  bool lists_clusters;          /* files list the groups of a set as `clusters` */
  /* Of arms that move as a whole: keys of its files say Nm, N for A where a torque or force was
   * measured, and that r2 is centred. */
  bool is_of_motion;
} ArmMethod;

/* Does it find parameters of this kind? */
bool arm_method_has(const ArmMethod *method, ArmParamKind kind);

#endif
