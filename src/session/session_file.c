/* SPDX-License-Identifier: MIT */
/* The session's file: made, gone on with, written by the recorder, closed. */
#include <glib/gi18n-lib.h>

#include "session/session_internal.h"

/* Chunks of 20 ms of the arm: five minutes of a real one, should the writer be held up so long. */
enum { QUEUE_CHUNKS = 1 << 14 };

/* ---- what is written ---- */

typedef struct {
  AioStoreText kind;
  char *text, *more, *sha256, *program;
  AioStoreStatistic statistic;
} Row;

static void row_free(gpointer data) {
  Row *row = data;
  g_free(row->text);
  g_free(row->more);
  g_free(row->sha256);
  g_free(row->program);
  g_free(row);
}

static bool write_text(AioStore *store, gconstpointer data, GError **error) {
  const Row *row = data;
  return aio_store_add_text(store, row->kind, row->text, error);
}

static bool write_statistic(AioStore *store, gconstpointer data, GError **error) {
  const Row *row = data;
  AioStoreStatistic statistic = row->statistic;
  statistic.name = row->text;
  return aio_store_add_statistic(store, &statistic, error);
}

static bool write_fit(AioStore *store, gconstpointer data, GError **error) {
  const Row *row = data;
  const AioStoreFit fit = {.utc_us = row->statistic.utc_us,
                           .program = row->program,
                           .dataset_sha256 = row->sha256,
                           .options = row->text,
                           .parameters = row->more};
  return aio_store_add_fit(store, &fit, error);
}

/* What opening found goes before the first row that somebody causes. */
AioRecorder *ase_session_recorder(AseSession *self) {
  GArray *said = g_steal_pointer(&self->said);
  if (!said)
    return self->recorder;
  if (self->abandoned)
    aio_recorder_end_run(self->recorder, self->abandoned, 0, _("interrupted: the program ended"));
  for (guint k = 0; k < said->len; k++)
    aio_recorder_add_event(self->recorder, &g_array_index(said, AioEvent, k));
  g_array_unref(said);
  char *steps = ase_procedure_to_json(self->told);
  ase_session_write_text(self, AIO_STORE_STEPS, steps);
  g_free(steps);
  return self->recorder;
}

void ase_session_write_text(AseSession *self, AioStoreText kind, const char *text) {
  AioRecorder *recorder = ase_session_recorder(self);
  if (!recorder)
    return;
  Row *row = g_new0(Row, 1);
  row->kind = kind;
  row->text = g_strdup(text);
  aio_recorder_add(recorder, write_text, row, row_free);
}

void ase_session_write_statistic(AseSession *self, gint64 run, const char *name, double value) {
  AioRecorder *recorder = ase_session_recorder(self);
  if (!recorder)
    return;
  Row *row = g_new0(Row, 1);
  row->text = g_strdup(name);
  row->statistic = (AioStoreStatistic){.run = run, .utc_us = g_get_real_time(), .value = value};
  aio_recorder_add(recorder, write_statistic, row, row_free);
}

void ase_session_write_fit(AseSession *self, const char *options, const char *parameters) {
  AioRecorder *recorder = ase_session_recorder(self);
  if (!recorder)
    return;
  Row *row = g_new0(Row, 1);
  row->statistic.utc_us = g_get_real_time();
  row->program = g_strdup(self->program);
  row->sha256 = g_strdup(self->fit_sha256);
  row->text = g_strdup(options);
  row->more = g_strdup(parameters);
  aio_recorder_add(recorder, write_fit, row, row_free);
}

/* ---- what leaves the memory ---- */

typedef struct {
  GWeakRef session;
  GMainContext *context; /* the session's, which outlives the recorder */
  gint64 run;
} Stored;

static void stored_free(gpointer data) {
  Stored *stored = data;
  g_weak_ref_clear(&stored->session);
  g_free(stored);
}

static gboolean on_stored(gpointer data) {
  Stored *stored = data;
  AseSession *self = g_weak_ref_get(&stored->session);
  for (guint k = 0; self && !self->is_closed && k < self->runs->len; k++) {
    AseRun *run = self->runs->pdata[k];
    if (run->id == stored->run)
      ase_run_shelve(run, self->shelf);
  }
  g_clear_object(&self);
  return G_SOURCE_REMOVE;
}

/* Nothing: its turn comes after all chunks of the run, in the same transaction or a later one. */
static bool write_nothing(AioStore *store, gconstpointer data, GError **error) {
  (void)store, (void)data, (void)error;
  return true;
}

/* In the writer's thread, when that is committed; or when it never will be, the session being
 * closed. */
static void on_committed(gpointer data) {
  Stored *stored = data;
  GSource *source = g_idle_source_new();
  g_source_set_callback(source, on_stored, stored, stored_free);
  g_source_attach(source, stored->context);
  g_source_unref(source);
}

void ase_session_shelve(AseSession *self, const AseRun *run) {
  if (!self->recorder || !run->id)
    return;
  Stored *stored = g_new0(Stored, 1);
  g_weak_ref_init(&stored->session, self);
  stored->context = self->context;
  stored->run = run->id;
  aio_recorder_add(self->recorder, write_nothing, stored, on_committed);
}

/* ---- opening ---- */

/* Takes over the store, also on failure. */
static bool start_recorder(AseSession *self, AioStore *store, GError **error) {
  const AioRecorderOptions options = {.program = self->program,
                                      .on_news = ase_session_on_news,
                                      .news_ctx = self,
                                      .idle_s = AIO_RECORDER_IDLE_S};
  self->context = g_main_context_ref_thread_default();
  self->queue = aio_queue_new("recorder", QUEUE_CHUNKS, AIO_QUEUE_KEEP_OLDEST, error);
  self->recorder = self->queue ? aio_recorder_new(store, self->queue, &options, error) : NULL;
  if (!self->recorder) {
    aio_store_close(store, NULL);
    return false;
  }
  ase_device_add_queue(self->device, self->queue);
  return true;
}

/* So that the file can be opened again from the first moment on. */
static bool write_begin(AioStore *store, gconstpointer data, GError **error) {
  const AseSession *self = data;
  char *edits = ase_edits_to_json(self->edits, &self->arm->model);
  char *steps = ase_procedure_to_json(self->procedure);
  const bool ok = aio_store_add_text(store, AIO_STORE_ARM, self->arm_text, error) &&
                  aio_store_add_text(store, AIO_STORE_PLAN, edits, error) &&
                  aio_store_add_text(store, AIO_STORE_STEPS, steps, error);
  g_free(edits);
  g_free(steps);
  return ok;
}

/* Earlier versions wrote the arm into a file that was there already. When they were killed in
 * between, there is a session with nothing in it. */
static bool is_blank(const char *path) {
  AioStore *store = aio_store_open_read(path, NULL);
  GError *missing = NULL;
  gint64 connection = 1, run = 1;
  char *arm = store ? aio_store_get_text(store, AIO_STORE_ARM, &missing) : NULL;
  const bool ok = g_error_matches(missing, AIO_ERROR, AIO_ERROR_NOT_FOUND) &&
                  aio_store_last_ids(store, &connection, &run, NULL) && !connection && !run;
  g_clear_error(&missing);
  g_free(arm);
  aio_store_close(store, NULL);
  return ok;
}

static AioStore *fill_blank(AseSession *self, const char *path, GError **error) {
  AioStore *store = aio_store_open_write(path, self->program, error);
  if (store && aio_store_begin(store, error) && write_begin(store, self, error) &&
      aio_store_commit(store, error))
    return store;
  aio_store_close(store, NULL);
  return NULL;
}

static AioStore *make_store(AseSession *self, const char *path, GError **error) {
  GError *refused = NULL;
  AioStore *store = aio_store_create_filled(path, self->program, write_begin, self, &refused);
  if (g_error_matches(refused, AIO_ERROR, AIO_ERROR_EXISTS) && is_blank(path)) {
    g_clear_error(&refused);
    store = fill_blank(self, path, error);
  }
  if (refused)
    g_propagate_error(error, refused);
  return store;
}

AseSession *ase_session_create(const char *path, const char *program, const char *name,
                               const char *arm_text, GError **error) {
  AioArm *arm = aio_arm_load_bytes(name, arm_text, strlen(arm_text), error);
  if (!arm)
    return NULL;
  AseSession *self = ase_session_new(path, program, name);
  ase_session_take_arm(self, arm, g_strdup(arm_text));
  ase_edits_init(self->edits, &arm->model);
  ase_procedure_init(self->procedure, (guint)arm->model.n);
  *self->told = *self->procedure;
  AioStore *store = make_store(self, path, error);
  if (!store || !start_recorder(self, store, error)) {
    g_object_unref(self);
    return NULL;
  }
  aio_recorder_flush(self->recorder, NULL); /* the first commit makes the log: three syncs */
  ase_session_configure(self);
  ase_session_sync(self);
  return self;
}

/* Nobody has done anything yet: what is said, and what the steps are now, waits. */
static void wait_for_rows(AseSession *self) {
  self->said = g_array_new(FALSE, FALSE, sizeof(AioEvent));
  self->abandoned = self->run; /* the run in which the program ended, if any */
  self->run = 0;
  *self->told = *self->procedure;
}

AseSession *ase_session_open(const char *path, const char *program, char **kept, GError **error) {
  AioStore *store = aio_store_open_waiting(path, program, error);
  if (!store)
    return NULL;
  AseSession *self = ase_session_new(path, program, path);
  guint interrupted = 0;
  const bool ok = ase_session_load(self, store, &interrupted, error);
  if (!ok)
    aio_store_close(store, NULL);
  if (!ok || !start_recorder(self, store, error)) {
    g_object_unref(self);
    return NULL;
  }
  wait_for_rows(self);
  char *words = ase_session_kept(self, interrupted);
  ase_session_say(self, 0, "%s", words);
  ase_session_outline(self);
  if (kept)
    *kept = g_steal_pointer(&words);
  g_free(words);
  return self;
}

AseSession *ase_session_open_read(const char *path, GError **error) {
  AioStore *store = aio_store_open_read(path, error);
  if (!store)
    return NULL;
  AseSession *self = ase_session_new(path, NULL, path);
  guint interrupted = 0;
  self->is_read_only = true;
  self->program = aio_store_get_meta(store, "program", NULL);
  const bool ok = ase_session_load(self, store, &interrupted, error);
  aio_store_close(store, NULL);
  if (ok)
    ase_session_outline(self);
  else
    g_clear_object(&self);
  return self;
}

/* ---- another place, and the end ---- */

bool ase_session_move_to(AseSession *self, const char *path, GError **error) {
  if (!self->recorder)
    return ase_session_refuse(error,
                              _("this session is open for reading only; copy its file instead"));
  aio_recorder_move_to(self->recorder, path);
  return true;
}

bool ase_session_recording(AseSession *self, AioRecorderStatus *out) {
  if (self->recorder)
    aio_recorder_status(self->recorder, out);
  return self->recorder != NULL;
}

const char *ase_session_disk_failure(AseSession *self) {
  return self->disk_failure;
}

const char *ase_session_rescued(AseSession *self) {
  return self->rescued;
}

const GError *ase_session_left_for(AseSession *self) {
  return self->left_for;
}

const char *ase_session_lost(AseSession *self) {
  return self->lost;
}

bool ase_session_close(AseSession *self, GError **error) {
  if (self->is_closed)
    return true;
  g_clear_pointer(&self->job, ase_job_free);
  g_clear_pointer(&self->selecting, ase_job_free);
  g_clear_pointer(&self->outlining, ase_job_free);
  g_clear_pointer(&self->forecasting, ase_job_free);
  g_clear_pointer(&self->diagnosing, ase_job_free);
  self->wants_forecast = false;
  ase_session_motion_abandon(self);
  ase_device_close(self->device); /* holds; its last samples and events are recorded yet */
  ase_procedure_resume(self->procedure);
  ase_session_sync(self);
  self->is_closed = true;
  bool ok = true;
  if (self->recorder) {
    ase_device_remove_queue(self->device, self->queue);
    ase_session_rescue_now(self);
    ok = aio_recorder_free(g_steal_pointer(&self->recorder), error);
    ase_session_forget_news(self);
  }
  g_clear_pointer(&self->said, g_array_unref);
  g_clear_pointer(&self->disk_failure, g_free);
  g_clear_pointer(&self->rescued, g_free);
  g_clear_pointer(&self->halted_for, g_free);
  g_clear_pointer(&self->queue, aio_queue_unref);
  g_clear_pointer(&self->context, g_main_context_unref);
  return ok;
}
