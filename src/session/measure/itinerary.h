/* SPDX-License-Identifier: MIT */
/* What the arm is going to do, leg by leg, before it does any of it.
 *
 * A calibration is a list of legs: moves from hold to hold, and sweeps of one joint at a hold. The
 * list is made from a plan (core/sweeps/plan.h) and from what the user declared free; nothing
 * outside of that is ever commanded, and the dry run takes the same path, slowly. Pure data: no
 * device, no clock, any thread. Joints and holds count from 1, 0 means none. [rad or m, s]
 */
#ifndef ARMATURE_SESSION_ITINERARY_H
#define ARMATURE_SESSION_ITINERARY_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/plan.h"
#include "io/base/error.h"
#include "session/measure/trajectory.h"

typedef enum {
  ASE_PURPOSE_DRY_RUN,
  ASE_PURPOSE_WARM_UP,
  ASE_PURPOSE_MEASURE,
  ASE_PURPOSE_DRIFT,    /* the first sweep again */
  ASE_PURPOSE_VALIDATE, /* poses that no fit has seen */
  ASE_PURPOSE_RETURN    /* back to where the arm stood */
} AsePurpose;
const char *ase_purpose_text(AsePurpose purpose); /* "dry run"; static */
const char *ase_purpose_said(AsePurpose purpose); /* the same as a sentence of io/base/said */

/* Of three kinds.
 * A sweep: `joint` goes between q0 and q1, `passes` times, while the others hold `pose`.
 * A trajectory: the joints of the mask follow it, from its first pose, the others hold.
 * Else a move: the joints of the mask go to `pose` together, in a straight line. */
typedef struct {
  AsePurpose purpose;
  bool sweeps;
  const AseTrajectory *trajectory; /* NULL: it is another kind; kept by the itinerary */
  double slowness;                 /* of a trajectory: it takes so many times as long */
  guint joint;                     /* that sweeps, or for whose hold the arm moves */
  guint hold;                      /* number of that hold, from 1 */
  guint32 joints;                  /* move, trajectory: bit k = joint k + 1 */
  double pose[ARM_MAX_JOINTS];     /* at the end of the leg; a sweep's own joint ends at q0 or q1 */
  double q0, q1;                   /* sweep: first pass from q0 to q1 */
  guint passes;
  double speed_R, speed_T; /* of the joints that move: [rad/s] for R, [m/s] for T */
  double accel_R, accel_T; /* [rad/s^2], [m/s^2]; both are cut at each joint's limit */
  double duration_s;       /* estimated */
} AseLeg;

/* With which a move moves the joint (from 0): cut at 0.9 of its limit [rad/s, m/s]. */
double ase_leg_move_speed(const ArmModel *model, const AseLeg *leg, gsize joint);

/* What may be moved through. Ranges are within the arm's limits; a hold's range is narrower where
 * something stands in the way while the arm is in that pose. */
typedef struct {
  guint joint, hold; /* the sweep of this joint at its hold of this number */
  double low, high;
} AseHoldRange;
typedef struct {
  double low[ARM_MAX_JOINTS], high[ARM_MAX_JOINTS];
  const AseHoldRange *holds; /* n_holds, borrowed */
  gsize n_holds;
} AseFreedom;

/* The arm's limits (an R joint without: +-pi, a T joint without: 0), no hold narrower. */
void ase_freedom_init(AseFreedom *freedom, const ArmModel *model);

/* Range of a sweep: the plan's, the joint's, the hold's, all at once; low > high when empty. */
void ase_freedom_range(const AseFreedom *freedom, guint joint, guint hold, double *low,
                       double *high);

typedef struct {
  double dry_speed_R, dry_speed_T;   /* default 10 deg/s, 0.01 m/s */
  double move_speed_R, move_speed_T; /* between holds; default 30 deg/s, 0.05 m/s */
  double accel_R, accel_T; /* of moves; default 60 deg/s^2, 0.1 m/s^2, cut at each joint's limit */
  double sweep_accel_part; /* of the limit, where stated, for sweeps: short ramps; default 0.5 */
  double warm_up_s;        /* of sweeps of every joint before measuring; default 0 */
  bool moves_together;     /* default false: one joint at a time */
  guint order[ARM_MAX_JOINTS]; /* in which they then move; 0-terminated or all; default n..1 */
  bool repeats_first;          /* default true */
  guint validation_holds;      /* per joint; default 1 */
  guint64 seed;                /* of the validation poses */
} AseItineraryOptions;
/* A dry run is slow: no faster than the moves, nor than these, whatever its options say, which may
 * come from a stranger's session [rad/s, m/s]. */
#define ASE_DRY_SPEED_MAX_R (60.0 * G_PI / 180.0)
#define ASE_DRY_SPEED_MAX_T 0.1
void ase_itinerary_options_default(AseItineraryOptions *options, guint joints);

typedef struct {
  guint n;                      /* joints */
  double start[ARM_MAX_JOINTS]; /* where the first leg begins */
  GArray *legs;                 /* of AseLeg */
  AseTrajectory *trajectory;    /* of those that follow one; NULL: none does */
  double duration_s;
} AseItinerary;

/* The whole calibration from `start` (n) on: dry run of every hold change and sweep, warm-up, the
 * sweeps joint n to 1, the first sweep again, validation, and back to `start`.
 * NULL with AIO_ERROR_REFUSED, naming joint, hold and range: a pose or sweep lies outside of what
 * is free, two holds cannot be reached from each other, or less than a third of a planned sweep is
 * left. Free with ase_itinerary_free. */
AseItinerary *ase_itinerary_new(const ArmModel *model, const ArmPlan *plan,
                                const AseFreedom *freedom, const AseItineraryOptions *options,
                                const double *start, GError **error);
void ase_itinerary_free(AseItinerary *itinerary); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AseItinerary, ase_itinerary_free)

/* Somebody's motion instead of a plan: to its first pose, along it at a tenth of the speed unless
 * that has been done, back to its first pose, along it. Nobody has seen the ways to the first pose:
 * they are as slow as a dry run.
 * NULL with AIO_ERROR_REFUSED, naming the joint: the motion leaves what is free. */
AseItinerary *ase_itinerary_of_motion(const ArmModel *model, AseTrajectory *trajectory,
                                      const AseFreedom *freedom, const AseItineraryOptions *options,
                                      const double *start, bool has_dry_run, GError **error);

/* Where the arm is: the pose, and the hold (0: none) whose range still holds. */
typedef struct {
  double pose[ARM_MAX_JOINTS];
  guint joint, hold;
} AseStand;

/* The sweeps of `all` that are not done, in their order, with new moves from where the arm stands,
 * and back to where `all` ends.
 *   is_done  one per leg; those of moves do not count
 * No legs when everything is done. NULL as ase_itinerary_new. */
AseItinerary *ase_itinerary_rest(const ArmModel *model, const AseFreedom *freedom,
                                 const AseItineraryOptions *options, const AseItinerary *all,
                                 const bool *is_done, const AseStand *stand, GError **error);

/* Where the arm is after a part (0..1) of the way of a leg, all its passes being one way: to be
 * drawn, or played.
 *   q  n, out */
void ase_itinerary_pose(const AseItinerary *itinerary, guint leg, double part, double *q);

/* "sweep joint 3, hold 2, from -60 to 45 deg at 30 deg/s, 2 passes" for people. g_free. */
char *ase_leg_text(const ArmModel *model, const AseLeg *leg);
/* The same as a sentence of io/base/said. */
char *ase_leg_said(const ArmModel *model, const AseLeg *leg);

#endif
