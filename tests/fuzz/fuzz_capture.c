/* SPDX-License-Identifier: MIT */
/* A capture from any bytes. What is read, written again by hand, must be the bytes it was read
 * from, up to the end or the damage. */
#include <stdlib.h>
#include <string.h>

#include "io/acquire/capture_internal.h"
#include "wire/crc32.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool claim) {
  if (!claim)
    abort();
}

static size_t put(uint8_t *at, const void *from, size_t n) {
  memcpy(at, from, n);
  return n;
}

/* One record in the layout of io/acquire/capture.h (on a little-endian machine); its size. */
static size_t put_record(uint8_t *out, const AioCaptureRecord *record) {
  const uint32_t n = (uint32_t)record->n, direction = (uint32_t)record->direction;
  size_t at = put(out, &n, 4);
  at += put(out + at, &direction, 4);
  at += put(out + at, &record->t_ns, 8);
  at += put(out + at, record->bytes, record->n);
  const uint32_t crc = wire_crc32(0, out, at);
  return at + put(out + at, &crc, 4);
}

static void check_records(AioCaptureReader *reader, const uint8_t *bytes, size_t length) {
  uint8_t *record_bytes = malloc(length);
  size_t at = AIO_CAPTURE_HEADER;
  AioCaptureRecord record;
  while (aio_capture_reader_next(reader, &record)) {
    require(record.n + 20 <= length && record.t_ns >= 0);
    const size_t n = put_record(record_bytes, &record);
    require(at + n <= length && memcmp(bytes + at, record_bytes, n) == 0);
    at += n;
  }
  require((at == length) == (aio_capture_reader_damage(reader) == NULL));
  require(!aio_capture_reader_next(reader, &record));
  free(record_bytes);
}

/* The checksums of the header and of the first record made good, so that what they guard is
 * reached. */
static void repair(uint8_t *bytes, size_t length) {
  if (length < AIO_CAPTURE_HEADER)
    return;
  uint32_t crc = wire_crc32(0, bytes, AIO_CAPTURE_HEADER - 4), n;
  memcpy(bytes + AIO_CAPTURE_HEADER - 4, &crc, 4);
  uint8_t *record = bytes + AIO_CAPTURE_HEADER;
  const size_t left = length - AIO_CAPTURE_HEADER;
  if (left < 20)
    return;
  memcpy(&n, record, 4);
  if (n > left - 20)
    return;
  crc = wire_crc32(0, record, 16 + n);
  memcpy(record + 16 + n, &crc, 4);
}

static void check(const uint8_t *bytes, size_t length) {
  FILE *file = fmemopen((void *)(uintptr_t)bytes, length, "rb");
  require(file != NULL);
  GError *error = NULL;
  AioCaptureReader *reader = aio_capture_reader_from(file, "fuzz", &error);
  require((reader == NULL) == (error != NULL));
  require(!error || g_utf8_validate(error->message, -1, NULL));
  if (reader)
    check_records(reader, bytes, length);
  aio_capture_reader_free(reader);
  g_clear_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length == 0)
    return 0;
  check(bytes, length);
  uint8_t *copy = malloc(length);
  memcpy(copy, bytes, length);
  repair(copy, length);
  check(copy, length);
  free(copy);
  return 0;
}
