/* SPDX-License-Identifier: MIT */
/* The simulator, devices of before and ports, with what is wrong and its remedy; beside them what
 * the controller says of itself. */
#ifndef ARMATURE_UI_PAGE_CONNECT_H
#define ARMATURE_UI_PAGE_CONNECT_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_PAGE_CONNECT (aui_page_connect_get_type())
G_DECLARE_FINAL_TYPE(AuiPageConnect, aui_page_connect, AUI, PAGE_CONNECT, GtkBox)

GtkWidget *aui_page_connect_new(AseSession *session);

#endif
