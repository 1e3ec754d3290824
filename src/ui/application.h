/* SPDX-License-Identifier: MIT */
/* The program: opens sessions in windows, and has the actions that belong to no page.
 *
 *   armature [FILE.armsession | ARM.arm.json | RECORDING.csv]
 *
 * Without an argument: a new session with the simulated PUMA 560, connected. An arm file begins a
 * new session, a recording shows its columns first; anything else is opened as a session, for
 * reading only when it cannot be written. */
#ifndef ARMATURE_UI_APPLICATION_H
#define ARMATURE_UI_APPLICATION_H

#include <adwaita.h>

#include "session/session.h"

#define AUI_TYPE_APPLICATION (aui_application_get_type())
G_DECLARE_FINAL_TYPE(AuiApplication, aui_application, AUI, APPLICATION, AdwApplication)

AuiApplication *aui_application_new(void);

#define AUI_PROGRAM "armature " ARMATURE_VERSION

/* Where a session from this arm file or recording shall be: "puma560-truth2 2026-11-21
 * 20.57.03.123.armsession" in the user's data folder, which is made. It sorts, and is a name on
 * every file system. g_free. */
char *aui_session_path(const char *source);

/* A new session for an arm file, in a new file in the user's data folder. NULL: what
 * aio_file_read_all and ase_session_create report. */
AseSession *aui_session_new(const char *arm_path, GError **error);

/* Opens what the command line or a file chooser named. NULL: what ase_session_open reports. */
AseSession *aui_session_open(const char *path, GError **error);

#endif
