/* SPDX-License-Identifier: MIT */
/* Whether a current that never changes its sign is a signed one under load or a magnitude |i|.
 *
 * The stroke is cut into parts; in each the current of forward motion is compared with that of
 * backward motion at the same place. Friction makes a signed current larger in one direction, and
 * in the same one everywhere. A magnitude shows itself in two ways:
 *
 *   |gravity + friction|, where gravity changes sign   the directions swap their order
 *   |friction|                                         both are alike, at one level everywhere
 *
 * Where gravity keeps its sign and outweighs friction, a magnitude is the signed current up to one
 * sign of all, which the fit finds: no harm, and nothing is claimed.
 */
#ifndef ARMATURE_IO_CURRENT_SIGN_H
#define ARMATURE_IO_CURRENT_SIGN_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  gsize rows;
  const int *joint;             /* rows: the moving joint */
  int own;                      /* only rows in which this one moves are judged */
  const double *t, *q, *qd, *i; /* rows, of this joint; NAN leaves a row out */
  double min_speed;             /* it moves where |qd| is greater */
} AioMotion;

/* Without both directions over a common part of the stroke nothing is claimed: false. */
bool aio_current_is_magnitude(const AioMotion *motion);

#endif
