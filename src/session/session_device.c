/* SPDX-License-Identifier: MIT */
/* What the contact with the controller asks of a session; and who may connect one. */
#include "session/session_device.h"

#include <glib/gi18n-lib.h>

/* ---- what the contact asks ---- */

static const AioArm *arm_of(gpointer object) {
  return ((const AseSession *)object)->arm;
}

static void say(gpointer object, int level, const char *text) {
  ase_session_say(object, level, "%s", text);
}

static void sync_now(gpointer object) {
  ase_session_sync(object);
}

static void described(gpointer object, const char *description) {
  ase_record_connect(((AseSession *)object)->record, description);
}

static void on_event(gpointer object, const AioEvent *event) {
  AseSession *self = object;
  ase_record_add_event(self->record, event);
  if (event->kind == AIO_EVENT_FOREIGN || event->kind == AIO_EVENT_CLOCK)
    ase_session_emit_message(self, event->level, event->text);
}

AseContact *ase_session_make_contact(AseSession *self) {
  const AseContactOwner owner = {.object = self,
                                 .arm = arm_of,
                                 .say = say,
                                 .sync = sync_now,
                                 .described = described,
                                 .event = on_event};
  return ase_contact_new(self->device, self->procedure, self->edits, &owner);
}

/* ---- connecting ---- */

/* What is left behind stays as it is, and no stop reaches it any more. A link that is lost, or
 * silent, is nothing to stay for: no command is answered there. */
bool ase_session_may_connect(AseSession *self, GError **error) {
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error, N_("this session is open for reading only: it cannot record; "
                                        "open it for writing to connect a controller"));
  if (ase_device_link(self->device) != ASE_LINK_READY || ase_device_is_silent(self->device))
    return true;
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, N_("the arm moves; hold it first"));
  if (ase_device_is_armed(self->device))
    return ase_session_refuse(error, N_("the arm is armed; disarm it first"));
  return true;
}

bool ase_session_connect(AseSession *self, AioLink *link, const AseDeviceOptions *options,
                         GError **error) {
  if (!ase_session_may_connect(self, error))
    return false;
  ase_record_begin(self->record); /* makes the log: three syncs */
  return ase_contact_open(self->contact, link, options, error);
}

bool ase_session_disconnect(AseSession *self, GError **error) {
  if (!ase_session_may_connect(self, error))
    return false;
  ase_device_close(self->device);
  return true;
}
