/* SPDX-License-Identifier: MIT */
/* The whole way of a calibration, leg by leg: what moves, from where to where, how fast, how long.
 *
 * Signal "chosen" (guint leg): the user looks at this leg (from 0). */
#ifndef ARMATURE_UI_LEG_LIST_H
#define ARMATURE_UI_LEG_LIST_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_LEG_LIST (aui_leg_list_get_type())
G_DECLARE_FINAL_TYPE(AuiLegList, aui_leg_list, AUI, LEG_LIST, GtkBox)

GtkWidget *aui_leg_list_new(AseSession *session);

/* Reads the itinerary again. */
void aui_leg_list_refresh(AuiLegList *self);

#endif
