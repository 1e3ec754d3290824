/* SPDX-License-Identifier: MIT */
/* The same doubts as io/params/plausible_text, for the screen and in the user's language: positions
 * in the user's unit, buttons and pages by their names. */
#include "ui/fit/doubt_words.h"

#include <glib/gi18n.h>

#include "session/base/doubt_text.h"
#include "session/method/gravity.h"
#include "ui/fit/cause_words.h"
#include "ui/kit/format.h"

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

static char *wild_position_text(const ArmDoubt *d, ArmJointType type, guint joint) {
  g_autofree char *far = aui_format_joint(type, d->found), *time = aui_format_number(d->time, 4);
  return g_strdup_printf(
      ngettext(
          "Joint %u: %zu sample whose position jumps away and back was left out, %s at %s s: a "
          "fault of the transmission?",
          "Joint %u: %zu samples whose positions jump away and back were left out, the "
          "farthest %s at %s s: a fault of the transmission?",
          d->count),
      joint, d->count, far, time);
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
  if (arm_plausible_is_other_unit(type, d->found, d->expected))
    return g_strdup_printf(type == ARM_JOINT_R
                               ? _("Joint %u: its position is far outside of the limits of the arm "
                                   "file (%s, limit %s): is it in degrees where rad is meant?")
                               : _("Joint %u: its position is far outside of the limits of the arm "
                                   "file (%s, limit %s): is it in mm where m is meant?"),
                           joint, found, limit);
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
  return g_strdup_printf(_("Samples are missing within sweeps, for %s s at most: what was lost "
                           "between controller and file?"),
                         found);
}

char *aui_doubt_text(const ArmGravityFit *fit, const ArmDoubt *doubt) {
  const guint joint = (guint)doubt->joint + 1;
  const ArmJointType type =
      doubt->joint < fit->refined.n ? fit->refined.type[doubt->joint] : ARM_JOINT_R;
  switch (doubt->kind) {
  case ARM_DOUBT_WILD:
    return wild_text(doubt, joint);
  case ARM_DOUBT_WILD_POSITION:
    return wild_position_text(doubt, type, joint);
  case ARM_DOUBT_RESIDUAL:
    return residual_text(doubt, joint);
  case ARM_DOUBT_POSITION:
  case ARM_DOUBT_HELD_MOVES:
    return position_text(doubt, type, joint);
  case ARM_DOUBT_FEW_SAMPLES:
  case ARM_DOUBT_JITTER:
  case ARM_DOUBT_GAPS:
    return timing_text(doubt, joint);
  case ARM_DOUBT_SPEED_UNIT:
  case ARM_DOUBT_SPEED_SIGN:
  case ARM_DOUBT_UNSIGNED:
  case ARM_DOUBT_CURRENT_SIGN:
  case ARM_DOUBT_RATIO_SIGN:
  case ARM_DOUBT_RATIO_SIZE:
  case ARM_DOUBT_ZERO:
  case ARM_DOUBT_CONSTANT:
  case ARM_DOUBT_NO_SIGNAL:
  case ARM_DOUBT_CURRENT_LIMIT:
  case ARM_DOUBT_SATURATED:
  case ARM_DOUBT_MANY_MOVE:
  case ARM_DOUBTS:
    break;
  }
  return ase_doubt_text(doubt);
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

GPtrArray *aui_session_doubts(AseSession *session, bool is_severe) {
  return aui_doubt_texts(ase_gravity_of(ase_session_fit(session)), is_severe);
}

char *aui_doubt_summary(const ArmGravityFit *fit, bool is_severe) {
  g_autoptr(GPtrArray) texts = aui_doubt_texts(fit, is_severe);
  const guint more = texts->len ? texts->len - 1 : 0;
  const char *first = texts->len ? texts->pdata[0] : "";
  /* TRANSLATORS: a sentence, and how many more there are */
  return more ? g_strdup_printf(ngettext("%s (and %u more)", "%s (and %u more)", more), first, more)
              : g_strdup(first);
}
