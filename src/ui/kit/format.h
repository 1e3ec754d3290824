/* SPDX-License-Identifier: MIT */
/* Numbers as people read them: in the locale's way, angles in degrees. Free results with g_free. */
#ifndef ARMATURE_UI_FORMAT_H
#define ARMATURE_UI_FORMAT_H

#include <glib.h>
#include <stdbool.h>

#include "core/params/set.h"

/* "0.0221(16)": the sd in units of the last digits. "12.3" when sd is NAN, "-" when value is. */
char *aui_format_estimate(double value, double sd);

/* Significant digits; "-" for NAN, "unbounded" for infinity. */
char *aui_format_number(double value, int digits);

/* Of figures below each other: "-0.04" with 2 decimals, never "-0.00"; "-" for NAN. */
char *aui_format_fixed(double value, int decimals);

/* What a fit promised: significant digits as in aui_format_number, or fixed decimals; "not known"
 * for NAN. */
char *aui_format_promised(double value, int digits, bool is_fixed);

/* A difference in sds: "+1.2", "0.0", "-" for NAN. */
char *aui_format_sds(double sds);

/* "A s²/m" of "A s^2/m"; "" of "1". */
char *aui_format_unit(const char *unit);

/* "1:05", "2:03:10"; "" for NAN. */
char *aui_format_duration(double seconds);

/* A joint variable [rad or m] as "-60.0 deg" (or "-1.047 rad") or "0.250 m"; "-" for NAN. */
char *aui_format_joint(ArmJointType type, double q);

/* From now on angles are shown in rad; else, and at first, in deg. */
void aui_format_use_radians(bool uses);

/* What an angle [rad] is multiplied with for the screen, and the unit then ("deg", translated;
 * static). */
double aui_format_angle(const char **unit);
double aui_format_angle_scale(void); /* the same without the unit */

/* "deg", "deg/s", "deg/s²", or what is in their place where angles are shown in rad; any other unit
 * as it is. In the user's language; static. */
const char *aui_format_unit_name(const char *unit);

/* Parameter k: "gravity k*x", "Coulomb +"; of a ratio both joints, from 1; a name of its own. */
char *aui_format_parameter(const ArmParamSet *set, size_t k);

/* What is left of a joint (from 0): "2.41 mA", or "0.5 N m", "0.5 N" where its torque or force was
 * measured. */
char *aui_format_residual(const ArmParamSet *set, size_t joint);

#endif
