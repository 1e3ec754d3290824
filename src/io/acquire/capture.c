/* SPDX-License-Identifier: MIT */
/* The writer: records are collected and written whole, each with its CRC, so that a file that ends
 * anywhere ends after a record. The first error is kept and told again instead of a second attempt:
 * behind a hole no byte could be believed. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

#include "io/acquire/capture_internal.h"
#include "io/base/said.h"
#include "wire/crc32.h"

enum { FLUSH_BYTES = 65536 };

const guint8 AIO_CAPTURE_MAGIC[8] = {0x89, 'A', 'C', 'P', '\r', '\n', 0x1A, '\n'};

struct AioCapture {
  char *path;
  int fd;
  GByteArray *waiting;
  gint64 due_ns; /* when the oldest of the waiting must be written */
  guint8 header[AIO_CAPTURE_HEADER];
  bool has_records;
  char *driver; /* NULL: native */
  int errnum;   /* of the first failure, 0: none */
};

/* ---- bytes ---- */

static void append_u32(GByteArray *bytes, guint32 value) {
  const guint32 little = GUINT32_TO_LE(value);
  g_byte_array_append(bytes, (const guint8 *)&little, sizeof little);
}

static void append_i64(GByteArray *bytes, gint64 value) {
  const gint64 little = GINT64_TO_LE(value);
  g_byte_array_append(bytes, (const guint8 *)&little, sizeof little);
}

static void append_crc(GByteArray *bytes, gsize from) {
  append_u32(bytes, wire_crc32(0, bytes->data + from, bytes->len - from));
}

static void append_header(GByteArray *bytes) {
  g_byte_array_append(bytes, AIO_CAPTURE_MAGIC, sizeof AIO_CAPTURE_MAGIC);
  append_u32(bytes, AIO_CAPTURE_NATIVE);
  append_i64(bytes, g_get_real_time());
  append_i64(bytes, g_get_monotonic_time() * 1000);
  append_crc(bytes, 0);
}

static void append_record(GByteArray *bytes, AioCaptureDirection direction, gint64 t_ns,
                          const guint8 *piece, gsize n) {
  const gsize from = bytes->len;
  append_u32(bytes, (guint32)n);
  append_u32(bytes, (guint32)direction);
  append_i64(bytes, t_ns);
  g_byte_array_append(bytes, piece, (guint)n);
  append_crc(bytes, from);
}

/* ---- file ---- */

static void flush(AioCapture *capture) {
  gsize done = 0;
  while (!capture->errnum && done < capture->waiting->len) {
    const gssize n =
        write(capture->fd, capture->waiting->data + done, capture->waiting->len - done);
    if (n > 0)
      done += (gsize)n;
    else if (n < 0 && errno != EINTR)
      capture->errnum = errno;
  }
  g_byte_array_set_size(capture->waiting, 0);
  capture->due_ns = G_MAXINT64;
}

static bool report(const AioCapture *capture, GError **error) {
  if (capture->errnum)
    aio_error_set_said(error, AIO_ERROR_IO,
                       N_("%s: %s; what was captured before is good, nothing more is captured"),
                       aio_said_plain(capture->path), g_strerror(capture->errnum));
  return capture->errnum == 0;
}

AioCapture *aio_capture_new(const char *path, GError **error) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    aio_error_set_said(error, errno == EEXIST ? AIO_ERROR_EXISTS : AIO_ERROR_IO, "%s: %s%s",
                       aio_said_plain(path), g_strerror(errno),
                       errno == EEXIST ? aio_said_word(N_("; choose another name")) : "");
    return NULL;
  }
  AioCapture *capture = g_new0(AioCapture, 1);
  *capture = (AioCapture){
      .path = g_strdup(path), .fd = fd, .waiting = g_byte_array_sized_new(2 * FLUSH_BYTES)};
  append_header(capture->waiting);
  memcpy(capture->header, capture->waiting->data, sizeof capture->header);
  flush(capture);
  if (report(capture, error))
    return capture;
  aio_capture_free(capture, NULL);
  return NULL;
}

bool aio_capture_write(AioCapture *capture, AioCaptureDirection direction, gint64 t_ns,
                       const guint8 *bytes, gsize n, GError **error) {
  if (capture->errnum)
    return report(capture, error);
  while (n > 0) {
    const gsize piece = MIN(n, (gsize)AIO_CAPTURE_PIECE);
    capture->has_records = true;
    append_record(capture->waiting, direction, t_ns, bytes, piece);
    bytes += piece;
    n -= piece;
  }
  capture->due_ns = MIN(capture->due_ns, t_ns + AIO_CAPTURE_DELAY_NS);
  if (capture->waiting->len >= FLUSH_BYTES)
    flush(capture);
  else
    aio_capture_tick(capture, t_ns);
  return report(capture, error);
}

/* The header is of version 1 until then: a capture that never hears of a driver is a native one. */
static void raise_version(AioCapture *capture) {
  GByteArray *header = g_byte_array_new();
  g_byte_array_append(header, capture->header, 8);
  append_u32(header, AIO_CAPTURE_VERSION);
  g_byte_array_append(header, capture->header + 12, 16);
  append_crc(header, 0);
  if (pwrite(capture->fd, header->data, header->len, 0) != (gssize)header->len)
    capture->errnum = errno ? errno : EIO;
  g_byte_array_unref(header);
}

bool aio_capture_connect(AioCapture *capture, gint64 t_ns, const char *driver,
                         const AioDriverContext *context, GError **error) {
  const bool is_native = strcmp(driver, AIO_CAPTURE_NATIVE_DRIVER) == 0;
  if (capture->has_records && g_strcmp0(capture->driver, is_native ? NULL : driver) != 0) {
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       N_("%s: what was captured is of the driver \"%s\", what comes now of "
                          "\"%s\": nothing more is "
                          "captured"),
                       aio_said_plain(capture->path),
                       capture->driver ? capture->driver : AIO_CAPTURE_NATIVE_DRIVER, driver);
    return false;
  }
  if (is_native)
    return report(capture, error);
  if (!capture->driver)
    raise_version(capture);
  g_free(capture->driver);
  capture->driver = g_strdup(driver);
  char *text = aio_driver_context_format(context, driver);
  const bool is_written = aio_capture_write(capture, AIO_CAPTURE_CONNECTED, t_ns,
                                            (const guint8 *)text, strlen(text), error);
  g_free(text);
  flush(capture); /* a version without its driver is of no use */
  return is_written && report(capture, error);
}

gint64 aio_capture_tick(AioCapture *capture, gint64 now_ns) {
  if (now_ns >= capture->due_ns)
    flush(capture);
  return capture->due_ns;
}

bool aio_capture_free(AioCapture *capture, GError **error) {
  if (!capture)
    return true;
  flush(capture);
  if (close(capture->fd) != 0 && !capture->errnum)
    capture->errnum = errno;
  const bool is_whole = report(capture, error);
  g_byte_array_unref(capture->waiting);
  g_free(capture->driver);
  g_free(capture->path);
  g_free(capture);
  return is_whole;
}
