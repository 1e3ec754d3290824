/* SPDX-License-Identifier: MIT */
/* The one table of kinds and the one table of units. Signs and letters: Lin 1994 (20), (25) for
 * what is starred; Khalil's XX .. M for inertial parameters. */
#include "core/params/catalogue.h"

/* For xgettext: screens show the words in the user's language. */
#define N_(text) text

#define OF_R true, false
#define OF_T false, true
#define BOTH true, true

#define NONE ARM_PARAM_KINDS

#define OWN(key, symbol, words, counts, types)                                                     \
  {                                                                                                \
    key, symbol, words, NULL, NULL, ARM_OF_JOINT, counts, types, ARM_AS_ESTIMATE, false, NONE,     \
        NONE, NONE                                                                                 \
  }
#define TERM(key, words, lost, counts, form, condition)                                            \
  { key, key, words, lost, NULL, ARM_OF_JOINT, counts, BOTH, form, true, condition, NONE, NONE }
#define CONSTANT(key, counts, form, of, or_of)                                                     \
  { key, key, "", NULL, NULL, ARM_OF_JOINT, counts, BOTH, form, false, NONE, of, or_of }
#define INERTIAL(key, words, counts)                                                               \
  {                                                                                                \
    key, key, words, NULL, NULL, ARM_OF_JOINT, counts, BOTH, ARM_AS_ESTIMATE, false, NONE, NONE,   \
        NONE                                                                                       \
  }
#define LISTED(key, symbol, words, list, scope, counts)                                            \
  { key, symbol, words, NULL, list, scope, counts, BOTH, ARM_AS_ESTIMATE, false, NONE, NONE, NONE }

static const ArmParamInfo kinds[ARM_PARAM_KINDS] = {
    [ARM_PARAM_KX] = OWN("kx_star", "kx*", N_("gravity k*x"), ARM_COUNTS_MOMENT, OF_R),
    [ARM_PARAM_KY] = OWN("ky_star", "ky*", N_("gravity k*y"), ARM_COUNTS_MOMENT, OF_R),
    [ARM_PARAM_MHAT] = OWN("mhat_star", "mhat*", N_("gravity m*"), ARM_COUNTS_MOMENT, OF_T),
    [ARM_PARAM_COULOMB_POS] =
        OWN("coulomb_pos_A", "Coulomb +", N_("Coulomb +"), ARM_COUNTS_EFFORT, BOTH),
    [ARM_PARAM_VISCOUS_POS] =
        OWN("viscous_pos", "viscous +", N_("viscous +"), ARM_COUNTS_DRAG, BOTH),
    [ARM_PARAM_COULOMB_NEG] =
        OWN("coulomb_neg_A", "Coulomb -", N_("Coulomb -"), ARM_COUNTS_EFFORT, BOTH),
    [ARM_PARAM_VISCOUS_NEG] =
        OWN("viscous_neg", "viscous -", N_("viscous -"), ARM_COUNTS_DRAG, BOTH),
    [ARM_PARAM_ACCELERATION] =
        OWN("own_acceleration", "acceleration", N_("own inertia"), ARM_COUNTS_INERTIA, BOTH),
    [ARM_PARAM_LOAD] = TERM("load", N_("load friction"),
                            N_("friction of joint %u that grows with the load (load) has no place "
                               "in the controller"),
                            ARM_COUNTS_PARTS, ARM_AS_LOAD_PART, NONE),
    [ARM_PARAM_CURVE] = TERM("curve", N_("friction curve"),
                             N_("friction of joint %u that bends with speed (curve) has no place "
                                "in the controller"),
                             ARM_COUNTS_EFFORT, ARM_AS_ESTIMATE, ARM_PARAM_CURVE_SPEED),
    [ARM_PARAM_RATIO] = LISTED("ratio", "eta%d/eta%d", N_("ratio \316\267%d/\316\267%d"), "ratios",
                               ARM_OF_PAIR, ARM_COUNTS_RATIO),
    [ARM_PARAM_SEEN_LEAST] =
        CONSTANT("load_seen_least", ARM_COUNTS_EFFORT, ARM_AS_LOADS, ARM_PARAM_LOAD, NONE),
    [ARM_PARAM_SEEN_MOST] =
        CONSTANT("load_seen_most", ARM_COUNTS_EFFORT, ARM_AS_LOADS_END, ARM_PARAM_LOAD, NONE),
    [ARM_PARAM_CURVE_SPEED] =
        CONSTANT("curve_speed", ARM_COUNTS_SPEED, ARM_AS_SPEED, ARM_PARAM_CURVE, NONE),
    [ARM_PARAM_FRICTION_SIGN] =
        CONSTANT("friction_sign", ARM_COUNTS_PARTS, ARM_AS_SIGN, ARM_PARAM_LOAD, ARM_PARAM_CURVE),
    [ARM_PARAM_XX] = INERTIAL("XX", N_("inertia XX"), ARM_COUNTS_KG_M2),
    [ARM_PARAM_XY] = INERTIAL("XY", N_("inertia XY"), ARM_COUNTS_KG_M2),
    [ARM_PARAM_XZ] = INERTIAL("XZ", N_("inertia XZ"), ARM_COUNTS_KG_M2),
    [ARM_PARAM_YY] = INERTIAL("YY", N_("inertia YY"), ARM_COUNTS_KG_M2),
    [ARM_PARAM_YZ] = INERTIAL("YZ", N_("inertia YZ"), ARM_COUNTS_KG_M2),
    [ARM_PARAM_ZZ] = INERTIAL("ZZ", N_("inertia ZZ"), ARM_COUNTS_KG_M2),
    [ARM_PARAM_MX] = INERTIAL("mX", N_("first moment mX"), ARM_COUNTS_KG_M),
    [ARM_PARAM_MY] = INERTIAL("mY", N_("first moment mY"), ARM_COUNTS_KG_M),
    [ARM_PARAM_MZ] = INERTIAL("mZ", N_("first moment mZ"), ARM_COUNTS_KG_M),
    [ARM_PARAM_M] = INERTIAL("m", N_("mass of the link"), ARM_COUNTS_KG),
    [ARM_PARAM_BASE] =
        LISTED("base", "base", N_("base parameter"), "base", ARM_NAMED, ARM_COUNTS_AS_TERMS),
    [ARM_PARAM_ROTOR] =
        OWN("rotor_inertia_A_s2", "rotor", N_("rotor inertia"), ARM_COUNTS_INERTIA, BOTH),
    [ARM_PARAM_ETA] =
        LISTED("A_per_Nm", "eta", N_("current per torque"), "eta", ARM_OF_JOINT, ARM_COUNTS_ETA),
    [ARM_PARAM_ETA_TO_FIRST] =
        LISTED("ratio_to_reference", "eta/ref", N_("current per torque, relative"), "eta",
               ARM_OF_JOINT, ARM_COUNTS_PARTS),
    [ARM_PARAM_COULOMB_POS_HELD] =
        OWN("FcpR_A", "FcpR", N_("Coulomb + with rotor"), ARM_COUNTS_EFFORT, BOTH),
    [ARM_PARAM_COULOMB_NEG_HELD] =
        OWN("FcnR_A", "FcnR", N_("Coulomb - with rotor"), ARM_COUNTS_EFFORT, BOTH),
    [ARM_PARAM_ROTOR_WEIGHT] =
        OWN("rotor_weight_A", "rotor weight", N_("weight of the rotor"), ARM_COUNTS_EFFORT, BOTH),
};

const ArmParamInfo *arm_param_info(ArmParamKind kind) {
  static const ArmParamInfo unknown = {.key = "", .symbol = "", .words = ""};
  return (unsigned)kind < ARM_PARAM_KINDS ? &kinds[kind] : &unknown;
}

bool arm_param_is_constant(ArmParamKind kind) {
  return arm_param_info(kind)->form >= ARM_AS_SPEED;
}

int arm_param_inertial(ArmParamKind kind) {
  return kind >= ARM_PARAM_XX && kind <= ARM_PARAM_M ? (int)(kind - ARM_PARAM_XX) : -1;
}

const char *arm_param_key(ArmParamKind kind) {
  return arm_param_info(kind)->key;
}

const char *arm_param_term_key(ArmParamKind kind) {
  return kind == ARM_PARAM_ROTOR ? "rotor_inertia" : arm_param_key(kind);
}

/* ---- units ---- */

/* What drives a joint: a current of a rotational or sliding joint, a torque, a force. */
enum { CURRENT_R, CURRENT_T, TORQUE, FORCE, EFFORTS };

static const char *const units[ARM_QUANTITIES][EFFORTS] = {
    [ARM_COUNTS_PARTS] = {"1", "1", "1", "1"},
    [ARM_COUNTS_MOMENT] = {"A s^2/m", "A s^2/m", "N m s^2/m", "N s^2/m"},
    [ARM_COUNTS_EFFORT] = {"A", "A", "N m", "N"},
    [ARM_COUNTS_DRAG] = {"A s/rad", "A s/m", "N m s/rad", "N s/m"},
    [ARM_COUNTS_INERTIA] = {"A s^2/rad", "A s^2/m", "N m s^2/rad", "N s^2/m"},
    [ARM_COUNTS_RATIO] = {"", "", "", ""}, /* ratio_units */
    [ARM_COUNTS_ETA] = {"A/(N m)", "A/N", "1", "1"},
    [ARM_COUNTS_SPEED] = {"rad/s", "m/s", "rad/s", "m/s"},
    [ARM_COUNTS_KG] = {"kg", "kg", "kg", "kg"},
    [ARM_COUNTS_KG_M] = {"kg m", "kg m", "kg m", "kg m"},
    [ARM_COUNTS_KG_M2] = {"kg m^2", "kg m^2", "kg m^2", "kg m^2"},
    [ARM_COUNTS_AS_TERMS] = {"", "", "", ""},
};
/* [of joint i][over joint j]; a sliding j loads a rotational i by a force times a lever arm. Of T
 * over R there is a length in it, of which files have said nothing from their version 1 on. */
static const struct {
  const char *in_files, *shown;
} ratio_units[EFFORTS][EFFORTS] = {
    [CURRENT_R] = {{"1", "1"}, {"1/m", "1/m"}, {"A/(N m)", "A/(N m)"}, {"A/(N m)", "A/(N m)"}},
    [CURRENT_T] = {{"1", "m"}, {"1", "1"}, {"A/N", "A/N"}, {"A/N", "A/N"}},
    [TORQUE] = {{"N m/A", "N m/A"}, {"N/A", "N/A"}, {"1", "1"}, {"1", "1"}},
    [FORCE] = {{"N/A", "N m/A"}, {"N/A", "N/A"}, {"1", "1"}, {"1", "1"}},
};

static int effort_of(ArmJointType type, bool is_torque) {
  if (is_torque)
    return type == ARM_JOINT_R ? TORQUE : FORCE;
  return type == ARM_JOINT_R ? CURRENT_R : CURRENT_T;
}

const char *arm_param_unit_of(ArmQuantity quantity, ArmJointType of, bool is_torque_of,
                              ArmJointType over, bool is_torque_over) {
  const int effort = effort_of(of, is_torque_of);
  if ((unsigned)quantity >= ARM_QUANTITIES)
    return "";
  if (quantity == ARM_COUNTS_RATIO)
    return ratio_units[effort][effort_of(over, is_torque_over)].in_files;
  return units[quantity][effort];
}

const char *arm_param_unit_in_reference(ArmQuantity quantity) {
  static const char *const in_reference[ARM_QUANTITIES] = {
      [ARM_COUNTS_KG] = "A s^2/m^2", [ARM_COUNTS_KG_M] = "A s^2/m", [ARM_COUNTS_KG_M2] = "A s^2"};
  const bool is_one = (unsigned)quantity < ARM_QUANTITIES && in_reference[quantity];
  return is_one ? in_reference[quantity] : "";
}

const char *arm_param_unit_shown(ArmQuantity quantity, ArmJointType of, bool is_torque_of,
                                 ArmJointType over, bool is_torque_over) {
  if (quantity == ARM_COUNTS_RATIO)
    return ratio_units[effort_of(of, is_torque_of)][effort_of(over, is_torque_over)].shown;
  return arm_param_unit_of(quantity, of, is_torque_of, over, is_torque_over);
}
