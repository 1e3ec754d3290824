/* SPDX-License-Identifier: MIT */
/* For replies that may come when nobody wants them any more: they do not keep who asked, and with
 * it a device, alive. */
#ifndef ARMATURE_SESSION_WEAK_H
#define ARMATURE_SESSION_WEAK_H

#include <glib-object.h>

GWeakRef *ase_weak_new(gpointer object);
/* A reference, or NULL; frees the weak one. */
gpointer ase_weak_take(GWeakRef *ref);

#endif
