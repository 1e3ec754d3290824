/* SPDX-License-Identifier: MIT */
/* The pages of the window, each of which shows some of the steps that a method may have, and how
 * each stands. */
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

const char *aui_screen_key(AuiScreen page); /* "connect"; static */

/* Those that show a step of the method, in the order of its first ones.
 *   screens  out, as many as are returned */
guint aui_screens_of(const AseSteps *table, AuiScreen screens[AUI_SCREENS]);
/* For people, of one of them: as the method calls the step that it is for; static. */
const char *aui_screen_title(const AseSteps *table, AuiScreen page);

/* What the steps of one of them have come to: what runs, failed or went stale first, else the first
 * that has not passed. Export has passed with a file written; uploading is not asked for.
 *   reason  out: one sentence for people, never empty; g_free */
AseStepState aui_screen_state(const AseProcedure *procedure, AuiScreen page, char **reason);

/* "passed", in the user's language; static. */
const char *aui_state_text(AseStepState state);
const char *aui_state_icon(AseStepState state);
const char *aui_state_class(AseStepState state); /* of the icon, which tells by colour too */

#endif
