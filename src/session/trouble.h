/* SPDX-License-Identifier: MIT */
/* What keeps the arm from being used as it should: the worst of it, in words for a banner. Cause,
 * what the arm does meanwhile, and the one thing that helps. */
#ifndef ARMATURE_SESSION_TROUBLE_H
#define ARMATURE_SESSION_TROUBLE_H

#include "session/session.h"

/* The worst first. */
typedef enum {
  ASE_TROUBLE_NONE,
  ASE_TROUBLE_LINK_LOST,   /* the cable; nothing reaches the arm */
  ASE_TROUBLE_SILENT,      /* connected, but no sample comes */
  ASE_TROUBLE_LINK_FAILED, /* open, but nothing answers as it should */
  ASE_TROUBLE_ESTOP,       /* the emergency stop chain is open */
  ASE_TROUBLE_KILLED,      /* drives switched off by Power off or by the emergency string */
  ASE_TROUBLE_FAULT,       /* any other that is latched */
  ASE_TROUBLE_DISK,        /* what is measured cannot be written */
  ASE_TROUBLES
} AseTroubleKind;

/* What a button does about it. */
typedef enum {
  ASE_REMEDY_NONE, /* nothing that a program can do; `helps` says what a person can */
  ASE_REMEDY_RECONNECT,
  ASE_REMEDY_CLEAR_FAULTS,   /* ase_device_clear_faults */
  ASE_REMEDY_SAVE_ELSEWHERE, /* ase_session_move_to */
  ASE_REMEDIES
} AseRemedy;

typedef struct {
  AseTroubleKind kind;
  AseRemedy remedy;
  char *cause; /* "The link was lost: ..." */
  char *arm;   /* "It was armed: the controller holds it by itself, at the latest after 300 ms." */
  char *helps; /* "Plug the cable in again; the program then connects by itself." */
} AseTrouble;

/* Everything that is looked at; plain data, for tests and captures. Texts are borrowed, NULL or "":
 * none. */
typedef struct {
  AseLinkState link;
  bool is_silent;
  const char *foreign;      /* what somebody else sends on the line, of late */
  const char *reason;       /* of the device: why the link is lost or has failed */
  const AioState *state;    /* the last known; of a lost link, before it was lost; NULL: none */
  guint lease_ms;           /* of an armed arm */
  bool has_no_lease;        /* the controller does not halt by itself; of a lost link, did not */
  bool has_no_estop;        /* it watches over no emergency stop chain */
  bool comes_back;          /* a lost link is opened again without being asked */
  const char *disk_failure; /* as ase_session_disk_failure */
} AseSituation;

/* Fills *trouble, whose texts are then its own; kind NONE: texts NULL. */
void ase_trouble_of(AseTrouble *trouble, const AseSituation *situation);

/* The same of a session as it is now. It may be different after "changed" of session and
 * device. */
void ase_session_trouble(AseSession *session, AseTrouble *trouble);

/* Frees the texts; the struct is then as of kind NONE. */
void ase_trouble_clear(AseTrouble *trouble);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AseTrouble, ase_trouble_clear)

/* For a button: "Reconnect", "Clear faults", "Save elsewhere"; static, translated. NULL: of NONE.
 */
const char *ase_remedy_title(AseRemedy remedy);

#endif
