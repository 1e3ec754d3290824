/* SPDX-License-Identifier: MIT */
/* A fit becomes the parameters of a controller, by hand-made numbers. */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "io/base/said.h"
#include "session/transfer/controller_params.h"
#include "support/support.h"

static ArmEstimate found(double value, double sd) {
  return (ArmEstimate){value, sd, value, true, ARM_REASON_NONE};
}

static ArmEstimate unfound(double used, ArmReason reason) {
  return (ArmEstimate){(double)NAN, (double)NAN, used, false, reason};
}

/* Joints R, T, R; 1 and 3 in one cluster, 2 in none. */
static void make_fit(ArmGravityParameters *fit) {
  memset(fit, 0, sizeof *fit);
  fit->n = 3;
  fit->type[1] = ARM_JOINT_T;
  fit->cluster[1] = -1;
  for (gsize j = 0; j < 3; j++) {
    fit->joint[j].rows_used = 100;
    fit->joint[j].w[0] = found(0.1 + (double)j, 0.01);
    fit->joint[j].w[1] = found(-0.2 - (double)j, 0.02);
    for (gsize k = 0; k < 4; k++)
      fit->joint[j].friction[k] = found(1.0 + (double)(4 * j + k), 0.25);
  }
  fit->joint[2].friction[3] = unfound(0.5, ARM_REASON_ONE_SPEED);
  fit->joint[2].has_term[ARM_TERM_LOAD] = true;
  fit->joint[2].term[ARM_TERM_LOAD] = found(0.0625, 0.01);
  fit->joint[1].has_acceleration = true;
  fit->joint[1].acceleration = found(0.5, 0.01);
  fit->ratio[0][2] = found(0.75, 0.125);
}

static AseParamSet *set_from(const ArmGravityParameters *fit, const AioParam *params, guint n,
                             GError **error) {
  ArmParamSet found;
  g_assert_cmpint(arm_gravity_set(fit, NULL, false, &found), ==, ARM_OK);
  AseParamSet *set = ase_param_set_from_fit(&found, params, n, error);
  arm_param_set_clear(&found);
  return set;
}

static AioParam param(const char *name, const char *unit, double value) {
  AioParam p = {.type = AIO_PARAM_FLOAT, .minimum = -100.0, .maximum = 100.0, .value = value};
  g_strlcpy(p.name, name, sizeof p.name);
  g_strlcpy(p.unit, unit, sizeof p.unit);
  return p;
}

/* Not in the order of the fit, with one more, and without gravity.ky[3] and friction of joint 2. */
static guint make_params(AioParam *out) {
  guint n = 0;
  out[n++] = param("friction.viscous_neg[3]", "A s/rad", 0.0);
  out[n++] = param("servo.kp", "1/s2", 90.0);
  out[n++] = param("gravity.kx[1]", "A s2/m", 0.0);
  out[n++] = param("gravity.ky[1]", "A s2/m", (double)-0.2f);
  out[n++] = param("gravity.mhat[2]", "A s2/m", 0.0);
  out[n++] = param("gravity.kx[3]", "A s2/m", 0.0);
  for (guint j = 1; j <= 3; j++) {
    char name[32];
    g_snprintf(name, sizeof name, "eta.ratio[%u]", j);
    out[n++] = param(name, "", 9.0);
  }
  out[n++] = param("friction.coulomb_pos[1]", "A", 0.0);
  out[n++] = param("friction.viscous_pos[1]", "A s/rad", 0.0);
  return n;
}

static const AseParamChange *change_of(const AseParamSet *set, const char *name) {
  for (guint k = 0; k < set->changes->len; k++)
    if (strcmp(g_array_index(set->changes, AseParamChange, k).name, name) == 0)
      return &g_array_index(set->changes, AseParamChange, k);
  return NULL;
}

static bool is_missing(const AseParamSet *set, const char *name) {
  for (guint k = 0; k < set->missing->len; k++)
    if (strstr(aio_said_shown(g_ptr_array_index(set->missing, k)), name))
      return true;
  return false;
}

static void test_fit(void) {
  ArmGravityParameters fit;
  AioParam params[16];
  GError *error = NULL;
  make_fit(&fit);
  const guint n = make_params(params);
  AseParamSet *set = set_from(&fit, params, n, &error);
  g_assert_no_error(error);
  const double expected[] = {0.5, 90.0, (double)0.1f, (double)-0.2f, (double)1.1f, (double)2.1f,
                             1.0, 0.0,  0.75,         1.0,           2.0};
  g_assert_cmpuint(G_N_ELEMENTS(expected), ==, n);
  g_assert_cmpmem(set->after, n * sizeof *set->after, expected, sizeof expected);
  for (guint k = 0; k < n; k++)
    g_assert_cmpfloat(set->before[k], ==, params[k].value);

  g_assert_cmpuint(set->changes->len, ==, n - 2); /* servo.kp, gravity.ky[1] stay */
  const AseParamChange *first = &g_array_index(set->changes, AseParamChange, 0);
  g_assert_cmpstr(first->name, ==, "friction.viscous_neg[3]");
  g_assert_cmpstr(first->unit, ==, "A s/rad");
  g_assert_cmpstr(aio_said_shown(first->note), ==, arm_reason_text(ARM_REASON_ONE_SPEED));
  g_assert_true(isnan(first->sd));
  const AseParamChange *kx = change_of(set, "gravity.kx[1]");
  g_assert_cmpfloat(kx->before, ==, 0.0);
  g_assert_cmpfloat(kx->after, ==, (double)0.1f);
  g_assert_cmpfloat(kx->sd, ==, 0.01);
  g_assert_cmpstr(kx->note, ==, "");
  g_assert_cmpfloat(change_of(set, "eta.ratio[3]")->sd, ==, 0.125);
  g_assert_true(is_missing(set, "gravity.ky[3]"));
  g_assert_true(is_missing(set, "friction.coulomb_neg[2]"));
  g_assert_true(is_missing(set, "friction of joint 3 that grows with the load (load)"));
  g_assert_false(is_missing(set, "curve"));
  g_assert_false(is_missing(set, "friction of joint 1"));
  g_assert_true(is_missing(set, "own inertia of joint 2 (own_acceleration) has no place"));
  g_assert_false(is_missing(set, "load_seen"));     /* a constant of a term that was told */
  g_assert_false(is_missing(set, "gravity.ky[2]")); /* a sliding joint has none */
  ase_param_set_free(set);
}

/* Each by joint and term, in order. */
static void test_lost_terms(void) {
  ArmGravityParameters fit;
  make_fit(&fit);
  fit.joint[0].has_term[ARM_TERM_CURVE] = fit.joint[2].has_term[ARM_TERM_CURVE] = true;
  ArmParamSet found;
  g_assert_cmpint(arm_gravity_set(&fit, NULL, false, &found), ==, ARM_OK);
  GPtrArray *lost = ase_param_lost_terms(&found);
  arm_param_set_clear(&found);
  g_assert_cmpuint(lost->len, ==, 3);
  g_assert_cmpstr(aio_said_shown(lost->pdata[0]), ==,
                  "friction of joint 1 that bends with speed (curve) has no place in the "
                  "controller");
  g_assert_cmpstr(aio_said_shown(lost->pdata[1]), ==,
                  "friction of joint 3 that grows with the load (load) has no place in the "
                  "controller");
  g_assert_nonnull(strstr(aio_said_shown(lost->pdata[2]), "joint 3 that bends with speed (curve)"));
  g_ptr_array_unref(lost);
}

static void expect_refusal(const ArmGravityParameters *fit, const AioParam *params, guint n,
                           const char *name, const char *found_text) {
  GError *error = NULL;
  g_assert_null(set_from(fit, params, n, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, name) || !strstr(error->message, test_local_numbers(found_text)))
    g_error("expected %s and %s in: %s", name, found_text, error->message);
  g_clear_error(&error);
}

static void test_refused(void) {
  ArmGravityParameters fit;
  AioParam params[16];
  make_fit(&fit);
  const guint n = make_params(params);
  fit.joint[0].w[0] = found(100.5, 1.0);
  expect_refusal(&fit, params, n, "gravity.kx[1]", "100.5 A s2/m");
  fit.joint[0].w[0] = found(1e300, 1.0); /* beyond float */
  expect_refusal(&fit, params, n, "gravity.kx[1]", "-100 to 100 A s2/m");
  fit.joint[0].w[0] = found(0.1, 1.0);
  g_strlcpy(params[5].unit, "mA s2/m", sizeof params[5].unit);
  expect_refusal(&fit, params, n, "gravity.kx[3]", "\"mA s2/m\"");
  make_params(params);
  params[2].type = AIO_PARAM_INT;
  expect_refusal(&fit, params, n, "gravity.kx[1]", "whole numbers");
}

/* The load of a joint without rows is in currents of another one; without a load nothing is wrong.
 */
static void test_unswept(void) {
  ArmGravityParameters fit;
  AioParam params[16];
  make_fit(&fit);
  const guint n = make_params(params);
  fit.joint[2].rows_used = 0;
  fit.joint[2].w[0] = unfound(0.0, ARM_REASON_NO_ROWS);
  fit.joint[2].w[1] = unfound(0.3, ARM_REASON_NO_ROWS);
  expect_refusal(&fit, params, n, "joint 3 was never swept", "Sweep it and fit again");
  fit.joint[2].w[1] = unfound(0.0, ARM_REASON_NO_ROWS);
  AseParamSet *set = set_from(&fit, params, n, NULL);
  g_assert_nonnull(set);
  ase_param_set_free(set);
}

/* In N m and N: no controller holds that. */
static void test_torque(void) {
  static const bool is_torque[] = {false, true, true};
  ArmGravityParameters fit;
  AioParam params[16];
  GError *error = NULL;
  ArmParamSet found;
  make_fit(&fit);
  const guint n = make_params(params);
  g_assert_cmpint(arm_gravity_set(&fit, is_torque, false, &found), ==, ARM_OK);
  g_assert_null(ase_param_set_from_fit(&found, params, n, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "joint 2 was measured in N, not"));
  g_clear_error(&error);
  found.is_torque[1] = false;
  g_assert_null(ase_param_set_from_fit(&found, params, n, &error));
  g_assert_nonnull(strstr(error->message, "joint 3 was measured in N m, not"));
  g_clear_error(&error);
  arm_param_set_clear(&found);
}

/* What cannot be written or is no number stays, and is told. */
static void test_kept(void) {
  ArmGravityParameters fit;
  AioParam params[16];
  GError *error = NULL;
  make_fit(&fit);
  const guint n = make_params(params);
  params[4].is_read_only = true;
  fit.joint[2].w[0] = unfound((double)NAN, ARM_REASON_NO_ROWS);
  AseParamSet *set = set_from(&fit, params, n, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(set->after[4], ==, 0.0);
  g_assert_cmpfloat(set->after[5], ==, 0.0);
  g_assert_true(is_missing(set, "gravity.mhat[2]"));
  g_assert_true(is_missing(set, "gravity.kx[3]"));
  ase_param_set_free(set);
}

static void test_params(void) {
  AioParam source[3] = {param("b", "", 2.5), param("gone", "", 1.0), param("c", "A", 7.0)};
  AioParam params[3] = {param("a", "", 1.0), param("b", "", 2.0), param("c", "A", 7.0)};
  GError *error = NULL;
  AseParamSet *set = ase_param_set_from_params(source, 3, params, 3, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(set->after[0], ==, 1.0);
  g_assert_cmpfloat(set->after[1], ==, 2.5);
  g_assert_cmpuint(set->changes->len, ==, 1);
  g_assert_cmpuint(set->missing->len, ==, 2);
  g_assert_true(is_missing(set, "gone") && is_missing(set, "a stays"));
  ase_param_set_free(set);
  source[0].value = (double)NAN;
  g_assert_null(ase_param_set_from_params(source, 3, params, 3, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
}

/* A backup of two joints is not for three, nor the other way round. */
static void test_joints(void) {
  const AioParam two[] = {param("servo.kp", "1/s2", 90.0), param("gravity.kx[1]", "A s2/m", 1.0),
                          param("gravity.kx[2]", "A s2/m", 1.0)};
  const AioParam three[] = {param("gravity.kx[3]", "A s2/m", 2.0), param("servo.kp", "1/s2", 9.0)};
  GError *error = NULL;
  for (guint k = 0; k < 2; k++) {
    g_assert_null(k ? ase_param_set_from_params(three, 2, two, 3, &error)
                    : ase_param_set_from_params(two, 3, three, 2, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_nonnull(strstr(error->message, k ? "an arm with 3 joints, the controller has 2"
                                              : "an arm with 2 joints, the controller has 3"));
    g_clear_error(&error);
  }
  AseParamSet *set = ase_param_set_from_params(two, 1, three, 2, &error); /* of no joint at all */
  g_assert_no_error(error);
  g_assert_cmpfloat(set->after[1], ==, 90.0);
  ase_param_set_free(set);
}

static void test_differences(void) {
  AioParam params[5] = {param("a", "A", (double)0.1f), param("b", "", 0.0), param("c", "", NAN),
                        param("d", "", 5.0), param("e", "", 1.0)};
  params[3].type = AIO_PARAM_INT;
  const double next = (double)nextafterf(0.1f, 1.0f);
  const double same[] = {0.1, 0.0, NAN, 5.0, 1.0}, other[] = {next, -0.0, 1.0, 5.25, 1.0};
  GArray *none = ase_param_differences(same, params, 5);
  GArray *four = ase_param_differences(other, params, 5);
  g_assert_cmpuint(none->len, ==, 0);
  g_assert_cmpuint(four->len, ==, 4);
  const AseParamChange *first = &g_array_index(four, AseParamChange, 0);
  g_assert_cmpstr(first->name, ==, "a");
  g_assert_cmpfloat(first->before, ==, next);
  g_assert_cmpfloat(first->after, ==, (double)0.1f);
  g_array_unref(none);
  g_array_unref(four);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/controller-params/fit", test_fit);
  g_test_add_func("/controller-params/lost-terms", test_lost_terms);
  g_test_add_func("/controller-params/refused", test_refused);
  g_test_add_func("/controller-params/unswept", test_unswept);
  g_test_add_func("/controller-params/torque", test_torque);
  g_test_add_func("/controller-params/kept", test_kept);
  g_test_add_func("/controller-params/params", test_params);
  g_test_add_func("/controller-params/joints", test_joints);
  g_test_add_func("/controller-params/differences", test_differences);
  return g_test_run();
}
