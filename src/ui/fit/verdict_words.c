/* SPDX-License-Identifier: MIT */
/* Of all joints the first class of alarm is told: each leaks into the later ones (Armature theory
 * notes, lack of fit, section 4). What to do stands in the same sentence. */
#include "ui/fit/verdict_words.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/base/text.h"
#include "ui/fit/cause_words.h"
#include "ui/kit/format.h"

#define MUCH 2.0 /* times what was promised: it would read as a misfit that was passed over */

bool aui_verdict_has_alarm(const ArmGravityFit *fit) {
  return arm_verdict_first(&fit->verdict) < ARM_TESTS;
}

/* ---- alarms ---- */

static char *stroke_text(const ArmJointVerdict *v, ArmJointType type) {
  const char *unit = NULL;
  const double scale = type == ARM_JOINT_R ? aui_format_angle(&unit) : 1e3;
  g_autofree char *size = aui_format_mA(v->test[ARM_TEST_STROKE].size);
  g_autofree char *speed = aui_format_number(scale * v->stroke_speed, 3);
  return g_strdup_printf(_("one sweep stands out by %s mA from the other speeds of its hold (hold "
                           "%zu, %s %s): repeat it or leave it out"),
                         size, v->stroke_hold + 1, speed,
                         type == ARM_JOINT_R ? aui_format_unit_name("deg/s") : "mm/s");
}

static char *gravity_text(const ArmJointVerdict *v) {
  g_autofree char *size = aui_format_mA(v->test[ARM_TEST_GRAVITY].size);
  g_autofree char *promised = aui_format_mA(v->promised);
  return g_strdup_printf(
      _("gravity misses by %s mA rms where %s mA were promised, most in hold %zu"), size, promised,
      v->worst_hold + 1);
}

static char *direction_text(const ArmJointVerdict *v) {
  g_autofree char *size = aui_format_mA(v->test[ARM_TEST_DIRECTION].size);
  return g_strdup_printf(_("%s mA rms change with the position and turn with the direction, as "
                           "friction of this model does not"),
                         size);
}

/* scatter, trend and speed, in percent of friction */
static char *friction_text(const ArmJointVerdict *v, ArmTestKind kind) {
  const double part = kind == ARM_TEST_SPEED   ? v->test[kind].size / v->friction
                      : kind == ARM_TEST_TREND ? v->trend
                                               : v->test[kind].size;
  g_autofree char *percent = aui_format_number(100.0 * part, 2);
  return g_strdup_printf(
      kind == ARM_TEST_SCATTER
          ? _("friction scatters by %s %% from sweep to sweep: warm the joint up, and see that "
              "nothing rubs now and then")
      : kind == ARM_TEST_TREND
          ? _("friction changed by %s %% while the joint was swept: warm it up longer")
          : _("friction is no straight line of speed, by %s %% of it: its numbers hold between the "
              "speeds that were swept"),
      percent);
}

static char *alarm_text(const ArmJointVerdict *v, ArmTestKind kind, ArmJointType type) {
  switch (kind) {
  case ARM_TEST_STROKE:
    return stroke_text(v, type);
  case ARM_TEST_GRAVITY:
    return gravity_text(v);
  case ARM_TEST_DIRECTION:
    return direction_text(v);
  case ARM_TEST_SCATTER:
  case ARM_TEST_TREND:
  case ARM_TEST_SPEED:
    return friction_text(v, kind);
  case ARM_TESTS:
    break;
  }
  return g_strdup("");
}

/* ---- what is no alarm ---- */

static char *small_text(const ArmJointVerdict *v) {
  for (ArmTestKind kind = ARM_TEST_GRAVITY; kind <= ARM_TEST_DIRECTION; kind++) {
    const ArmTest *test = &v->test[kind];
    if (!test->is_significant || test->is_alarm)
      continue;
    g_autofree char *size = aui_format_mA(test->size), *limit = aui_format_mA(test->limit);
    return g_strdup_printf(kind == ARM_TEST_GRAVITY
                               ? _("gravity misses by %s mA: more than chance, less than the limit "
                                   "of %s mA")
                               : _("friction misses by %s mA: more than chance, less than the "
                                   "limit of %s mA"),
                           size, limit);
  }
  return g_strdup("");
}

const char *aui_verdict_name(const ArmJointVerdict *v) {
  return v->verdict == ARM_VERDICT_MISFIT    ? _("does not fit")
         : v->verdict == ARM_VERDICT_UNKNOWN ? _("cannot be told")
                                             : _("fits");
}

/* Each class of alarm leaks into the later ones: of all joints the first class is told. */
char *aui_verdict_joint(const ArmGravityFit *fit, size_t i) {
  const ArmJointVerdict *v = &fit->verdict.joint[i];
  const ArmTestKind first = arm_verdict_first(&fit->verdict);
  if (first < ARM_TESTS && v->test[first].is_alarm)
    return alarm_text(v, first, fit->refined.type[i]);
  if (v->untold != ARM_UNTOLD_NOTHING)
    return ase_untold_text(v);
  return first > ARM_TEST_DIRECTION ? small_text(v) : g_strdup("");
}

/* ---- the whole arm ---- */

/* the joint to name: of the first class of alarm the largest, else the first unknown */
static size_t find_joint(const ArmGravityFit *fit, guint *more) {
  const ArmVerdict *verdict = &fit->verdict;
  const ArmTestKind first = arm_verdict_first(verdict);
  size_t found = verdict->n;
  guint count = 0;
  for (size_t i = 0; i < verdict->n; i++) {
    const ArmJointVerdict *v = &verdict->joint[i];
    const bool counts =
        first < ARM_TESTS ? v->test[first].is_alarm : v->untold != ARM_UNTOLD_NOTHING;
    count += counts;
    if (counts &&
        (found == verdict->n ||
         (first < ARM_TESTS && v->test[first].size > verdict->joint[found].test[first].size)))
      found = i;
  }
  *more = count > 0 ? count - 1 : 0;
  return found;
}

char *aui_verdict_joints(size_t joint, guint more) {
  return more == 0
             ? g_strdup_printf(_("joint %zu"), joint + 1)
             : g_strdup_printf(ngettext("joint %zu (and %u more)", "joint %zu (and %u more)", more),
                               joint + 1, more);
}

static char *fits_text(const ArmVerdict *verdict) {
  size_t worst = verdict->n;
  for (size_t i = 0; i < verdict->n; i++) {
    const double size = verdict->joint[i].test[ARM_TEST_GRAVITY].size;
    if (!isnan(size) &&
        (worst == verdict->n || size > verdict->joint[worst].test[ARM_TEST_GRAVITY].size))
      worst = i;
  }
  if (worst == verdict->n)
    return g_strdup(_("The model fits."));
  const ArmTest *test = &verdict->joint[worst].test[ARM_TEST_GRAVITY];
  g_autofree char *size = aui_format_mA(test->size), *limit = aui_format_mA(test->limit);
  g_autofree char *promised = aui_format_mA(verdict->joint[worst].promised);
  if (test->limit > 0.0 && test->size > test->limit)
    return g_strdup_printf(_("The model fits: gravity misses by %s mA rms at most, in joint %zu, "
                             "which the noise there explains."),
                           size, worst + 1);
  if (test->size > MUCH * verdict->joint[worst].promised && test->limit > 0.0)
    return g_strdup_printf(_("The model fits: gravity misses by %s mA rms at most, in joint %zu, "
                             "less than the limit of %s mA."),
                           size, worst + 1, limit);
  return g_strdup_printf(_("The model fits: gravity misses by %s mA rms at most, in joint %zu, "
                           "where %s mA were promised."),
                         size, worst + 1, promised);
}

const char *aui_verdict_held_out(bool is_contradicted) {
  return is_contradicted
             ? _("The fit itself has no misfit, but its sweeps and those of the validation "
                 "contradict each other. The cause is looked for in both together.")
             : _("What the validation misses is hardly more than the fit promised, yet more than "
                 "is accepted. More holds and slower sweeps make less of it; or accept more.");
}

char *aui_verdict_summary(const ArmGravityFit *fit) {
  guint more;
  const ArmVerdict *verdict = &fit->verdict;
  if (verdict->n == 0)
    return g_strdup("");
  const size_t joint = find_joint(fit, &more);
  if (joint == verdict->n)
    return fits_text(verdict);
  g_autofree char *text = aui_verdict_joint(fit, joint), *of = aui_verdict_joints(joint, more);
  return g_strdup_printf(
      verdict->verdict == ARM_VERDICT_MISFIT ? _("The model does not fit %s: %s.")
      : aui_verdict_has_alarm(fit)           ? _("Gravity fits; friction not quite, of %s: %s.")
                                   : _("Whether the model fits cannot be told of %s: %s."),
      of, text);
}
