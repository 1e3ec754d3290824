/* SPDX-License-Identifier: MIT */
/* Rotors that currents cannot tell from the links: base parameters name them among their terms, and
 * the links that are completed are free of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arm/inertia.h"
#include "core/dynamics/currents.h"
#include "core/dynamics/outcome.h"
#include "identify_rig.h"

enum { SAMPLES = 400, HELD = 2, P = ARM_INERTIA_PARAMETERS };

static const double rotors[HELD] = {1.2, 4.75}; /* of joints 1 and 2 [kg m^2] */

/* A PUMA whose drives are stated and true; `part` of the rotors of joints 1 and 2 is there, and
 * `stated` times them in the arm file (0: they are not). */
static void puma(Rig *rig, uint64_t seed, double part, double stated) {
  double sigma[ARM_MAX_JOINTS];
  TestRng rng;
  test_rng_init(&rng, seed);
  rig_init(rig, &find_case("PUMA560-AKB")->model, &rng, SAMPLES);
  for (size_t j = 0; j < rig->model.n; j++) {
    rig->joint[j].eta = rig->drives.eta[j];
    rig->joint[j].rel_sd = 1e-6;
    sigma[j] = 0.02;
  }
  for (size_t j = 0; j < HELD; j++) {
    ArmJoint *joint = &rig->model.joints[j];
    rig->drives.local[j][ARM_DYN_ROTOR] = part * rotors[j] * rig->drives.eta[j];
    joint->n_motors = 1;
    joint->motors[0].gear_ratio = 50;
    joint->motors[0].rotor_inertia_kg_m2 = stated > 0 ? stated * rotors[j] / 2500 : (double)NAN;
  }
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  dyn_rows_disturb(&rig->rows, &rng, sigma);
}

/* ---- terms ---- */

static const ArmParam *holder_of(const ArmParamSet *set, size_t j) {
  for (size_t k = 0; k < set->n; k++)
    for (size_t t = 0; t < set->param[k].n_terms; t++)
      if (set->param[k].terms[t].id.kind == ARM_PARAM_ROTOR && set->param[k].terms[t].id.i == j)
        return &set->param[k];
  return NULL;
}

/* All terms of all base parameters are those of a base with rotors. */
static void check_terms(const ArmParamSet *set, const ArmModel *model) {
  ArmBase *base = make(model, ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR, ARM_BASE_CLOSED_FORM);
  size_t b = 0;
  for (size_t k = 0; k < set->n; k++) {
    const ArmParam *param = &set->param[k];
    size_t expected = 0;
    if (param->id.kind != ARM_PARAM_BASE)
      continue;
    for (size_t c = 0; c < base->columns; c++) {
      const double coefficient = base->map[b + base->count * c];
      const ArmBaseColumn *column = &base->column[c];
      bool is_named = false;
      for (size_t t = 0; t < param->n_terms; t++)
        is_named = is_named || (param->terms[t].id.kind == arm_base_kind(column) &&
                                param->terms[t].id.i == column->joint &&
                                fabs(param->terms[t].coefficient - coefficient) < 1e-12);
      assert_true(is_named == (fabs(coefficient) >= ARM_BASE_NEGLIGIBLE));
      expected += is_named;
    }
    assert_int_equal(param->n_terms, expected);
    b++;
  }
  assert_int_equal(b, 36);
  arm_base_free(base);
}

static void test_terms(void **state) {
  static const char *const names[HELD] = {"ZZR1", "ZZR2"};
  ArmParamSet set;
  Rig rig;
  (void)state;
  puma(&rig, 11, 1, 0);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(arm_dynamics_set(fit, &rig.model, rig.base, &set), ARM_OK);
  check_terms(&set, &rig.model);
  for (size_t j = 0; j < rig.model.n; j++) {
    const ArmParam *holder = holder_of(&set, j);
    const ArmEstimate *e = arm_param_set_at(&set, (ArmParamId){ARM_PARAM_ROTOR, (uint8_t)j, 0});
    assert_non_null(e);
    assert_true((holder != NULL) == (j < HELD));
    if (holder)
      assert_string_equal(holder->name, names[j]);
    assert_true((e->reason == ARM_REASON_REGROUPED) == (j < HELD) && e->identifiable != (j < HELD));
    assert_true(j >= HELD || (isnan(e->value) && e->used == 0));
  }
  arm_param_set_clear(&set);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* Torques are measured beyond the rotor. */
static void test_terms_of_torques(void **state) {
  ArmParamSet set;
  Rig rig;
  (void)state;
  puma(&rig, 12, 0, 0);
  for (size_t j = 0; j < rig.model.n; j++) {
    rig.joint[j].is_torque = true;
    rig.drives.eta[j] = 1;
  }
  dyn_rows_drive(&rig.rows, rig.beta, &rig.drives);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(arm_dynamics_set(fit, &rig.model, rig.base, &set), ARM_OK);
  for (size_t j = 0; j < HELD; j++) {
    assert_null(holder_of(&set, j));
    assert_null(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_ROTOR, (uint8_t)j, 0}));
  }
  arm_param_set_clear(&set);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* ---- links ---- */

/* beta of links and rotors against the estimates, in sds of these. */
static double worst_of(const Rig *rig, const ArmDynamicsFit *fit, const ArmConsistent *links,
                       const ArmDynamicsRotor *found) {
  double beta[BASE_COLUMNS], worst = 0;
  arm_base_values(rig->base, links->pi, beta);
  for (size_t b = 0; b < fit->count; b++) {
    const ArmBaseColumn *column = &rig->base->column[rig->base->kept[b]];
    if (column->joint < HELD && column->parameter == 9) /* ZZ */
      beta[b] += found[column->joint].inertia;
    worst = fmax(worst, fabs(beta[b] - fit->base[b].used) / fit->base[b].sd);
  }
  return worst;
}

static ArmDynamicsFit *complete(Rig *rig, ArmConsistent *links, ArmDynamicsRotor *found) {
  ArmDynamicsFit *fit = identify(rig, NULL);
  assert_int_equal(
      arm_dynamics_complete(fit, rig->information, &rig->model, rig->base, NULL, links, found),
      ARM_OK);
  for (size_t j = 0; j < rig->model.n; j++)
    assert_true(found[j].is_held == (j < HELD));
  return fit;
}

/* Nominal links are the true ones: what a rotor is beyond them is no mass of theirs. */
static void check_links(double stated) {
  double nominal[P * BASE_JOINTS];
  ArmConsistent links;
  ArmDynamicsRotor found[ARM_MAX_JOINTS];
  Rig rig;
  puma(&rig, 21, 1, stated);
  ArmDynamicsFit *fit = complete(&rig, &links, found);
  arm_consistent_nominal(&rig.model, NULL, nominal, NULL);
  for (size_t i = 0; i < HELD; i++) {
    assert_true(test_is_near(links.pi[P * i], nominal[P * i], 0.25, 0));
    assert_true(test_is_near(links.pi[P * i + 9], nominal[P * i + 9], 0.25, 0));
    assert_true(fabs(found[i].inertia - rotors[i]) < 2 * found[i].sd);
    assert_true(found[i].sd < 1.5 * rotors[i] && isnan(found[i].prior_sd) == (stated == 0));
  }
  assert_true(worst_of(&rig, fit, &links, found) < 4);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_links(void **state) {
  (void)state;
  check_links(0);
  check_links(1);
  check_links(1.3);
}

/* Less than nothing is left for them: they are nothing, and the data are met all the same. */
static void test_none(void **state) {
  ArmConsistent links;
  ArmDynamicsRotor found[ARM_MAX_JOINTS];
  Rig rig;
  (void)state;
  puma(&rig, 31, -0.01, 0);
  ArmDynamicsFit *fit = complete(&rig, &links, found);
  for (size_t i = 0; i < HELD; i++)
    assert_true(found[i].inertia == 0 && found[i].sd > 0);
  assert_true(worst_of(&rig, fit, &links, found) < 4);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

/* ---- a rotor that Coulomb friction holds, too ---- */

enum { QUILL = 2, STATES = 4 };

static const double quill_rotor = 2.0; /* [kg] */
static const double noise = 0.01;

/* A SCARA whose quill has gravity along it: what its rotor weighs in its base parameter is taken
 * off Coulomb friction, forth and back. `stated` as above. */
static void scara(Rig *rig, uint64_t seed, double stated) {
  double sigma[ARM_MAX_JOINTS], *local = rig->drives.local[QUILL];
  TestRng rng;
  test_rng_init(&rng, seed);
  rig_init(rig, &find_case("SCARA_RRTR_g//z1")->model, &rng, SAMPLES);
  rig->drives.eta[QUILL] = fabs(rig->drives.eta[QUILL]);
  for (size_t j = 0; j < rig->model.n; j++) {
    rig->joint[j].eta = rig->drives.eta[j];
    rig->joint[j].rel_sd = 0.1;
    sigma[j] = noise;
  }
  local[ARM_DYN_COULOMB_POS] = rig->drives.eta[QUILL] * 5;
  local[ARM_DYN_COULOMB_NEG] = rig->drives.eta[QUILL] * -4;
  local[ARM_DYN_ROTOR] = rig->drives.eta[QUILL] * quill_rotor;
  rig->model.joints[QUILL].n_motors = 1;
  rig->model.joints[QUILL].motors[0].gear_ratio = 100;
  rig->model.joints[QUILL].motors[0].rotor_inertia_kg_m2 =
      stated > 0 ? stated * quill_rotor / 1e4 : (double)NAN;
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  dyn_rows_disturb(&rig->rows, &rng, sigma);
}

/* At rest and moving, what the quill's current and torque are said to be. */
typedef struct {
  double rest, rest_sd, moving[STATES], moving_sd[STATES], torque, torque_sd;
  bool lacks_torque;
  ArmReason why;
} Said;

static void ask(const Rig *rig, const ArmParamSet *set, Said *said) {
  const size_t n = rig->model.n, at = QUILL * STATES;
  double value[STATES * BASE_JOINTS], sd[STATES * BASE_JOINTS];
  const ArmPredictOptions none = {0};
  ArmCurrents *currents = NULL;
  DynMotion motion;
  TestRng rng;
  test_rng_init(&rng, 3);
  dyn_motion_random(&rng, n, STATES, &motion);
  ArmCurrentsStates states = {STATES, STATES, motion.q, motion.qd, motion.qdd};
  assert_int_equal(arm_currents_new(&rig->model, set, &currents), ARM_OK);
  arm_currents_predict(currents, &states, &none, value, sd);
  memcpy(said->moving, value + at, sizeof said->moving);
  memcpy(said->moving_sd, sd + at, sizeof said->moving_sd);
  memset(motion.qd, 0, n * STATES * sizeof *motion.qd);
  memset(motion.qdd, 0, n * STATES * sizeof *motion.qdd);
  arm_currents_predict(currents, &states, &none, value, sd);
  said->rest = value[at];
  said->rest_sd = sd[at];
  arm_currents_torque(currents, &states, value, sd);
  said->torque = value[at];
  said->torque_sd = sd[at];
  said->lacks_torque = arm_currents_lacks_torque(currents, QUILL, &said->why);
  arm_currents_free(currents);
  dyn_motion_clear(&motion);
}

static const ArmEstimate *of_quill(const ArmParamSet *set, ArmParamKind kind) {
  const ArmEstimate *e = arm_param_set_at(set, (ArmParamId){kind, QUILL, 0});
  assert_non_null(e);
  return e;
}

static void check_told(const ArmEstimate *e, double truth, double least_sd, double most_sd) {
  assert_true(e->identifiable && e->value == e->used);
  assert_true(fabs(e->value - truth) < 4 * e->sd && e->sd >= least_sd && e->sd < most_sd);
}

/* What motions show is told as it is, whatever is known of the rotor. */
static void check_sums(const Rig *rig, const ArmParamSet *set) {
  const double *local = rig->drives.local[QUILL];
  const double held = rig->joint[QUILL].rotor_in_coulomb * local[ARM_DYN_ROTOR];
  assert_true(test_is_near(fabs(rig->joint[QUILL].rotor_in_coulomb), 9.81, 1e-9, 0));
  check_told(of_quill(set, ARM_PARAM_COULOMB_POS_HELD), local[ARM_DYN_COULOMB_POS] + held, 0,
             noise);
  check_told(of_quill(set, ARM_PARAM_COULOMB_NEG_HELD), local[ARM_DYN_COULOMB_NEG] + held, 0,
             noise);
  for (size_t j = 0; j < rig->model.n; j++)
    assert_true((j == QUILL) ==
                (arm_param_set_find(set, (ArmParamId){ARM_PARAM_ROTOR_WEIGHT, (uint8_t)j, 0}) !=
                 ARM_PARAM_NONE));
}

/* Nothing is known of it: not friction alone, nor a current at rest, nor a torque. */
static void check_unknown(const Rig *rig, const ArmParamSet *set, Said *said) {
  static const ArmParamKind kinds[] = {ARM_PARAM_COULOMB_POS, ARM_PARAM_COULOMB_NEG,
                                       ARM_PARAM_ROTOR_WEIGHT};
  check_sums(rig, set);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const ArmEstimate *e = of_quill(set, kinds[k]);
    assert_true(!e->identifiable && isnan(e->sd) && e->reason == ARM_REASON_ROTOR_NOT_KNOWN);
  }
  ask(rig, set, said);
  assert_true(isnan(said->rest_sd) && isnan(said->torque) && said->lacks_torque);
  assert_int_equal(said->why, ARM_REASON_ROTOR_NOT_KNOWN);
  for (size_t s = 0; s < STATES; s++)
    assert_true(said->moving_sd[s] > 0 && said->moving_sd[s] < noise);
}

/* With the rotor of a data sheet all of it is known as well as that; motions are as before. */
static void check_known(const Rig *rig, const ArmParamSet *set, const Said *before) {
  const double *local = rig->drives.local[QUILL], eta = rig->drives.eta[QUILL];
  const double held = rig->joint[QUILL].rotor_in_coulomb * local[ARM_DYN_ROTOR];
  const double least = 0.2 * fabs(held), most = 3 * fabs(held);
  double mass = 0;
  Said said;
  check_sums(rig, set);
  check_told(of_quill(set, ARM_PARAM_COULOMB_POS), local[ARM_DYN_COULOMB_POS], least, most);
  check_told(of_quill(set, ARM_PARAM_COULOMB_NEG), local[ARM_DYN_COULOMB_NEG], least, most);
  check_told(of_quill(set, ARM_PARAM_ROTOR_WEIGHT), held, least, most);
  ask(rig, set, &said);
  for (size_t j = QUILL; j < rig->model.n; j++)
    mass += rig->model.joints[j].link.mass_kg;
  const double force = -rig->joint[QUILL].rotor_in_coulomb * mass;
  assert_true(fabs(said.rest - eta * force) < 3 * said.rest_sd && said.rest_sd < most);
  assert_true(fabs(said.torque - force) < 3 * said.torque_sd && said.torque_sd < 2 * most / eta);
  assert_false(said.lacks_torque);
  for (size_t s = 0; s < STATES; s++) {
    assert_true(test_is_near(said.moving[s], before->moving[s], 1e-12, 1e-12));
    assert_true(test_is_near(said.moving_sd[s], before->moving_sd[s], 1e-4, 0));
  }
}

/* What a drive's friction is judged by: friction alone. */
static void check_friction(const Rig *rig, const ArmDynamicsFit *fit, bool is_told) {
  const double *local = rig->drives.local[QUILL];
  bool is_known;
  double forth, forth_sd, back, back_sd;
  assert_int_equal(arm_dynamics_friction(fit, rig->information, QUILL, &is_known, &forth, &forth_sd,
                                         &back, &back_sd),
                   ARM_OK);
  assert_true(is_known == is_told);
  if (!is_told)
    return;
  assert_true(forth > local[ARM_DYN_COULOMB_POS] - 3 * forth_sd && back < 3 * back_sd);
  assert_true(forth_sd > fabs(local[ARM_DYN_COULOMB_POS]));
}

static void check_quill(uint64_t seed, double stated) {
  ArmDynamicsRotor found[ARM_MAX_JOINTS];
  ArmConsistent links;
  ArmParamSet set;
  Said before;
  Rig rig;
  scara(&rig, seed, stated);
  ArmDynamicsFit *fit = identify(&rig, NULL);
  assert_int_equal(arm_dynamics_set(fit, &rig.model, rig.base, &set), ARM_OK);
  check_unknown(&rig, &set, &before);
  check_friction(&rig, fit, false);
  arm_param_set_clear(&set);
  assert_int_equal(
      arm_dynamics_complete(fit, rig.information, &rig.model, rig.base, NULL, &links, found),
      ARM_OK);
  arm_dynamics_take_rotors(fit, found);
  assert_int_equal(arm_dynamics_set(fit, &rig.model, rig.base, &set), ARM_OK);
  check_known(&rig, &set, &before);
  check_friction(&rig, fit, true);
  arm_param_set_clear(&set);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_coulomb(void **state) {
  (void)state;
  check_quill(41, 1);
  check_quill(42, 0.6);
}

/* ---- where torques were measured ---- */

/* The SCARA's torques, `part` of all its rotors in them; stated are so many times those of joint 2,
 * which stands by itself, and of the quill. */
typedef struct {
  double part, column, quill;
  double weighs; /* an offset of the quill that is no rotor, and weighs as one of so much [kg] */
} Torques;

static ArmDynamicsFit *identify_torques(Rig *rig, uint64_t seed, const Torques *t) {
  double sigma[ARM_MAX_JOINTS], *local = rig->drives.local[QUILL];
  TestRng rng;
  test_rng_init(&rng, seed + 1000);
  scara(rig, seed, t->quill);
  ArmJoint *second = &rig->model.joints[1];
  second->n_motors = 1;
  second->motors[0].gear_ratio = 50;
  second->motors[0].rotor_inertia_kg_m2 = t->column > 0 ? t->column / 2500 : (double)NAN;
  for (size_t j = 0; j < rig->model.n; j++) {
    sigma[j] = noise;
    rig->joint[j].is_torque = true;
    rig->drives.eta[j] = 1;
    rig->drives.local[j][ARM_DYN_ROTOR] = t->part * (j == QUILL ? quill_rotor : j == 1 ? 1 : 0);
  }
  local[ARM_DYN_COULOMB_POS] = 5 + t->weighs * rig->joint[QUILL].rotor_in_coulomb;
  local[ARM_DYN_COULOMB_NEG] = -4 + t->weighs * rig->joint[QUILL].rotor_in_coulomb;
  dyn_rows_drive(&rig->rows, rig->beta, &rig->drives);
  dyn_rows_disturb(&rig->rows, &rng, sigma);
  return identify(rig, NULL);
}

static void check_torques(uint64_t seed, const Torques *t, bool hold) {
  ArmParamSet set;
  Rig rig;
  ArmDynamicsFit *fit = identify_torques(&rig, seed, t);
  assert_int_equal(arm_dynamics_tell_rotors(fit, &rig.model),
                   hold ? ARM_PLACE_MOTOR : ARM_PLACE_BEYOND);
  assert_int_equal(arm_dynamics_set(fit, &rig.model, rig.base, &set), ARM_OK);
  assert_true((holder_of(&set, QUILL) != NULL) == hold);
  const ArmEstimate *coulomb = of_quill(&set, ARM_PARAM_COULOMB_POS);
  assert_true(coulomb->identifiable != hold);
  if (!hold)
    assert_true(fabs(coulomb->value - rig.drives.local[QUILL][ARM_DYN_COULOMB_POS]) <
                4 * coulomb->sd);
  arm_param_set_clear(&set);
  arm_dynamics_fit_free(fit);
  rig_clear(&rig);
}

static void test_where_torques_were_measured(void **state) {
  static const double wrong[] = {1.0 / 3, 1, 2.2, 3}; /* times what is stated */
  (void)state;
  for (uint64_t k = 0; k < 4; k++) {
    check_torques(51 + k, &(Torques){1, wrong[k], wrong[k], 0}, true);
    check_torques(61 + k, &(Torques){0, wrong[k], wrong[k], 0}, false);
    check_torques(71 + k, &(Torques){1, wrong[k], 0, 0}, true);
    check_torques(81 + k, &(Torques){1, 0, wrong[k], 0}, true);
    check_torques(91 + k, &(Torques){0, 0, wrong[k], 0}, false);
  }
  /* of no stated rotor: by the column, which is there in any case */
  check_torques(56, &(Torques){1, 0, 0, 0}, true);
  check_torques(57, &(Torques){0, 0, 0, 0}, false);
  /* an offset that no rotor makes: the other way, too much, or gainsaid by another one */
  check_torques(58, &(Torques){0, 0, 0, -3}, false);
  check_torques(59, &(Torques){0, 0, 1, 30}, false);
  check_torques(60, &(Torques){0, 1, 1, 2}, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_terms),   cmocka_unit_test(test_terms_of_torques),
      cmocka_unit_test(test_links),   cmocka_unit_test(test_none),
      cmocka_unit_test(test_coulomb), cmocka_unit_test(test_where_torques_were_measured)};
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
