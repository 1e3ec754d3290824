/* SPDX-License-Identifier: MIT */
/* Rows: the first one that somebody causes brings what opening found; and the end of the file. */
#include "io/base/said.h"
#include "session/record/record_internal.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

/* Chunks of 20 ms of the arm: five minutes of a real one, should the writer be held up so long. */
enum { QUEUE_CHUNKS = 1 << 14 };

void ase_record_say(AseRecord *self, int level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *said = aio_said_v(format, arguments);
  va_end(arguments);
  self->owner.say(self->owner.object, level, said);
  g_free(said);
}

/* ---- what is written ---- */

typedef struct {
  char *texts[AIO_STORE_STEPS + 1]; /* by AioStoreText */
  char *text, *more, *sha256, *program;
  AioStoreStatistic statistic;
} Row;

static void row_free(gpointer data) {
  Row *row = data;
  for (gsize k = 0; k < G_N_ELEMENTS(row->texts); k++)
    g_free(row->texts[k]);
  g_free(row->text);
  g_free(row->more);
  g_free(row->sha256);
  g_free(row->program);
  g_free(row);
}

static bool write_texts(AioStore *store, gconstpointer data, GError **error) {
  const Row *row = data;
  bool is_written = true;
  for (gsize k = 0; k < G_N_ELEMENTS(row->texts) && is_written; k++)
    is_written = !row->texts[k] || aio_store_add_text(store, (AioStoreText)k, row->texts[k], error);
  return is_written;
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
AioRecorder *ase_record_recorder(AseRecord *self) {
  GArray *said = g_steal_pointer(&self->said);
  if (!said)
    return self->recorder;
  if (self->abandoned)
    aio_recorder_end_run(self->recorder, self->abandoned, 0,
                         aio_said_word(N_("interrupted: the program ended")));
  for (guint k = 0; k < said->len; k++)
    aio_recorder_add_event(self->recorder, &g_array_index(said, AioEvent, k));
  g_array_unref(said);
  char *steps = self->owner.told(self->owner.object);
  ase_record_write_texts(self, NULL, NULL, steps);
  g_free(steps);
  return self->recorder;
}

void ase_record_write_texts(AseRecord *self, const char *arm, const char *plan, const char *steps) {
  AioRecorder *recorder = ase_record_recorder(self);
  if (!recorder)
    return;
  Row *row = g_new0(Row, 1);
  row->texts[AIO_STORE_ARM] = g_strdup(arm);
  row->texts[AIO_STORE_PLAN] = g_strdup(plan);
  row->texts[AIO_STORE_STEPS] = g_strdup(steps);
  aio_recorder_add(recorder, write_texts, row, row_free);
}

void ase_record_write_statistic(AseRecord *self, gint64 run, const char *name, double value) {
  AioRecorder *recorder = ase_record_recorder(self);
  if (!recorder)
    return;
  Row *row = g_new0(Row, 1);
  row->text = g_strdup(name);
  row->statistic = (AioStoreStatistic){.run = run, .utc_us = g_get_real_time(), .value = value};
  aio_recorder_add(recorder, write_statistic, row, row_free);
}

void ase_record_write_fit(AseRecord *self, const char *dataset_sha256, const char *options,
                          const char *parameters) {
  AioRecorder *recorder = ase_record_recorder(self);
  if (!recorder)
    return;
  Row *row = g_new0(Row, 1);
  row->statistic.utc_us = g_get_real_time();
  row->program = g_strdup(self->program);
  row->sha256 = g_strdup(dataset_sha256);
  row->text = g_strdup(options);
  row->more = g_strdup(parameters);
  aio_recorder_add(recorder, write_fit, row, row_free);
}

void ase_record_add_event(AseRecord *self, const AioEvent *event) {
  if (self->recorder)
    aio_recorder_add_event(ase_record_recorder(self), event);
}

void ase_record_log(AseRecord *self, const AioEvent *event) {
  if (self->said)
    g_array_append_val(self->said, *event);
  else if (self->recorder)
    aio_recorder_add_event(self->recorder, event);
}

void ase_record_connect(AseRecord *self, const char *description) {
  if (self->recorder)
    aio_recorder_connect(ase_record_recorder(self), description);
}

gint64 ase_record_begin_run(AseRecord *self, const AseLeg *leg) {
  const AioStoreRun row = {.kind = ase_run_kind(leg),
                           .joint = leg->joint,
                           .hold = leg->hold,
                           .speed = leg->trajectory ? (double)NAN : leg->speed_R};
  self->run = self->recorder ? aio_recorder_begin_run(ase_record_recorder(self), &row) : 0;
  return self->run;
}

void ase_record_end_run(AseRecord *self, const AseRun *run) {
  if (self->recorder)
    aio_recorder_end_run(ase_record_recorder(self), run->id, run->motion, run->outcome);
  self->run = 0;
}

void ase_record_note_open_run(AseRecord *self, gint64 run) {
  self->run = run;
}

void ase_record_abandon_run(AseRecord *self) {
  if (self->run && self->recorder)
    aio_recorder_end_run(self->recorder, self->run, 0,
                         aio_said_word(N_("interrupted: the program ended")));
  self->run = 0;
}

/* ---- the file ---- */

AseRecord *ase_record_new(const char *path, const char *program, bool is_read_only,
                          const AseRecordOwner *owner) {
  AseRecord *self = g_new0(AseRecord, 1);
  self->owner = *owner;
  self->path = g_strdup(path);
  self->program = g_strdup(program ? program : "unknown"); /* somebody took it out of the file */
  self->is_read_only = is_read_only;
  self->shelf = ase_shelf_new(path);
  self->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  self->earlier = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  self->refused = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_mutex_init(&self->news_lock);
  return self;
}

void ase_record_free(AseRecord *self) {
  if (!self)
    return;
  g_ptr_array_unref(self->runs);
  g_ptr_array_unref(self->earlier);
  ase_shelf_unref(self->shelf);
  g_mutex_clear(&self->news_lock);
  g_clear_error(&self->failure);
  g_clear_error(&self->left_for);
  g_free(self->lost);
  g_hash_table_unref(self->refused);
  g_free(self->path);
  g_free(self->program);
  g_free(self);
}

bool ase_record_start(AseRecord *self, AioStore *store, GError **error) {
  const AioRecorderOptions options = {.program = self->program,
                                      .on_news = ase_record_on_news,
                                      .news_ctx = self,
                                      .idle_s = AIO_RECORDER_IDLE_S};
  self->context = g_main_context_ref_thread_default();
  self->queue = aio_queue_new(N_("recorder"), QUEUE_CHUNKS, AIO_QUEUE_KEEP_OLDEST, error);
  self->recorder = self->queue ? aio_recorder_new(store, self->queue, &options, error) : NULL;
  if (!self->recorder)
    aio_store_close(store, NULL);
  return self->recorder != NULL;
}

void ase_record_wait(AseRecord *self) {
  self->said = g_array_new(FALSE, FALSE, sizeof(AioEvent));
  self->abandoned = self->run; /* the run in which the program ended, if any */
  self->run = 0;
}

void ase_record_begin(AseRecord *self) {
  if (self->said)
    aio_recorder_flush(ase_record_recorder(self), NULL);
}

bool ase_record_close(AseRecord *self, GError **error) {
  bool ok = true;
  self->is_closed = true;
  g_clear_pointer(&self->outlining, ase_job_free);
  if (self->recorder) {
    ase_record_rescue_now(self);
    ok = aio_recorder_free(g_steal_pointer(&self->recorder), error);
    ase_record_forget_news(self);
  }
  g_clear_pointer(&self->said, g_array_unref);
  g_clear_pointer(&self->disk_failure, g_free);
  g_clear_pointer(&self->rescued, g_free);
  g_clear_pointer(&self->halted_for, g_free);
  g_clear_pointer(&self->queue, aio_queue_unref);
  g_clear_pointer(&self->context, g_main_context_unref);
  return ok;
}

void ase_record_look_where_from(AseRecord *self, AioStore *store) {
  GStatBuf info;
  char *host = aio_store_get_meta(store, "host", NULL);
  self->is_foreign = g_strcmp0(host, g_get_host_name()) != 0 ||
                     g_stat(aio_store_path(store), &info) != 0 || info.st_uid != geteuid();
  g_free(host);
}

bool ase_record_is_own(const AseRecord *self) {
  return !self->is_foreign;
}
bool ase_record_is_read_only(const AseRecord *self) {
  return self->is_read_only;
}
bool ase_record_is_closed(const AseRecord *self) {
  return self->is_closed;
}
bool ase_record_is_writing(const AseRecord *self) {
  return self->recorder != NULL;
}
const char *ase_record_path(const AseRecord *self) {
  return self->path;
}
const char *ase_record_program(const AseRecord *self) {
  return self->program;
}
AioQueue *ase_record_queue(const AseRecord *self) {
  return self->queue;
}

bool ase_record_status(const AseRecord *self, AioRecorderStatus *out) {
  if (self->recorder)
    aio_recorder_status(self->recorder, out);
  return self->recorder != NULL;
}

void ase_record_move_to(AseRecord *self, const char *path) {
  aio_recorder_move_to(self->recorder, path);
}

bool ase_record_flush(AseRecord *self, GError **error) {
  return aio_recorder_flush(self->recorder, error);
}

const char *ase_record_disk_failure(const AseRecord *self) {
  return self->disk_failure;
}
const char *ase_record_halted_for(const AseRecord *self) {
  return self->halted_for;
}
void ase_record_forget_halt(AseRecord *self) {
  g_clear_pointer(&self->halted_for, g_free);
}
const char *ase_record_rescued(const AseRecord *self) {
  return self->rescued;
}
const char *ase_record_lost(const AseRecord *self) {
  return self->lost;
}
const GError *ase_record_left_for(const AseRecord *self) {
  return self->left_for;
}
