/* SPDX-License-Identifier: MIT */
#include "session/measure/selection.h"

#include <glib/gi18n-lib.h>

AseSelection *ase_selection_begin(void) {
  AseSelection *selection = g_atomic_rc_box_new0(AseSelection);
  selection->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_use_unref);
  return selection;
}

AseSelection *ase_selection_ref(AseSelection *selection) {
  return g_atomic_rc_box_acquire(selection);
}

static void clear(gpointer selection) {
  g_ptr_array_unref(((AseSelection *)selection)->runs);
}

void ase_selection_unref(AseSelection *selection) {
  if (selection)
    g_atomic_rc_box_release_full(selection, clear);
}

void ase_selection_add(AseSelection *selection, AseRunUse *use) {
  if (use->rows == 0) {
    ase_run_use_unref(use);
    return;
  }
  g_ptr_array_add(selection->runs, use);
  selection->rows += use->rows;
  for (guint k = 0; k < ASE_SAMPLE_USES; k++)
    selection->counts[use->joint - 1][k] += use->counts[k];
}

AseRunUse *ase_selection_find(const AseSelection *selection, gint64 run) {
  for (guint k = 0; k < selection->runs->len; k++)
    if (((const AseRunUse *)selection->runs->pdata[k])->run == run)
      return selection->runs->pdata[k];
  return NULL;
}

gsize ase_selection_count(const AseSelection *selection, AseSampleUse use) {
  gsize count = 0;
  for (guint j = 0; j < ARM_MAX_JOINTS; j++)
    count += selection->counts[j][use];
  return count;
}

void ase_selection_fail_empty(AsePurpose purpose, GError **error) {
  aio_error_set_said(error, AIO_ERROR_NOT_FOUND, N_("no sweep of the %s has been recorded"),
                     ase_purpose_said(purpose));
}

/* ---- from runs ---- */

static void sift_chunk(const AioChunk *chunk, void *sifter) {
  for (guint k = 0; k < chunk->n; k++)
    if (ase_sifter_wants(sifter, chunk, k))
      ase_sifter_add(sifter, chunk, k);
}

/* NULL: error set. */
static AseRunUse *sift(AseSifter *sifter, const AseRun *run, AioStore **reader, GError **error) {
  ase_sifter_begin(sifter, run);
  return ase_run_each_chunk(run, reader, sift_chunk, sifter, error) ? ase_sifter_end(sifter) : NULL;
}

static AseRunUse *find_known(const AseSelection *known, const AseRun *run,
                             const GArray *exclusions) {
  AseRunUse *use = known ? ase_selection_find(known, run->id) : NULL;
  return use && ase_run_use_has(use, exclusions) ? ase_run_use_ref(use) : NULL;
}

AseSelection *ase_selection_new(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                AsePurpose purpose, const GArray *exclusions,
                                const AseSelection *known, GError **error) {
  AseSelection *selection = ase_selection_begin();
  AseSifter *sifter = ase_sifter_new(model, exclusions);
  AioStore *reader = NULL;
  bool ok = true;
  for (guint k = 0; k < runs->len && ok; k++) {
    const AseRun *run = runs->pdata[k];
    if (!run->sweeps || run->purpose != purpose)
      continue;
    AseRunUse *use = find_known(known, run, exclusions);
    if (!use && !ase_job_is_cancelled(job))
      use = sift(sifter, run, &reader, error);
    ok = use != NULL;
    if (ok)
      ase_selection_add(selection, use);
  }
  aio_store_close(reader, NULL);
  ase_sifter_free(sifter);
  if (ok && selection->rows == 0)
    ase_selection_fail_empty(purpose, error);
  if (!ok || selection->rows == 0)
    g_clear_pointer(&selection, ase_selection_unref);
  return selection;
}
