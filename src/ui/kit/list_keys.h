/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_UI_LIST_KEYS_H
#define ARMATURE_UI_LIST_KEYS_H

#include <gtk/gtk.h>

/* Tab and Shift+Tab pass through the row they are in and then leave the list, however many rows it
 * has; arrows go from row to row. For a GtkListBox or a GtkListView. */
void aui_list_let_tab_out(GtkWidget *list);

#endif
