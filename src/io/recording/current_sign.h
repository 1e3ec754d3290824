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

enum { AIO_SIGN_BINS = 24 };

/* Rows begin to end-1 of one joint; of the row before `begin` only the time is looked up. */
typedef struct {
  gsize begin, end;
  const int *joint;             /* the moving joint */
  int own;                      /* only rows in which this one moves are judged */
  const double *t, *q, *qd, *i; /* of this joint; NAN leaves a row out */
  double min_speed;             /* it moves where |qd| is greater */
} AioMotion;

/* Sums over the rows of one direction in one part of the stroke. */
typedef struct {
  double n, q, i, qq, qi, ii;
} AioSignWay;

/* What is known of a joint's rows so far. */
typedef struct {
  double low, high;    /* positions */
  double mean, lowest; /* current; |current| */
  double count;
  AioSignWay ways[AIO_SIGN_BINS][2];
} AioSignScan;

void aio_sign_scan_init(AioSignScan *scan);
/* All rows of a recording in their order, first to the one, then to the other. */
void aio_sign_scan_range(AioSignScan *scan, const AioMotion *m);
void aio_sign_scan_ways(AioSignScan *scan, const AioMotion *m);

/* Without both directions over a common part of the stroke nothing is claimed: false. */
bool aio_sign_is_magnitude(const AioSignScan *scan);

#endif
