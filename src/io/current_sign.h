/* SPDX-License-Identifier: MIT */
/* Whether a current that never changes its sign is a signed one under load or a magnitude |i|.
 *
 * Over one stroke with the other joints held a true current is
 *   R:  i = a cos q + b sin q + F(direction) + c qd        T:  i = a q + F(direction) + c qd
 * where F changes its sign with the direction. Means over parts of the stroke are fitted with this
 * model as they are and with the sign of a part of them turned back. A magnitude shows itself when
 * the model then fits far better, when (R) the friction of both directions comes out of one sign,
 * or when (T) the current dips towards zero at each reversal.
 */
#ifndef ARMATURE_IO_CURRENT_SIGN_H
#define ARMATURE_IO_CURRENT_SIGN_H

#include <glib.h>
#include <stdbool.h>

#include "core/model.h"

/* Judges the rows in which |qd| > min_speed; NAN in q, qd or i leaves a row out.
 *   t, q, qd, i  rows
 * Without both directions over a common part of the stroke nothing is claimed: false. */
bool aio_current_is_magnitude(ArmJointType type, gsize rows, const double *t, const double *q,
                              const double *qd, const double *i, double min_speed);

#endif
