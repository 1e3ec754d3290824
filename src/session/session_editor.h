/* SPDX-License-Identifier: MIT */
/* Inside session_edits.c and session_standing.c only: what edits need beside what they edit. */
#ifndef ARMATURE_SESSION_SESSION_EDITOR_H
#define ARMATURE_SESSION_SESSION_EDITOR_H

#include "session/session_internal.h"
#include "session/undo.h"

typedef struct AseStanding AseStanding;

struct AseEditor {
  char *arm_name; /* how messages call the arm */
  char *arm_text; /* of the file that the arm is from, verbatim */
  AseUndo *undo;
  AseStanding *standing; /* with the edits that results rest on, NULL: none has been edited */
};

void ase_standing_free(AseStanding *standing); /* NULL allowed */

#endif
