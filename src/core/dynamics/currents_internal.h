/* SPDX-License-Identifier: MIT */
/* What the files of currents.h share. */
#ifndef ARMATURE_CORE_DYNAMICS_CURRENTS_INTERNAL_H
#define ARMATURE_CORE_DYNAMICS_CURRENTS_INTERNAL_H

#include "core/arm/dyn.h"
#include "core/dynamics/currents.h"
#include "core/dynamics/rows.h"

enum { CURRENTS_CHUNK = 88 }; /* states at a time, as many whatever the blocks: stream_internal.h */

/* Parameters of one joint's own, behind the base parameters that it feels. */
enum {
  OWN_LOAD = ARM_DYN_LOCAL, /* mu */
  OWN_CURVE,                /* c3 */
  OWN_WEIGHT,               /* k eta Ia of identify.h, "rotor weight" */
  OWN_ETA,
  OWN
};

typedef struct {
  bool has_rows;
  double own[OWN];
  bool is_open[OWN];        /* nothing is known of it */
  bool has_load, has_curve; /* terms */
  bool has_rotor;
  double sign, curve_speed, load_seen[2];
  bool is_coulomb_known;
  double noise_sd; /* of a measurement */
  size_t felt;     /* base parameters of links from this one on */
  size_t *base;    /* felt  which they are */
  /* of a gradient with felt + OWN entries */
  size_t covered; /* those of which the covariance speaks */
  size_t *entry;  /* covered */
  double *lower;  /* rows of the lower triangle of their covariance, one after the other */
  bool was_beyond, lacks_torque;
  ArmReason why_no_torque;
} JointCurrents;

struct ArmCurrents {
  ArmModel model;
  ArmDyn dyn;
  size_t n, count;
  size_t *column;    /* count  which of the 10 n of a regressor */
  double *beta;      /* count */
  bool *is_open;     /* count */
  ArmReason *reason; /* count  why it is not told */
  bool *is_told;     /* count  in SI */
  JointCurrents joint[ARM_MAX_JOINTS];
  /* scratch, columns of CURRENTS_CHUNK */
  double *y;              /* 10 n x n */
  double *state;          /* q, qd, qdd, n each */
  double *drive;          /* speed and acceleration of the drives, n each */
  double *gradient;       /* count + OWN */
  bool *is_finite;        /* states */
  double *torque, *reach; /* one; reach: largest |Y_b| of a row */
  double *sum, *partial;  /* one */
};

#endif
