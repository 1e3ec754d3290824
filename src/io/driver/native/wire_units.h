/* SPDX-License-Identifier: MIT */
/* The units of the native protocol (docs/protocol.md section 1) and SI: the one place where they
 * meet. Wire: urad or um, per second, per second squared; mA; 0.01 degree Celsius; mV. Here: rad or
 * m, A, degree Celsius, V. Values on the wire that mean "not supervised" (0) become NAN. */
#ifndef ARMATURE_IO_WIRE_UNITS_H
#define ARMATURE_IO_WIRE_UNITS_H

#include <glib.h>
#include <stdbool.h>

double aio_wire_length(gint64 micro); /* position, speed, acceleration, following error */
double aio_wire_current(gint32 milliampere);
double aio_wire_temperature(gint32 centidegree);
double aio_wire_voltage(guint32 millivolt);
double aio_wire_quantum(guint32 nano); /* encoder step; 0: NAN */

double aio_wire_length_limit(guint32 micro);           /* 0: NAN */
double aio_wire_current_limit(guint32 milliampere);    /* 0: NAN */
double aio_wire_temperature_limit(gint32 centidegree); /* 0: NAN */

/* To the nearest unit of the wire. false: not a number, or more than the field can carry. */
bool aio_wire_from_position(double x, gint32 *micro);
bool aio_wire_from_rate(double x, guint32 *micro); /* speed, acceleration: >= 0 */
/* >= 0; 0 only for 0, which is no limit. false also beyond what TELEM can carry: 32.767 A, a limit
 * that no measured current would ever exceed. */
bool aio_wire_from_current_limit(double ampere, guint16 *milli);
bool aio_wire_from_seconds_ms(double seconds, guint16 *ms); /* >= 0 */
bool aio_wire_from_seconds_us(double seconds, guint32 *us); /* >= 0 */

#endif
