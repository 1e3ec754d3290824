/* SPDX-License-Identifier: MIT */
/* Text for people. What comes from a file or a controller reaches the terminal through the cells
 * and lines of tables only as io/base/safe_text.h shows it; widths count characters, not bytes. */
#include "cli/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/json/json_write.h"

const char *cli_utf8(const char *utf8, const char *ascii) {
  return g_get_charset(NULL) ? utf8 : ascii;
}

static void append_words(GString *out, const char *line, int *at, int indent, int width) {
  g_auto(GStrv) words = g_strsplit(line, " ", -1);
  for (gsize k = 0; words[k]; k++) {
    int length = (int)g_utf8_strlen(words[k], -1);
    if (k > 0 && *at > indent && *at + 1 + length > width) {
      g_string_append_printf(out, "\n%*s", indent, "");
      *at = indent;
    } else if (k > 0) {
      g_string_append_c(out, ' ');
      ++*at;
    }
    g_string_append(out, words[k]);
    *at += length;
  }
}

char *cli_wrap(const char *text, int at, int indent, int width) {
  GString *out = g_string_new(NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize l = 0; lines[l]; l++) {
    if (l > 0) {
      g_string_append_printf(out, "\n%*s", lines[l][0] ? indent : 0, "");
      at = indent;
    }
    append_words(out, lines[l], &at, indent, width);
  }
  return g_string_free(out, FALSE);
}

void cli_print_wrapped(char *text) {
  g_autofree char *visible = aio_text_visible(text, true),
                  *lines = cli_wrap(visible, 0, 0, CLI_WIDTH);
  printf("%s\n", lines);
  g_free(text);
}

enum { MAX_NAME = 48 };

char *cli_name(const char *name) {
  g_autofree char *valid = aio_text_visible(name, false);
  if (g_utf8_strlen(valid, -1) <= MAX_NAME)
    return g_steal_pointer(&valid);
  g_autofree char *begin = g_utf8_substring(valid, 0, MAX_NAME - 3);
  return g_strconcat(begin, "...", NULL);
}

char *cli_base_name(const char *path) {
  g_autofree char *base = g_path_get_basename(path);
  return cli_name(base);
}

char *cli_format_number(double number, int digits) {
  if (isnan(number))
    return g_strdup("-");
  if (isinf(number))
    return g_strdup(number > 0 ? "inf" : "-inf");
  return g_strdup_printf("%.*g", digits, number);
}

void cli_format_estimate(double value, double sd, char **value_text, char **sd_text) {
  if (!(sd > 0.0) || !isfinite(sd)) {
    *value_text = cli_format_number(value, 6);
    *sd_text = isnan(sd) ? g_strdup("") : cli_format_number(sd, 2);
    return;
  }
  int decimals = 1 - (int)floor(log10(sd));
  if (decimals > 9 || fabs(value) >= 1e9 || sd >= 1e6) {
    *value_text = cli_format_number(value, 9);
    *sd_text = g_strdup_printf("%.1e", sd);
    return;
  }
  decimals = MAX(decimals, 0);
  if (fabs(value) < 0.5 * pow(10.0, -decimals))
    value = 0.0; /* no "-0.00" */
  *value_text = g_strdup_printf("%.*f", decimals, value);
  *sd_text = g_strdup_printf("%.*f", decimals, sd);
}

/* $'..' with octal digits, as bash, ksh and zsh read it. */
static char *escaped_word(const char *text) {
  GString *out = g_string_new("$'");
  for (const char *p = text; *p;) {
    const gunichar c = g_utf8_get_char_validated(p, -1);
    const bool is_shown = c < 0x110000 && !aio_text_is_order(c);
    const gsize size = is_shown ? (gsize)(g_utf8_next_char(p) - p) : 1;
    if (*p == '\'' || *p == '\\')
      g_string_append_c(out, '\\');
    if (is_shown)
      g_string_append_len(out, p, (gssize)size);
    else
      g_string_append_printf(out, "\\%03o", (guchar)*p);
    p += size;
  }
  g_string_append_c(out, '\'');
  return g_string_free(out, FALSE);
}

char *cli_shell_word(const char *text) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                              "/._-+,:=@%";
  if (*text && !text[strspn(text, plain)])
    return g_strdup(text);
  g_autofree char *visible = aio_text_visible(text, false);
  return strcmp(visible, text) == 0 ? g_shell_quote(text) : escaped_word(text);
}

char *cli_json_string(const char *text) {
  GString *json = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(json);
  aio_json_write_string(w, text);
  aio_json_writer_free(w);
  return g_string_free(json, FALSE);
}

/* ---- tables ---- */

struct CliTable {
  gsize columns;
  char *alignment;
  int *width;
  GPtrArray
      *cells;      /* char *: `columns` per row; a line is one row with its text first, rest NULL */
  GArray *is_line; /* bool per row */
};

CliTable *cli_table_new(const char *alignment) {
  CliTable *table = g_new0(CliTable, 1);
  table->columns = strlen(alignment);
  table->alignment = g_strdup(alignment);
  table->width = g_new0(int, table->columns);
  table->cells = g_ptr_array_new_with_free_func(g_free);
  table->is_line = g_array_new(FALSE, FALSE, sizeof(bool));
  return table;
}

/* Takes the text. */
static char *visible(char *text, bool keeps_lines) {
  char *shown = aio_text_visible(text, keeps_lines);
  g_free(text);
  return shown;
}

void cli_table_take(CliTable *table, char *text) {
  const bool is_line = false;
  text = visible(text, false);
  gsize column = table->cells->len % table->columns;
  if (column == 0)
    g_array_append_val(table->is_line, is_line);
  table->width[column] = MAX(table->width[column], (int)g_utf8_strlen(text, -1));
  g_ptr_array_add(table->cells, text);
}

void cli_table_cell(CliTable *table, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cli_table_take(table, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

void cli_table_take_line(CliTable *table, char *text) {
  const bool is_line = true;
  g_assert(table->cells->len % table->columns == 0);
  g_array_append_val(table->is_line, is_line);
  g_ptr_array_add(table->cells, visible(text, true));
  for (gsize k = 1; k < table->columns; k++)
    g_ptr_array_add(table->cells, NULL);
}

void cli_table_line(CliTable *table, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  cli_table_take_line(table, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

/* Columns two blanks apart, none after the last text of a row; empty columns vanish. */
static void print_row(const CliTable *table, char *const *cells) {
  int at = 0, end = 0;
  for (gsize k = 0; k < table->columns; k++) {
    if (table->width[k] == 0)
      continue;
    int length = (int)g_utf8_strlen(cells[k], -1);
    int begin = at + (table->alignment[k] == 'r' ? table->width[k] - length : 0);
    if (length > 0) {
      printf("%*s%s", begin - end, "", cells[k]);
      end = begin + length;
    }
    at += table->width[k] + 2;
  }
  putchar('\n');
}

void cli_table_finish(CliTable *table) {
  for (gsize row = 0; row < table->is_line->len; row++) {
    char **cells = (char **)table->cells->pdata + row * table->columns;
    if (g_array_index(table->is_line, bool, row))
      printf("%s\n", cells[0]);
    else
      print_row(table, cells);
  }
  g_ptr_array_free(table->cells, TRUE);
  g_array_free(table->is_line, TRUE);
  g_free(table->width);
  g_free(table->alignment);
  g_free(table);
}

char *cli_list_joints(const bool *is_listed, size_t n) {
  GString *list = g_string_new(NULL);
  for (size_t j = 0; j < n; j++)
    if (is_listed[j])
      g_string_append_printf(list, "%s%zu", list->len ? ", " : "", j + 1);
  return g_string_free(list, list->len == 0);
}

void cli_table_take_estimate(CliTable *table, const ArmEstimate *e) {
  char *value;
  g_autofree char *sd = NULL;
  if (!e->identifiable) {
    g_autofree char *used = cli_format_number(e->used, 3);
    cli_table_cell(table, "[%s]", used);
    cli_table_cell(table, "not found");
    return;
  }
  cli_format_estimate(e->value, e->sd, &value, &sd);
  cli_table_take(table, value);
  cli_table_cell(table, "%s %s", cli_utf8("\302\261", "+-"), sd);
}

char *cli_unit_text(const char *unit) {
  GString *text = g_string_new(strcmp(unit, "1") == 0 ? "" : unit);
  g_string_replace(text, "^2", cli_utf8("\302\262", "^2"), 0);
  return g_string_free(text, FALSE);
}
