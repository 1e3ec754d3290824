/* SPDX-License-Identifier: MIT */
/* Inside export_c*.c only: user text and long text in C comments. */
#ifndef ARMATURE_IO_EXPORT_C_TEXT_H
#define ARMATURE_IO_EXPORT_C_TEXT_H

#include <glib.h>

/* `text` (NULL: "unknown") as it may stand in a block comment: on one line, of at most 96
 * characters, unable to end or begin a comment, without trigraphs, continued lines and characters
 * that cannot be seen. g_free it. */
char *aio_c_comment_text(const char *text);
/* The same of a sentence of this program: of at most 500. */
char *aio_c_comment_message(const char *text);

/* One or more comment lines " * text", broken at blanks, later lines indented by `indent` more. */
void aio_c_comment_line(GString *out, int indent, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* A prefix for C names made of an arm's name: "puma_560". g_free it. */
char *aio_c_prefix_from(const char *name);

#endif
