/* SPDX-License-Identifier: MIT */
/* The arm: an open chain of rotational (R) and translational (T) joints and what drives them.
 *
 * Link frame i in link frame i-1, for joint variable q_i:
 *   R:  P_i * Rz(offset_i + q_i)        T:  P_i * Tz(offset_i + q_i)
 * with the constant placement P_i = (rotation, translation). Modified Denavit-Hartenberg
 * (Craig; "normal driving axis" in Lin 1994, eqs (9),(10)) and URDF-like placements are two
 * ways of writing P_i. Joints are counted from 0 here, from 1 in every file and message.
 * Plain data, no ownership: copy by assignment.
 */
#ifndef ARMATURE_CORE_MODEL_H
#define ARMATURE_CORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

enum { ARM_MAX_JOINTS = 32, ARM_MAX_MOTORS = 4, ARM_MAX_CAPSULES = 8 };

typedef enum { ARM_JOINT_R = 0, ARM_JOINT_T = 1 } ArmJointType;

/* Unknown numbers are NAN; motor_sign is always +1 or -1. */
typedef struct {
  double gear_ratio;             /* motor rad per joint rad (T: rad per m), > 0 */
  int motor_sign;                /* -1: the motor turns against the joint */
  double torque_constant_Nm_A;   /* nominal, > 0 */
  double torque_constant_rel_sd; /* relative standard deviation of the nominal, >= 0 */
  double rotor_inertia_kg_m2;    /* motor side */
} ArmMotor;

/* Joint side; NAN = not stated. */
typedef struct {
  double q_min, q_max; /* rad or m */
  double speed_max;    /* rad/s or m/s */
  double accel_max;    /* rad/s^2 or m/s^2 */
  double current_max;  /* A */
  double rest_error;   /* rad or m: how far from where it was sent it may rest */
} ArmLimits;

typedef struct {
  bool is_present;
  double mass_kg;
  double com_m[3];             /* link frame */
  double inertia_com_kg_m2[6]; /* Ixx Iyy Izz Ixy Ixz Iyz: tensor entries about the centre of mass,
                                 axes of the link frame */
} ArmLink;

typedef struct {
  double from_m[3], to_m[3], radius_m; /* link frame */
} ArmCapsule;

typedef struct {
  ArmJointType type;
  double rotation[9];    /* placement, row-major: maps link-frame-i coordinates at q = -offset into
                            frame i-1 */
  double translation[3]; /* placement: origin of frame i at q = -offset, in frame i-1 [m] */
  double offset;         /* theta0 [rad] or d0 [m] */
  ArmLimits limits;
  size_t n_motors; /* 0 = drive unknown */
  ArmMotor motors[ARM_MAX_MOTORS];
  ArmLink link;
  size_t n_capsules;
  ArmCapsule capsules[ARM_MAX_CAPSULES];
} ArmJoint;

typedef struct {
  size_t n;
  double gravity_m_s2[3]; /* free-fall acceleration in the base frame (points down) */
  ArmJoint joints[ARM_MAX_JOINTS];
  bool has_coupling;
  /* L of Lin 1994 eqs (38)-(40): r_i qd_motor_i = [(I+L) qd]_i; [row][column], strictly lower */
  double coupling[ARM_MAX_JOINTS][ARM_MAX_JOINTS];
} ArmModel;

/* Sets n R joints with identity placements, unknown limits and drives, gravity (0,0,-9.81).
 * ARM_E_ARGUMENT: n is 0 or above ARM_MAX_JOINTS. */
ARM_MUST_CHECK ArmStatus arm_model_init(ArmModel *model, size_t n);

/* Modified Denavit-Hartenberg placement of one joint (Lin 1994 eqs (9),(10); Craig's alpha_{i-1},
 * a_{i-1}): beta [rad], b [m], theta [rad], d [m]; theta (R) resp. d (T) becomes the offset. */
void arm_joint_set_mdh(ArmJoint *joint, ArmJointType type, double beta, double b, double theta,
                       double d);

/* URDF-like placement: xyz [m], rpy [rad] (rotation Rz(yaw) Ry(pitch) Rx(roll)). What lies along a
 * T joint's own axis becomes its offset, as in MDH, so that both ways of writing an arm give the
 * same parameters; an R joint's offset is 0. */
void arm_joint_set_placement(ArmJoint *joint, ArmJointType type, const double xyz[3],
                             const double rpy[3]);

/* Pose of every link frame in the base frame at q (n entries, rad or m).
 *   rotation  n x [9] row-major  link frame -> base     may be NULL
 *   position  n x [3]            origin in base [m]     may be NULL */
void arm_model_poses(const ArmModel *model, const double *q, double (*rotation)[9],
                     double (*position)[3]);

/* Nominal eta_i = i_i / tau_i = sign / (G C) [A/(N m) or A/N] (Lin 1994 eq (18)), for several
 * motors that carry the same current 1 / sum(sign G C). Returns false, outputs untouched, when a
 * gear ratio or torque constant is unknown or the motors cancel.
 *   rel_sd  relative standard deviation from the stated ones, NAN when none is stated */
bool arm_model_nominal_eta(const ArmModel *model, size_t joint, double *eta, double *rel_sd);

/* Friction speeds (I+L) qd (Lin 1994 eqs (38)-(40)); motor_qd must not alias qd. */
void arm_model_motor_speed(const ArmModel *model, const double *qd, double *motor_qd);

#endif
