/* SPDX-License-Identifier: MIT */
#include "support/plant_rig.h"

#include <math.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/arm/inertia.h"
#include "support/dyn_random.h"

static const double deg = 3.14159265358979323846 / 180;

typedef struct {
  char type;
  double beta, b, theta, d;                         /* deg, m */
  double gear, constant, rotor;                     /* rotor: kg m^2 */
  double mass, com[3], inertia[3], q_min, q_max, i; /* deg or m, A */
} Row;

static void build(ArmModel *model, size_t n, const Row *rows, double gravity) {
  (void)!arm_model_init(model, n);
  model->gravity_m_s2[2] = -gravity;
  for (size_t k = 0; k < n; k++) {
    const Row *row = &rows[k];
    ArmJoint *joint = &model->joints[k];
    const bool slides = row->type == 'T';
    arm_joint_set_mdh(joint, slides ? ARM_JOINT_T : ARM_JOINT_R, row->beta * deg, row->b,
                      row->theta * deg, row->d);
    joint->limits.q_min = row->q_min * (slides ? 1 : deg);
    joint->limits.q_max = row->q_max * (slides ? 1 : deg);
    joint->limits.current_max = row->i;
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){.gear_ratio = fabs(row->gear),
                                  .motor_sign = row->gear > 0 ? 1 : -1,
                                  .torque_constant_Nm_A = row->constant,
                                  .torque_constant_rel_sd = 0.2,
                                  .rotor_inertia_kg_m2 = row->rotor};
    joint->link = (ArmLink){.is_present = true, .mass_kg = row->mass};
    memcpy(joint->link.com_m, row->com, sizeof row->com);
    memcpy(joint->link.inertia_com_kg_m2, row->inertia, sizeof row->inertia);
  }
}

void rig_puma(ArmModel *model) {
  static const Row rows[6] = {
      {'R', 0, 0, 0, 0, 62.6111, .223, 291e-6, 13, {0, 0, 0}, {.35, .35, .35}, -160, 160, 12},
      {'R',
       -90,
       0,
       0,
       .2435,
       107.815,
       .226,
       409e-6,
       17.4,
       {.068, .006, -.016},
       {.13, .524, .539},
       -225,
       45,
       12},
      {'R',
       0,
       .4318,
       0,
       -.0934,
       -53.7063,
       .24,
       299e-6,
       4.8,
       {0, -.07, .014},
       {.066, .0125, .086},
       -45,
       225,
       12},
      {'R',
       90,
       -.0203,
       0,
       .4331,
       -76.0364,
       .069,
       35e-6,
       .82,
       {0, 0, -.019},
       {1.8e-3, 1.8e-3, 1.3e-3},
       -110,
       170,
       4},
      {'R',
       -90,
       0,
       0,
       0,
       -71.923,
       .072,
       35e-6,
       .34,
       {0, 0, 0},
       {.3e-3, .3e-3, .4e-3},
       -100,
       100,
       4},
      {'R',
       90,
       0,
       0,
       0,
       -76.686,
       .066,
       35e-6,
       .09,
       {0, 0, .032},
       {.15e-3, .15e-3, .04e-3},
       -266,
       266,
       4}};
  build(model, 6, rows, 9.81);
}

void rig_stanford(ArmModel *model) {
  static const Row rows[6] = {
      {'R', 0, 0, 0, 0, 60, .2, 3e-4, 9.29, {0, .1105, .0175}, {0}, -170, 170, 10},
      {'R', 90, 0, 90, .1529, 100, .2, 3e-4, 5.01, {0, 0, -.1054}, {0}, -170, 170, 10},
      {'T', 90, 0, 0, .6447, 400, .1, 2e-5, 4.25, {0, 0, -.6447}, {0}, -.45, .35, 10},
      {'R', 0, 0, 0, 0, 70, .07, 3e-5, 1.08, {.0092, .0054, 0}, {0}, -170, 170, 5},
      {'R', 90, 0, -90, 0, -70, .07, 3e-5, .63, {0, -.0566, 0}, {0}, -90, 90, 5},
      {'R', 90, 0, 0, 0, 70, .07, 3e-5, .51, {0, 0, .1554}, {0}, -170, 170, 5}};
  build(model, 6, rows, 9.8);
}

void rig_scara(ArmModel *model) {
  static const Row rows[4] = {
      {'R', 0, 0, 0, .877, 50, .2, 2e-4, 15, {.2, 0, -.05}, {.1, .3, .3}, -150, 150, 10},
      {'R', 0, .425, 0, 0, -50, .1, 1e-4, 8, {.15, 0, .05}, {.05, .12, .12}, -147, 147, 8},
      {'T', 180, .375, 0, 0, 314.159, .05, 1e-5, 1.5, {0}, {.01, .01, .001}, 0, .195, 4},
      {'R', 0, 0, 0, .2, 20, .05, 1e-5, .5, {.02, 0, 0}, {5e-4, 5e-4, 5e-4}, -270, 270, 3}};
  build(model, 4, rows, 9.81);
}

void rig_add_tool(ArmModel *model) {
  const ArmLink tool = {.is_present = true, .mass_kg = 0.45, .com_m = {0.006, 0.004, 0.16}};
  double both[10], added[10];
  arm_inertia_from_link(&model->joints[5].link, both);
  arm_inertia_from_link(&tool, added);
  for (size_t k = 0; k < 10; k++)
    both[k] += added[k];
  (void)!arm_inertia_to_link(both, &model->joints[5].link);
}

void rig_couple_wrist(ArmModel *model) {
  model->has_coupling = true;
  model->coupling[4][3] = 1 / 71.9;
  model->coupling[5][3] = 1 / 76.7;
  model->coupling[5][4] = 13.0 / 72;
}

void rig_pendulum(ArmModel *model, size_t n) {
  Row rows[ARM_MAX_JOINTS];
  for (size_t k = 0; k < n; k++)
    rows[k] = (Row){'R',
                    k == 0 ? -90 : 0,
                    k == 0 ? 0 : 0.5,
                    0,
                    0,
                    1,
                    1,
                    0,
                    1,
                    {0.25, 0, 0},
                    {0.001, 1.0 / 48, 1.0 / 48},
                    -1e4,
                    1e4,
                    1e3};
  build(model, n, rows, 9.81);
}

void rig_random(TestRng *rng, size_t n, ArmModel *model) {
  dyn_random_arm(rng, n, model);
  for (size_t i = 0; i < n; i++) {
    ArmJoint *joint = &model->joints[i];
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){.gear_ratio = test_rng_uniform(rng, 20, 100),
                                  .motor_sign = test_rng_below(rng, 2) ? 1 : -1,
                                  .torque_constant_Nm_A = test_rng_uniform(rng, 0.05, 0.3),
                                  .torque_constant_rel_sd = 0.2,
                                  .rotor_inertia_kg_m2 = test_rng_uniform(rng, 0, 3e-4)};
    joint->limits.current_max = 20;
  }
}

bool rig_puma_config(const ArmModel *model, uint64_t seed, ArmPlantConfig *config) {
  static const double table[6][4] = {
      /* A, A s/deg */
      {.71678, .00222, -.28355, .00332},   {.54814, .00677, -.98279, .00291},
      {-.45359, -.00573, .36250, -.00475}, {-.16843, -.00133, .22914, -.00121},
      {-.18605, -.00290, .27428, -.00195}, {-.16082, -.00181, .23237, -.00238}};
  const double home[6] = {0, -90 * deg, 90 * deg, 0, 0, 0};
  double parameters[60], rotor[36], mass[36];
  ArmDyn dyn;
  if (arm_plant_config_default(config, model, 0.3, seed) != ARM_OK)
    return false;
  if (arm_dyn_init(&dyn, model) != ARM_OK)
    return false;
  (void)arm_inertia_nominal(model, parameters);
  (void)arm_dyn_rotor(model, rotor);
  arm_dyn_mass(&dyn, parameters, home, mass);
  for (size_t i = 0; i < 6; i++) {
    ArmPlantJoint *joint = &config->joints[i];
    joint->servo_inertia = 0.3 * fabs(joint->eta) * (mass[7 * i] + rotor[7 * i]);
    joint->servo_rho = 0; /* stated */
    joint->coulomb_pos = table[i][0];
    joint->viscous_pos = table[i][1] / deg;
    joint->coulomb_neg = table[i][2];
    joint->viscous_neg = table[i][3] / deg;
    joint->stop_low = -(double)INFINITY;
    joint->stop_high = (double)INFINITY;
  }
  return true;
}

void rig_friction(ArmPlantConfig *config, double coulomb, double viscous) {
  for (size_t i = 0; i < config->model.n; i++) {
    ArmPlantJoint *joint = &config->joints[i];
    joint->coulomb_pos = joint->eta * coulomb;
    joint->coulomb_neg = -joint->eta * coulomb;
    joint->viscous_pos = joint->viscous_neg = joint->eta * viscous;
  }
}

/* ---- the closed-loop experiment ---- */

/* Beyond +-100 deg, which are recorded, the joint gets up to speed and its servo settles: with its
 * poles at 10/s (1 - 10 t) exp(-10 t) of the ramp's acceleration is left. 145 deg are 0.5 s for
 * that at 70 deg/s: 1.5 mA of joint 2 at this speed alone, which pass for 0.8 mA s/rad of friction.
 */
#define REACH (165 * deg)

typedef struct {
  ArmPlant *plant;
  const ArmPlantConfig *config;
  RigCurrent current;
  ArmDyn dyn;
  double parameters[10 * ARM_MAX_JOINTS], rotor[ARM_MAX_JOINTS * ARM_MAX_JOINTS];
  TruthRecording *rec;
} Rig;

static bool rig_init(Rig *rig, ArmPlant *plant, const ArmPlantConfig *config, RigCurrent current,
                     TruthRecording *rec) {
  *rig = (Rig){.plant = plant, .config = config, .current = current, .rec = rec};
  if (!plant || arm_dyn_init(&rig->dyn, &config->model) != ARM_OK)
    return false;
  (void)arm_inertia_nominal(&config->model, rig->parameters);
  (void)arm_dyn_rotor(&config->model, rig->rotor);
  return true;
}

/* From rest to rest over `span` at `speed` and 300 deg/s^2. */
static void trapezoid(double span, double speed, double t, double *q, double *qd) {
  const double a = 300 * deg, ramp = speed / a, duration = span / speed + ramp;
  const double end = duration - t;
  if (t < ramp) {
    *q = 0.5 * a * t * t;
    *qd = a * t;
  } else if (end > ramp) {
    *q = speed * (t - 0.5 * ramp);
    *qd = speed;
  } else {
    *q = span - 0.5 * a * end * fmax(end, 0);
    *qd = a * fmax(end, 0);
  }
}

/* Current of one motor that goes into accelerations, of joints: eta ((I+L)^-T M qdd). */
static double accelerating(const Rig *rig, size_t joint, const double *q, const double *qdd) {
  const ArmModel *model = &rig->config->model;
  const size_t n = model->n;
  double mass[ARM_MAX_JOINTS * ARM_MAX_JOINTS], force[ARM_MAX_JOINTS] = {0};
  arm_dyn_mass(&rig->dyn, rig->parameters, q, mass);
  for (size_t i = n; i-- > joint;) {
    for (size_t j = 0; j < n; j++)
      force[i] += (mass[i + n * j] + rig->rotor[i + n * j]) * qdd[j];
    for (size_t k = i + 1; model->has_coupling && k < n; k++)
      force[i] -= model->coupling[k][i] * force[k];
  }
  return rig->config->joints[joint].eta * force[joint];
}

/* One servo period. `still`: the current of `joint` that holds and rubs alone, its mean. */
static bool period(const Rig *rig, size_t joint, double *still) {
  const double h = rig->config->substep_s;
  const int steps = (int)lround(rig->config->servo_s / h);
  double q[ARM_MAX_JOINTS], middle[ARM_MAX_JOINTS], before[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS],
      current[ARM_MAX_JOINTS], sum = 0;
  arm_plant_truth(rig->plant, middle, before, current);
  for (int k = 0; k < steps; k++) {
    sum += 0.5 * current[joint];
    if (arm_plant_advance(rig->plant, h) != ARM_OK)
      return false;
    arm_plant_truth(rig->plant, q, qd, current);
    sum += 0.5 * current[joint];
  }
  for (size_t j = 0; j < rig->config->model.n; j++) {
    middle[j] = 0.5 * (middle[j] + q[j]);
    qd[j] = (qd[j] - before[j]) / rig->config->servo_s;
  }
  *still = sum / steps - accelerating(rig, joint, middle, qd);
  return true;
}

/* Speed and current of a reading are those of the servo period that it ends: the row has the
 * position in the middle of it. At its end gravity would pass for 4 mA s/rad of viscous friction.
 */
static bool stroke(const Rig *rig, size_t joint, const double *from, double span, double speed) {
  const double dt = rig->config->servo_s, ramp = speed / (300 * deg);
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS] = {0}, still = 0;
  ArmPlantReading seen, row;
  memcpy(q, from, sizeof q);
  arm_plant_read(rig->plant, &seen);
  for (double t = 0; t < fabs(span) / speed + ramp + 0.5; t += dt) {
    double along, speed_now;
    trapezoid(fabs(span), speed, t, &along, &speed_now);
    q[joint] = from[joint] + copysign(along, span);
    qd[joint] = copysign(speed_now, span);
    arm_plant_set_points(rig->plant, q, qd);
    const double before = seen.q[joint];
    if (rig->current == RIG_MEASURED ? arm_plant_advance(rig->plant, dt) != ARM_OK
                                     : !period(rig, joint, &still))
      return false;
    arm_plant_read(rig->plant, &seen);
    row = seen;
    row.q[joint] = 0.5 * (before + seen.q[joint]);
    if (fabs(row.q[joint] - (from[joint] + 0.5 * span)) <= 100 * deg)
      truth_recording_add(rig->rec, row.t_s, joint, row.q, row.qd[joint], 0,
                          rig->current == RIG_MEASURED ? row.current[joint] : still);
  }
  return true;
}

/* Moves `joint` at 30(10)70 deg/s back and forth about its place in `hold`, records what the
 * controller sees within +-100 deg at every servo sample. false: a status was not ARM_OK. */
static bool sweep(const Rig *rig, size_t joint, const double *hold) {
  double q[ARM_MAX_JOINTS] = {0};
  memcpy(q, hold, rig->config->model.n * sizeof *hold);
  q[joint] = hold[joint] - REACH;
  arm_plant_place(rig->plant, q);
  if (arm_plant_advance(rig->plant, 0.5) != ARM_OK)
    return false;
  for (int speed = 30; speed <= 70; speed += 10) {
    if (!stroke(rig, joint, q, 2 * REACH, speed * deg))
      return false;
    q[joint] += 2 * REACH;
    if (!stroke(rig, joint, q, -2 * REACH, speed * deg))
      return false;
    q[joint] -= 2 * REACH;
  }
  return true;
}

/* The room that was not needed, out from between the columns. */
static void compact(TruthRecording *rec) {
  double *columns[] = {rec->q, rec->qd, rec->qdd, rec->current};
  const size_t rows = rec->data.rows;
  for (size_t c = 0; c < 4; c++)
    for (size_t k = 1; k < rec->data.n; k++)
      memmove(columns[c] + k * rows, columns[c] + k * rec->room, rows * sizeof(double));
  rec->room = rows;
}

bool rig_experiment(const ArmPlantConfig *config, RigCurrent current, TruthRecording *rec,
                    double *plant_s) {
  static const struct {
    size_t joint;
    double hold[6]; /* deg */
  } holds[] = {{0, {0, -90, 90, 0, 0, 0}},  {0, {0, -90, 90, 0, 0, 0}}, {1, {0, -90, 90, 0, 0, 0}},
               {1, {0, -90, 150, 0, 0, 0}}, {2, {0, -90, 90, 0, 0, 0}}, {2, {0, -90, 90, 0, 90, 0}},
               {3, {0, -90, 0, 0, 0, 0}},   {3, {0, -90, 0, 0, 90, 0}}, {4, {0, -90, 0, 0, 0, 0}},
               {4, {0, -90, 0, 0, 0, 90}},  {5, {0, -90, 0, 0, 0, 0}}};
  ArmStatus status;
  ArmPlantReading seen;
  Rig rig;
  ArmPlant *plant = arm_plant_new(config, &status);
  bool is_good = rig_init(&rig, plant, config, current, rec);
  if (!plant)
    return false;
  arm_plant_switch(plant, true);
  for (size_t k = 0; is_good && k < sizeof holds / sizeof *holds; k++) {
    double q[6];
    for (size_t i = 0; i < 6; i++)
      q[i] = holds[k].hold[i] * deg;
    is_good = sweep(&rig, holds[k].joint, q);
  }
  arm_plant_read(plant, &seen);
  *plant_s = seen.t_s;
  arm_plant_free(plant);
  compact(rec);
  return is_good;
}
