/* SPDX-License-Identifier: MIT */
/* Whole millionths as integers: half the size, and nothing is lost. Sizes are checked before they
 * are believed, the CRC before a value is looked at: a damaged chunk never becomes samples. */
#include "io/store/store_blob.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "wire/crc32.h"

/* "ACH1" as bytes. The CRC covers everything behind itself. */
enum { MAGIC = 0x31484341, AT_CRC = 4, AT_COUNTS = 8, AT_FIRST = 16, AT_LOST = 24 };
/* Bits of the fourth byte of the counts: which columns are whole millionths. */
enum { MICRO_Q = 1, MICRO_QD = 2, MICRO_CURRENT = 4, MICRO_ALL = 7 };
enum { PER_SAMPLE = 8 + 8 + 2 + 2 + 1, FLAGS = 2 };

G_STATIC_ASSERT(AT_LOST + 8 == AIO_BLOB_HEADER);
G_STATIC_ASSERT(sizeof(double) == 8);

typedef union {
  double real;
  guint64 bits;
} Bits;

static void put(GByteArray *out, guint64 value, guint bytes) {
  const guint64 little = GUINT64_TO_LE(value);
  g_byte_array_append(out, (const guint8 *)&little, bytes);
}

static guint64 get(const guint8 **at, guint bytes) {
  guint64 little = 0;
  memcpy(&little, *at, bytes);
  *at += bytes;
  return GUINT64_FROM_LE(little);
}

gint32 aio_blob_micro(double value) {
  return (gint32)nearbyint(value * 1e6);
}

static bool is_micro(double value) {
  if (!(fabs(nearbyint(value * 1e6)) <= (double)G_MAXINT32))
    return false;
  const Bits given = {.real = value}, again = {.real = (double)aio_blob_micro(value) / 1e6};
  return given.bits == again.bits;
}

bool aio_blob_are_micro(const double *values, gsize count) {
  for (gsize k = 0; k < count; k++)
    if (!is_micro(values[k]))
      return false;
  return true;
}

static void put_reals(GByteArray *out, const double *values, gsize count, bool as_micro) {
  for (gsize k = 0; k < count; k++) {
    const Bits value = {.real = values[k]};
    if (as_micro)
      put(out, (guint32)aio_blob_micro(values[k]), 4);
    else
      put(out, value.bits, 8);
  }
}

static void get_reals(const guint8 **at, double *values, gsize count, bool as_micro) {
  for (gsize k = 0; k < count; k++) {
    Bits value;
    if (as_micro)
      value.real = (gint32)(guint32)get(at, 4) / 1e6;
    else
      value.bits = get(at, 8);
    values[k] = value.real;
  }
}

static void put_times(GByteArray *out, const AioChunk *chunk) {
  for (guint k = 0; k < chunk->n; k++)
    put(out, chunk->t_us[k], 8);
  for (guint k = 0; k < chunk->n; k++)
    put(out, (guint64)chunk->t_host_ns[k], 8);
  for (guint k = 0; k < chunk->n; k++)
    put(out, chunk->flags[k], 2);
  for (guint k = 0; k < chunk->n; k++)
    put(out, chunk->motion[k], 2);
  g_byte_array_append(out, chunk->joint, chunk->n);
}

static gsize size_of(gsize n, gsize joints, guint micro) {
  gsize per_value = FLAGS;
  for (guint bit = MICRO_Q; bit <= MICRO_CURRENT; bit <<= 1)
    per_value += micro & bit ? 4 : 8;
  return AIO_BLOB_HEADER + n * (PER_SAMPLE + joints * per_value);
}

GByteArray *aio_blob_encode(const AioChunk *chunk) {
  const gsize values = (gsize)chunk->n * chunk->joints;
  const guint micro = (aio_blob_are_micro(chunk->q, values) ? MICRO_Q : 0) |
                      (aio_blob_are_micro(chunk->qd, values) ? MICRO_QD : 0) |
                      (aio_blob_are_micro(chunk->current, values) ? MICRO_CURRENT : 0);
  GByteArray *out = g_byte_array_sized_new((guint)size_of(chunk->n, chunk->joints, micro));
  put(out, MAGIC, AT_COUNTS); /* with room for the CRC */
  put(out, chunk->n, 2);
  put(out, chunk->joints, 1);
  put(out, micro, 1);
  put(out, 0, 4);
  put(out, chunk->first_index, 8);
  put(out, chunk->lost, 8);
  put_times(out, chunk);
  put_reals(out, chunk->q, values, micro & MICRO_Q);
  put_reals(out, chunk->qd, values, micro & MICRO_QD);
  put_reals(out, chunk->current, values, micro & MICRO_CURRENT);
  for (gsize k = 0; k < values; k++)
    put(out, chunk->joint_flags[k], 2);
  const guint32 crc = GUINT32_TO_LE(wire_crc32(0, out->data + AT_COUNTS, out->len - AT_COUNTS));
  memcpy(out->data + AT_CRC, &crc, sizeof crc);
  return out;
}

static void get_columns(AioChunk *chunk, const guint8 *at, guint micro) {
  const gsize values = (gsize)chunk->n * chunk->joints;
  for (guint k = 0; k < chunk->n; k++)
    chunk->t_us[k] = get(&at, 8);
  for (guint k = 0; k < chunk->n; k++)
    chunk->t_host_ns[k] = (gint64)get(&at, 8);
  for (guint k = 0; k < chunk->n; k++)
    chunk->flags[k] = (guint16)get(&at, 2);
  for (guint k = 0; k < chunk->n; k++)
    chunk->motion[k] = (guint16)get(&at, 2);
  for (guint k = 0; k < chunk->n; k++)
    chunk->joint[k] = (guint8)get(&at, 1);
  get_reals(&at, chunk->q, values, micro & MICRO_Q);
  get_reals(&at, chunk->qd, values, micro & MICRO_QD);
  get_reals(&at, chunk->current, values, micro & MICRO_CURRENT);
  for (gsize k = 0; k < values; k++)
    chunk->joint_flags[k] = (guint16)get(&at, 2);
}

static bool are_joints_known(const AioChunk *chunk) {
  for (guint k = 0; k < chunk->n; k++)
    if (chunk->joint[k] > chunk->joints)
      return false;
  return true;
}

AioChunk *aio_blob_decode(const guint8 *bytes, gsize n, const char **why) {
  const guint8 *at = bytes;
  *why = N_("shorter than its header");
  if (n < AIO_BLOB_HEADER)
    return NULL;
  *why = N_("not a chunk of samples");
  if (get(&at, 4) != MAGIC)
    return NULL;
  const guint32 crc = (guint32)get(&at, 4);
  const guint samples = (guint)get(&at, 2), joints = (guint)get(&at, 1), micro = (guint)get(&at, 1);
  const guint64 reserved = get(&at, 4), first = get(&at, 8), lost = get(&at, 8);
  *why = N_("impossible numbers of samples or joints");
  if (samples < 1 || samples > AIO_CHUNK_ROOM || joints > ARM_MAX_JOINTS ||
      (micro & ~(guint)MICRO_ALL) || reserved != 0)
    return NULL;
  *why = N_("not as long as its header says");
  if (n != size_of(samples, joints, micro))
    return NULL;
  *why = N_("its CRC-32 does not fit");
  if (crc != wire_crc32(0, bytes + AT_COUNTS, n - AT_COUNTS))
    return NULL;
  AioChunk *chunk = aio_chunk_new(joints, first);
  chunk->n = samples;
  chunk->lost = lost;
  get_columns(chunk, at, micro);
  if (are_joints_known(chunk))
    return chunk;
  *why = N_("a sweep of a joint that the arm does not have");
  aio_chunk_unref(chunk);
  return NULL;
}
