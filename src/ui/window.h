/* SPDX-License-Identifier: MIT */
/* The window of one session: steps, pages, the two stops, what is happening. */
#ifndef ARMATURE_UI_WINDOW_H
#define ARMATURE_UI_WINDOW_H

#include <adwaita.h>

#include "session/session.h"
#include "ui/kit/strip.h"

#define AUI_TYPE_WINDOW (aui_window_get_type())
G_DECLARE_FINAL_TYPE(AuiWindow, aui_window, AUI, WINDOW, AdwApplicationWindow)

/* Keeps a reference to the session; closing the window closes it. application may be NULL. */
GtkWidget *aui_window_new(AdwApplication *application, AseSession *session);

/* Shows a session made of a recording, in a window on the page Fit. It takes the reference. */
void aui_window_show_imported(AseSession *session);

/* "connect", "arm", "plan", "sweep", "fit", "validate", "export"; nothing happens where the method
 * has no step of that page. */
void aui_window_show_page(AuiWindow *self, const char *name);

AseSession *aui_window_session(AuiWindow *self); /* borrowed */
AuiStrip *aui_window_strip(AuiWindow *self);     /* borrowed */

/* Something to know about the session, in a bar below the header and in the messages; "" hides the
 * bar. A session that is only read gets a warning. */
void aui_window_notice(AuiWindow *self, const char *text);
const char *aui_window_notice_text(AuiWindow *self); /* "" when nothing is shown; borrowed */

typedef enum {
  AUI_PART_CONTENT,
  AUI_PART_STEPS,
  AUI_PART_NEXT,
  AUI_PART_MOTION,
  AUI_PART_STRIP,
  AUI_PART_MENU,
} AuiPart;
GtkWidget *aui_window_part(AuiWindow *self, AuiPart part); /* borrowed */

#endif
