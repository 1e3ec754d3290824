/* SPDX-License-Identifier: MIT */
/* Numbers with their sd to the digits that mean something, and never "it is": a cause is what would
 * explain the misfit. Source of what tells tied causes apart: Armature theory notes, lack of fit,
 * section 5.3. */
#include "ui/fit/cause_words.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/format.h"

enum { MOST_TIED = 5, MOST_OTHERS = 3 };
#define NOISE_A 5e-6 /* less is shown as nothing */

/* ---- numbers ---- */

char *aui_format_mA(double current) {
  return aui_format_number(1e3 * current, fabs(current) < 1e-3 ? 2 : 3);
}

/* "2.00 ± 0.03", "2.000 ± 0.017": the sd with one digit, with two where the first is 1; without one
 * that means anything the value alone. */
static char *amount(double value, double sd, double scale) {
  const double v = scale * value, s = fabs(scale) * sd;
  if (!isfinite(s) || s <= 0.0 || s > 1e6)
    return aui_format_number(v, 3);
  const int power = (int)floor(log10(s));
  const int decimals = CLAMP((s < 1.95 * pow(10.0, power) ? 1 : 0) - power, 0, 6);
  return g_strdup_printf("%.*f ± %.*f", decimals, v, decimals, s);
}

/* of a joint's position [rad, m] as degrees (or rad) or mm */
static double scale_of(const ArmModel *model, size_t joint, const char **unit) {
  if (model->joints[joint].type == ARM_JOINT_R)
    return aui_format_angle(unit);
  *unit = "mm";
  return 1e3;
}

static char *position(const ArmModel *model, const ArmCause *c) {
  const char *unit;
  const double scale = scale_of(model, c->joint, &unit);
  g_autofree char *size = amount(c->value[0], c->sd[0], scale);
  return g_strdup_printf("%s %s", size, unit);
}

static char *percent(const ArmCause *c) {
  g_autofree char *size = amount(c->value[0], c->sd[0], 100.0);
  return g_strdup_printf("%s %%", size);
}

/* ---- what it would be ---- */

static char *tilt_name(const ArmCause *c) {
  const char *unit;
  const double size = hypot(c->value[0], c->value[1]), scale = aui_format_angle(&unit);
  const double sd = size > 0.0 ? hypot(c->value[0] * c->sd[0], c->value[1] * c->sd[1]) / size : 0.0;
  g_autofree char *angle = amount(size, sd, scale);
  return g_strdup_printf(_("The base leans by %s %s against the arm file"), angle, unit);
}

static char *payload_name(const ArmCause *c) {
  g_autofree char *when = isnan(c->time)
                              ? g_strdup_printf(_("in hold %zu of the joints"), c->hold + 1)
                              : g_strdup_printf(_("from %.0f s of the recording on"), c->time);
  if (!c->is_absolute || !isfinite(c->sd[0]) || fabs(c->value[0]) <= c->sd[0])
    return g_strdup_printf(_("The payload was another one %s; how heavy cannot be told"), when);
  g_autofree char *mass = amount(c->value[0], c->sd[0], 1.0);
  return g_strdup_printf(_("The payload was another one %s, by %s kg"), when, mass);
}

static char *sweep_name(const ArmModel *model, const ArmCause *c) {
  const char *unit;
  const bool turns = model->joints[c->joint].type == ARM_JOINT_R;
  const double scale = scale_of(model, c->joint, &unit);
  g_autofree char *size = aui_format_mA(fabs(c->value[0]));
  g_autofree char *speed = aui_format_number(scale * c->speed, 3);
  return g_strdup_printf(_("One sweep of joint %zu was disturbed by %s mA: hold %zu, %s %s, at "
                           "%.0f s of the recording"),
                         c->joint + 1, size, c->hold + 1, speed,
                         turns ? aui_format_unit_name("deg/s") : "mm/s", c->time);
}

static char *ripple_name(const ArmCause *c) {
  g_autofree char *size = amount(hypot(c->value[0], c->value[1]), fmax(c->sd[0], c->sd[1]), 1e3);
  return g_strdup_printf(
      _("The current of joint %zu ripples by %s mA, %zu per turn: gear or motor, "
        "or a cable or spring that looks alike"),
      c->joint + 1, size, c->order);
}

static char *load_name(const ArmCause *c) {
  g_autofree char *part = percent(c);
  if (c->joint == ARM_CAUSE_NO_JOINT)
    return g_strdup_printf(_("Friction of all joints grows with the load, by %s of its current"),
                           part);
  return g_strdup_printf(_("Friction of joint %zu grows with the load, by %s of its current"),
                         c->joint + 1, part);
}

static char *drift_name(const ArmCause *c) {
  g_autofree char *part = percent(c);
  if (c->joint == ARM_CAUSE_NO_JOINT)
    return g_strdup_printf(_("Friction of all joints changes by %s within about %.0f s"), part,
                           c->time);
  return g_strdup_printf(_("Friction of joint %zu changed by %s while it was swept"), c->joint + 1,
                         part);
}

/* of one joint and its position */
static char *position_name(const ArmModel *model, const ArmCause *c) {
  g_autofree char *size = position(model, c);
  if (c->code == ARM_CAUSE_BACKLASH)
    return g_strdup_printf(_("Joint %zu has a backlash of %s"), c->joint + 1, size);
  return g_strdup_printf(_("The zero of joint %zu is off: it stands %s beyond what is recorded"),
                         c->joint + 1, size);
}

static char *gear_name(const ArmCause *c) {
  g_autofree char *factor = amount(c->value[0], c->sd[0], 1.0);
  return g_strdup_printf(_("The gear ratio of joint %zu is wrong: it turns %s times as far as "
                           "recorded"),
                         c->joint + 1, factor);
}

static char *delay_name(const ArmCause *c) {
  g_autofree char *delay = amount(c->value[0], c->sd[0], 1e3);
  return g_strdup_printf(_("Currents are recorded %s ms late against positions"), delay);
}

static char *gain_name(const ArmCause *c) {
  g_autofree char *factor = amount(c->value[0], c->sd[0], 1.0);
  return g_strdup_printf(_("The current of joint %zu counts %s times as much from %.0f s of the "
                           "recording on"),
                         c->joint + 1, factor, c->time);
}

static char *curve_name(const ArmCause *c) {
  g_autofree char *part = percent(c);
  return g_strdup_printf(
      _("Friction at low speed is off a straight line by %s of Coulomb friction"), part);
}

char *aui_cause_name(const ArmModel *model, const ArmCause *c) {
  switch (c->code) {
  case ARM_CAUSE_BASE_TILT:
    return tilt_name(c);
  case ARM_CAUSE_JOINT_ZERO:
  case ARM_CAUSE_BACKLASH:
    return position_name(model, c);
  case ARM_CAUSE_GEAR_RATIO:
    return gear_name(c);
  case ARM_CAUSE_JOINT_DIRECTION:
    return g_strdup_printf(_("Joint %zu counts its position the other way round"), c->joint + 1);
  case ARM_CAUSE_DH_SIGN:
    return g_strdup_printf(_("The angle beta of joint %zu has the wrong sign in the arm file"),
                           c->joint + 1);
  case ARM_CAUSE_SWAPPED_JOINTS:
    return g_strdup_printf(_("Joints %zu and %zu are swapped in the recording"), c->joint + 1,
                           c->other + 1);
  case ARM_CAUSE_PAYLOAD_CHANGED:
    return payload_name(c);
  case ARM_CAUSE_ONE_SWEEP:
    return sweep_name(model, c);
  case ARM_CAUSE_RIPPLE:
    return ripple_name(c);
  case ARM_CAUSE_CURRENT_GAIN:
    return gain_name(c);
  case ARM_CAUSE_CURRENT_DELAY:
    return delay_name(c);
  case ARM_CAUSE_LOAD_FRICTION:
    return load_name(c);
  case ARM_CAUSE_FRICTION_CURVE:
    return curve_name(c);
  case ARM_CAUSE_FRICTION_DRIFT:
    return drift_name(c);
  case ARM_CAUSES:
    break;
  }
  return g_strdup("");
}

/* ---- what it does to the misfit ---- */

char *aui_cause_effect(const ArmDiagnosis *d, const ArmCause *c) {
  g_autofree char *before = aui_format_mA(d->missed);
  g_autofree char *after = aui_format_mA(c->left);
  g_autofree char *rest = aui_format_number(sqrt(fmax(0.0, c->rest)), 2);
  if (isnan(c->left))
    return g_strdup(_("The fit knows it already: its numbers are those of the middle of the "
                      "sweeps."));
  if (c->explains_it && c->left < NOISE_A)
    return g_strdup_printf(_("Joint %zu: %s mA → nothing beyond noise. It explains the misfit."),
                           d->worst + 1, before);
  if (c->explains_it)
    return g_strdup_printf(_("Joint %zu: %s mA → %s mA. It explains the misfit; what is left looks "
                             "like noise."),
                           d->worst + 1, before, after);
  if (c->doubt == ARM_CAUSE_TOO_LARGE)
    return g_strdup_printf(
        c->code <= ARM_CAUSE_GEAR_RATIO
            ? _("Joint %zu: %s mA → %s mA. But so large an error can be seen on the arm: unless it "
                "is, something else looks like it.")
            : _("Joint %zu: %s mA → %s mA. But that is more than there can be: something else "
                "looks like it."),
        d->worst + 1, before, after);
  if (c->doubt == ARM_CAUSE_UNCERTAIN)
    return g_strdup_printf(_("Joint %zu: %s mA → %s mA. But how large it is cannot be told: "
                             "something else may look like it."),
                           d->worst + 1, before, after);
  return g_strdup_printf(_("Joint %zu: %s mA → %s mA. It does not explain the misfit: over all "
                           "joints, %s times the noise is left."),
                         d->worst + 1, before, after, rest);
}

/* ---- which of those that are tied ---- */

static bool are(const ArmCause *a, const ArmCause *b, ArmCauseCode one, ArmCauseCode other) {
  return (a->code == one && b->code == other) || (a->code == other && b->code == one);
}

typedef enum {
  TELL_NONE, /* the cause is tied with no other */
  TELL_LEVEL_ON_LINK,
  TELL_STRETCHED_OUT,
  TELL_REACHES,
  TELL_BOTH_AGAIN,
  TELL_SPEEDS,
  TELL_FIRST_HOLDS,
  TELL_FIRST_HOLDS_OF_JOINT,
  TELL_LOOK,
  TELL_MORE
} Telling;

/* A measurement that tells two causes apart; joints from 1, 0: it is of none. */
typedef struct {
  Telling what;
  size_t joint, other;
} Separation;

/* Source: Armature theory notes, lack of fit, section 5.3. */
static Separation tell_apart(const ArmCause *a, const ArmCause *b) {
  const bool is_gain = a->code == ARM_CAUSE_CURRENT_GAIN || b->code == ARM_CAUSE_CURRENT_GAIN;
  if (are(a, b, ARM_CAUSE_JOINT_ZERO, ARM_CAUSE_JOINT_ZERO))
    return (Separation){TELL_LEVEL_ON_LINK, MIN(a->joint, b->joint) + 1,
                        MAX(a->joint, b->joint) + 1};
  if (are(a, b, ARM_CAUSE_BASE_TILT, ARM_CAUSE_JOINT_ZERO))
    return (Separation){TELL_STRETCHED_OUT, 0, 0};
  if (are(a, b, ARM_CAUSE_BASE_TILT, ARM_CAUSE_RIPPLE))
    return (Separation){TELL_REACHES, (a->code == ARM_CAUSE_RIPPLE ? a : b)->joint + 1, 0};
  if (are(a, b, ARM_CAUSE_ONE_SWEEP, ARM_CAUSE_ONE_SWEEP))
    return (Separation){TELL_BOTH_AGAIN, 0, 0};
  if (are(a, b, ARM_CAUSE_CURRENT_DELAY, ARM_CAUSE_BACKLASH))
    return (Separation){TELL_SPEEDS, 0, 0};
  if (are(a, b, ARM_CAUSE_PAYLOAD_CHANGED, ARM_CAUSE_PAYLOAD_CHANGED))
    return (Separation){TELL_FIRST_HOLDS, 0, 0};
  if (is_gain)
    return (Separation){TELL_FIRST_HOLDS_OF_JOINT,
                        (a->code == ARM_CAUSE_CURRENT_GAIN ? a : b)->joint + 1, 0};
  if (a->code <= ARM_CAUSE_SWAPPED_JOINTS && b->code <= ARM_CAUSE_SWAPPED_JOINTS)
    return (Separation){TELL_LOOK, 0, 0};
  return (Separation){TELL_MORE, 0, 0};
}

static Separation separation_of(const ArmDiagnosis *d, size_t k) {
  for (size_t other = 0; other < d->count; other++)
    if (other != k && arm_causes_tied(&d->at[k], &d->at[other]))
      return tell_apart(&d->at[k], &d->at[other]);
  return (Separation){TELL_NONE, 0, 0};
}

static char *separation_text(const Separation *s) {
  switch (s->what) {
  case TELL_NONE:
    break;
  case TELL_LEVEL_ON_LINK:
    return g_strdup_printf(_("no sweep can: currents do not tell the zeros of joints %zu and %zu "
                             "apart. Put a level on the link between them."),
                           s->joint, s->other);
  case TELL_STRETCHED_OUT:
    return g_strdup(
        _("sweep joint 1 with the arm stretched out, or hold it in poses 90 degrees apart."));
  case TELL_REACHES:
    return g_strdup_printf(
        _("sweep joint %zu in holds of different reach: a tilt grows with the load."), s->joint);
  case TELL_BOTH_AGAIN:
    return g_strdup(_("repeat both sweeps."));
  case TELL_SPEEDS:
    return g_strdup(_("sweep at other speeds: a delay grows with speed, backlash does not."));
  case TELL_FIRST_HOLDS:
    return g_strdup(_("repeat the first holds: their currents say when the payload changed."));
  case TELL_FIRST_HOLDS_OF_JOINT:
    return g_strdup_printf(_("repeat the first holds of joint %zu: a gain that changed shows in "
                             "its friction, too."),
                           s->joint);
  case TELL_LOOK:
    return g_strdup(_("look at the arm: move each joint by hand and compare its angle with the arm "
                      "file."));
  case TELL_MORE:
    return g_strdup(_("sweep in more holds, and at more speeds."));
  }
  return NULL;
}

char *aui_cause_separate(const ArmDiagnosis *d, size_t k) {
  const Separation separation = separation_of(d, k);
  return separation_text(&separation);
}

char *aui_cause_advice(const ArmDiagnosis *d, size_t k) {
  const Separation own = separation_of(d, k);
  bool is_said = own.what == TELL_NONE;
  for (size_t before = 0; !is_said && before < k; before++) {
    const Separation other = separation_of(d, before);
    is_said = other.what == own.what && other.joint == own.joint && other.other == own.other;
  }
  if (is_said)
    return g_strdup("");
  g_autofree char *separate = separation_text(&own);
  if (k == 0 && d->at[1].is_tied)
    return g_strdup_printf(_("This recording cannot tell it from the next. What would tell: %s"),
                           separate);
  return g_strdup_printf(_("What would tell it from others that explain as much: %s"), separate);
}

/* ---- what to do ---- */

const char *aui_cause_remedy(ArmCauseCode code) {
  switch (code) {
  case ARM_CAUSE_BASE_TILT:
    return _("Put a level on the base. Level it and sweep again, or take the tilt into the arm "
             "file.");
  case ARM_CAUSE_JOINT_ZERO:
    return _(
        "Look at the joint's zero mark. Correct the zero in the controller and sweep again, or "
        "take it into the arm file.");
  case ARM_CAUSE_GEAR_RATIO:
    return _("Look at the gear's plate. Positions of this recording were computed with the old "
             "ratio: correct it, then sweep again.");
  case ARM_CAUSE_DH_SIGN:
    return _("Compare the drawing of the arm with how its axes stand.");
  case ARM_CAUSE_JOINT_DIRECTION:
    return _(
        "Move the joint by hand and see which way it counts; turn its sign where the positions "
        "come from, then sweep again.");
  case ARM_CAUSE_SWAPPED_JOINTS:
    return _("Look at the cables and at the order of the columns; then sweep again.");
  case ARM_CAUSE_PAYLOAD_CHANGED:
  case ARM_CAUSE_ONE_SWEEP:
    return _("It happened while recording: repeat those sweeps, or leave them out.");
  case ARM_CAUSE_RIPPLE:
    return _("Look for a cable that pulls, a spring, or a gear that is worn. No arm file describes "
             "it.");
  case ARM_CAUSE_CURRENT_GAIN:
    return _("See whether a drive, its scaling or a motor was changed while recording; then sweep "
             "the joint again in one go.");
  case ARM_CAUSE_CURRENT_DELAY:
    return _("Currents and positions are to be read at the same moment: see filters and the order "
             "of reading in the controller.");
  case ARM_CAUSE_BACKLASH:
    return _("See how far the joint moves while its motor is held.");
  case ARM_CAUSE_LOAD_FRICTION:
  case ARM_CAUSE_FRICTION_CURVE:
    return _("Its gears do so; no arm file describes it. The fit's friction is that of loads and "
             "speeds like those that were swept.");
  case ARM_CAUSE_FRICTION_DRIFT:
    return _("Let the arm warm up, then sweep again.");
  case ARM_CAUSES:
    break;
  }
  return "";
}

const char *aui_causes_verdict(const ArmDiagnosis *d, bool is_misfit) {
  if (d->count == 0)
    return _("None of the causes that this program knows helps. Look at the arm: a cable that "
             "pulls, something that rubs, two things at once?");
  if (!is_misfit)
    return _("Gravity fits. Of friction:");
  if (!d->at[0].explains_it)
    return _("None of the causes that this program knows explains the misfit by itself: another "
             "one, or two at once. What helps most:");
  return d->count > 1 && d->at[1].is_tied && d->at[1].explains_it
             ? _("These causes explain the misfit equally well. Look at the arm before you change "
                 "anything.")
             : _("The likeliest cause. Look at the arm before you change anything.");
}

guint aui_causes_shown(const ArmDiagnosis *d) {
  guint tied = 0, others = 0, k = 0;
  for (; k < d->count; k++) { /* those tied with the first come next to it or are far down */
    tied += k > 0 && d->at[k].is_tied;
    others += k > 0 && !d->at[k].is_tied;
    if (tied > MOST_TIED || others > MOST_OTHERS)
      break;
  }
  return k;
}
