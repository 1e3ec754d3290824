/* SPDX-License-Identifier: MIT */
/* A table that is never in the memory as a whole: the file is looked through once for NUL bytes and
 * for where the table ends, then read in blocks that are cut behind a line. */
#include <string.h>
#include <unistd.h>

#include "io/base/file.h"
#include "io/csv/csv_internal.h"
#include "io/csv/csv_sniff.h"

enum { BLOCK = 1 << 18 };

struct AioCsvFile {
  int fd;
  goffset rows;      /* where they begin */
  goffset at, end;   /* read so far; where the table ends, without blanks behind it */
  char *buffer;      /* the bytes before `at` */
  gsize room, used;  /* grows for a line that is longer */
  gsize taken;       /* of them in windows already */
  char *header_line; /* owned */
};

void aio_csv_file_free(AioCsvFile *file) {
  if (!file)
    return;
  close(file->fd);
  g_free(file->buffer);
  g_free(file->header_line);
  g_free(file);
}

/* ---- looking through ---- */

static bool is_seekable(AioCsvFile *file, const char *name, goffset at, GError **error) {
  if (lseek(file->fd, at, SEEK_SET) == at)
    return true;
  aio_error_set_file(error, AIO_ERROR_IO, name, "a file that can be read twice",
                     "one that cannot be");
  return false;
}

static gsize count_lines(const char *begin, const char *end) {
  gsize lines = 0;
  for (; (begin = memchr(begin, '\n', (gsize)(end - begin))); begin++)
    lines++;
  return lines;
}

/* The line of the first NUL, which is at `nul`. */
static bool fail_nul(AioCsvFile *file, const char *name, goffset nul, GError **error) {
  gsize line = 1;
  goffset at = 0;
  if (!is_seekable(file, name, 0, error))
    return false;
  while (at < nul) {
    const gsize size = (gsize)MIN((goffset)file->room, nul - at);
    const gssize got = aio_file_read(file->fd, name, file->buffer, size, error);
    if (got < 0)
      return false;
    if (got == 0)
      break;
    line += count_lines(file->buffer, file->buffer + got);
    at += got;
  }
  return aio_csv_sniff_fail_nul(name, (guint)line, error);
}

/* Bytes of a byte-order mark. */
static gsize mark_of(const char *bytes, gsize n) {
  return n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool is_blank(const char *bytes, gsize n) {
  gsize k = 0;
  while (k < n && g_ascii_isspace(bytes[k]))
    k++;
  return k == n;
}

/* What a block says of where the table ends: behind the last that is no blank but a tab. */
static void find_end(AioCsvFile *file, gsize n, goffset at) {
  gsize length = n;
  while (length > 0 && g_ascii_isspace(file->buffer[length - 1]) &&
         file->buffer[length - 1] != '\t')
    length--;
  if (length > 0)
    file->end = at + (goffset)length;
}

/* A first block of blanks alone says nothing, unless it is all there is. */
static bool sniff(const AioCsv *csv, gsize n, GError **error) {
  AioCsvFile *file = csv->file;
  const gsize mark = mark_of(file->buffer, n);
  file->rows = (goffset)mark;
  return (n == file->room && is_blank(file->buffer + mark, n - mark)) ||
         aio_csv_sniff(csv->name, file->buffer + mark, n - mark, !csv->format.has_no_map, error);
}

static bool look_through(const AioCsv *csv, GChecksum *sum, GError **error) {
  AioCsvFile *file = csv->file;
  const char *name = csv->name;
  goffset at = 0;
  bool is_all_blank = true;
  for (;;) {
    const gssize got = aio_file_read(file->fd, name, file->buffer, file->room, error);
    if (got < 0 || (at == 0 && !sniff(csv, (gsize)got, error)))
      return false;
    if (sum)
      g_checksum_update(sum, (const guchar *)file->buffer, got);
    const char *nul = memchr(file->buffer, '\0', (gsize)got);
    if (nul)
      return fail_nul(file, name, at + (nul - file->buffer), error);
    is_all_blank = is_all_blank && is_blank(file->buffer, (gsize)got);
    find_end(file, (gsize)got, at);
    at += got;
    if ((gsize)got < file->room)
      break;
  }
  return !is_all_blank || aio_csv_sniff(name, "", 0, false, error);
}

/* ---- blocks ---- */

/* Makes room behind what is not in a window yet, and reads on. */
static bool read_block(AioCsvFile *file, const char *name, GError **error) {
  file->used -= file->taken;
  memmove(file->buffer, file->buffer + file->taken, file->used);
  file->taken = 0;
  if (file->used == file->room) {
    file->room *= 2;
    file->buffer = g_realloc(file->buffer, file->room);
  }
  const gsize size = (gsize)MIN((goffset)(file->room - file->used), file->end - file->at);
  const gssize got = aio_file_read(file->fd, name, file->buffer + file->used, size, error);
  if (got < 0)
    return false;
  file->used += (gsize)got;
  file->at += got;
  if ((gsize)got == size)
    return true;
  aio_error_set_file(error, AIO_ERROR_REFUSED, name, "a file that does not change while it is read",
                     "that it has become shorter");
  return false;
}

/* Until a whole line is there, or more than a line may have, or the table ends. */
static bool need_line(AioCsvFile *file, const char *name, GError **error) {
  while (file->at < file->end && file->used - file->taken <= AIO_CSV_MAX_LINE + 2 &&
         !memchr(file->buffer + file->taken, '\n', file->used - file->taken))
    if (!read_block(file, name, error))
      return false;
  return true;
}

/* Lines that are no part of the table, of any length. */
static bool skip_lines(AioCsv *csv, GError **error) {
  AioCsvFile *file = csv->file;
  for (gsize k = 0; k < csv->format.skip_lines; k++) {
    const char *end;
    while (!(end = memchr(file->buffer + file->taken, '\n', file->used - file->taken)) &&
           file->at < file->end) {
      file->taken = file->used;
      if (!read_block(file, csv->name, error))
        return false;
    }
    if (!end)
      return aio_csv_fail_skipped(csv, error);
    file->taken = (gsize)(end - file->buffer) + 1;
  }
  return true;
}

static bool read_header(AioCsv *csv, GError **error) {
  AioCsvFile *file = csv->file;
  if (!is_seekable(file, csv->name, file->rows, error))
    return false;
  file->at = file->rows;
  file->end = MAX(file->end, file->rows);
  if (!skip_lines(csv, error) || !need_line(file, csv->name, error))
    return false;
  const char *begin = file->buffer + file->taken;
  const gsize left = file->used - file->taken;
  const char *end = memchr(begin, '\n', left);
  const gsize length = end ? (gsize)(end - begin) : left;
  file->rows = file->at - (goffset)left;
  file->header_line = g_strndup(begin, length);
  csv->header = file->header_line;
  if (!aio_csv_read_first_line(csv, csv->header, csv->header + length, error))
    return false;
  if (csv->format.has_header && !end)
    return aio_csv_fail_no_rows(csv, error);
  if (csv->format.has_header)
    file->rows += (goffset)length + 1;
  return is_seekable(file, csv->name, file->rows, error);
}

AioCsv *aio_csv_open(const char *path, GError **error) {
  return aio_csv_open_as(path, &AIO_CSV_PLAIN, NULL, error);
}

AioCsv *aio_csv_open_as(const char *path, const AioCsvFormat *format, GChecksum *sum,
                        GError **error) {
  const int fd = aio_file_open(path, error);
  if (fd < 0)
    return NULL;
  AioCsv *csv = g_new0(AioCsv, 1);
  csv->name = g_strdup(path);
  csv->format = *format;
  csv->starts = g_new(gsize, AIO_CSV_WINDOW_ROWS + 1);
  csv->file = g_new0(AioCsvFile, 1);
  csv->file->fd = fd;
  csv->file->room = BLOCK;
  csv->file->buffer = g_malloc(BLOCK);
  if (look_through(csv, sum, error) && read_header(csv, error)) {
    aio_csv_rewind(csv);
    return csv;
  }
  aio_csv_free(csv);
  return NULL;
}

void aio_csv_rewind(AioCsv *csv) {
  AioCsvFile *file = csv->file;
  file->at = file->rows;
  file->used = file->taken = 0;
  csv->rows = csv->before = 0;
  csv->has_last = false;
}

/* ---- windows ---- */

/* Lines that are whole, and at the table's end, or where a line is too long, what is left. */
static void take_lines(AioCsv *csv) {
  AioCsvFile *file = csv->file;
  const char *const end = file->buffer + file->used;
  const char *at = file->buffer + file->taken;
  csv->bytes = file->buffer;
  while (csv->rows < AIO_CSV_WINDOW_ROWS && at < end) {
    const char *stop = memchr(at, '\n', (gsize)(end - at));
    if (!stop && csv->rows > 0 && file->at < file->end)
      break;
    csv->starts[csv->rows++] = (gsize)(at - file->buffer);
    at = stop ? stop + 1 : end + 1;
  }
  csv->starts[csv->rows] = (gsize)(at - file->buffer);
  file->taken = MIN((gsize)(at - file->buffer), file->used);
  csv->has_last = file->taken == file->used && file->at == file->end;
}

bool aio_csv_next(AioCsv *csv, GError **error) {
  AioCsvFile *file = csv->file;
  csv->before += csv->rows;
  csv->rows = 0;
  if (csv->before == 0 && !is_seekable(file, csv->name, file->at, error))
    return false;
  if (!need_line(file, csv->name, error))
    return false;
  take_lines(csv);
  return true;
}
