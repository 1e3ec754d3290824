/* SPDX-License-Identifier: MIT */
/* What is cancelled in a thread is no longer what is to be selected: whoever wants it asks anew. */
#include "session/measure/selecting.h"

#include <glib-object.h>

struct AseSelecting {
  gpointer object;
  void (*changed)(gpointer object);
  AseSelection *selection; /* NULL: to be made */
  AseJob *job;             /* makes it, NULL: nobody does */
};

typedef struct {
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  AseSelection *selection; /* NULL: there is nothing */
} Work;

static void work_free(gpointer data) {
  Work *work = data;
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  ase_selection_free(work->selection);
  g_free(work);
}

static void compute(AseJob *job, void *data) {
  Work *work = data;
  work->selection = ase_selection_new_within(job, &work->model, work->runs, ASE_PURPOSE_MEASURE,
                                             work->exclusions, NULL);
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void on_selected(void *data, bool is_cancelled, void *ctx) {
  Work *work = data;
  AseSelecting *self = ctx;
  gpointer object = g_object_ref(self->object);
  const bool is_news = !is_cancelled && !self->selection && work->selection;
  if (is_news)
    self->selection = g_steal_pointer(&work->selection);
  g_clear_pointer(&self->job, ase_job_free);
  if (is_news || is_cancelled)
    self->changed(object);
  g_object_unref(object);
}

static void begin(AseSelecting *self, const ArmModel *model, const GPtrArray *runs,
                  const GArray *exclusions) {
  Work *work = g_new0(Work, 1);
  work->model = *model;
  work->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  for (guint k = 0; k < runs->len; k++)
    g_ptr_array_add(work->runs, ase_run_ref(runs->pdata[k]));
  work->exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  g_array_append_vals(work->exclusions, exclusions->data, exclusions->len);
  const AseJobTask task = {.work = compute,
                           .data = work,
                           .free_data = work_free,
                           .progress = on_progress,
                           .done = on_selected,
                           .ctx = self};
  self->job = ase_job_start(&task);
}

AseSelecting *ase_selecting_new(gpointer object, void (*changed)(gpointer object)) {
  AseSelecting *self = g_new0(AseSelecting, 1);
  self->object = object;
  self->changed = changed;
  return self;
}

void ase_selecting_free(AseSelecting *self) {
  if (!self)
    return;
  ase_selecting_stop(self);
  ase_selection_free(self->selection);
  g_free(self);
}

void ase_selecting_stop(AseSelecting *self) {
  g_clear_pointer(&self->job, ase_job_free);
}

const AseSelection *ase_selecting_have(const AseSelecting *self) {
  return self->selection;
}

const AseSelection *ase_selecting_make(AseSelecting *self, const ArmModel *model,
                                       const GPtrArray *runs, const GArray *exclusions,
                                       bool in_thread) {
  if (self->job)
    return NULL;
  if (in_thread)
    begin(self, model, runs, exclusions);
  else
    self->selection = ase_selection_new(model, runs, ASE_PURPOSE_MEASURE, exclusions, NULL);
  return self->selection;
}

void ase_selecting_take(AseSelecting *self, AseSelection *selection) {
  ase_selection_free(self->selection);
  self->selection = selection;
}

static void cancel(AseSelecting *self) {
  if (self->job)
    ase_job_cancel(self->job);
}

void ase_selecting_forget(AseSelecting *self) {
  g_clear_pointer(&self->selection, ase_selection_free);
  cancel(self);
}

void ase_selecting_exclude(AseSelecting *self, const GArray *exclusions) {
  if (self->selection)
    ase_selection_exclude(self->selection, exclusions);
  cancel(self);
}
