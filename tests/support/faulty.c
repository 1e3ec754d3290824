/* SPDX-License-Identifier: MIT */
#include "support/faulty.h"

#include <math.h>
#include <string.h>

#include "support/faulty_arms.h"

#define RATE_HZ  25.0
#define PAUSE_S  1.5
#define DURATION 800.0 /* s, about that of the whole recording: scale of drift */
#define BRIEF    8     /* rows */
#define N        FAULTY_JOINTS
#define RISE_R   0.6  /* rad/s^2, at both ends of a stroke that accelerates */
#define WAVE_T   0.06 /* m of a T joint to a rad of its ripple */
#define RISE_T   0.1  /* m/s^2 */
static const double degree = 3.14159265358979323846 / 180;

typedef struct {
  const Faulty *faulty;
  FaultyRig rig;
  Truth loaded; /* with the payload */
  ArmModel model;
  TestRng rng, strokes_rng; /* of noise; of what is recorded of strokes */
  TruthRecording *rec;      /* NULL: count only */
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

/* the model's data sheet ratios: motors such that nominal eta is 5 to 10 % off */
static void make_model(Study *study) {
  static const double off[N] = {1.05, .93, 1.08, .95, 1.1, .94};
  truth_model(&study->rig.truth, &study->model);
  for (size_t i = 0; i < study->rig.truth.n; i++) {
    ArmJoint *joint = &study->model.joints[i];
    const double eta = study->rig.truth.eta[i] * off[i], flip = study->faulty->flipped[i];
    if (flip < 0)
      arm_joint_set_mdh(joint, joint->type, -study->rig.truth.beta[i], study->rig.truth.b[i],
                        study->rig.truth.theta[i], study->rig.truth.d[i]);
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){.gear_ratio = 100,
                                  .motor_sign = eta > 0 ? 1 : -1,
                                  .torque_constant_Nm_A = 0.01 / fabs(eta),
                                  .torque_constant_rel_sd = study->rig.rel_sd,
                                  .rotor_inertia_kg_m2 = NAN};
  }
}

/* at the tool, 0.1 m beyond the last joint and off its axis */
static void add_payload(double mass, Truth *truth) {
  const double at[3] = {0.03, 0.02, 0.1};
  faulty_add_mass(mass, at, truth);
}

static bool study_init(FaultyArm arm, const Faulty *faulty, Study *study) {
  static const double inertia[N] = {.5, .6, .4, .1, .1, .1};
  memset(study, 0, sizeof *study);
  study->faulty = faulty;
  if (!faulty_rig(arm, &study->rig))
    return false;
  if (faulty->has_acceleration)
    memcpy(study->rig.truth.inertia, inertia, sizeof inertia);
  make_model(study);
  tilt_gravity(faulty->tilt, study->rig.truth.gravity);
  study->loaded = study->rig.truth;
  add_payload(faulty->payload, &study->loaded);
  return true;
}

/* what a deg of an R joint is in rad; T joints have m */
static double unit_of(const Study *study, size_t joint) {
  return study->rig.truth.slides[joint] ? 1 : degree;
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
  const double *l = study->rig.truth.friction[joint] + (v > 0 ? 0 : 2);
  const double curve = 1 + f->stribeck * exp(-fabs(v) / (20 * degree));
  return (l[0] * curve + l[1] * v) * (1 + scatter) * (1 - f->drift * study->t / DURATION);
}

static double current_of(const Study *study, const double *q, size_t joint, size_t hold, double v,
                         double qdd, double scatter) {
  const Faulty *f = study->faulty;
  const Truth *truth =
      f->payload > 0 && hold == f->payload_hold ? &study->loaded : &study->rig.truth;
  const double gravity = truth_gravity_current(truth, q, joint);
  double i = gravity + friction_of(study, joint, v, scatter) + truth->inertia[joint] * qdd;
  i += copysign(f->load_friction * fabs(gravity), v * truth->eta[joint]);
  const double turns = truth->slides[joint] ? q[joint] / WAVE_T : q[joint];
  if (f->ripple > 0 && f->ripple_joint == joint)
    i += f->ripple * cos((double)f->ripple_order * turns + f->ripple_phase);
  if (f->spring_joint == joint) {
    const double *range = study->rig.range[joint];
    const double edge = (0.3 * range[0] + 0.7 * range[1]) * unit_of(study, joint);
    i += f->spring * q[joint] + f->bumper * fmax(0, q[joint] - edge);
  }
  if (f->lean != 0 && f->lean_joint == joint && f->lean_stroke == study->strokes)
    i += f->lean * truth->eta[joint];
  if (f->gain != 0 && f->gain_joint == joint && study->strokes >= f->holds * f->speeds)
    i *= f->gain;
  return i + f->oscillation * sin(2 * 3.14159265 * 1.7 * study->t);
}

/* as the recording has it: quantised, by the wrong gear, from the wrong zero, under another name */
static void record(Study *study, size_t joint, const double *q, double v, double qdd, double i) {
  const Faulty *f = study->faulty;
  double as_recorded[N];
  size_t place[N] = {0, 1, 2, 3, 4, 5};
  place[f->swapped[0]] = f->swapped[1];
  place[f->swapped[1]] = f->swapped[0];
  for (size_t j = 0; j < study->rig.truth.n; j++) {
    const double seen = f->encoder > 0 ? f->encoder * round(q[j] / f->encoder) : q[j];
    as_recorded[place[j]] = seen * (f->gear[j] > 0 ? f->gear[j] : 1) + f->zero[j];
  }
  const double gear = f->gear[joint] > 0 ? f->gear[joint] : 1;
  const double current = f->negated[joint] < 0 ? -i : i;
  truth_recording_add(study->rec, study->t, place[joint], as_recorded,
                      f->speed_unit != 0 ? f->speed_unit * v * gear : v * gear, qdd * gear,
                      f->is_unsigned ? fabs(current) : current);
}

/* One pass of a joint; positions in rad or m, of time since its start. */
typedef struct {
  double from, way, v; /* way: to be gone; v: signed */
  double rise;         /* rad/s^2, m/s^2; 0: v throughout */
  bool is_missing;     /* in the recording */
} Stroke;

static Stroke make_stroke(Study *study, size_t joint, double v) {
  const Faulty *f = study->faulty;
  const double unit = unit_of(study, joint), *range = study->rig.range[joint];
  const double all = range[1] * unit - range[0] * unit;
  double left[2]; /* out at both ends */
  Stroke stroke = {.v = v};
  if (f->jogged > 0)
    stroke.v *= 1 + test_rng_uniform(&study->strokes_rng, -f->jogged, f->jogged);
  stroke.is_missing = test_rng_uniform(&study->strokes_rng, 0, 1) < f->missing;
  for (int end = 0; end < 2; end++)
    left[end] = f->uneven * all * test_rng_uniform(&study->strokes_rng, 0, 1);
  stroke.way = all - left[0] - left[1];
  stroke.from = v > 0 ? range[0] * unit + left[0] : range[1] * unit - left[1];
  if (f->has_acceleration)
    stroke.rise = study->rig.truth.slides[joint] ? RISE_T : RISE_R;
  return stroke;
}

static size_t rows_of(const Stroke *s) {
  const double v = fabs(s->v), more = s->rise > 0 ? v / s->rise : 0;
  return (size_t)((s->way / v + more) * RATE_HZ);
}

/* position, speed and acceleration after t seconds */
static void move(const Stroke *s, double t, double *q, double *v, double *qdd) {
  const double speed = fabs(s->v), ramp = s->rise > 0 ? speed / s->rise : 0;
  const double end = s->way / speed + ramp, left = end - t;
  double gone = speed * t;
  *v = s->v;
  *qdd = 0;
  if (t < ramp || left < ramp) {
    const double since = t < ramp ? t : left, part = since / ramp;
    gone = t < ramp ? 0.5 * s->rise * t * t : s->way - 0.5 * s->rise * left * left;
    *v = s->v * part;
    *qdd = copysign(s->rise, t < ramp ? s->v : -s->v);
  } else if (s->rise > 0) {
    gone -= 0.5 * speed * ramp;
  }
  *q = s->from + copysign(gone, s->v);
}

static void take_hold(const Study *study, size_t joint, size_t hold, double *q) {
  for (size_t j = 0; j < study->rig.truth.n; j++) {
    const double at = study->rig.holds[joint][hold][j];
    const double other = study->rig.holds[joint][(hold + 2) % FAULTY_HOLDS][j];
    q[j] = (study->is_afterwards ? 0.6 * at + 0.4 * other : at) * unit_of(study, j);
  }
}

static void sweep(Study *study, size_t joint, size_t hold, double speed) {
  const Stroke stroke = make_stroke(study, joint, speed);
  const size_t rows = rows_of(&stroke);
  const size_t unsettled = (size_t)(study->faulty->settle * RATE_HZ);
  const bool is_brief = study->faulty->brief > 0 && hold >= study->faulty->brief;
  const size_t end = stroke.is_missing ? unsettled : is_brief ? unsettled + BRIEF : rows;
  const double scatter = study->faulty->scatter * test_rng_normal(&study->rng);
  const double phase = test_rng_uniform(&study->rng, 0, 6.28);
  double q[N], past[N], v, qdd, state[2] = {0};
  study->rows += end - unsettled;
  take_hold(study, joint, hold, q);
  memcpy(past, q, sizeof past);
  for (size_t k = 0; k < rows && study->rec; k++, study->t += 1 / RATE_HZ) {
    move(&stroke, (double)k / RATE_HZ, &q[joint], &v, &qdd);
    past[joint] = q[joint] - v * study->faulty->delay;
    const double i = current_of(study, past, joint, hold, v, qdd, scatter);
    const double noise = noise_of(study, k, phase, state);
    if (k >= unsettled && k < end)
      record(study, joint, q, v, qdd, i + noise);
  }
  study->t += PAUSE_S;
  study->strokes++;
}

/* all speeds, forth and back */
static void sweep_hold(Study *study, size_t joint, size_t hold) {
  static const double fitted[2][3] = {{30, 50, 70}, {.06, .1, .14}}, unseen[2] = {45, .09};
  const Faulty *f = study->faulty;
  const bool slides = study->rig.truth.slides[joint];
  for (size_t s = 0; s < f->speeds; s++)
    for (size_t side = 0; side < f->sides; side++) {
      const double speed = study->is_afterwards ? unseen[slides] : fitted[slides][s];
      if (side == 0 || f->one_way != hold + 1)
        sweep(study, joint, hold, (side ? -1 : 1) * speed * unit_of(study, joint));
    }
}

static void sweep_all(Study *study) {
  const Faulty *f = study->faulty;
  study->rows = 0;
  study->t = study->is_afterwards ? DURATION : 0;
  for (size_t joint = 0; joint < study->rig.truth.n; joint++) {
    study->strokes = 0;
    for (size_t hold = 0; hold < f->holds; hold++)
      for (size_t k = 0; k < (f->repeats > 0 ? f->repeats : 1); k++)
        if (f->only == 0 || f->only == joint + 1)
          sweep_hold(study, joint, hold);
  }
}

static bool record_all(Study *study, uint64_t seed, TruthRecording *rec) {
  for (int pass = 0; pass < 2; pass++) { /* counts, then records */
    study->rec = pass ? rec : NULL;
    test_rng_init(&study->rng, seed);
    test_rng_init(&study->strokes_rng, ~seed);
    if (pass && !truth_recording_init(rec, study->rig.truth.n, study->rows,
                                      study->faulty->has_acceleration))
      return false;
    sweep_all(study);
  }
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
  options.rows.wants_acceleration = study->faulty->has_acceleration;
  memcpy(options.offers_term, study->faulty->offers_term, sizeof options.offers_term);
  const ArmStatus status = arm_gravity_fit(&study->model, &rec.data, &options, fit);
  truth_recording_clear(&rec);
  return status == ARM_OK;
}

bool faulty_truth(FaultyArm arm, const Faulty *faulty, Truth *truth, ArmModel *model) {
  static Study study;
  if (!study_init(arm, faulty, &study))
    return false;
  *truth = study.rig.truth;
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
  study.loaded = study.rig.truth;
  study.is_afterwards = true;
  if (!record_all(&study, seed + 1000003, &rec))
    return false;
  arm_row_options_default(&rows);
  rows.wants_acceleration = faulty->has_acceleration;
  const ArmStatus status =
      arm_validate(&study.model, fit, &rec.data, &rows, &faulty->limits, validation);
  truth_recording_clear(&rec);
  return status == ARM_OK;
}

size_t faulty_count(const ArmValidation *validation, ArmValidationKind kind) {
  size_t count = 0;
  for (size_t i = 0; i < validation->n; i++)
    count += validation->joint[i].kind == kind;
  return count;
}
