/* SPDX-License-Identifier: MIT */
/* What the record asks of the session, and what others ask of the record: its place, and how the
 * writing goes. */
#include "session/session_record.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"

/* ---- what the record asks ---- */

static void say(gpointer object, int level, const char *text) {
  ase_session_say(object, level, "%s", text);
}

static void changed(gpointer object) {
  ase_session_emit_changed(object);
}

static void sync_now(gpointer object) {
  ase_session_sync(object);
}

static void halt(gpointer object) {
  AseSession *self = object;
  if (ase_device_is_armed(self->device))
    ase_device_halt(self->device);
}

/* Runs whose samples are in the file no more count no more. */
static void drop_lost(gpointer object) {
  AseSession *self = object;
  const guint dropped = ase_record_drop_lost(self->record);
  if (!dropped)
    return;
  char *text = aio_said_many("%u sweep lacks samples now: sweep again",
                             "%u sweeps lack samples now: sweep again", dropped);
  if (ase_procedure_state(self->procedure, ASE_STEP_SWEEP) == ASE_STATE_PASSED)
    ase_procedure_outdate(self->procedure, ASE_STEP_SWEEP, text);
  ase_session_say(self, 2, "%s", text);
  g_free(text);
}

static char *text_of(gpointer object, AioStoreText kind) {
  const AseSession *self = object;
  switch (kind) {
  case AIO_STORE_ARM:
    return g_strdup(ase_editor_arm_json(self->editor));
  case AIO_STORE_PLAN:
    return ase_edits_to_json(self->edits, &self->arm->model);
  case AIO_STORE_STEPS:
    break;
  }
  return ase_session_steps_text(self, self->procedure);
}

static char *told_steps(gpointer object) {
  const AseSession *self = object;
  return ase_session_steps_text(self, ase_telling_procedure(self->telling));
}

AseRecord *ase_session_make_record(AseSession *self, const char *path, const char *program,
                                   bool is_read_only) {
  const AseRecordOwner owner = {.object = self,
                                .say = say,
                                .changed = changed,
                                .sync = sync_now,
                                .halt = halt,
                                .lost = drop_lost,
                                .text = text_of,
                                .told = told_steps};
  return ase_record_new(path, program, is_read_only, &owner);
}

void ase_session_write_edits(AseSession *self, bool has_arm) {
  char *json = ase_edits_to_json(self->edits, &self->arm->model);
  char *steps = has_arm ? ase_session_steps_text(self, self->procedure) : NULL;
  ase_record_write_texts(self->record, has_arm ? ase_editor_arm_json(self->editor) : NULL, json,
                         steps);
  g_free(json);
  g_free(steps);
}

/* ---- another place ---- */

bool ase_session_move_to(AseSession *self, const char *path, GError **error) {
  if (!ase_record_is_writing(self->record))
    return ase_session_refuse(error,
                              N_("this session is open for reading only; copy its file instead"));
  ase_record_move_to(self->record, path);
  return true;
}

bool ase_session_recording(AseSession *self, AioRecorderStatus *out) {
  return ase_record_status(self->record, out);
}

const char *ase_session_disk_failure(AseSession *self) {
  const char *said = ase_record_disk_failure(self->record);
  return said ? aio_said_shown(said) : NULL;
}

const char *ase_session_rescued(AseSession *self) {
  const char *said = ase_record_rescued(self->record);
  return said ? aio_said_shown(said) : NULL;
}

const GError *ase_session_left_for(AseSession *self) {
  return ase_record_left_for(self->record);
}

const char *ase_session_lost(AseSession *self) {
  const char *said = ase_record_lost(self->record);
  return said ? aio_said_shown(said) : NULL;
}
