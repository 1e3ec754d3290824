/* SPDX-License-Identifier: MIT */
/* Files that a window can be given, and sessions made from them. */
#ifndef ARMATURE_UI_SESSION_FILES_H
#define ARMATURE_UI_SESSION_FILES_H

#include "session/session.h"

typedef enum {
  AUI_FILE_SESSION,
  AUI_FILE_ARM,        /* NAME.arm.json */
  AUI_FILE_RECORDING,  /* NAME.csv */
  AUI_FILE_PARAMETERS, /* any other JSON */
} AuiFileKind;

/* By the name alone. */
AuiFileKind aui_file_kind(const char *path);

#define AUI_PROGRAM "armature " ARMATURE_VERSION

/* Where a session from this arm file or recording shall be: "puma560-truth2 2026-11-21
 * 20.57.03.123.armsession" in the folder of aui_settings_session_folder. It sorts, and is a name on
 * every file system. g_free. */
char *aui_session_path(const char *source);

/* Where a session that has just been begun is, in words, when that is not the folder of the
 * settings; "" when it is. g_free. */
char *aui_session_place(void);

/* A new session for an arm file, in a new file in the folder of the settings. NULL: what
 * aio_file_read_all and ase_session_create report. */
AseSession *aui_session_new(const char *arm_path, GError **error);

/* A session, or a new one for an arm file. One that cannot be written is opened for reading.
 *   notice  out (may be NULL; g_free): what to tell the user, in words: what was kept of a session
 *           that was not closed, why it is only read; "" for nothing
 * NULL: what ase_session_open and aui_session_new report, notice untouched. */
AseSession *aui_session_open(const char *path, char **notice, GError **error);

/* All that is recorded so far, as one file; an old file of that name is replaced when the copy is
 * complete. AIO_ERROR_REFUSED: onto itself; else what aio_store_copy reports. */
bool aui_session_save_copy(AseSession *session, const char *path, GError **error);

/* Another arm file into the session; undo brings the old arm back. false: what aio_file_read_all
 * and ase_session_set_arm report. */
bool aui_session_replace_arm(AseSession *session, const char *path, GError **error);

#endif
