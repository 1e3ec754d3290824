/* SPDX-License-Identifier: MIT */
/* Read twice, as a motion may be longer than the memory: once for where its time begins, once for
 * the rows. */
#include "ui/sweep/motion_samples.h"

#include <glib/gi18n.h>

#include "io/base/file.h"
#include "io/base/said.h"
#include "io/recording/recording_rows.h"
#include "io/store/store.h"

enum { PIECE = 1 << 16 }; /* bytes that are written at once */

typedef struct {
  char *session, *path;
  gint64 run;
  ArmModel model;
  AuiMotionSamplesDone done;
  void *ctx;
  GError *error;
  /* in the thread */
  AseJob *job;
  AioRows *rows;
  AioFileWriter *writer;
  GString *text;
} Work;

static void work_free(gpointer data) {
  Work *work = data;
  g_free(work->session);
  g_free(work->path);
  g_clear_error(&work->error);
  g_free(work);
}

static bool count(const AioStoreChunk *row, void *data) {
  Work *work = data;
  aio_rows_count(work->rows, row->chunk);
  return !ase_job_is_cancelled(work->job);
}

static bool write_text(Work *work, gsize least) {
  const bool ok = work->text->len < least ||
                  aio_file_writer_add(work->writer, work->text->str, work->text->len, &work->error);
  if (work->text->len >= least)
    g_string_truncate(work->text, 0);
  return ok;
}

static bool append(const AioStoreChunk *row, void *data) {
  Work *work = data;
  aio_rows_append(work->rows, row->chunk, work->text);
  return write_text(work, PIECE) && !ase_job_is_cancelled(work->job);
}

static bool has_rows(Work *work, AioStore *store) {
  if (!aio_store_each_chunk(store, work->run, count, work, &work->error) ||
      !aio_rows_end_connection(work->rows, &work->error))
    return false;
  if (aio_rows_total(work->rows) == 0)
    aio_error_set_said(&work->error, AIO_ERROR_NOT_FOUND,
                       N_("the session's file has no sample of the motion"));
  return !work->error && !ase_job_is_cancelled(work->job);
}

static void write_rows(Work *work, AioStore *store) {
  work->writer = aio_file_writer_new(work->path, true, &work->error);
  if (!work->writer)
    return;
  aio_rows_append_header(work->rows, work->text);
  const bool ok = aio_store_each_chunk(store, work->run, append, work, &work->error) &&
                  !work->error && !ase_job_is_cancelled(work->job) && write_text(work, 1);
  if (ok)
    aio_file_writer_close(work->writer, &work->error);
  else
    aio_file_writer_drop(work->writer);
}

static void write_samples(AseJob *job, void *data) {
  Work *work = data;
  AioStore *store = aio_store_open_read(work->session, &work->error);
  if (!store)
    return;
  g_autoptr(AioRows) rows = aio_rows_new(work->session, &work->model);
  g_autoptr(GString) text = g_string_new(NULL);
  work->job = job;
  work->rows = rows;
  work->text = text;
  if (has_rows(work, store))
    write_rows(work, store);
  aio_store_close(store, NULL);
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  Work *work = data;
  (void)ctx;
  if (!is_cancelled)
    work->done(work->path, work->error, work->ctx);
}

AseJob *aui_motion_samples_write(AseSession *session, const char *path, AuiMotionSamplesDone done,
                                 void *ctx, GError **error) {
  const gint64 run = ase_session_recorded_run(session);
  if (!run) { /* a file's run 0 is all of them */
    aio_error_set_said(error, AIO_ERROR_REFUSED, N_("there is no whole recording of a motion"));
    return NULL;
  }
  if (!ase_session_flush(session, error))
    return NULL;
  Work *work = g_new0(Work, 1);
  work->session = g_strdup(ase_session_path(session));
  work->path = g_strdup(path);
  work->run = run;
  work->model = ase_session_arm(session)->model;
  work->done = done;
  work->ctx = ctx;
  const AseJobTask task = {
      .work = write_samples, .data = work, .free_data = work_free, .done = on_done};
  return ase_job_start(&task);
}
