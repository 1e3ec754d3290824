/* SPDX-License-Identifier: MIT */
/* What the user sets once for all sessions: data/desktop/org.armature.Armature.gschema.xml. */
#ifndef ARMATURE_UI_SETTINGS_H
#define ARMATURE_UI_SETTINGS_H

#include <adwaita.h>
#include <stdbool.h>

/* The settings; borrowed. The schema is that of the system, else that of the build or installation
 * this program lies in; without any the program is not complete (g_error). */
GSettings *aui_settings(void);

/* Colours and the unit of angles follow the settings from now on. */
void aui_settings_apply(void);

/* Folder of new sessions, made if need be, g_free: that of the settings; when nothing can be
 * written there the usual one, else the temporary one. `refused` (may be NULL; g_free) gets the
 * folder of the settings then, else NULL. */
char *aui_settings_session_folder(char **refused);

/* Seconds without the keyboard after which an armed arm is halted; 0: never. */
guint aui_settings_focus_halt_s(void);

/* How much larger than at 96 dpi the desktop has text. */
double aui_settings_text_scale(void);

#endif
