/* SPDX-License-Identifier: MIT */
/* A capture: every byte that came from a controller and went to it, with its time, in a file that
 * io/acquire/link_replay.h plays again.
 *
 * Little-endian. 32 bytes of header:
 *   0  8   89 41 43 50 0D 0A 1A 0A ("ACP" among bytes that text transfers spoil)
 *   8  u32 version: 1 of the native driver, 2 of any other
 *   12 i64 UTC [us since 1970] at ...
 *   20 i64 ... this CLOCK_MONOTONIC [ns]
 *   28 u32 CRC-32 (IEEE) of the 28 bytes before
 * then records:
 *   0  u32 n, at most AIO_CAPTURE_PIECE
 *   4  u32 direction
 *   8  i64 CLOCK_MONOTONIC [ns], not negative
 *   16 n   bytes
 *   .  u32 CRC-32 of the record before this field
 * In version 2 a record of direction AIO_CAPTURE_CONNECTED stands at the beginning of each
 * connection, and so at that of the file: the driver's name and its context
 * (aio_driver_context_format). Version 1 has none: whoever can read it can speak only native.
 * What was sent to find out which driver it is to be is in no capture.
 * A file that ends anywhere (kill -9, full disk) is good up to its last whole record.
 */
#ifndef ARMATURE_IO_CAPTURE_H
#define ARMATURE_IO_CAPTURE_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"
#include "io/driver/driver_context.h"

enum {
  AIO_CAPTURE_PIECE = 1 << 20,          /* bytes of one record at most */
  AIO_CAPTURE_DELAY_NS = 200 * 1000000, /* until a record is handed to the system */
  AIO_CAPTURE_HEADER = 32
};

typedef enum {
  AIO_CAPTURE_RECEIVED,
  AIO_CAPTURE_SENT,
  AIO_CAPTURE_CONNECTED /* only in version 2 */
} AioCaptureDirection;

typedef struct {
  AioCaptureDirection direction;
  gint64 t_ns; /* CLOCK_MONOTONIC of arrival or sending */
  const guint8 *bytes;
  gsize n;
} AioCaptureRecord;

/* ---- writing; one thread ---- */

typedef struct AioCapture AioCapture;

/* NULL: AIO_ERROR_EXISTS, `path` is never overwritten; AIO_ERROR_IO. */
AioCapture *aio_capture_new(const char *path, GError **error);

/* A connection begins: which driver speaks, and what it knows of the arm. Not called: "native". To
 * be called before the first write of a connection. false: AIO_ERROR_REFUSED, what was captured
 * before is of another driver; AIO_ERROR_IO. */
bool aio_capture_connect(AioCapture *capture, gint64 t_ns, const char *driver,
                         const AioDriverContext *context, GError **error);

/* Keeps the bytes until 64 KiB are together or the oldest are AIO_CAPTURE_DELAY_NS old. After an
 * error (AIO_ERROR_IO: the disk is full) the file stays as it is, good up to there; nothing more is
 * written, and the same error comes again.
 *   t_ns  also counts as now */
bool aio_capture_write(AioCapture *capture, AioCaptureDirection direction, gint64 t_ns,
                       const guint8 *bytes, gsize n, GError **error);

/* Hands over what is old enough. Returns when it wants to be called next, G_MAXINT64: after the
 * next write. An error is told by the next write, and by free. */
gint64 aio_capture_tick(AioCapture *capture, gint64 now_ns);

/* Writes the rest and frees; NULL allowed. false: AIO_ERROR_IO, the file lacks its end. */
bool aio_capture_free(AioCapture *capture, GError **error);

/* ---- reading ---- */

typedef struct AioCaptureReader AioCaptureReader;

/* NULL: AIO_ERROR_NOT_FOUND, _IO, _SYNTAX (not a capture), _MEANING (its driver is not told),
 * _REFUSED (of a newer version). */
AioCaptureReader *aio_capture_reader_new(const char *path, GError **error);

/* Which driver spoke ("native"), and what it knew of the arm (all zero: nothing). Borrowed. */
const char *aio_capture_reader_driver(const AioCaptureReader *reader);
const AioDriverContext *aio_capture_reader_context(const AioCaptureReader *reader);

/* The next record; its bytes live until the next call. false: no more. */
bool aio_capture_reader_next(AioCaptureReader *reader, AioCaptureRecord *record);

/* After the last record: NULL, the file is whole; else where and how it is cut short or damaged,
 * and how many records before that were read. Borrowed. */
const char *aio_capture_reader_damage(const AioCaptureReader *reader);

/* UTC [us since 1970] at the time t_ns of the capture. */
gint64 aio_capture_reader_utc_us(const AioCaptureReader *reader, gint64 t_ns);

void aio_capture_reader_free(AioCaptureReader *reader); /* NULL allowed */

#endif
