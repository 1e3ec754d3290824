/* SPDX-License-Identifier: MIT */
/* A column is the easier to deflate the smaller its numbers are: of three differences (none, of
 * neighbours, of those once more) the one with the fewest bits is kept. A time advances evenly, a
 * joint at constant speed, too; noise is best left alone. */
#include "io/store/store_pack.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/store/store_blob.h"
#include "io/store/store_deflate.h"
#include "wire/crc32.h"

/* "ACP1" as bytes. The CRC covers everything behind itself. */
enum { MAGIC = 0x31504341, AT_CRC = 4, AT_COUNTS = 8 };
enum { ORDERS = 3 };

/* A column of a chunk's ends has a number for each chunk, of times and below one for each sample;
 * from Q on each joint has its own. */
typedef enum {
  ENDS,
  FIRST,
  LOST,
  TIME,
  HOST,
  FLAGS,
  MOTION,
  JOINT,
  Q,
  QD,
  CURRENT,
  JOINT_FLAGS,
  KINDS
} Kind;

typedef struct {
  guint n, joints, micro, chunks; /* micro: a bit each for Q, QD, CURRENT, as in a chunk's blob */
} Shape;

struct AioPack {
  Shape shape;
  guint64 *numbers;    /* column after column */
  guint chunk, sample; /* the next ones */
};

typedef union {
  double real;
  guint64 bits;
} Bits;

/* ---- columns ---- */

static guint width_of(const Shape *shape, Kind kind) {
  static const guint8 widths[KINDS] = {
      [ENDS] = 1,   [FIRST] = 8, [LOST] = 8, [TIME] = 8, [HOST] = 8,    [FLAGS] = 2,
      [MOTION] = 2, [JOINT] = 1, [Q] = 8,    [QD] = 8,   [CURRENT] = 8, [JOINT_FLAGS] = 2};
  return kind >= Q && kind <= CURRENT && shape->micro >> (kind - Q) & 1 ? 4 : widths[kind];
}

static guint columns_of(const Shape *shape, Kind kind) {
  return kind >= Q ? shape->joints : 1;
}

static guint length_of(const Shape *shape, Kind kind) {
  return kind <= LOST ? shape->chunks : shape->n;
}

/* Before they are deflated. */
static gsize bytes_of(const Shape *shape) {
  gsize bytes = 0;
  for (guint kind = 0; kind < KINDS; kind++)
    bytes += (gsize)columns_of(shape, kind) *
             (1 + (gsize)length_of(shape, kind) * width_of(shape, kind));
  return bytes;
}

static gsize numbers_of(const Shape *shape) {
  return (gsize)shape->chunks * TIME + (gsize)shape->n * (Q - TIME) +
         (gsize)shape->n * shape->joints * (KINDS - Q);
}

/* Where the first number of a kind lies among all. */
static gsize place_of(const Shape *shape, Kind kind) {
  const gsize ends = (gsize)shape->chunks * MIN(kind, TIME);
  const gsize samples = kind > TIME ? (gsize)shape->n * (MIN(kind, Q) - TIME) : 0;
  return ends + samples + (kind > Q ? (gsize)shape->n * shape->joints * (kind - Q) : 0);
}

/* ---- numbers of up to 8 bytes, modulo their width ---- */

static guint64 mask_of(guint width) {
  return width == 8 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << 8 * width) - 1;
}

/* 0, -1, 1, -2 .. become 0, 1, 2, 3 .. */
static guint64 fold(guint64 value, guint width) {
  const guint64 sign = value >> (8 * width - 1) & 1;
  return (value << 1 ^ (0 - sign)) & mask_of(width);
}

static guint64 unfold(guint64 value, guint width) {
  return (value >> 1 ^ (0 - (value & 1))) & mask_of(width);
}

static void differ(guint64 *values, guint n) {
  for (guint k = n; k-- > 1;)
    values[k] -= values[k - 1];
}

static void add_up(guint64 *values, guint n) {
  for (guint k = 1; k < n; k++)
    values[k] += values[k - 1];
}

static guint64 bits_of(const guint64 *values, guint n, guint width) {
  guint64 bits = 0;
  for (guint k = 0; k < n; k++)
    bits += g_bit_storage(fold(values[k] & mask_of(width), width));
  return bits;
}

/* Differences as often as that makes them smaller; how often. */
static guint make_small(guint64 *values, guint n, guint width) {
  guint64 fewest = bits_of(values, n, width);
  for (guint order = 1; order < ORDERS; order++) {
    differ(values, n);
    const guint64 bits = bits_of(values, n, width);
    if (bits >= fewest) {
      add_up(values, n);
      return order - 1;
    }
    fewest = bits;
  }
  return ORDERS - 1;
}

/* ---- a column as bytes ---- */

/* Changes the values. */
static guint8 *put_column(guint8 *out, guint64 *values, guint n, guint width) {
  *out++ = (guint8)make_small(values, n, width);
  for (guint k = 0; k < n; k++) {
    const guint64 small = fold(values[k] & mask_of(width), width);
    for (guint byte = 0; byte < width; byte++)
      out[(gsize)byte * n + k] = (guint8)(small >> 8 * byte);
  }
  return out + (gsize)n * width;
}

/* NULL: not one of ours. */
static const guint8 *get_column(const guint8 *at, guint64 *values, guint n, guint width) {
  const guint order = *at++;
  for (guint k = 0; k < n; k++) {
    guint64 small = 0;
    for (guint byte = 0; byte < width; byte++)
      small |= (guint64)at[(gsize)byte * n + k] << 8 * byte;
    values[k] = unfold(small, width);
  }
  for (guint k = 0; k < order && order < ORDERS; k++)
    add_up(values, n);
  for (guint k = 0; k < n; k++)
    values[k] &= mask_of(width);
  return order < ORDERS ? at + (gsize)n * width : NULL;
}

/* ---- chunks and their numbers ---- */

static guint64 number_of_real(double value, bool is_micro) {
  const Bits bits = {.real = value};
  return is_micro ? (guint64)aio_blob_micro(value) : bits.bits;
}

static double real_of_number(guint64 number, bool is_micro) {
  const Bits bits = {.bits = number};
  return is_micro ? (gint32)(guint32)number / 1e6 : bits.real;
}

static const double *reals_of(const AioChunk *chunk, Kind kind) {
  return kind == Q ? chunk->q : kind == QD ? chunk->qd : chunk->current;
}

static guint64 number_at(const AioChunk *chunk, Kind kind, guint k, guint joint, bool is_micro) {
  const gsize at = (gsize)k * chunk->joints + joint;
  switch (kind) {
  case ENDS:
    return chunk->n;
  case FIRST:
    return chunk->first_index;
  case LOST:
    return chunk->lost;
  case TIME:
    return chunk->t_us[k];
  case HOST:
    return (guint64)chunk->t_host_ns[k];
  case FLAGS:
    return chunk->flags[k];
  case MOTION:
    return chunk->motion[k];
  case JOINT:
    return chunk->joint[k];
  case JOINT_FLAGS:
    return chunk->joint_flags[at];
  case Q:
  case QD:
  case CURRENT:
  case KINDS:
    break;
  }
  return number_of_real(reals_of(chunk, kind)[at], is_micro);
}

static void gather(const Shape *shape, AioChunk *const *chunks, Kind kind, guint joint,
                   guint64 *values) {
  const bool is_micro = kind >= Q && width_of(shape, kind) == 4;
  for (guint c = 0; c < shape->chunks; c++)
    for (guint k = 0; k < (kind <= LOST ? 1 : chunks[c]->n); k++)
      *values++ = number_at(chunks[c], kind, k, joint, is_micro);
}

/* ---- packing ---- */

static bool are_micro(AioChunk *const *chunks, guint count, Kind kind) {
  for (guint c = 0; c < count; c++)
    if (!aio_blob_are_micro(reals_of(chunks[c], kind), (gsize)chunks[c]->n * chunks[c]->joints))
      return false;
  return true;
}

/* false: they do not make a pack. */
static bool take_shape(AioChunk *const *chunks, guint count, Shape *shape) {
  *shape = (Shape){.chunks = count, .joints = count ? chunks[0]->joints : 0};
  for (guint c = 0; c < count; c++) {
    shape->n += chunks[c]->n;
    if (chunks[c]->n < 1 || chunks[c]->joints != shape->joints || shape->n > AIO_PACK_ROOM)
      return false;
  }
  for (Kind kind = Q; kind <= CURRENT; kind++)
    shape->micro |= are_micro(chunks, count, kind) ? 1u << (kind - Q) : 0;
  return count > 0;
}

static guint8 *put(guint8 *at, guint64 value, guint bytes) {
  for (guint byte = 0; byte < bytes; byte++)
    *at++ = (guint8)(value >> 8 * byte);
  return at;
}

static guint64 get(const guint8 **at, guint bytes) {
  guint64 value = 0;
  for (guint byte = 0; byte < bytes; byte++)
    value |= (guint64)(*(*at)++) << 8 * byte;
  return value;
}

static void put_columns(const Shape *shape, AioChunk *const *chunks, guint8 *at) {
  guint64 *values = g_new(guint64, shape->n);
  for (Kind kind = 0; kind < KINDS; kind++)
    for (guint joint = 0; joint < columns_of(shape, kind); joint++) {
      gather(shape, chunks, kind, joint, values);
      at = put_column(at, values, length_of(shape, kind), width_of(shape, kind));
    }
  g_free(values);
}

GByteArray *aio_pack_encode(AioChunk *const *chunks, guint count) {
  guint8 header[AIO_PACK_HEADER] = {0};
  Shape shape;
  if (!take_shape(chunks, count, &shape))
    return NULL;
  guint8 *at = put(header, MAGIC, AT_COUNTS); /* with room for the CRC */
  at = put(put(put(put(at, shape.n, 2), shape.joints, 1), shape.micro, 1), shape.chunks, 2);
  put(put(put(at, 0, 2), chunks[0]->first_index, 8), chunks[0]->t_us[0], 8);
  const gsize size = bytes_of(&shape);
  guint8 *columns = g_malloc(size);
  put_columns(&shape, chunks, columns);
  GByteArray *out = g_byte_array_new();
  g_byte_array_append(out, header, sizeof header);
  aio_deflate(columns, size, out);
  g_free(columns);
  put(out->data + AT_CRC, wire_crc32(0, out->data + AT_COUNTS, out->len - AT_COUNTS), 4);
  return out;
}

/* ---- reading ---- */

static bool get_columns(AioPack *pack, const guint8 *at) {
  const Shape *shape = &pack->shape;
  guint64 *values = pack->numbers;
  for (Kind kind = 0; at && kind < KINDS; kind++)
    for (guint joint = 0; at && joint < columns_of(shape, kind); joint++) {
      const guint length = length_of(shape, kind);
      at = get_column(at, values, length, width_of(shape, kind));
      values += length;
    }
  return at != NULL;
}

static const char *check_ends(const AioPack *pack) {
  const guint64 *ends = pack->numbers + place_of(&pack->shape, ENDS);
  guint64 n = 0;
  for (guint c = 0; c < pack->shape.chunks; c++) {
    if (ends[c] < 1 || ends[c] > AIO_CHUNK_ROOM)
      return N_("a chunk of an impossible number of samples");
    n += ends[c];
  }
  return n == pack->shape.n ? NULL : N_("its chunks are not as long as its header says");
}

static const char *check_joints(const AioPack *pack) {
  const guint64 *joint = pack->numbers + place_of(&pack->shape, JOINT);
  for (guint k = 0; k < pack->shape.n; k++)
    if (joint[k] > pack->shape.joints)
      return N_("a sweep of a joint that the arm does not have");
  return NULL;
}

/* What was inflated. NULL: nothing is wrong with it. */
static const char *read_columns(AioPack *pack, const guint8 *columns) {
  if (!get_columns(pack, columns))
    return N_("a column of an unknown kind");
  const char *why = check_ends(pack);
  return why ? why : check_joints(pack);
}

static const char *inflate(AioPack *pack, const guint8 *bytes, gsize n) {
  const gsize size = bytes_of(&pack->shape);
  guint8 *columns = g_malloc(size + 1);
  pack->numbers = g_new(guint64, numbers_of(&pack->shape));
  const char *why = aio_inflate(bytes, n, columns, size)
                        ? read_columns(pack, columns)
                        : N_("its columns do not inflate to what its header says");
  g_free(columns);
  return why;
}

/* NULL: nothing is wrong with it. */
static const char *read_header(const guint8 *bytes, gsize n, Shape *shape) {
  const guint8 *at = bytes;
  if (n < AIO_PACK_HEADER)
    return N_("shorter than its header");
  if (get(&at, 4) != MAGIC)
    return N_("not a pack of samples");
  if (get(&at, 4) != wire_crc32(0, bytes + AT_COUNTS, n - AT_COUNTS))
    return N_("its CRC-32 does not fit");
  shape->n = (guint)get(&at, 2);
  shape->joints = (guint)get(&at, 1);
  shape->micro = (guint)get(&at, 1);
  shape->chunks = (guint)get(&at, 2);
  return shape->n < 1 || shape->n > AIO_PACK_ROOM || shape->joints > ARM_MAX_JOINTS ||
                 shape->micro >= 1u << (JOINT_FLAGS - Q) || shape->chunks < 1 ||
                 shape->chunks > shape->n || get(&at, 2) != 0
             ? N_("impossible numbers of samples, chunks or joints")
             : NULL;
}

guint64 aio_pack_first_index(const AioPack *pack) {
  return pack->numbers[place_of(&pack->shape, FIRST)];
}

guint64 aio_pack_t0_us(const AioPack *pack) {
  return pack->numbers[place_of(&pack->shape, TIME)];
}

/* Does the header tell what its first chunk says? */
static bool is_first(const AioPack *pack, const guint8 *at) {
  return get(&at, 8) == aio_pack_first_index(pack) && get(&at, 8) == aio_pack_t0_us(pack);
}

AioPack *aio_pack_open(const guint8 *bytes, gsize n, const char **why) {
  Shape shape;
  *why = read_header(bytes, n, &shape);
  if (*why)
    return NULL;
  AioPack *pack = g_new0(AioPack, 1);
  pack->shape = shape;
  *why = inflate(pack, bytes + AIO_PACK_HEADER, n - AIO_PACK_HEADER);
  if (!*why && !is_first(pack, bytes + AIO_PACK_HEADER - 16))
    *why = N_("its first sample is not the one that its header says");
  if (!*why)
    return pack;
  aio_pack_free(pack);
  return NULL;
}

void aio_pack_free(AioPack *pack) {
  if (pack)
    g_free(pack->numbers);
  g_free(pack);
}

guint aio_pack_chunks(const AioPack *pack) {
  return pack->shape.chunks;
}

guint aio_pack_samples(const AioPack *pack) {
  return pack->shape.n;
}

/* ---- chunks again ---- */

static void put_sample(const AioPack *pack, AioChunk *chunk) {
  const gsize from = pack->sample + chunk->n, n = pack->shape.n;
  const guint64 *const time = pack->numbers + place_of(&pack->shape, TIME) + from;
  chunk->t_us[chunk->n] = time[0];
  chunk->t_host_ns[chunk->n] = (gint64)time[n];
  chunk->flags[chunk->n] = (guint16)time[2 * n];
  chunk->motion[chunk->n] = (guint16)time[3 * n];
  chunk->joint[chunk->n] = (guint8)time[4 * n];
}

static void put_joints(const AioPack *pack, AioChunk *chunk) {
  const gsize from = pack->sample + chunk->n, n = pack->shape.n;
  double *const reals[] = {chunk->q, chunk->qd, chunk->current};
  for (gsize j = 0; j < chunk->joints; j++) {
    const gsize to = (gsize)chunk->n * chunk->joints + j;
    for (Kind kind = Q; kind <= CURRENT; kind++)
      reals[kind - Q][to] =
          real_of_number(pack->numbers[place_of(&pack->shape, kind) + j * n + from],
                         width_of(&pack->shape, kind) == 4);
    chunk->joint_flags[to] =
        (guint16)pack->numbers[place_of(&pack->shape, JOINT_FLAGS) + j * n + from];
  }
}

AioChunk *aio_pack_next(AioPack *pack) {
  if (pack->chunk == pack->shape.chunks)
    return NULL;
  const guint64 *const end = pack->numbers + pack->chunk, chunks = pack->shape.chunks;
  AioChunk *chunk = aio_chunk_new_for(pack->shape.joints, end[chunks], (guint)end[0]);
  chunk->lost = end[2 * chunks];
  for (; chunk->n < end[0]; chunk->n++) {
    put_sample(pack, chunk);
    put_joints(pack, chunk);
  }
  pack->chunk++;
  pack->sample += chunk->n;
  return chunk;
}
