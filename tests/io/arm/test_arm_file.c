/* SPDX-License-Identifier: MIT */
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "arm_same.h"
#include "io/json/json_read.h"
#include "support/support.h"

static AioArm *load_text(const char *text) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load_bytes("a.json", text, strlen(text), &error);
  g_assert_no_error(error);
  g_assert_nonnull(arm);
  return arm;
}

static void check_refused(const char *text, AioErrorCode code, const char *message) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load_bytes("a.json", text, strlen(text), &error);
  g_assert_null(arm);
  g_assert_nonnull(error);
  g_assert_cmpstr(error->message, ==, message);
  g_assert_error(error, AIO_ERROR, (gint)code);
  g_error_free(error);
  g_assert_null(aio_arm_load_bytes("a.json", text, strlen(text), NULL));
}

/* ---- one wrong thing at a time ---- */

#define HEAD                                                                                       \
  "{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\"gravity_m_s2\":[0,0,-9.81],\n"
/* Line 2, so that joint 1 begins at column 11 and its members at 12 + 11 for an R joint. */
#define JOINT(members)   HEAD "\"joints\":[{\"type\":\"R\"," members "}]}"
#define T_JOINT(members) HEAD "\"joints\":[{\"type\":\"T\"," members "}]}"
#define ROOT(members)    HEAD "\"joints\":[{\"type\":\"R\"},{\"type\":\"R\"}],\n" members "}"

static const struct {
  const char *text, *message;
} wrong_roots[] = {
    {"[]", "a.json:1:1: expected an object, found an empty array"},
    {"{}", "a.json:1:1: expected the key \"format\", found none"},
    {"{\"format\":1}", "a.json:1:11: format: expected a string, found 1"},
    {"{\"format\":\"armature-parameters\",\"version\":1}",
     "a.json:1:11: format: expected \"armature-arm\", found \"armature-parameters\""},
    {"{\"format\":\"armature-arm\"}", "a.json:1:1: expected the key \"version\", found none"},
    {"{\"format\":\"armature-arm\",\"version\":0}",
     "a.json:1:36: version: expected a whole number in 1..2147483647, found 0"},
    {"{\"format\":\"armature-arm\",\"version\":1}",
     "a.json:1:1: expected the key \"name\", found none"},
    {"{\"format\":\"armature-arm\",\"version\":1,\"name\":\"\"}",
     "a.json:1:45: name: expected a name that is not empty, found \"\""},
    {"{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\"}",
     "a.json:1:1: expected the key \"joints\", found none"},
    {"{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\"joints\":[]}",
     "a.json:1:58: joints: expected 1 to 32 joints, found an empty array"},
    {"{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\"joints\":[{\"type\":\"R\"}]}",
     "a.json:1:1: expected the key \"gravity_m_s2\", found none"},
    {"{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\"joints\":[{\"type\":\"R\"}],\n"
     "\"gravity_m_s2\":[0,0,-9810]}",
     "a.json:2:16: gravity_m_s2: expected the free-fall acceleration in m/s^2, such as "
     "[0, 0, -9.81], found a length of 9810"},
    {"{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\"joints\":[{\"type\":\"R\"}],\n"
     "\"gravity_m_s2\":[0,-9.81]}",
     "a.json:2:16: gravity_m_s2: expected an array of 3 numbers, found an array of 2"},
    {ROOT("\"Joints\":[]"),
     "a.json:3:1: expected a known key, found \"Joints\" (did you mean \"joints\"?)"},
    {ROOT("\"comment\":1"), "a.json:3:1: expected a known key, found \"comment\""},
    {ROOT("\"description\":null"), "a.json:3:15: description: expected a string, found null"},
    {ROOT("\"coupling\":[[0,0]]"),
     "a.json:3:12: coupling: expected an array of 2 rows, one per joint, found an array of 1"},
    {ROOT("\"coupling\":[[0,0],[0]]"),
     "a.json:3:19: coupling[2]: expected an array of 2 numbers, found an array of 1"},
    {ROOT("\"coupling\":[[1,0],[0.1,1]]"),
     "a.json:3:14: coupling[1][1]: expected 0 on the diagonal (the file holds L, never I + L), "
     "found 1"},
    {ROOT("\"coupling\":[[0,0.1],[0,0]]"),
     "a.json:3:16: coupling[1][2]: expected 0 above the diagonal (L is strictly lower "
     "triangular), found 0.1"},
    {ROOT("\"environment\":{\"table_z\":0}"),
     "a.json:3:16: environment: expected a known key, found \"table_z\" (did you mean "
     "\"table_z_m\"?)"},
    {ROOT("\"simulation\":[]"),
     "a.json:3:14: simulation: expected an object, found an empty array"},
    {HEAD "\"joints\":[{\"type\":\"R\"},5]}", "a.json:2:24: joint 2: expected an object, found 5"},
};

static const struct {
  const char *text, *message;
} wrong_joints[] = {
    {HEAD "\"joints\":[{}]}", "a.json:2:11: joint 1: expected the key \"type\", found none"},
    {HEAD "\"joints\":[{\"type\":\"R\"},{\"type\":\"P\"}]}",
     "a.json:2:32: joint 2: type: expected \"R\" (rotational) or \"T\" (translational), found "
     "\"P\""},
    {JOINT("\"type\":\"T\""),
     "a.json:2:23: joint 1: expected each key once, found \"type\" again (first in line 2)"},
    {JOINT("\"beta\":0"),
     "a.json:2:23: joint 1: expected a known key, found \"beta\" (did you mean \"beta_deg\"?)"},
    {JOINT("\"beta_deg\":\"90\""),
     "a.json:2:34: joint 1: beta_deg: expected a number, found \"90\""},
    {JOINT("\"b_m\":null"), "a.json:2:29: joint 1: b_m: expected a number, found null"},
    {JOINT("\"b_m\":1e10"),
     "a.json:2:29: joint 1: b_m: expected a number within +-1e9, found 1e10"},
    {JOINT("\"beta_deg\":0,\"beta_rad\":0"),
     "a.json:2:47: joint 1: beta_rad: expected either beta_deg or beta_rad, found both"},
    {JOINT("\"placement\":{},\"d_m\":0"),
     "a.json:2:44: joint 1: d_m: expected either placement or beta, b, theta, d, found both"},
    {JOINT("\"placement\":{\"rpy_rad\":[0,0,0],\"rpy_deg\":[0,0,0]}"),
     "a.json:2:64: joint 1: placement.rpy_deg: expected either rpy_deg or rpy_rad, found both"},
    {JOINT("\"placement\":{\"xyz_m\":[0,0]}"),
     "a.json:2:44: joint 1: placement.xyz_m: expected an array of 3 numbers, found an array of 2"},
    {JOINT("\"placement\":{\"xyz_m\":[0,0,true]}"),
     "a.json:2:49: joint 1: placement.xyz_m[3]: expected a number, found true"},
    {JOINT("\"limits\":{\"q_deg\":[90,-90]}"),
     "a.json:2:41: joint 1: limits.q_deg: expected [lower, upper] with lower < upper, found "
     "[90, -90]"},
    {JOINT("\"limits\":{\"q_deg\":[1,2],\"q_rad\":[1,2]}"),
     "a.json:2:55: joint 1: limits.q_rad: expected either q_deg or q_rad, found both"},
    {JOINT("\"limits\":{\"q_m\":[0,1]}"),
     "a.json:2:39: joint 1: limits.q_m: expected q_deg, speed_deg_s, accel_deg_s2 or "
     "rest_error_deg (or _rad) for "
     "an R joint, found \"q_m\""},
    {T_JOINT("\"limits\":{\"speed_deg_s\":1}"),
     "a.json:2:47: joint 1: limits.speed_deg_s: expected q_m, speed_m_s, accel_m_s2 or "
     "rest_error_m for a T "
     "joint, found \"speed_deg_s\""},
    {JOINT("\"limits\":{\"rest_error_deg\":-1}"),
     "a.json:2:50: joint 1: limits.rest_error_deg: expected a number > 0, found -1"},
    {JOINT("\"limits\":{\"rest_error_m\":1}"),
     "a.json:2:48: joint 1: limits.rest_error_m: expected q_deg, speed_deg_s, accel_deg_s2 or "
     "rest_error_deg (or _rad) for an R joint, found \"rest_error_m\""},
    {JOINT("\"limits\":{\"speed_deg_s\":0}"),
     "a.json:2:47: joint 1: limits.speed_deg_s: expected a number > 0, found 0"},
    {JOINT("\"limits\":{\"current_A\":-1}"),
     "a.json:2:45: joint 1: limits.current_A: expected a number > 0, found -1"},
    {JOINT("\"gear_ratio\":0"), "a.json:2:36: joint 1: gear_ratio: expected a number > 0, found 0"},
    {JOINT("\"gear_ratio\":-62.6"),
     "a.json:2:36: joint 1: gear_ratio: expected a number > 0, found -62.6"},
    {JOINT("\"motor_sign\":0"), "a.json:2:36: joint 1: motor_sign: expected 1 or -1, found 0"},
    {JOINT("\"torque_constant_Nm_A\":0.2"),
     "a.json:2:46: joint 1: torque_constant_Nm_A: expected an object {\"value\": .., \"rel_sd\": "
     "..}, found 0.2"},
    {JOINT("\"torque_constant_Nm_A\":{\"rel_sd\":0.2}"),
     "a.json:2:46: joint 1: torque_constant_Nm_A: expected the key \"value\", found none"},
    {JOINT("\"torque_constant_Nm_A\":{\"value\":1,\"rel_sd\":-0.2}"),
     "a.json:2:66: joint 1: torque_constant_Nm_A.rel_sd: expected a number >= 0, found -0.2"},
    {JOINT("\"motors\":[{}],\"gear_ratio\":1"),
     "a.json:2:50: joint 1: gear_ratio: expected either motors or gear_ratio, motor_sign, "
     "torque_constant_Nm_A, rotor_inertia_kg_m2, found both"},
    {JOINT("\"motors\":[]"),
     "a.json:2:32: joint 1: motors: expected an array of 1 to 4 motors, found an empty array"},
    {JOINT("\"motors\":[{},{\"gear\":1}]"),
     "a.json:2:37: joint 1: motor 2: expected a known key, found \"gear\" (did you mean "
     "\"gear_ratio\"?)"},
    {JOINT("\"link\":{\"mass_kg\":-1,\"com_m\":[0,0,0]}"),
     "a.json:2:41: joint 1: link.mass_kg: expected a number >= 0, found -1"},
    {JOINT("\"link\":{\"mass_kg\":1}"),
     "a.json:2:30: joint 1: link: expected the key \"com_m\", found none"},
    {JOINT("\"link\":{\"mass_kg\":1,\"com_m\":[0,0,0],\"inertia_com_kg_m2\":[1,1,-1,0,0,0]}"),
     "a.json:2:79: joint 1: link.inertia_com_kg_m2: expected a positive inertia about every axis, "
     "found the principal moments -1, 1, 1 kg m^2"},
    {JOINT("\"link\":{\"mass_kg\":1,\"com_m\":[0,0,0],\"inertia_com_kg_m2\":[1,1,1,2,0,0]}"),
     "a.json:2:79: joint 1: link.inertia_com_kg_m2: expected a positive inertia about every axis, "
     "found the principal moments -1, 1, 3 kg m^2"},
    {JOINT("\"capsules\":{}"),
     "a.json:2:34: joint 1: capsules: expected an array of at most 8 capsules, found an object"},
    {JOINT("\"capsules\":[{\"from_m\":[0,0,0],\"to_m\":[0,0,0],\"radius_m\":0}]"),
     "a.json:2:79: joint 1: capsule 1: radius_m: expected a number > 0, found 0"},
};

static void test_refused(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(wrong_roots); i++)
    check_refused(wrong_roots[i].text, AIO_ERROR_MEANING, wrong_roots[i].message);
  for (gsize i = 0; i < G_N_ELEMENTS(wrong_joints); i++) {
    bool is_syntax = strstr(wrong_joints[i].message, "each key once") != NULL;
    check_refused(wrong_joints[i].text, is_syntax ? AIO_ERROR_SYNTAX : AIO_ERROR_MEANING,
                  wrong_joints[i].message);
  }
}

static void test_refused_with_reason(void) {
  check_refused("{\"format\":\"armature-arm\",\"version\":2,\"new\":1}", AIO_ERROR_REFUSED,
                "a.json:1:36: version: expected 1, found 2 (written by a newer program?)");
  check_refused("{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\n"
                "\"gravity_m_s2\":[0,0,0],\"joints\":[{\"type\":\"R\"}]}",
                AIO_ERROR_REFUSED,
                "a.json:2:16: gravity_m_s2: expected the free-fall acceleration in the base frame, "
                "such as [0, 0, -9.81], found a length of 0 m/s^2: without gravity nothing is "
                "identifiable");
}

static void test_too_many_joints(void) {
  GString *text = g_string_new(HEAD "\"joints\":[{\"type\":\"R\"}");
  for (int i = 1; i < 33; i++)
    g_string_append(text, ",{\"type\":\"R\"}");
  g_string_append(text, "]}");
  check_refused(text->str, AIO_ERROR_MEANING,
                "a.json:2:10: joints: expected 1 to 32 joints, found an array of 33");
  g_string_free(text, TRUE);
}

/* ---- what a good file means ---- */

static const char full[] =
    "{\"format\":\"armature-arm\",\"version\":1,\"name\":\"n\",\"gravity_m_s2\":[0,0,-9.8],"
    "\"joints\":[{\"type\":\"R\",\"x_a\":{\"x_b\":[1 , 2]},"
    "\"placement\":{\"xyz_m\":[1,2,3],\"rpy_deg\":[10,20,30],\"x_p\":1},"
    "\"motors\":[{\"gear_ratio\":2,\"x_m\":1,\"torque_constant_Nm_A\":{\"value\":2,\"x_t\":0}},"
    "{\"motor_sign\":-1,\"torque_constant_Nm_A\":null}],"
    "\"limits\":{\"x_l\":\"\\uD83D\\uDE00\",\"speed_rad_s\":0.1,\"rest_error_deg\":3,\"q_deg\":[-0."
    "1,33.3]},"
    "\"capsules\":[{\"from_m\":[0,0,0],\"to_m\":[1,0,0],\"radius_m\":1,\"x_c\":null}],"
    "\"link\":{\"mass_kg\":1,\"com_m\":[0,0,0.1],\"x_k\":1}},"
    "{\"name\":\"\xC3\xA9\",\"type\":\"T\",\"beta_deg\":-90,\"b_m\":0.1,\"theta_rad\":0.2,"
    "\"d_m\":0.3,\"limits\":{\"q_m\":[0,1],\"speed_m_s\":null,\"rest_error_m\":0.002,\"current_A\":"
    "4},"
    "\"rotor_inertia_kg_m2\":0.5,\"torque_constant_Nm_A\":{\"value\":null,\"rel_sd\":0.1,\"x_v\":1}"
    ","
    "\"link\":{\"mass_kg\":2,\"com_m\":[0,0,0],\"inertia_com_kg_m2\":[2,2,2,0.1,0.2,0.3]},"
    "\"provenance\":\"p\"}],"
    "\"coupling\":[[0,0],[-0.25,0]],\"environment\":{\"table_z_m\":-1,\"x_e\":1},"
    "\"simulation\":{\"a\": [1 ]},\"x_r\":[1]}";

static void test_meaning(void) {
  AioArm *arm = load_text(full);
  const ArmModel *model = &arm->model;
  const ArmJoint *one = &model->joints[0], *two = &model->joints[1];
  g_assert_cmpstr(arm->name, ==, "n");
  g_assert_null(arm->description);
  g_assert_cmpuint(model->n, ==, 2);
  g_assert_cmpfloat(model->gravity_m_s2[2], ==, -9.8);
  g_assert_cmpstr(arm->joints[0].name, ==, "j1");
  g_assert_cmpstr(arm->joints[1].name, ==, "\xC3\xA9");
  g_assert_cmpstr(arm->joints[1].provenance, ==, "p");
  g_assert_true(arm->joints[0].has_placement && arm->joints[0].has_motor_list);
  g_assert_cmpfloat(one->translation[2], ==, 3);
  g_assert_cmpfloat_with_epsilon(one->limits.q_max, 33.3 * G_PI / 180, 1e-15);
  g_assert_cmpfloat(one->limits.speed_max, ==, 0.1);
  g_assert_true(isnan(one->limits.accel_max));
  g_assert_cmpfloat_with_epsilon(one->limits.rest_error, 3 * G_PI / 180, 1e-15);
  g_assert_cmpuint(one->n_motors, ==, 2);
  g_assert_cmpint(one->motors[0].motor_sign, ==, 1);
  g_assert_cmpint(one->motors[1].motor_sign, ==, -1);
  g_assert_true(isnan(one->motors[1].gear_ratio) && isnan(one->motors[0].torque_constant_rel_sd));
  g_assert_true(one->link.is_present);
  g_assert_cmpfloat(one->link.inertia_com_kg_m2[0], ==, 0);
  g_assert_cmpint(two->type, ==, ARM_JOINT_T);
  g_assert_cmpfloat(two->offset, ==, 0.3);
  g_assert_cmpfloat_with_epsilon(two->rotation[0], cos(0.2), 1e-15);
  g_assert_cmpuint(two->n_motors, ==, 1);
  g_assert_true(isnan(two->motors[0].torque_constant_Nm_A) && isnan(two->limits.speed_max));
  g_assert_cmpfloat(two->limits.q_max, ==, 1);
  g_assert_cmpfloat(two->limits.rest_error, ==, 0.002);
  g_assert_true(model->has_coupling);
  g_assert_cmpfloat(model->coupling[1][0], ==, -0.25);
  g_assert_cmpfloat(arm->table_z_m, ==, -1);
  g_assert_cmpstr(arm->simulation, ==, "{\"a\": [1 ]}");
  g_assert_cmpuint(arm->extras->len, ==, 10);
  const AioArmExtra *extra = g_ptr_array_index(arm->extras, 0);
  g_assert_cmpstr(extra->owner, ==, "joint 1");
  g_assert_cmpstr(extra->json, ==, "{\"x_b\":[1 , 2]}");
  char *hex = g_compute_checksum_for_string(G_CHECKSUM_SHA256, full, -1);
  g_assert_true(g_str_has_prefix(arm->digest, "sha256:"));
  g_assert_cmpstr(arm->digest + 7, ==, hex);
  g_free(hex);
  aio_arm_free(arm);
  aio_arm_free(NULL);
}

static void check_round_trip(const AioArm *arm) {
  GError *error = NULL;
  gsize length = 0;
  char *text = aio_arm_format(arm, &length);
  AioArm *again = aio_arm_load_bytes("saved", text, length, &error);
  g_assert_no_error(error);
  g_assert_true(same_arm(arm, again));
  aio_arm_free(again);
  g_free(text);
}

static void test_round_trip(void) {
  AioArm *arm = load_text(full);
  check_round_trip(arm);
  char *text = aio_arm_format(arm, NULL);
  g_assert_nonnull(strstr(text, "\"rpy_deg\": [10, 20, 30]"));
  g_assert_nonnull(strstr(text, "\"beta_deg\": -90,"));
  g_assert_nonnull(strstr(text, "\"speed_rad_s\": 0.1"));
  g_assert_nonnull(strstr(text, "\"x_a\": {\"x_b\":[1 , 2]}"));
  g_free(text);
  aio_arm_free(arm);
}

/* Planted differences: the comparison the other tests rely on must see each of them. */
static void test_comparison_sees(void) {
  AioArm *a = load_text(full), *b = load_text(full);
  g_assert_true(same_arm(a, b));
  double *const planted[] = {&b->model.joints[1].rotation[8],
                             &b->model.joints[0].limits.accel_max,
                             &b->model.joints[0].motors[1].gear_ratio,
                             &b->model.joints[0].capsules[0].radius_m,
                             &b->model.joints[1].link.inertia_com_kg_m2[5],
                             &b->model.coupling[1][0],
                             &b->joints[1].d,
                             &b->joints[0].rpy[2]};
  for (gsize i = 0; i < G_N_ELEMENTS(planted); i++) {
    double kept = *planted[i];
    *planted[i] = isnan(kept) ? 1.0 : nextafter(kept, 10.0);
    g_assert_false(same_arm(a, b));
    *planted[i] = kept;
  }
  g_ptr_array_set_size(b->extras, (gint)b->extras->len - 1);
  g_assert_false(same_arm(a, b));
  aio_arm_free(a);
  aio_arm_free(b);
}

static void test_save(void) {
  GError *error = NULL;
  char *folder = g_dir_make_tmp("armature-XXXXXX", &error);
  char *path = g_build_filename(folder, "a.arm.json", NULL);
  AioArm *arm = load_text(full);
  g_assert_true(aio_arm_save(arm, path, false, &error));
  g_assert_false(aio_arm_save(arm, path, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  g_assert_true(aio_arm_save(arm, path, true, &error));
  AioArm *again = aio_arm_load(path, &error);
  g_assert_no_error(error);
  g_assert_true(same_arm(arm, again));
  aio_arm_free(again);
  aio_arm_free(arm);
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
  g_assert_null(aio_arm_load("/nonexistent/a.arm.json", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_error_free(error);
}

/* A tensor that no body has is only warned about: the published PUMA 560 has one. */
static void test_warning(void) {
  AioArm *arm = load_text(JOINT("\"link\":{\"mass_kg\":1,\"com_m\":[0,0,0],"
                                "\"inertia_com_kg_m2\":[0.066,0.0125,0.086,0,0,0]}"));
  g_assert_cmpuint(arm->warnings->len, ==, 1);
  g_assert_cmpstr(g_ptr_array_index(arm->warnings, 0), ==,
                  "a.json:2:79: joint 1: link.inertia_com_kg_m2: expected principal moments of "
                  "which the largest is at most the sum of the others, found 0.0125, 0.066, 0.086 "
                  "kg m^2: no body has these (about the centre of mass? in the order Ixx Iyy Izz "
                  "Ixy Ixz Iyz?)");
  aio_arm_free(arm);
}

/* ---- the arms we ship ---- */

static const struct {
  const char *path;
  gsize n;
  guint n_warnings;
} shipped[] = {
    {"data/robots/puma560.arm.json", 6, 1},   {"data/robots/stanford.arm.json", 6, 0},
    {"data/robots/scara.arm.json", 4, 0},     {"data/robots/ur10e.arm.json", 6, 0},
    {"data/robots/planar2r.arm.json", 2, 0},  {"data/robots/panda.arm.json", 7, 0},
    {"data/robots/kuka-lwr4.arm.json", 7, 0}, {"data/demo/puma560_table1.arm.json", 6, 0}};

static void test_shipped(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(shipped); i++) {
    GError *error = NULL;
    AioArm *arm = aio_arm_load(test_source_path(shipped[i].path), &error);
    g_assert_no_error(error);
    g_assert_cmpuint(arm->model.n, ==, shipped[i].n);
    g_assert_cmpuint(arm->warnings->len, ==, shipped[i].n_warnings);
    g_assert_nonnull(arm->provenance);
    check_round_trip(arm);
    aio_arm_free(arm);
  }
}

/* The schema is read by editors, not by us: at least it is JSON and speaks of this format. */
static void test_schema(void) {
  GError *error = NULL;
  AioJson *json = aio_json_load(test_source_path("data/arm.schema.json"), &error);
  g_assert_no_error(error);
  const AioJsonNode *known = aio_json_member(aio_json_root(json), "properties");
  const AioJsonNode *format = aio_json_member(known, "format");
  g_assert_cmpstr(aio_json_member(format, "const")->string, ==, "armature-arm");
  aio_json_free(json);
}

/* Each MDH joint of the PUMA written as a placement: rpy = (beta, 0, 0) as theta is 0, and
 * xyz = (b, -d sin beta, d cos beta). */
static void test_placement_equals_mdh(void) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load(test_source_path("data/robots/puma560.arm.json"), &error);
  g_assert_no_error(error);
  GString *text = g_string_new(HEAD "\"joints\":[");
  for (gsize i = 0; i < 6; i++) {
    const AioArmJoint *given = &arm->joints[i];
    char number[4][G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(text,
                           "%s{\"type\":\"R\",\"placement\":{\"xyz_m\":[%s,%s,%s],"
                           "\"rpy_rad\":[%s,0,0]}}",
                           i > 0 ? "," : "", g_ascii_dtostr(number[0], 40, given->b),
                           g_ascii_dtostr(number[1], 40, -given->d * sin(given->beta)),
                           g_ascii_dtostr(number[2], 40, given->d * cos(given->beta)),
                           g_ascii_dtostr(number[3], 40, given->beta));
  }
  g_string_append(text, "]}");
  AioArm *placed = load_text(text->str);
  for (gsize i = 0; i < 6; i++) {
    const ArmJoint *a = &arm->model.joints[i], *b = &placed->model.joints[i];
    for (int k = 0; k < 9; k++)
      g_assert_cmpfloat_with_epsilon(a->rotation[k], b->rotation[k], 1e-15);
    for (int k = 0; k < 3; k++)
      g_assert_cmpfloat_with_epsilon(a->translation[k], b->translation[k], 1e-15);
    g_assert_cmpfloat(a->offset, ==, b->offset);
  }
  g_string_free(text, TRUE);
  aio_arm_free(placed);
  aio_arm_free(arm);
}

static void test_decimal_comma(void) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    g_test_skip("locale de_DE.UTF-8 is not installed");
    return;
  }
  test_refused();
  test_warning();
  test_round_trip();
  test_shipped();
  setlocale(LC_ALL, "C");
}

/* ---- how long a text may be ---- */

static char *named(const char *unit, gsize times, const char *of) {
  GString *name = g_string_new(NULL);
  for (gsize k = 0; k < times; k++)
    g_string_append(name, unit);
  char *text = g_strdup_printf(
      "{\"format\": \"armature-arm\", \"version\": 1, \"gravity_m_s2\": [0, 0, -9.81],\n"
      " %s%s%s\n \"joints\": [{\"type\": \"R\", %s%s%s\"beta_deg\": 90}]}",
      *of == 'a' ? "\"name\": \"" : "\"name\": \"a", *of == 'a' ? name->str : "", "\",",
      *of == 'j' ? "\"name\": \"" : "", *of == 'j' ? name->str : "", *of == 'j' ? "\", " : "");
  g_string_free(name, TRUE);
  return text;
}

static void test_long_names(void) {
  GError *error = NULL;
  char *most = named("a", 255, "arm"), *more = named("a", 256, "arm");
  char *joint = named("\xe8\x87\x82", 1366, "joint");
  AioArm *arm = load_text(most);
  g_assert_cmpuint(strlen(arm->name), ==, 255);
  aio_arm_free(arm);
  check_refused(more, AIO_ERROR_TOO_LARGE,
                "a.json:2:10: name: expected a text of at most 255 bytes, found 256; shorten it");
  check_refused(joint, AIO_ERROR_TOO_LARGE,
                "a.json:3:35: joint 1: name: expected a text of at most 255 bytes, found 4098; "
                "shorten it");
  arm = aio_arm_load_stored("a.json", more, strlen(more), &error);
  g_assert_no_error(error);
  g_assert_cmpuint(strlen(arm->name), ==, 255);
  aio_arm_free(arm);
  g_free(joint);
  joint = named("\xf0\xa0\x80\x80", 1000, "joint"); /* 63 characters of 4 bytes fit */
  arm = aio_arm_load_stored("a.json", joint, strlen(joint), &error);
  g_assert_no_error(error);
  g_assert_cmpuint(strlen(arm->joints[0].name), ==, 252);
  g_assert_true(g_utf8_validate(arm->joints[0].name, -1, NULL));
  aio_arm_free(arm);
  g_free(joint);
  g_free(more);
  g_free(most);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/arm-file/refused", test_refused);
  g_test_add_func("/arm-file/long-names", test_long_names);
  g_test_add_func("/arm-file/refused-with-reason", test_refused_with_reason);
  g_test_add_func("/arm-file/too-many-joints", test_too_many_joints);
  g_test_add_func("/arm-file/meaning", test_meaning);
  g_test_add_func("/arm-file/round-trip", test_round_trip);
  g_test_add_func("/arm-file/comparison-sees", test_comparison_sees);
  g_test_add_func("/arm-file/save", test_save);
  g_test_add_func("/arm-file/warning", test_warning);
  g_test_add_func("/arm-file/shipped", test_shipped);
  g_test_add_func("/arm-file/schema", test_schema);
  g_test_add_func("/arm-file/placement-equals-mdh", test_placement_equals_mdh);
  g_test_add_func("/arm-file/decimal-comma", test_decimal_comma);
  return g_test_run();
}
