/* SPDX-License-Identifier: MIT */
#include "ui/sweep/motion_reading.h"

#include <glib/gi18n.h>

#include "io/base/file.h"
#include "io/base/safe_text.h"
#include "io/csv/csv.h"

typedef struct {
  AseSession *session; /* not in the thread */
  char *path;
  AseCandidate *candidate;
  GError *error; /* of the thread: it names the file */
  AuiMotionRead done;
  void *ctx;
} Reading;

static void reading_free(gpointer data) {
  Reading *reading = data;
  g_free(reading->path);
  ase_candidate_free(reading->candidate);
  g_clear_error(&reading->error);
  g_free(reading);
}

/* What was read is let go here, too: that takes its time. */
static void read_file(AseJob *job, void *data) {
  Reading *reading = data;
  gsize length;
  g_autofree char *name = g_filename_display_basename(reading->path);
  g_autofree char *bytes =
      aio_file_read_all(reading->path, AIO_CSV_MAX_BYTES, &length, &reading->error);
  if (!bytes)
    return;
  g_autoptr(AioMotionTable) motion =
      aio_motion_load_bytes(name, bytes, length, &reading->candidate->model, &reading->error);
  if (motion && !ase_job_is_cancelled(job))
    ase_candidate_check(reading->candidate, motion, &reading->error);
}

/* What the session says of itself names no file. g_free. */
static char *refused_text(const char *path, const char *why) {
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *visible = aio_text_visible(name, false);
  return g_strdup_printf("%s: %s", visible, why);
}

/* NULL: it is taken. g_free. */
static char *take(const Reading *reading) {
  g_autoptr(GError) error = NULL;
  if (reading->error)
    return g_strdup(reading->error->message);
  return ase_session_take_candidate(reading->session, reading->candidate, &error)
             ? NULL
             : refused_text(reading->path, error->message);
}

static void on_read(void *data, bool is_cancelled, void *ctx) {
  const Reading *reading = data;
  (void)ctx;
  if (is_cancelled)
    return;
  g_autofree char *refused = take(reading);
  reading->done(refused, reading->ctx);
}

AseJob *aui_motion_read(AseSession *session, const char *path, AuiMotionRead done, void *ctx,
                        char **refused) {
  g_autoptr(GError) error = NULL;
  AseCandidate *candidate = ase_session_motion_candidate(session, 1.0, &error);
  if (!candidate) {
    *refused = refused_text(path, error->message);
    return NULL;
  }
  Reading *reading = g_new0(Reading, 1);
  reading->session = session;
  reading->path = g_strdup(path);
  reading->candidate = candidate;
  reading->done = done;
  reading->ctx = ctx;
  const AseJobTask task = {
      .work = read_file, .data = reading, .free_data = reading_free, .done = on_read};
  return ase_job_start(&task);
}

char *aui_motion_reading_text(const char *path) {
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *visible = aio_text_visible(name, false);
  /* Translators: the name of a file */
  return g_strdup_printf(_("Reading %s…"), visible);
}
