/* SPDX-License-Identifier: MIT */
/* The seven pages of the window, and how each stands, from the twelve steps of the procedure. */
#ifndef ARMATURE_UI_STEPS_H
#define ARMATURE_UI_STEPS_H

#include "session/procedure.h"

typedef enum {
  AUI_SCREEN_CONNECT,
  AUI_SCREEN_ARM,
  AUI_SCREEN_PLAN,
  AUI_SCREEN_SWEEP,
  AUI_SCREEN_FIT,
  AUI_SCREEN_VALIDATE,
  AUI_SCREEN_EXPORT,
  AUI_SCREENS
} AuiScreen;

const char *aui_screen_key(AuiScreen page);   /* "connect"; static */
const char *aui_screen_title(AuiScreen page); /* for people; static */

/* What a page's steps have come to: what runs, failed or went stale first, else the first that has
 * not passed. Export has passed with a file written; uploading is not asked for.
 *   reason  out: one sentence for people, never empty; g_free */
AseStepState aui_screen_state(const AseProcedure *procedure, AuiScreen page, char **reason);

/* "passed", in the user's language; static. */
const char *aui_state_text(AseStepState state);
const char *aui_state_icon(AseStepState state);
const char *aui_state_class(AseStepState state); /* of the icon, which tells by colour too */

#endif
