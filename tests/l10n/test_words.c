/* SPDX-License-Identifier: MIT */
/* A session is written by somebody who reads English, with what may go wrong, and read by somebody
 * who does not: no word of the reasons of its steps, outcomes of its runs, events, refusals and of
 * what the driver said is English. Run by in_locale.sh; it takes the locale only when the session
 * is closed. */
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "english_words.h"
#include "io/base/said.h"
#include "session/folder.h"
#include "session/import_case.h"
#include "session/record/followed.h"
#include "session/recording.h"
#include "support/support.h"
#include "written.h"

/* ---- what was said ---- */

typedef struct {
  GPtrArray *kept;    /* as it was said */
  GPtrArray *english; /* its text in English */
} Seen;

static Seen seen;

static void add(const char *said) {
  if (!said || !*said || strcmp(said, ASE_OUTCOME_DONE) == 0)
    return;
  g_ptr_array_add(seen.kept, g_strdup(said));
  g_ptr_array_add(seen.english, aio_said_text(said));
}

static void take_error(GError **error) {
  if (*error)
    add(aio_error_said(*error));
  g_clear_error(error);
}

static void add_reasons(const AseProcedure *procedure) {
  for (AseStep step = 0; step < ASE_STEPS; step++) {
    GError *error = NULL;
    add(procedure->steps[step].reason);
    for (guint j = 0; j < procedure->joints; j++)
      add(procedure->joint[step][j].reason);
    ase_procedure_may_start(procedure, step, &error);
    take_error(&error);
  }
}

/* What may be done now, and why not. */
static void add_refusals(AseSession *session) {
  static bool (*const asked[])(AseSession * session, GError * *error) = {
      ase_session_may_connect, ase_session_may_arm, ase_session_may_diagnose,
      ase_session_may_export};
  GError *error = NULL;
  for (gsize k = 0; k < G_N_ELEMENTS(asked); k++) {
    asked[k](session, &error);
    take_error(&error);
  }
  ase_itinerary_free(ase_session_preview_motion(session, &error));
  take_error(&error);
}

/* Of a motion with other positions than any that was followed. */
static void add_other_motion(AseSession *session) {
  static const double t[] = {0.0, 1.0, 2.0}, none[3 * 2];
  AioMotionTable other = {.name = (char *)"other.csv", .n = 2, .rows = 3};
  GError *error = NULL;
  other.t = (double *)t;
  other.q = other.qd = other.qdd = (double *)none;
  ase_session_is_same_motion(session, &other, &error);
  take_error(&error);
}

static void note(Bench *bench) {
  AseDevice *device = ase_session_device(bench->session);
  add_reasons(ase_session_procedure(bench->session));
  add_refusals(bench->session);
  add_other_motion(bench->session);
  add(ase_device_reason_said(device));
  add(ase_device_foreign(device));
}

/* ---- what a driver says ---- */

static void on_reply(const AioReply *reply, void *ctx) {
  g_assert_cmpint(reply->code, !=, 0);
  add(reply->message);
  ++*(guint *)ctx;
}

static void ask_nonsense(Bench *bench) {
  static const double none[1];
  const AioCommand commands[] = {
      {.kind = AIO_COMMAND_TELEMETRY, .telemetry = {1e9, 0.0}},
      {.kind = AIO_COMMAND_ARM, .ttl_ms = 1000000},
      {.kind = AIO_COMMAND_MOVE, .move = {.n = 0}},
      {.kind = AIO_COMMAND_MOVE, .move = {.n = 1, .joint = {{.joint = 99}}}},
      {.kind = AIO_COMMAND_MOVE, .move = {.n = 1, .joint = {{.joint = 1, .q = (double)NAN}}}},
      {.kind = AIO_COMMAND_MOVE, .move = {.n = 1, .joint = {{.joint = 1, .speed = 1e9}}}},
      {.kind = AIO_COMMAND_MOVE, .move = {.n = 1, .joint = {{1, 0.0, 1.0, 1e9}}}},
      {.kind = AIO_COMMAND_MOVE, .move = {.n = 1, .joint = {{1, 1e3, 1.0, 1.0}}}},
      {.kind = AIO_COMMAND_SWEEP, .sweep = {.joint = 1, .passes = 1000}},
      {.kind = AIO_COMMAND_SWEEP, .sweep = {.joint = 1, .passes = 1, .dwell_s = 1e6}},
      {.kind = AIO_COMMAND_SWEEP, .sweep = {.joint = 1, .passes = 1, .current_max = 1e6}},
      {.kind = AIO_COMMAND_TRAJECTORY_BEGIN, .joints = 1u << 31},
      {.kind = AIO_COMMAND_TRAJECTORY_SEGMENT, .segment = {.duration_s = -1.0}},
      {.kind = AIO_COMMAND_TRAJECTORY_START},
      {.kind = AIO_COMMAND_PARAM_SET, .param = {60000, 0.0}},
      {.kind = AIO_COMMAND_PARAMS_UPLOAD, .params = {1, none}},
      {.kind = AIO_COMMAND_TEST, .test = {.kind = 250, .joint = 99}},
  };
  guint answered = 0;
  for (gsize k = 0; k < G_N_ELEMENTS(commands); k++)
    ase_device_send(ase_session_device(bench->session), &commands[k], on_reply, &answered);
  rig_pass(1.0);
  g_assert_cmpuint(answered, ==, G_N_ELEMENTS(commands));
}

/* ---- read ---- */

static bool add_outcome(const AioStoreRun *row, void *data) {
  (void)data;
  add(row->outcome);
  return true;
}

/* Only a log that has the controller's time is in its own words. */
static bool add_event(const AioStoreEvent *row, void *data) {
  const bool is_own = strcmp(row->kind, "log") == 0 && row->t_us;
  (void)data;
  if (is_own)
    g_test_message("the controller: %s", row->text);
  else
    add(row->text);
  return true;
}

static void add_motions(const char *steps) {
  GPtrArray *motions = ase_followed_new();
  GError *error = NULL;
  g_assert_true(ase_followed_from_json(motions, steps, &error));
  for (guint k = 0; k < motions->len; k++)
    add(((const AseFollowed *)motions->pdata[k])->reason);
  g_ptr_array_unref(motions);
}

static void collect(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_run(store, add_outcome, NULL, &error));
  g_assert_true(aio_store_each_event(store, add_event, NULL, &error));
  char *steps = aio_store_get_text(store, AIO_STORE_STEPS, &error);
  AseProcedure *procedure = g_new0(AseProcedure, 1);
  g_assert_true(ase_procedure_from_json(procedure, ase_session_steps(), steps, &error));
  add_reasons(procedure);
  add_motions(steps);
  g_free(procedure);
  g_free(steps);
  aio_store_close(store, NULL);
}

/* Whatever it is: kept as a sentence or as it stands. */
static guint judge(void) {
  guint wrong = 0;
  for (guint k = 0; k < seen.kept->len; k++) {
    char *text = aio_said_text(seen.kept->pdata[k]), *word = english_word(text);
    g_test_message("%s -> %s", (const char *)seen.english->pdata[k], text);
    if (word) {
      g_printerr("# \"%s\": %s\n", text, word);
      wrong++;
    }
    g_free(word);
    g_free(text);
  }
  return wrong;
}

static bool has(const char *english) {
  for (guint k = 0; k < seen.english->len; k++)
    if (strstr(seen.english->pdata[k], english))
      return true;
  return false;
}

static void take_locale(void) {
  const char *texts = g_getenv("ARMATURE_TEXTS");
  setlocale(LC_ALL, "");
  bindtextdomain("armature", texts ? texts : g_getenv("ARMATURE_PO"));
  bind_textdomain_codeset("armature", "UTF-8");
}

static const char *const expected[] = {"held",
                                       "paused",
                                       "skipped",
                                       "FOLLOWING",
                                       "has restarted",
                                       "limits or free ranges have changed",
                                       "sweeps",
                                       "never swept",
                                       "firmware",
                                       "pass 1 begins",
                                       "first comes",
                                       "the speed is not a number",
                                       "65 s",
                                       "no parameter 60000",
                                       "other end is gone",
                                       "backups",
                                       "proved",
                                       "gear.ratio",
                                       "of the motion",
                                       "is another motion"};

static void begin(void) {
  setlocale(LC_ALL, "C");
  seen = (Seen){g_ptr_array_new_with_free_func(g_free), g_ptr_array_new_with_free_func(g_free)};
}

static void end(guint least, const char *const *parts, gsize n) {
  for (gsize k = 0; k < n; k++)
    if (!has(parts[k]))
      g_error("nothing says \"%s\"", parts[k]);
  g_test_message("%u sentences", seen.kept->len);
  take_locale();
  g_assert_cmpuint(seen.kept->len, >, least);
  g_assert_cmpuint(judge(), ==, 0);
  g_ptr_array_unref(seen.kept);
  g_ptr_array_unref(seen.english);
}

static void test_read(void) {
  Bench bench;
  begin();
  written_session(&bench, note);
  written_edit(&bench);
  ask_nonsense(&bench);
  english_allow_arm(ase_session_arm(bench.session));
  bench_close(&bench);
  collect(bench.path);
  end(200, expected, G_N_ELEMENTS(expected));
  bench_clear(&bench);
}

/* A recording that was imported: fitted, validated, written out, and what cannot be done without
 * an arm. */
static void test_imported(void) {
  static const char *const parts[] = {"from a recording", "parameters.json"};
  Case c;
  begin();
  case_init(&c);
  english_allow_arm(c.arm);
  case_import(&c);
  add_refusals(c.session);
  case_do(&c, ASE_STEP_FIT);
  case_do(&c, ASE_STEP_VALIDATE);
  ase_session_exported(c.session, "parameters.json");
  add_reasons(ase_session_procedure(c.session));
  add_refusals(c.session);
  g_assert_true(ase_session_close(c.session, NULL));
  collect(c.path);
  end(20, parts, G_N_ELEMENTS(parts));
  case_clear(&c);
}

/* What has no translation is found, or nothing above would mean anything. */
static void test_english_is_found(void) {
  static const char *const plain[] = {"held",
                                      "interrupted: the program ended",
                                      "not to be swept",
                                      "joint 2: its position says so",
                                      "skipped",
                                      "the controller has no parameters"};
  for (gsize k = 0; k < G_N_ELEMENTS(plain); k++) {
    char *word = english_word(plain[k]);
    if (!word)
      g_error("\"%s\" is taken for another language", plain[k]);
    g_free(word);
  }
}

int main(int argc, char **argv) {
  const char *locale = g_getenv("ARMATURE_LOOK");
  g_test_init(&argc, &argv, NULL);
  char *data = folder_new();
  g_setenv("XDG_DATA_HOME", data, TRUE); /* backups */
  g_assert_nonnull(locale);
  if (!g_getenv("ARMATURE_TEXTS"))
    english_allow_language(locale);
  /* what the simulated controller calls itself; a unit; how the bench calls its link */
  english_allow("reference rad simulator");
  g_test_add_func("/words/read", test_read);
  g_test_add_func("/words/imported", test_imported);
  g_test_add_func("/words/english-is-found", test_english_is_found);
  const int code = g_test_run();
  folder_free(data);
  return code;
}
