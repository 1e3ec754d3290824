/* SPDX-License-Identifier: MIT */
/* What the recorder's writer tells: the disk fails, the session goes on elsewhere. The main loop
 * hears it a moment later, a record that is being closed by itself. */
#include "io/base/said.h"
#include "session/record/record_internal.h"

#include <glib/gi18n-lib.h>

typedef struct {
  AioRecorderNewsKind kind;
  char *path;
  GError *error; /* NULL: none */
} News;

static void news_free(gpointer data) {
  News *news = data;
  g_free(news->path);
  g_clear_error(&news->error);
  g_free(news);
}

static void disk_failed(AseRecord *self, const GError *error, const char *text) {
  self->owner.halt(self->owner.object);
  g_clear_error(&self->failure);
  self->failure = error ? g_error_copy(error) : NULL;
  g_free(self->disk_failure);
  self->disk_failure = aio_said(N_("the session's file cannot be written: %s"), text);
  g_free(self->halted_for);
  self->halted_for = g_strdup(self->disk_failure);
  ase_record_say(self, 2, N_("hold: %s; samples stay in memory meanwhile"), text);
  self->owner.changed(self->owner.object);
}

static void disk_recovered(AseRecord *self) {
  g_clear_pointer(&self->disk_failure, g_free);
  ase_record_say(self, 0, N_("everything that was in memory is on the disk"));
  self->owner.changed(self->owner.object);
}

static void note_rescue(AseRecord *self, const char *path, const char *loss) {
  g_clear_pointer(&self->rescued, g_free);
  if (!self->rescue)
    return;
  g_clear_error(&self->left_for);
  self->left_for = self->failure ? g_error_copy(self->failure) : NULL;
  if (!g_error_matches(self->failure, AIO_ERROR, AIO_ERROR_GONE))
    return;
  /* TRANSLATORS: a file, another file, and what was lost, if anything */
  self->rescued = aio_said(N_("%s was deleted, renamed, overwritten or changed by another "
                              "program while the session was open. The session goes on in %s. "
                              "%s"),
                           aio_said_plain(self->path), aio_said_plain(path),
                           *loss ? loss : aio_said_word(N_("Nothing is lost.")));
}

static void write_now(AseRecord *self) {
  char *arm = self->owner.text(self->owner.object, AIO_STORE_ARM);
  char *plan = self->owner.text(self->owner.object, AIO_STORE_PLAN);
  char *steps = self->owner.text(self->owner.object, AIO_STORE_STEPS);
  ase_record_write_texts(self, arm, plan, steps);
  g_free(arm);
  g_free(plan);
  g_free(steps);
}

/* What was in it and is not among what waits is written once more: arm, plan, steps. */
static void goes_on_in(AseRecord *self, const char *path, const char *loss) {
  note_rescue(self, path, loss);
  g_free(self->path);
  self->path = g_strdup(path);
  self->rescue = 0;
  ase_shelf_move_to(self->shelf, path);
  write_now(self);
  ase_record_say(self, 0, N_("the session goes on in %s"), aio_said_plain(path));
  if (*loss) {
    g_free(self->lost);
    self->lost = g_strdup(loss);
    ase_record_say(self, 2, "%s", loss);
    self->owner.lost(self->owner.object);
  }
  self->owner.changed(self->owner.object);
}

/* Each reason is said once: to say it is a row too, which may be refused for the same reason. */
static void note_refused(AseRecord *self, const char *text) {
  if (!g_hash_table_add(self->refused, g_strdup(text)))
    return;
  if (!self->lost)
    self->lost = aio_said(N_("one row could not be recorded: %s"), text);
  ase_record_say(self, 1, N_("one row could not be recorded: %s"), text);
}

static void handle_news(AseRecord *self, const News *news) {
  const char *text = news->error ? aio_error_said(news->error) : "";
  switch (news->kind) {
  case AIO_RECORDER_FAILED:
    disk_failed(self, news->error, text);
    if (g_error_matches(news->error, AIO_ERROR, AIO_ERROR_GONE))
      ase_record_rescue(self);
    break;
  case AIO_RECORDER_RESUMED:
    disk_recovered(self);
    break;
  case AIO_RECORDER_MEMORY_FULL:
    ase_record_say(self, 2, N_("the memory is full too: from now on samples are lost (%s)"), text);
    break;
  case AIO_RECORDER_MOVED:
    goes_on_in(self, news->path, text);
    break;
  case AIO_RECORDER_MOVE_FAILED:
    if (!self->rescue || !ase_record_rescue(self))
      ase_record_say(self, 2, "%s", text);
    break;
  case AIO_RECORDER_REFUSED:
    note_refused(self, text);
    break;
  }
}

static News *next(AseRecord *self) {
  g_mutex_lock(&self->news_lock);
  News *news = g_queue_pop_head(&self->news);
  g_mutex_unlock(&self->news_lock);
  return news;
}

bool ase_record_hear(AseRecord *self) {
  bool was_told = false;
  for (News *news; (news = next(self)); news_free(news)) {
    handle_news(self, news);
    was_told = true;
  }
  return was_told;
}

void ase_record_forget_news(AseRecord *self) {
  for (News *news; (news = next(self));)
    news_free(news);
}

typedef struct {
  GWeakRef owner; /* whose record is there as long as it is */
  AseRecord *record;
} Call;

static void call_free(gpointer data) {
  g_weak_ref_clear(&((Call *)data)->owner);
  g_free(data);
}

static gboolean on_idle(gpointer data) {
  Call *call = data;
  gpointer owner = g_weak_ref_get(&call->owner);
  if (owner && !call->record->is_closed)
    ase_record_hear(call->record);
  g_clear_object(&owner);
  return G_SOURCE_REMOVE;
}

/* In the writer's thread. What is closed hears by itself. */
void ase_record_on_news(const AioRecorderNews *told, void *ctx) {
  AseRecord *self = ctx;
  News *news = g_new0(News, 1);
  Call *call = g_new0(Call, 1);
  g_weak_ref_init(&call->owner, self->owner.object);
  call->record = self;
  news->kind = told->kind;
  news->path = g_strdup(told->path);
  news->error = told->error ? g_error_copy(told->error) : NULL;
  g_mutex_lock(&self->news_lock);
  g_queue_push_tail(&self->news, news);
  g_mutex_unlock(&self->news_lock);
  GSource *source = g_idle_source_new();
  g_source_set_priority(source, G_PRIORITY_HIGH);
  g_source_set_callback(source, on_idle, call, call_free);
  g_source_attach(source, self->context);
  g_source_unref(source);
}
