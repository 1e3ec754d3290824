/* SPDX-License-Identifier: MIT */
/* A session is written by somebody who reads English, with what may go wrong, and read by somebody
 * who does not: none of the reasons of its steps, outcomes of its runs and words of its events is
 * English. Run by in_locale.sh; it takes the locale only when the session is closed. */
#include <libintl.h>
#include <locale.h>
#include <string.h>

#include "english_words.h"
#include "io/base/said.h"
#include "support/support.h"
#include "written.h"

static bool is_pseudo;

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

static void add_reasons(const AseProcedure *procedure) {
  for (AseStep step = 0; step < ASE_STEPS; step++) {
    add(procedure->steps[step].reason);
    for (guint j = 0; j < procedure->joints; j++)
      add(procedure->joint[step][j].reason);
  }
}

static void note(Bench *bench) {
  add_reasons(ase_session_procedure(bench->session));
}

/* ---- read ---- */

static bool add_outcome(const AioStoreRun *row, void *data) {
  (void)data;
  add(row->outcome);
  return true;
}

/* What the controller itself says is in its own words. */
static bool add_event(const AioStoreEvent *row, void *data) {
  (void)data;
  if (row->text && *row->text == '[')
    add(row->text);
  else
    g_test_message("%s: %s", row->kind, row->text);
  return true;
}

static void collect(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_run(store, add_outcome, NULL, &error));
  g_assert_true(aio_store_each_event(store, add_event, NULL, &error));
  char *steps = aio_store_get_text(store, AIO_STORE_STEPS, &error);
  AseProcedure *procedure = g_new0(AseProcedure, 1);
  g_assert_true(ase_procedure_from_json(procedure, steps, &error));
  add_reasons(procedure);
  g_free(procedure);
  g_free(steps);
  aio_store_close(store, NULL);
}

/* A text that has words in English has others now. */
static guint judge(void) {
  guint wrong = 0;
  for (guint k = 0; k < seen.kept->len; k++) {
    const char *english = seen.english->pdata[k];
    char *text = aio_said_text(seen.kept->pdata[k]);
    char *before = english_word(english), *word = is_pseudo ? english_word(text) : NULL;
    g_test_message("%s -> %s", english, text);
    if (word || (before && strcmp(text, english) == 0)) {
      g_printerr("# \"%s\": %s\n", text, word ? word : "as in English");
      wrong++;
    }
    g_free(word);
    g_free(before);
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

static const char *const expected[] = {"held",          "paused",
                                       "skipped",       "FOLLOWING",
                                       "has restarted", "limits or free ranges have changed",
                                       "sweeps",        "never swept",
                                       "firmware",      "pass 1 begins"};

static void test_read(void) {
  Bench bench;
  seen = (Seen){g_ptr_array_new_with_free_func(g_free), g_ptr_array_new_with_free_func(g_free)};
  written_session(&bench, note);
  english_allow_arm(ase_session_arm(bench.session));
  bench_close(&bench);
  collect(bench.path);
  for (gsize k = 0; k < G_N_ELEMENTS(expected); k++)
    if (!has(expected[k]))
      g_error("nothing says \"%s\"", expected[k]);
  take_locale();
  g_assert_cmpuint(seen.kept->len, >, 40);
  g_assert_cmpuint(judge(), ==, 0);
  g_ptr_array_unref(seen.kept);
  g_ptr_array_unref(seen.english);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  is_pseudo = g_getenv("ARMATURE_TEXTS") != NULL;
  english_allow("reference");
  g_test_add_func("/words/read", test_read);
  return g_test_run();
}
