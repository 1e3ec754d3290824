/* SPDX-License-Identifier: MIT */
#include "session/work.h"

#include <math.h>

#define EARLY_PART 0.05 /* before it, nobody can say how long it will take */

struct AseWork {
  gpointer object;
  void (*progress)(gpointer object, AseStep step, double part, double left_s);
  void (*done)(void *data, bool is_cancelled, void *ctx); /* of the task */
  AseJob *job;                                            /* NULL: nothing is going on */
  bool is_over;
  AseStep step;
  gint64 began_us;
};

static void on_progress(double part, void *ctx) {
  AseWork *self = ctx;
  const double past_s = 1e-6 * (double)(g_get_monotonic_time() - self->began_us);
  const double left_s = part > EARLY_PART ? past_s * (1.0 - part) / part : (double)NAN;
  self->progress(self->object, self->step, part, left_s);
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  AseWork *self = ctx;
  self->done(data, is_cancelled, self->object);
}

AseWork *ase_work_new(gpointer object,
                      void (*progress)(gpointer object, AseStep step, double part, double left_s)) {
  AseWork *self = g_new0(AseWork, 1);
  self->object = object;
  self->progress = progress;
  return self;
}

void ase_work_free(AseWork *self) {
  if (self)
    ase_work_end(self);
  g_free(self);
}

void ase_work_start(AseWork *self, AseStep step, const AseJobTask *task) {
  AseJobTask mine = *task;
  mine.progress = on_progress;
  mine.done = on_done;
  mine.ctx = self;
  self->done = task->done;
  self->is_over = false;
  self->step = step;
  self->began_us = g_get_monotonic_time();
  self->job = ase_job_start(&mine);
}

void ase_work_cancel(AseWork *self) {
  if (ase_work_is_on(self))
    ase_job_cancel(self->job);
}

void ase_work_be_over(AseWork *self) {
  self->is_over = true;
}

void ase_work_end(AseWork *self) {
  g_clear_pointer(&self->job, ase_job_free);
}

bool ase_work_is_on(const AseWork *self) {
  return self->job && !self->is_over;
}

AseStep ase_work_step(const AseWork *self) {
  return self->step;
}
