/* SPDX-License-Identifier: MIT */
/* The shared vectors of identification, read from their JSON; skipped without them: a filter with a
 * prior and forgetting, currents of a PUMA with a tool. Then its parameters through a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/identify.h"
#include "core/num/lsq.h"
#include "io/json/json_read.h"
#include "io/params/params_file.h"
#include "json_vectors.h"
#include "support/base_case.h"
#include "support/dyn_rows.h"

enum { P = 5, JOINTS = 6, SAMPLES = 100 };

/* ---- srif.json ---- */

/* A row of five columns, which take the places of the drive's own terms. */
static void push_row(ArmInformation *information, const double *y, double effort, double sigma) {
  double row[64] = {0};
  const gsize last = ARM_DYN_LOCAL + arm_information_count(information);
  for (gsize k = 0; k < P; k++)
    row[k] = y[k] / sigma;
  row[last] = effort / sigma;
  g_assert_cmpint(arm_information_push(information, 0, row, 1, 1), ==, ARM_OK);
}

static ArmInformation *fresh(const ArmBase *base) {
  ArmInformation *information = NULL;
  g_assert_cmpint(arm_information_new(base, &information), ==, ARM_OK);
  return information;
}

static void check_near(const char *what, gsize step, double got, double want) {
  if (!test_is_near(got, want, 1e-12, 1e-12))
    g_error("step %" G_GSIZE_FORMAT ": %s is %.15g, expected %.15g", step, what, got, want);
}

static void check_step(ArmInformation *information, const AioJsonNode *node, gsize step) {
  const gsize m = arm_information_width(information, 0);
  double x[P], rtr[P * P], rtz[P], rss, sum = 0;
  double *r = g_new0(double, m *m), *a = g_new0(double, m *P), solution[P];
  ArmSvdWork *work = arm_svd_work_new(m, P);
  vectors_read(vectors_member(node, "x"), P, x);
  vectors_read(vectors_member(node, "RtR"), P * P, rtr);
  vectors_read(vectors_member(node, "Rtz"), P, rtz);
  vectors_read(vectors_member(node, "rss"), 1, &rss);
  arm_information_triangle(information, 0, r);
  const double *z = r + (m - 1) * m;
  memcpy(a, r, m * P * sizeof *a);
  g_assert_cmpint(arm_svd_solve(work, m, P, a, z, 1e-10, solution, NULL, NULL, NULL), ==, ARM_OK);
  for (gsize i = 0; i < P; i++) {
    double product = 0;
    for (gsize k = 0; k < m; k++)
      product += r[k + i * m] * z[k];
    check_near("x", step, solution[i], x[i]);
    check_near("Rtz", step, product, rtz[i]);
    for (gsize j = 0; j < P; j++) {
      product = 0;
      for (gsize k = 0; k < m; k++)
        product += r[k + i * m] * r[k + j * m];
      check_near("RtR", step, product, rtr[P * i + j]);
    }
  }
  for (gsize k = 0; k < m; k++) {
    double left = z[k];
    for (gsize i = 0; i < P; i++)
      left -= r[k + i * m] * solution[i];
    sum += left * left;
  }
  check_near("rss", step, sum, rss);
  arm_svd_work_free(work);
  g_free(r);
  g_free(a);
}

/* A prior is rows, forgetting a merge with a weight. */
static void test_srif(void) {
  AioJson *json = vectors_load("vectors/dyn/srif.json");
  ArmModel model;
  ArmBase *base = NULL;
  double mean[P], prior_sd, sigma, forget;
  if (!json)
    return;
  const AioJsonNode *root = aio_json_root(json), *steps = vectors_member(root, "steps");
  g_assert_cmpint(arm_model_init(&model, 1), ==, ARM_OK);
  g_assert_cmpint(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ==, ARM_OK);
  vectors_read(vectors_member(root, "prior_mean"), P, mean);
  vectors_read(vectors_member(root, "prior_sigma"), 1, &prior_sd);
  vectors_read(vectors_member(root, "sigma"), 1, &sigma);
  vectors_read(vectors_member(root, "forget"), 1, &forget);
  ArmInformation *information = fresh(base);
  for (gsize k = 0; k < P; k++) {
    double y[P] = {0};
    y[k] = 1;
    push_row(information, y, mean[k], prior_sd);
  }
  for (gsize step = 0; step < aio_json_size(steps); step++) {
    const AioJsonNode *node = aio_json_item(steps, step);
    double y[3 * P], tau[3];
    ArmInformation *older = information;
    information = fresh(base);
    g_assert_cmpint(arm_information_merge(information, older, sqrt(forget)), ==, ARM_OK);
    arm_information_free(older);
    vectors_read(vectors_member(node, "Y"), 3 * P, y);
    vectors_read(vectors_member(node, "tau"), 3, tau);
    for (gsize row = 0; row < 3; row++)
      push_row(information, y + P * row, tau[row], sigma);
    check_step(information, node, step);
  }
  g_assert_cmpuint(aio_json_size(steps), ==, 6);
  arm_information_free(information);
  arm_base_free(base);
  aio_json_free(json);
}

/* ---- currents_puma.json ---- */

typedef struct {
  ArmModel model;
  ArmBase *base;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  double eta[JOINTS];
} Puma;

static void puma_init(Puma *puma) {
  BaseCase *cases = base_cases_load();
  g_assert_nonnull(cases);
  for (gsize k = 0; k < BASE_CASES; k++)
    if (strcmp(cases[k].name, "PUMA560-AKB") == 0)
      puma->model = cases[k].model;
  free(cases);
  g_assert_cmpint(arm_base_new(&puma->model, 0, ARM_BASE_CLOSED_FORM, &puma->base), ==, ARM_OK);
  g_assert_cmpint(arm_dynamics_joints(&puma->model, puma->joint), ==, ARM_OK);
}

/* [sample][joint] of the vectors into [joint][sample]. */
static void read_samples(const AioJsonNode *node, double *out) {
  double values[SAMPLES * JOINTS];
  vectors_read(node, SAMPLES * JOINTS, values);
  for (gsize s = 0; s < SAMPLES; s++)
    for (gsize j = 0; j < JOINTS; j++)
      out[s + j * SAMPLES] = values[j + s * JOINTS];
}

static ArmDynamicsFit *fit_puma(const AioJsonNode *root, Puma *puma) {
  double q[SAMPLES * JOINTS], qd[SAMPLES * JOINTS], qdd[SAMPLES * JOINTS],
      current[SAMPLES * JOINTS];
  const DynMotion motion = {JOINTS, SAMPLES, q, qd, qdd};
  ArmDynamicsFit *fit = NULL;
  DynRows rows;
  puma_init(puma);
  read_samples(vectors_member(root, "q"), q);
  read_samples(vectors_member(root, "qd"), qd);
  read_samples(vectors_member(root, "qdd"), qdd);
  read_samples(vectors_member(root, "i"), current);
  vectors_read(vectors_member(root, "eta"), JOINTS, puma->eta);
  dyn_rows_init(&puma->model, puma->base, &motion, &rows);
  for (gsize j = 0; j < JOINTS; j++) {
    memcpy(rows.rows[j] + (rows.columns - 1) * SAMPLES, current + j * SAMPLES,
           SAMPLES * sizeof *current);
    puma->joint[j].eta = puma->eta[j]; /* exact: the gauge of the vectors' beta */
    puma->joint[j].rel_sd = 0.1;
  }
  ArmInformation *information = fresh(puma->base);
  g_assert_true(dyn_rows_push(&rows, information));
  g_assert_cmpint(arm_dynamics_identify(information, puma->joint, NULL, &fit), ==, ARM_OK);
  arm_information_free(information);
  dyn_rows_clear(&rows);
  return fit;
}

static void test_currents(void) {
  AioJson *json = vectors_load("vectors/dyn/currents_puma.json");
  double ratios[JOINTS];
  Puma puma;
  if (!json)
    return;
  ArmDynamicsFit *fit = fit_puma(aio_json_root(json), &puma);
  vectors_read(vectors_member(aio_json_root(json), "ratios_eta_j_over_eta_1"), JOINTS, ratios);
  g_assert_cmpuint(fit->n_groups, ==, 1);
  for (gsize j = 0; j < JOINTS; j++) {
    g_assert_true(fit->joint[j].to_first.identifiable);
    if (!test_is_near(fit->joint[j].to_first.value, ratios[j], 1e-9, 0))
      g_error("joint %d: ratio %.15g, expected %.15g", (int)j + 1, fit->joint[j].to_first.value,
              ratios[j]);
  }
  const AioJsonNode *names = vectors_member(aio_json_root(json), "base");
  g_assert_cmpuint(aio_json_size(names), ==, fit->count);
  arm_dynamics_fit_free(fit);
  arm_base_free(puma.base);
  aio_json_free(json);
}

/* ---- its parameters as a set ---- */

static void check_covered(const ArmParamSet *set) {
  g_assert_cmpuint(set->n_covered, >, 0);
  for (gsize k = 0; k < set->n_covered; k++) {
    const ArmEstimate *e = &set->estimate[set->covered[k]];
    const double variance = set->covariance[k + k * set->n_covered];
    g_assert_true(variance >= 0);
    if (e->identifiable)
      g_assert_true(test_is_near(sqrt(variance), e->sd, 1e-9, 1e-7));
    for (gsize l = 0; l < k; l++) {
      const double other = set->covariance[l + l * set->n_covered];
      const double both = set->covariance[k + l * set->n_covered];
      g_assert_true(both * both <= variance * other * (1 + 1e-6) + 1e-25);
      g_assert_true(test_is_near(both, set->covariance[l + k * set->n_covered], 1e-9, 1e-15));
    }
  }
}

static void test_set(void) {
  AioJson *json = vectors_load("vectors/dyn/currents_puma.json");
  ArmParamSet set = {0}, again = {0};
  GError *error = NULL;
  gsize length;
  Puma puma;
  if (!json)
    return;
  ArmDynamicsFit *fit = fit_puma(aio_json_root(json), &puma);
  g_assert_cmpint(arm_dynamics_set(fit, &puma.model, puma.base, &set), ==, ARM_OK);
  g_assert_cmpuint(set.n, ==, 36 + 6 * 5 + 6 + 6); /* rotors 1 and 2 are in ZZ1, ZZ2, and say so */
  g_assert_cmpuint(set.n_groups, ==, 1);
  check_covered(&set);
  const ArmEstimate *ratio = arm_param_set_at(&set, (ArmParamId){ARM_PARAM_ETA_TO_FIRST, 5, 0});
  g_assert_true(ratio && ratio->value == fit->joint[5].to_first.value);
  const ArmParamId xx2 = {ARM_PARAM_BASE, 1, 0};
  const gsize at = arm_param_set_find(&set, xx2);
  g_assert_true(at != ARM_PARAM_NONE);
  g_assert_cmpstr(set.param[at].name, ==, "XXR2");
  g_assert_cmpuint(set.param[at].n_terms, >, 1);
  g_assert_cmpstr(arm_param_set_unit(&set, at), ==, "kg m^2");
  char *text = aio_params_format_found(arm_dynamics_method(), &set, "arm", "sha256:arm", NULL, NULL,
                                       &length);
  const bool is_read = aio_params_load_found("dynamics.json", text, length, arm_dynamics_method(),
                                             &puma.model, &again, &error);
  g_assert_no_error(error);
  g_assert_true(is_read);
  g_assert_cmpuint(again.n, ==, set.n);
  for (gsize k = 0; k < set.n; k++) {
    const ArmEstimate *e = arm_param_set_at(&again, set.param[k].id);
    g_assert_true(e && e->used == set.estimate[k].used &&
                  e->identifiable == set.estimate[k].identifiable);
  }
  g_assert_nonnull(strstr(text, "\"kind\": \"dynamics\""));
  ArmModel other;
  g_assert_cmpint(arm_model_init(&other, 5), ==, ARM_OK);
  g_assert_cmpint(arm_dynamics_set(fit, &other, puma.base, &set), ==, ARM_E_ARGUMENT);
  g_free(text);
  arm_param_set_clear(&set);
  arm_param_set_clear(&again);
  arm_dynamics_fit_free(fit);
  arm_base_free(puma.base);
  aio_json_free(json);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/vectors/srif", test_srif);
  g_test_add_func("/vectors/currents", test_currents);
  g_test_add_func("/vectors/set", test_set);
  return g_test_run();
}
