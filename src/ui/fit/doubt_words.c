/* SPDX-License-Identifier: MIT */
/* The same doubts as io/params/plausible_text, for the screen and in the user's language: positions
 * in the user's unit, buttons and pages by their names. */
#include "ui/fit/doubt_words.h"

#include <glib/gi18n.h>

#include "ui/fit/cause_words.h"
#include "ui/kit/format.h"

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
  return guesses[unit] ? _(guesses[unit])
                       : _("are position and speed those of one joint, and in the right units?");
}

static char *speed_text(const ArmDoubt *d, guint joint) {
  if (d->kind == ARM_DOUBT_SPEED_SIGN)
    return g_strdup_printf(_("Joint %u: its position runs against its speed: turn the sign of one "
                             "of them round"),
                           joint);
  g_autofree char *times = aui_format_number(d->found, 3);
  return g_strdup_printf(_("Joint %u: its position changes %s times as fast as its speed says: %s"),
                         joint, times, speed_guess(d->unit));
}

static char *current_text(const ArmDoubt *d, guint joint) {
  if (d->kind == ARM_DOUBT_CURRENT_SIGN)
    return g_strdup_printf(_("Joint %u: friction helps the motion: is the sign of the current "
                             "wrong, or motor_sign in the arm file?"),
                           joint);
  if (d->is_samples)
    return g_strdup_printf(_("Joint %u: its current never changes its sign, though the joint moves "
                             "both ways: is it unsigned? Record the signed value"),
                           joint);
  g_autofree char *forth = aui_format_mA(d->found), *back = aui_format_mA(d->expected);
  return g_strdup_printf(_("Joint %u: friction has the same sign both ways (%s mA and %s mA): is "
                           "the current unsigned, or its zero off?"),
                         joint, forth, back);
}

static char *ratio_text(const ArmDoubt *d, guint joint) {
  g_autofree char *found = aui_format_number(d->found, 3);
  g_autofree char *expected = aui_format_number(d->expected, 3);
  return g_strdup_printf(
      d->kind == ARM_DOUBT_RATIO_SIGN
          ? _("Joint %u: the ratio of its torque constant to that of joint %u has the wrong sign "
              "(%s, the arm file says %s): is the sign of a current, motor_sign or a DH angle "
              "wrong?")
          : _("Joint %u: the ratio of its torque constant to that of joint %u is far from the data "
              "sheet (%s, the arm file says %s): are gear ratio and torque constant right, and is "
              "the current in A?"),
      joint, (guint)d->other + 1, found, expected);
}

static char *wild_text(const ArmDoubt *d, guint joint) {
  g_autofree char *far = aui_format_number(d->found, 3), *time = aui_format_number(d->time, 4);
  return g_strdup_printf(
      ngettext("Joint %u: %zu sample far off was left out, %s A at %s s: a blow, a brake, a fault "
               "of the measurement?",
               "Joint %u: %zu samples far off were left out, the farthest %s A at %s s: a blow, a "
               "brake, a fault of the measurement?",
               d->count),
      joint, d->count, far, time);
}

static char *limit_text(const ArmDoubt *d, guint joint) {
  g_autofree char *found = aui_format_number(d->found, 3);
  if (d->kind == ARM_DOUBT_CURRENT_LIMIT && d->is_samples)
    return g_strdup_printf(_("Joint %u: no motor takes a current as high as %s A: is it in mA?"),
                           joint, found);
  if (d->kind == ARM_DOUBT_CURRENT_LIMIT) {
    g_autofree char *limit = aui_format_number(d->expected, 3);
    return g_strdup_printf(_("Joint %u: its current is beyond the limit of the arm file (%s A, "
                             "where %s A are allowed): is it in A, and is the limit right?"),
                           joint, found, limit);
  }
  g_autofree char *part = aui_format_number(100.0 * (double)d->count / (double)d->rows, 2);
  return g_strdup_printf(_("Joint %u: its current stays at %s A in %s %% of the samples: is it "
                           "limited there? Move slower, or with less load"),
                         joint, found, part);
}

static char *constant_text(const ArmDoubt *d, guint joint) {
  if (d->kind == ARM_DOUBT_ZERO)
    return g_strdup_printf(_("Joint %u: its current is 0 in all samples: is it measured, and is it "
                             "this joint's?"),
                           joint);
  g_autofree char *found = aui_format_number(d->found, 3);
  return g_strdup_printf(
      _("Joint %u: its current is %s A in all samples: is it measured, and not a "
        "setting?"),
      joint, found);
}

static char *residual_text(const ArmDoubt *d, guint joint) {
  g_autofree char *times = aui_format_number(d->found / d->expected, 2);
  g_autofree char *size = aui_format_mA(d->found);
  return g_strdup_printf(_("Joint %u: its largest residual is %s mA, %s times the standard "
                           "deviation: a stop, a collision or a fault of the measurement?"),
                         joint, size, times);
}

static char *position_text(const ArmDoubt *d, ArmJointType type, guint joint) {
  g_autofree char *found = aui_format_joint(type, d->found);
  if (d->kind == ARM_DOUBT_HELD_MOVES)
    return g_strdup_printf(_("Joint %u: it is held, but moves by %s while joint %u is swept: hold "
                             "it better, or check which joint moves there"),
                           joint, found, (guint)d->other + 1);
  g_autofree char *limit = aui_format_joint(type, d->expected);
  return g_strdup_printf(_("Joint %u: its position is outside of the limits of the arm file (%s, "
                           "limit %s): are unit, zero and direction right?"),
                         joint, found, limit);
}

static char *timing_text(const ArmDoubt *d, guint joint) {
  g_autofree char *found = aui_format_number(d->found, 3);
  if (d->kind == ARM_DOUBT_FEW_SAMPLES)
    return g_strdup_printf(_("Joint %u: its sweeps have %s samples on average, too few: sample "
                             "faster or sweep slower"),
                           joint, found);
  if (d->kind == ARM_DOUBT_JITTER)
    return g_strdup(_("The samples' times jump: record with the controller's own times"));
  if (d->kind == ARM_DOUBT_GAPS)
    return g_strdup_printf(_("Samples are missing within sweeps, for %s s at most: what was lost "
                             "between controller and file?"),
                           found);
  return g_strdup_printf(_("%s joints move at once, while this fit takes one at a time: record "
                           "sweeps in which the others are held"),
                         found);
}

char *aui_doubt_text(const ArmGravityFit *fit, const ArmDoubt *doubt) {
  const guint joint = (guint)doubt->joint + 1;
  const ArmJointType type =
      doubt->joint < fit->refined.n ? fit->refined.type[doubt->joint] : ARM_JOINT_R;
  switch (doubt->kind) {
  case ARM_DOUBT_SPEED_UNIT:
  case ARM_DOUBT_SPEED_SIGN:
    return speed_text(doubt, joint);
  case ARM_DOUBT_UNSIGNED:
  case ARM_DOUBT_CURRENT_SIGN:
    return current_text(doubt, joint);
  case ARM_DOUBT_RATIO_SIGN:
  case ARM_DOUBT_RATIO_SIZE:
    return ratio_text(doubt, joint);
  case ARM_DOUBT_ZERO:
  case ARM_DOUBT_CONSTANT:
    return constant_text(doubt, joint);
  case ARM_DOUBT_NO_SIGNAL:
    return g_strdup_printf(_("Joint %u: its current does not follow its motion: does it oscillate, "
                             "and is this its current?"),
                           joint);
  case ARM_DOUBT_WILD:
    return wild_text(doubt, joint);
  case ARM_DOUBT_RESIDUAL:
    return residual_text(doubt, joint);
  case ARM_DOUBT_CURRENT_LIMIT:
  case ARM_DOUBT_SATURATED:
    return limit_text(doubt, joint);
  case ARM_DOUBT_POSITION:
  case ARM_DOUBT_HELD_MOVES:
    return position_text(doubt, type, joint);
  case ARM_DOUBT_FEW_SAMPLES:
  case ARM_DOUBT_JITTER:
  case ARM_DOUBT_GAPS:
  case ARM_DOUBT_MANY_MOVE:
  case ARM_DOUBTS:
    break;
  }
  return timing_text(doubt, joint);
}

GPtrArray *aui_doubt_texts(const ArmGravityFit *fit, bool is_severe) {
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  for (int kind = 0; fit && kind < ARM_DOUBTS; kind++)
    for (size_t k = 0; k < fit->doubts.count; k++)
      if (fit->doubts.at[k].kind == (ArmDoubtKind)kind &&
          arm_doubt_is_severe((ArmDoubtKind)kind) == is_severe)
        g_ptr_array_add(texts, aui_doubt_text(fit, &fit->doubts.at[k]));
  return texts;
}

char *aui_doubt_summary(const ArmGravityFit *fit, bool is_severe) {
  g_autoptr(GPtrArray) texts = aui_doubt_texts(fit, is_severe);
  const guint more = texts->len ? texts->len - 1 : 0;
  const char *first = texts->len ? texts->pdata[0] : "";
  /* TRANSLATORS: a sentence, and how many more there are */
  return more ? g_strdup_printf(ngettext("%s (and %u more)", "%s (and %u more)", more), first, more)
              : g_strdup(first);
}
