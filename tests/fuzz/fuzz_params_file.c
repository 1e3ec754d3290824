/* SPDX-License-Identifier: MIT */
/* Any bytes as a parameter file of a PUMA-like arm: either one error and nothing loaded, or
 * parameters that survive saving, byte for byte. */
#include <math.h>

#include "io/params/params_file.h"

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

/* Six R joints; the reader looks at number and types only. A second arm has a T joint. */
static void make_model(ArmModel *model, bool has_T) {
  g_assert_true(arm_model_init(model, has_T ? 2 : 6) == ARM_OK);
  if (has_T)
    model->joints[1].type = ARM_JOINT_T;
}

static void check_terms(const ArmJointFit *joint) {
  const bool has_load = joint->has_term[ARM_TERM_LOAD], has_curve = joint->has_term[ARM_TERM_CURVE];
  for (int t = 0; t < ARM_TERMS; t++)
    g_assert_true(isfinite(joint->term[t].used));
  if (has_load)
    g_assert_true(fabs(joint->term[ARM_TERM_LOAD].used) <= 1.0 && isfinite(joint->load_seen[1]));
  if (has_curve)
    g_assert_true(joint->curve_speed > 0.0 && isfinite(joint->curve_speed));
  if (has_load || has_curve)
    g_assert_true(fabs(joint->term_sign) == 1.0);
}

/* What every reader of the struct relies on. */
static void check_set(const ArmGravityParameters *p, const ArmModel *model) {
  g_assert_true(p->n == model->n && p->n_clusters <= p->n);
  for (size_t i = 0; i < p->n; i++) {
    g_assert_true(p->type[i] == model->joints[i].type);
    g_assert_true(p->cluster[i] >= -1 && p->cluster[i] < (int)p->n_clusters);
    for (int k = 0; k < 4; k++)
      g_assert_true(isfinite(p->joint[i].friction[k].used));
    for (int k = 0; k < 2; k++)
      g_assert_true(isfinite(p->joint[i].w[k].used));
    g_assert_true(isfinite(p->joint[i].acceleration.used));
    check_terms(&p->joint[i]);
  }
  for (size_t a = 0; a < p->n_ids; a++) {
    g_assert_true(p->covariance[a + a * p->n_ids] >= 0.0);
    for (size_t b = 0; b < a; b++)
      g_assert_true(p->covariance[a + b * p->n_ids] == p->covariance[b + a * p->n_ids]);
  }
}

static void check_saved(const AioParams *params, const ArmModel *model) {
  GError *error = NULL;
  gsize length, length_again;
  char *text = aio_params_format_validated(&params->fit, params->is_torque, params->arm_name,
                                           params->arm_digest, params->program, params->provenance,
                                           params->held_out, &length);
  AioParams *again = aio_params_load_bytes("saved", text, length, model, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(again->digest, ==, again->stated_digest);
  char *text_again = aio_params_format_validated(&again->fit, again->is_torque, again->arm_name,
                                                 again->arm_digest, again->program,
                                                 again->provenance, again->held_out, &length_again);
  g_ptr_array_unref(aio_params_validation_lines(again));
  g_assert_cmpmem(text, length, text_again, length_again);
  g_free(text_again);
  aio_params_free(again);
  g_free(text);
}

static void try_model(const guint8 *data, gsize size, bool has_T) {
  GError *error = NULL;
  ArmModel *model = g_new0(ArmModel, 1);
  make_model(model, has_T);
  AioParams *params = aio_params_load_bytes("fuzz", (const char *)data, size, model, &error);
  g_assert_true((params == NULL) == (error != NULL));
  if (params) {
    check_set(&params->fit.refined, model);
    if (params->fit.recursive.n > 0)
      check_set(&params->fit.recursive, model);
    check_saved(params, model);
    aio_params_free(params);
  } else {
    g_assert_true(error->domain == AIO_ERROR && *error->message);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_error_free(error);
  }
  g_free(model);
}

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  /* one parse per input: the arm is chosen by what the file seems to be for */
  try_model(data, size, g_strstr_len((const char *)data, (gssize)size, "\"T\"") != NULL);
  return 0;
}
