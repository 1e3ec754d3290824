/* SPDX-License-Identifier: MIT */
#include "support/faulty.h"

#include <math.h>
#include <string.h>

#define RATE_HZ  25.0
#define PAUSE_S  1.5
#define DURATION 800.0 /* s, about that of the whole recording: scale of drift */
#define BRIEF    8     /* rows */
#define N        FAULTY_JOINTS
static const double degree = 3.14159265358979323846 / 180;

/* antipodal holds of the other joints, and more of them that differ [deg] */
static const double puma_holds[N][FAULTY_HOLDS][N] = {
    {{0, -90, 0, 0, 0, 0}, {0, -60, 30, 0, 40, 0}, {0, -30, 0, 0, 90, 0}, {0, 0, 90, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 0}, {40, 0, 180, 0, 0, 0}, {0, 0, 90, 0, 90, 0}, {0, 0, -45, 90, 90, 0}},
    {{0, -90, 0, -10, 90, 0},
     {0, -90, 0, 170, 90, 0},
     {0, -45, 0, 80, 90, 0},
     {0, -45, 0, 0, 0, 0}},
    {{0, -90, 0, 0, 90, 39},
     {0, -90, 0, 0, -90, 39},
     {0, -60, 0, 0, 90, 200},
     {0, -60, 0, 0, -60, 0}},
    {{0, -90, 0, 0, 0, 39},
     {0, -90, 0, 0, 0, 219},
     {0, -90, 0, 45, 0, 120},
     {0, -70, 0, 0, 0, 300}},
    {{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 70, 0}, {0, -90, 0, 60, 90, 0}, {0, -60, 0, 0, -70, 0}},
};
static const double puma_range[N][2] = {{-120, 120}, {-180, 10}, {-45, 150},
                                        {-110, 110}, {-95, 95},  {-150, 150}};
static const double ur_holds[N][FAULTY_HOLDS][N] = {
    {{0, -90, 0, 0, 0, 0}, {0, -60, 30, 0, 40, 0}, {0, -30, 0, 0, 90, 0}, {0, 0, 90, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 0}, {40, 0, 150, 0, 0, 0}, {0, 0, 90, 0, 90, 0}, {0, 0, -80, 90, 90, 0}},
    {{0, -90, 0, 0, 90, 0},
     {0, -90, 0, 180, 90, 0},
     {0, -45, 0, 80, 90, 0},
     {0, -45, 0, -90, 0, 0}},
    {{0, -90, 0, 0, 90, 0}, {0, -90, 0, 0, -90, 0}, {0, -60, 40, 0, 0, 60}, {0, -60, 0, 0, 180, 0}},
    {{0, -90, 0, 0, 0, 0}, {0, -90, 0, 0, 0, 180}, {0, -90, 0, 60, 0, 90}, {0, -45, 0, 20, 0, 270}},
    {{0, -90, 0, 0, 90, 0}, {0, -90, 0, 90, 60, 0}, {0, -90, 0, 60, -90, 0}, {0, -45, 0, 0, 45, 0}},
};
static const double ur_range[N][2] = {{-120, 120}, {-170, -10}, {-140, 140},
                                      {-150, 150}, {-150, 150}, {-150, 150}};

typedef struct {
  const Faulty *faulty;
  Truth truth, loaded; /* loaded: with the payload */
  ArmModel model;
  const double (*range)[2];
  const double (*holds)[FAULTY_HOLDS][N];
  TestRng rng;
  TruthRecording *rec; /* NULL: count only */
  double t;
  size_t rows, strokes; /* of the recording; of the joint */
  bool is_afterwards;   /* between the holds of the fit, at another speed */
} Study;

void faulty_default(Faulty *faulty) {
  memset(faulty, 0, sizeof *faulty);
  faulty->holds = FAULTY_HOLDS;
  faulty->speeds = 3;
  faulty->sides = 2;
  faulty->white = 0.005;
  arm_validation_limits_default(&faulty->limits);
}

const char *faulty_kind_name(FaultyKind kind) {
  static const char *const names[FAULTY_KINDS] = {
      "white",     "Stribeck 5 %", "encoder 0.05 deg", "drift 3 %",
      "AR(1) 0.9", "AR(1) 0.98",   "servo ripple",     "friction scatter 2 %",
  };
  return names[kind];
}

void faulty_sound(FaultyKind kind, Faulty *f) {
  faulty_default(f);
  f->stribeck = kind == FAULTY_STRIBECK ? 0.05 : 0;
  f->encoder = kind == FAULTY_ENCODER ? 0.05 * degree : 0;
  f->drift = kind == FAULTY_DRIFT ? 0.03 : 0;
  f->ar = kind == FAULTY_AR_90 ? 0.9 : kind == FAULTY_AR_98 ? 0.98 : 0;
  f->is_servo = kind == FAULTY_SERVO;
  f->scatter = kind == FAULTY_SCATTER ? 0.02 : 0;
}

static void tilt_gravity(const double tilt[2], double g[3]) {
  const double y = cos(tilt[0]) * g[1] - sin(tilt[0]) * g[2],
               z = sin(tilt[0]) * g[1] + cos(tilt[0]) * g[2];
  const double x = g[0];
  g[0] = cos(tilt[1]) * x + sin(tilt[1]) * z;
  g[1] = y;
  g[2] = -sin(tilt[1]) * x + cos(tilt[1]) * z;
}

/* 6R, joints 2, 3, 4 parallel, a heavy wrist; currents and friction of its size */
static void ur_truth(Truth *truth) {
  static const double beta[N] = {0, 90, 0, 0, 90, -90}, b[N] = {0, 0, -.6127, -.5716, 0, 0},
                      d[N] = {.1807, 0, 0, .1742, .1199, .1166};
  static const double mass[N] = {7.8, 12.9, 3.9, 2.0, 2.0, 1.2};
  static const double com[N][3] = {{.02, 0, -.03},  {-.31, 0, .16}, {-.28, .01, .05},
                                   {.01, .05, .02}, {0, .08, .01},  {.03, .01, .05}};
  static const double eta[N] = {.09, .09, .1, .15, .15, .15};
  static const double friction[N][4] = {{1.2, .8, -1.1, .8}, {1.4, .7, -1.3, .8},
                                        {.7, .5, -.7, .45},  {.35, .2, -.3, .2},
                                        {.3, .2, -.35, .2},  {.3, .15, -.3, .2}};
  memset(truth, 0, sizeof *truth);
  truth->n = N;
  for (size_t i = 0; i < N; i++) {
    truth->beta[i] = beta[i] * degree;
    truth->b[i] = b[i];
    truth->d[i] = d[i];
    truth->mass[i] = mass[i];
    truth->eta[i] = eta[i];
    memcpy(truth->com[i], com[i], sizeof com[i]);
    memcpy(truth->friction[i], friction[i], sizeof friction[i]);
  }
  truth->gravity[2] = -9.81;
}

/* a point mass at the last link */
static void add_mass(double mass, const double at[3], Truth *truth) {
  const size_t last = truth->n - 1;
  const double all = truth->mass[last] + mass;
  for (size_t k = 0; k < 3; k++)
    truth->com[last][k] = (truth->mass[last] * truth->com[last][k] + mass * at[k]) / all;
  truth->mass[last] = all;
}

/* at the tool, 0.1 m beyond the last joint and off its axis */
static void add_payload(double mass, Truth *truth) {
  const double at[3] = {0.03, 0.02, 0.1};
  add_mass(mass, at, truth);
}

/* Table I's arm with the masses of Armstrong, Khatib and Burdick, gears and motors as measured, and
 * a tool: masses and centres [kg, m] from the theory notes, gravity and friction, section 9 */
static void give_tool(Truth *truth) {
  static const double mass[N] = {13, 17.4, 4.8, .82, .34, .09};
  static const double com[N][3] = {{0, 0, 0},     {.068, .006, -.016}, {0, -.070, .014},
                                   {0, 0, -.019}, {0, 0, 0},           {0, 0, .032}};
  static const double gear[N] = {62.6111, 107.815, -53.7063, -76.0364, -71.923, -76.686};
  static const double torque_constant[N] = {.223, .226, .240, .069, .072, .066};
  static const double tool[3] = {.005, .0033, .133};
  for (size_t i = 0; i < N; i++) {
    truth->mass[i] = mass[i];
    truth->eta[i] = 1 / (gear[i] * torque_constant[i]);
    memcpy(truth->com[i], com[i], sizeof com[i]);
  }
  add_mass(.54, tool, truth);
}

/* the model's data sheet ratios: motors such that nominal eta is 5 to 10 % off */
static void make_model(Study *study) {
  static const double off[N] = {1.05, .93, 1.08, .95, 1.1, .94};
  truth_model(&study->truth, &study->model);
  for (size_t i = 0; i < N; i++) {
    ArmJoint *joint = &study->model.joints[i];
    const double eta = study->truth.eta[i] * off[i], flip = study->faulty->flipped[i];
    if (flip < 0)
      arm_joint_set_mdh(joint, joint->type, -study->truth.beta[i], study->truth.b[i],
                        study->truth.theta[i], study->truth.d[i]);
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){.gear_ratio = 100,
                                  .motor_sign = eta > 0 ? 1 : -1,
                                  .torque_constant_Nm_A = 0.01 / fabs(eta),
                                  .torque_constant_rel_sd = 0.1,
                                  .rotor_inertia_kg_m2 = NAN};
  }
}

static bool study_init(FaultyArm arm, const Faulty *faulty, Study *study) {
  memset(study, 0, sizeof *study);
  study->faulty = faulty;
  if (arm != FAULTY_UR) {
    Golden *golden = golden_load("puma560_table1_noisy");
    if (!golden)
      return false;
    truth_puma(golden, &study->truth);
    golden_free(golden);
    if (arm == FAULTY_TOOL)
      give_tool(&study->truth);
  } else {
    ur_truth(&study->truth);
  }
  study->range = arm == FAULTY_UR ? ur_range : puma_range;
  study->holds = arm == FAULTY_UR ? ur_holds : puma_holds;
  make_model(study);
  tilt_gravity(faulty->tilt, study->truth.gravity);
  study->loaded = study->truth;
  add_payload(faulty->payload, &study->loaded);
  return true;
}

/* AR(1) or differenced noise with the sd of one stroke; `state` is that of the sample before */
static double noise_of(Study *study, size_t k, double phase, double state[2]) {
  const Faulty *f = study->faulty;
  const double fresh = f->white * test_rng_normal(&study->rng);
  state[0] = k == 0 ? fresh : f->ar * state[0] + sqrt(1 - f->ar * f->ar) * fresh;
  if (!f->is_servo)
    return state[0];
  const double difference = (fresh - state[1]) / sqrt(2);
  state[1] = fresh;
  return difference +
         f->white * sin(phase + 2 * 3.14159265 * (3 + 6 * phase / 6.3) * (double)k / RATE_HZ);
}

static double friction_of(const Study *study, size_t joint, double v, double scatter) {
  const Faulty *f = study->faulty;
  const double *l = study->truth.friction[joint] + (v > 0 ? 0 : 2);
  const double curve = 1 + f->stribeck * exp(-fabs(v) / (20 * degree));
  return (l[0] * curve + l[1] * v) * (1 + scatter) * (1 - f->drift * study->t / DURATION);
}

static double current_of(const Study *study, const double *q, size_t joint, size_t hold, double v,
                         double scatter) {
  const Faulty *f = study->faulty;
  const Truth *truth = f->payload > 0 && hold == f->payload_hold ? &study->loaded : &study->truth;
  const double gravity = truth_gravity_current(truth, q, joint);
  double i = gravity + friction_of(study, joint, v, scatter);
  i += copysign(f->load_friction * fabs(gravity), v * truth->eta[joint]);
  if (f->ripple > 0 && f->ripple_joint == joint)
    i += f->ripple * cos((double)f->ripple_order * q[joint] + f->ripple_phase);
  if (f->spring_joint == joint) {
    const double *range = study->range[joint];
    const double edge = (0.3 * range[0] + 0.7 * range[1]) * degree;
    i += f->spring * q[joint] + f->bumper * fmax(0, q[joint] - edge);
  }
  if (f->lean != 0 && f->lean_joint == joint && f->lean_stroke == study->strokes)
    i += f->lean * truth->eta[joint];
  return i + f->oscillation * sin(2 * 3.14159265 * 1.7 * study->t);
}

/* as the recording has it: quantised, by the wrong gear, from the wrong zero, under another name */
static void record(Study *study, size_t joint, const double *q, double v, double i) {
  const Faulty *f = study->faulty;
  double as_recorded[N];
  size_t place[N] = {0, 1, 2, 3, 4, 5};
  place[f->swapped[0]] = f->swapped[1];
  place[f->swapped[1]] = f->swapped[0];
  for (size_t j = 0; j < N; j++) {
    const double seen = f->encoder > 0 ? f->encoder * round(q[j] / f->encoder) : q[j];
    as_recorded[place[j]] = seen * (f->gear[j] > 0 ? f->gear[j] : 1) + f->zero[j];
  }
  const double speed = v * (f->gear[joint] > 0 ? f->gear[joint] : 1);
  const double current = f->negated[joint] < 0 ? -i : i;
  truth_recording_add(study->rec, study->t, place[joint], as_recorded,
                      f->speed_unit != 0 ? f->speed_unit * speed : speed, 0,
                      f->is_unsigned ? fabs(current) : current);
}

static void sweep(Study *study, size_t joint, size_t hold, double v) {
  const double low = study->range[joint][0] * degree, high = study->range[joint][1] * degree;
  const size_t rows = (size_t)((high - low) / fabs(v) * RATE_HZ);
  const size_t unsettled = (size_t)(study->faulty->settle * RATE_HZ);
  const bool is_brief = study->faulty->brief > 0 && hold >= study->faulty->brief;
  const size_t end = is_brief ? unsettled + BRIEF : rows;
  const double scatter = study->faulty->scatter * test_rng_normal(&study->rng);
  const double phase = test_rng_uniform(&study->rng, 0, 6.28);
  double q[N], past[N], state[2] = {0};
  study->rows += end - unsettled;
  for (size_t j = 0; j < N; j++) {
    const double at = study->holds[joint][hold][j];
    const double other = study->holds[joint][(hold + 2) % FAULTY_HOLDS][j];
    past[j] = q[j] = (study->is_afterwards ? 0.6 * at + 0.4 * other : at) * degree;
  }
  for (size_t k = 0; k < rows && study->rec; k++, study->t += 1 / RATE_HZ) {
    q[joint] = (v > 0 ? low : high) + v * (double)k / RATE_HZ;
    past[joint] = q[joint] - v * study->faulty->delay;
    const double i = current_of(study, past, joint, hold, v, scatter);
    const double noise = noise_of(study, k, phase, state);
    if (k >= unsettled && k < end)
      record(study, joint, q, v, i + noise);
  }
  study->t += PAUSE_S;
  study->strokes++;
}

static void sweep_all(Study *study) {
  static const double fitted[3] = {30, 50, 70}, unseen[3] = {45, 45, 45};
  const double *speeds = study->is_afterwards ? unseen : fitted;
  const Faulty *f = study->faulty;
  study->rows = 0;
  study->t = study->is_afterwards ? DURATION : 0;
  for (size_t joint = 0; joint < N; joint++) {
    study->strokes = 0;
    for (size_t hold = 0; hold < f->holds; hold++)
      for (size_t s = 0; s < f->speeds; s++)
        for (size_t side = 0; side < f->sides; side++)
          if ((f->only == 0 || f->only == joint + 1) && !(side == 1 && f->one_way == hold + 1))
            sweep(study, joint, hold, (side ? -1 : 1) * speeds[s] * degree);
  }
}

static bool record_all(Study *study, uint64_t seed, TruthRecording *rec) {
  study->rec = NULL;
  test_rng_init(&study->rng, seed);
  sweep_all(study);
  if (!truth_recording_init(rec, N, study->rows, false))
    return false;
  study->rec = rec;
  test_rng_init(&study->rng, seed);
  sweep_all(study);
  return true;
}

bool faulty_record(FaultyArm arm, const Faulty *faulty, uint64_t seed, TruthRecording *rec) {
  static Study study;
  return study_init(arm, faulty, &study) && record_all(&study, seed, rec);
}

static bool fit_study(Study *study, uint64_t seed, ArmGravityFit *fit, ArmDiagnosis *diagnosis) {
  TruthRecording rec;
  ArmFitOptions options;
  if (!record_all(study, seed, &rec))
    return false;
  arm_fit_options_default(&options);
  options.diagnosis = diagnosis;
  memcpy(options.offers_term, study->faulty->offers_term, sizeof options.offers_term);
  const ArmStatus status = arm_gravity_fit(&study->model, &rec.data, &options, fit);
  truth_recording_clear(&rec);
  return status == ARM_OK;
}

bool faulty_truth(FaultyArm arm, const Faulty *faulty, Truth *truth, ArmModel *model) {
  static Study study;
  if (!study_init(arm, faulty, &study))
    return false;
  *truth = study.truth;
  *model = study.model;
  return true;
}

bool faulty_fit(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit) {
  static Study study;
  return study_init(arm, faulty, &study) && fit_study(&study, seed, fit, NULL);
}

bool faulty_diagnose(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit,
                     ArmDiagnosis *diagnosis) {
  static Study study;
  return study_init(arm, faulty, &study) && fit_study(&study, seed, fit, diagnosis);
}

bool faulty_fit_twice(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit,
                      ArmGravityFit *equal) {
  static Study study;
  TruthRecording rec;
  ArmFitOptions options;
  if (!study_init(arm, faulty, &study) || !record_all(&study, seed, &rec))
    return false;
  arm_fit_options_default(&options);
  ArmStatus status = arm_gravity_fit(&study.model, &rec.data, &options, fit);
  options.has_equal_weights = true;
  if (status == ARM_OK) {
    status = arm_gravity_fit(&study.model, &rec.data, &options, equal);
    if (status != ARM_OK)
      arm_gravity_fit_clear(fit);
  }
  truth_recording_clear(&rec);
  return status == ARM_OK;
}

bool faulty_validate(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit,
                     ArmValidation *validation) {
  static Study study;
  Faulty afterwards = *faulty;
  TruthRecording rec;
  ArmRowOptions rows;
  if (!study_init(arm, faulty, &study) || !fit_study(&study, seed, fit, NULL))
    return false;
  afterwards.holds = 2;
  afterwards.speeds = 1;
  afterwards.payload = afterwards.lean = 0;
  study.faulty = &afterwards;
  study.loaded = study.truth;
  study.is_afterwards = true;
  if (!record_all(&study, seed + 1000003, &rec))
    return false;
  arm_row_options_default(&rows);
  const ArmStatus status =
      arm_validate(&study.model, fit, &rec.data, &rows, &faulty->limits, validation);
  truth_recording_clear(&rec);
  return status == ARM_OK;
}
