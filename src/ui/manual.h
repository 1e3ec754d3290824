/* SPDX-License-Identifier: MIT */
/* The manual inside the program, for technicians: a window of topics. */
#ifndef ARMATURE_UI_MANUAL_H
#define ARMATURE_UI_MANUAL_H

#include <adwaita.h>

/* A page of the manual. Paragraphs begin with "# " (heading), "* " (item) or neither; both
 * untranslated, and NULL after the last. */
typedef struct {
  const char *key, *title;
  const char *const *paragraphs;
} AuiTopic;

/* Topic k, from 0; NULL after the last. */
const AuiTopic *aui_manual_topic(guint k);

/* key: of the topic to show; NULL: the first */
GtkWindow *aui_manual_new(const char *key);

#endif
