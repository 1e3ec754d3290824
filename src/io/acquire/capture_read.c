/* SPDX-License-Identifier: MIT */
/* The reader distrusts every length before it makes room for it. What is damaged ends the capture
 * as if it had been cut there; how is told separately, because the records before it are good. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/acquire/capture_internal.h"
#include "io/base/file.h"
#include "wire/crc32.h"

struct AioCaptureReader {
  FILE *file;
  char *name, *damage;
  guint8 *record; /* of one record, with what is before and behind its bytes */
  gsize room;
  guint64 at, records; /* bytes and records read so far */
  gint64 utc_us, t_ns; /* one moment on two clocks */
  bool has_ended;
  guint32 version;
  AioDriverContext context; /* context.driver: who spoke */
  bool has_peeked;          /* the first record was read for it, and comes again */
  AioCaptureRecord peeked;
};

static guint32 get_u32(const guint8 *bytes) {
  guint32 little;
  memcpy(&little, bytes, sizeof little);
  return GUINT32_FROM_LE(little);
}

static gint64 get_i64(const guint8 *bytes) {
  gint64 little;
  memcpy(&little, bytes, sizeof little);
  return GINT64_FROM_LE(little);
}

static bool has_good_crc(const guint8 *bytes, gsize n) {
  return get_u32(bytes + n - AIO_CAPTURE_CRC) == wire_crc32(0, bytes, n - AIO_CAPTURE_CRC);
}

/* ---- header ---- */

static bool read_header(AioCaptureReader *reader, GError **error) {
  guint8 header[AIO_CAPTURE_HEADER];
  const gsize n = fread(header, 1, sizeof header, reader->file);
  if (n < sizeof AIO_CAPTURE_MAGIC ||
      memcmp(header, AIO_CAPTURE_MAGIC, sizeof AIO_CAPTURE_MAGIC) != 0) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_SYNTAX, "%s: not a capture of bytes", reader->name);
    return false;
  }
  if (n >= 12 && get_u32(header + 8) > AIO_CAPTURE_VERSION) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
                "%s: expected a capture of version %d, found %u; use a newer Armature",
                reader->name, AIO_CAPTURE_VERSION, get_u32(header + 8));
    return false;
  }
  if (n < sizeof header || !has_good_crc(header, sizeof header) || get_u32(header + 8) < 1) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_SYNTAX, "%s: the header of the capture is damaged",
                reader->name);
    return false;
  }
  reader->version = get_u32(header + 8);
  reader->utc_us = get_i64(header + 12);
  reader->t_ns = get_i64(header + 20);
  reader->at = sizeof header;
  return true;
}

/* Of version 2 the first record. */
static bool read_driver(AioCaptureReader *reader, GError **error) {
  g_strlcpy(reader->context.driver, AIO_CAPTURE_NATIVE_DRIVER, sizeof reader->context.driver);
  if (reader->version == AIO_CAPTURE_NATIVE)
    return true;
  reader->has_peeked = aio_capture_reader_next(reader, &reader->peeked);
  if (reader->has_peeked && reader->peeked.direction == AIO_CAPTURE_CONNECTED)
    return aio_driver_context_parse(&reader->context, reader->name,
                                    (const char *)reader->peeked.bytes, reader->peeked.n, error);
  g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
              "%s: expected the driver at the beginning of the capture, found %s", reader->name,
              reader->damage       ? "a damaged record"
              : reader->has_peeked ? "other bytes"
                                   : "its end");
  return false;
}

AioCaptureReader *aio_capture_reader_from(FILE *file, const char *name, GError **error) {
  AioCaptureReader *reader = g_new0(AioCaptureReader, 1);
  reader->file = file;
  reader->name = g_strdup(name);
  if (read_header(reader, error) && read_driver(reader, error))
    return reader;
  aio_capture_reader_free(reader);
  return NULL;
}

AioCaptureReader *aio_capture_reader_new(const char *path, GError **error) {
  const int fd = aio_file_open(path, error);
  if (fd < 0)
    return NULL;
  FILE *file = fdopen(fd, "rb");
  if (file)
    return aio_capture_reader_from(file, path, error);
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "%s: %s", path, g_strerror(errno));
  close(fd);
  return NULL;
}

/* ---- records ---- */

static bool end_damaged(AioCaptureReader *reader, const char *how) {
  reader->has_ended = true;
  reader->damage = g_strdup_printf("%s: the record at byte %" G_GUINT64_FORMAT
                                   " %s; the %" G_GUINT64_FORMAT " records before it are good",
                                   reader->name, reader->at, how, reader->records);
  return false;
}

static void make_room(AioCaptureReader *reader, gsize room) {
  if (room <= reader->room)
    return;
  reader->room = MAX(room, 2 * reader->room);
  reader->record = g_realloc(reader->record, reader->room);
}

static bool is_sane(const AioCaptureReader *reader, const guint8 *head) {
  const guint32 last =
      reader->version == AIO_CAPTURE_NATIVE ? AIO_CAPTURE_SENT : AIO_CAPTURE_CONNECTED;
  return get_u32(head) <= AIO_CAPTURE_PIECE && get_u32(head + 4) <= last && get_i64(head + 8) >= 0;
}

bool aio_capture_reader_next(AioCaptureReader *reader, AioCaptureRecord *record) {
  if (reader->has_peeked) {
    reader->has_peeked = false;
    *record = reader->peeked;
    return true;
  }
  if (reader->has_ended)
    return false;
  guint8 head[AIO_CAPTURE_RECORD];
  const gsize got = fread(head, 1, sizeof head, reader->file);
  if (ferror(reader->file))
    return end_damaged(reader, "cannot be read");
  reader->has_ended = got == 0;
  if (got == 0)
    return false;
  if (got < sizeof head)
    return end_damaged(reader, "is cut short");
  if (!is_sane(reader, head))
    return end_damaged(reader, "is damaged");
  const gsize n = get_u32(head), size = sizeof head + n + AIO_CAPTURE_CRC;
  make_room(reader, size);
  memcpy(reader->record, head, sizeof head);
  if (fread(reader->record + sizeof head, 1, size - sizeof head, reader->file) < size - sizeof head)
    return end_damaged(reader, "is cut short");
  if (!has_good_crc(reader->record, size))
    return end_damaged(reader, "is damaged");
  reader->at += size;
  reader->records++;
  *record = (AioCaptureRecord){.direction = (AioCaptureDirection)get_u32(head + 4),
                               .t_ns = get_i64(head + 8),
                               .bytes = reader->record + sizeof head,
                               .n = n};
  return true;
}

const char *aio_capture_reader_driver(const AioCaptureReader *reader) {
  return reader->context.driver;
}

const AioDriverContext *aio_capture_reader_context(const AioCaptureReader *reader) {
  return &reader->context;
}

const char *aio_capture_reader_damage(const AioCaptureReader *reader) {
  return reader->damage;
}

gint64 aio_capture_reader_utc_us(const AioCaptureReader *reader, gint64 t_ns) {
  gint64 since_us, utc_us;
  return __builtin_sub_overflow(t_ns / 1000, reader->t_ns / 1000, &since_us) ||
                 __builtin_add_overflow(reader->utc_us, since_us, &utc_us)
             ? 0
             : utc_us;
}

void aio_capture_reader_free(AioCaptureReader *reader) {
  if (!reader)
    return;
  fclose(reader->file);
  g_free(reader->record);
  g_free(reader->damage);
  g_free(reader->name);
  g_free(reader);
}
