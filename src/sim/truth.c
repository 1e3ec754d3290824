/* SPDX-License-Identifier: MIT */
/* What nobody states is chosen so that an arm file with masses and drives alone can be simulated: a
 * servo within the stable range of (34)-(36) of Lin 1994, friction of a usual size.
 * docs/simulator.md lists all of it; what is stated always wins. */
#include "sim/truth.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/json/json_read.h"

#define DEGREE (G_PI / 180.0)

/* What holds where nobody says otherwise. */
#define SERVO_RHO          0.3  /* servo inertia over the smallest true one */
#define FRICTION_PART      0.03 /* Coulomb, and viscous at the speed limit, of the current limit */
#define CURRENT_MAX_A      10.0
#define SPEED_MAX          1.0
#define ROTOR_ACCEL_R      200.0 /* of the bare rotors under the current limit [rad/s^2] */
#define ROTOR_ACCEL_T      20.0  /* [m/s^2] */
#define GEAR_RATIO         100.0 /* of a drive of which only eta is known */
#define LARGEST_SIMULATION 1e9

typedef enum { ANY, NOT_ZERO, NOT_NEGATIVE, POSITIVE } Range;

typedef struct {
  const char *key;
  Range range;
  gsize offset; /* in ArmPlantJoint */
} Field;

#define FIELD(key, range, member)                                                                  \
  { key, range, offsetof(ArmPlantJoint, member) }

static const Field fields[] = {
    FIELD("eta", NOT_ZERO, eta),
    FIELD("coulomb_pos_A", ANY, coulomb_pos),
    FIELD("viscous_pos", ANY, viscous_pos),
    FIELD("coulomb_neg_A", ANY, coulomb_neg),
    FIELD("viscous_neg", ANY, viscous_neg),
    FIELD("break_away", NOT_NEGATIVE, break_away),
    FIELD("stribeck_speed", POSITIVE, stribeck_speed),
    FIELD("bristle", NOT_NEGATIVE, bristle),
    FIELD("lag_s", NOT_NEGATIVE, lag_s),
    FIELD("current_max_A", POSITIVE, current_max),
    FIELD("encoder", NOT_NEGATIVE, encoder),
    FIELD("noise_sd_A", NOT_NEGATIVE, noise_sd),
    FIELD("inertia", POSITIVE, inertia),
    FIELD("servo_inertia", POSITIVE, servo_inertia),
    FIELD("position_scale", POSITIVE, position_scale),
};

static const char *const joint_keys[] = {"eta",           "coulomb_pos_A",
                                         "viscous_pos",   "coulomb_neg_A",
                                         "viscous_neg",   "break_away",
                                         "bristle",       "stribeck_speed",
                                         "lag_s",         "current_max_A",
                                         "encoder",       "noise_sd_A",
                                         "home_deg",      "home_rad",
                                         "home_m",        "inertia",
                                         "servo_inertia", "rotor_inertia",
                                         "brake",         "position_scale",
                                         "current_scale", NULL};

/* The parts of a simulation object; any may be NULL. */
typedef struct {
  const AioArm *arm;
  const AioJsonNode *root, *servo, *joints;
} Given;

/* ---- reading ---- */

static bool read_number(const AioJsonNode *object, const char *key, Range range, double *out,
                        GError **error) {
  static const char *const expected[] = {"a number within +-1e9", "a number other than 0",
                                         "a number that is not negative", "a number above 0"};
  const AioJsonNode *node = object ? aio_json_member(object, key) : NULL;
  double value;
  if (!node)
    return true;
  if (!aio_json_get_number(node, &value, error))
    return false;
  const bool is_good = fabs(value) <= LARGEST_SIMULATION && !(range == NOT_ZERO && value == 0.0) &&
                       !(range == NOT_NEGATIVE && value < 0.0) &&
                       !(range == POSITIVE && value <= 0.0);
  if (!is_good)
    return aio_json_fail(node, expected[range], error);
  *out = value;
  return true;
}

static const AioJsonNode *joint_node(const Given *given, gsize joint) {
  return given->joints ? aio_json_item(given->joints, joint) : NULL;
}

static bool check_keys(Given *given, GError **error) {
  static const char *const keys[] = {"kind", "substep_s", "servo", "joints", "provenance", NULL};
  static const char *const servo_keys[] = {"sample_s", "rho", "kp", "kd", NULL};
  if (!aio_json_check_keys(given->root, keys, true, error))
    return false;
  given->servo = aio_json_member(given->root, "servo");
  if (given->servo && !aio_json_check_keys(given->servo, servo_keys, true, error))
    return false;
  given->joints = aio_json_member(given->root, "joints");
  if (!given->joints)
    return true;
  if (!aio_json_require_kind(given->joints, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(given->joints) != given->arm->model.n)
    return aio_json_fail_with(given->joints, AIO_ERROR_MEANING, error,
                              "expected one object per joint (%d), found %d",
                              (int)given->arm->model.n, (int)aio_json_size(given->joints));
  for (gsize j = 0; j < given->arm->model.n; j++)
    if (!aio_json_check_keys(aio_json_item(given->joints, j), joint_keys, true, error))
      return false;
  return true;
}

static bool read_kind(const Given *given, ArmPlantKind *kind, GError **error) {
  const AioJsonNode *node = given->root ? aio_json_member(given->root, "kind") : NULL;
  *kind = ARM_PLANT_RIGID;
  if (!node)
    return true;
  const char *text = node->kind == AIO_JSON_STRING ? node->string : "";
  if (g_strcmp0(text, "rigid") != 0 && g_strcmp0(text, "diagonal") != 0)
    return aio_json_fail(node, "\"rigid\" or \"diagonal\"", error);
  if (*text == 'd')
    *kind = ARM_PLANT_DIAGONAL;
  return true;
}

/* ---- the model ---- */

/* A drive with this eta; the gear as far as the arm file knows it. */
static void set_drive(ArmJoint *joint, double eta) {
  ArmMotor *motor = &joint->motors[0];
  const bool has_one = joint->n_motors == 1;
  const bool has_gear = has_one && motor->gear_ratio > 0.0;
  motor->gear_ratio = has_gear ? motor->gear_ratio : GEAR_RATIO;
  motor->motor_sign = eta < 0.0 ? -1 : 1;
  motor->torque_constant_Nm_A = 1.0 / (fabs(eta) * motor->gear_ratio);
  if (!has_one)
    motor->rotor_inertia_kg_m2 = NAN;
  joint->n_motors = 1;
}

/* Joint side [kg m^2, kg]; NAN: what the arm file says, and where it says nothing a usual one. */
static void set_rotor(ArmJoint *joint, double eta, double inertia) {
  const double accel = joint->type == ARM_JOINT_R ? ROTOR_ACCEL_R : ROTOR_ACCEL_T;
  bool is_known = isnan(inertia);
  for (gsize m = 0; m < joint->n_motors; m++)
    is_known = is_known && !isnan(joint->motors[m].rotor_inertia_kg_m2);
  if (is_known)
    return;
  if (isnan(inertia))
    inertia = joint->limits.current_max / (fabs(eta) * accel);
  for (gsize m = 0; m < joint->n_motors; m++) {
    const double gear = joint->motors[m].gear_ratio;
    joint->motors[m].rotor_inertia_kg_m2 = inertia / ((double)joint->n_motors * gear * gear);
  }
}

static bool refuse(const AioArm *arm, gsize joint, GError **error, const char *why) {
  g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED, "%s: joint %d: %s", arm->name, (int)joint + 1,
              why);
  return false;
}

/* Links and drives are complete, or the arm is refused. */
static bool complete_model(const Given *given, ArmModel *model, GError **error) {
  for (gsize j = 0; j < model->n; j++) {
    ArmJoint *joint = &model->joints[j];
    double eta = NAN, rotor = NAN, rel_sd;
    if (!read_number(joint_node(given, j), "eta", NOT_ZERO, &eta, error) ||
        !read_number(joint_node(given, j), "rotor_inertia", NOT_NEGATIVE, &rotor, error))
      return false;
    if (isfinite(eta))
      set_drive(joint, eta);
    if (!joint->link.is_present)
      return refuse(given->arm, j, error,
                    "cannot be simulated: expected a link (mass_kg, com_m), found none; add "
                    "\"link\" to the joint in the arm file");
    if (!arm_model_nominal_eta(model, j, &eta, &rel_sd))
      return refuse(given->arm, j, error,
                    "cannot be simulated: expected a drive (gear_ratio and "
                    "torque_constant_Nm_A, or \"eta\" in the simulation object), found none");
    if (isnan(joint->limits.current_max))
      joint->limits.current_max = CURRENT_MAX_A;
    set_rotor(joint, eta, rotor);
  }
  return true;
}

static void set_defaults(ArmPlantJoint *joint, const ArmJoint *model) {
  const double sign = joint->eta < 0.0 ? -1.0 : 1.0;
  const double speed = isnan(model->limits.speed_max) ? SPEED_MAX : model->limits.speed_max;
  joint->coulomb_pos = sign * FRICTION_PART * joint->current_max;
  joint->coulomb_neg = -joint->coulomb_pos;
  joint->viscous_pos = joint->viscous_neg = joint->coulomb_pos / speed;
}

/* ---- joints ---- */

static bool fail_drives_joint(const Given *given, gsize joint, const char *key, GError **error) {
  const AioJsonNode *node = aio_json_member(joint_node(given, joint), key);
  return aio_json_fail(node,
                       "friction that opposes the motion: of the sign of eta, and for "
                       "coulomb_neg_A of the other",
                       error);
}

/* Friction gives no energy: in units of torque it has the sign of the speed. */
static bool check_friction(const Given *given, gsize j, const ArmPlantJoint *joint,
                           GError **error) {
  const double sign = joint->eta < 0.0 ? -1.0 : 1.0;
  if (sign * joint->coulomb_pos < 0.0)
    return fail_drives_joint(given, j, "coulomb_pos_A", error);
  if (sign * joint->coulomb_neg > 0.0)
    return fail_drives_joint(given, j, "coulomb_neg_A", error);
  if (sign * joint->viscous_pos < 0.0)
    return fail_drives_joint(given, j, "viscous_pos", error);
  if (sign * joint->viscous_neg < 0.0)
    return fail_drives_joint(given, j, "viscous_neg", error);
  return true;
}

/* The member that is there, or NULL; *is_one is false when there are several. */
static const AioJsonNode *home_node(const AioJsonNode *object, bool *is_one) {
  static const char *const keys[] = {"home_deg", "home_rad", "home_m"};
  const AioJsonNode *found = NULL;
  *is_one = true;
  for (gsize k = 0; object && k < G_N_ELEMENTS(keys); k++) {
    const AioJsonNode *node = aio_json_member(object, keys[k]);
    *is_one = *is_one && !(node && found);
    found = node ? node : found;
  }
  return found;
}

static bool read_home(const AioJsonNode *object, const ArmJoint *joint, double *home,
                      GError **error) {
  const double low = isnan(joint->limits.q_min) ? -INFINITY : joint->limits.q_min;
  const double high = isnan(joint->limits.q_max) ? INFINITY : joint->limits.q_max;
  bool is_one;
  const AioJsonNode *node = home_node(object, &is_one);
  *home = fmax(low, fmin(high, 0.0));
  if (!node)
    return true;
  const bool is_length = strcmp(node->key, "home_m") == 0;
  if (!is_one || is_length != (joint->type == ARM_JOINT_T))
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              joint->type == ARM_JOINT_R
                                  ? "expected home_deg or home_rad, as the joint rotates"
                                  : "expected home_m, as the joint slides");
  if (!read_number(object, node->key, ANY, home, error))
    return false;
  if (strcmp(node->key, "home_deg") == 0)
    *home *= DEGREE;
  return (*home >= low && *home <= high) ||
         aio_json_fail(node, "a position within the joint's limits", error);
}

static bool read_brake(const AioJsonNode *object, bool *has_brake, GError **error) {
  const AioJsonNode *node = object ? aio_json_member(object, "brake") : NULL;
  return !node || aio_json_get_bool(node, has_brake, error);
}

static bool read_joint(const Given *given, gsize j, double rho, AsimTruth *truth, GError **error) {
  const AioJsonNode *object = joint_node(given, j);
  ArmPlantConfig *plant = &truth->plant;
  ArmPlantJoint *joint = &plant->joints[j];
  if (!read_number(object, "current_max_A", POSITIVE, &joint->current_max, error))
    return false;
  set_defaults(joint, &plant->model.joints[j]);
  for (gsize k = 0; k < G_N_ELEMENTS(fields); k++)
    if (!read_number(object, fields[k].key, fields[k].range,
                     (double *)(void *)((char *)joint + fields[k].offset), error))
      return false;
  const bool is_given = object && aio_json_member(object, "servo_inertia");
  if (is_given)
    joint->servo_rho = 0.0;
  else if (plant->kind == ARM_PLANT_DIAGONAL)
    joint->servo_inertia = rho * joint->inertia;
  truth->current_scale[j] = 1.0;
  return read_number(object, "current_scale", NOT_ZERO, &truth->current_scale[j], error) &&
         check_friction(given, j, joint, error) &&
         read_brake(object, &truth->has_brake[j], error) &&
         read_home(object, &plant->model.joints[j], &truth->home[j], error);
}

/* ---- the whole ---- */

static bool read_times(const Given *given, ArmPlantConfig *plant, GError **error) {
  const char *expected = "a multiple of substep_s, at most 0.1";
  if (!read_number(given->root, "substep_s", POSITIVE, &plant->substep_s, error) ||
      !read_number(given->servo, "sample_s", POSITIVE, &plant->servo_s, error) ||
      !read_number(given->servo, "kp", POSITIVE, &plant->kp, error) ||
      !read_number(given->servo, "kd", POSITIVE, &plant->kd, error))
    return false;
  const double steps = plant->servo_s / plant->substep_s;
  if (steps > 0.5 && fabs(steps - round(steps)) < 1e-6 * steps && plant->servo_s <= 0.1)
    return true;
  const AioJsonNode *node = given->servo ? aio_json_member(given->servo, "sample_s") : NULL;
  if (!node)
    node = aio_json_member(given->root, "substep_s");
  return node == NULL || aio_json_fail(node, expected, error);
}

/* As much as fits, cut between characters. */
static void copy_name(char *out, const char *name, gsize size) {
  const char *end;
  g_strlcpy(out, name, size);
  g_utf8_validate(out, -1, &end);
  out[end - out] = 0;
}

static bool read_truth(AsimTruth *truth, Given *given, guint64 seed, GError **error) {
  AsimTruth out = {0};
  ArmModel model = given->arm->model;
  ArmPlantKind kind;
  double rho = SERVO_RHO;
  if ((given->root && !check_keys(given, error)) || !read_kind(given, &kind, error) ||
      !read_number(given->servo, "rho", POSITIVE, &rho, error) ||
      !complete_model(given, &model, error))
    return false;
  const ArmStatus status = arm_plant_config_default(&out.plant, &model, rho, seed);
  if (status != ARM_OK) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED, "%s: cannot be simulated: %s",
                given->arm->name, arm_status_text(status));
    return false;
  }
  out.plant.kind = kind;
  if (!read_times(given, &out.plant, error))
    return false;
  for (gsize j = 0; j < model.n; j++)
    if (!read_joint(given, j, rho, &out, error))
      return false;
  copy_name(out.name, given->arm->name, sizeof out.name);
  *truth = out;
  return true;
}

bool asim_truth_from_arm(AsimTruth *truth, const AioArm *arm, guint64 seed, GError **error) {
  Given given = {.arm = arm};
  AioJson *json = NULL;
  if (arm->simulation) {
    char *name = g_strdup_printf("%s, simulation", arm->name);
    json = aio_json_parse(name, arm->simulation, strlen(arm->simulation), error);
    g_free(name);
    if (!json)
      return false;
    given.root = aio_json_root(json);
  }
  const bool is_read = read_truth(truth, &given, seed, error);
  aio_json_free(json);
  return is_read;
}

bool asim_truth_load(AsimTruth *truth, const char *path, guint64 seed, GError **error) {
  AioArm *arm = aio_arm_load(path, error);
  AioJson *json = arm ? aio_json_load(path, error) : NULL;
  bool is_read = false;
  if (json) {
    Given given = {.arm = arm, .root = aio_json_member(aio_json_root(json), "simulation")};
    is_read = read_truth(truth, &given, seed, error);
    if (!is_read && error && g_error_matches(*error, AIO_ERROR, AIO_ERROR_REFUSED))
      g_prefix_error(error, "%s: ", path);
  }
  aio_json_free(json);
  aio_arm_free(arm);
  return is_read;
}

/* ---- names ---- */

/* NULL when there is none. */
static char *find_in(const char *folder, const char *word) {
  static const char *const places[] = {"share/armature/robots", "data/robots"};
  for (gsize k = 0; k < 4; k++) {
    char *file = g_strconcat(k % 2 ? "puma560-" : "", word, ".arm.json", NULL);
    char *path = g_build_filename(folder, places[k / 2], file, NULL);
    g_free(file);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
      return path;
    g_free(path);
  }
  return NULL;
}

char *asim_truth_find(const char *word, GError **error) {
  if (strchr(word, '/') || g_str_has_suffix(word, ".json"))
    return g_strdup(word);
  char *program = g_file_read_link("/proc/self/exe", NULL);
  char *folder = program ? g_path_get_dirname(program) : g_get_current_dir();
  char *path = NULL;
  for (bool is_root = false; !path && !is_root;) {
    path = find_in(folder, word);
    is_root = strcmp(folder, "/") == 0;
    char *above = g_path_get_dirname(folder);
    g_free(folder);
    folder = above;
  }
  g_free(folder);
  if (!path)
    g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND,
                "%s: no arm of this name: expected %s.arm.json or puma560-%s.arm.json in "
                "share/armature/robots or data/robots above %s; give the path of an arm file",
                word, word, word, program ? program : "the current folder");
  g_free(program);
  return path;
}
