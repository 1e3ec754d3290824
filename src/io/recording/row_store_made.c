/* SPDX-License-Identifier: MIT */
/* What is made of a store's rows: a recording in memory, or the rows behind filters, for which it
 * has a store of its own. */
#include <string.h>

#include "io/recording/row_store_internal.h"

static void copy_rows(AioRecording *into, const ArmDataset *view, gsize begin, gsize first,
                      gsize rows) {
  const double *const from[] = {view->q, view->qd, view->current, view->qdd};
  double *const to[] = {into->q, into->qd, into->current, into->qdd};
  memcpy(into->t + first, view->t + begin, rows * sizeof *view->t);
  memcpy(into->joint + first, view->joint + begin, rows * sizeof *view->joint);
  for (gsize c = 0; c < G_N_ELEMENTS(from); c++)
    for (gsize j = 0; to[c] && j < into->n; j++)
      memcpy(to[c] + first + j * into->rows, from[c] + begin + j * view->rows,
             rows * sizeof *from[c]);
}

static AioRecording *recording_like(const AioRowStore *store, GError **error) {
  const AioRecording *about = store->about;
  AioRecording *made =
      aio_recording_new(about->name, store->model, store->rows, store->has_qdd, error);
  if (!made)
    return NULL;
  made->has_time = about->has_time;
  made->has_joint = about->has_joint;
  memcpy(made->has_speed, about->has_speed, sizeof made->has_speed);
  memcpy(made->has_current, about->has_current, sizeof made->has_current);
  memcpy(made->is_torque, about->is_torque, sizeof made->is_torque);
  return made;
}

AioRecording *aio_row_store_collect(AioRowStore *store, GError **error) {
  const ArmRowSource source = aio_row_store_source(store);
  AioRecording *made = recording_like(store, error);
  ArmDataset view;
  for (gsize k = 0, first = 0; made && first < source.rows; k++, first += source.width) {
    const gsize rows = MIN(source.width, source.rows - first);
    if (source.read(source.user, k, &view) == ARM_OK) {
      copy_rows(made, &view, k > 0 ? MARGIN : 0, first, rows);
      continue;
    }
    g_propagate_error(error, g_error_copy(store->error));
    g_clear_pointer(&made, aio_recording_free);
  }
  return made;
}

/* ---- behind filters ---- */

static ArmStatus put_filtered(void *user, const ArmDataset *rows, size_t begin, size_t end) {
  AioRowStore *store = user, *filtered = store->filtered;
  if (filtered && !filtered->steps) /* of an earlier fit */
    g_clear_pointer(&filtered, aio_row_store_free);
  if (!filtered) {
    filtered = store->filtered = aio_row_store_new(store->model);
    filtered->kept_bytes = KEPT_FILTERED;
    aio_row_store_begin(filtered, store->about, rows->qdd != NULL);
    g_array_set_size(filtered->about->segments, 1); /* times are those of the whole */
    g_array_set_size(filtered->about->shifts, 1);
  }
  return !filtered->error && aio_row_store_add_rows(filtered, rows, begin, end, &filtered->error)
             ? ARM_OK
             : ARM_E_SOURCE;
}

static ArmStatus end_filtered(void *user, const double *rounding, ArmRowSource *source) {
  AioRowStore *store = user, *filtered = store->filtered;
  *source = aio_row_store_source(filtered ? filtered : store);
  if (filtered)
    memcpy(filtered->rounding, rounding, store->model->n * sizeof *rounding);
  source->keeper = NULL;
  return ARM_OK;
}

void aio_row_store_init_keeper(AioRowStore *store) {
  store->keeper = (ArmRowKeeper){put_filtered, end_filtered, store};
}
