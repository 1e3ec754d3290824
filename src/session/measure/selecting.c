/* SPDX-License-Identifier: MIT */
/* What is cancelled in a thread is no longer what is to be selected: whoever wants it asks anew. */
#include "session/measure/selecting.h"

#include <glib-object.h>

struct AseSelecting {
  gpointer object;
  void (*changed)(gpointer object);
  AseSelection *selection; /* NULL: to be made */
  AseSelection *known;     /* what it was before; NULL: nothing that still holds */
  AseJob *job;             /* makes it, NULL: nobody does */
};

typedef struct {
  ArmModel model;
  GPtrArray *runs; /* of AseRun that have ended */
  GArray *exclusions;
  AseSelection *known;     /* NULL: nothing */
  AseSelection *selection; /* NULL: there is nothing */
} Work;

static void work_free(gpointer data) {
  Work *work = data;
  g_ptr_array_unref(work->runs);
  g_array_unref(work->exclusions);
  ase_selection_unref(work->known);
  ase_selection_unref(work->selection);
  g_free(work);
}

static void compute(AseJob *job, void *data) {
  Work *work = data;
  work->selection = ase_selection_new(job, &work->model, work->runs, ASE_PURPOSE_MEASURE,
                                      work->exclusions, work->known, NULL);
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
    ase_selecting_take(self, work->selection);
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
  work->known = self->known ? ase_selection_ref(self->known) : NULL;
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
  ase_selection_unref(self->selection);
  ase_selection_unref(self->known);
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
  if (in_thread) {
    begin(self, model, runs, exclusions);
    return NULL;
  }
  self->selection =
      ase_selection_new(NULL, model, runs, ASE_PURPOSE_MEASURE, exclusions, self->known, NULL);
  if (self->selection)
    g_clear_pointer(&self->known, ase_selection_unref);
  return self->selection;
}

void ase_selecting_take(AseSelecting *self, AseSelection *selection) {
  ase_selection_ref(selection);
  ase_selection_unref(self->selection);
  g_clear_pointer(&self->known, ase_selection_unref);
  self->selection = selection;
}

static void cancel(AseSelecting *self) {
  if (self->job)
    ase_job_cancel(self->job);
}

void ase_selecting_forget(AseSelecting *self) {
  g_clear_pointer(&self->selection, ase_selection_unref);
  g_clear_pointer(&self->known, ase_selection_unref);
  cancel(self);
}

void ase_selecting_outdate(AseSelecting *self) {
  if (self->selection) {
    ase_selection_unref(self->known);
    self->known = g_steal_pointer(&self->selection);
  }
  cancel(self);
}
