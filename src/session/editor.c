/* SPDX-License-Identifier: MIT */
#include "session/editor.h"

struct AseEditor {
  char *arm_name; /* how messages call the arm */
  char *arm_text; /* of the file that the arm is from, verbatim */
  AseUndo *undo;
  AseStanding *standing; /* with the edits that results rest on, NULL: none has been edited */
};

AseEditor *ase_editor_new(const char *arm_name) {
  AseEditor *editor = g_new0(AseEditor, 1);
  editor->arm_name = g_strdup(arm_name);
  editor->undo = ase_undo_new();
  return editor;
}

void ase_editor_free(AseEditor *editor) {
  if (!editor)
    return;
  ase_standing_free(editor->standing);
  ase_undo_free(editor->undo);
  g_free(editor->arm_text);
  g_free(editor->arm_name);
  g_free(editor);
}

const char *ase_editor_arm_name(const AseEditor *editor) {
  return editor->arm_name;
}

const char *ase_editor_arm_json(const AseEditor *editor) {
  return editor->arm_text;
}

void ase_editor_take_arm_text(AseEditor *editor, char *arm_text) {
  g_free(editor->arm_text);
  editor->arm_text = arm_text;
}

AseUndo *ase_editor_undo(const AseEditor *editor) {
  return editor->undo;
}

void ase_editor_remember(AseEditor *editor, const char *what, const AseEdits *edits) {
  ase_undo_push(editor->undo, what, editor->arm_text, edits);
}

const AseStanding *ase_editor_standing(const AseEditor *editor) {
  return editor->standing;
}

void ase_editor_take_standing(AseEditor *editor, AseStanding *standing) {
  ase_standing_free(editor->standing);
  editor->standing = standing;
}

AseStanding *ase_editor_meet_standing(AseEditor *editor, const AseEdits *edits) {
  if (!editor->standing || !ase_standing_is_met(editor->standing, editor->arm_text, edits))
    return NULL;
  return g_steal_pointer(&editor->standing);
}
