/* SPDX-License-Identifier: MIT */
/* Several sentences below each other. */
#ifndef ARMATURE_UI_BULLETS_H
#define ARMATURE_UI_BULLETS_H

#include <glib.h>

/* "• a\n• b"; "" of none. g_free.
 *   list  of sentences of io/base/said, or texts: each is one line */
char *aui_bullets(const GPtrArray *list);

#endif
