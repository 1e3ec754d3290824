/* SPDX-License-Identifier: MIT */
/* A recording as the core sees it, and which of its rows a fit may use.
 *
 * All arrays are column-major with leading dimension `rows`: q of joint j at row r is
 * q[r + j*rows]. Joint side, SI. NAN = not measured. The dataset borrows every array.
 */
#ifndef ARMATURE_CORE_DATASET_H
#define ARMATURE_CORE_DATASET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/base/status.h"

typedef struct {
  size_t n;                      /* joints */
  size_t rows;                   /* samples */
  size_t first;                  /* rows of the recording before these, of which it is a part */
  const double *t;               /* rows        time [s] */
  const int *joint;              /* rows        moving joint counted from 1, 0 = none or all */
  const double *q;               /* rows x n    [rad, m] */
  const double *qd;              /* rows x n    [rad/s, m/s]; NAN of a held joint counts as 0 */
  const double *qdd;             /* rows x n or NULL [rad/s^2, m/s^2] */
  const double *current;         /* rows x n    [A] (a joint in `is_torque`: [N m] or [N]) */
  const unsigned char *left_out; /* rows or NULL: not 0 = a part of its sweep, but not to be used */
  const unsigned char *begins;   /* rows or NULL: not 0 = a sweep begins, no gap is before it */
  bool is_torque[ARM_MAX_JOINTS]; /* the joint's "current" column is a measured torque or force */
} ArmDataset;

/* Why a row is or is not used for the fit of the joint that moves in it. */
typedef enum {
  ARM_ROW_USED = 0,
  ARM_ROW_NO_JOINT,      /* joint = 0: none or all move */
  ARM_ROW_SLOW,          /* |qd| <= min speed: stiction, direction undefined */
  ARM_ROW_NO_POSITION,   /* some q is missing */
  ARM_ROW_NO_SPEED,      /* qd of the moving joint is missing */
  ARM_ROW_NO_CURRENT,    /* current of the moving joint is missing */
  ARM_ROW_NO_ACCEL,      /* acceleration asked for but neither measured nor computable */
  ARM_ROW_OFF_PLATEAU,   /* outside the constant-speed plateau (only with --plateau) */
  ARM_ROW_LEFT_OUT,      /* as the dataset says */
  ARM_ROW_WILD,          /* a single current far from its neighbours (core/sweeps/wild.h)... */
  ARM_ROW_WILD_POSITION, /* ...or a position, of any joint */
  ARM_ROW_REASONS
} ArmRowUse;

typedef struct {
  double min_speed_R;      /* rad/s, default 0.005 */
  double min_speed_T;      /* m/s, default 0.0005 */
  bool wants_acceleration; /* own-joint acceleration column */
  bool wants_plateau;      /* keep only the constant-speed plateau of each sweep */
  double plateau_end_R;    /* rad from both ends of each stroke, default 25 deg... */
  double plateau_end_part; /* ...or this part of the stroke, whichever is less; default 0.10 */
  double plateau_speed_tolerance; /* part of the sweep's median speed, default 0.05 */
} ArmRowOptions;

void arm_row_options_default(ArmRowOptions *options);

/* Snake-case key of a reason for files ("below_min_speed"), static storage. */
const char *arm_row_use_key(ArmRowUse use);

/* A joint without a used row has been swept, but its current is missing or left out. */
bool arm_rows_are_left_out(const size_t rows_by_use[ARM_ROW_REASONS]);

/* Decides every row of the dataset.
 *   use  rows  out
 * ARM_E_ARGUMENT: n of model and dataset differ. ARM_E_MEMORY (plateau search only). */
ARM_MUST_CHECK ArmStatus arm_dataset_select(const ArmModel *model, const ArmDataset *data,
                                            const ArmRowOptions *options, ArmRowUse *use);

/* The same of each row by itself: ends of sweeps stay ARM_ROW_USED. n of model and dataset are
 * equal. */
void arm_dataset_judge(const ArmModel *model, const ArmDataset *data, const ArmRowOptions *options,
                       ArmRowUse *use);

#endif
