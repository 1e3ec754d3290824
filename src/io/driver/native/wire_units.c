/* SPDX-License-Identifier: MIT */
#include "io/driver/native/wire_units.h"

#include <math.h>

/* Divisions, not products with 1e-6: 1000000 urad are exactly 1 rad. */
double aio_wire_length(gint64 micro) {
  return (double)micro / 1e6;
}

double aio_wire_current(gint32 milliampere) {
  return milliampere / 1e3;
}

double aio_wire_temperature(gint32 centidegree) {
  return centidegree / 1e2;
}

double aio_wire_voltage(guint32 millivolt) {
  return millivolt / 1e3;
}

double aio_wire_quantum(guint32 nano) {
  return nano ? nano / 1e9 : NAN;
}

double aio_wire_length_limit(guint32 micro) {
  return micro ? aio_wire_length(micro) : NAN;
}

double aio_wire_current_limit(guint32 milliampere) {
  return milliampere ? milliampere / 1e3 : NAN;
}

double aio_wire_temperature_limit(gint32 centidegree) {
  return centidegree ? aio_wire_temperature(centidegree) : NAN;
}

/* round(x * scale) within [low, high]; NAN fails both comparisons. */
static bool scaled(double x, double scale, double low, double high, double *out) {
  *out = round(x * scale);
  return *out >= low && *out <= high;
}

bool aio_wire_from_position(double x, gint32 *micro) {
  double units;
  if (!scaled(x, 1e6, G_MININT32, G_MAXINT32, &units))
    return false;
  *micro = (gint32)units;
  return true;
}

static bool to_u32(double x, double scale, guint32 *out) {
  double units;
  if (!scaled(x, scale, 0, G_MAXUINT32, &units))
    return false;
  *out = (guint32)units;
  return true;
}

static bool to_u16(double x, double scale, guint16 *out) {
  double units;
  if (!scaled(x, scale, 0, G_MAXUINT16, &units))
    return false;
  *out = (guint16)units;
  return true;
}

bool aio_wire_from_rate(double x, guint32 *micro) {
  return to_u32(x, 1e6, micro);
}

bool aio_wire_from_current_limit(double ampere, guint16 *milli) {
  if (!to_u16(ampere, 1e3, milli) || *milli > G_MAXINT16)
    return false;
  if (ampere > 0 && *milli == 0)
    *milli = 1;
  return true;
}

bool aio_wire_from_seconds_ms(double seconds, guint16 *ms) {
  return to_u16(seconds, 1e3, ms);
}

bool aio_wire_from_seconds_us(double seconds, guint32 *us) {
  return to_u32(seconds, 1e6, us);
}
