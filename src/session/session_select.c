/* SPDX-License-Identifier: MIT */
/* What is selected of what was measured. An armed arm does not wait for the disk: its lease would
 * end. Its samples are then read in a thread. */
#include "session/session_internal.h"

typedef struct {
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  AseSelection *selection; /* NULL: there is nothing */
} SelectWork;

static void select_work_free(gpointer data) {
  SelectWork *work = data;
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  ase_selection_free(work->selection);
  g_free(work);
}

static void compute_selection(AseJob *job, void *data) {
  SelectWork *work = data;
  work->selection = ase_selection_new_within(job, &work->model, work->runs, ASE_PURPOSE_MEASURE,
                                             work->exclusions, NULL);
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

/* Cancelled: it is no longer what is to be selected. */
static void on_selected(void *data, bool is_cancelled, void *ctx) {
  SelectWork *work = data;
  AseSession *self = ctx;
  const bool is_news = !is_cancelled && !self->selection && work->selection;
  if (is_news)
    self->selection = g_steal_pointer(&work->selection);
  g_object_ref(self);
  g_clear_pointer(&self->selecting, ase_job_free);
  if (is_news || is_cancelled)
    ase_session_emit_changed(self);
  g_object_unref(self);
}

GArray *ase_session_exclusions(AseSession *self) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  g_array_append_vals(list, self->edits->exclusions, self->edits->n_exclusions);
  return list;
}

static void select_in_thread(AseSession *self) {
  SelectWork *work = g_new0(SelectWork, 1);
  work->model = self->arm->model;
  work->runs = ase_record_ref_runs(self->record);
  work->exclusions = ase_session_exclusions(self);
  const AseJobTask task = {.work = compute_selection,
                           .data = work,
                           .free_data = select_work_free,
                           .progress = on_progress,
                           .done = on_selected,
                           .ctx = self};
  self->selecting = ase_job_start(&task);
}

const AseSelection *ase_session_selection(AseSession *self) {
  if (self->selection || ase_motion_is_on(self->motion) || self->selecting ||
      ase_record_runs(self->record)->len == 0)
    return self->selection;
  if (ase_device_is_armed(self->device)) {
    select_in_thread(self);
    return NULL;
  }
  GArray *exclusions = ase_session_exclusions(self);
  self->selection = ase_selection_new(&self->arm->model, ase_record_runs(self->record),
                                      ASE_PURPOSE_MEASURE, exclusions, NULL);
  g_array_unref(exclusions);
  return self->selection;
}

void ase_session_forget_selection(AseSession *self) {
  g_clear_pointer(&self->selection, ase_selection_free);
  if (self->selecting)
    ase_job_cancel(self->selecting);
}

void ase_session_exclude(AseSession *self) {
  GArray *exclusions = ase_session_exclusions(self);
  if (self->selection)
    ase_selection_exclude(self->selection, exclusions);
  if (self->selecting)
    ase_job_cancel(self->selecting);
  g_array_unref(exclusions);
}
