/* SPDX-License-Identifier: MIT */
/* What the eye wants of the runs in a file that was opened: all of it is read once, in a thread, so
 * that neither opening nor drawing waits for it; the more runs, the coarser. */
#include "session/record/record_internal.h"

typedef struct {
  GPtrArray *runs;   /* of AseRun that have ended */
  GPtrArray *traces; /* of AseTrace, of the first runs */
} OutlineWork;

static void outline_work_free(gpointer data) {
  OutlineWork *work = data;
  g_ptr_array_unref(work->runs);
  g_ptr_array_unref(work->traces);
  g_free(work);
}

static void read_traces(AseJob *job, void *data) {
  OutlineWork *work = data;
  AioStore *reader = NULL;
  const guint most = ase_trace_most(work->runs->len);
  for (guint k = 0; k < work->runs->len && ase_job_report(0.0, job); k++)
    g_ptr_array_add(work->traces, ase_run_read_trace(work->runs->pdata[k], most, &reader));
  aio_store_close(reader, NULL);
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void on_read(void *data, bool is_cancelled, void *ctx) {
  OutlineWork *work = data;
  AseRecord *self = ctx;
  (void)is_cancelled; /* what was read is right all the same */
  for (guint k = 0; k < work->traces->len; k++)
    ase_run_take_trace(work->runs->pdata[k], work->traces->pdata[k]);
  g_ptr_array_set_free_func(work->traces, NULL);
  g_clear_pointer(&self->outlining, ase_job_free);
}

void ase_record_outline(AseRecord *self) {
  OutlineWork *work = g_new0(OutlineWork, 1);
  work->runs = ase_record_ref_runs(self);
  work->traces = g_ptr_array_new_with_free_func((GDestroyNotify)ase_trace_free);
  const AseJobTask task = {.work = read_traces,
                           .data = work,
                           .free_data = outline_work_free,
                           .progress = on_progress,
                           .done = on_read,
                           .ctx = self};
  self->outlining = ase_job_start(&task);
}
