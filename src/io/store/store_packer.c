/* SPDX-License-Identifier: MIT */
/* Chunks are looked for by their rows alone, and read only when there are enough. What is deleted
 * was unpacked and compared before. */
#include "io/store/store_packer.h"

#include <string.h>

#include "io/store/store_blob.h"
#include "io/store/store_internal.h"
#include "io/store/store_pack.h"

/* Beyond these a pack gains nothing; fewer samples, with many joints, would. */
enum { ENOUGH_BYTES = 192 << 10, LEAST_SAMPLES = 250 };

/* Chunks of one run whose ids follow one another. */
typedef struct {
  gint64 first, last, connection, run;
  guint n, chunks;
  gsize bytes;
} Group;

typedef struct {
  Group group;
  guint64 first_index, t0_us;
  GByteArray *bytes;
} Prepared;

struct AioPacker {
  AioStore *store;
  gint64 next;     /* id: where to go on */
  GQueue prepared; /* of Prepared */
};

static void prepared_free(gpointer data) {
  g_byte_array_unref(((Prepared *)data)->bytes);
  g_free(data);
}

AioPacker *aio_packer_new(AioStore *store) {
  AioPacker *packer = g_new0(AioPacker, 1);
  *packer = (AioPacker){.store = store, .next = 1};
  return packer;
}

void aio_packer_free(AioPacker *packer) {
  if (packer)
    g_queue_clear_full(&packer->prepared, prepared_free);
  g_free(packer);
}

/* ---- which ---- */

static bool continues(const Group *group, const Group *row) {
  return row->first == group->last + 1 && row->connection == group->connection &&
         row->run == group->run && group->n + row->n <= AIO_PACK_ROOM;
}

static void take_in(Group *group, const Group *row) {
  if (group->chunks == 0)
    *group = *row;
  else
    group->last = row->first, group->n += row->n, group->bytes += row->bytes, group->chunks++;
}

static bool is_large(const Group *group) {
  return group->bytes >= ENOUGH_BYTES && group->n >= LEAST_SAMPLES;
}

static Group row_of(AioSqlQuery *query) {
  const gint64 id = aio_sql_int_at(query, 0);
  return (Group){.first = id,
                 .last = id,
                 .connection = aio_sql_int_at(query, 1),
                 .run = aio_sql_int_at(query, 2),
                 .n = (guint)aio_sql_int_at(query, 3),
                 .chunks = 1,
                 .bytes = (gsize)aio_sql_int_at(query, 4)};
}

/* The next ones. `is_over`: there are others behind them, or they are enough. */
static Group find_group(AioPacker *packer, bool *is_over) {
  const AioSqlValue next = aio_sql_int(packer->next);
  AioSqlQuery *query = aio_sql_query(packer->store->sql,
                                     "SELECT id, connection, run, n, length(data) FROM chunks"
                                     " WHERE id >= ? AND id < 9223372036854775807 ORDER BY id",
                                     &next, 1, NULL);
  Group group = {.chunks = 0};
  *is_over = false;
  while (query && !*is_over && aio_sql_next(query, NULL) == 1) {
    const Group row = row_of(query);
    *is_over = group.chunks > 0 && !continues(&group, &row);
    if (!*is_over)
      take_in(&group, &row);
    *is_over = *is_over || is_large(&group);
  }
  aio_sql_query_free(query);
  return group;
}

/* ---- packing ---- */

typedef struct {
  GPtrArray *chunks; /* of AioChunk */
  GPtrArray *blobs;  /* of GByteArray, as they are in the file */
} Read;

/* false: it is not as it should be, or cannot be read. */
static bool read_chunk(AioSqlQuery *query, Read *read) {
  const char *why = NULL;
  gsize n = 0;
  const guint8 *bytes = aio_sql_blob_at(query, 3, &n);
  AioChunk *chunk = bytes ? aio_blob_decode(bytes, n, &why) : NULL;
  if (!chunk)
    return false;
  g_ptr_array_add(read->blobs, g_byte_array_append(g_byte_array_new(), bytes, (guint)n));
  g_ptr_array_add(read->chunks, aio_chunk_pack(chunk));
  chunk = read->chunks->pdata[read->chunks->len - 1];
  return (gint64)chunk->first_index == aio_sql_int_at(query, 0) &&
         (gint64)chunk->n == aio_sql_int_at(query, 1) &&
         (gint64)chunk->t_us[0] == aio_sql_int_at(query, 2);
}

static bool read_group(AioPacker *packer, const Group *group, Read *read) {
  const AioSqlValue ends[] = {aio_sql_int(group->first), aio_sql_int(group->last)};
  AioSqlQuery *query = aio_sql_query(packer->store->sql,
                                     "SELECT first_index, n, t0_us, data FROM chunks"
                                     " WHERE id BETWEEN ? AND ? ORDER BY id",
                                     ends, G_N_ELEMENTS(ends), NULL);
  bool is_read = query != NULL;
  while (is_read && aio_sql_next(query, NULL) == 1)
    is_read = read_chunk(query, read);
  aio_sql_query_free(query);
  return is_read && read->chunks->len == group->chunks;
}

static bool is_same(AioChunk *chunk, const GByteArray *blob) {
  GByteArray *again = aio_blob_encode(chunk);
  const bool is_same = again->len == blob->len && memcmp(again->data, blob->data, blob->len) == 0;
  g_byte_array_unref(again);
  return is_same;
}

/* What is deleted is in the pack, to the byte. */
static bool returns(const GByteArray *bytes, const GPtrArray *blobs) {
  const char *why = NULL;
  AioPack *pack = aio_pack_open(bytes->data, bytes->len, &why);
  bool are_same = pack && aio_pack_chunks(pack) == blobs->len;
  for (guint k = 0; are_same && k < blobs->len; k++) {
    AioChunk *chunk = aio_pack_next(pack);
    are_same = is_same(chunk, blobs->pdata[k]);
    aio_chunk_unref(chunk);
  }
  aio_pack_free(pack);
  return are_same;
}

/* NULL: they stay as they are. */
static Prepared *pack_read(const Group *group, const Read *read) {
  GByteArray *bytes = aio_pack_encode((AioChunk *const *)read->chunks->pdata, read->chunks->len);
  if (!bytes || !returns(bytes, read->blobs)) {
    if (bytes)
      g_byte_array_unref(bytes);
    return NULL;
  }
  const AioChunk *first = read->chunks->pdata[0];
  const Prepared prepared = {
      .group = *group, .first_index = first->first_index, .t0_us = first->t_us[0], .bytes = bytes};
  return g_memdup2(&prepared, sizeof prepared);
}

static Prepared *pack_group(AioPacker *packer, const Group *group) {
  Read read = {g_ptr_array_new_with_free_func((GDestroyNotify)aio_chunk_unref),
               g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref)};
  Prepared *prepared = read_group(packer, group, &read) ? pack_read(group, &read) : NULL;
  g_ptr_array_unref(read.chunks);
  g_ptr_array_unref(read.blobs);
  return prepared;
}

/* One chunk by itself stays as it is. */
bool aio_packer_prepare(AioPacker *packer, gint64 open_run, bool is_ending) {
  for (;;) {
    bool is_over = false;
    const Group group = find_group(packer, &is_over);
    if (group.chunks == 0 || (!is_over && !is_ending && group.run == open_run))
      return false;
    packer->next = group.last + 1;
    Prepared *prepared = group.chunks > 1 ? pack_group(packer, &group) : NULL;
    if (!prepared)
      continue;
    g_queue_push_tail(&packer->prepared, prepared);
    return true;
  }
}

bool aio_packer_is_ready(const AioPacker *packer) {
  return packer->prepared.length > 0;
}

/* ---- into the file ---- */

static bool write_one(AioStore *store, const Prepared *p, GError **error) {
  const AioSqlValue row[] = {
      aio_sql_int(p->group.first),         aio_sql_int(p->group.chunks),
      aio_sql_int(p->group.connection),    aio_sql_id(p->group.run),
      aio_sql_int((gint64)p->first_index), aio_sql_int(p->group.n),
      aio_sql_int((gint64)p->t0_us),       aio_sql_blob(p->bytes->data, p->bytes->len)};
  const AioSqlValue ends[] = {aio_sql_int(p->group.first), aio_sql_int(p->group.last)};
  return aio_sql_run(store->sql,
                     "INSERT INTO packs (id, chunks, connection, run, first_index, n, t0_us, data)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                     row, G_N_ELEMENTS(row), error) &&
         aio_sql_run(store->sql, "DELETE FROM chunks WHERE id BETWEEN ? AND ?", ends,
                     G_N_ELEMENTS(ends), error);
}

bool aio_packer_write(AioPacker *packer, GError **error) {
  bool is_written = true;
  aio_sql_allow_delete(packer->store->sql, true);
  for (GList *link = packer->prepared.head; is_written && link; link = link->next)
    is_written = write_one(packer->store, link->data, error);
  aio_sql_allow_delete(packer->store->sql, false);
  return is_written;
}

void aio_packer_written(AioPacker *packer) {
  g_queue_clear_full(&packer->prepared, prepared_free);
}

void aio_packer_forget(AioPacker *packer) {
  const Prepared *first = g_queue_peek_head(&packer->prepared);
  if (first)
    packer->next = first->group.first;
  g_queue_clear_full(&packer->prepared, prepared_free);
}
