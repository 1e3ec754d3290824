/* SPDX-License-Identifier: MIT */
/* Device time to CLOCK_MONOTONIC of the host, from when samples arrived.
 *
 *   t_host = t_device / time_factor + offset + skew * t_device / time_factor + delay,  delay >= 0
 *
 * Delays of USB and schedulers only ever make a sample late, so the earliest arrivals tell the
 * offset: the running minimum of (t_host - t_device) over 10 s, corrected for the skew. The skew is
 * the slope of the line below all (t_device, t_host - t_device) of the last minute that is closest
 * to them: the edge, above their mean time, of the lower convex hull of the minima of half-second
 * windows (Moon, Skelly, Towsley, "Estimation and Removal of Clock Skew from Network Delay
 * Measurements", INFOCOM 1999).
 *
 * Mapped times follow the estimate with a time constant of at most 1 s, at no less than half and no
 * more than twice the speed of the device's clock: they never run back and have no steps. What
 * cannot be one running clock (device time runs back, or gains more than 1 s on the host from one
 * sample to the next) begins anew. Plain arithmetic, fixed memory; one map belongs to one thread.
 */
#ifndef ARMATURE_IO_CLOCK_MAP_H
#define ARMATURE_IO_CLOCK_MAP_H

#include <glib.h>
#include <stdbool.h>

/* Windows of half a second of host time: a minute. */
enum { AIO_CLOCK_WINDOWS = 120 };

/* Device time as host seconds since the first sample, and how late the sample came [ns]. */
typedef struct {
  double t_s, late_ns;
} AioClockPoint;

typedef struct {
  double time_factor;
  bool has_started;
  guint64 first_us, last_us;  /* device */
  gint64 first_ns, latest_ns; /* host; latest_ns: what was returned last */
  double mapped_ns;           /* since first_ns; rounded, the steps would add up */
  double last_late_ns;
  gint64 gained_ns; /* 0, or by how much the last sample came before the earliest possible */
  AioClockPoint least[AIO_CLOCK_WINDOWS]; /* of each window; a ring */
  guint windows, newest;
  gint64 window_end_ns;
  bool has_skew;
  double skew;      /* dimensionless */
  double offset_ns; /* of the newest sample; mapped time strives to first_ns + t + offset */
} AioClockMap;

/* time_factor: device time per wall time, > 0. */
void aio_clock_map_init(AioClockMap *map, double time_factor);

/* The device restarted: learns anew, mapped times still never run back. */
void aio_clock_map_restart(AioClockMap *map);

/* Takes in the next sample (device time t_us, arrived at t_ns) and returns its time on the host
 * [ns]. One that comes more than 1 s earlier than the earliest of the last 10 s says that the
 * device's clock was set forward: `gained_ns`. (Late ones that waited somewhere do not.) */
gint64 aio_clock_map_push(AioClockMap *map, guint64 t_us, gint64 t_ns);

/* How the newest sample's device time is to be shifted [ns]: host time minus device time divided by
 * time_factor. false: nothing has come yet.
 *   skew_ppm  positive: the device's clock is slow; NAN: not known yet (2 s) */
bool aio_clock_map_estimate(const AioClockMap *map, double *offset_ns, double *skew_ppm);

#endif
