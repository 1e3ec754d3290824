/* SPDX-License-Identifier: MIT */
/* Packing takes the end of the 150 ms between two commits, when nobody waits for one, and adds no
 * sync of its own while an arm moves: what was packed in memory goes into the file with the samples
 * that came meanwhile. */
#include "io/store/recorder_internal.h"

enum { REST_US = 2000000 };

bool aio_recorder_has_packs(const AioRecorder *r) {
  return r->packer && aio_packer_is_ready(r->packer);
}

static bool is_failing(AioRecorder *r) {
  g_mutex_lock(&r->lock);
  const bool is_failing = r->failure != NULL;
  g_mutex_unlock(&r->lock);
  return is_failing;
}

/* Its log's index is mapped: who reads one that was cut off is killed (store_place.h). */
static bool prepare(AioRecorder *r, gint64 run, bool takes_all) {
  return aio_store_check_place(r->store, NULL) && aio_packer_prepare(r->packer, run, takes_all);
}

/* One at a time while an arm moves: its samples come first. */
void aio_recorder_pack(AioRecorder *r) {
  r->packed_us = g_get_monotonic_time();
  const gint64 until = r->packed_us + (aio_recorder_is_resting(r) ? AIO_RECORDER_PACKING_US : 0);
  if (!r->packer || !r->may_pack || aio_recorder_has_packs(r) || is_failing(r))
    return;
  do
    r->may_pack = prepare(r, r->run, false);
  while (r->may_pack && g_get_monotonic_time() < until);
}

static bool write_packs(AioRecorder *r) {
  if (!aio_store_check_place(r->store, NULL) || !aio_store_begin(r->store, NULL))
    return false;
  if (aio_packer_write(r->packer, NULL) && aio_store_commit(r->store, NULL)) {
    aio_packer_written(r->packer);
    return true;
  }
  aio_store_rollback(r->store);
  return false;
}

/* What cannot be packed, or not in time, is in the file all the same. */
void aio_recorder_pack_rest(AioRecorder *r) {
  const gint64 until = g_get_monotonic_time() + REST_US;
  if (!r->packer || is_failing(r))
    return;
  if (aio_recorder_has_packs(r) && !write_packs(r))
    return;
  while (prepare(r, 0, true) && write_packs(r) && g_get_monotonic_time() < until)
    ;
}
