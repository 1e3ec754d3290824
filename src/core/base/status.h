/* SPDX-License-Identifier: MIT */
/* The status codes of the core: 0 is success, every failure is negative. */
#ifndef ARMATURE_CORE_STATUS_H
#define ARMATURE_CORE_STATUS_H

typedef enum {
  ARM_OK = 0,
  ARM_E_ARGUMENT = -1,   /* a size, index or option is outside its documented range */
  ARM_E_MEMORY = -2,     /* an allocation failed; outputs are untouched */
  ARM_E_NOT_FINITE = -3, /* an input that must be finite is NaN or infinite */
  ARM_E_NO_DATA = -4,    /* not one usable row */
  ARM_E_NUMERIC = -5,    /* LAPACK or an iteration did not converge */
  ARM_E_INFEASIBLE = -6, /* no design inside the limits satisfies the request */
  ARM_E_SOURCE = -7      /* rows could not be read: who hands them out knows why */
} ArmStatus;

#define ARM_MUST_CHECK __attribute__((warn_unused_result))

/* One short English phrase per status, static storage. */
const char *arm_status_text(ArmStatus status);

#endif
