/* SPDX-License-Identifier: MIT */
/* A figure as a file: what is seen, on white, with title, units and legend. */
#ifndef ARMATURE_UI_FIGURE_FILE_H
#define ARMATURE_UI_FIGURE_FILE_H

#include "ui/plot/painter.h"

typedef enum {
  AUI_FILE_SVG,
  AUI_FILE_PNG, /* at twice the size */
  AUI_FILE_PDF,
  AUI_FILE_CSV, /* all points, also those that are not seen */
  AUI_FILES
} AuiFileKind;

const char *aui_file_ending(AuiFileKind kind); /* ".svg"; static */

/* "puma-560-table-i" of "PUMA 560: Table I"; g_free. */
char *aui_file_stem(const char *title);

/* "joint-3-hold-1.svg" from the figure's title; g_free. */
char *aui_figure_file_name(const AuiFigure *figure, AuiFileKind kind);

/* Writes it whole or not at all, over an older file.
 *   view           of the picture; NULL: all of it
 *   width, height  [px, or pt of a PDF]
 * false: AIO_ERROR_IO with what cairo or the disk says; what aui_painter_new reports. */
bool aui_figure_write(const AuiFigure *figure, AuiFileKind kind, const AuiView *view,
                      const char *path, int width, int height, GError **error);

#endif
