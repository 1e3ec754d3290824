/* SPDX-License-Identifier: MIT */
/* What a method found, as a session holds it: counted, never changed, of any thread. What is in it
 * only its method knows (session/method/gravity.h). */
#ifndef ARMATURE_SESSION_FIT_H
#define ARMATURE_SESSION_FIT_H

#include <glib.h>

typedef struct AseFit AseFit;

/* One reference. whole: taken over, freed by free_whole, which tells whose it is. */
AseFit *ase_fit_new(gpointer whole, GDestroyNotify free_whole);
AseFit *ase_fit_ref(AseFit *fit);
void ase_fit_unref(AseFit *fit); /* NULL allowed */
/* Borrowed. NULL: no fit, or one that something else frees. */
gpointer ase_fit_whole(const AseFit *fit, GDestroyNotify free_whole);

#endif
