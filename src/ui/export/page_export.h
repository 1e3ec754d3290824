/* SPDX-License-Identifier: MIT */
/* Files for other programs and firmware, and the way into the controller. */
#ifndef ARMATURE_UI_PAGE_EXPORT_H
#define ARMATURE_UI_PAGE_EXPORT_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_PAGE_EXPORT (aui_page_export_get_type())
G_DECLARE_FINAL_TYPE(AuiPageExport, aui_page_export, AUI, PAGE_EXPORT, GtkBox)

GtkWidget *aui_page_export_new(AseSession *session);

#endif
