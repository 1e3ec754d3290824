/* SPDX-License-Identifier: MIT */
/* What edits need beside what they edit: the text and name of the arm, what was before each edit,
 * and where the calibration stood before the first of those that its results do not rest on. Plain
 * values; whether an edit may be made is its owner's question. */
#ifndef ARMATURE_SESSION_EDITOR_H
#define ARMATURE_SESSION_EDITOR_H

#include "session/standing.h"
#include "session/undo.h"

typedef struct AseEditor AseEditor;

AseEditor *ase_editor_new(const char *arm_name);
void ase_editor_free(AseEditor *editor); /* NULL allowed */

/* How messages call the arm; of the file that it is from, verbatim, NULL: none yet. Borrowed. */
const char *ase_editor_arm_name(const AseEditor *editor);
const char *ase_editor_arm_json(const AseEditor *editor);
void ase_editor_take_arm_text(AseEditor *editor, char *arm_text);

AseUndo *ase_editor_undo(const AseEditor *editor); /* borrowed */
/* ase_undo_push, with the arm as it is. */
void ase_editor_remember(AseEditor *editor, const char *what, const AseEdits *edits);

/* NULL: nothing that has passed was edited away. Borrowed. */
const AseStanding *ase_editor_standing(const AseEditor *editor);
/* Instead of another one; taken over. NULL: something is measured, computed or written with the
 * edits as they are now. */
void ase_editor_take_standing(AseEditor *editor, AseStanding *standing);
/* The same, handed over; NULL: arm and edits are others than those of then. */
AseStanding *ase_editor_meet_standing(AseEditor *editor, const AseEdits *edits);

#endif
