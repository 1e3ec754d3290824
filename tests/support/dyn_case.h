/* SPDX-License-Identifier: MIT */
/* Known rigid-body dynamics: arms with states and what every function of core/arm/dyn.h must give.
 *
 * Text files: one keyword per line, then numbers, matrices row by row, SI; tests/golden/README.md
 * explains the keywords. */
#ifndef ARMATURE_TESTS_DYN_CASE_H
#define ARMATURE_TESTS_DYN_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/dyn.h"

enum { DYN_MAX_JOINTS = 8, DYN_MAX_VALUES = 10 * DYN_MAX_JOINTS * DYN_MAX_JOINTS };

typedef enum {
  DYN_TAU,
  DYN_GRAVITY,
  DYN_MASS,
  DYN_MOMENTUM,     /* M qd */
  DYN_ENERGY_FORCE, /* d(K - U)/dq */
  DYN_REGRESSOR,
  DYN_REGRESSOR_MOMENTUM,
  DYN_REGRESSOR_ENERGY,
  DYN_ROW_KINETIC,
  DYN_ROW_POTENTIAL,
  DYN_KINETIC,
  DYN_POTENTIAL,
  DYN_FORWARD_QDD,
  DYN_KINDS
} DynKind;

/* What a text file calls each kind. */
extern const char *const dyn_kind_names[DYN_KINDS];

typedef struct {
  double q[DYN_MAX_JOINTS], qd[DYN_MAX_JOINTS], qdd[DYN_MAX_JOINTS];
  double forward_tau[DYN_MAX_JOINTS];
  bool has[DYN_KINDS];
  double want[DYN_KINDS][DYN_MAX_VALUES]; /* matrices row by row */
} DynSample;

/* Compares all there is, by |got - want| <= 1e-12 (1 + max |want|); worst: largest of that quotient
 * (1 = at the limit), updated. false: prints the first that is beyond. */
bool dyn_sample_check(const char *name, const ArmModel *model, const DynSample *sample,
                      double *worst);

/* Number of values of a kind. */
size_t dyn_kind_size(DynKind kind, size_t n);

/* Checks every sample of tests/golden/<file>; -1 when one differs or the file cannot be read, else
 * how many there were. */
int dyn_case_check_file(const char *file, double *worst);

#endif
