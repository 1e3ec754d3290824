/* SPDX-License-Identifier: MIT */
/* Two passes: the first finds lines and names columns, the second reads only the columns that
 * somebody asked for, so that text in others does no harm, and tells a broken cell by line and
 * column. The table is not copied. */
#include "io/csv/csv.h"

#include <math.h>
#include <string.h>

#include "io/csv/csv_internal.h"
#include "io/csv/csv_number.h"
#include "io/csv/csv_sniff.h"

typedef struct {
  const char *begin, *end; /* without blanks around, with quotes */
} Cell;

const AioCsvFormat AIO_CSV_PLAIN = {true, ',', '.', 0, false};
const AioCsvFormat AIO_CSV_MOTION = {true, ',', '.', 0, true};

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Takes the cell that begins at `at`; returns where the next one begins, NULL after the last. */
static const char *take_cell(const char *at, const char *end, char delimiter, Cell *cell) {
  while (at < end && *at != delimiter && is_blank(*at))
    at++;
  while (delimiter == ' ' && at < end && is_blank(*at))
    at++;
  const char *stop = at;
  if (stop < end && *stop == '"') {
    for (stop++; stop < end && *stop != '"'; stop++)
      ;
  }
  while (stop < end && *stop != delimiter && !(delimiter == ' ' && is_blank(*stop)))
    stop++;
  *cell = (Cell){at, stop};
  while (cell->end > at && cell->end[-1] != delimiter && is_blank(cell->end[-1]))
    cell->end--;
  if (delimiter == ' ') {
    while (stop < end && is_blank(*stop))
      stop++;
    return stop < end ? stop : NULL;
  }
  return stop < end ? stop + 1 : NULL;
}

static gsize count_cells(const char *begin, const char *end, char delimiter) {
  gsize count = 0;
  Cell cell;
  for (const char *at = begin; at; count++)
    at = take_cell(at, end, delimiter, &cell);
  return count;
}

static guint column_at(const char *line, const char *at) {
  guint column = 1;
  for (const char *c = line; c < at; c++)
    column += ((guchar)*c & 0xc0) != 0x80;
  return column;
}

/* Text of a cell for a message: short, printable, in quotes. */
static char *show_cell(Cell cell) {
  if (cell.end == cell.begin)
    return g_strdup("an empty cell");
  const gsize length = (gsize)(cell.end - cell.begin);
  char *text = g_strndup(cell.begin, MIN(length, 40));
  char *valid = g_utf8_make_valid(text, -1);
  for (char *c = valid; *c; c++) {
    if (g_ascii_iscntrl(*c))
      *c = '?';
  }
  char *shown = g_strdup_printf("\"%s%s\"", valid, length > 40 ? "..." : "");
  g_free(text);
  g_free(valid);
  return shown;
}

static const char *line_end(const char *begin, const char *limit) {
  const char *end = memchr(begin, '\n', (gsize)(limit - begin));
  if (!end)
    end = limit;
  return end > begin && end[-1] == '\r' ? end - 1 : end;
}

static void row_span(const AioCsv *csv, gsize row, const char **begin, const char **end) {
  *begin = csv->bytes + csv->starts[row];
  *end = csv->bytes + csv->starts[row + 1] - 1;
  if (*end > *begin && (*end)[-1] == '\r')
    --*end;
}

/* Fills starts and rows from the bytes [first, length), in which the table's rows lie. */
static bool index_rows(AioCsv *csv, gsize first, gsize length, GError **error) {
  gsize lines = 1;
  for (const char *at = csv->bytes + first;
       (at = memchr(at, '\n', (gsize)(csv->bytes + length - at))); at++)
    lines++;
  csv->starts = g_try_new(gsize, lines + 1);
  if (!csv->starts) {
    aio_error_set_at(error, AIO_ERROR_MEMORY, csv->name, 0, 0, NULL, NULL, "too many rows");
    return false;
  }
  gsize row = 0;
  csv->starts[row++] = first;
  for (const char *at = csv->bytes + first;
       (at = memchr(at, '\n', (gsize)(csv->bytes + length - at))); at++)
    csv->starts[row++] = (gsize)(at - csv->bytes) + 1;
  csv->starts[row] = length + 1;
  csv->rows = lines;
  return true;
}

static bool is_number(Cell cell, char decimal) {
  double value;
  return aio_number_parse(cell.begin, (gsize)(cell.end - cell.begin), decimal, &value) ==
         AIO_NUMBER_OK;
}

static char *cell_name(Cell cell) {
  const bool is_quoted = cell.end - cell.begin >= 2 && *cell.begin == '"' && cell.end[-1] == '"';
  char *raw = is_quoted ? g_strndup(cell.begin + 1, (gsize)(cell.end - cell.begin) - 2)
                        : g_strndup(cell.begin, (gsize)(cell.end - cell.begin));
  char *name = g_utf8_make_valid(raw, -1);
  g_free(raw);
  return name;
}

static bool name_columns(AioCsv *csv, const char *begin, const char *end, GError **error) {
  bool are_numbers = csv->format.has_header;
  csv->names = g_new0(char *, csv->columns + 1);
  const char *at = begin;
  for (gsize k = 0; k < csv->columns; k++) {
    Cell cell;
    at = take_cell(at, end, csv->format.delimiter, &cell);
    csv->names[k] = csv->format.has_header ? cell_name(cell) : g_strdup("");
    are_numbers = are_numbers && is_number(cell, csv->format.decimal);
  }
  if (!are_numbers)
    return true;
  char *found = g_strconcat("numbers",
                            aio_csv_map_advice(csv, ": a table without header needs a column map "
                                                    "that says \"has_header\": false"),
                            NULL);
  aio_error_set_at(error, AIO_ERROR_SYNTAX, csv->name, aio_csv_header_line(csv), 1, NULL,
                   "a header line that names the columns", found);
  g_free(found);
  return false;
}

bool aio_csv_read_first_line(AioCsv *csv, const char *begin, const char *limit, GError **error) {
  const char *end = line_end(begin, limit);
  const guint line = (guint)csv->format.skip_lines + 1;
  if (memchr(begin, '\r', (gsize)(end - begin))) {
    aio_error_set_at(error, AIO_ERROR_SYNTAX, csv->name, line, 0, NULL, "lines that end in LF",
                     "carriage returns between them: save the file with LF or CRLF");
    return false;
  }
  const char *other = aio_csv_sniff_separator(begin, (gsize)(end - begin), csv->format.delimiter);
  if (other) {
    char *expected = g_strdup_printf("\"%c\" between the cells", csv->format.delimiter);
    const char *map = "set \"delimiter\" (and \"decimal\") in a column map, or ";
    char *found = g_strdup_printf("%s: %ssave the file with commas and points", other,
                                  aio_csv_map_advice(csv, map));
    aio_error_set_at(error, AIO_ERROR_SYNTAX, csv->name, line, 1, NULL, expected, found);
    g_free(expected);
    g_free(found);
    return false;
  }
  csv->columns = count_cells(begin, end, csv->format.delimiter);
  if (csv->columns > AIO_CSV_MAX_COLUMNS || end - begin > AIO_CSV_MAX_LINE) {
    aio_error_set_at(error, AIO_ERROR_TOO_LARGE, csv->name, line, 0, NULL,
                     "at most 4096 columns and 1 MiB in a line", "more");
    return false;
  }
  return name_columns(csv, begin, end, error);
}

bool aio_csv_fail_skipped(const AioCsv *csv, GError **error) {
  aio_error_set_at(error, AIO_ERROR_SYNTAX, csv->name, 0, 0, NULL, NULL,
                   "the file has no line beyond the skipped ones");
  return false;
}

static bool skip_lines(const AioCsv *csv, gsize length, gsize *at, GError **error) {
  for (gsize k = 0; k < csv->format.skip_lines; k++) {
    const char *end = memchr(csv->bytes + *at, '\n', length - *at);
    if (!end)
      return aio_csv_fail_skipped(csv, error);
    *at = (gsize)(end - csv->bytes) + 1;
  }
  return true;
}

bool aio_csv_fail_no_rows(const AioCsv *csv, GError **error) {
  aio_error_set_at(error, AIO_ERROR_SYNTAX, csv->name, aio_csv_header_line(csv) + 1, 0, NULL,
                   "rows of numbers", "nothing behind the header");
  return false;
}

static bool open_table(AioCsv *csv, gsize length, GError **error) {
  while (length > 0 && g_ascii_isspace(csv->bytes[length - 1]) && csv->bytes[length - 1] != '\t')
    length--;
  gsize at = 0;
  if (!skip_lines(csv, length, &at, error))
    return false;
  csv->header = csv->bytes + at;
  csv->has_last = true;
  if (!aio_csv_read_first_line(csv, csv->bytes + at, csv->bytes + length, error))
    return false;
  if (csv->format.has_header) {
    const char *end = memchr(csv->bytes + at, '\n', length - at);
    if (!end)
      return aio_csv_fail_no_rows(csv, error);
    at = (gsize)(end - csv->bytes) + 1;
  }
  return index_rows(csv, at, length, error);
}

AioCsv *aio_csv_new(const char *name, const char *bytes, gsize length, const AioCsvFormat *format,
                    GError **error) {
  if (length > AIO_CSV_MAX_BYTES) {
    aio_error_set_at(error, AIO_ERROR_TOO_LARGE, name, 0, 0, NULL, "at most 1 GiB", "more");
    return NULL;
  }
  if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
    bytes += 3;
    length -= 3;
  }
  if (!aio_csv_sniff(name, bytes, length, !format->has_no_map, error))
    return NULL;
  AioCsv *csv = g_new0(AioCsv, 1);
  csv->name = g_strdup(name);
  csv->bytes = bytes;
  csv->format = *format;
  if (!open_table(csv, length, error)) {
    aio_csv_free(csv);
    return NULL;
  }
  return csv;
}

void aio_csv_free(AioCsv *csv) {
  if (!csv)
    return;
  g_free(csv->name);
  g_free(csv->starts);
  g_strfreev(csv->names);
  aio_csv_file_free(csv->file);
  g_free(csv);
}

const char *aio_csv_name(const AioCsv *csv) {
  return csv->name;
}
gsize aio_csv_rows(const AioCsv *csv) {
  return csv->rows;
}
gsize aio_csv_columns(const AioCsv *csv) {
  return csv->columns;
}
const char *aio_csv_column_name(const AioCsv *csv, gsize column) {
  return csv->names[column];
}

char *aio_csv_column_label(const AioCsv *csv, gsize column) {
  if (*csv->names[column])
    return g_strdup(csv->names[column]);
  return g_strdup_printf("column %" G_GSIZE_FORMAT, column + 1);
}

const char *aio_csv_map_advice(const AioCsv *csv, const char *advice) {
  return csv->format.has_no_map ? "" : advice;
}

guint aio_csv_row_line(const AioCsv *csv, gsize row) {
  return (guint)(csv->format.skip_lines + (csv->format.has_header ? 1 : 0) + csv->before + row + 1);
}

guint aio_csv_header_line(const AioCsv *csv) {
  return csv->format.has_header ? (guint)csv->format.skip_lines + 1 : 0;
}

guint aio_csv_header_column(const AioCsv *csv, gsize column) {
  if (!csv->format.has_header)
    return 0;
  const char *begin = csv->header;
  const char *end = begin + strcspn(begin, "\r\n");
  const char *at = begin;
  Cell cell = {begin, begin};
  for (gsize k = 0; at && k <= column; k++)
    at = take_cell(at, end, csv->format.delimiter, &cell);
  return column_at(begin, cell.begin);
}

static bool fail_cell(const AioCsv *csv, gsize row, gsize column, Cell cell, AioNumberStatus status,
                      GError **error) {
  const char *begin, *end;
  row_span(csv, row, &begin, &end);
  char *label = aio_csv_column_label(csv, column);
  char *found = show_cell(cell);
  if (!csv->format.has_header && csv->before + row == 0) {
    char *hint = g_strconcat(found, " (does the first line name the columns?)", NULL);
    g_free(found);
    found = hint;
  }
  aio_error_set_at(
      error, AIO_ERROR_SYNTAX, csv->name, aio_csv_row_line(csv, row), column_at(begin, cell.begin),
      label, status == AIO_NUMBER_TOO_LARGE ? "a number a double can hold" : "a number", found);
  g_free(label);
  g_free(found);
  return false;
}

static bool fail_count(const AioCsv *csv, gsize row, gsize found, GError **error) {
  const char *begin, *end;
  row_span(csv, row, &begin, &end);
  const char *why = "";
  if (begin == end)
    why = " (an empty line)";
  else if (csv->has_last && row + 1 == csv->rows && found < csv->columns)
    why = " (was the file cut off while being written?)";
  else if (csv->format.delimiter == ',' && found > csv->columns && found <= 2 * csv->columns)
    why = " (are there decimal commas? numbers need a point)";
  char *expected = g_strdup_printf("%" G_GSIZE_FORMAT " cells as in the first line", csv->columns);
  char *shown = g_strdup_printf("%" G_GSIZE_FORMAT "%s", begin == end ? 0 : found, why);
  aio_error_set_at(error, AIO_ERROR_SYNTAX, csv->name, aio_csv_row_line(csv, row), 0, NULL,
                   expected, shown);
  g_free(expected);
  g_free(shown);
  return false;
}

/* Reads one row; slot[column] is where its value goes, -1 = not wanted. */
static bool read_row(const AioCsv *csv, gsize row, const gssize *slot, double *const *values,
                     GError **error) {
  const char *at, *end;
  row_span(csv, row, &at, &end);
  const char *const begin = at;
  const char delimiter = csv->format.delimiter;
  if (end - begin > AIO_CSV_MAX_LINE) {
    aio_error_set_at(error, AIO_ERROR_TOO_LARGE, csv->name, aio_csv_row_line(csv, row), 0, NULL,
                     "at most 1 MiB in a line", "more");
    return false;
  }
  if (begin == end)
    return fail_count(csv, row, 0, error);
  gsize column = 0;
  for (; at && column < csv->columns; column++) {
    Cell cell;
    at = take_cell(at, end, delimiter, &cell);
    if (slot[column] < 0)
      continue;
    double value = NAN;
    if (cell.end > cell.begin) {
      const AioNumberStatus status =
          aio_number_parse(cell.begin, (gsize)(cell.end - cell.begin), csv->format.decimal, &value);
      if (status != AIO_NUMBER_OK && count_cells(begin, end, delimiter) != csv->columns)
        return fail_count(csv, row, count_cells(begin, end, delimiter), error);
      if (status != AIO_NUMBER_OK)
        return fail_cell(csv, row, column, cell, status, error);
    }
    values[slot[column]][row] = value;
  }
  if (at || column != csv->columns)
    return fail_count(csv, row, count_cells(begin, end, delimiter), error);
  return true;
}

bool aio_csv_read(const AioCsv *csv, gsize n, const gsize *columns, double *const *values,
                  GError **error) {
  gssize *slot = g_new(gssize, csv->columns);
  for (gsize k = 0; k < csv->columns; k++)
    slot[k] = -1;
  for (gsize k = 0; k < n; k++)
    slot[columns[k]] = (gssize)k;
  bool is_read = true;
  for (gsize row = 0; is_read && row < csv->rows; row++)
    is_read = read_row(csv, row, slot, values, error);
  g_free(slot);
  return is_read;
}

void aio_csv_copy_row(const AioCsv *csv, gsize row, const bool *keep, GString *out) {
  const char *at, *end;
  const gsize begin = out->len;
  row_span(csv, row, &at, &end);
  g_string_set_size(out, begin + (gsize)(end - at) + csv->columns);
  char *to = out->str + begin;
  bool is_first = true;
  for (gsize column = 0; at && column < csv->columns; column++) {
    Cell cell;
    at = take_cell(at, end, csv->format.delimiter, &cell);
    if (!keep[column])
      continue;
    if (!is_first)
      *to++ = csv->format.delimiter;
    memcpy(to, cell.begin, (gsize)(cell.end - cell.begin));
    to += cell.end - cell.begin;
    is_first = false;
  }
  g_string_truncate(out, (gsize)(to - out->str));
}
