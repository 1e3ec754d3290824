/* SPDX-License-Identifier: MIT */
/* The search for the cause of a misfit by itself: no session, no steps, no fit that asks for it. */
#include "session/method/diagnosing.h"

#include <glib-object.h>
#include <string.h>

#include "../misfit_recording.h"
#include "io/arm/arm_file.h"
#include "session/measure/recorded.h"
#include "support/support.h"

static GObject *owner, *alive; /* alive: NULL when it is gone */
static guint news;
static bool drops_owner;

static void on_changed(gpointer object) {
  g_assert_true(object == owner);
  news++;
  if (drops_owner)
    g_object_unref(owner);
  g_assert_nonnull(alive); /* as long as it is told */
}

static AseDiagnosing *begin(void) {
  owner = alive = g_object_new(G_TYPE_OBJECT, NULL);
  g_object_add_weak_pointer(owner, (gpointer *)&alive);
  news = 0;
  drops_owner = false;
  return ase_diagnosing_new(owner, on_changed);
}

static void end(AseDiagnosing *diagnosing) {
  ase_diagnosing_free(diagnosing);
  g_assert_cmpuint(owner->ref_count, ==, 1);
  g_object_unref(owner);
}

/* There is nothing to look through. */
static void start_on_nothing(AseDiagnosing *diagnosing) {
  const ArmModel model = {.n = 1};
  AseDiagnosingTask task = {.model = &model,
                            .runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref),
                            .exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion))};
  arm_fit_options_default(&task.options);
  ase_diagnosing_start(diagnosing, &task);
}

static void wait_for_end(const AseDiagnosing *diagnosing) {
  while (ase_diagnosing_is_on(diagnosing))
    g_main_context_iteration(NULL, TRUE);
}

static void test_nothing(void) {
  AseDiagnosing *diagnosing = begin();
  const AseDiagnosis *told = ase_diagnosing_told(diagnosing);
  g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_NONE);
  ase_diagnosing_cancel(diagnosing); /* of nothing */
  start_on_nothing(diagnosing);
  g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_RUNNING);
  g_assert_true(ase_diagnosing_is_on(diagnosing));
  g_assert_cmpuint(news, ==, 1);
  wait_for_end(diagnosing);
  g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_FAILED);
  g_assert_cmpstr(told->reason, !=, "");
  g_assert_cmpuint(news, ==, 2);
  ase_diagnosing_forget(diagnosing); /* the owner says so itself */
  g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_NONE);
  g_assert_cmpstr(told->reason, ==, "");
  g_assert_cmpuint(news, ==, 2);
  end(diagnosing);
}

static void test_end(void) {
  AseDiagnosing *diagnosing = begin();
  const AseDiagnosis *told = ase_diagnosing_told(diagnosing);
  start_on_nothing(diagnosing);
  ase_diagnosing_forget(diagnosing); /* what it rests on is another one meanwhile */
  wait_for_end(diagnosing);
  g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_NONE);
  g_assert_cmpuint(news, ==, 2);
  start_on_nothing(diagnosing);
  ase_diagnosing_stop(diagnosing);
  g_assert_false(ase_diagnosing_is_on(diagnosing));
  while (g_main_context_iteration(NULL, FALSE))
    ;
  g_assert_cmpuint(news, ==, 3); /* of its beginning alone */
  start_on_nothing(diagnosing);
  end(diagnosing);
}

/* Whoever is told may drop the last reference to the owner, who frees it. */
static void test_dropped(void) {
  AseDiagnosing *diagnosing = begin();
  g_object_set_data_full(owner, "diagnosing", diagnosing, (GDestroyNotify)ase_diagnosing_free);
  start_on_nothing(diagnosing);
  drops_owner = true;
  while (alive)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(news, ==, 2);
}

/* ---- a recording with one thing wrong ---- */

static AioArm *load_arm(void) {
  GError *error = NULL;
  char *text = NULL;
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/puma560.arm.json"), &text, NULL, NULL));
  AioArm *arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  g_free(text);
  return arm;
}

/* The same sweeps again, until they are so many samples. */
static void lengthen(GPtrArray *runs, gsize most) {
  const guint count = runs->len;
  gsize samples = 0;
  for (guint k = 0; samples < most; k++) {
    AseRun *run = runs->pdata[k % count];
    samples += ase_run_samples(run);
    if (k >= count)
      g_ptr_array_add(runs, ase_run_ref(run));
  }
}

static void diagnose(AseDiagnosing *diagnosing, double held_out, bool is_together, gsize most) {
  Faulty faulty;
  GError *error = NULL;
  AioArm *arm = load_arm();
  misfit_tilt(&faulty);
  AioRecording *recording = misfit_recording_new(&faulty, &arm->model);
  AseDiagnosingTask task = {.model = &arm->model,
                            .runs = ase_recorded_runs(recording, held_out, &error),
                            .exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion)),
                            .is_together = is_together};
  g_assert_no_error(error);
  lengthen(task.runs, most);
  arm_fit_options_default(&task.options);
  ase_diagnosing_start(diagnosing, &task);
  aio_recording_free(recording);
  aio_arm_free(arm); /* the model was copied */
  wait_for_end(diagnosing);
}

static void test_tilt(void) {
  AseDiagnosing *diagnosing = begin();
  const AseDiagnosis *told = ase_diagnosing_told(diagnosing);
  for (guint k = 0; k < 2; k++) {
    diagnose(diagnosing, 0.2, k == 1, 0);
    g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_DONE);
    g_assert_true(told->is_misfit);
    g_assert_cmpint(told->is_together, ==, k == 1);
    g_assert_cmpuint(told->causes.count, >, 0);
    g_assert_cmpint(told->causes.at[0].code, ==, ARM_CAUSE_BASE_TILT);
    g_assert_true(told->causes.at[0].explains_it);
  }
  g_assert_cmpuint(news, >=, 4); /* and of progress */
  end(diagnosing);
}

/* Rows beyond what memory holds are in a temporary file, and here there is no place for one. */
static void test_no_room(void) {
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
    return;
  }
  g_setenv("TMPDIR", "/nowhere/at/all", TRUE);
  AseDiagnosing *diagnosing = begin();
  diagnose(diagnosing, 0.0, false, 300000);
  const AseDiagnosis *told = ase_diagnosing_told(diagnosing);
  g_assert_cmpint(told->state, ==, ASE_DIAGNOSIS_FAILED);
  g_assert_nonnull(strstr(told->reason, "a temporary file in /nowhere/at/all"));
  end(diagnosing);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/diagnosing/nothing", test_nothing);
  g_test_add_func("/diagnosing/end", test_end);
  g_test_add_func("/diagnosing/dropped", test_dropped);
  g_test_add_func("/diagnosing/tilt", test_tilt);
  g_test_add_func("/diagnosing/no-room", test_no_room);
  return g_test_run();
}
