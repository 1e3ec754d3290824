/* SPDX-License-Identifier: MIT */
/* A session's file and the runs in it, without a session: no steps, no arm, no controller. */
#include "io/base/said.h"
#include "session/record/record.h"

#include <glib-object.h>
#include <glib/gstdio.h>
#include <string.h>

#include "folder.h"

static struct {
  GObject *object;
  char *folder, *path;
  AseRecord *record;
  GString *said;
  guint halts, told, texts, changes;
} own;

/* ---- the owner ---- */

static void say(gpointer object, int level, const char *text) {
  g_assert_true(object == own.object);
  g_string_append_printf(own.said, "%d %s\n", level, aio_said_shown(text));
}
static void changed(gpointer object) {
  g_assert_true(object == own.object);
  own.changes++;
}
static void nothing(gpointer object) {
  g_assert_true(object == own.object);
}
static void halt(gpointer object) {
  g_assert_true(object == own.object);
  own.halts++;
}
static char *text_of(gpointer object, AioStoreText kind) {
  g_assert_true(object == own.object);
  own.texts |= 1u << kind;
  return g_strdup_printf("{\"text\": %d}", (int)kind);
}
static char *told(gpointer object) {
  g_assert_true(object == own.object);
  own.told++;
  return g_strdup("{\"told\": 1}");
}

static bool fill(AioStore *store, gconstpointer data, GError **error) {
  (void)data;
  return aio_store_add_text(store, AIO_STORE_ARM, "{}", error) &&
         aio_store_add_text(store, AIO_STORE_STEPS, "{\"first\": 1}", error);
}

static void make(void) {
  const AseRecordOwner owner = {.object = own.object,
                                .say = say,
                                .changed = changed,
                                .sync = nothing,
                                .halt = halt,
                                .lost = nothing,
                                .text = text_of,
                                .told = told};
  own.record = ase_record_new(own.path, "test 1", false, &owner);
}

static void begin(void) {
  memset(&own, 0, sizeof own);
  own.object = g_object_new(G_TYPE_OBJECT, NULL);
  own.folder = folder_new();
  own.path = g_build_filename(own.folder, "a.armsession", NULL);
  own.said = g_string_new(NULL);
  make();
}

static void finish(void) {
  GError *error = NULL;
  g_assert_true(ase_record_close(own.record, &error));
  g_assert_no_error(error);
  ase_record_free(own.record);
  g_assert_cmpuint(own.object->ref_count, ==, 1);
  g_object_unref(own.object);
  while (g_main_context_iteration(NULL, FALSE)) /* what waits finds nobody, and is freed */
    continue;
  folder_free(own.folder);
  g_string_free(own.said, TRUE);
  g_free(own.path);
}

static void start(AioStore *store) {
  GError *error = NULL;
  g_assert_nonnull(store);
  g_assert_true(ase_record_start(own.record, store, &error));
  g_assert_no_error(error);
}

static void wait_for(const char *said) {
  const gint64 end_us = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
  while (!strstr(own.said->str, said) && g_get_monotonic_time() < end_us) {
    g_main_context_iteration(NULL, FALSE);
    g_usleep(5000);
  }
  if (!strstr(own.said->str, said))
    g_error("expected \"%s\" in: %s", said, own.said->str);
}

static char *bytes_of(const char *path) {
  char *bytes = NULL;
  gsize n = 0;
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, n);
  g_free(bytes);
  return sum;
}

static char *steps_in(const char *path) {
  AioStore *store = aio_store_open_read(path, NULL);
  g_assert_nonnull(store);
  char *steps = aio_store_get_text(store, AIO_STORE_STEPS, NULL);
  aio_store_close(store, NULL);
  return steps;
}

static void expect_steps(const char *path, const char *expected) {
  char *steps = steps_in(path);
  g_assert_cmpstr(steps, ==, expected);
  g_free(steps);
}

/* ---- the first row ---- */

static bool take_outcome(const AioStoreRun *row, void *data) {
  char **outcome = data;
  g_free(*outcome);
  *outcome = row->outcome ? aio_said_text(row->outcome) : NULL;
  return true;
}

static bool count_event(const AioStoreEvent *row, void *data) {
  *(guint *)data += row->text && strstr(row->text, "opened");
  return true;
}

static void expect_last_run(const char *expected, guint events) {
  AioStore *store = aio_store_open_read(own.path, NULL);
  char *outcome = NULL;
  guint found = 0;
  g_assert_true(aio_store_each_run(store, take_outcome, &outcome, NULL));
  g_assert_true(aio_store_each_event(store, count_event, &found, NULL));
  g_assert_cmpstr(outcome, ==, expected);
  g_assert_cmpuint(found, ==, events);
  g_free(outcome);
  aio_store_close(store, NULL);
}

static void open_again(void) {
  GError *error = NULL;
  AioEvent opened = {.kind = AIO_EVENT_LOG};
  g_strlcpy(opened.text, "opened", sizeof opened.text);
  g_assert_true(ase_record_close(own.record, &error));
  ase_record_free(own.record);
  make();
  start(aio_store_open_waiting(own.path, "test 2", &error));
  g_assert_no_error(error);
  ase_record_note_open_run(own.record, 1);
  ase_record_wait(own.record);
  ase_record_log(own.record, &opened);
}

/* A session that is merely looked at stays as it is; the first row brings what opening found. */
static void test_waits(void) {
  const AseLeg leg = {.sweeps = true, .purpose = ASE_PURPOSE_MEASURE, .joint = 2, .speed_R = 0.5};
  begin();
  start(aio_store_create_filled(own.path, "test 1", fill, NULL, NULL));
  g_assert_cmpint(ase_record_begin_run(own.record, &leg), ==, 1); /* and the program ends */
  open_again();
  char *before = bytes_of(own.path);
  open_again(); /* nothing was done */
  char *after = bytes_of(own.path);
  g_assert_cmpstr(before, ==, after);
  g_free(before);
  g_free(after);
  g_assert_cmpuint(own.told, ==, 0);
  expect_steps(own.path, "{\"first\": 1}");
  expect_last_run(NULL, 0);

  ase_record_write_texts(own.record, NULL, "{}", NULL);
  ase_record_write_statistic(own.record, 1, ASE_STATISTIC_SAMPLES, 0.0);
  g_assert_true(ase_record_flush(own.record, NULL));
  g_assert_cmpuint(own.told, ==, 1);
  expect_steps(own.path, "{\"told\": 1}");
  expect_last_run("interrupted: the program ended", 1);
  finish();
}

/* ---- runs ---- */

static AseRun *add_run(const AseLeg *leg, bool is_complete) {
  AseRun *run = ase_run_new(leg, 0);
  run->is_complete = is_complete;
  ase_record_add_run(own.record, run);
  ase_run_unref(run);
  return run;
}

/* Nothing is written: a session that is read has runs too. */
static void test_runs(void) {
  const AseLeg one = {.sweeps = true, .purpose = ASE_PURPOSE_MEASURE, .joint = 1, .speed_R = 0.5};
  const AseLeg two = {.sweeps = true, .purpose = ASE_PURPOSE_MEASURE, .joint = 2, .speed_R = 0.5};
  const AseLeg held = {.sweeps = true, .purpose = ASE_PURPOSE_VALIDATE, .joint = 2, .speed_R = 0.5};
  AsePurpose purpose = ASE_PURPOSE_DRIFT;
  begin();
  add_run(&one, true);
  const AseRun *interrupted = add_run(&two, false);
  add_run(&held, true);
  g_assert_true(ase_record_has_complete(own.record, &one));
  g_assert_false(ase_record_has_complete(own.record, &two));
  g_assert_true(ase_record_has_complete_of(own.record, ASE_PURPOSE_VALIDATE, 0));
  g_assert_false(ase_record_has_complete_of(own.record, ASE_PURPOSE_VALIDATE, 1));

  GPtrArray *kept = ase_record_ref_runs(own.record);
  ase_record_supersede_sweep(own.record, &two);
  g_assert_cmpuint(ase_record_runs(own.record)->len, ==, 2);
  g_assert_true(ase_record_earlier(own.record)->pdata[0] == interrupted);
  ase_record_supersede(own.record, 1); /* of the validation: shown nowhere any more */
  g_assert_cmpuint(ase_record_earlier(own.record)->len, ==, 1);
  g_assert_false(ase_record_has_complete_of(own.record, ASE_PURPOSE_VALIDATE, 0));
  g_assert_cmpuint(ase_record_drop_lost(own.record), ==, 0); /* their samples are in memory */
  g_assert_cmpuint(kept->len, ==, 3);
  g_ptr_array_unref(kept);

  g_assert_cmpstr(ase_run_kind(&held), ==, "validate");
  g_assert_true(ase_run_purpose_of("sweep", &purpose));
  g_assert_cmpint(purpose, ==, ASE_PURPOSE_MEASURE);
  g_assert_false(ase_run_purpose_of("move", &purpose));
  g_assert_true(ase_run_is_of_motion("trajectory"));
  g_assert_false(ase_run_is_of_motion("trajectory-dry-run"));
  g_assert_false(ase_record_is_writing(own.record));
  g_assert_cmpint(ase_record_begin_run(own.record, &one), ==, 0);
  finish();
}

/* ---- the file is gone ---- */

static void test_gone(void) {
  begin();
  start(aio_store_create_filled(own.path, "test 1", fill, NULL, NULL));
  g_assert_true(ase_record_flush(own.record, NULL));
  g_assert_cmpint(g_unlink(own.path), ==, 0);
  ase_record_write_texts(own.record, NULL, "{\"n\": 2}", NULL);
  wait_for("0 the session goes on in ");
  char *expected = g_build_filename(own.folder, "a-rescued.armsession", NULL);
  g_assert_cmpstr(ase_record_path(own.record), ==, expected);
  g_assert_cmpuint(own.halts, >=, 1);
  g_assert_cmpuint(own.texts, ==,
                   1u << AIO_STORE_ARM | 1u << AIO_STORE_PLAN | 1u << AIO_STORE_STEPS);
  g_assert_cmpuint(own.changes, >=, 2);
  g_assert_nonnull(strstr(own.said->str, "2 hold: "));
  g_assert_nonnull(strstr(ase_record_rescued(own.record), expected));
  g_assert_error(ase_record_left_for(own.record), AIO_ERROR, AIO_ERROR_GONE);
  g_assert_nonnull(ase_record_halted_for(own.record));
  ase_record_forget_halt(own.record);
  g_assert_null(ase_record_halted_for(own.record));
  g_assert_true(ase_record_flush(own.record, NULL));
  char *steps = g_strdup_printf("{\"text\": %d}", (int)AIO_STORE_STEPS);
  expect_steps(expected, steps);
  g_free(steps);
  g_free(expected);
  finish();
}

/* It is closed before the main loop heard of it: by itself, the same. */
static void test_gone_at_the_end(void) {
  begin();
  start(aio_store_create_filled(own.path, "test 1", fill, NULL, NULL));
  g_assert_true(ase_record_flush(own.record, NULL));
  g_assert_cmpint(g_unlink(own.path), ==, 0);
  ase_record_write_texts(own.record, NULL, "{\"n\": 2}", NULL);
  g_assert_true(ase_record_close(own.record, NULL));
  g_assert_nonnull(strstr(own.said->str, "0 the session goes on in "));
  g_assert_nonnull(strstr(ase_record_path(own.record), "a-rescued.armsession"));
  g_assert_true(aio_store_is_session(ase_record_path(own.record)));
  finish(); /* closing it twice is nothing */
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/record/waits", test_waits);
  g_test_add_func("/record/runs", test_runs);
  g_test_add_func("/record/gone", test_gone);
  g_test_add_func("/record/gone-at-the-end", test_gone_at_the_end);
  return g_test_run();
}
