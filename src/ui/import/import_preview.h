/* SPDX-License-Identifier: MIT */
/* The first rows of a recording, each column with what it means. */
#ifndef ARMATURE_UI_IMPORT_PREVIEW_H
#define ARMATURE_UI_IMPORT_PREVIEW_H

#include <gtk/gtk.h>

#include "ui/import/import_file.h"

GtkWidget *aui_import_preview_new(const AuiImport *import);

#endif
