/* SPDX-License-Identifier: MIT */
/* The steps of each method are sound; and a procedure by those of an invented one has these, in its
 * order and by its dependencies, and no others. */
#include <string.h>

#include "io/base/said.h"
#include "second_method.h"
#include "session/next.h"
#include "session/record/followed.h"
#include "session/standing.h"

/* ---- the tables ---- */

static bool has_key(const AseSteps *steps, guint before, const char *key) {
  for (guint k = 0; k < before; k++)
    if (strcmp(steps->rows[k].key, key) == 0)
      return true;
  return false;
}

/* Each step once; by its key it has a place of its own in a file; what it needs and rests on stands
 * above it, so that there is no circle. */
static void assert_sound(const char *method, const AseSteps *steps) {
  static const char *const taken[] = {"joints",     "dry_run_serial", "sweep_serial",
                                      "fit_serial", "proof",          ASE_FOLLOWED_KEY};
  guint above = 0;
  for (guint k = 0; k < steps->count; k++) {
    const AseStepRow *row = &steps->rows[k];
    g_test_message("%s: %s", method, row->key);
    g_assert_true(row->step < ASE_STEPS && !(above & ASE_BIT(row->step)));
    g_assert_true(ase_steps_find(steps, row->step) == row);
    g_assert_false(has_key(steps, k, row->key));
    for (guint t = 0; t < G_N_ELEMENTS(taken); t++)
      g_assert_cmpstr(row->key, !=, taken[t]);
    g_assert_cmpstr(row->title, !=, "");
    g_assert_cmphex(row->needs & ~above, ==, 0);
    g_assert_cmphex(row->rests & ~above, ==, 0);
    g_assert_cmphex(row->inputs >> ASE_INPUTS, ==, 0);
    above |= ASE_BIT(row->step);
  }
}

static void test_sound(void) {
  guint measured = 0;
  for (gsize k = 0; ase_method_list[k]; k++) {
    const AseMeasuring *measuring = ase_method_list[k]->measuring;
    if (measuring)
      assert_sound(ase_method_key(ase_method_list[k]), measuring->steps);
    measured += measuring != NULL;
  }
  g_assert_cmpuint(measured, ==, 2);
}

static void test_way(void) {
  const AseSteps *sweeps = ase_session_steps();
  const guint moving = ASE_BIT(ASE_STEP_DRY_RUN) | ASE_BIT(ASE_STEP_SWEEP);
  const guint before = ASE_BIT(ASE_STEP_CONNECT) | ASE_BIT(ASE_STEP_DESCRIBE) |
                       ASE_BIT(ASE_STEP_CHECK) | ASE_BIT(ASE_STEP_CONFIGURE) |
                       ASE_BIT(ASE_STEP_PLAN);
  g_assert_cmphex(ase_steps_way_to(sweeps, ASE_STEP_SWEEP), ==, before | moving);
  g_assert_cmphex(ase_steps_way_to(sweeps, ASE_STEP_CONNECT), ==, ASE_BIT(ASE_STEP_CONNECT));
  g_assert_cmphex(ase_steps_way_to(&second_steps, ASE_STEP_PLAN), ==,
                  ASE_BIT(ASE_STEP_CONFIGURE) | ASE_BIT(ASE_STEP_PLAN));
  g_assert_cmphex(ase_steps_way_to(&second_steps, ASE_STEP_VALIDATE), ==, 0);
  g_assert_cmphex(ase_steps_way_to(NULL, ASE_STEP_FIT), ==, 0);
  g_assert_cmpstr(ase_steps_title(sweeps, ASE_STEP_CHECK), ==, "Pose and limits");
  g_assert_cmpstr(ase_steps_title(&second_steps, ASE_STEP_CHECK), ==, "Clearance");
  g_assert_cmpstr(ase_steps_title(&second_steps, ASE_STEP_VERIFY), ==, "");
  g_assert_cmpstr(ase_steps_key(&second_steps, ASE_STEP_SWEEP), ==, "record");
}

/* ---- a procedure by another one ---- */

static const AseStep order[] = {ASE_STEP_CONFIGURE, ASE_STEP_PLAN, ASE_STEP_CONNECT, ASE_STEP_CHECK,
                                ASE_STEP_SWEEP,     ASE_STEP_FIT,  ASE_STEP_EXPORT};
static const AseStep absent[] = {ASE_STEP_DESCRIBE, ASE_STEP_DRY_RUN, ASE_STEP_VALIDATE,
                                 ASE_STEP_UPLOAD, ASE_STEP_VERIFY};

static AseProcedure *fresh(void) {
  AseProcedure *p = g_new(AseProcedure, 1);
  ase_procedure_init(p, &second_steps, SECOND_JOINTS);
  return p;
}

static AseProcedure *finished(void) {
  AseProcedure *p = fresh();
  for (guint k = 0; k < G_N_ELEMENTS(order); k++) {
    GError *error = NULL;
    g_assert_true(ase_procedure_may_start(p, order[k], &error));
    g_assert_no_error(error);
    ase_procedure_start(p, order[k], 0);
    g_assert_cmpint(ase_procedure_find(p, ASE_STATE_RUNNING), ==, order[k]);
    ase_procedure_pass(p, order[k], 0, NULL);
  }
  return p;
}

static void assert_stale(const AseProcedure *p, const char *expected) {
  GString *text = g_string_new(NULL);
  for (AseStep step = 0; step < ASE_STEPS; step++)
    if (ase_procedure_state(p, step) == ASE_STATE_STALE)
      g_string_append_printf(text, "%s%s", text->len ? " " : "",
                             ase_steps_key(&second_steps, step));
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

static void test_order(void) {
  AseProcedure *p = fresh();
  GError *error = NULL;
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_CONFIGURE), ==, ASE_STATE_READY);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_CONNECT), ==, ASE_STATE_READY);
  g_assert_false(ase_procedure_may_start(p, ASE_STEP_SWEEP, &error));
  g_assert_cmpstr(error->message, ==, "Record: first comes \"Motion\" (waiting)");
  g_clear_error(&error);
  ase_procedure_pass(p, ASE_STEP_CONFIGURE, 0, NULL);
  ase_procedure_pass(p, ASE_STEP_PLAN, 0, NULL);
  ase_procedure_pass(p, ASE_STEP_CONNECT, 0, NULL);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_CHECK), ==, ASE_STATE_READY);
  ase_procedure_fail(p, ASE_STEP_CHECK, 0, "a wall");
  g_assert_false(ase_procedure_may_start(p, ASE_STEP_SWEEP, &error));
  g_assert_cmpstr(error->message, ==, "Record: first comes \"Clearance\" (failed: a wall)");
  g_clear_error(&error);
  g_free(p);
}

/* Whatever is done with it. */
static void assert_absent(AseProcedure *p, AseStep step) {
  GError *error = NULL;
  ase_procedure_start(p, step, 1);
  ase_procedure_pass(p, step, 0, "done");
  ase_procedure_fail(p, step, 2, "not done");
  ase_procedure_leave_unjudged(p, step, 0, "unknown");
  ase_procedure_outdate(p, step, "old");
  ase_procedure_outdate_joint(p, step, 1, "old");
  g_assert_false(ase_procedure_has(p, step) || ase_procedure_wants(p, step));
  g_assert_cmpint(ase_procedure_state(p, step), ==, ASE_STATE_WAITING);
  g_assert_cmpint(ase_procedure_joint_state(p, step, 1), ==, ASE_STATE_WAITING);
  g_assert_false(ase_procedure_may_start(p, step, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, "this method has no such step");
  g_clear_error(&error);
  char *missing = ase_procedure_missing_said(p, step);
  g_assert_cmpstr(missing, ==, aio_said_word("this method has no such step"));
  g_free(missing);
}

static void test_absent(void) {
  AseProcedure *p = finished(), *untouched = finished();
  for (guint k = 0; k < G_N_ELEMENTS(absent); k++)
    assert_absent(p, absent[k]);
  g_assert_cmpmem(p, sizeof *p, untouched, sizeof *untouched);
  g_assert_cmpint(ase_procedure_find(p, ASE_STATE_WAITING), ==, ASE_STEPS);
  for (guint k = 0; k < G_N_ELEMENTS(order); k++)
    g_assert_true(ase_procedure_has(p, order[k]) && !ase_procedure_wants(p, order[k]));
  ase_procedure_fail(p, ASE_STEP_EXPORT, 0, "no room");
  g_assert_true(ase_procedure_wants(p, ASE_STEP_EXPORT));
  g_free(p), g_free(untouched);
}

static void test_stale(void) {
  AseProcedure *p = finished();
  ase_procedure_changed(p, ASE_INPUT_ARM, NULL); /* of which nothing here is made */
  assert_stale(p, "");
  ase_procedure_changed(p, ASE_INPUT_PLAN, "for a test");
  assert_stale(p, "motion identify write");
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_FIT, 2), ==, ASE_STATE_STALE);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_free(p);
  p = finished();
  ase_procedure_start(p, ASE_STEP_SWEEP, 1); /* of all joints: it is not joint-wise */
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_SWEEP, 2), ==, ASE_STATE_RUNNING);
  assert_stale(p, "identify write");
  g_assert_cmpstr(ase_step_reason(&p->steps[ASE_STEP_FIT]), ==, "\"Record\" has been repeated");
  ase_procedure_resume(p);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  assert_stale(p, "connect check identify write");
  g_free(p);
  p = finished();
  ase_procedure_outdate_joint(p, ASE_STEP_SWEEP, 2, "for a test"); /* likewise; this alone */
  assert_stale(p, "record");
  ase_procedure_outdate_joint(p, ASE_STEP_FIT, 2, "for a test");
  assert_stale(p, "record identify");
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_FIT, 1), ==, ASE_STATE_PASSED);
  g_free(p);
}

/* No dry run and no upload that could have been with another one. */
static void test_other_controller(void) {
  AseProcedure *p = finished();
  g_strlcpy(p->dry_run_serial, "arm-1", ASE_SERIAL_BYTES);
  p->proof = (AseTransferProof){.serial = "arm-1", .digest = 5};
  ase_procedure_meet(p, "arm-2", 6);
  assert_stale(p, "");
  ase_procedure_fail(p, ASE_STEP_SWEEP, 0, "held");
  ase_procedure_meet(p, "arm-2", 6);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_DRY_RUN), ==, ASE_STATE_WAITING);
  g_free(p);
}

/* ---- in a file ---- */

/* The keys of all members, in their order. */
static void assert_keys(const char *json, const char *expected) {
  AioJson *document = aio_json_parse("procedure", json, strlen(json), NULL);
  const AioJsonNode *root = aio_json_root(document);
  GString *keys = g_string_new(NULL);
  for (gsize k = 0; k < aio_json_size(root); k++)
    g_string_append_printf(keys, "%s%s", k ? " " : "", aio_json_item(root, k)->key);
  g_assert_cmpstr(keys->str, ==, expected);
  g_string_free(keys, TRUE);
  aio_json_free(document);
}

static void test_file(void) {
  AseProcedure *p = finished(), *q = g_new0(AseProcedure, 1);
  GError *error = NULL;
  ase_procedure_leave_unjudged(p, ASE_STEP_FIT, 2, "too weak");
  char *json = ase_procedure_to_json(p);
  assert_keys(json, "joints links motion connect check record identify write");
  g_assert_true(ase_procedure_from_json(q, &second_steps, json, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(p, sizeof *p, q, sizeof *q);
  g_free(json);
  /* what else is in it is left out, also where it has the key of another method's step */
  json = ase_procedure_to_json_with(p, "dry-run", "[1, 2]");
  g_assert_true(ase_procedure_from_json(q, &second_steps, json, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(p, sizeof *p, q, sizeof *q);
  g_assert_false(ase_procedure_from_json(q, ase_session_steps(), json, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_nonnull(strstr(error->message, "describe"));
  g_assert_cmpmem(p, sizeof *p, q, sizeof *q);
  g_clear_error(&error);
  g_free(json), g_free(p), g_free(q);
}

/* ---- what is next, and what undo gives back ---- */

static void assert_next(const AseProcedure *p, const AseNextFacts *facts, AseNext expected) {
  g_assert_cmpint(ase_procedure_next(p, facts), ==, expected);
}

static void test_next(void) {
  static const AseNextFacts at_rest = {0}, armed = {.is_armed = true}, plans = {.only_plans = true};
  AseProcedure *p = fresh();
  assert_next(p, &at_rest, ASE_NEXT_CONFIGURE);
  ase_procedure_pass(p, ASE_STEP_CONFIGURE, 0, NULL);
  assert_next(p, &at_rest, ASE_NEXT_PLAN);
  ase_procedure_start(p, ASE_STEP_PLAN, 0);
  assert_next(p, &at_rest, ASE_NEXT_WAIT);
  ase_procedure_pass(p, ASE_STEP_PLAN, 0, NULL);
  assert_next(p, &at_rest, ASE_NEXT_CONNECT);
  ase_procedure_pass(p, ASE_STEP_CONNECT, 0, NULL);
  assert_next(p, &at_rest, ASE_NEXT_CHECK); /* no DESCRIBE */
  ase_procedure_pass(p, ASE_STEP_CHECK, 0, NULL);
  assert_next(p, &plans, ASE_NEXT_DONE);
  assert_next(p, &at_rest, ASE_NEXT_ARM);
  assert_next(p, &armed, ASE_NEXT_SWEEP); /* no dry run */
  ase_procedure_pass(p, ASE_STEP_SWEEP, 0, NULL);
  assert_next(p, &armed, ASE_NEXT_FIT);
  ase_procedure_leave_unjudged(p, ASE_STEP_FIT, 1, "too weak");
  ase_procedure_pass(p, ASE_STEP_FIT, 2, NULL);
  assert_next(p, &armed, ASE_NEXT_EXPORT); /* no validation */
  ase_procedure_pass(p, ASE_STEP_EXPORT, 0, NULL);
  assert_next(p, &at_rest, ASE_NEXT_UNJUDGED);
  ase_procedure_pass(p, ASE_STEP_FIT, 1, NULL);
  assert_next(p, &at_rest, ASE_NEXT_EXPORT); /* what was written is of another fit */
  ase_procedure_pass(p, ASE_STEP_EXPORT, 0, NULL);
  assert_next(p, &at_rest, ASE_NEXT_DONE);
  g_free(p);
}

/* Nothing is moved or connected for a fit; what is behind it is not asked for. */
static void test_recordings(void) {
  static const AseStepRow rows[] = {
      {ASE_STEP_CONFIGURE, "arm", "Arm", .needs = 0},
      {ASE_STEP_FIT, "fit", "Fit", .needs = ASE_BIT(ASE_STEP_CONFIGURE)},
      {ASE_STEP_CONNECT, "connect", "Connect", .inputs = ASE_BIT(ASE_INPUT_DEVICE)},
      {ASE_STEP_CHECK, "check", "Check", .needs = ASE_BIT(ASE_STEP_CONNECT)},
  };
  static const AseSteps steps = {rows, G_N_ELEMENTS(rows)};
  static const AseNextFacts at_rest = {0}, faults = {.has_faults = true, .wants_sweeps = true};
  AseProcedure p;
  ase_procedure_init(&p, &steps, SECOND_JOINTS);
  assert_next(&p, &at_rest, ASE_NEXT_CONFIGURE);
  ase_procedure_pass(&p, ASE_STEP_CONFIGURE, 0, NULL);
  assert_next(&p, &at_rest, ASE_NEXT_FIT);
  assert_next(&p, &faults, ASE_NEXT_FIT);
  ase_procedure_pass(&p, ASE_STEP_FIT, 0, NULL);
  assert_next(&p, &at_rest, ASE_NEXT_DONE);
}

static void test_standing(void) {
  AseProcedure *p = finished();
  AseEdits *edits = g_new0(AseEdits, 1);
  AseStanding *before = ase_standing_new("arm", edits, p);
  g_assert_false(ase_standing_is_ahead(before, p));
  ase_procedure_changed(p, ASE_INPUT_DEVICE, NULL);
  g_assert_false(ase_standing_is_ahead(before, p)); /* no result went with the connection */
  ase_procedure_changed(p, ASE_INPUT_PLAN, NULL);
  g_assert_true(ase_standing_is_ahead(before, p));
  ase_standing_restore(before, edits, p);
  assert_stale(p, "connect check"); /* that is as it is now */
  ase_standing_free(before);
  g_free(edits), g_free(p);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/steps/sound", test_sound);
  g_test_add_func("/steps/way", test_way);
  g_test_add_func("/steps/order", test_order);
  g_test_add_func("/steps/absent", test_absent);
  g_test_add_func("/steps/stale", test_stale);
  g_test_add_func("/steps/other-controller", test_other_controller);
  g_test_add_func("/steps/file", test_file);
  g_test_add_func("/steps/next", test_next);
  g_test_add_func("/steps/recordings", test_recordings);
  g_test_add_func("/steps/standing", test_standing);
  return g_test_run();
}
