/* SPDX-License-Identifier: MIT */
/* One sentence per doubt: expected, found, what to do. English, as files and the command line are;
 * the screen has words of its own (ui/fit/doubt_words). */
#include "io/params/plausible_text.h"

#include <math.h>

#define DEGREES (180.0 / 3.14159265358979323846)

static double shown(ArmJointType type, double q) {
  return type == ARM_JOINT_R ? DEGREES * q : 1e3 * q;
}

static const char *unit_of(ArmJointType type) {
  return type == ARM_JOINT_R ? "deg" : "mm";
}

static const char *si_unit_of(ArmJointType type) {
  return type == ARM_JOINT_R ? "rad" : "m";
}

static const char *speed_guess(ArmSpeedUnit unit) {
  static const char *const guesses[ARM_SPEED_UNITS] = {
      [ARM_SPEED_SI] = "",
      [ARM_SPEED_DEG] = ": is the speed in deg/s where rad/s is meant?",
      [ARM_SPEED_Q_DEG] = ": is the position in deg where rad is meant?",
      [ARM_SPEED_RPM] = ": is the speed in rpm where rad/s is meant?",
      [ARM_SPEED_PER_MIN] = ": is the speed per minute where per second is meant?",
      [ARM_SPEED_MM] = ": is the speed in mm/s where m/s is meant?",
      [ARM_SPEED_Q_MM] = ": is the position in mm where m is meant?",
      [ARM_SPEED_MOTOR] = ": is it the speed of the motor, before the gear?",
      [ARM_SPEED_OTHER] =
          ": are position, speed and time of one joint, in rad, rad/s (m, m/s) and s?",
  };
  return guesses[unit];
}

static char *speed_text(const ArmDoubt *d, int joint) {
  if (d->kind == ARM_DOUBT_SPEED_SIGN)
    return g_strdup_printf("joint %d: its position runs against its speed (%.3g times the speed, "
                           "expected 1, in %zu of "
                           "%zu sweeps): turn the sign of the speed or of the position round%s",
                           joint, d->found, d->count, d->rows, speed_guess(d->unit));
  return g_strdup_printf(
      "joint %d: its position changes %.4g times as fast as its speed says (expected 1, in %zu of "
      "%zu sweeps)%s Correct it in the recording or its column map and fit again",
      joint, d->found, d->count, d->rows, speed_guess(d->unit));
}

static char *current_text(const ArmDoubt *d, int joint) {
  if (d->kind == ARM_DOUBT_CURRENT_SIGN)
    return g_strdup_printf("joint %d: friction helps the motion (it differs by %+.3g A between "
                           "forth and back, expected "
                           "%s): is the sign of the current wrong, or motor_sign in the arm file?",
                           joint, d->found, d->expected > 0 ? "more than 0" : "less than 0");
  if (d->is_samples)
    return g_strdup_printf(
        "joint %d: its current never changes its sign (%.3g to %.3g A) although the joint moves "
        "both ways: is it unsigned? Record the signed value",
        joint, d->found, d->expected);
  return g_strdup_printf(
      "joint %d: friction has the same sign both ways (%+.3g A forth, %+.3g A back, expected "
      "opposite ones): is the current unsigned, or has it an offset? Record the signed value, "
      "or correct its zero",
      joint, d->found, d->expected);
}

static char *ratio_text(const ArmDoubt *d, int joint) {
  const int other = (int)d->other + 1;
  if (d->kind == ARM_DOUBT_RATIO_SIGN)
    return g_strdup_printf(
        "joint %d: eta%d/eta%d has the wrong sign (found %.4g, the arm file says %.4g): is the "
        "sign "
        "of the current wrong, motor_sign, or the sign of a DH angle of this joint?",
        joint, joint, other, d->found, d->expected);
  return g_strdup_printf(
      "joint %d: eta%d/eta%d is far from its data sheet (found %.4g, expected %.4g): are gear "
      "ratio and torque constant in the arm file those of this joint, and is the current in A?",
      joint, joint, other, d->found, d->expected);
}

static const char *current_unit(const ArmDoubt *d, ArmJointType type) {
  return !d->is_torque ? "A" : type == ARM_JOINT_R ? "N m" : "N";
}

/* As recordings call it: "i3_A", "tau3_Nm", "tau3_N". g_free. */
static char *current_column(const ArmDoubt *d, ArmJointType type, int joint) {
  return g_strdup_printf("%s%d_%s", d->is_torque ? "tau" : "i", joint,
                         !d->is_torque         ? "A"
                         : type == ARM_JOINT_R ? "Nm"
                                               : "N");
}

static char *constant_text(const ArmDoubt *d, ArmJointType type, int joint) {
  const char *what = d->is_torque ? "torque" : "current";
  char *column = current_column(d, type, joint), *text;
  if (d->kind == ARM_DOUBT_ZERO)
    text = g_strdup_printf("joint %d: its %s is 0 in all %zu used rows: is it measured (column "
                           "%s), and is it this joint's?",
                           joint, what, d->rows, column);
  else if (d->count == 0)
    text = g_strdup_printf("joint %d: its %s is %.6g %s in all %zu used rows: is it measured "
                           "(column %s), and not a setting?",
                           joint, what, d->found, current_unit(d, type), d->rows, column);
  else
    text = g_strdup_printf("joint %d: its %s is %.6g %s in all %zu used rows, forth and back "
                           "(column %s, expected one that friction and gravity change): is it "
                           "measured, and not a setting?",
                           joint, what, d->found, current_unit(d, type), d->rows, column);
  g_free(column);
  return text;
}

static char *residual_text(const ArmDoubt *d, ArmJointType type, int joint) {
  return g_strdup_printf("joint %d: the largest residual is %.0f residual sds (%.3g %s): a stop, a "
                         "collision or a fault inside the recording? cut it off (to_s of the "
                         "column map) or look at --lowpass",
                         joint, d->found / d->expected, d->found, current_unit(d, type));
}

static char *signal_text(const ArmDoubt *d, int joint) {
  return g_strdup_printf("joint %d: its current does not follow its motion (gravity and friction "
                         "make r2 %.3g of it, expected at least %.3g): does it oscillate, and is "
                         "this its current?",
                         joint, d->found, d->expected);
}

static char *wild_text(const ArmDoubt *d, int joint) {
  return g_strdup_printf(
      "joint %d: %zu samples far off were left out, the farthest %.4g A where those around it say "
      "%.4g A, row %zu of the recording (t = %.6g s): a fault of the measurement, a blow, a brake? "
      "look there if there are many",
      joint, d->count, d->found, d->expected, d->other + 1, d->time);
}

static char *wild_position_text(const ArmDoubt *d, ArmJointType type, int joint) {
  return g_strdup_printf("joint %d: its position jumps away and back in %zu samples, which were "
                         "left out, the farthest "
                         "%.4g %s where those around it say %.4g %s, row %zu of the recording (t = "
                         "%.6g s): a fault of "
                         "the transmission? look there if there are many",
                         joint, d->count, shown(type, d->found), unit_of(type),
                         shown(type, d->expected), unit_of(type), d->other + 1, d->time);
}

static char *range_text(const ArmDoubt *d, ArmJointType type, int joint) {
  const double percent = 100.0 * (double)d->count / (double)d->rows;
  if (d->kind == ARM_DOUBT_CURRENT_LIMIT && d->is_samples)
    return g_strdup_printf(
        "joint %d: its current is higher than any motor takes in %.3g %% of the samples "
        "(%.4g A in row %zu of the recording, expected at most %.3g A): is it in mA?",
        joint, percent, d->found, d->other + 1, d->expected);
  if (d->kind == ARM_DOUBT_CURRENT_LIMIT)
    return g_strdup_printf(
        "joint %d: its current is beyond the limit of the arm file in %.3g %% of "
        "the samples (%.3g A in row %zu of the recording, expected at most %.3g A): is it in A, "
        "and is the limit right?",
        joint, percent, d->found, d->other + 1, d->expected);
  if (d->kind == ARM_DOUBT_SATURATED)
    return g_strdup_printf(
        "joint %d: its current stays at its extreme value of %.4g A in %.3g %% of "
        "the samples: is it limited there? Move slower or with less load",
        joint, d->found, percent);
  if (d->kind == ARM_DOUBT_POSITION && arm_plausible_is_other_unit(type, d->found, d->expected))
    return g_strdup_printf("joint %d: its position is far outside of the limits of the arm file "
                           "(%.4g in row %zu of the recording, expected within %.4g %s): is it in "
                           "%s where %s is meant?",
                           joint, d->found, d->other + 1, d->expected, si_unit_of(type),
                           unit_of(type), si_unit_of(type));
  if (d->kind == ARM_DOUBT_POSITION)
    return g_strdup_printf("joint %d: its position is outside of the limits of the arm file (%.4g "
                           "%s in row %zu of the recording, expected within %.4g %s): are unit, "
                           "zero and direction right?",
                           joint, shown(type, d->found), unit_of(type), d->other + 1,
                           shown(type, d->expected), unit_of(type));
  return g_strdup_printf("joint %d: it is held but moves by %.3g %s while joint %d is swept (t = "
                         "%.6g s, expected less than %s): hold it better, or check which joint "
                         "moves in these rows",
                         joint, shown(type, d->found), unit_of(type), (int)d->other + 1, d->time,
                         type == ARM_JOINT_R ? "1 deg" : "5 mm");
}

static char *timing_text(const ArmDoubt *d, int joint) {
  const double percent = 100.0 * (double)d->count / (double)d->rows;
  if (d->kind == ARM_DOUBT_FEW_SAMPLES)
    return g_strdup_printf("joint %d: %zu of its %zu sweeps have less than %.0f samples (%.3g on "
                           "average): sample faster or sweep slower",
                           joint, d->count, d->rows, d->expected, d->found);
  if (d->kind == ARM_DOUBT_JITTER)
    return g_strdup_printf("%.3g %% of the sample intervals (median %.4g s) differ by more than 50 "
                           "%% from the one before: record with the controller's own times",
                           percent, d->found);
  if (d->kind == ARM_DOUBT_GAPS)
    return g_strdup_printf("samples are missing inside of sweeps (%zu gaps, the longest %.3g s): "
                           "what was lost between controller and file?",
                           d->count, d->found);
  return g_strdup_printf(
      "%.0f joints move at once in %.3g %% of the rows: this recording needs the "
      "full dynamics, while this fit takes one joint at a time: record sweeps in "
      "which the others are held",
      d->found, percent);
}

char *aio_doubt_text(const ArmDoubt *doubt, ArmJointType type) {
  const int joint = (int)doubt->joint + 1;
  if (doubt->kind <= ARM_DOUBT_SPEED_SIGN)
    return speed_text(doubt, joint);
  if (doubt->kind <= ARM_DOUBT_CURRENT_SIGN)
    return current_text(doubt, joint);
  if (doubt->kind <= ARM_DOUBT_RATIO_SIZE)
    return ratio_text(doubt, joint);
  if (doubt->kind <= ARM_DOUBT_CONSTANT)
    return constant_text(doubt, type, joint);
  if (doubt->kind == ARM_DOUBT_NO_SIGNAL)
    return signal_text(doubt, joint);
  if (doubt->kind == ARM_DOUBT_WILD)
    return wild_text(doubt, joint);
  if (doubt->kind == ARM_DOUBT_WILD_POSITION)
    return wild_position_text(doubt, type, joint);
  if (doubt->kind == ARM_DOUBT_RESIDUAL)
    return residual_text(doubt, type, joint);
  if (doubt->kind <= ARM_DOUBT_HELD_MOVES)
    return range_text(doubt, type, joint);
  return timing_text(doubt, joint);
}
