/* SPDX-License-Identifier: MIT */
/* Each of these texts is a sentence first; what is only shown takes its text at once. */
#include "session/base/text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"

#define DEG (G_PI / 180.0)

const char *ase_reason_text(ArmReason reason) {
  const char *text = arm_reason_text(reason);
  return *text ? _(text) : ""; /* the translation of nothing is the header of the .po file */
}

const char *ase_status_text(ArmStatus status) {
  return _(arm_status_text(status));
}

const char *ase_reason_said(ArmReason reason) {
  return aio_said_word(arm_reason_text(reason));
}

const char *ase_status_said(ArmStatus status) {
  return aio_said_word(arm_status_text(status));
}

static const char *plain_untold(ArmUntold untold) {
  switch (untold) {
  case ARM_UNTOLD_NO_STROKES:
    return aio_said_word(N_("it has no sweep of a dozen samples or more: sweep it"));
  case ARM_UNTOLD_NO_PAIRS:
    return aio_said_word(
        N_("no sweep over its range has one back at the same speed: sweep both ways, over the "
           "same range"));
  case ARM_UNTOLD_ONE_SPEED:
    return aio_said_word(
        N_("each hold was swept at one speed only, so that noise cannot be told from misfit: "
           "sweep at a second speed"));
  case ARM_UNTOLD_SHORT:
    return aio_said_word(/* xgettext:no-c-format */ N_(
        "only sweeps of one speed cover at least 70 % of the range at constant speed, so that "
        "noise cannot be told from misfit: sweep more slowly, or over a longer range"));
  case ARM_UNTOLD_NO_SIGNAL:
    return aio_said_word(
        N_("its current does not follow its motion: does it oscillate, and is this its current?"));
  case ARM_UNTOLD_NUMERIC:
    return aio_said_word(N_("its sweeps could not be fitted"));
  case ARM_UNTOLD_LEFT_OUT:
    return aio_said_word(
        N_("in no sample of its sweeps the current can be used: look at its unit and limit"));
  case ARM_UNTOLD_NO_CURRENT:
    return aio_said_word(
        N_("its current is many times what the arm file allows: is it in A, and is the limit "
           "right?"));
  case ARM_UNTOLD_FEW_PAIRS: /* with numbers */
  case ARM_UNTOLD_UNSURE:
  case ARM_UNTOLD_NOTHING:
  case ARM_UNTOLDS:
    break;
  }
  return "";
}

char *ase_untold_said(const ArmJointVerdict *verdict) {
  const gsize strokes = verdict->strokes, lone = strokes - 2 * verdict->pairs;
  if (verdict->untold == ARM_UNTOLD_UNSURE)
    return aio_said(N_("it misses by %.3g mA rms, more than the limit, and %zu pairs of "
                       "sweeps are too few to tell that from noise: sweep another hold, or "
                       "at another speed"),
                    1e3 * arm_verdict_unsure(verdict), verdict->pairs);
  if (verdict->untold != ARM_UNTOLD_FEW_PAIRS)
    return g_strdup(plain_untold(verdict->untold));
  return aio_said(N_("%zu of %zu sweeps have none back over the range at nearly the same "
                     "speed: sweep each hold both ways, at the same speeds"),
                  lone, strokes);
}

char *ase_range_said(ArmJointType type, double low, double high) {
  const double unit = type == ARM_JOINT_R ? DEG : 1.0;
  /* TRANSLATORS: a range: number to number unit */
  return aio_said(N_("%.4g to %.4g %s"), low / unit, high / unit,
                  type == ARM_JOINT_R ? aio_said_word(N_("deg")) : "m");
}

char *ase_position_said(ArmJointType type, double q) {
  return type == ARM_JOINT_R ? aio_said("%.4g %s", q / DEG, aio_said_word(N_("deg")))
                             : aio_said("%.4g m", q);
}

char *ase_untold_text(const ArmJointVerdict *verdict) {
  return aio_said_take_text(ase_untold_said(verdict));
}

char *ase_range_text(ArmJointType type, double low, double high) {
  return aio_said_take_text(ase_range_said(type, low, high));
}

double ase_text_tenths(double value) {
  return round(10.0 * value) / 10.0 + 0.0; /* -0.0 + 0.0 is 0.0 */
}

void ase_text_copy(char *out, gsize size, const char *text) {
  char *whole = aio_text_visible(text, false);
  gsize length = MIN(strlen(whole), size - 1);
  while (length > 0 && !g_utf8_validate(whole, (gssize)length, NULL))
    length--;
  memcpy(out, whole, length);
  out[length] = '\0';
  g_free(whole);
}

/* Of a reason: of twelve joints, each with its own. Of a text, which is a stranger's if it is
 * longer than that: a Japanese letter has three. */
enum { KEPT_BYTES = 4000, TEXT_BYTES = 400 };

const char *ase_reason_keep(const char *reason) {
  char kept[KEPT_BYTES];
  const bool is_strangers =
      reason && *reason != AIO_SAID_MARK && strnlen(reason, KEPT_BYTES) == KEPT_BYTES;
  aio_said_copy(kept, is_strangers ? TEXT_BYTES : KEPT_BYTES, reason);
  return *kept ? aio_said_keep(kept) : NULL;
}
