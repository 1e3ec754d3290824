/* SPDX-License-Identifier: MIT */
#include "session/runs.h"

AseRun *ase_run_new(const AseLeg *leg, gint64 id) {
  AseRun *run = g_new0(AseRun, 1);
  *run = (AseRun){.id = id,
                  .purpose = leg->purpose,
                  .sweeps = leg->sweeps,
                  .joint = leg->joint,
                  .hold = leg->hold,
                  .speed = leg->speed_R,
                  .chunks = g_ptr_array_new_with_free_func((GDestroyNotify)aio_chunk_unref)};
  g_atomic_ref_count_init(&run->references);
  return run;
}

AseRun *ase_run_ref(AseRun *run) {
  g_atomic_ref_count_inc(&run->references);
  return run;
}

void ase_run_unref(AseRun *run) {
  if (!run || !g_atomic_ref_count_dec(&run->references))
    return;
  g_ptr_array_unref(run->chunks);
  g_free(run->outcome);
  g_free(run);
}

bool ase_run_owns(const AseRun *run, const AioChunk *chunk, guint k) {
  return !run->motion || chunk->motion[k] == run->motion;
}

gsize ase_run_samples(const AseRun *run) {
  gsize n = 0;
  for (guint c = 0; c < run->chunks->len; c++) {
    const AioChunk *chunk = run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++)
      n += ase_run_owns(run, chunk, k) ? 1 : 0;
  }
  return n;
}
