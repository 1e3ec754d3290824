/* SPDX-License-Identifier: MIT */
#include "session/undo.h"

enum { DEPTH = 100 }; /* chosen: each is a whole copy */

typedef struct {
  char *what, *arm_text;
  AseEdits edits;
} Snapshot;

struct AseUndo {
  GQueue stack[2]; /* of Snapshot, the next one last; [1] to be redone */
};

static Snapshot *snapshot_new(const char *what, const char *arm_text, const AseEdits *edits) {
  Snapshot *s = g_new(Snapshot, 1);
  s->what = g_strdup(what);
  s->arm_text = g_strdup(arm_text);
  memcpy(&s->edits, edits, sizeof s->edits); /* with its padding: edits are compared as bytes */
  return s;
}

static void snapshot_free(gpointer data) {
  Snapshot *s = data;
  if (!s)
    return;
  g_free(s->what);
  g_free(s->arm_text);
  g_free(s);
}

AseUndo *ase_undo_new(void) {
  return g_new0(AseUndo, 1);
}

void ase_undo_free(AseUndo *undo) {
  if (!undo)
    return;
  g_queue_clear_full(&undo->stack[0], snapshot_free);
  g_queue_clear_full(&undo->stack[1], snapshot_free);
  g_free(undo);
}

void ase_undo_push(AseUndo *undo, const char *what, const char *arm_text, const AseEdits *edits) {
  g_queue_clear_full(&undo->stack[1], snapshot_free);
  g_queue_push_tail(&undo->stack[0], snapshot_new(what, arm_text, edits));
  if (undo->stack[0].length > DEPTH)
    snapshot_free(g_queue_pop_head(&undo->stack[0]));
}

static const Snapshot *last(const AseUndo *undo, bool is_redo) {
  const GList *tail = undo->stack[is_redo ? 1 : 0].tail;
  return tail ? tail->data : NULL;
}

const char *ase_undo_what(const AseUndo *undo, bool is_redo) {
  const Snapshot *s = last(undo, is_redo);
  return s ? s->what : NULL;
}

void ase_undo_peek(const AseUndo *undo, bool is_redo, const char **arm_text,
                   const AseEdits **edits) {
  const Snapshot *s = last(undo, is_redo);
  *arm_text = s->arm_text;
  *edits = &s->edits;
}

void ase_undo_swap(AseUndo *undo, bool is_redo, const char *arm_text, const AseEdits *edits) {
  Snapshot *s = g_queue_pop_tail(&undo->stack[is_redo ? 1 : 0]);
  g_queue_push_tail(&undo->stack[is_redo ? 0 : 1], snapshot_new(s->what, arm_text, edits));
  snapshot_free(s);
}
