/* SPDX-License-Identifier: MIT */
/* A recording as a table that somebody looks at before it is used: which column means what, the
 * first rows as they stand in the file, and what is wrong. No GTK; any thread.
 */
#ifndef ARMATURE_UI_IMPORT_FILE_H
#define ARMATURE_UI_IMPORT_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "io/arm/arm_file.h"
#include "io/recording/recording.h"

enum { AUI_IMPORT_ROWS = 8 };

typedef struct {
  char *name;    /* in the file; "" without a header */
  char *meaning; /* "joint 2: position [rad]"; NULL: not used, if has_meanings */
} AuiImportColumn;

typedef struct {
  char *arm_text;
  AioArm *arm;             /* NULL: not read */
  AioRecording *recording; /* NULL: see problem */
  GPtrArray *runs;         /* its sweeps, of AseRun; NULL: see no_runs */
  GError *no_runs;
  GPtrArray *columns; /* of AuiImportColumn */
  bool has_meanings;  /* false: what they mean needs an arm, or a map */
  guint rows;         /* that are shown */
  guint line[AUI_IMPORT_ROWS];
  GPtrArray *cells; /* of char, rows x columns, as in the file */
  char *problem;    /* the first one, with its line; NULL: it can be used */
} AuiImport;

/* Reads what there is; never NULL.
 *   map_path  column map (docs/column-map.md); NULL: the columns are named as Armature names them
 *   arm_path  the arm that was recorded; NULL: not known yet, which is a problem */
AuiImport *aui_import_read(const char *csv_path, const char *map_path, const char *arm_path);
void aui_import_free(AuiImport *import); /* NULL allowed */

/* What is in the recording, and what becomes of it with this part of the sweeps held out, in the
 * user's language; g_free. NULL, with the error: nothing can be made of it. */
char *aui_import_summary(const AuiImport *import, double held_out, GError **error);

/* Files that belong to FILE.csv by their names: FILE.arm.json, FILE.columns.json; NULL if there is
 * none. g_free. */
char *aui_import_sibling(const char *csv_path, const char *ending);

#endif
