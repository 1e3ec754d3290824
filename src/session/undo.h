/* SPDX-License-Identifier: MIT */
/* What was before each edit, and what was after those that were undone: whole copies of all that a
 * user can edit. The oldest of a hundred is forgotten. */
#ifndef ARMATURE_SESSION_UNDO_H
#define ARMATURE_SESSION_UNDO_H

#include "session/edits.h"

typedef struct AseUndo AseUndo;

AseUndo *ase_undo_new(void);
void ase_undo_free(AseUndo *undo); /* NULL allowed */

/* Remembers, before an edit, what is; `what` is the edit in words ("exclude run 3"). What could be
 * redone is forgotten. Copies. */
void ase_undo_push(AseUndo *undo, const char *what, const char *arm_text, const AseEdits *edits);

/* The edit that would be undone or redone, in words; NULL: none. */
const char *ase_undo_what(const AseUndo *undo, bool is_redo);

/* What would be then; borrowed until the next push or swap. Not when there is none. */
void ase_undo_peek(const AseUndo *undo, bool is_redo, const char **arm_text,
                   const AseEdits **edits);

/* It has been done: what was before it, given here, can be had back by the opposite. */
void ase_undo_swap(AseUndo *undo, bool is_redo, const char *arm_text, const AseEdits *edits);

#endif
