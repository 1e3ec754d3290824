/* SPDX-License-Identifier: MIT */
/* Exported headers, compiled strictly and called: equal to arm_predict on arms of every kind, and
 * to the golden currents. */
#include <dlfcn.h>
#include <math.h>

#include "export_rig.h"
#include "support/golden.h"

enum { STATES = 1000, ARMS = 24, MAX = ARM_MAX_JOINTS };

/* ---- comparison ----------------------------------------------------------------------------- */

typedef struct {
  double largest, largest_f; /* relative to the larger of 1 A and the current */
  size_t saturated;
} Deviation;

static double limited(double current, double limit) {
  return isnan(limit) ? current : fmax(-limit, fmin(limit, current));
}

/* Exact in float, so that both precisions see the same state; a third of the speeds is 0. */
static void random_state(TestRng *rng, const ArmModel *model, double *q, double *qd, double *e) {
  for (size_t i = 0; i < model->n; i++) {
    const double range = model->joints[i].type == ARM_JOINT_R ? 3.2 : 0.5;
    q[i] = (double)(float)test_rng_uniform(rng, -range, range);
    qd[i] = test_rng_below(rng, 3) ? (double)(float)test_rng_uniform(rng, -0.2, 0.2) : 0.0;
    e[i] = (double)((int)test_rng_below(rng, 3) - 1) * 0.001;
  }
}

static Deviation compare(const Case *c, TestRng *rng, Current *run, CurrentF *run_f) {
  Deviation deviation = {0};
  const size_t n = c->arm.model.n;
  for (int state = 0; state < STATES; state++) {
    double q[MAX], qd[MAX], e[MAX], want[MAX], sd[MAX], got[MAX];
    float q_f[MAX], qd_f[MAX], e_f[MAX], got_f[MAX];
    const ArmPredictOptions options = {
        .zero_speed = c->options.zero_speed, .deadband = c->options.deadband, .position_error = e};
    random_state(rng, &c->arm.model, q, qd, e);
    if (state % 10 == 9)
      qd[state % n] = (double)NAN;
    for (size_t i = 0; i < n; i++) {
      q_f[i] = (float)q[i];
      qd_f[i] = (float)qd[i];
      e_f[i] = (float)e[i];
    }
    g_assert_true(arm_predict(&c->arm.model, &c->params.fit.refined, q, qd, NULL, &options, want,
                              sd) == ARM_OK);
    run(q, qd, e, got);
    run_f(q_f, qd_f, e_f, got_f);
    for (size_t i = 0; i < n; i++) {
      const double value = limited(want[i], c->options.current_max[i]);
      const double scale = fmax(1.0, fabs(want[i]));
      deviation.saturated += value != want[i];
      deviation.largest = fmax(deviation.largest, fabs(got[i] - value) / scale);
      deviation.largest_f = fmax(deviation.largest_f, fabs((double)got_f[i] - value) / scale);
      g_assert_true(isfinite(got[i]) && isfinite(got_f[i]));
    }
  }
  return deviation;
}

static Deviation compare_header(const Case *c, TestRng *rng, const char *header) {
  Current *run;
  CurrentF *run_f;
  void *library =
      rig_load_header(header, c->options.zero_speed == ARM_ZERO_SPEED_SIGN_ERROR, &run, &run_f);
  Deviation deviation = compare(c, rng, run, run_f);
  dlclose(library);
  return deviation;
}

static void test_equals_predict(void) {
  TestRng rng;
  Deviation most = {0};
  test_rng_init(&rng, test_seed(20));
  for (int which = 0; which < ARMS; which++) {
    const size_t n = which == ARMS - 1 ? 16 : 1 + test_rng_below(&rng, 8);
    Case *c = rig_random_case(&rng, n, which);
    char *header = rig_export_header(c);
    const Deviation deviation = compare_header(c, &rng, header);
    most.largest = fmax(most.largest, deviation.largest);
    most.largest_f = fmax(most.largest_f, deviation.largest_f);
    most.saturated += deviation.saturated;
    g_free(header);
    g_free(c);
  }
  g_test_message("double %.2g, float %.2g, %zu saturated", most.largest, most.largest_f,
                 most.saturated);
  g_assert_cmpfloat(most.largest, <=, 1e-12);
  g_assert_cmpfloat(most.largest_f, <=, 1e-5);
  g_assert_cmpuint(most.saturated, >, 1000);
}

/* Wrong headers must be found: one sign, one axis, one constant, no coupling. */
static void test_wrong_term_is_found(void) {
  static const char *const faults[][2] = {
      {"const double gravity1 = -", "const double gravity1 = "},
      {" + u1_2x", " - u1_2x"},
      {"sin(q[1]", "cos(q[1]"},
      {" * arm_speed(qd[", " * 0.5 * arm_speed(qd["},
      {"arm_friction(arm_speed(qd[1])", "arm_friction(-arm_speed(qd[1])"},
  };
  TestRng rng;
  size_t planted = 0;
  test_rng_init(&rng, test_seed(21));
  Case *c = rig_random_case(&rng, 4, 1);
  for (size_t i = 0; i < 4; i++)
    c->params.fit.refined.cluster[i] = 0;
  char *header = rig_export_header(c);
  for (gsize k = 0; k < G_N_ELEMENTS(faults); k++) {
    GString *text = g_string_new(header);
    if (g_string_replace(text, faults[k][0], faults[k][1], 1) > 0) {
      planted++;
      g_assert_cmpfloat(compare_header(c, &rng, text->str).largest, >, 1e-3);
    }
    g_string_free(text, TRUE);
  }
  g_assert_cmpuint(planted, >=, 3);
  g_free(header);
  g_free(c);
}

/* The currents of arms with quills, clusters and embodied loads, computed by others. */
static void test_golden(void) {
  for (const char *const *name = golden_names; *name; name++) {
    Golden *golden = golden_load(*name);
    Case *c = rig_case_new(*name);
    ArmGravityParameters *p = &c->params.fit.refined;
    Current *run;
    CurrentF *run_f;
    double largest = 0.0;
    g_assert_nonnull(golden);
    c->arm.model = golden->model;
    p->n = golden->n;
    for (size_t i = 0; i < p->n; i++) {
      p->type[i] = golden->model.joints[i].type;
      p->cluster[i] = golden->cluster[i];
      p->joint[i].rows_used = 1;
      for (int k = 0; k < 2; k++)
        p->joint[i].w[k].used = isnan(golden->expect[i].w[k]) ? 0.0 : golden->expect[i].w[k];
      for (int f = 0; f < 4; f++)
        p->joint[i].friction[f].used = golden->expect[i].friction[f];
      for (size_t j = i + 1; j < p->n; j++)
        p->ratio[i][j].used = golden->true_eta[i] / golden->true_eta[j];
    }
    aio_export_c_default(&c->options, &c->arm);
    c->options.prefix = "arm";
    for (size_t i = 0; i < p->n; i++)
      c->options.current_max[i] = (double)NAN;
    char *header = rig_export_header(c);
    void *library = rig_load_header(header, false, &run, &run_f);
    for (size_t k = 0; k < golden->n_predictions; k++) {
      double got[MAX];
      run(golden->predictions[k].q, golden->predictions[k].qd, NULL, got);
      for (size_t i = 0; i < p->n; i++)
        largest = fmax(largest, fabs(got[i] - golden->predictions[k].current[i]));
    }
    g_test_message("%s: %zu states, %.2g A", *name, golden->n_predictions, largest);
    g_assert_true(golden->n_predictions == 0 || isnan(golden->tol_prediction) ||
                  largest <= golden->tol_prediction);
    dlclose(library);
    g_free(header);
    golden_free(golden);
    g_free(c);
  }
}

static void test_positions_that_are_no_numbers(void) {
  TestRng rng;
  Current *run;
  CurrentF *run_f;
  const double q[3] = {0.1, (double)NAN, (double)INFINITY}, still[3] = {0};
  const float q_f[3] = {0.1F, (float)NAN, (float)INFINITY}, still_f[3] = {0};
  double got[3];
  float got_f[3];
  test_rng_init(&rng, test_seed(22));
  Case *c = rig_random_case(&rng, 3, 0);
  char *header = rig_export_header(c);
  void *library = rig_load_header(header, false, &run, &run_f);
  run(q, still, NULL, got);
  run_f(q_f, still_f, NULL, got_f);
  for (int i = 0; i < 3; i++)
    g_assert_true(isfinite(got[i]) && isfinite(got_f[i]));
  dlclose(library);
  g_free(header);
  g_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (!rig_begin())
    return 0;
  g_test_add_func("/export/equals-predict", test_equals_predict);
  g_test_add_func("/export/wrong-term-is-found", test_wrong_term_is_found);
  g_test_add_func("/export/golden", test_golden);
  g_test_add_func("/export/positions-that-are-no-numbers", test_positions_that_are_no_numbers);
  return rig_end(g_test_run());
}
