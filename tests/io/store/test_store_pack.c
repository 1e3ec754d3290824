/* SPDX-License-Identifier: MIT */
/* Packs of chunks: every bit comes back, whatever it was, and what is no pack is told by its name
 * and never inflated beyond what its header may say. */
#include <sys/resource.h>

#include "io/store/store_deflate.h"
#include "io/store/store_pack.h"
#include "session_case.h"
#include "support/support.h"
#include "wire/crc32.h"

/* ---- there and back ---- */

static GPtrArray *chunks_new(void) {
  return g_ptr_array_new_with_free_func((GDestroyNotify)aio_chunk_unref);
}

static AioChunk **chunks_of(const GPtrArray *chunks) {
  return (AioChunk **)chunks->pdata;
}

/* The bytes of the pack; g_byte_array_unref. */
static GByteArray *assert_returns(const GPtrArray *chunks) {
  const char *why = "";
  guint samples = 0;
  GByteArray *bytes = aio_pack_encode(chunks_of(chunks), chunks->len);
  g_assert_nonnull(bytes);
  AioPack *pack = aio_pack_open(bytes->data, bytes->len, &why);
  g_assert_cmpstr(why, ==, NULL);
  g_assert_cmpuint(aio_pack_chunks(pack), ==, chunks->len);
  for (guint k = 0; k < chunks->len; k++) {
    AioChunk *again = aio_pack_next(pack);
    session_assert_same(again, chunks->pdata[k]);
    samples += again->n;
    aio_chunk_unref(again);
  }
  g_assert_null(aio_pack_next(pack));
  g_assert_cmpuint(aio_pack_samples(pack), ==, samples);
  aio_pack_free(pack);
  return bytes;
}

/* Takes the chunks. */
static void assert_all_return(GPtrArray *chunks) {
  g_byte_array_unref(assert_returns(chunks));
  g_ptr_array_unref(chunks);
}

static gsize unpacked_bytes(const GPtrArray *chunks) {
  gsize bytes = 0;
  for (guint k = 0; k < chunks->len; k++) {
    GByteArray *blob = aio_blob_encode(chunks->pdata[k]);
    bytes += blob->len;
    g_byte_array_unref(blob);
  }
  return bytes;
}

static void test_sizes(void) {
  static const guint joints[] = {1, 6, 12, ARM_MAX_JOINTS};
  for (gsize j = 0; j < G_N_ELEMENTS(joints); j++) {
    GPtrArray *one = chunks_new(), *most = chunks_new(), *uneven = chunks_new();
    g_ptr_array_add(one, session_chunk(joints[j], 0, 1));
    for (guint k = 0; k < AIO_PACK_ROOM / 16; k++)
      g_ptr_array_add(most, session_chunk(joints[j], 16 * (guint64)k, 16));
    for (guint k = 0; k < 20; k++)
      g_ptr_array_add(uneven, session_chunk(joints[j], 100 * (guint64)k, 1 + k));
    assert_all_return(one);
    assert_all_return(most);
    assert_all_return(uneven);
  }
}

/* Whatever bits there are in whatever column. */
static AioChunk *noise_chunk(TestRng *rng, guint joints, guint n) {
  AioChunk *chunk = aio_chunk_new(joints, test_rng_next(rng));
  chunk->n = n;
  chunk->lost = test_rng_next(rng);
  for (guint k = 0; k < n; k++) {
    chunk->t_us[k] = test_rng_next(rng);
    chunk->t_host_ns[k] = (gint64)test_rng_next(rng);
    chunk->flags[k] = (guint16)test_rng_next(rng);
    chunk->motion[k] = (guint16)test_rng_next(rng);
    chunk->joint[k] = (guint8)test_rng_below(rng, joints + 1);
  }
  for (guint k = 0; k < n * joints; k++) {
    const guint64 bits[] = {test_rng_next(rng), test_rng_next(rng), test_rng_next(rng)};
    memcpy(&chunk->q[k], &bits[0], sizeof *bits);
    memcpy(&chunk->qd[k], &bits[1], sizeof *bits);
    memcpy(&chunk->current[k], &bits[2], sizeof *bits);
    chunk->joint_flags[k] = (guint16)test_rng_next(rng);
  }
  return chunk;
}

static void test_noise(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(20261127));
  for (guint turn = 0; turn < 50; turn++) {
    GPtrArray *chunks = chunks_new();
    const guint joints = (guint)test_rng_below(&rng, ARM_MAX_JOINTS + 1);
    const guint count = 1 + (guint)test_rng_below(&rng, 30);
    for (guint k = 0; k < count; k++)
      g_ptr_array_add(chunks,
                      noise_chunk(&rng, joints, 1 + (guint)test_rng_below(&rng, AIO_CHUNK_ROOM)));
    GByteArray *bytes = assert_returns(chunks);
    g_assert_cmpuint(bytes->len, <, unpacked_bytes(chunks) * 11 / 10 + 200); /* hardly grows */
    g_byte_array_unref(bytes);
    g_ptr_array_unref(chunks);
  }
}

/* Not a number (of any kind), infinities, zeros of both signs, the smallest and the largest. */
static void test_odd_values(void) {
  static const guint64 odd[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
                                0xffffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
                                0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
                                0x8000000000000001, 0x7fefffffffffffff, 0x3ff0000000000000};
  for (gsize column = 0; column < 3; column++)
    for (gsize first = 0; first < G_N_ELEMENTS(odd); first++) {
      GPtrArray *chunks = chunks_new();
      AioChunk *chunk = session_chunk(2, 0, 20);
      double *const columns[] = {chunk->q, chunk->qd, chunk->current};
      for (gsize k = 0; k < 3; k++)
        memcpy(&columns[column][7 * k], &odd[(first + k) % G_N_ELEMENTS(odd)], sizeof *odd);
      g_ptr_array_add(chunks, chunk);
      g_ptr_array_add(chunks, session_chunk(2, 20, 20)); /* whole millionths beside it */
      assert_all_return(chunks);
    }
}

/* The largest millionths beside the smallest: differences do not fit into 32 bits. */
static void test_wide_millionths(void) {
  GPtrArray *chunks = chunks_new();
  AioChunk *chunk = session_chunk(1, 0, 20);
  for (guint k = 0; k < 20; k++)
    chunk->q[k] = k % 2 ? 2147.483647 : -2147.483647;
  g_ptr_array_add(chunks, chunk);
  GByteArray *bytes = assert_returns(chunks);
  g_assert_cmphex(bytes->data[11], ==, 7); /* all three columns */
  g_byte_array_unref(bytes);
  g_ptr_array_unref(chunks);
}

/* An arm that stands still takes next to nothing. */
static void test_constant(void) {
  GPtrArray *chunks = chunks_new();
  for (guint c = 0; c < 50; c++) {
    AioChunk *chunk = session_chunk(6, 20 * (guint64)c, 20);
    for (guint k = 0; k < 20 * 6; k++) {
      chunk->q[k] = 0.1 * (k % 6);
      chunk->qd[k] = 0;
      chunk->current[k] = 1.25;
      chunk->joint_flags[k] = 0;
    }
    g_ptr_array_add(chunks, chunk);
  }
  GByteArray *bytes = assert_returns(chunks);
  g_assert_cmpuint(bytes->len, <, unpacked_bytes(chunks) / 50);
  g_byte_array_unref(bytes);
  g_ptr_array_unref(chunks);
}

/* What makes no pack. */
static void test_refused_chunks(void) {
  GPtrArray *chunks = chunks_new();
  g_assert_null(aio_pack_encode(NULL, 0));
  g_ptr_array_add(chunks, aio_chunk_new(6, 0)); /* empty */
  g_assert_null(aio_pack_encode(chunks_of(chunks), 1));
  g_ptr_array_set_size(chunks, 0);
  g_ptr_array_add(chunks, session_chunk(6, 0, 20));
  g_ptr_array_add(chunks, session_chunk(7, 20, 20));
  g_assert_null(aio_pack_encode(chunks_of(chunks), 2));
  g_ptr_array_set_size(chunks, 0);
  for (guint k = 0; k < AIO_PACK_ROOM / 16; k++)
    g_ptr_array_add(chunks, session_chunk(1, 16 * (guint64)k, 16));
  g_ptr_array_add(chunks, session_chunk(1, AIO_PACK_ROOM, 1)); /* one too many */
  g_assert_null(aio_pack_encode(chunks_of(chunks), chunks->len));
  g_ptr_array_unref(chunks);
}

/* ---- real arms ---- */

typedef struct {
  const char *path;
  guint joints;
  guint q, qd, current; /* columns, from 0 */
  double least;         /* of the ratio */
} Real;

static const Real REAL[] = {{"datasets/kuka_lwr4/run_1.csv", 7, 1, 8, 15, 1.5},
                            {"datasets/kr300/trajectory_A.csv", 6, 1, 7, 13, 1.5}};

/* As the native protocol would have sent them: whole millionths. */
static double micro(double value) {
  return (double)lround(value * 1e6) / 1e6;
}

static GPtrArray *real_chunks(const Real *real, const char *path, bool as_micro) {
  GPtrArray *chunks = chunks_new();
  char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  char **lines = g_strsplit(text, "\n", -1);
  AioChunk *chunk = NULL;
  for (guint64 row = 0; lines[row + 1] && *lines[row + 1]; row++) {
    char **cells = g_strsplit(lines[row + 1], ",", -1);
    AioSample sample = {.t_us = (guint64)(1e6 * g_ascii_strtod(cells[0], NULL))};
    for (guint j = 0; j < real->joints; j++) {
      sample.q[j] = g_ascii_strtod(cells[real->q + j], NULL);
      sample.qd[j] = g_ascii_strtod(cells[real->qd + j], NULL);
      sample.current[j] = g_ascii_strtod(cells[real->current + j], NULL);
      if (as_micro) {
        sample.q[j] = micro(sample.q[j]);
        sample.qd[j] = micro(sample.qd[j]);
        sample.current[j] = micro(sample.current[j]);
      }
    }
    if (!chunk || !aio_chunk_push(chunk, &sample, 1000 * (gint64)sample.t_us)) {
      chunk = aio_chunk_new(real->joints, row);
      g_ptr_array_add(chunks, chunk);
      g_assert_true(aio_chunk_push(chunk, &sample, 1000 * (gint64)sample.t_us));
    }
    g_strfreev(cells);
  }
  g_strfreev(lines);
  g_free(text);
  return chunks;
}

/* In packs of 1000 samples. */
static void pack_all(const GPtrArray *chunks, gsize *packed, gsize *unpacked) {
  GPtrArray *some = g_ptr_array_new();
  guint n = 0;
  for (guint k = 0; k < chunks->len; k++) {
    g_ptr_array_add(some, chunks->pdata[k]);
    n += ((const AioChunk *)chunks->pdata[k])->n;
    if (n < 1000 && k + 1 < chunks->len)
      continue;
    GByteArray *bytes = assert_returns(some);
    *packed += bytes->len;
    *unpacked += unpacked_bytes(some);
    g_byte_array_unref(bytes);
    g_ptr_array_set_size(some, 0);
    n = 0;
  }
  g_ptr_array_unref(some);
}

static void test_real(gconstpointer data) {
  const Real *real = data;
  const char *path = test_shared_path(real->path);
  if (!path) {
    g_test_skip("the recording is not there (ARMATURE_SHARED)");
    return;
  }
  char *copy = g_strdup(path);
  for (int as_micro = 0; as_micro < 2; as_micro++) {
    gsize packed = 0, unpacked = 0;
    GPtrArray *chunks = real_chunks(real, copy, as_micro);
    pack_all(chunks, &packed, &unpacked);
    g_test_message("%s, %s: %zu bytes of %zu, %.2f times smaller", real->path,
                   as_micro ? "millionths" : "doubles", packed, unpacked,
                   (double)unpacked / (double)packed);
    g_assert_cmpfloat((double)unpacked / (double)packed, >, real->least);
    g_ptr_array_unref(chunks);
  }
  g_free(copy);
}

/* ---- what is no pack ---- */

enum { JOINTS = 2, CHUNKS = 3, SAMPLES = 60 };

static GByteArray *good_pack(void) {
  GPtrArray *chunks = chunks_new();
  for (guint k = 0; k < CHUNKS; k++)
    g_ptr_array_add(chunks, session_chunk(JOINTS, 20 * (guint64)k, 20));
  GByteArray *bytes = assert_returns(chunks);
  g_ptr_array_unref(chunks);
  return bytes;
}

static void mend_crc(GByteArray *bytes) {
  const guint32 crc = GUINT32_TO_LE(wire_crc32(0, bytes->data + 8, bytes->len - 8));
  memcpy(bytes->data + 4, &crc, sizeof crc);
}

static void assert_refused(const guint8 *bytes, gsize n, const char *expected) {
  const char *why = NULL;
  guint8 *copy = g_memdup2(bytes, n); /* reading beyond its end is seen */
  g_assert_null(aio_pack_open(copy, n, &why));
  g_assert_cmpstr(why, ==, expected);
  g_free(copy);
}

typedef struct {
  guint at;
  guint8 byte;
  const char *why;
} Spoilt;

#define IMPOSSIBLE "impossible numbers of samples, chunks or joints"
#define INFLATED   "its columns do not inflate to what its header says"

static const Spoilt SPOILT[] = {{0, 0x42, "not a pack of samples"},
                                {8, 0, IMPOSSIBLE},
                                {9, 9, IMPOSSIBLE},
                                {10, ARM_MAX_JOINTS + 1, IMPOSSIBLE},
                                {11, 8, IMPOSSIBLE},
                                {12, 0, IMPOSSIBLE},
                                {12, SAMPLES + 1, IMPOSSIBLE},
                                {14, 1, IMPOSSIBLE},
                                {8, SAMPLES + 1, INFLATED},
                                {8, SAMPLES - 1, INFLATED},
                                {10, JOINTS + 1, INFLATED},
                                {11, 0, INFLATED},
                                {12, CHUNKS + 1, INFLATED},
                                {16, 1, "its first sample is not the one that its header says"},
                                {24, 1, "its first sample is not the one that its header says"},
                                {AIO_PACK_HEADER, 0, INFLATED}};

static void test_spoilt(void) {
  for (gsize k = 0; k < G_N_ELEMENTS(SPOILT); k++) {
    GByteArray *bytes = good_pack();
    bytes->data[SPOILT[k].at] = SPOILT[k].byte;
    if (k > 0)
      assert_refused(bytes->data, bytes->len, "its CRC-32 does not fit");
    mend_crc(bytes);
    assert_refused(bytes->data, bytes->len, SPOILT[k].why);
    g_byte_array_unref(bytes);
  }
}

/* Each bit, and each length. */
static void test_damaged(void) {
  GByteArray *bytes = good_pack();
  for (guint bit = 0; bit < 8 * bytes->len; bit++) {
    const char *why = NULL;
    bytes->data[bit / 8] ^= (guint8)(1 << bit % 8);
    g_assert_null(aio_pack_open(bytes->data, bytes->len, &why));
    g_assert_nonnull(why);
    bytes->data[bit / 8] ^= (guint8)(1 << bit % 8);
  }
  for (guint n = 0; n < bytes->len; n++) {
    GByteArray *cut = g_byte_array_append(g_byte_array_new(), bytes->data, n);
    if (n >= AIO_PACK_HEADER)
      mend_crc(cut);
    assert_refused(cut->data, cut->len, n < AIO_PACK_HEADER ? "shorter than its header" : INFLATED);
    g_byte_array_unref(cut);
  }
  g_byte_array_append(bytes, (const guint8 *)"", 1); /* something behind it */
  mend_crc(bytes);
  assert_refused(bytes->data, bytes->len, INFLATED);
  g_byte_array_unref(bytes);
}

/* ---- columns of somebody else ---- */

/* A pack of the header of a good one and these columns. */
static GByteArray *pack_of(const guint8 *columns, gsize n) {
  GByteArray *bytes = good_pack();
  g_byte_array_set_size(bytes, AIO_PACK_HEADER);
  aio_deflate(columns, n, bytes);
  mend_crc(bytes);
  return bytes;
}

/* 14 bytes of zlib become a gigabyte for whoever believes them: here nothing grows. */
static void test_bomb(void) {
  struct rusage before, after;
  const gsize size = 64 << 20;
  guint8 *zeros = g_malloc0(size);
  GByteArray *bytes = pack_of(zeros, size);
  g_free(zeros);
  g_assert_cmpuint(bytes->len, <, 1 << 17);
  getrusage(RUSAGE_SELF, &before);
  for (guint k = 0; k < 100; k++)
    assert_refused(bytes->data, bytes->len, INFLATED);
  getrusage(RUSAGE_SELF, &after);
  const double cpu = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                     1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
  g_assert_cmpfloat(cpu, <, 2); /* all of it would take a hundred times 0.2 s */
  g_byte_array_unref(bytes);
}

/* Neither a byte less nor more, and nothing behind it is written. */
static void test_inflate(void) {
  GByteArray *small = g_byte_array_new();
  guint8 text[1000], out[1002];
  for (guint k = 0; k < sizeof text; k++)
    text[k] = (guint8)(k * k);
  aio_deflate(text, sizeof text, small);
  for (gsize size = sizeof text - 1; size <= sizeof text + 1; size++) {
    memset(out, 0xa5, sizeof out);
    g_assert_true(aio_inflate(small->data, small->len, out, size) == (size == sizeof text));
    for (gsize k = size + 1; k < sizeof out; k++)
      g_assert_cmphex(out[k], ==, 0xa5);
  }
  g_assert_false(aio_inflate(small->data, 0, out, sizeof text));
  g_byte_array_set_size(small, 0);
  aio_deflate(text, 0, small);
  g_assert_true(aio_inflate(small->data, small->len, out, 0));
  g_byte_array_unref(small);
}

/* The good one's columns: the ends come first, as an order, then a byte for each chunk. */
static guint8 *good_columns(gsize *n) {
  GByteArray *bytes = good_pack();
  guint8 *columns = g_malloc(1 << 16);
  for (*n = 1;
       !aio_inflate(bytes->data + AIO_PACK_HEADER, bytes->len - AIO_PACK_HEADER, columns, *n);)
    ++*n;
  g_byte_array_unref(bytes);
  return columns;
}

static void test_hostile_columns(void) {
  static const Spoilt hostile[] = {
      {0, 3, "a column of an unknown kind"},
      {0, 255, "a column of an unknown kind"},
      {1, 0, "a chunk of an impossible number of samples"},
      {1, 130, "a chunk of an impossible number of samples"},   /* 65 */
      {1, 38, "its chunks are not as long as its header says"}, /* 19 */
      {1, 42, "its chunks are not as long as its header says"}};
  gsize n = 0;
  guint8 *columns = good_columns(&n);
  for (gsize k = 0; k < G_N_ELEMENTS(hostile); k++) {
    guint8 *copy = g_memdup2(columns, n);
    if (hostile[k].at == 1)
      memcpy(copy, "\0\50\50\50", 4); /* three times 20, each by itself */
    copy[hostile[k].at] = hostile[k].byte;
    GByteArray *bytes = pack_of(copy, n);
    assert_refused(bytes->data, bytes->len, hostile[k].why);
    g_byte_array_unref(bytes);
    g_free(copy);
  }
  g_free(columns);
}

static void test_hostile_joint(void) {
  GPtrArray *chunks = chunks_new();
  AioChunk *chunk = session_chunk(JOINTS, 0, 20);
  chunk->joint[19] = JOINTS + 1;
  g_ptr_array_add(chunks, chunk);
  GByteArray *bytes = aio_pack_encode(chunks_of(chunks), 1);
  assert_refused(bytes->data, bytes->len, "a sweep of a joint that the arm does not have");
  g_byte_array_unref(bytes);
  g_ptr_array_unref(chunks);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/store-pack/sizes", test_sizes);
  g_test_add_func("/store-pack/noise", test_noise);
  g_test_add_func("/store-pack/odd-values", test_odd_values);
  g_test_add_func("/store-pack/wide-millionths", test_wide_millionths);
  g_test_add_func("/store-pack/constant", test_constant);
  g_test_add_func("/store-pack/refused-chunks", test_refused_chunks);
  for (gsize k = 0; k < G_N_ELEMENTS(REAL); k++) {
    char *name = g_strdup_printf("/store-pack/real/%zu", k + 1);
    g_test_add_data_func(name, &REAL[k], test_real);
    g_free(name);
  }
  g_test_add_func("/store-pack/spoilt", test_spoilt);
  g_test_add_func("/store-pack/damaged", test_damaged);
  g_test_add_func("/store-pack/bomb", test_bomb);
  g_test_add_func("/store-pack/inflate", test_inflate);
  g_test_add_func("/store-pack/hostile-columns", test_hostile_columns);
  g_test_add_func("/store-pack/hostile-joint", test_hostile_joint);
  return g_test_run();
}
