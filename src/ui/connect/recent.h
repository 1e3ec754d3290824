/* SPDX-License-Identifier: MIT */
/* Sessions that were open lately, newest first, remembered in the settings. */
#ifndef ARMATURE_UI_RECENT_H
#define ARMATURE_UI_RECENT_H

#include <gio/gio.h>

enum { AUI_RECENT_MAX = 10 };

typedef struct {
  char *path, *arm;
  gint64 opened_s; /* since 1970, UTC */
} AuiRecent;

/* of AuiRecent, those whose file is still there; g_ptr_array_unref. */
GPtrArray *aui_recent_list(void);

/* Puts it first. */
void aui_recent_add(const char *path, const char *arm, gint64 opened_s);

/* "ARM, DATE", in the locale's way. g_free. */
char *aui_recent_text(const AuiRecent *recent);

/* Items "ARM, DATE" that activate app.open-path; made anew for each call. Unref. */
GMenuModel *aui_recent_menu(void);

#endif
