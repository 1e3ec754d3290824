/* SPDX-License-Identifier: MIT */
/* Base parameters in words: names, units, combinations, and why a parameter is none of them. */
#ifndef ARMATURE_IO_BASE_TEXT_H
#define ARMATURE_IO_BASE_TEXT_H

#include <glib.h>

#include "core/dynamics/base.h"

/* What files call a column's parameter: "XX", "mX", "m", "coulomb_pos", "rotor_inertia". Static. */
const char *aio_base_parameter(const ArmBaseColumn *column);

/* "XX2", "Ia3" (rotor), "Fcp3" "Fvp3" "Fcn3" "Fvn3" (Coulomb and viscous friction, forward and
 * back), "Ks3" "Os3" (spring, its bias), "Bc3" "Bs3" "Bf3" (counterbalance). g_free it. */
char *aio_base_column_name(const ArmBaseColumn *column);

/* Of a base parameter: "XX2", or "XXR2" when others were regrouped into it. g_free it. */
char *aio_base_name(const ArmBase *base, gsize b);

/* "kg m^2", "N m s/rad"; of a base parameter that of the column it is named after. Static. */
const char *aio_base_unit(const ArmModel *model, const ArmBaseColumn *column);

/* All columns in the order in which people read them: links from 1, XX XY XZ YY YZ ZZ mX mY mZ m,
 * then the others.
 *   order  base->columns */
void aio_base_order(const ArmBase *base, gsize *order);

/* "XX2 - YY2 + 0.25 mZ3": six digits, for people. g_free it. */
char *aio_base_combination(const ArmBase *base, gsize b);

/* Why a column is no base parameter of its own, a sentence without a full stop; NULL for one that
 * is. g_free it. */
char *aio_base_reason(const ArmBase *base, gsize column);

/* "base", "regrouped", "no_effect". Static. */
const char *aio_base_fate(const ArmBase *base, gsize column);

#endif
