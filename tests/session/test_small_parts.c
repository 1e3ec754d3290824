/* SPDX-License-Identifier: MIT */
/* The small parts of a session, each by itself: a computation, what a plan comes to, a selection,
 * results. No session, no file, no controller. */
#include <glib-object.h>

#include "session/measure/planned.h"
#include "session/measure/runs.h"
#include "session/measure/selecting.h"
#include "session/method/gravity.h"
#include "session/method/results.h"
#include "session/work.h"

static void wait_until(const bool *is_met) {
  const gint64 end_us = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
  while (!*is_met && g_get_monotonic_time() < end_us) {
    g_main_context_iteration(NULL, FALSE);
    g_usleep(1000);
  }
  g_assert_true(*is_met);
}

static void drain(void) {
  for (guint k = 0; k < 50; k++) {
    g_main_context_iteration(NULL, FALSE);
    g_usleep(1000);
  }
}

/* ---- work ---- */

static struct {
  AseWork *work;
  gint may_go; /* atomic */
  bool is_done, was_cancelled, was_told;
  AseStep step;
  double part, left_s;
} computing;

static void compute(AseJob *job, void *data) {
  g_assert_true(data == &computing.may_go);
  while (!g_atomic_int_get(&computing.may_go) && !ase_job_is_cancelled(job))
    g_usleep(1000);
  ase_job_report(0.5, job);
}

static void free_nothing(gpointer data) {
  g_assert_true(data == &computing.may_go);
}

static void on_progress(gpointer object, AseStep step, double part, double left_s) {
  g_assert_true(object == &computing);
  computing.was_told = true;
  computing.step = step;
  computing.part = part;
  computing.left_s = left_s;
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  g_assert_true(data == &computing.may_go && ctx == &computing);
  g_assert_true(ase_work_is_on(computing.work));
  ase_work_be_over(computing.work);
  g_assert_false(ase_work_is_on(computing.work));
  ase_work_end(computing.work);
  computing.is_done = true;
  computing.was_cancelled = is_cancelled;
}

static void start_work(AseStep step) {
  const AseJobTask task = {
      .work = compute, .data = &computing.may_go, .free_data = free_nothing, .done = on_done};
  g_atomic_int_set(&computing.may_go, 0);
  computing.is_done = computing.was_told = false;
  ase_work_start(computing.work, step, &task);
  g_assert_true(ase_work_is_on(computing.work));
  g_assert_cmpint(ase_work_step(computing.work), ==, step);
}

static void test_work(void) {
  computing.work = ase_work_new(&computing, on_progress);
  g_assert_false(ase_work_is_on(computing.work));
  ase_work_cancel(computing.work); /* of nothing */
  start_work(ASE_STEP_FIT);
  g_atomic_int_set(&computing.may_go, 1);
  wait_until(&computing.is_done);
  g_assert_false(computing.was_cancelled);
  g_assert_false(ase_work_is_on(computing.work));
  if (computing.was_told) { /* the end may overtake it */
    g_assert_cmpint(computing.step, ==, ASE_STEP_FIT);
    g_assert_cmpfloat(computing.part, ==, 0.5);
    g_assert_true(computing.left_s >= 0.0);
  }
  start_work(ASE_STEP_PLAN);
  ase_work_cancel(computing.work);
  wait_until(&computing.is_done);
  g_assert_true(computing.was_cancelled);
  start_work(ASE_STEP_PLAN);
  ase_work_free(computing.work); /* it is not waited for */
  drain();
  g_assert_false(computing.is_done);
}

/* ---- planned ---- */

static AseItinerary *itinerary_of(guint n) {
  AseItinerary *itinerary = g_new0(AseItinerary, 1);
  itinerary->n = n;
  itinerary->legs = g_array_new(FALSE, TRUE, sizeof(AseLeg));
  return itinerary;
}

static void wait_for_end(AseJob *job, void *data) {
  (void)data;
  while (!ase_job_is_cancelled(job))
    g_usleep(1000);
}

static void note_end(void *data, bool is_cancelled, void *ctx) {
  (void)data, (void)ctx;
  computing.is_done = true;
  computing.was_cancelled = is_cancelled;
}

static void no_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void test_planned(void) {
  AsePlanned *planned = ase_planned_new();
  ArmPlanReport *report = g_atomic_rc_box_new0(ArmPlanReport);
  g_assert_null(ase_planned_itinerary(planned));
  g_assert_null(ase_planned_ref_forecast(planned));
  ase_planned_take_itinerary(planned, itinerary_of(1));
  ase_planned_take_itinerary(planned, itinerary_of(2));
  g_assert_cmpuint(ase_planned_itinerary(planned)->n, ==, 2);
  ase_planned_take_forecast(planned, report);
  ArmPlanReport *mine = ase_planned_ref_forecast(planned);
  g_assert_true(mine == report && ase_planned_forecast(planned) == report);

  const AseJobTask task = {.work = wait_for_end,
                           .free_data = free_nothing,
                           .data = &computing.may_go,
                           .progress = no_progress,
                           .done = note_end};
  computing.is_done = false;
  ase_planned_want_forecast(planned, true);
  ase_planned_begin_forecast(planned, ase_job_start(&task));
  g_assert_true(ase_planned_is_forecasting(planned));
  g_assert_false(ase_planned_wants_forecast(planned)); /* the wish is granted */
  ase_planned_want_forecast(planned, true);
  ase_planned_forget(planned);
  g_assert_null(ase_planned_itinerary(planned));
  g_assert_null(ase_planned_forecast(planned));
  g_assert_false(ase_planned_wants_forecast(planned));
  wait_until(&computing.is_done);
  g_assert_true(computing.was_cancelled);
  ase_planned_end_forecast(planned);
  g_assert_false(ase_planned_is_forecasting(planned));
  ase_planned_take_itinerary(planned, itinerary_of(1));
  ase_planned_free(planned);
  ase_forecast_unref(mine); /* it was shared */
}

/* ---- selecting ---- */

static GObject *owner;
static bool has_changed;

static void on_changed(gpointer object) {
  g_assert_true(object == owner);
  has_changed = true;
}

static void test_selecting(void) {
  const ArmModel model = {.n = 1};
  GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  GArray *exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  owner = g_object_new(G_TYPE_OBJECT, NULL);
  AseSelecting *selecting = ase_selecting_new(owner, on_changed);
  g_assert_null(ase_selecting_have(selecting));
  g_assert_null(ase_selecting_make(selecting, &model, runs, exclusions, false)); /* nothing to */

  AseSelection *made = ase_selection_begin(); /* somebody's */
  ase_selecting_take(selecting, made);
  ase_selection_unref(made);
  g_assert_true(ase_selecting_have(selecting) == made);
  ase_selecting_forget(selecting);
  g_assert_null(ase_selecting_have(selecting));

  /* in a thread: cancelled, it is to be asked for again */
  g_assert_null(ase_selecting_make(selecting, &model, runs, exclusions, true));
  g_assert_null(ase_selecting_make(selecting, &model, runs, exclusions, false)); /* one at a time */
  ase_selecting_outdate(selecting);
  wait_until(&has_changed);
  g_assert_null(ase_selecting_have(selecting));

  /* the end: nobody is told any more */
  has_changed = false;
  g_assert_null(ase_selecting_make(selecting, &model, runs, exclusions, true));
  ase_selecting_free(selecting);
  drain();
  g_assert_false(has_changed);
  g_assert_cmpuint(owner->ref_count, ==, 1);
  g_object_unref(owner);
  g_array_unref(exclusions);
  g_ptr_array_unref(runs);
}

/* ---- results ---- */

static void free_counted(gpointer count) {
  ++*(guint *)count;
}

/* Freed once, with the last reference; whoever frees it otherwise is another method. */
static void test_fit(void) {
  guint freed = 0;
  AseFit *fit = ase_fit_new(&freed, free_counted);
  g_assert_true(ase_fit_whole(fit, free_counted) == &freed);
  g_assert_null(ase_fit_whole(fit, g_free));
  g_assert_null(ase_fit_whole(NULL, free_counted));
  g_assert_null(ase_gravity_of(fit));
  g_assert_null(ase_gravity_of(NULL));
  g_assert_true(ase_fit_ref(fit) == fit);
  ase_fit_unref(fit);
  g_assert_cmpuint(freed, ==, 0);
  ase_fit_unref(fit);
  g_assert_cmpuint(freed, ==, 1);
  ase_fit_unref(NULL);
}

static void test_results(void) {
  AseResults *results = ase_results_new();
  AseFitted fitted = {.fit = ase_gravity_wrap(g_new0(ArmGravityFit, 1)),
                      .arm_digest = g_strdup("sha256:1"),
                      .sha256 = g_strdup("2")};
  AseFit *fit = fitted.fit;
  g_assert_null(ase_results_fit(results));
  ase_results_take_validation(results, g_new0(AseValidation, 1));
  ase_results_want_validation(results, true);
  ase_results_take_fit(results, &fitted);
  g_assert_null(fitted.fit);
  g_assert_null(fitted.arm_digest);
  g_assert_true(ase_results_fit(results) == fit);
  g_assert_cmpstr(ase_results_arm_digest(results), ==, "sha256:1");
  g_assert_cmpstr(ase_results_sha256(results), ==, "2");
  g_assert_null(ase_results_wild(results));
  g_assert_null(ase_results_validation(results)); /* it was of another fit */
  g_assert_false(ase_results_wants_validation(results));

  AseFit *mine = ase_results_ref_fit(results);
  g_assert_true(mine == fit);
  AseValidation *validation = g_new0(AseValidation, 1);
  ase_results_take_validation(results, validation);
  g_assert_true(ase_results_validation(results) == validation);
  ase_results_clear(results);
  g_assert_null(ase_results_fit(results));
  g_assert_null(ase_results_arm_digest(results));
  g_assert_null(ase_results_validation(results));
  ase_results_free(results);
  g_assert_nonnull(ase_gravity_of(mine)); /* a thread's */
  ase_fit_unref(mine);
}

static void test_traces(void) {
  g_assert_cmpuint(ase_trace_most(0), ==, ASE_TRACE_POINTS);
  g_assert_cmpuint(ase_trace_most(128), ==, ASE_TRACE_POINTS);
  g_assert_cmpuint(ase_trace_most(129), ==, ASE_TRACE_POINTS / 2);
  g_assert_cmpuint(ase_trace_most(1000), ==, 512);
  g_assert_cmpuint(ase_trace_most(1000000), ==, ASE_TRACE_LEAST);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/parts/traces", test_traces);
  g_test_add_func("/parts/work", test_work);
  g_test_add_func("/parts/planned", test_planned);
  g_test_add_func("/parts/selecting", test_selecting);
  g_test_add_func("/parts/fit", test_fit);
  g_test_add_func("/parts/results", test_results);
  return g_test_run();
}
