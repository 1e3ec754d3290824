/* SPDX-License-Identifier: MIT */
/* What a session has found, as files. */
#ifndef ARMATURE_UI_EXPORT_H
#define ARMATURE_UI_EXPORT_H

#include "session/session.h"

typedef enum {
  AUI_EXPORT_PARAMETERS,
  AUI_EXPORT_HEADER,
  AUI_EXPORT_TABLE,
  AUI_EXPORTS /* how many; no file of its own */
} AuiExport;

/* A name to suggest, from the arm's: "puma-560.params.json"; g_free. */
char *aui_export_file_name(AseSession *session, AuiExport kind);

/* The folder in which `path` is, as a file:// URI for the desktop to open; NULL when it is not an
 * absolute path into a folder that exists here: a path out of a session may name anything. g_free.
 */
char *aui_export_folder_uri(const char *path);

const char *aui_export_ending(AuiExport kind); /* ".params.json"; static */

/* What such a file holds, from the text of a parameter file, whatever method found it. g_free.
 *   length  out, bytes
 * NULL: what ase_found_load_text and ase_found_export_c report. */
char *aui_export_text(AuiExport kind, const AioArm *arm, const char *parameters, gsize *length,
                      GError **error);

/* Writes the file, over an older one. The parameter file passes the step Export.
 * false: what ase_session_parameters, aui_export_text and aio_file_write_atomic report. */
bool aui_export_write(AseSession *session, AuiExport kind, const char *path, GError **error);

#endif
