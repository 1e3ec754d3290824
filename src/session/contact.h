/* SPDX-License-Identifier: MIT */
/* A calibration's view of what is connected: CONNECT, DESCRIBE and CHECK follow from what the
 * controller tells of itself, and its own parameters are asked for.
 *
 * It writes these three steps into a procedure, and knows neither file, motion nor fit: rows and
 * messages are its owner's. Everything in the thread (and default main context) that made it.
 */
#ifndef ARMATURE_SESSION_CONTACT_H
#define ARMATURE_SESSION_CONTACT_H

#include "session/device/device.h"
#include "session/edits.h"
#include "session/procedure.h"

/* Whom it tells; all functions get `object` first. */
typedef struct {
  gpointer object; /* a GObject, which frees the contact at its end, and is kept while it is told */
  const AioArm *(*arm)(gpointer object); /* as it is now; borrowed */
  /* for people and for the file: a sentence of io/base/said */
  void (*say)(gpointer object, int level, const char *said);
  void (*sync)(gpointer object); /* the procedure has changed */
  /* Another connection, which is described: JSON for the file. */
  void (*described)(gpointer object, const char *description);
  void (*event)(gpointer object, const AioEvent *event); /* as the controller reported it */
} AseContactOwner;

typedef struct AseContact AseContact;

/* Watches the device, of which it keeps a reference; procedure and edits are borrowed and stay. */
AseContact *ase_contact_new(AseDevice *device, AseProcedure *procedure, const AseEdits *edits,
                            const AseContactOwner *owner);
void ase_contact_free(AseContact *contact); /* NULL allowed */

/* ase_device_open, for the owner's arm. */
bool ase_contact_open(AseContact *contact, AioLink *link, const AseDeviceOptions *options,
                      GError **error);

/* CHECK. Waits for the first sample if none has come, and for the controller's parameters. */
void ase_contact_check(AseContact *contact);
/* The same, with what the parameters are now. */
void ase_contact_check_again(AseContact *contact);
/* The arm is another one: is what is connected its controller? */
void ase_contact_compare_arm(AseContact *contact);

/* Of AioParam, as the controller that is connected told them; empty: it has none, or has not told
 * them yet. Borrowed, valid until it is told anything. */
const GArray *ase_contact_params(const AseContact *contact);
/* Goes up when what was seen of the controller may not hold any more: another connection, or
 * parameters that are asked for anew. */
guint ase_contact_connections(const AseContact *contact);
double ase_contact_telemetry_hz(const AseContact *contact); /* wanted; 0: never connected */

#endif
