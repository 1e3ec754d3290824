/* SPDX-License-Identifier: MIT */
/* Text for people: aligned tables, wrapped sentences, numbers rounded to their error bars.
 * Characters beyond ASCII only when the locale is UTF-8; columns count characters.
 */
#ifndef ARMATURE_CLI_TEXT_H
#define ARMATURE_CLI_TEXT_H

#include <glib.h>
#include <stdbool.h>

#include "core/params/set.h"

enum { CLI_WIDTH = 96 };

/* The first string where the locale is UTF-8, else the second. */
const char *cli_utf8(const char *utf8, const char *ascii);

/* `text` in lines of at most `width` columns, each beginning with `indent` blanks, except the
 * first, which continues at column `at`; line ends in the text stay. No final line end. g_free. */
char *cli_wrap(const char *text, int at, int indent, int width);

/* Prints cli_wrap(text) and a line end to stdout; takes ownership. */
void cli_print_wrapped(char *text);

/* Everything printed for people goes through aio_text_visible: what cli_print_wrapped and tables
 * print by itself, so does what cli_write sends to stdout. */

/* A name as a table shows it: sanitised and cut to 48 characters. g_free it. */
char *cli_name(const char *name);
/* The same of the last part of a path. */
char *cli_base_name(const char *path);

/* A value and its sd, both rounded so that the sd keeps two digits. g_free both.
 *   sd  NAN or 0: the value has 6 digits, *sd_text is "" resp. "0" */
void cli_format_estimate(double value, double sd, char **value_text, char **sd_text);

/* A unit as people read it: squares raised, "" for 1. g_free it. */
char *cli_unit_text(const char *unit);

/* "2, 3": the joints of a list, from 1; NULL when there are none. g_free it. */
char *cli_list_joints(const bool *is_listed, size_t n);

/* %.Ng, "-" for NAN, "inf" for infinite. g_free it. */
char *cli_format_number(double number, int digits);

/* A text as a word of a command for the shell, quoted where it must be; what a message would write
 * out (io/base/safe_text.h) is written out so that the shell reads it. g_free it. */
char *cli_shell_word(const char *text);
/* A text as JSON, NULL as null. g_free it. */
char *cli_json_string(const char *text);

/* ---- tables: columns align over the whole table, lines in between do not ---- */

typedef struct CliTable CliTable;

/* One letter per column: l or r. */
CliTable *cli_table_new(const char *alignment);
/* Appends a cell to the current row; rows end by themselves. Takes ownership of `text`. */
void cli_table_take(CliTable *table, char *text);
void cli_table_cell(CliTable *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Two cells: value, +- sd; in brackets what a prediction uses where nothing is known. */
void cli_table_take_estimate(CliTable *table, const ArmEstimate *estimate);
/* A free line between rows (may hold line ends). Takes ownership. */
void cli_table_take_line(CliTable *table, char *text);
void cli_table_line(CliTable *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Prints to stdout and frees. */
void cli_table_finish(CliTable *table);

#endif
