/* SPDX-License-Identifier: MIT */
/* Files that people give instead of a table: a table of beginnings and what to do about each. A
 * guess is only made on bytes that no table of numbers has. */
#include "io/csv/csv_sniff.h"

#include <string.h>

typedef struct {
  const char *magic;
  gsize length;
  const char *what; /* statement and remedy */
} Signature;

#define MAGIC(text) text, sizeof(text) - 1

static const char json[] =
    "JSON, not CSV: import it with a column map that says \"input\": \"json\"";

static const Signature signatures[] = {
    {MAGIC("version https://git-lfs.github.com/spec"),
     "a Git LFS pointer stands in place of the recording: run `git lfs pull` and try again"},
    {MAGIC("/annex/objects/"),
     "a git-annex pointer stands in place of the recording: run `git annex get` on it"},
    {MAGIC("../.git/annex/objects/"),
     "a git-annex pointer stands in place of the recording: run `git annex get` on it"},
    {MAGIC(".git/annex/objects/"),
     "a git-annex pointer stands in place of the recording: run `git annex get` on it"},
    {MAGIC("\x1f\x8b"), "a gzip file: unpack it with `gunzip` first"},
    {MAGIC("BZh"), "a bzip2 file: unpack it with `bunzip2` first"},
    {MAGIC("\xfd"
           "7zXZ"),
     "an xz file: unpack it with `unxz` first"},
    {MAGIC("\x28\xb5\x2f\xfd"), "a Zstandard file: unpack it with `unzstd` first"},
    {MAGIC("PK\x03\x04"), "a zip archive or spreadsheet (xlsx, ods): export the sheet as CSV"},
    {MAGIC("\xd0\xcf\x11\xe0"), "an old spreadsheet (xls): export the sheet as CSV"},
    {MAGIC("\x89HDF"), "an HDF5 or MATLAB file: export the table as CSV"},
    {MAGIC("MATLAB 5.0"), "a MATLAB file: export the table as CSV"},
    {MAGIC("SQLite format 3"), "an SQLite database: export the table as CSV"},
    {MAGIC("PAR1"), "a Parquet file: export the table as CSV"},
    {MAGIC("\xff\xfe"), "a UTF-16 text: save it as UTF-8"},
    {MAGIC("\xfe\xff"), "a UTF-16 text: save it as UTF-8"},
    {MAGIC("{"), json},
    {MAGIC("["), json},
    {MAGIC("<"), "a web page or XML, not CSV: perhaps a login page was saved in its place"},
};

bool aio_csv_sniff_fail_nul(const char *name, guint line, GError **error) {
  aio_error_set_at(error, AIO_ERROR_SYNTAX, name, line, 0, NULL, "text",
                   "a NUL byte: the file is binary or was cut off while being written");
  return false;
}

static bool refuse_nul(const char *name, const char *bytes, gsize length, GError **error) {
  const char *nul = memchr(bytes, '\0', length);
  if (!nul)
    return true;
  if (length > 3 && (bytes[1] == '\0' || bytes[0] == '\0') && (!bytes[3] || !bytes[2])) {
    aio_error_set_at(error, AIO_ERROR_REFUSED, name, 0, 0, NULL, NULL,
                     "a UTF-16 text: save it as UTF-8");
    return false;
  }
  guint line = 1;
  for (const char *at = bytes; at < nul; at++)
    line += *at == '\n';
  return aio_csv_sniff_fail_nul(name, line, error);
}

bool aio_csv_sniff(const char *name, const char *bytes, gsize length, bool advises_map,
                   GError **error) {
  gsize blank = 0;
  while (blank < length && g_ascii_isspace(bytes[blank]))
    blank++;
  if (blank == length) {
    aio_error_set_at(error, AIO_ERROR_SYNTAX, name, 0, 0, NULL, NULL, "the file is empty");
    return false;
  }
  for (gsize k = 0; k < G_N_ELEMENTS(signatures); k++) {
    const Signature *s = &signatures[k];
    if (length - blank >= s->length && memcmp(bytes + blank, s->magic, s->length) == 0) {
      aio_error_set_at(error, AIO_ERROR_REFUSED, name, 0, 0, NULL, NULL,
                       s->what == json && !advises_map ? "JSON, not CSV" : s->what);
      return false;
    }
  }
  return refuse_nul(name, bytes, length, error);
}

static gsize count_char(const char *line, gsize length, char wanted) {
  gsize count = 0;
  for (gsize k = 0; k < length; k++)
    count += line[k] == wanted;
  return count;
}

const char *aio_csv_sniff_separator(const char *line, gsize length, char delimiter) {
  const gsize semicolons = count_char(line, length, ';');
  const gsize tabs = count_char(line, length, '\t');
  const gsize commas = count_char(line, length, ',');
  const gsize mine = delimiter == ' ' ? 1 : count_char(line, length, delimiter);
  if (delimiter != ';' && semicolons > 0 && (mine == 0 || delimiter == ','))
    return mine > 0 ? "semicolons between the cells and decimal commas"
                    : "semicolons between the "
                      "cells";
  if (mine > 0)
    return NULL;
  if (delimiter != '\t' && tabs > 0)
    return "tabs between the cells";
  if (delimiter != ',' && commas > 0)
    return "commas between the cells";
  if (delimiter != ' ' && count_char(line, length, ' ') > 1)
    return "blanks between the cells";
  return NULL;
}
