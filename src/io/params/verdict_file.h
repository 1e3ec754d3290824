/* SPDX-License-Identifier: MIT */
/* The verdict of a fit in files and in words, and the file of the lab's limits.
 *
 * Per joint "misfit": {"verdict": "fits|misfit|unknown", "gravity_A", "direction_A",
 * "speed_relative", "scatter_relative", "trend_relative", "promised_A", "p", ..}; on top "verdict",
 * the worst, and "warnings": [{"code", "joint", "message"}]. Beyond the agreed keys: "alarms",
 * names of the tests that alarm; "untold", why nothing can be told; "strokes" and "pairs" that were
 * judged; "worst_hold" from 1; "stroke", the sweep that stands out; "noise_A", s_0 .. s_5, and
 * "friction_scatter_A", tau, by which a validation promises: without them, as older programs write
 * it, nothing is promised. Unknown is null.
 */
#ifndef ARMATURE_IO_VERDICT_FILE_H
#define ARMATURE_IO_VERDICT_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/ident.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

/* One line for a person. */
typedef struct {
  const char *code; /* "gravity", "verdict_unknown"; static */
  size_t joint;     /* from 1, 0: the recording */
  char *message;    /* "joint 2: the gravity model misses by 7.3 mA rms ..." */
  bool is_misfit;   /* the model does not fit, or cannot be right: exit status 4 */
  bool is_severe;   /* that, or so doubtful that whoever uses the numbers is told again */
  bool is_untold;   /* whether the model fits cannot be told: the same */
} AioVerdictLine;

/* What is to be said of a fit: what is not plausible (core/sweeps/plausible.h), of the alarms only
 * the first kind (core/sweeps/verdict.h), then what is significant but small, then what cannot be
 * told, then whose sds sums tell badly. Of AioVerdictLine; empty when all is well or the fit has no
 * verdict. g_ptr_array_unref it. */
GPtrArray *aio_verdict_lines(const ArmGravityFit *fit);

/* Does the model not fit, or cannot be right? A fit without a verdict: false. */
bool aio_verdict_is_misfit(const ArmGravityFit *fit);

/* Is it so doubtful that whoever uses its numbers is told again: arm_doubt_is_severe? */
bool aio_verdict_is_doubtful(const ArmGravityFit *fit);

/* Does nothing tell whether the model fits: unknown, or no verdict at all? */
bool aio_verdict_is_unknown(const ArmGravityFit *fit);

/* What whoever uses the numbers of a fit is told again, first joint first, of each doubt one line:
 * "doubtful when it was fitted: joint 2: .. (also joint 3, 4)". Of char *; empty when the model
 * fits and nothing is doubtful. g_ptr_array_unref it. */
GPtrArray *aio_verdict_reminders(const ArmGravityFit *fit);

/* "misfit" of joint i (from 0), and "verdict" and "warnings"; nothing without a verdict. */
void aio_verdict_write_joint(AioJsonWriter *w, const ArmVerdict *verdict, size_t i);
void aio_verdict_write(AioJsonWriter *w, const ArmGravityFit *fit);

/* Reads both from the root of a parameter file with n joints; verdict->n = 0 where there is none.
 * False: error set, AIO_ERROR_MEANING. */
bool aio_verdict_read(const AioJsonNode *root, size_t n, ArmVerdict *verdict, GError **error);

/* {"format": "armature-limits", "version": 1, any of the limits}: what is not in the file stays at
 * the default. False: error set, `limits` untouched. */
bool aio_limits_load(const char *path, ArmVerdictLimits *limits, GError **error);
/* The same of a text; `name` is what errors call it. */
bool aio_limits_parse(const char *name, const char *text, ArmVerdictLimits *limits, GError **error);
/* Such a file of those that are not the default. g_free. */
char *aio_limits_text(const ArmVerdictLimits *limits);
/* Members "limit_KEY" of those that are not the default: a verdict is one by them. */
void aio_limits_write_changed(AioJsonWriter *w, const ArmVerdictLimits *limits);

#endif
