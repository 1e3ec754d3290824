/* SPDX-License-Identifier: MIT */
/* The one thing to do next, as one accented button: from a new session to an exported, validated
 * parameter file with the defaults. After the last sweep it disarms, fits and validates by itself,
 * which moves nothing. */
#ifndef ARMATURE_UI_NEXT_H
#define ARMATURE_UI_NEXT_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "session/session.h"

typedef enum {
  AUI_NEXT_CONNECT,
  AUI_NEXT_OTHER_ARM, /* the controller is not that of the arm file, or cannot do this */
  AUI_NEXT_CHECK,
  AUI_NEXT_CONFIGURE,
  AUI_NEXT_PLAN,
  AUI_NEXT_CLEAR, /* what is latched, before arming */
  AUI_NEXT_ARM,
  AUI_NEXT_DRY_RUN,
  AUI_NEXT_SWEEP,
  AUI_NEXT_FIT,
  AUI_NEXT_MISFIT,  /* why the model does not fit */
  AUI_NEXT_NOT_FIT, /* why the fit failed otherwise */
  AUI_NEXT_VALIDATE,
  AUI_NEXT_LOOK, /* why validation failed */
  AUI_NEXT_EXPORT,
  AUI_NEXT_UNJUDGED, /* exported, and not all of the fit could be judged */
  AUI_NEXT_DONE,
  AUI_NEXT_WAIT, /* something runs */
  AUI_NEXTS
} AuiNext;

/* What that is; needs nothing but where the procedure stands and whether the arm may move. */
AuiNext aui_next_of(const AseProcedure *procedure, bool is_armed);

/* The same, where a fault may be latched: it is cleared before the arm is checked or armed. */
AuiNext aui_next_with_faults(const AseProcedure *procedure, bool is_armed, bool has_faults);

#define AUI_TYPE_NEXT_BUTTON (aui_next_button_get_type())
G_DECLARE_FINAL_TYPE(AuiNextButton, aui_next_button, AUI, NEXT_BUTTON, GtkBox)

/* Below the steps. Shows pages by the action session.page, and exports by session.export. */
GtkWidget *aui_next_button_new(AseSession *session);

#endif
