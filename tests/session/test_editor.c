/* SPDX-License-Identifier: MIT */
/* What edits need beside what they edit, and what undo gives back: no session, no file. */
#include "session/editor.h"

#include <string.h>

#include "session/measure/planned.h"
#include "session/session.h"

typedef struct {
  ArmModel model;
  AseEdits *edits;
  AseProcedure procedure;
} Case;

static void case_init(Case *c) {
  g_assert_cmpint(arm_model_init(&c->model, 2), ==, ARM_OK);
  c->edits = g_new0(AseEdits, 1);
  ase_edits_init(c->edits, &c->model);
  memset(&c->procedure, 0, sizeof c->procedure);
  ase_procedure_init(&c->procedure, ase_session_steps(), 2);
  for (AseStep step = ASE_STEP_CONNECT; step <= ASE_STEP_FIT; step++)
    ase_procedure_pass(&c->procedure, step, 0, NULL);
}

static void case_clear(Case *c) {
  g_free(c->edits);
}

static AseStepState state(const Case *c, AseStep step) {
  return ase_procedure_state(&c->procedure, step);
}

static void narrow(Case *c, double low) {
  c->edits->low[0] = low;
  ase_procedure_changed(&c->procedure, ASE_INPUT_LIMITS, NULL);
}

/* ---- standing ---- */

static void test_met(void) {
  Case c;
  case_init(&c);
  AseStanding *standing = ase_standing_new("arm", c.edits, &c.procedure);
  const double low = c.edits->low[0];
  g_assert_true(ase_standing_is_met(standing, "arm", c.edits));
  g_assert_false(ase_standing_is_met(standing, "another arm", c.edits));
  narrow(&c, low + 0.1);
  g_assert_false(ase_standing_is_met(standing, "arm", c.edits));
  c.edits->low[0] = low; /* by hand */
  g_assert_true(ase_standing_is_met(standing, "arm", c.edits));
  c.edits->misfit.validation_relative += 0.5; /* anything that a result rests on */
  c.edits->validation_percent += 50.0;
  g_assert_false(ase_standing_is_met(standing, "arm", c.edits));
  ase_standing_free(standing);
  case_clear(&c);
}

static void test_ahead(void) {
  Case c;
  case_init(&c);
  AseStanding *standing = ase_standing_new("arm", c.edits, &c.procedure);
  g_assert_false(ase_standing_is_ahead(standing, &c.procedure));
  ase_procedure_fail(&c.procedure, ASE_STEP_CHECK, 0, "fault"); /* not what an edit takes */
  g_assert_false(ase_standing_is_ahead(standing, &c.procedure));
  narrow(&c, 0.0);
  g_assert_true(ase_standing_is_ahead(standing, &c.procedure));
  for (AseStep step = ASE_STEP_PLAN; step <= ASE_STEP_VALIDATE; step++)
    ase_procedure_pass(&c.procedure, step, 0, NULL);
  g_assert_false(ase_standing_is_ahead(standing, &c.procedure));
  ase_standing_free(standing);
  case_clear(&c);
}

static void test_restore(void) {
  Case c;
  case_init(&c);
  c.edits->is_proposed = true; /* which is no difference */
  AseStanding *standing = ase_standing_new("arm", c.edits, &c.procedure);
  const double low = c.edits->low[0];
  standing->forecast = g_atomic_rc_box_new0(ArmPlanReport);
  ArmPlanReport *forecast = g_atomic_rc_box_acquire(standing->forecast);
  narrow(&c, low + 0.1);
  c.edits->is_proposed = false;
  ase_procedure_fail(&c.procedure, ASE_STEP_CONNECT, 0, "unplugged");
  g_assert_cmpint(state(&c, ASE_STEP_PLAN), ==, ASE_STATE_STALE);
  ase_standing_restore(standing, c.edits, &c.procedure);
  g_assert_cmpfloat(c.edits->low[0], ==, low);
  g_assert_true(c.edits->is_proposed);
  for (AseStep step = ASE_STEP_PLAN; step <= ASE_STEP_FIT; step++)
    g_assert_cmpint(state(&c, step), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_joint_state(&c.procedure, ASE_STEP_SWEEP, 2), ==, ASE_STATE_PASSED);
  g_assert_cmpint(c.procedure.steps[ASE_STEP_CONNECT].state, ==, ASE_STATE_FAILED); /* as it is */
  ase_standing_free(standing);
  ase_forecast_unref(forecast); /* it was shared */
  ase_standing_free(NULL);
  case_clear(&c);
}

/* ---- the editor ---- */

static void test_editor(void) {
  Case c;
  const char *arm_text;
  const AseEdits *edits;
  case_init(&c);
  AseEditor *editor = ase_editor_new("a.arm.json");
  g_assert_cmpstr(ase_editor_arm_name(editor), ==, "a.arm.json");
  g_assert_null(ase_editor_arm_json(editor));
  ase_editor_take_arm_text(editor, g_strdup("arm"));
  ase_editor_take_arm_text(editor, g_strdup("edited arm"));
  g_assert_cmpstr(ase_editor_arm_json(editor), ==, "edited arm");

  const double low = c.edits->low[0];
  ase_editor_remember(editor, "narrow", c.edits);
  c.edits->low[0] += 0.1;
  g_assert_cmpstr(ase_undo_what(ase_editor_undo(editor), false), ==, "narrow");
  ase_undo_peek(ase_editor_undo(editor), false, &arm_text, &edits);
  g_assert_cmpstr(arm_text, ==, "edited arm");
  g_assert_cmpfloat(edits->low[0], ==, low);
  ase_editor_free(editor);
  ase_editor_free(NULL);
  case_clear(&c);
}

static void test_standing(void) {
  Case c;
  case_init(&c);
  AseEditor *editor = ase_editor_new("a.arm.json");
  ase_editor_take_arm_text(editor, g_strdup("arm"));
  g_assert_null(ase_editor_standing(editor));
  g_assert_null(ase_editor_meet_standing(editor, c.edits));
  ase_editor_take_standing(editor, ase_standing_new("arm", c.edits, &c.procedure));
  ase_editor_take_standing(editor, ase_standing_new("arm", c.edits, &c.procedure));
  c.edits->low[0] += 0.1;
  g_assert_null(ase_editor_meet_standing(editor, c.edits));
  g_assert_nonnull(ase_editor_standing(editor)); /* it may be met later */
  c.edits->low[0] = ase_editor_standing(editor)->edits.low[0];
  ase_editor_take_arm_text(editor, g_strdup("edited arm"));
  g_assert_null(ase_editor_meet_standing(editor, c.edits));
  ase_editor_take_arm_text(editor, g_strdup("arm"));
  AseStanding *met = ase_editor_meet_standing(editor, c.edits);
  g_assert_nonnull(met);
  g_assert_null(ase_editor_standing(editor));
  ase_editor_take_standing(editor, met);
  ase_editor_take_standing(editor, NULL);
  g_assert_null(ase_editor_meet_standing(editor, c.edits));
  ase_editor_take_standing(editor, ase_standing_new("arm", c.edits, &c.procedure));
  ase_editor_free(editor);
  case_clear(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/standing/met", test_met);
  g_test_add_func("/standing/ahead", test_ahead);
  g_test_add_func("/standing/restore", test_restore);
  g_test_add_func("/editor/editor", test_editor);
  g_test_add_func("/editor/standing", test_standing);
  return g_test_run();
}
