/* SPDX-License-Identifier: MIT */
#include "session/base/job.h"

struct AseJob {
  AseJobTask task;
  GMainContext *context;
  GThread *thread;
  GMutex lock; /* of what follows */
  double part;
  bool is_cancelled, is_over;
  GSource *news; /* on its way to the main context, NULL: none */
};

static gboolean on_news(gpointer data) {
  AseJob *job = data;
  g_mutex_lock(&job->lock);
  g_clear_pointer(&job->news, g_source_unref);
  const bool is_over = job->is_over, is_cancelled = job->is_cancelled;
  const double part = job->part;
  g_mutex_unlock(&job->lock);
  if (is_over)
    job->task.done(job->task.data, is_cancelled, job->task.ctx);
  else
    job->task.progress(part, job->task.ctx);
  return G_SOURCE_REMOVE;
}

/* With the lock held. */
static void tell(AseJob *job) {
  if (job->news)
    return;
  job->news = g_idle_source_new();
  g_source_set_priority(job->news, G_PRIORITY_DEFAULT);
  g_source_set_callback(job->news, on_news, job, NULL);
  g_source_attach(job->news, job->context);
}

bool ase_job_report(double part, void *data) {
  AseJob *job = data;
  g_mutex_lock(&job->lock);
  job->part = part;
  tell(job);
  const bool goes_on = !job->is_cancelled;
  g_mutex_unlock(&job->lock);
  return goes_on;
}

bool ase_job_is_cancelled(AseJob *job) {
  if (!job)
    return false;
  g_mutex_lock(&job->lock);
  const bool is_cancelled = job->is_cancelled;
  g_mutex_unlock(&job->lock);
  return is_cancelled;
}

static gpointer run(gpointer data) {
  AseJob *job = data;
  job->task.work(job, job->task.data);
  g_mutex_lock(&job->lock);
  job->is_over = true;
  tell(job);
  g_mutex_unlock(&job->lock);
  return NULL;
}

AseJob *ase_job_start(const AseJobTask *task) {
  AseJob *job = g_new0(AseJob, 1);
  job->task = *task;
  job->context = g_main_context_ref_thread_default();
  g_mutex_init(&job->lock);
  job->thread = g_thread_new("job", run, job);
  return job;
}

void ase_job_cancel(AseJob *job) {
  g_mutex_lock(&job->lock);
  job->is_cancelled = true;
  g_mutex_unlock(&job->lock);
}

void ase_job_free(AseJob *job) {
  if (!job)
    return;
  ase_job_cancel(job);
  g_thread_join(job->thread);
  if (job->news) {
    g_source_destroy(job->news);
    g_source_unref(job->news);
  }
  job->task.free_data(job->task.data);
  g_main_context_unref(job->context);
  g_mutex_clear(&job->lock);
  g_free(job);
}
