/* SPDX-License-Identifier: MIT */
/* Causes in words: what it would be, and how big. Never that it is so. */
#include <locale.h>
#include <math.h>

#include "io/params/diagnosis_file.h"

static const double degree = 57.295779513082320877;

static const char *unit_of(const ArmModel *model, size_t joint) {
  return model->joints[joint].type == ARM_JOINT_R ? "deg" : "mm";
}

static double scale_of(const ArmModel *model, size_t joint) {
  return model->joints[joint].type == ARM_JOINT_R ? degree : 1e3;
}

static char *tilt_text(const ArmCause *c) {
  const double size = hypot(c->value[0], c->value[1]);
  const double sd = size > 0 ? hypot(c->value[0] * c->sd[0], c->value[1] * c->sd[1]) / size : 0;
  return g_strdup_printf("the base leans by %.2f +- %.2f deg against the arm file: gravity would "
                         "be (%.3f, %.3f, %.3f) m/s^2 in its frame",
                         degree * size, degree * sd, c->gravity[0], c->gravity[1], c->gravity[2]);
}

static char *zero_text(const ArmModel *model, const ArmCause *c) {
  const double scale = scale_of(model, c->joint);
  return g_strdup_printf("the zero of joint %d is off: it stands %.2f +- %.2f %s beyond what is "
                         "recorded",
                         (int)c->joint + 1, scale * c->value[0], scale * c->sd[0],
                         unit_of(model, c->joint));
}

static char *gear_text(const ArmCause *c) {
  return g_strdup_printf("the gear ratio of joint %d is wrong: it turns %.4f +- %.4f times as far "
                         "as recorded, so its gear ratio would be %.4f times the one used",
                         (int)c->joint + 1, c->value[0], c->sd[0], 1.0 / c->value[0]);
}

static char *payload_text(const ArmCause *c) {
  char *when = isnan(c->time) ? g_strdup_printf("in hold %d of the joints", (int)c->hold + 1)
                              : g_strdup_printf("from %.1f s of the recording on", c->time);
  char *text;
  if (c->is_absolute && isfinite(c->sd[0]) && fabs(c->value[0]) > c->sd[0])
    text = g_strdup_printf("the payload was another one %s, by %.3g +- %.2g kg", when, c->value[0],
                           c->sd[0]);
  else
    text = g_strdup_printf("the payload was another one %s; how heavy cannot be told", when);
  g_free(when);
  return text;
}

static char *sweep_text(const ArmModel *model, const ArmCause *c) {
  return g_strdup_printf("one sweep of joint %d was disturbed: hold %d, %+.3g %s, from %.1f s of "
                         "the recording on, by %.3g mA",
                         (int)c->joint + 1, (int)c->hold + 1, scale_of(model, c->joint) * c->speed,
                         model->joints[c->joint].type == ARM_JOINT_R ? "deg/s" : "mm/s", c->time,
                         1e3 * c->value[0]);
}

static char *ripple_text(const ArmCause *c) {
  const double size = hypot(c->value[0], c->value[1]);
  return g_strdup_printf("the current of joint %d depends on its own position besides gravity, "
                         "like a ripple of %.3g +- %.2g mA, %d per turn: gear or motor, or a cable "
                         "or spring that looks alike",
                         (int)c->joint + 1, 1e3 * size, 1e3 * fmax(c->sd[0], c->sd[1]),
                         (int)c->order);
}

static char *gain_text(const ArmCause *c) {
  return g_strdup_printf("the current of joint %d counts %.3g +- %.2g times as much from %.1f s of "
                         "the recording on: gain, drive or motor changed amid its sweeps",
                         (int)c->joint + 1, c->value[0], c->sd[0], c->time);
}

static char *load_text(const ArmCause *c) {
  char *whose = c->joint == ARM_CAUSE_NO_JOINT ? g_strdup("of all joints")
                                               : g_strdup_printf("of joint %d", (int)c->joint + 1);
  char *text = g_strdup_printf("friction %s grows with the load: by %.3g +- %.2g %% of the "
                               "current that holds it",
                               whose, 100 * c->value[0], 100 * c->sd[0]);
  g_free(whose);
  return text;
}

static char *drift_text(const ArmCause *c) {
  if (c->joint != ARM_CAUSE_NO_JOINT)
    return g_strdup_printf("friction of joint %d changed by %+.3g +- %.2g %% while it was swept",
                           (int)c->joint + 1, 100 * c->value[0], 100 * c->sd[0]);
  return g_strdup_printf("friction of all joints changes by %+.3g +- %.2g %%, within about %.0f s",
                         100 * c->value[0], 100 * c->sd[0], c->time);
}

static char *text_of(const ArmModel *model, const ArmCause *c) {
  const int joint = (int)c->joint + 1;
  switch (c->code) {
  case ARM_CAUSE_BASE_TILT:
    return tilt_text(c);
  case ARM_CAUSE_JOINT_ZERO:
    return zero_text(model, c);
  case ARM_CAUSE_GEAR_RATIO:
    return gear_text(c);
  case ARM_CAUSE_JOINT_DIRECTION:
    return g_strdup_printf("joint %d counts its position the other way round", joint);
  case ARM_CAUSE_DH_SIGN:
    return g_strdup_printf("beta of joint %d has the wrong sign in the arm file", joint);
  case ARM_CAUSE_SWAPPED_JOINTS:
    return g_strdup_printf("joints %d and %d are swapped in the recording", joint,
                           (int)c->other + 1);
  case ARM_CAUSE_PAYLOAD_CHANGED:
    return payload_text(c);
  case ARM_CAUSE_ONE_SWEEP:
    return sweep_text(model, c);
  case ARM_CAUSE_RIPPLE:
    return ripple_text(c);
  case ARM_CAUSE_CURRENT_GAIN:
    return gain_text(c);
  case ARM_CAUSE_CURRENT_DELAY:
    return g_strdup_printf("currents are recorded %.3g +- %.2g ms late against positions",
                           1e3 * c->value[0], 1e3 * c->sd[0]);
  case ARM_CAUSE_BACKLASH:
    return g_strdup_printf("joint %d has a backlash of %.3g +- %.2g %s", joint,
                           scale_of(model, c->joint) * c->value[0],
                           scale_of(model, c->joint) * c->sd[0], unit_of(model, c->joint));
  case ARM_CAUSE_LOAD_FRICTION:
    return load_text(c);
  case ARM_CAUSE_FRICTION_CURVE:
    return g_strdup_printf("friction is %+.3g +- %.2g %% of Coulomb friction more at low speed "
                           "than a straight line says",
                           100 * c->value[0], 100 * c->sd[0]);
  case ARM_CAUSE_FRICTION_DRIFT:
    return drift_text(c);
  case ARM_CAUSES:
    break;
  }
  return g_strdup("");
}

/* the same in every language, as the lines of a verdict */
char *aio_cause_text(const ArmModel *model, const ArmCause *cause) {
  const locale_t point = newlocale(LC_NUMERIC_MASK, "C", duplocale(uselocale((locale_t)0)));
  const locale_t before = uselocale(point);
  char *text = text_of(model, cause);
  uselocale(before);
  freelocale(point);
  return text;
}

static const char *too_large_text(ArmCauseCode code) {
  if (code == ARM_CAUSE_LOAD_FRICTION)
    return "no gear is known that loses more than half of its load: check sign and unit of the "
           "current";
  if (code == ARM_CAUSE_PAYLOAD_CHANGED)
    return "that is more than the arm itself weighs: something else looks like it";
  if (code == ARM_CAUSE_FRICTION_CURVE || code == ARM_CAUSE_FRICTION_DRIFT)
    return "friction does not change that much: something else looks like it";
  if (code == ARM_CAUSE_CURRENT_GAIN)
    return "that is more than a wrong scale or drive does: something else looks like it";
  return "that much off can be seen on the arm: unless it is, something else looks like it. If it "
         "is, change the arm file by hand";
}

const char *aio_cause_doubt(const ArmCause *cause) {
  if (cause->doubt == ARM_CAUSE_TOO_LARGE)
    return too_large_text(cause->code);
  if (cause->doubt == ARM_CAUSE_UNCERTAIN)
    return "its size cannot be told from this recording: something else may look like it";
  return NULL;
}

static bool are(const ArmCause *a, const ArmCause *b, ArmCauseCode one, ArmCauseCode other) {
  return (a->code == one && b->code == other) || (a->code == other && b->code == one);
}

/* source: the theory notes, section 5.3 */
char *aio_cause_tell_apart(const ArmCause *a, const ArmCause *b) {
  if (are(a, b, ARM_CAUSE_JOINT_ZERO, ARM_CAUSE_JOINT_ZERO))
    return g_strdup_printf("no sweep: currents cannot tell the zeros of joints %d and %d apart; "
                           "put a level on the link between them",
                           (int)MIN(a->joint, b->joint) + 1, (int)MAX(a->joint, b->joint) + 1);
  if (are(a, b, ARM_CAUSE_BASE_TILT, ARM_CAUSE_JOINT_ZERO))
    return g_strdup("sweep joint 1 with the arm stretched out, or hold it in poses 90 deg apart");
  if (are(a, b, ARM_CAUSE_BASE_TILT, ARM_CAUSE_RIPPLE))
    return g_strdup_printf("sweep joint %d in holds of different reach: a tilt grows with the load",
                           (int)(a->code == ARM_CAUSE_RIPPLE ? a : b)->joint + 1);
  if (a->code == ARM_CAUSE_ONE_SWEEP && b->code == ARM_CAUSE_ONE_SWEEP)
    return g_strdup("repeat both sweeps");
  if (are(a, b, ARM_CAUSE_CURRENT_DELAY, ARM_CAUSE_BACKLASH))
    return g_strdup("sweep at other speeds: a delay grows with speed, backlash does not");
  if (a->code == ARM_CAUSE_PAYLOAD_CHANGED && b->code == ARM_CAUSE_PAYLOAD_CHANGED)
    return g_strdup("repeat the first holds: their currents say when the payload changed");
  if (a->code == ARM_CAUSE_CURRENT_GAIN || b->code == ARM_CAUSE_CURRENT_GAIN)
    return g_strdup_printf("repeat the first holds of joint %d: a gain that changed shows in its "
                           "friction, too",
                           (int)(a->code == ARM_CAUSE_CURRENT_GAIN ? a : b)->joint + 1);
  if (a->code <= ARM_CAUSE_SWAPPED_JOINTS && b->code <= ARM_CAUSE_SWAPPED_JOINTS)
    return g_strdup("look at the arm: move each joint by hand and compare its angle with the arm "
                    "file");
  return g_strdup("sweep in more holds, and at more speeds");
}

char *aio_cause_separate(const ArmDiagnosis *d, size_t k) {
  for (size_t other = 0; other < d->count; other++)
    if (other != k && arm_causes_tied(&d->at[k], &d->at[other]))
      return aio_cause_tell_apart(&d->at[k], &d->at[other]);
  return NULL;
}

double aio_cause_share(const ArmDiagnosis *d, const ArmCause *cause) {
  const double beyond = d->chi2 - 0.95 * (double)d->rows;
  return beyond > 0 ? CLAMP(cause->explained / beyond, 0.0, 1.0) : 1.0;
}
