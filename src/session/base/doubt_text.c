/* SPDX-License-Identifier: MIT */
/* What would make the numbers of a fit hardly those of the arm, as sentences that end in the
 * question what it may be. Of what it is no matter that only the screen knows: no units of the
 * user's choice. */
#include "session/base/doubt_text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdbool.h>

#include "io/base/said.h"

typedef struct {
  char text[32];
} Number;

/* 2430, not 2.43e+03 */
static Number number(double value) {
  Number out;
  const bool is_long = fabs(value) >= 999.5 && fabs(value) < 1e6;
  g_snprintf(out.text, sizeof out.text, is_long ? "%.0f" : "%.3g", value);
  return out;
}

static const char *speed_guess(ArmSpeedUnit unit) {
  static const char *const guesses[ARM_SPEED_UNITS] = {
      [ARM_SPEED_DEG] = N_("is the speed in deg/s where rad/s is meant?"),
      [ARM_SPEED_Q_DEG] = N_("is the position in deg where rad is meant?"),
      [ARM_SPEED_RPM] = N_("is the speed in rpm where rad/s is meant?"),
      [ARM_SPEED_PER_MIN] = N_("is the speed per minute where per second is meant?"),
      [ARM_SPEED_MM] = N_("is the speed in mm/s where m/s is meant?"),
      [ARM_SPEED_Q_MM] = N_("is the position in mm where m is meant?"),
      [ARM_SPEED_MOTOR] = N_("is it the speed of the motor, before the gear?"),
  };
  return guesses[unit] ? aio_said_word(guesses[unit])
                       : aio_said_word(N_(
                             "are position and speed those of one joint, and in the right units?"));
}

static char *speed_said(const ArmDoubt *d, guint joint) {
  if (d->kind == ARM_DOUBT_SPEED_SIGN)
    return aio_said(N_("Joint %u: its position runs against its speed: turn the sign of one "
                       "of them round"),
                    joint);
  const Number times = number(d->found);
  return aio_said(N_("Joint %u: its position changes %s times as fast as its speed says: %s"),
                  joint, times.text, speed_guess(d->unit));
}

static char *current_said(const ArmDoubt *d, guint joint) {
  if (d->kind == ARM_DOUBT_CURRENT_SIGN)
    return aio_said(N_("Joint %u: friction helps the motion: is the sign of the current "
                       "wrong, or motor_sign in the arm file?"),
                    joint);
  if (d->is_samples)
    return aio_said(N_("Joint %u: its current never changes its sign, though the joint moves "
                       "both ways: is it unsigned? Record the signed value"),
                    joint);
  const Number forth = number(1e3 * d->found), back = number(1e3 * d->expected);
  return aio_said(N_("Joint %u: friction has the same sign both ways (%s mA and %s mA): is "
                     "the current unsigned, or its zero off?"),
                  joint, forth.text, back.text);
}

static char *ratio_said(const ArmDoubt *d, guint joint) {
  const Number found = number(d->found);
  const Number expected = number(d->expected);
  return aio_said(
      d->kind == ARM_DOUBT_RATIO_SIGN
          ? N_("Joint %u: the ratio of its torque constant to that of joint %u has the wrong sign "
               "(%s, the arm file says %s): is the sign of a current, motor_sign or a DH angle "
               "wrong?")
          : N_("Joint %u: the ratio of its torque constant to that of joint %u is far from the "
               "data sheet (%s, the arm file says %s): are gear ratio and torque constant right, "
               "and is "
               "the current in A?"),
      joint, (guint)d->other + 1, found.text, expected.text);
}

static char *limit_said(const ArmDoubt *d, guint joint) {
  const Number found = number(d->found);
  if (d->kind == ARM_DOUBT_CURRENT_LIMIT && d->is_samples)
    return aio_said(N_("Joint %u: no motor takes a current as high as %s A: is it in mA?"), joint,
                    found.text);
  if (d->kind == ARM_DOUBT_CURRENT_LIMIT) {
    const Number limit = number(d->expected);
    return aio_said(N_("Joint %u: its current is beyond the limit of the arm file (%s A, "
                       "where %s A are allowed): is it in A, and is the limit right?"),
                    joint, found.text, limit.text);
  }
  const Number part = number(100.0 * (double)d->count / (double)d->rows);
  return aio_said(N_("Joint %u: its current stays at %s A in %s %% of the samples: is it "
                     "limited there? Move slower, or with less load"),
                  joint, found.text, part.text);
}

static char *constant_said(const ArmDoubt *d, guint joint) {
  if (d->kind == ARM_DOUBT_ZERO)
    return aio_said(N_("Joint %u: its current is 0 in all samples: is it measured, and is it "
                       "this joint's?"),
                    joint);
  const Number found = number(d->found);
  return aio_said(N_("Joint %u: its current is %s A in all samples: is it measured, and not a "
                     "setting?"),
                  joint, found.text);
}

static char *many_said(const ArmDoubt *d) {
  const Number found = number(d->found);
  return aio_said(N_("%s joints move at once, while this fit takes one at a time: record "
                     "sweeps in which the others are held"),
                  found.text);
}

char *ase_doubt_said(const ArmDoubt *doubt) {
  const guint joint = (guint)doubt->joint + 1;
  switch (doubt->kind) {
  case ARM_DOUBT_SPEED_UNIT:
  case ARM_DOUBT_SPEED_SIGN:
    return speed_said(doubt, joint);
  case ARM_DOUBT_UNSIGNED:
  case ARM_DOUBT_CURRENT_SIGN:
    return current_said(doubt, joint);
  case ARM_DOUBT_RATIO_SIGN:
  case ARM_DOUBT_RATIO_SIZE:
    return ratio_said(doubt, joint);
  case ARM_DOUBT_ZERO:
  case ARM_DOUBT_CONSTANT:
    return constant_said(doubt, joint);
  case ARM_DOUBT_NO_SIGNAL:
    return aio_said(N_("Joint %u: its current does not follow its motion: does it oscillate, "
                       "and is this its current?"),
                    joint);
  case ARM_DOUBT_CURRENT_LIMIT:
  case ARM_DOUBT_SATURATED:
    return limit_said(doubt, joint);
  case ARM_DOUBT_MANY_MOVE:
    return many_said(doubt);
  case ARM_DOUBT_WILD:
  case ARM_DOUBT_WILD_POSITION:
  case ARM_DOUBT_RESIDUAL:
  case ARM_DOUBT_POSITION:
  case ARM_DOUBT_HELD_MOVES:
  case ARM_DOUBT_FEW_SAMPLES:
  case ARM_DOUBT_JITTER:
  case ARM_DOUBT_GAPS:
  case ARM_DOUBTS:
    break;
  }
  return g_strdup("");
}

char *ase_doubt_text(const ArmDoubt *doubt) {
  return aio_said_take_text(ase_doubt_said(doubt));
}
