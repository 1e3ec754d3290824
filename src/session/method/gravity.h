/* SPDX-License-Identifier: MIT */
/* The door to what is of sweeps alone: the whole fit, for pages, reports and verbs of that method.
 * What any method has is asked of the session, or read from a set. */
#ifndef ARMATURE_SESSION_GRAVITY_H
#define ARMATURE_SESSION_GRAVITY_H

#include "core/sweeps/ident.h"
#include "session/method/fit.h"

/* Borrowed for as long as the fit is. NULL: there is none, or it is of another method. */
const ArmGravityFit *ase_gravity_of(const AseFit *fit);
/* From g_new or g_memdup2; taken over with what it owns. */
AseFit *ase_gravity_wrap(ArmGravityFit *fit);

#endif
