/* SPDX-License-Identifier: MIT */
/* The window of the settings; not modal, so that it may be open while an arm is armed. */
#ifndef ARMATURE_UI_PREFERENCES_H
#define ARMATURE_UI_PREFERENCES_H

#include <adwaita.h>

GtkWindow *aui_preferences_new(void);

#endif
