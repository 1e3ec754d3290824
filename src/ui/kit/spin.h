/* SPDX-License-Identifier: MIT */
/* Numbers that are typed into a spin button. */
#ifndef ARMATURE_UI_SPIN_H
#define ARMATURE_UI_SPIN_H

#include <gtk/gtk.h>

/* Takes "2.5" and "2,5" in every language, and leaves the number as it was for what is none or lies
 * outside of the limits: GTK alone reads "2,5" as 2 and makes -4 the least there is. */
void aui_spin_prepare(GtkSpinButton *spin);

#endif
