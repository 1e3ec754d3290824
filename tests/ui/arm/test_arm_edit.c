/* SPDX-License-Identifier: MIT */
/* What is typed into the tables of an arm, without a display: every number of every arm comes back
 * as it was, what cannot be is refused by name, and comparisons find what is planted. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "support/support.h"
#include "ui/arm/arm_edit.h"
#include "ui/arm/arm_projection.h"
#include "ui/arm/compare.h"
#include "ui/arm/free_range.h"

#define DEG (G_PI / 180.0)

static AioArm *load(const char *name) {
  GError *error = NULL;
  g_autofree char *path = g_strdup_printf("data/robots/%s.arm.json", name);
  AioArm *arm = aio_arm_load(test_source_path(path), &error);
  g_assert_no_error(error);
  return arm;
}

static AioArm *reload(const char *text) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  return arm;
}

/* ---- arms ---- */

static void check_field(const AioArm *arm, size_t joint, guint field) {
  GError *error = NULL;
  if (!aui_arm_has(arm, joint, field))
    return;
  g_autofree char *text = aui_arm_text(arm, joint, field);
  if (!*text)
    return;
  g_autofree char *changed = aui_arm_changed(arm, joint, field, text, &error);
  g_assert_no_error(error);
  AioArm *after = reload(changed);
  g_autofree char *again = aui_arm_text(after, joint, field);
  g_assert_cmpstr(again, ==, text);
  aio_arm_free(after);
}

static void check_arm(const char *name) {
  AioArm *arm = load(name);
  guint fields[AUI_ARM_COLUMNS];
  for (AuiArmTable table = 0; table < AUI_ARM_TABLES; table++) {
    const guint n = aui_arm_fields(arm, table, fields);
    g_assert_cmpuint(n, >, 0);
    for (guint k = 0; k < n; k++)
      for (size_t joint = 0; joint < arm->model.n; joint++)
        check_field(arm, joint, fields[k]);
  }
  aio_arm_free(arm);
}

/* Whatever a cell shows can be typed again. */
static void test_round_trip(void) {
  static const char *const names[] = {"puma560-truth2", "scara", "stanford", "ur10e", "planar2r"};
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++)
    check_arm(names[k]);
}

static void test_arm_numbers(void) {
  AioArm *arm = load("puma560-truth2");
  static const struct {
    size_t joint;
    guint field;
    const char *text, *message; /* NULL: taken */
  } cases[] = {
      {2, AUI_ARM_GEAR, "54.5", NULL},
      {2, AUI_ARM_GEAR, "0", "joint 3 (elbow), Gear ratio: expected a number above 0, found “0”"},
      {2, AUI_ARM_GEAR, "x", "joint 3 (elbow), Gear ratio: expected a number above 0, found “x”"},
      {0, AUI_ARM_SIGN, "2", "joint 1 (waist), Motor sign: expected +1 or −1, found “2”"},
      {0, AUI_ARM_SIGN, "−1", NULL},
      {1, AUI_ARM_Q_MIN, "90", "This cannot be taken: joint 2: "},
      {1, AUI_ARM_CONSTANT_SD, "-1", "expected a number of at least 0"},
      {1, AUI_ARM_MASS, "", "joint 2 (shoulder), Mass: expected a number of at least 0, found “”"},
      {3, AUI_ARM_SPEED, "", NULL},
      {4, AUI_ARM_NAME, "", "expected a name"},
      {5, AUI_ARM_COUPLING + 4, "0.2", NULL},
      {5, AUI_ARM_Q_MAX, "1e12", "expected a number"},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *text =
        aui_arm_changed(arm, cases[k].joint, cases[k].field, cases[k].text, &error);
    if (!cases[k].message) {
      g_assert_no_error(error);
      continue;
    }
    g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
    if (!strstr(error->message, cases[k].message))
      g_error("%s: expected \"%s\"", error->message, cases[k].message);
    g_assert_null(text);
  }
  aio_arm_free(arm);
}

/* One number is changed, all the rest stays to the bit. */
static void test_only_one(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree char *text = aui_arm_changed(arm, 2, AUI_ARM_Q_MAX, "200", NULL);
  AioArm *after = reload(text);
  g_assert_cmpfloat_with_epsilon(after->model.joints[2].limits.q_max, 200.0 * DEG, 1e-12);
  after->model.joints[2].limits.q_max = arm->model.joints[2].limits.q_max;
  g_autofree char *expected = aio_arm_format(arm, NULL), *found = aio_arm_format(after, NULL);
  g_assert_cmpstr(found, ==, expected);
  aio_arm_free(after);
  aio_arm_free(arm);
}

static void test_free(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree AseEdits *edits = g_new0(AseEdits, 1);
  g_autoptr(GError) error = NULL;
  ase_edits_init(edits, &arm->model);
  g_assert_true(aui_free_set(arm, edits, 1, true, "30", NULL));
  g_assert_cmpfloat_with_epsilon(edits->high[1], 30.0 * DEG, 1e-12);
  g_assert_false(aui_free_set(arm, edits, 1, false, "31", &error));
  g_assert_cmpstr(error->message, ==,
                  "joint 2 (shoulder), free from: expected -225 to 30, found “31”");
  g_assert_true(aui_free_set(arm, edits, 1, true, "45", NULL)); /* the limit as it is shown */
  g_assert_cmpfloat(edits->high[1], ==, arm->model.joints[1].limits.q_max);
  aio_arm_free(arm);
}

/* ---- comparing ---- */

static AioDescription *description_of(const AioArm *arm) {
  AioDescription *d = g_new0(AioDescription, 1);
  d->joints = (guint)arm->model.n;
  g_strlcpy(d->serial, "A1", sizeof d->serial);
  for (guint i = 0; i < d->joints; i++) {
    const ArmLimits *l = &arm->model.joints[i].limits;
    d->joint[i] = (AioJointInfo){.type = arm->model.joints[i].type,
                                 .q_min = l->q_min,
                                 .q_max = l->q_max,
                                 .speed_max = l->speed_max + 4e-7,
                                 .accel_max = NAN,
                                 .current_max = l->current_max};
  }
  return d;
}

static void test_compare_device(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree AioDescription *d = description_of(arm);
  g_autoptr(GPtrArray) none = aui_compare_device(arm, d);
  g_assert_cmpuint(none->len, ==, 0);
  d->joint[3].q_max = 100.0 * DEG;
  d->joint[5].type = ARM_JOINT_T;
  g_autoptr(GPtrArray) two = aui_compare_device(arm, d);
  g_assert_cmpuint(two->len, ==, 2);
  g_assert_cmpstr(two->pdata[0], ==,
                  "joint 4 (wrist roll), Limit to: 170 in the arm file, 100 in the controller "
                  "(deg)");
  aio_arm_free(arm);
}

static void test_compare_backup(void) {
  AioArm *arm = load("puma560-truth2");
  g_autofree AioDescription *d = description_of(arm);
  AioParam params[] = {{.name = "grav.k1x", .unit = "A", .type = AIO_PARAM_FLOAT, .value = 1.5},
                       {.name = "fric.c1", .unit = "A", .type = AIO_PARAM_FLOAT, .value = 0.25}};
  g_autofree char *folder = g_dir_make_tmp("armature-backups-XXXXXX", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_null(aui_last_backup(folder, "A1", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  AseBackup *backup = ase_backup_new(d, params, 2, 7);
  g_autofree char *path = ase_backup_save(backup, folder, NULL);
  ase_backup_free(backup);
  AseBackup *last = aui_last_backup(folder, "A1", &error);
  g_assert_no_error(error);
  g_autoptr(GPtrArray) none = aui_compare_backup(last, params, 2);
  g_assert_cmpuint(none->len, ==, 0);
  params[1].value = 0.5;
  g_autoptr(GPtrArray) one = aui_compare_backup(last, params, 2);
  g_assert_cmpuint(one->len, ==, 1);
  g_assert_cmpstr(one->pdata[0], ==, "fric.c1: 0.25 in the backup, now 0.5 A");
  g_autoptr(GPtrArray) gone = aui_compare_backup(last, params, 1);
  g_assert_cmpuint(gone->len, ==, 1);
  ase_backup_free(last);
  g_autofree char *inner = g_path_get_dirname(path);
  g_remove(path), g_rmdir(inner), g_rmdir(folder);
  aio_arm_free(arm);
}

/* ---- the picture ---- */

/* An arm that hangs below its base is in the picture; one that stands has it where it always is. */
static void test_hanging(void) {
  enum { SIZE = 300 };
  AioArm *arm = aio_arm_load(test_source_path("data/robots/planar2r.arm.json"), NULL);
  double rotation[ARM_MAX_JOINTS][9], points[ARM_MAX_JOINTS + 1][3];
  for (int turn = -4; turn <= 4; turn++) {
    const double q[2] = {0.25 * turn * G_PI, 0.0};
    AuiProjection projection;
    aui_projection_init(&projection, &arm->model, 0.6, 0.4, 1.0, SIZE, SIZE);
    const double usual = projection.y0;
    aui_arm_points(&arm->model, q, rotation, points);
    aui_projection_lift(&projection, points, 3, SIZE);
    for (size_t k = 0; k < 3; k++) {
      g_assert_cmpfloat(aui_projection_y(&projection, points[k]), >=, 0.0);
      g_assert_cmpfloat(aui_projection_y(&projection, points[k]), <=, 0.95 * SIZE);
    }
    if (turn > 0 && turn < 4)
      g_assert_cmpfloat(projection.y0, ==, usual);
  }
  aio_arm_free(arm);
}

int main(int argc, char **argv) {
  g_setenv("GSETTINGS_BACKEND", "memory", TRUE); /* not the settings of whoever tests */
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/arm-edit/hanging", test_hanging);
  g_test_add_func("/ui/arm-edit/round-trip", test_round_trip);
  g_test_add_func("/ui/arm-edit/arm", test_arm_numbers);
  g_test_add_func("/ui/arm-edit/only-one", test_only_one);
  g_test_add_func("/ui/arm-edit/free", test_free);
  g_test_add_func("/ui/arm-edit/compare-device", test_compare_device);
  g_test_add_func("/ui/arm-edit/compare-backup", test_compare_backup);
  return g_test_run();
}
