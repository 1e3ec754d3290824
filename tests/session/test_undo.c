/* SPDX-License-Identifier: MIT */
/* What was before each edit, and what was after those that were undone. */
#include "session/undo.h"

static AseEdits *edits_of(double low) {
  AseEdits *edits = g_new0(AseEdits, 1);
  edits->low[0] = low;
  return edits;
}

static void push(AseUndo *undo, const char *what, double low) {
  AseEdits *edits = edits_of(low);
  char *arm_text = g_strdup_printf("arm %g", low);
  ase_undo_push(undo, what, arm_text, edits);
  g_free(arm_text); /* both were copied */
  g_free(edits);
}

/* What would be then. */
static double peek(const AseUndo *undo, bool is_redo) {
  const char *arm_text;
  const AseEdits *edits;
  ase_undo_peek(undo, is_redo, &arm_text, &edits);
  char *expected = g_strdup_printf("arm %g", edits->low[0]);
  g_assert_cmpstr(arm_text, ==, expected);
  g_free(expected);
  return edits->low[0];
}

static void swap(AseUndo *undo, bool is_redo, double now) {
  AseEdits *edits = edits_of(now);
  char *arm_text = g_strdup_printf("arm %g", now);
  ase_undo_swap(undo, is_redo, arm_text, edits);
  g_free(arm_text);
  g_free(edits);
}

/* 1, 2 and 3 one after another. */
static void test_way(void) {
  AseUndo *undo = ase_undo_new();
  g_assert_null(ase_undo_what(undo, false));
  g_assert_null(ase_undo_what(undo, true));
  push(undo, "first", 1.0);
  push(undo, "second", 2.0);
  g_assert_cmpstr(ase_undo_what(undo, false), ==, "second");
  g_assert_null(ase_undo_what(undo, true));
  g_assert_cmpfloat(peek(undo, false), ==, 2.0);
  swap(undo, false, 3.0);
  g_assert_cmpstr(ase_undo_what(undo, true), ==, "second");
  g_assert_cmpfloat(peek(undo, true), ==, 3.0);
  g_assert_cmpstr(ase_undo_what(undo, false), ==, "first");
  g_assert_cmpfloat(peek(undo, false), ==, 1.0);
  swap(undo, false, 2.0);
  g_assert_null(ase_undo_what(undo, false));
  g_assert_cmpfloat(peek(undo, true), ==, 2.0);
  swap(undo, true, 1.0);
  g_assert_cmpstr(ase_undo_what(undo, false), ==, "first");
  g_assert_cmpstr(ase_undo_what(undo, true), ==, "second");
  push(undo, "another", 2.0); /* what could be redone is forgotten */
  g_assert_null(ase_undo_what(undo, true));
  g_assert_cmpstr(ase_undo_what(undo, false), ==, "another");
  ase_undo_free(undo);
  ase_undo_free(NULL);
}

static void test_most(void) {
  enum { MOST = 100 };
  AseUndo *undo = ase_undo_new();
  guint steps = 0;
  for (guint k = 0; k <= MOST; k++)
    push(undo, "edit", k);
  double low = 0.0;
  for (; ase_undo_what(undo, false); steps++) {
    low = peek(undo, false);
    swap(undo, false, -1.0);
  }
  g_assert_cmpuint(steps, ==, MOST);
  g_assert_cmpfloat(low, ==, 1.0); /* the oldest is gone */
  ase_undo_free(undo);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/undo/way", test_way);
  g_test_add_func("/undo/most", test_most);
  return g_test_run();
}
