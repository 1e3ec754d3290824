/* SPDX-License-Identifier: MIT */
/* Buttons with a mnemonic are read out by GTK 4.8 as "_Sweep Sweep": by their text and by the label
 * in them. */
#ifndef ARMATURE_UI_MNEMONICS_H
#define ARMATURE_UI_MNEMONICS_H

#include <gtk/gtk.h>

/* Names the buttons from here down without underscores. */
void aui_mnemonics_name(GtkWidget *widget);

#endif
