/* SPDX-License-Identifier: MIT */
/* A session that measures for another method than the program's: what it plans, says of it, fits
 * and finds in a file is what that method says, and asked where it may take its time. All else is
 * as of sweeps. */
#include <string.h>

#include "bench.h"
#include "io/base/said.h"
#include "session/method/gravity.h"
#include "session/method/method.h"

static AseMeasuring table; /* of sweeps, but for what is below */

static const ArmMethod *finds(void) {
  static const ArmMethod method = {.key = "other"};
  return &method;
}

static const AseMethod other_method = {.finds = finds, .measuring = &table};

/* Instead of method_list.c. */
const AseMethod *const ase_method_list[] = {&ase_method_gravity, &other_method, NULL};
const AseMethod *const ase_method_of_sessions = &other_method;

/* ---- the method ---- */

static struct {
  GThread *session;
  guint proposed, given, again, recalled;
  bool plans_again, is_changed, has_no_arm;
  const AseFit *found; /* of the last plan */
} other;

static bool plan(AseJob *job, const AsePlanning *planning, AseProposal *made, GError **error) {
  g_assert_true(g_thread_self() != other.session);
  planning->is_given ? other.given++ : other.proposed++;
  other.found = planning->found;
  if (!ase_method_gravity.measuring->plan(job, planning, made, error))
    return false;
  if (!planning->is_given)
    made->plan.joint[0].n_holds = 1;
  made->forecast->score[0] = 42.0;
  return true;
}

static bool plans_again(const ArmModel *model) {
  return model->n == 2 && other.plans_again;
}

static bool plan_again(AseJob *job, const AsePlanning *planning, const AseSweepRows *rows,
                       const ArmRowOptions *how, guint joint, AseProposal *made, GError **error) {
  (void)job, (void)error;
  g_assert_true(g_thread_self() != other.session);
  g_assert_cmpuint(joint, ==, 2);
  g_assert_cmpuint(ase_sweep_rows_source(rows)->rows, >, 0);
  g_assert_true(how->wants_plateau); /* the session's */
  other.again++;
  memcpy(&made->plan, &planning->plan, sizeof made->plan);
  made->plan.joint[0].n_holds = 2;
  made->forecast = g_atomic_rc_box_new0(ArmPlanReport);
  made->forecast->score[0] = 43.0;
  return true;
}

static char *plan_said(const AseProposal *made, double minutes) {
  return aio_said("another plan of %zu joints, %.0f min", made->plan.n, minutes);
}

static AsePlanRemarks remarks(const ArmModel *model, const ArmPlan *planned,
                              const AseItinerary *itinerary) {
  g_assert_cmpuint(model->n, ==, planned->n);
  g_assert_cmpuint(itinerary->legs->len, >, 0);
  return (AsePlanRemarks){.note = aio_said("%s", "by the way"), .warning = g_strdup("beware")};
}

static bool recall(const char *name, const char *text, gsize length, const ArmModel *model,
                   AseFitted *found, bool *is_changed, GError **error) {
  other.recalled++;
  if (!ase_method_gravity.measuring->recall(name, text, length, model, found, is_changed, error))
    return false;
  *is_changed = other.is_changed;
  if (other.has_no_arm)
    g_clear_pointer(&found->arm_digest, g_free);
  return true;
}

/* It counts rows. */
static bool fit(AseJob *job, const ArmModel *model, const AseSweepRows *rows,
                const ArmFitOptions *options, AseFitted *found, GError **error) {
  (void)job, (void)model, (void)options;
  const gsize count = ase_sweep_rows_selection(rows)->rows;
  found->fit = ase_fit_new(g_memdup2(&count, sizeof count), g_free);
  found->sha256 = ase_sweep_rows_digest_of_used(rows, error);
  return true;
}

static gsize count_of(const AseFit *fitted) {
  const gsize *count = ase_fit_whole(fitted, g_free);
  g_assert_nonnull(count);
  return *count;
}

static AseJudgement judge(const AseFit *fitted, guint joint) {
  g_assert_cmpuint(joint, ==, 2);
  return (AseJudgement){ASE_JUDGED_PASSED, aio_said("%zu rows", count_of(fitted))};
}

static ArmStatus set(const AseFit *fitted, ArmParamSet *found, ArmParamSet *recursion) {
  const ArmParamRoom room = {.params = 1};
  (void)recursion;
  g_assert_cmpuint(count_of(fitted), >, 0);
  return arm_param_set_init(found, 2, &room);
}

static AseVerdict verdict(const AseFit *fitted) {
  return (AseVerdict){.is_doubtful = count_of(fitted) > 0, .has_alarm = true};
}

static bool has_rows(const AseFit *fitted, guint joint) {
  return count_of(fitted) > 0 && joint == 2;
}

static char *options(const AseFit *fitted, const AseFitSettings *settings, bool is_file) {
  (void)settings, (void)is_file;
  return g_strdup_printf("{\"count\": %zu}", count_of(fitted));
}

static char *format(const AseFit *fitted, const char *arm_name, const char *arm_digest,
                    const char *program, const AioProvenance *provenance,
                    const GPtrArray *held_out) {
  (void)arm_name, (void)arm_digest, (void)program, (void)provenance, (void)held_out;
  return g_strdup_printf("%zu", count_of(fitted));
}

static bool recall_count(const char *name, const char *text, gsize length, const ArmModel *model,
                         AseFitted *found, bool *is_changed, GError **error) {
  (void)name, (void)model, (void)error;
  const gsize count = g_ascii_strtoull(text, NULL, 10);
  g_assert_cmpuint(strlen(text), ==, length);
  other.recalled++;
  found->fit = ase_fit_new(g_memdup2(&count, sizeof count), g_free);
  *is_changed = false;
  return true;
}

static void fit_by_counting(void) {
  table.fit = fit;
  table.judge = judge;
  table.set = set;
  table.verdict = verdict;
  table.has_rows = has_rows;
  table.options = options;
  table.format = format;
  table.recall = recall_count;
}

static void begin(void) {
  memset(&other, 0, sizeof other);
  other.session = g_thread_self();
  table = *ase_method_gravity.measuring;
  table.plan = plan;
  table.plans_again = plans_again;
  table.plan_again = plan_again;
  table.plan_said = plan_said;
  table.remarks = remarks;
  table.recall = recall;
}

/* ---- what a session makes of it ---- */

static bool has_forecast(void *session) {
  return ase_session_forecast(session) != NULL;
}

static void test_plan(void) {
  Bench bench;
  begin();
  bench_init(&bench, "planar2r", 40.0);
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
  g_assert_true(g_str_has_prefix(bench_reason(&bench, ASE_STEP_PLAN), "another plan of 2 joints"));
  g_assert_true(bench_has_message(&bench, "0 by the way"));
  g_assert_true(bench_has_message(&bench, "1 beware"));
  g_assert_cmpuint(ase_session_plan(bench.session)->joint[0].n_holds, ==, 1);
  g_assert_cmpfloat(ase_session_forecast(bench.session)->score[0], ==, 42.0);
  g_assert_cmpuint(other.proposed, ==, 1);
  g_assert_cmpuint(other.given, ==, 0);
  bench_close(&bench);
  bench_open(&bench);
  g_assert_true(rig_wait(has_forecast, bench.session, 10.0));
  g_assert_cmpfloat(ase_session_forecast(bench.session)->score[0], ==, 42.0);
  g_assert_cmpuint(other.proposed, ==, 1);
  g_assert_cmpuint(other.given, ==, 1);
  bench_clear(&bench);
}

/* The arm's file states all masses: by sweeps alone no plan of it would be made again. */
static void test_plan_again(void) {
  Bench bench;
  begin();
  other.plans_again = true;
  bench_init(&bench, "planar2r", 40.0);
  bench_hurry(&bench);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_do(&bench, ASE_STEP_SWEEP);
  bench_until(&bench, ASE_STEP_PLAN, 120.0);
  g_assert_cmpuint(other.again, ==, 1);
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_PLAN), "planned again"));
  g_assert_cmpuint(ase_session_plan(bench.session)->joint[0].n_holds, ==, 2);
  g_assert_cmpfloat(ase_session_forecast(bench.session)->score[0], ==, 43.0);
  bench_clear(&bench);
}

static void reopen(Bench *bench) {
  bench_close(bench);
  other.recalled = 0;
  bench_open(bench);
  g_assert_cmpuint(other.recalled, ==, 1);
}

static void test_recall(void) {
  Bench bench;
  begin();
  bench_init(&bench, "planar2r", 40.0);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  g_assert_cmpuint(other.recalled, ==, 0);
  g_assert_null(other.found);
  reopen(&bench);
  g_assert_nonnull(ase_session_fit(bench.session));
  bench_do(&bench, ASE_STEP_PLAN); /* with what was found */
  g_assert_true(other.found == ase_session_fit(bench.session));
  other.has_no_arm = true;
  reopen(&bench);
  char *text = ase_session_parameters(bench.session, NULL); /* then it is of this arm */
  g_assert_nonnull(text);
  g_free(text);
  other.is_changed = true;
  reopen(&bench);
  g_assert_null(ase_session_fit(bench.session));
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_FIT), "it was changed after"));
  bench_clear(&bench);
}

static void assert_counted(Bench *bench, const char *count) {
  AseUploadDoubts doubts;
  g_assert_null(ase_gravity_of(ase_session_fit(bench->session)));
  g_assert_true(ase_session_has_rows(bench->session, 2));
  g_assert_false(ase_session_has_rows(bench->session, 1));
  ase_session_upload_doubts(bench->session, &doubts);
  g_assert_true(doubts.is_doubtful);
  g_assert_false(doubts.is_misfit);
  g_assert_true(ase_session_may_diagnose(bench->session, NULL));
  char *text = ase_session_parameters(bench->session, NULL);
  g_assert_cmpstr(text, ==, count);
  g_free(text);
}

/* Nothing of a session looks into it. */
static void test_fit(void) {
  Bench bench;
  begin();
  fit_by_counting();
  bench_init(&bench, "planar2r", 40.0);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  g_assert_false(ase_session_has_rows(bench.session, 2));
  bench_reach(&bench, ASE_STEP_FIT);
  const char *reason =
      ase_step_reason(&ase_session_procedure(bench.session)->joint[ASE_STEP_FIT][1]);
  g_assert_true(g_str_has_suffix(reason, " rows"));
  g_autofree char *count = g_strndup(reason, strlen(reason) - strlen(" rows"));
  assert_counted(&bench, count);
  reopen(&bench);
  assert_counted(&bench, count);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/method/plan", test_plan);
  g_test_add_func("/session/method/plan_again", test_plan_again);
  g_test_add_func("/session/method/recall", test_recall);
  g_test_add_func("/session/method/fit", test_fit);
  return g_test_run();
}
