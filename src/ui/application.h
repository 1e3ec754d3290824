/* SPDX-License-Identifier: MIT */
/* The program: opens sessions in windows, and has the actions that belong to no page.
 *
 *   armature [--benchmark-start] [FILE.armsession | ARM.arm.json | RECORDING.csv]
 *
 * Without an argument: a new session with the simulated PUMA 560, connected. An arm file begins a
 * new session, a recording shows its columns first; anything else is opened as a session, for
 * reading only when it cannot be written.
 *
 *   app.new              a new session with the simulated arm
 *   app.open             asks for a file
 *   app.open-path (s)    opens it
 *   app.import           asks for a recording
 *   app.preferences, app.manual (s: topic or ""), app.shortcuts, app.about, app.raise, app.quit */
#ifndef ARMATURE_UI_APPLICATION_H
#define ARMATURE_UI_APPLICATION_H

#include <adwaita.h>

#include "session/session.h"
#include "ui/import/session_files.h"

#define AUI_TYPE_APPLICATION (aui_application_get_type())
G_DECLARE_FINAL_TYPE(AuiApplication, aui_application, AUI, APPLICATION, AdwApplication)

AuiApplication *aui_application_new(void);

#endif
