/* SPDX-License-Identifier: MIT */
/* Exclusions against a model of single positions, plans by hand. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "session/edits.h"
#include "session/procedure.h"
#include "support/support.h"

/* ---- exclusions ---- */

enum { CELLS = 40, RUNS = 2, STEPS = 3000 };

/* What is excluded, position by position: the answer that cannot be wrong. */
typedef struct {
  bool is_out[RUNS][2][CELLS];
} Truth;

static void apply(Truth *truth, const AseExclusion *range, bool is_out) {
  for (guint d = 0; d < 2; d++)
    for (guint k = 0; k < CELLS; k++)
      if (k + 0.5 > range->q_low && k + 0.5 < range->q_high && range->direction != (d ? 1 : -1))
        truth->is_out[range->run - 1][d][k] = is_out;
}

static bool is_out(const AseEdits *edits, gint64 run, guint d, guint cell) {
  for (guint k = 0; k < edits->n_exclusions; k++) {
    const AseExclusion *e = &edits->exclusions[k];
    if (e->run == run && e->q_low < cell + 0.5 && e->q_high > cell + 0.5 &&
        e->direction != (d ? 1 : -1))
      return true;
  }
  return false;
}

static void compare(const AseEdits *edits, const Truth *truth) {
  for (guint r = 0; r < RUNS; r++)
    for (guint d = 0; d < 2; d++)
      for (guint k = 0; k < CELLS; k++)
        g_assert_cmpint(is_out(edits, r + 1, d, k), ==, truth->is_out[r][d][k]);
}

static void test_exclusions(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(7));
  AseEdits *edits = g_new0(AseEdits, 1);
  Truth truth = {0};
  guint most = 0;
  for (guint k = 0; k < STEPS; k++) {
    const double a = floor(test_rng_uniform(&rng, 0.0, CELLS + 1));
    const double b = floor(test_rng_uniform(&rng, 0.0, CELLS + 1));
    const AseExclusion range = {.run = 1 + (gint64)test_rng_uniform(&rng, 0.0, RUNS),
                                .q_low = fmin(a, b),
                                .q_high = fmax(a, b),
                                .direction = (int)test_rng_uniform(&rng, 0.0, 3.0) - 1};
    const bool excludes = test_rng_uniform(&rng, 0.0, 1.0) < 0.5;
    g_assert_true(excludes ? ase_edits_exclude(edits, &range, NULL)
                           : ase_edits_restore(edits, &range, NULL));
    apply(&truth, &range, excludes);
    compare(edits, &truth);
    most = MAX(most, edits->n_exclusions);
  }
  g_test_message("at most %u ranges at once", most);
  const AseExclusion all = {.run = 1, .q_low = -INFINITY, .q_high = INFINITY};
  g_assert_true(ase_edits_restore(edits, &all, NULL));
  for (guint k = 0; k < edits->n_exclusions; k++)
    g_assert_cmpint(edits->exclusions[k].run, ==, 2);
  g_free(edits);
}

static void test_room(void) {
  GError *error = NULL;
  AseEdits *edits = g_new0(AseEdits, 1);
  AseExclusion range = {.run = 1};
  for (guint k = 0; k < ASE_EXCLUSIONS; k++) {
    range.q_low = k, range.q_high = k + 0.5;
    g_assert_true(ase_edits_exclude(edits, &range, &error));
  }
  AseEdits *before = g_memdup2(edits, sizeof *edits);
  range.q_low = -1.0, range.q_high = -0.5;
  g_assert_false(ase_edits_exclude(edits, &range, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "room for 256 excluded ranges"));
  g_clear_error(&error);
  range.q_low = 0.1, range.q_high = 0.2;
  g_assert_false(ase_edits_restore(edits, &range, &error)); /* would make two of one */
  g_clear_error(&error);
  g_assert_cmpmem(before, sizeof *before, edits, sizeof *edits);
  range.q_low = -1.0, range.q_high = 300.0;
  g_assert_true(ase_edits_exclude(edits, &range, &error));
  g_assert_cmpuint(edits->n_exclusions, ==, 1);
  g_free(before);
  g_free(edits);
}

/* ---- plans by hand ---- */

static AseEdits *edits_new(ArmModel *model) {
  g_assert_cmpint(arm_model_init(model, 3), ==, ARM_OK);
  AseEdits *edits = g_new0(AseEdits, 1);
  model->joints[1].limits.speed_max = 1.0;
  ase_edits_init(edits, model);
  edits->has_plan = true;
  edits->plan.n = 3;
  edits->plan.joint[1] = (ArmJointPlan){
      .is_swept = true, .from = -1.0, .to = 1.0, .n_speeds = 2, .speeds = {0.5, 0.9}, .n_holds = 1};
  return edits;
}

static void refused(const AseEdits *edits, const ArmModel *model, const char *part) {
  GError *error = NULL;
  g_assert_false(ase_edits_check_plan(edits, model, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, test_local_numbers(part)))
    g_error("\"%s\" lacks \"%s\"", error->message, part);
  g_clear_error(&error);
}

static void test_check(void) {
  ArmModel model;
  GError *error = NULL;
  AseEdits *edits = edits_new(&model);
  g_assert_true(ase_edits_check_plan(edits, &model, &error));
  edits->plan.joint[1].speeds[1] = 2.0;
  refused(edits, &model, "joint 2: it would sweep at 114.6 deg/s, the arm allows 57.3");
  edits->plan.joint[1].is_swept = false;
  g_assert_true(ase_edits_check_plan(edits, &model, &error));
  edits->plan.joint[1].is_swept = true;
  edits->plan.joint[1].speeds[1] = 0.9;
  edits->plan.joint[1].holds[0][2] = 3.5;
  refused(edits, &model,
          "joint 2, hold 1: joint 3 would stand at 200.5 deg, outside of what is free");
  edits->plan.joint[1].holds[0][2] = 0.0;
  edits->low[1] = 0.9;
  refused(edits, &model, "only 51.57 to 180 deg are free, which leaves less than a third");
  g_free(edits);
}

static void test_holds(void) {
  ArmModel model;
  GError *error = NULL;
  AseEdits *edits = edits_new(&model);
  g_assert_false(ase_edits_remove_hold(edits, 2, 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  for (guint k = 1; k < ARM_PLAN_MAX_HOLDS; k++)
    g_assert_true(ase_edits_add_hold(edits, 2, (double[]){0.0, 0.0, 0.1 * k}, &error));
  g_assert_false(ase_edits_add_hold(edits, 2, (double[]){0.0, 0.0, 0.0}, &error));
  g_clear_error(&error);
  edits->n_holds = 4;
  edits->holds[0] = (AseHoldRange){2, 2, -0.5, 0.5};
  edits->holds[1] = (AseHoldRange){2, 3, -0.6, 0.6};
  edits->holds[2] = (AseHoldRange){2, 4, -0.7, 0.7};
  edits->holds[3] = (AseHoldRange){1, 4, -0.8, 0.8};
  g_assert_true(ase_edits_remove_hold(edits, 2, 3, &error));
  g_assert_cmpuint(edits->plan.joint[1].n_holds, ==, ARM_PLAN_MAX_HOLDS - 1);
  g_assert_cmpfloat(edits->plan.joint[1].holds[1][2], ==, 0.1);
  g_assert_cmpfloat(edits->plan.joint[1].holds[2][2], ==, 0.1 * 3);
  g_assert_cmpuint(edits->n_holds, ==, 3);
  g_assert_cmpuint(edits->holds[0].hold, ==, 2);
  g_assert_cmpuint(edits->holds[1].hold, ==, 3);
  g_assert_cmpfloat(edits->holds[1].high, ==, 0.7);
  g_assert_cmpuint(edits->holds[2].hold, ==, 4);
  AseEdits *copy = g_memdup2(edits, sizeof *edits); /* what is gone leaves no trace */
  g_assert_true(ase_edits_add_hold(edits, 2, (double[]){0.0, 0.0, 0.9}, &error));
  g_assert_true(ase_edits_remove_hold(edits, 2, ARM_PLAN_MAX_HOLDS, &error));
  g_assert_cmpuint(ase_edits_difference(edits, copy), ==, 0);
  g_free(copy);
  g_free(edits);
}

/* A forecast takes time with every position. */
static void test_positions(void) {
  ArmModel model;
  GError *error = NULL;
  AseEdits *edits = edits_new(&model);
  model.n = 3;
  const size_t allowed[] = {0, 126, 20000}, too_many = 20001;
  for (guint k = 0; k < G_N_ELEMENTS(allowed); k++) {
    edits->plan.joint[1].positions = allowed[k];
    char *text = ase_edits_to_json(edits, &model);
    const bool is_read = ase_edits_from_json(edits, &model, text, &error);
    g_assert_no_error(error);
    g_assert_true(is_read);
    g_assert_cmpuint(edits->plan.joint[1].positions, ==, allowed[k]);
    g_free(text);
  }
  edits->plan.joint[1].positions = too_many;
  char *text = ase_edits_to_json(edits, &model);
  g_assert_false(ase_edits_from_json(edits, &model, text, &error));
  g_assert_nonnull(strstr(error->message, "20000"));
  g_clear_error(&error);
  g_free(text);
  g_free(edits);
}

/* A session from before the lab could set them has the usual limits of a misfit. */
static void test_misfit_limits(void) {
  ArmModel model;
  GError *error = NULL;
  AseEdits *edits = edits_new(&model);
  AseEdits *read = g_memdup2(edits, sizeof *edits);
  const ArmVerdictLimits usual = edits->misfit;
  ArmVerdictLimits limits = {.gravity_relative = 0.1,
                             .gravity_promised_factor = 3.0,
                             .gravity_friction = usual.gravity_friction,
                             .direction_relative = 0.3,
                             .direction_A = 0.4,
                             .speed_relative = 0.5,
                             .scatter_relative = 0.6,
                             .trend_relative = 0.7,
                             .validation_relative = usual.validation_relative,
                             .r2 = 0.9};
  ase_edits_take_limits(edits, &limits);
  g_assert_cmpuint(ase_edits_difference(edits, read), ==, 1u << ASE_INPUT_MISFIT);
  char *text = ase_edits_to_json(edits, &model);
  g_assert_true(ase_edits_from_json(read, &model, text, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(ase_edits_difference(edits, read), ==, 0);
  char **lines = g_strsplit(text, "\n", -1);
  GString *older = g_string_new(NULL);
  for (char **line = lines; *line; line++)
    if (!strstr(*line, "misfit_"))
      g_string_append(older, *line);
  g_assert_cmpuint(older->len, <, strlen(text));
  g_assert_true(ase_edits_from_json(read, &model, older->str, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(&read->misfit, sizeof usual, &usual, sizeof usual);
  limits.validation_relative = 0.25;
  ase_edits_take_limits(edits, &limits);
  g_assert_cmpfloat(edits->validation_percent, ==, 25.0);
  g_string_free(older, TRUE);
  g_strfreev(lines);
  g_free(text);
  g_free(read);
  g_free(edits);
}

/* A session from before there were friction terms is fitted again as it was. */
static void test_offers(void) {
  ArmModel model;
  GError *error = NULL;
  AseEdits *edits = edits_new(&model);
  AseEdits *read = g_memdup2(edits, sizeof *edits);
  g_assert_true(edits->offers_term[ARM_TERM_LOAD] && edits->offers_term[ARM_TERM_CURVE]);
  edits->offers_term[ARM_TERM_LOAD] = false;
  g_assert_cmpuint(ase_edits_difference(edits, read), ==, 1u << ASE_INPUT_FRICTION);
  char *text = ase_edits_to_json(edits, &model);
  g_assert_true(ase_edits_from_json(read, &model, text, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(ase_edits_difference(edits, read), ==, 0);
  char **lines = g_strsplit(text, "\n", -1);
  GString *older = g_string_new(NULL);
  for (char **line = lines; *line; line++)
    if (!strstr(*line, "offers_"))
      g_string_append(older, *line);
  g_assert_cmpuint(older->len, <, strlen(text));
  g_assert_true(ase_edits_from_json(read, &model, older->str, &error));
  g_assert_no_error(error);
  g_assert_false(read->offers_term[ARM_TERM_LOAD] || read->offers_term[ARM_TERM_CURVE]);
  g_string_free(older, TRUE);
  g_strfreev(lines);
  g_free(text);
  g_free(read);
  g_free(edits);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/edits/exclude", test_exclusions);
  g_test_add_func("/edits/room", test_room);
  g_test_add_func("/edits/check-plan", test_check);
  g_test_add_func("/edits/holds", test_holds);
  g_test_add_func("/edits/positions", test_positions);
  g_test_add_func("/edits/misfit-limits", test_misfit_limits);
  g_test_add_func("/edits/offers", test_offers);
  return g_test_run();
}
