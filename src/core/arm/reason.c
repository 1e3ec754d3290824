/* SPDX-License-Identifier: MIT */
/* Why a parameter is no number, and what to do about it: keys of files, sentences for people. */
#include <string.h>

#include "core/arm/structure.h"

/* For xgettext: screens show the text in the user's language. */
#define N_(text) text

typedef struct {
  const char *key, *text;
} ReasonEntry;

static const ReasonEntry reasons[ARM_REASONS] = {
    [ARM_REASON_NONE] = {"none", ""},
    [ARM_REASON_MINIMAL] = {"minimal", N_("minimal: this joint's own current depends on it")},
    [ARM_REASON_AXIS_VERTICAL] =
        {"axis_vertical", N_("redundant: the joint axis is parallel to gravity in every pose, so "
                             "gravity never loads it; nothing to do")},
    [ARM_REASON_AXIS_HORIZONTAL] =
        {"axis_horizontal",
         N_("redundant: the joint slides at right angles to gravity in every pose, "
            "so gravity never loads it; nothing to do")},
    [ARM_REASON_EMBODIED] =
        {"embodied",
         N_("redundant: the angle between the sliding axis and gravity never changes, so "
            "the load is constant and is part of the Coulomb terms; nothing to do")},
    [ARM_REASON_OTHER_CLUSTER] = {"other_cluster",
                                  N_("redundant: no current depends on this ratio")},
    [ARM_REASON_NO_ROWS] = {"no_rows", N_("no usable row moves this joint: record sweeps of it")},
    [ARM_REASON_ROWS_LEFT_OUT] =
        {"rows_left_out",
         N_("the joint was swept, but in no row its current can be used (it is missing, at its "
            "limit, or left out): look at its column, unit and limit first")},
    [ARM_REASON_CURRENT_ZERO] =
        {"current_zero",
         N_("the current of this joint is 0 in every usable row: is it measured, and "
            "is it this joint that draws it?")},
    [ARM_REASON_CURRENT_CONSTANT] =
        {"current_constant",
         N_("the current of this joint is the same in every usable row, forth and back: is it "
            "measured, and not a setting?")},
    [ARM_REASON_ONE_DIRECTION] =
        {"one_direction",
         N_("no usable row in this direction of motion: sweep the joint both ways")},
    [ARM_REASON_ONE_SPEED] = {"one_speed",
                              N_("only one speed in this direction, so Coulomb and "
                                 "viscous friction cannot be told apart: add a sweep at "
                                 "another speed")},
    [ARM_REASON_HOLDS_TOO_SIMILAR] =
        {"holds_too_similar",
         N_("the hold configurations of the other joints cannot separate it: add a "
            "hold in which gravity or the outer joints load this joint "
            "differently (have a plan proposed)")},
    [ARM_REASON_LOAD_UNSEEN] =
        {"load_unseen",
         N_("gravity hardly loads this joint in the recorded poses: add a hold of the "
            "inner joints that turns its axis away from the vertical (a sliding joint: "
            "away from the horizontal)")},
    [ARM_REASON_NO_ACCELERATION] =
        {"no_acceleration",
         N_("the joint moves at constant speed, so its inertia never shows: leave "
            "the inertia out of the fit, or record motions that speed up and slow down")},
    [ARM_REASON_TOO_WEAK] =
        {"too_weak",
         N_("its effect on the current is too small against the noise to improve on the "
            "prior: use antipodal holds (have a plan proposed), more rows, or a known payload")},
    [ARM_REASON_TOO_FEW_ROWS] = {"too_few_rows", N_("no more rows than unknowns, so the noise is "
                                                    "unknown: record more rows")},
    [ARM_REASON_DEPENDS_ON_OTHER] =
        {"depends_on_other", N_("known only together with another parameter that the data cannot "
                                "separate: see that parameter's reason")},
    [ARM_REASON_NEVER_SWEPT] =
        {"never_swept", N_("known only together with the load of a joint that was never swept: "
                           "sweep that joint")},
    [ARM_REASON_LOAD_NOT_STATED] =
        {"load_not_stated", N_("planned without all masses or drives, so nothing is promised: "
                               "record these sweeps, fit them, and plan again from what was "
                               "found")},
    [ARM_REASON_MOTION_TOO_SIMPLE] =
        {"motion_too_simple",
         N_("the recorded motion cannot tell it from other parameters: let all joints move at "
            "once, faster and in other poses")},
    [ARM_REASON_SCALE_NOT_STATED] =
        {"scale_not_stated",
         N_("currents alone give it only relative to a torque constant: state that of one motor "
            "and its gear ratio in the arm file")},
    [ARM_REASON_REGROUPED] =
        {"regrouped",
         N_("in every motion it acts as inertia of the links does: it is a part of the base "
            "parameters whose terms name it; nothing to do")},
    [ARM_REASON_ROTOR_NOT_KNOWN] =
        {"rotor_not_known",
         N_("in every motion the weight that base parameters have of the rotor acts as this "
            "friction does: only both together are known; state the inertia of the rotor and "
            "torque constants in the arm file")},
    [ARM_REASON_COUPLING_WEAK] =
        {"coupling_weak",
         N_("the inertia that couples this joint to others hardly shows against the noise: mount a "
            "tool off the axis (its mass need not be known), move faster, or record longer")},
    [ARM_REASON_NOT_CONVERGED] =
        {"not_converged", N_("the search did not converge, so nothing that it found is a number: "
                             "look for columns of other joints, other units and encoders that are "
                             "stuck, or record a richer motion")},
};

const char *arm_reason_text(ArmReason reason) {
  return (unsigned)reason < ARM_REASONS ? reasons[reason].text : "";
}

const char *arm_reason_key(ArmReason reason) {
  return (unsigned)reason < ARM_REASONS ? reasons[reason].key : "none";
}

ArmReason arm_reason_from_key(const char *key) {
  for (int r = 0; r < ARM_REASONS; r++)
    if (strcmp(reasons[r].key, key) == 0)
      return (ArmReason)r;
  return ARM_REASON_NONE;
}
