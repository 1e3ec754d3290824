/* SPDX-License-Identifier: MIT */
/* The session's file: made, gone on with. */

#include "io/base/said.h"
#include "session/session_edits.h"
#include "session/session_load.h"
#include "session/session_object.h"

/* ---- opening ---- */

/* Takes over the store, also on failure. */
static bool start_record(AseSession *self, AioStore *store, GError **error) {
  if (!ase_record_start(self->record, store, error))
    return false;
  ase_device_add_queue(self->device, ase_record_queue(self->record));
  return true;
}

/* So that the file can be opened again from the first moment on. */
static bool write_begin(AioStore *store, gconstpointer data, GError **error) {
  const AseSession *self = data;
  char *edits = ase_edits_to_json(self->edits, &self->arm->model);
  char *steps = ase_procedure_to_json(self->procedure);
  const bool ok =
      aio_store_add_text(store, AIO_STORE_ARM, ase_editor_arm_json(self->editor), error) &&
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
  AioStore *store = aio_store_open_write(path, ase_record_program(self->record), error);
  if (store && aio_store_begin(store, error) && write_begin(store, self, error) &&
      aio_store_commit(store, error))
    return store;
  aio_store_close(store, NULL);
  return NULL;
}

static AioStore *make_store(AseSession *self, const char *path, GError **error) {
  GError *refused = NULL;
  AioStore *store =
      aio_store_create_filled(path, ase_record_program(self->record), write_begin, self, &refused);
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
  AseSession *self = ase_session_new(path, program, name, false);
  ase_session_take_arm(self, arm, g_strdup(arm_text));
  ase_edits_init(self->edits, &arm->model);
  ase_procedure_init(self->procedure, self->procedure->table, (guint)arm->model.n);
  ase_telling_know(self->telling, self->procedure);
  AioStore *store = make_store(self, path, error);
  if (!store || !start_record(self, store, error)) {
    g_object_unref(self);
    return NULL;
  }
  ase_record_flush(self->record, NULL); /* the first commit makes the log: three syncs */
  ase_session_configure(self);
  ase_session_sync(self);
  return self;
}

AseSession *ase_session_open(const char *path, const char *program, char **kept, GError **error) {
  AioStore *store = aio_store_open_waiting(path, program, error);
  if (!store)
    return NULL;
  AseSession *self = ase_session_new(path, program, path, false);
  guint interrupted = 0;
  const bool ok = ase_session_load(self, store, &interrupted, error);
  if (!ok)
    aio_store_close(store, NULL);
  if (!ok || !start_record(self, store, error)) {
    g_object_unref(self);
    return NULL;
  }
  /* nobody has done anything yet: what is said, and what the steps are now, waits */
  ase_record_wait(self->record);
  ase_telling_know(self->telling, self->procedure);
  char *words = ase_session_kept(self, interrupted);
  ase_session_say(self, 0, "%s", words);
  if (kept)
    *kept = g_strdup(aio_said_shown(words));
  g_free(words);
  return self;
}

AseSession *ase_session_open_read(const char *path, GError **error) {
  AioStore *store = aio_store_open_read(path, error);
  if (!store)
    return NULL;
  char *program = aio_store_get_meta(store, "program", NULL);
  AseSession *self = ase_session_new(path, program, path, true);
  guint interrupted = 0;
  g_free(program);
  const bool ok =
      aio_store_stand_still(store, error) && ase_session_load(self, store, &interrupted, error);
  aio_store_close(store, NULL);
  if (!ok)
    g_clear_object(&self);
  return self;
}

void ase_session_outline(AseSession *self) {
  ase_record_outline(self->record);
}
