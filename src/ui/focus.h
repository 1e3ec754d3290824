/* SPDX-License-Identifier: MIT */
/* Whether Esc reaches the session, and what follows when it does not. */
#ifndef ARMATURE_UI_FOCUS_H
#define ARMATURE_UI_FOCUS_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  gint64 since_us; /* armed without the keyboard since; 0: not so */
} AuiFocus;

typedef enum {
  AUI_FOCUS_FINE,     /* not armed, or the keyboard is here */
  AUI_FOCUS_INACTIVE, /* armed, and Esc goes elsewhere */
  AUI_FOCUS_HALT      /* that for so long that the arm is to be halted now; told once */
} AuiFocusState;

/* limit_s 0: never halts. left_s (may be NULL) out: seconds until it halts, 0 when it does not. */
AuiFocusState aui_focus_update(AuiFocus *self, bool is_armed, bool has_keyboard, guint limit_s,
                               gint64 now_us, guint *left_s);

#endif
