/* SPDX-License-Identifier: MIT */
/* Steps: order, joints, what goes stale by what, restart, and the way through a file. */
#include <glib.h>
#include <string.h>

#include "io/base/said.h"
#include "session/session.h"

static AseProcedure *finished(guint joints) {
  AseProcedure *p = g_new(AseProcedure, 1);
  ase_procedure_init(p, ase_session_steps(), joints);
  for (guint k = 0; k < ASE_STEPS; k++) {
    GError *error = NULL;
    g_assert_true(k == ASE_STEP_CONFIGURE || ase_procedure_may_start(p, (AseStep)k, &error));
    g_assert_no_error(error);
    ase_procedure_start(p, (AseStep)k, 0);
    ase_procedure_pass(p, (AseStep)k, 0, NULL);
  }
  for (guint k = 0; k < ASE_STEPS; k++)
    g_assert_cmpint(ase_procedure_state(p, (AseStep)k), ==, ASE_STATE_PASSED);
  return p;
}

/* The keys of all stale steps, in order. */
static void assert_stale(const AseProcedure *p, const char *expected) {
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < ASE_STEPS; k++)
    if (ase_procedure_state(p, (AseStep)k) == ASE_STATE_STALE)
      g_string_append_printf(text, "%s%s", text->len ? " " : "",
                             ase_steps_key(ase_session_steps(), (AseStep)k));
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

static void test_order(void) {
  AseProcedure p;
  ase_procedure_init(&p, ase_session_steps(), 2);
  g_assert_cmpint(ase_procedure_state(&p, ASE_STEP_CONNECT), ==, ASE_STATE_READY);
  g_assert_cmpint(ase_procedure_state(&p, ASE_STEP_CONFIGURE), ==, ASE_STATE_READY);
  g_assert_cmpint(ase_procedure_state(&p, ASE_STEP_DESCRIBE), ==, ASE_STATE_WAITING);
  GError *error = NULL;
  g_assert_false(ase_procedure_may_start(&p, ASE_STEP_SWEEP, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, "Sweep: first comes \"Pose and limits\" (waiting)");
  g_clear_error(&error);
  ase_procedure_fail(&p, ASE_STEP_CONNECT, 0, "no port");
  g_assert_false(ase_procedure_may_start(&p, ASE_STEP_DESCRIBE, &error));
  g_assert_cmpstr(error->message, ==, "Controller: first comes \"Connect\" (failed: no port)");
  g_clear_error(&error);
  ase_procedure_pass(&p, ASE_STEP_CONNECT, 0, NULL);
  g_assert_cmpint(ase_procedure_state(&p, ASE_STEP_DESCRIBE), ==, ASE_STATE_READY);
}

static void test_joints(void) {
  AseProcedure *p = finished(3);
  ase_procedure_start(p, ASE_STEP_SWEEP, 2);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_RUNNING);
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_SWEEP, 2), ==, ASE_STATE_RUNNING);
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_SWEEP, 1), ==, ASE_STATE_PASSED);
  assert_stale(p, "fit validate export upload verify");
  g_assert_cmpstr(ase_step_reason(&p->steps[ASE_STEP_FIT]), ==, "\"Sweep\" has been repeated");
  ase_procedure_fail(p, ASE_STEP_SWEEP, 2, "stalled");
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(ase_step_reason(&p->steps[ASE_STEP_SWEEP]), ==, "stalled");
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_SWEEP, 3), ==, ASE_STATE_PASSED);
  ase_procedure_pass(p, ASE_STEP_SWEEP, 2, NULL);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_free(p);
}

/* What could not be judged is no pass, and stops nobody. */
static void test_unjudged(void) {
  AseProcedure *p = finished(3), *q = g_new(AseProcedure, 1);
  GError *error = NULL;
  ase_procedure_leave_unjudged(p, ASE_STEP_FIT, 2, "one speed");
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  g_assert_cmpstr(ase_step_reason(&p->steps[ASE_STEP_FIT]), ==, "one speed");
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_FIT, 1), ==, ASE_STATE_PASSED);
  assert_stale(p, "validate export upload verify");
  g_assert_true(ase_procedure_may_start(p, ASE_STEP_VALIDATE, &error));
  g_assert_true(ase_procedure_may_start(p, ASE_STEP_EXPORT, &error));
  g_assert_no_error(error);
  char *json = ase_procedure_to_json(p);
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), json, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(p, sizeof *p, q, sizeof *q);
  ase_procedure_fail(p, ASE_STEP_FIT, 3, "misfit");
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_FIT), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(ase_step_reason(&p->steps[ASE_STEP_FIT]), ==, "misfit");
  ase_procedure_pass(p, ASE_STEP_FIT, 3, NULL);
  ase_procedure_changed(p, ASE_INPUT_DATA, NULL);
  g_assert_cmpint(ase_procedure_joint_state(p, ASE_STEP_FIT, 2), ==, ASE_STATE_STALE);
  g_free(json), g_free(p), g_free(q);
}

static void test_stale(void) {
  static const struct {
    AseInput input;
    const char *stale;
  } cases[] = {
      {ASE_INPUT_DEVICE, "connect describe check"},
      {ASE_INPUT_ARM, "check plan dry-run fit validate export upload verify"},
      {ASE_INPUT_LIMITS, "check plan dry-run"},
      {ASE_INPUT_PLAN, "plan dry-run sweep fit validate export upload verify"},
      {ASE_INPUT_DATA, "fit validate export upload verify"},
      {ASE_INPUT_JUDGEMENT, "validate"},
      {ASE_INPUT_FRICTION, "fit validate export upload verify"},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    AseProcedure *p = finished(4);
    ase_procedure_changed(p, cases[k].input, "for a test");
    assert_stale(p, cases[k].stale);
    for (guint s = 0; s < ASE_STEPS; s++)
      if (ase_procedure_state(p, (AseStep)s) == ASE_STATE_STALE)
        g_assert_cmpstr(ase_step_reason(&p->steps[s]), ==, "for a test");
    g_free(p);
  }
  AseProcedure fresh;
  ase_procedure_init(&fresh, ase_session_steps(), 4);
  ase_procedure_changed(&fresh, ASE_INPUT_ARM, NULL);
  assert_stale(&fresh, ""); /* what has no result cannot go stale */
}

static void test_resume(void) {
  AseProcedure *p = finished(3);
  ase_procedure_start(p, ASE_STEP_SWEEP, 1);
  g_strlcpy(p->dry_run_serial, "arm-1", ASE_SERIAL_BYTES);
  g_strlcpy(p->sweep_serial, "arm-2", ASE_SERIAL_BYTES);
  g_strlcpy(p->fit_serial, "arm-3", ASE_SERIAL_BYTES);
  p->proof = (AseTransferProof){.serial = "arm-1", .digest = 0xfedcba98, .boot_count = 7};
  char *json = ase_procedure_to_json(p);
  AseProcedure *q = g_new(AseProcedure, 1);
  GError *error = NULL;
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), json, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(p, sizeof *p, q, sizeof *q);
  ase_procedure_resume(q);
  g_assert_cmpint(ase_procedure_joint_state(q, ASE_STEP_SWEEP, 1), ==, ASE_STATE_FAILED);
  g_assert_cmpint(ase_procedure_joint_state(q, ASE_STEP_SWEEP, 2), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_state(q, ASE_STEP_CONNECT), ==, ASE_STATE_STALE);
  g_assert_cmpint(ase_procedure_state(q, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  g_free(json), g_free(p), g_free(q);
}

/* What was done with one controller, and what it means to another. */
static void test_other_controller(void) {
  GError *error = NULL;
  AseProcedure *p = finished(2);
  g_strlcpy(p->dry_run_serial, "arm-1", ASE_SERIAL_BYTES);
  g_strlcpy(p->proof.serial, "arm-1", ASE_SERIAL_BYTES);
  p->proof.digest = 5;
  ase_procedure_changed(p, ASE_INPUT_DEVICE, NULL);
  ase_procedure_meet(p, "arm-1", 5);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_VERIFY), ==, ASE_STATE_PASSED);
  ase_procedure_meet(p, "arm-2", 5);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_DRY_RUN), ==, ASE_STATE_STALE);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_EXPORT), ==, ASE_STATE_PASSED);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_UPLOAD), ==, ASE_STATE_STALE);
  g_assert_true(ase_procedure_is_of(p, "arm-2", NULL)); /* not known: from a recording */
  g_strlcpy(p->fit_serial, "arm-1", ASE_SERIAL_BYTES);
  g_assert_true(ase_procedure_is_of(p, "arm-1", NULL));
  g_assert_false(ase_procedure_is_of(p, "arm-2", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "controller arm-1; this is arm-2"));
  g_clear_error(&error);
  ase_procedure_fail(p, ASE_STEP_SWEEP, 1, "held");
  ase_procedure_meet(p, "arm-2", 5);
  g_assert_cmpint(ase_procedure_state(p, ASE_STEP_SWEEP), ==, ASE_STATE_STALE);
  g_free(p);
}

/* What was proved stays proved, until the controller has other parameters. */
static void test_other_parameters(void) {
  AseProcedure *p = finished(2);
  p->proof = (AseTransferProof){.serial = "arm-1", .digest = 5};
  ase_procedure_resume(p);
  ase_procedure_meet(p, "arm-1", 0); /* not known */
  ase_procedure_meet(p, "arm-1", 5);
  assert_stale(p, "connect describe check");
  ase_procedure_meet(p, "arm-1", 6);
  assert_stale(p, "connect describe check upload verify");
  g_free(p);
}

/* A stranger's file may hold any serial; what is told of it stays one line. */
static void test_hostile_serial(void) {
  GError *error = NULL;
  AseProcedure *p = finished(2), *q = g_new0(AseProcedure, 1);
  g_strlcpy(p->fit_serial, "x\nDone:\tall is well\r", ASE_SERIAL_BYTES);
  p->steps[ASE_STEP_CHECK].reason = "1\n2";
  char *json = ase_procedure_to_json(p);
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), json, &error));
  g_assert_no_error(error);
  g_assert_false(ase_procedure_is_of(q, "arm-2", &error));
  g_assert_nonnull(
      strstr(error->message, "controller x\\u000aDone:\\u0009all is well\\u000d; this is arm-2"));
  g_assert_null(strpbrk(error->message, "\n\r\t"));
  g_assert_cmpstr(ase_step_reason(&q->steps[ASE_STEP_CHECK]), ==, "1\\u000a2");
  g_clear_error(&error);
  g_free(json), g_free(p), g_free(q);
}

/* Twelve joints, each with its own: longer than what is kept of a reason it stays a sentence. */
static void test_long_sentence(void) {
  AseProcedure *p = finished(2), *q = g_new0(AseProcedure, 1);
  GPtrArray *joints = aio_said_list_new();
  char *why = g_strnfill(400, 'a');
  for (guint k = 1; k <= 12; k++)
    aio_said_list_add(joints, "joint %u: %s", k, why);
  char *said = aio_said_list_join(joints, "; ");
  ase_procedure_fail(p, ASE_STEP_CHECK, 0, said);
  const char *kept = p->steps[ASE_STEP_CHECK].reason;
  g_assert_cmpuint(strlen(said), >, 4000);
  g_assert_cmpuint(strlen(kept), <, 4000);
  g_assert_cmpint(kept[0], ==, AIO_SAID_MARK);
  char *text = aio_said_text(kept);
  g_assert_true(g_str_has_prefix(text, "joint 1: aaa"));
  g_assert_nonnull(strstr(text, "; joint 8: aaa"));
  char *json = ase_procedure_to_json(p);
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), json, NULL));
  g_assert_true(q->steps[ASE_STEP_CHECK].reason == kept);
  g_free(json), g_free(text), g_free(said), g_free(why), g_free(p), g_free(q);
}

/* A name of an arm is no sentence, whatever it looks like; what programs of before the mark wrote
 * is one. */
static void test_names(void) {
  AseProcedure *p = finished(2), *q = g_new0(AseProcedure, 1);
  ase_procedure_pass(p, ASE_STEP_CONFIGURE, 0, "[\"held\"]");
  ase_procedure_pass(p, ASE_STEP_CONNECT, 0, aio_said_word("held"));
  char *json = ase_procedure_to_json(p);
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), json, NULL));
  g_assert_cmpstr(ase_step_reason(&q->steps[ASE_STEP_CONFIGURE]), ==, "[\"held\"]");
  g_assert_cmpstr(ase_step_reason(&q->steps[ASE_STEP_CONNECT]), ==, "held");
  GString *before = g_string_new(json);
  g_assert_cmpuint(g_string_replace(before, "\\u0002[\\\"held", "[\\\"held", 0), ==, 1);
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), before->str, NULL));
  g_assert_cmpstr(ase_step_reason(&q->steps[ASE_STEP_CONNECT]), ==, "held");
  g_string_free(before, TRUE);
  g_free(json), g_free(p), g_free(q);
}

/* What programs of before and after read. */
static void test_file(void) {
  AseProcedure p;
  ase_procedure_init(&p, ase_session_steps(), 1);
  ase_procedure_fail(&p, ASE_STEP_CONNECT, 0, "no port");
  char *json = ase_procedure_to_json(&p);
  g_assert_cmpstr(json, ==,
                  "{\n"
                  "  \"joints\": 1,\n"
                  "  \"connect\": {\"state\": \"failed\", \"reason\": \"no port\"},\n"
                  "  \"describe\": {\"state\": \"waiting\"},\n"
                  "  \"check\": {\"state\": \"waiting\"},\n"
                  "  \"configure\": {\"state\": \"waiting\"},\n"
                  "  \"plan\": {\"state\": \"waiting\"},\n"
                  "  \"dry-run\": [\n    {\"state\": \"waiting\"}\n  ],\n"
                  "  \"sweep\": [\n    {\"state\": \"waiting\"}\n  ],\n"
                  "  \"fit\": [\n    {\"state\": \"waiting\"}\n  ],\n"
                  "  \"validate\": [\n    {\"state\": \"waiting\"}\n  ],\n"
                  "  \"export\": {\"state\": \"waiting\"},\n"
                  "  \"upload\": {\"state\": \"waiting\"},\n"
                  "  \"verify\": {\"state\": \"waiting\"}\n"
                  "}\n");
  g_free(json);
}

static void test_bad_files(void) {
  static const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"joints\": 2", "\"joints\": 99", "joints: expected a whole number"},
      {"\"state\": \"passed\"", "\"state\": \"great\"", "expected a state of a step"},
      {"\"verify\"", "\"verity\"", "verify"},
      {"\"joints\": 2", "\"joints\": 3", "expected one entry per joint"},
      {"\"digest\": 5", "\"digest\": -5", "digest"},
      {"\"serial\": \"arm-1\"", "\"serial\": 1", "serial"},
  };
  AseProcedure *p = finished(2), *q = g_new0(AseProcedure, 1);
  p->proof = (AseTransferProof){.serial = "arm-1", .digest = 5};
  char *json = ase_procedure_to_json(p);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char **parts = g_strsplit(json, cases[k].from, -1);
    char *bad = g_strjoinv(cases[k].to, parts);
    GError *error = NULL;
    g_assert_false(ase_procedure_from_json(q, ase_session_steps(), bad, &error));
    if (!strstr(error->message, cases[k].message))
      g_error("\"%s\" lacks \"%s\"", error->message, cases[k].message);
    g_assert_cmpuint(q->joints, ==, 0);
    g_clear_error(&error);
    g_strfreev(parts);
    g_free(bad);
  }
  g_free(json), g_free(p), g_free(q);
}

/* A stranger's would take ten times as much memory while it is read. */
static void test_large_file(void) {
  AseProcedure *p = finished(2), *q = g_new0(AseProcedure, 1);
  GError *error = NULL;
  char *json = ase_procedure_to_json(p), *blanks = g_strnfill(4 << 20, ' ');
  char *large = g_strconcat(json, blanks, NULL);
  g_assert_false(ase_procedure_from_json(q, ase_session_steps(), large, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_TOO_LARGE);
  g_clear_error(&error);
  large[4 << 20] = '\0';
  g_assert_true(ase_procedure_from_json(q, ase_session_steps(), large, &error));
  g_assert_no_error(error);
  g_free(large), g_free(blanks), g_free(json), g_free(p), g_free(q);
}

static void test_long_reason(void) {
  AseProcedure p;
  ase_procedure_init(&p, ase_session_steps(), 1);
  GString *text = g_string_new("x");
  while (text->len < 10000)
    g_string_append(text, "\xc3\xa9");
  ase_procedure_fail(&p, ASE_STEP_CONNECT, 0, text->str);
  g_assert_true(g_utf8_validate(ase_step_reason(&p.steps[ASE_STEP_CONNECT]), -1, NULL));
  g_assert_cmpuint(strlen(ase_step_reason(&p.steps[ASE_STEP_CONNECT])), >=, 398);
  g_assert_cmpuint(strlen(ase_step_reason(&p.steps[ASE_STEP_CONNECT])), <, 400);
  g_string_free(text, TRUE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/procedure/order", test_order);
  g_test_add_func("/procedure/other-controller", test_other_controller);
  g_test_add_func("/procedure/other-parameters", test_other_parameters);
  g_test_add_func("/procedure/joints", test_joints);
  g_test_add_func("/procedure/unjudged", test_unjudged);
  g_test_add_func("/procedure/stale", test_stale);
  g_test_add_func("/procedure/resume", test_resume);
  g_test_add_func("/procedure/file", test_file);
  g_test_add_func("/procedure/bad-files", test_bad_files);
  g_test_add_func("/procedure/long-reason", test_long_reason);
  g_test_add_func("/procedure/hostile-serial", test_hostile_serial);
  g_test_add_func("/procedure/large-file", test_large_file);
  g_test_add_func("/procedure/long-sentence", test_long_sentence);
  g_test_add_func("/procedure/names", test_names);
  return g_test_run();
}
