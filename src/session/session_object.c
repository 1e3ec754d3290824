/* SPDX-License-Identifier: MIT */
/* It makes its parts, and hands on what they tell. */
#include "session/session_object.h"

#include "session/session_device.h"
#include "session/session_record.h"

G_DEFINE_FINAL_TYPE(AseSession, ase_session, G_TYPE_OBJECT)

AseSession *ase_session_new(const char *path, const char *program, const char *arm_name,
                            bool is_read_only) {
  AseSession *self = g_object_new(ASE_TYPE_SESSION, NULL);
  self->record = ase_session_make_record(self, path, program, is_read_only);
  self->editor = ase_editor_new(arm_name);
  return self;
}

static void tick(gpointer object) {
  ase_session_emit_clock(object);
}

static void progress(gpointer object, AseStep step, double part, double left_s) {
  ase_session_emit_progress(object, step, part, left_s);
}

static void changed(gpointer object) {
  ase_session_emit_changed(object);
}

static void diagnosed(gpointer object) {
  ase_session_emit_diagnosis(object);
}

static void ase_session_init(AseSession *self) {
  self->edits = g_new0(AseEdits, 1);
  self->procedure = g_new(AseProcedure, 1);
  ase_procedure_init(self->procedure, ase_session_steps(), 0); /* no arm yet */
  self->telling = ase_telling_new();
  self->device = ase_device_new();
  self->motion = ase_motion_new(self->device, self, tick);
  self->planned = ase_planned_new();
  self->work = ase_work_new(self, progress);
  self->selecting = ase_selecting_new(self, changed);
  self->results = ase_results_new();
  self->following = ase_following_new();
  self->diagnosing = ase_diagnosing_new(self, diagnosed);
  self->contact = ase_session_make_contact(self);
}

bool ase_session_close(AseSession *self, GError **error) {
  if (ase_record_is_closed(self->record))
    return true;
  ase_work_end(self->work);
  ase_selecting_stop(self->selecting);
  ase_planned_stop(self->planned);
  ase_diagnosing_stop(self->diagnosing);
  ase_motion_abandon(self->motion);
  if (ase_following_abandon(self->following))
    ase_session_write_steps(self);
  ase_record_abandon_run(self->record);
  ase_device_close(self->device); /* halts; its last samples and events are recorded yet */
  ase_procedure_resume(self->procedure);
  ase_session_sync(self);
  if (ase_record_is_writing(self->record))
    ase_device_remove_queue(self->device, ase_record_queue(self->record));
  return ase_record_close(self->record, error);
}

static void ase_session_dispose(GObject *object) {
  ase_session_close(ASE_SESSION(object), NULL);
  G_OBJECT_CLASS(ase_session_parent_class)->dispose(object);
}

static void ase_session_finalize(GObject *object) {
  AseSession *self = ASE_SESSION(object);
  ase_delivery_free(self->delivery);
  ase_following_free(self->following);
  ase_motion_free(self->motion);
  ase_contact_free(self->contact);
  g_clear_object(&self->device);
  ase_selecting_free(self->selecting);
  ase_planned_free(self->planned);
  ase_work_free(self->work);
  ase_results_free(self->results);
  ase_diagnosing_free(self->diagnosing);
  ase_editor_free(self->editor);
  aio_arm_free(self->arm);
  g_free(self->edits);
  g_free(self->procedure);
  ase_telling_free(self->telling);
  ase_record_free(self->record);
  G_OBJECT_CLASS(ase_session_parent_class)->finalize(object);
}

static void ase_session_class_init(AseSessionClass *klass) {
  G_OBJECT_CLASS(klass)->dispose = ase_session_dispose;
  G_OBJECT_CLASS(klass)->finalize = ase_session_finalize;
  ase_session_make_signals(G_TYPE_FROM_CLASS(klass));
}
