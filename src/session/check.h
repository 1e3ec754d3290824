/* SPDX-License-Identifier: MIT */
/* Does this controller belong to this arm, and may it be moved as it stands? Every objection is a
 * sentence for people, with the remedy. Pure functions of plain data. */
#ifndef ARMATURE_SESSION_CHECK_H
#define ARMATURE_SESSION_CHECK_H

#include <glib.h>

#include "io/arm/arm_file.h"
#include "io/driver/driver.h"
#include "session/edits.h"

/* Objections, sentences of io/base/said, the most important first; empty: none. Free with
 * g_ptr_array_unref. */

/* false with AIO_ERROR_REFUSED, naming both: the controller has another number of joints. */
bool ase_check_count(const AioArm *arm, const AioDescription *description, GError **error);

/* What the controller is: protocol, number and kinds of its joints, what it can do. */
GPtrArray *ase_check_controller(const AioArm *arm, const AioDescription *description);

/* What its drives are: motor.sign[j] and gear.ratio[j] of the `n` parameters that it told, against
 * the arm file. Either is compared where both sides state it, of a joint with one motor. */
GPtrArray *ase_check_drives(const AioArm *arm, const AioParam *params, guint n);

/* Is it the arm of the file, as far as the controller tells: ase_check_drives, and the kinds of its
 * joints. */
GPtrArray *ase_check_arm(const AioArm *arm, const AioDescription *description,
                         const AioParam *params, guint n);

typedef struct {
  const AioDescription *description;
  const AioState *state;
  const double *q;       /* of each joint [rad or m] */
  const double *motor_C; /* NAN: not measured */
} AseCondition;

/* Samples per second, by the controller's clock, by which an arm can be watched and fed its motion.
 * A sample tells which segments are done with; a small controller has a buffer of eight, 160 ms
 * where they are shortest: three periods, of which one goes by until the next sample, and two are
 * left to the line and to a busy computer. Silence is told within 1 s: twenty of them. */
#define ASE_CHECK_LEAST_HZ 20.0

/* That these are too few, a sentence of io/base/said, g_free; NULL: they are enough.
 *   hz  wanted or granted */
char *ase_check_rate_said(double hz);

/* What a controller lacks that would end a motion when the computer fails or a person sees danger
 * (lease, emergency stop chain), and what a person must do instead. A sentence of io/base/said,
 * g_free; NULL: nothing lacks. */
char *ase_check_caution(const AioDescription *description);

/* How it stands: emergency stop chain (of who watches over one), faults, pose, limits and
 * temperatures. */
GPtrArray *ase_check_condition(const AioArm *arm, const AseEdits *edits,
                               const AseCondition *condition);

/* All of them as one sentence of io/base/said, "; " between them. g_free. */
char *ase_check_said(const GPtrArray *objections);

#endif
