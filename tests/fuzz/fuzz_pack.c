/* SPDX-License-Identifier: MIT */
/* A pack of chunks from any bytes: it is refused, or read; what was read returns in every bit when
 * it is packed again. The first byte of an input says how the rest is meant:
 *   0  a pack, whose CRC-32 is then made to fit
 *   1  a pack's header, and its columns as they are before they are deflated */
#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../io/store/session_case.h"
#include "io/store/store_deflate.h"
#include "io/store/store_pack.h"
#include "wire/crc32.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool claim) {
  if (!claim)
    abort();
}

static GPtrArray *read_all(AioPack *pack) {
  GPtrArray *chunks = g_ptr_array_new_with_free_func((GDestroyNotify)aio_chunk_unref);
  guint samples = 0;
  for (AioChunk *chunk; (chunk = aio_pack_next(pack));) {
    require(chunk->n >= 1 && chunk->n <= AIO_CHUNK_ROOM && chunk->joints <= ARM_MAX_JOINTS);
    samples += chunk->n;
    g_ptr_array_add(chunks, chunk);
  }
  require(chunks->len == aio_pack_chunks(pack) && samples == aio_pack_samples(pack));
  return chunks;
}

/* Takes the chunks. */
static void pack_again(GPtrArray *chunks) {
  const char *why = NULL;
  GByteArray *bytes = aio_pack_encode((AioChunk **)chunks->pdata, chunks->len);
  AioPack *pack = bytes ? aio_pack_open(bytes->data, bytes->len, &why) : NULL;
  require(pack != NULL && why == NULL);
  GPtrArray *again = read_all(pack);
  require(again->len == chunks->len);
  for (guint k = 0; k < chunks->len; k++)
    session_assert_same(again->pdata[k], chunks->pdata[k]);
  aio_pack_free(pack);
  g_ptr_array_unref(again);
  g_ptr_array_unref(chunks);
  g_byte_array_unref(bytes);
}

static void read_pack(const guint8 *bytes, gsize n) {
  const char *why = NULL;
  AioPack *pack = aio_pack_open(bytes, n, &why);
  require((pack != NULL) == (why == NULL));
  if (pack)
    pack_again(read_all(pack));
  aio_pack_free(pack);
}

static GByteArray *pack_of(const uint8_t *bytes, size_t length, bool is_deflated) {
  GByteArray *pack = g_byte_array_new();
  const gsize head = is_deflated ? length : MIN(length, AIO_PACK_HEADER);
  g_byte_array_append(pack, bytes, (guint)head);
  if (!is_deflated)
    aio_deflate(bytes + head, length - head, pack);
  if (pack->len > 8) {
    const guint32 crc = GUINT32_TO_LE(wire_crc32(0, pack->data + 8, pack->len - 8));
    memcpy(pack->data + 4, &crc, sizeof crc);
  }
  return pack;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length == 0)
    return 0;
  GByteArray *pack = pack_of(bytes + 1, length - 1, bytes[0] % 2 == 0);
  guint8 *copy = g_memdup2(pack->data, pack->len); /* reading beyond its end is seen */
  read_pack(copy, pack->len);
  g_free(copy);
  g_byte_array_unref(pack);
  return 0;
}
