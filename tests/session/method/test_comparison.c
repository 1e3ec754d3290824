/* SPDX-License-Identifier: MIT */
/* An earlier calibration out of a file of any method: a fit of sweeps beside parameters of full
 * dynamics shares friction with them, and nothing else. */
#include "session/method/comparison.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "io/params/dynamics_file.h"

enum { JOINTS = 2 };

static void add(ArmParamSet *set, ArmParamKind kind, size_t i, double value) {
  ArmEstimate *e = arm_param_set_add_id(set, kind, i, 0);
  g_assert_nonnull(e);
  *e = (ArmEstimate){value, 0.3, value, true, ARM_REASON_NONE};
}

/* Two joints that turn; the torque of the second was measured if `has_torque`. */
static void make(ArmParamSet *set, bool has_torque) {
  const ArmParamRoom room = {.params = 32, .covered = 12, .terms = 1, .text = 16};
  g_assert_cmpint(arm_param_set_init(set, JOINTS, &room), ==, ARM_OK);
  for (size_t i = 0; i < JOINTS; i++) {
    set->joint[i] = (ArmJointStatistics){
        .rows_used = 9, .columns = 3, .rank = 3, .widening = 1, .residual_sd = 0.125, .r2 = 0.75};
    set->joint[i].max_abs = set->joint[i].cond_centred = set->joint[i].lag1 = NAN;
    set->joint[i].rows_by_use[ARM_ROW_USED] = 9;
    for (int kind = ARM_PARAM_COULOMB_POS; kind <= ARM_PARAM_VISCOUS_NEG; kind++)
      add(set, (ArmParamKind)kind, i, 0.5);
  }
  set->is_torque[1] = has_torque;
}

static char *write_dynamics(const char *folder, bool has_torque) {
  g_autoptr(AioDynamics) dynamics = aio_dynamics_new();
  ArmParamSet *set = &dynamics->found;
  GError *error = NULL;
  gsize length;
  make(set, has_torque);
  set->is_of_motion = true;
  set->n_groups = 1;
  for (size_t i = 0; i < JOINTS; i++) {
    set->group[i] = 0;
    add(set, ARM_PARAM_ETA, i, 1.0);
    add(set, ARM_PARAM_ETA_TO_FIRST, i, 1.0);
  }
  for (size_t k = 0; k < set->n; k++)
    g_assert_true(arm_param_set_cover(set, k));
  g_autofree char *text = aio_dynamics_format(dynamics, &length);
  char *path = g_build_filename(folder, "earlier.json", NULL);
  g_assert_true(g_file_set_contents(path, text, (gssize)length, &error));
  g_assert_no_error(error);
  return path;
}

static void compare(const char *path, guint shared) {
  g_auto(ArmParamSet) before = {0}, now = {0};
  const AseMethod *method = NULL;
  GError *error = NULL;
  const bool is_read = ase_comparison_load(path, &method, &before, &error);
  g_assert_no_error(error);
  g_assert_true(is_read);
  g_assert_true(method == &ase_method_dynamics);
  make(&now, false);
  for (size_t i = 0; i < JOINTS; i++)
    add(&now, ARM_PARAM_KX, i, 1.0);
  now.estimate[0].value += 2.0;
  g_autoptr(GArray) list = ase_comparison_new(&before, &now, &error);
  guint comparable = 0;
  g_assert_no_error(error);
  g_assert_cmpuint(list->len, ==, now.n + 2 * JOINTS); /* eta, and over the first one's */
  for (guint k = 0; k < list->len; k++) {
    const AseDifference *d = &g_array_index(list, AseDifference, k);
    comparable += !isnan(d->sds);
    if (d->id.kind == ARM_PARAM_COULOMB_POS && d->id.i == 0)
      g_assert_cmpfloat_with_epsilon(d->sds, 2.0 / (0.3 * sqrt(2.0)), 1e-9);
    g_assert_true(isnan(d->sds) || d->id.kind != ARM_PARAM_KX);
  }
  g_assert_cmpuint(comparable, ==, shared);
}

static void test_dynamics(void) {
  g_autofree char *folder = g_dir_make_tmp("comparison-XXXXXX", NULL);
  g_assert_nonnull(folder);
  for (int has_torque = 0; has_torque < 2; has_torque++) {
    g_autofree char *path = write_dynamics(folder, has_torque);
    compare(path, has_torque ? 4 : 8); /* newtons metre are no amperes */
    g_remove(path);
  }
  g_rmdir(folder);
}

static void test_no_file(void) {
  ArmParamSet found = {0};
  const AseMethod *method = NULL;
  GError *error = NULL;
  g_assert_false(ase_comparison_load("/nowhere/at/all.json", &method, &found, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
}

/* Not read as of one of the kinds that there are. */
static void test_unknown_kind(void) {
  static const char text[] = "{\"format\": \"armature-parameters\", \"version\": 1,\n"
                             " \"kind\": \"third\", \"joints\": []}";
  ArmParamSet set = {0};
  const AseMethod *method = NULL;
  GError *error = NULL;
  g_assert_false(ase_comparison_read_found("p.json", text, strlen(text), &method, &set, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==,
                  "p.json:2:10: kind: expected parameters of kind \"gravity\" or \"dynamics\", "
                  "found \"third\"");
  g_assert_null(method);
  g_assert_null(set.block);
  g_clear_error(&error);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/comparison/dynamics", test_dynamics);
  g_test_add_func("/comparison/no-file", test_no_file);
  g_test_add_func("/comparison/unknown-kind", test_unknown_kind);
  return g_test_run();
}
