/* SPDX-License-Identifier: MIT */
/* From an arm file to what is simulated: keys, defaults, refusals. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/truth.h"
#include "support/support.h"

#define HEAD                                                                                       \
  "{\"format\":\"armature-arm\",\"version\":1,\"name\":\"two\",\"gravity_m_s2\":[0,0,-9.81],\n"
#define LINK  "\"link\":{\"mass_kg\":1,\"com_m\":[0.1,0,0]}"
#define DRIVE "\"gear_ratio\":100,\"torque_constant_Nm_A\":{\"value\":0.05}"
#define JOINTS                                                                                     \
  "\"joints\":[{\"type\":\"R\",\"beta_deg\":90," LINK "," DRIVE                                    \
  "},{\"type\":\"T\",\"beta_deg\":90," LINK "," DRIVE "}]"
#define ARM(simulation) HEAD JOINTS ",\n\"simulation\":" simulation "}"

static bool read_text(const char *text, AsimTruth *truth, GError **error) {
  AioArm *arm = aio_arm_load_bytes("a.json", text, strlen(text), error);
  g_assert_nonnull(arm);
  const bool is_read = asim_truth_from_arm(truth, arm, 9, error);
  aio_arm_free(arm);
  return is_read;
}

static AsimTruth *read_good(const char *text) {
  AsimTruth *truth = g_new0(AsimTruth, 1);
  GError *error = NULL;
  read_text(text, truth, &error);
  g_assert_no_error(error);
  return truth;
}

static void check_wrong(const char *text, AioErrorCode code, const char *message) {
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  GError *error = NULL;
  g_assert_false(read_text(text, truth, &error));
  g_assert_error(error, AIO_ERROR, (gint)code);
  g_assert_cmpstr(error->message, ==, message);
  g_assert_cmpuint(truth->plant.model.n, ==, 0); /* untouched */
  g_clear_error(&error);
}

static void test_wrong_keys(void) {
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {ARM("{\"servo_s\":1}"), "two, simulation:1:2: expected a known key, found \"servo_s\" (did "
                               "you mean \"servo\"?)"},
      {ARM("{\"kind\":\"soft\"}"),
       "two, simulation:1:9: kind: expected \"rigid\" or \"diagonal\", found \"soft\""},
      {ARM("{\"joints\":[{}]}"),
       "two, simulation:1:11: joints: expected one object per joint (2), found 1"},
      {ARM("{\"joints\":[{},\n{\"coulomb_A\":1}]}"),
       "two, simulation:2:2: joint 2: expected a known key, found \"coulomb_A\""},
      {ARM("{\"joints\":[{\"eta\":0},{}]}"),
       "two, simulation:1:19: joint 1: eta: expected a number other than 0, found 0"},
      {ARM("{\"joints\":[{\"lag_s\":-1},{}]}"),
       "two, simulation:1:21: joint 1: lag_s: expected a number that is not negative, found -1"},
      {ARM("{\"joints\":[{},{\"home_deg\":1}]}"),
       "two, simulation:1:27: joint 2: home_deg: expected home_m, as the joint slides"},
      {ARM("{\"joints\":[{\"home_m\":1},{}]}"),
       "two, simulation:1:22: joint 1: home_m: expected home_deg or home_rad, as the joint "
       "rotates"},
      {ARM("{\"joints\":[{\"home_deg\":1,\"home_rad\":1},{}]}"),
       "two, simulation:1:37: joint 1: home_rad: expected home_deg or home_rad, as the joint "
       "rotates"},
      {ARM("{\"joints\":[{\"coulomb_pos_A\":-0.1},{}]}"),
       "two, simulation:1:29: joint 1: coulomb_pos_A: expected friction that opposes the motion: "
       "of the sign of eta, and for coulomb_neg_A of the other, found -0.1"},
      {ARM("{\"joints\":[{\"eta\":-1,\"viscous_neg\":0.1},{}]}"),
       "two, simulation:1:36: joint 1: viscous_neg: expected friction that opposes the motion: of "
       "the sign of eta, and for coulomb_neg_A of the other, found 0.1"},
      {ARM("{\"servo\":{\"sample_s\":0.00015}}"),
       "two, simulation:1:22: servo.sample_s: expected a multiple of substep_s, at most 0.1, found "
       "0.00015"},
      {ARM("{\"servo\":{\"rho\":0}}"),
       "two, simulation:1:17: servo.rho: expected a number above 0, found 0"}};
  for (gsize k = 0; k < G_N_ELEMENTS(wrong); k++)
    check_wrong(wrong[k].text, AIO_ERROR_MEANING, wrong[k].message);
}

static void test_incomplete_arms(void) {
  check_wrong(HEAD "\"joints\":[{\"type\":\"R\"," DRIVE "}]}", AIO_ERROR_REFUSED,
              "two: joint 1: cannot be simulated: expected a link (mass_kg, com_m), found none; "
              "add \"link\" to the joint in the arm file");
  check_wrong(HEAD "\"joints\":[{\"type\":\"R\"," LINK "}]}", AIO_ERROR_REFUSED,
              "two: joint 1: cannot be simulated: expected a drive (gear_ratio and "
              "torque_constant_Nm_A, or \"eta\" in the simulation object), found none");
}

/* From a file, messages know where in the file. */
static void test_place_in_file(void) {
  g_autofree char *folder = g_dir_make_tmp("armature-sim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "a.arm.json", NULL);
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  GError *error = NULL;
  g_assert_true(g_file_set_contents(path, ARM("{\"joints\":[{},{\"inertai\":2}]}"), -1, NULL));
  g_assert_false(asim_truth_load(truth, path, 1, &error));
  g_autofree char *message = g_strdup_printf(
      "%s:3:29: simulation.joint 2: expected a known key, found \"inertai\" (did you mean "
      "\"inertia\"?)",
      path);
  g_assert_cmpstr(error->message, ==, message);
  g_clear_error(&error);
  g_unlink(path);
  g_assert_false(asim_truth_load(truth, path, 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  g_rmdir(folder);
}

static void test_defaults(void) {
  g_autofree AsimTruth *truth = read_good(HEAD JOINTS "}");
  const ArmPlantConfig *plant = &truth->plant;
  g_assert_cmpstr(truth->name, ==, "two");
  g_assert_cmpint(plant->kind, ==, ARM_PLANT_RIGID);
  g_assert_cmpuint(plant->seed, ==, 9);
  for (int j = 0; j < 2; j++) {
    const ArmPlantJoint *joint = &plant->joints[j];
    const double rotor = plant->model.joints[j].motors[0].rotor_inertia_kg_m2 * 1e4;
    g_assert_true(test_is_near(joint->eta, 0.2, 1e-15, 0));
    g_assert_true(joint->current_max == 10.0);
    g_assert_true(test_is_near(joint->coulomb_pos, 0.3, 1e-15, 0));
    g_assert_true(joint->coulomb_neg == -joint->coulomb_pos);
    g_assert_true(joint->viscous_pos == joint->coulomb_pos);
    g_assert_true(joint->noise_sd == 0.0);
    /* the bare rotor under 10 A: 200 rad/s^2, 20 m/s^2 */
    g_assert_true(test_is_near(10.0 / 0.2 / rotor, j == 0 ? 200.0 : 20.0, 1e-12, 0));
    g_assert_true(truth->home[j] == 0.0);
  }
}

static void test_all_keys(void) {
  g_autofree AsimTruth *truth = read_good(
      ARM("{\"kind\":\"diagonal\",\"substep_s\":2e-4,\"servo\":{\"sample_s\":0.004,\"rho\":0.5,"
          "\"kp\":64,\"kd\":16},\"provenance\":\"here\",\"x_mine\":1,\"joints\":[{\"eta\":-0.5,"
          "\"coulomb_pos_A\":-1,\"viscous_pos\":-2,\"coulomb_neg_A\":3,\"viscous_neg\":-4,"
          "\"break_away\":0.1,\"stribeck_speed\":0.2,\"bristle\":0.3,\"lag_s\":0.4,"
          "\"current_max_A\":5,\"encoder\":0.6,\"noise_sd_A\":0.7,\"inertia\":8,\"home_deg\":90},"
          "{\"servo_inertia\":9,\"rotor_inertia\":2,\"home_m\":0.25,\"brake\":true}]}"));
  const ArmPlantConfig *plant = &truth->plant;
  const ArmPlantJoint *one = &plant->joints[0];
  const double found[] = {
      one->eta,        one->coulomb_pos,    one->viscous_pos, one->coulomb_neg,  one->viscous_neg,
      one->break_away, one->stribeck_speed, one->bristle,     one->lag_s,        one->current_max,
      one->encoder,    one->noise_sd,       one->inertia,     one->servo_inertia};
  const double wanted[] = {-0.5, -1, -2, 3, -4, 0.1, 0.2, 0.3, 0.4, 5, 0.6, 0.7, 8, 4};
  for (gsize k = 0; k < G_N_ELEMENTS(wanted); k++)
    g_assert_true(found[k] == wanted[k]);
  g_assert_cmpint(plant->kind, ==, ARM_PLANT_DIAGONAL);
  g_assert_true(plant->substep_s == 2e-4 && plant->servo_s == 0.004);
  g_assert_true(plant->kp == 64 && plant->kd == 16);
  g_assert_true(plant->joints[1].servo_inertia == 9.0);
  g_assert_true(test_is_near(plant->model.joints[1].motors[0].rotor_inertia_kg_m2, 2e-4, 1e-15, 0));
  g_assert_true(test_is_near(truth->home[0], G_PI / 2, 1e-15, 0));
  g_assert_true(truth->home[1] == 0.25);
  g_assert_true(!truth->has_brake[0] && truth->has_brake[1]);
}

/* Truth 2 is the AKB arm with its tool: gravity currents of section 8's experiment. */
static void test_truth2(void) {
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  GError *error = NULL;
  asim_truth_load(truth, test_source_path("data/robots/puma560-truth2.arm.json"), 1, &error);
  g_assert_no_error(error);
  const double ratio[] = {0, -0.5290, 0.4070, 0.9870, 0.977};
  for (int j = 1; j < 5; j++)
    g_assert_true(test_is_near(truth->plant.joints[j].eta / truth->plant.joints[j + 1].eta,
                               ratio[j], 1e-3, 0));
  g_assert_true(test_is_near(truth->plant.model.coupling[5][4], 13.0 / 72.0, 1e-15, 0));
  g_assert_true(truth->plant.joints[5].current_max == 4.0);
  g_assert_true(truth->plant.joints[0].servo_inertia / 0.3 > 0.19 &&
                truth->plant.joints[0].servo_inertia / 0.3 < 0.2);
}

static void test_names(void) {
  GError *error = NULL;
  g_autofree char *path = asim_truth_find("some/where", &error);
  g_autofree char *file = asim_truth_find("a.arm.json", &error);
  g_assert_cmpstr(path, ==, "some/where");
  g_assert_cmpstr(file, ==, "a.arm.json");
  g_assert_null(asim_truth_find("atlantis", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_true(g_str_has_prefix(error->message, "atlantis: no arm of this name: expected"));
  g_clear_error(&error);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim/truth/wrong-keys", test_wrong_keys);
  g_test_add_func("/sim/truth/incomplete-arms", test_incomplete_arms);
  g_test_add_func("/sim/truth/place-in-file", test_place_in_file);
  g_test_add_func("/sim/truth/defaults", test_defaults);
  g_test_add_func("/sim/truth/all-keys", test_all_keys);
  g_test_add_func("/sim/truth/truth2", test_truth2);
  g_test_add_func("/sim/truth/names", test_names);
  return g_test_run();
}
