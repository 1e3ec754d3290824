/* SPDX-License-Identifier: MIT */
#include "support/truth.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

void truth_options_default(TruthOptions *options) {
  *options = (TruthOptions){.n_min = 2, .n_max = 6, .slide_share = 0.3, .odd_angle_share = 0.25};
}

/* An odd angle stays 1 deg away from parallel and perpendicular: within 0.06 deg axes count as
 * parallel, which costs up to 1e-3 of a current and is a rule of its own. */
static double random_angle(TestRng *rng, double odd_share) {
  static const double usual[] = {0, 0, 90, -90, 90, -90, 180, 45, -45};
  if (test_rng_uniform(rng, 0, 1) < odd_share) {
    const double quarter = pi / 2, margin = pi / 180;
    return quarter * ((double)test_rng_below(rng, 4) - 2) +
           test_rng_uniform(rng, margin, quarter - margin);
  }
  return usual[test_rng_below(rng, sizeof usual / sizeof usual[0])] * pi / 180.0;
}

static void random_gravity(TestRng *rng, double g[3]) {
  const double tilt = test_rng_uniform(rng, 0.1, 1.4), turn = test_rng_uniform(rng, -pi, pi);
  memset(g, 0, 3 * sizeof *g);
  switch (test_rng_below(rng, 4)) {
  case 0:
  case 1:
    g[2] = -9.81;
    break;
  case 2:
    g[0] = 9.81;
    break;
  default:
    g[0] = 9.81 * sin(tilt) * cos(turn);
    g[1] = 9.81 * sin(tilt) * sin(turn);
    g[2] = -9.81 * cos(tilt);
  }
}

static void random_link(TestRng *rng, Truth *truth, size_t i) {
  const double sign = test_rng_next(rng) & 1 ? 1 : -1;
  truth->mass[i] = test_rng_uniform(rng, 0.5, 8);
  for (size_t k = 0; k < 3; k++)
    truth->com[i][k] = test_rng_uniform(rng, -0.3, 0.3);
  truth->eta[i] = sign * exp(test_rng_uniform(rng, log(0.05), log(1)));
  for (size_t f = 0; f < 4; f++)
    truth->friction[i][f] = test_rng_uniform(rng, 0.05, 1) * (f == 2 ? -sign : sign);
}

void truth_random(TestRng *rng, const TruthOptions *options, Truth *truth) {
  memset(truth, 0, sizeof *truth);
  truth->n = options->n_min + test_rng_below(rng, options->n_max - options->n_min + 1);
  random_gravity(rng, truth->gravity);
  for (size_t i = 0; i < truth->n; i++) {
    truth->slides[i] = test_rng_uniform(rng, 0, 1) < options->slide_share;
    truth->beta[i] = random_angle(rng, options->odd_angle_share);
    truth->b[i] = test_rng_next(rng) & 1 ? test_rng_uniform(rng, -0.5, 0.5) : 0;
    truth->theta[i] = random_angle(rng, options->odd_angle_share);
    truth->d[i] = test_rng_uniform(rng, -0.6, 0.6);
    truth->inertia[i] = options->wants_inertia ? test_rng_uniform(rng, 0.05, 0.5) : 0;
    random_link(rng, truth, i);
  }
  truth->has_coupling = options->wants_coupling && truth->n >= 3;
  for (size_t i = truth->n >= 3 ? truth->n - 2 : 1; i < truth->n && truth->has_coupling; i++)
    for (size_t k = truth->n - 3; k < i; k++)
      truth->coupling[i][k] =
          truth->slides[i] || truth->slides[k] ? 0 : test_rng_uniform(rng, -0.3, 0.3);
}

void truth_puma(const Golden *golden, Truth *truth) {
  static const double beta[6] = {0, -90, 0, 90, -90, 90};
  static const double b[6] = {0, 0, 0.4318, -0.0203, 0, 0};
  static const double d[6] = {0, 0.2435, -0.0934, 0.4331, 0, 0};
  memset(truth, 0, sizeof *truth);
  truth->n = 6;
  truth->gravity[2] = -9.8;
  for (size_t i = 0; i < 6; i++) {
    const ArmLink *link = &golden->model.joints[i].link;
    truth->beta[i] = beta[i] * pi / 180;
    truth->b[i] = b[i];
    truth->d[i] = d[i];
    truth->mass[i] = link->mass_kg;
    memcpy(truth->com[i], link->com_m, sizeof truth->com[i]);
    truth->eta[i] = golden->true_eta[i];
    memcpy(truth->friction[i], golden->true_friction[i], sizeof truth->friction[i]);
  }
}

void truth_model(const Truth *truth, ArmModel *model) {
  if (arm_model_init(model, truth->n) != ARM_OK)
    abort();
  memcpy(model->gravity_m_s2, truth->gravity, sizeof truth->gravity);
  for (size_t i = 0; i < truth->n; i++) {
    ArmJoint *joint = &model->joints[i];
    arm_joint_set_mdh(joint, truth->slides[i] ? ARM_JOINT_T : ARM_JOINT_R, truth->beta[i],
                      truth->b[i], truth->theta[i], truth->d[i]);
    joint->link = (ArmLink){.is_present = true, .mass_kg = truth->mass[i]};
    memcpy(joint->link.com_m, truth->com[i], sizeof truth->com[i]);
    for (size_t k = 0; k < i; k++)
      model->coupling[i][k] = truth->coupling[i][k];
  }
  model->has_coupling = truth->has_coupling;
}

/* CMPLX, which clang does not know */
static double _Complex complex_of(double real, double imaginary) {
  return real + imaginary * I;
}

/* columns u, v of the frame turn into each other: u' = c u + s v, v' = c v - s u */
static void turn(double _Complex frame[3][3], int u, int v, double _Complex c, double _Complex s) {
  for (int r = 0; r < 3; r++) {
    const double _Complex a = frame[u][r], z = frame[v][r];
    frame[u][r] = c * a + s * z;
    frame[v][r] = c * z - s * a;
  }
}

/* minus sum of m g.p over all links: frame[k] is the k-th axis of the link, seen from the base */
static double _Complex energy(const Truth *truth, const double _Complex *q) {
  double _Complex frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, origin[3] = {0, 0, 0}, sum = 0;
  for (size_t i = 0; i < truth->n; i++) {
    const double _Complex angle = truth->theta[i] + (truth->slides[i] ? 0 : q[i]);
    const double _Complex slide = truth->d[i] + (truth->slides[i] ? q[i] : 0);
    const double a = creal(angle), h = cimag(angle); /* h = 0 or 1e-30: exact to rounding */
    turn(frame, 1, 2, cos(truth->beta[i]), sin(truth->beta[i]));
    for (int r = 0; r < 3; r++)
      origin[r] += truth->b[i] * frame[0][r];
    turn(frame, 0, 1, complex_of(cos(a), -sin(a) * h), complex_of(sin(a), cos(a) * h));
    for (int r = 0; r < 3; r++) {
      origin[r] += slide * frame[2][r];
      const double _Complex p = origin[r] + truth->com[i][0] * frame[0][r] +
                                truth->com[i][1] * frame[1][r] + truth->com[i][2] * frame[2][r];
      sum -= truth->mass[i] * truth->gravity[r] * p;
    }
  }
  return sum;
}

double truth_torque(const Truth *truth, const double *q, size_t i) {
  const double step = 1e-30;
  double _Complex at[TRUTH_MAX_JOINTS];
  for (size_t k = 0; k < truth->n; k++)
    at[k] = complex_of(q[k], k == i ? step : 0);
  return cimag(energy(truth, at)) / step;
}

double truth_gravity_current(const Truth *truth, const double *q, size_t i) {
  double motor[TRUTH_MAX_JOINTS];
  if (!truth->has_coupling)
    return truth->eta[i] * truth_torque(truth, q, i);
  /* (I+L)^T motor = torque */
  for (size_t m = truth->n; m-- > i;) {
    motor[m] = truth_torque(truth, q, m);
    for (size_t k = m + 1; k < truth->n; k++)
      motor[m] -= truth->coupling[k][m] * motor[k];
  }
  return truth->eta[i] * motor[i];
}

double truth_current(const Truth *truth, const double *q, const double *qd, const double *qdd,
                     size_t i) {
  double speed = qd[i];
  for (size_t k = 0; k < i; k++)
    speed += truth->coupling[i][k] * qd[k];
  const double *f = truth->friction[i] + (speed > 0 ? 0 : 2);
  const double friction = speed == 0 ? 0 : f[0] + f[1] * speed;
  return truth_gravity_current(truth, q, i) + friction + (qdd ? truth->inertia[i] * qdd[i] : 0);
}

void truth_pose(const Truth *truth, TestRng *rng, double *q) {
  for (size_t i = 0; i < truth->n; i++)
    q[i] = truth->slides[i] ? test_rng_uniform(rng, -0.5, 0.5) : test_rng_uniform(rng, -pi, pi);
}

bool truth_recording_init(TruthRecording *rec, size_t n, size_t rows, bool has_acceleration) {
  const size_t cells = rows * n;
  *rec = (TruthRecording){.room = rows};
  rec->t = malloc((rows + 4 * cells + 1) * sizeof(double));
  rec->joint = malloc((rows + 1) * sizeof(int));
  if (rec->t == NULL || rec->joint == NULL) {
    truth_recording_clear(rec);
    return false;
  }
  rec->q = rec->t + rows;
  rec->qd = rec->q + cells;
  rec->current = rec->qd + cells;
  rec->qdd = rec->current + cells;
  for (size_t k = 0; k < 3 * cells; k++)
    rec->qd[k] = NAN;
  rec->data = (ArmDataset){.n = n,
                           .t = rec->t,
                           .joint = rec->joint,
                           .q = rec->q,
                           .qd = rec->qd,
                           .qdd = has_acceleration ? rec->qdd : NULL,
                           .current = rec->current};
  return true;
}

void truth_recording_clear(TruthRecording *rec) {
  free(rec->t);
  free(rec->joint);
  *rec = (TruthRecording){0};
}

/* columns keep the leading dimension `room`: data.rows is right once the recording is full */
void truth_recording_add(TruthRecording *rec, double t, size_t joint, const double *q, double qd,
                         double qdd, double current) {
  const size_t row = rec->data.rows++;
  if (row >= rec->room)
    abort();
  rec->t[row] = t;
  rec->joint[row] = (int)joint + 1;
  for (size_t k = 0; k < rec->data.n; k++)
    rec->q[row + k * rec->room] = q[k];
  rec->qd[row + joint * rec->room] = qd;
  rec->qdd[row + joint * rec->room] = qdd;
  rec->current[row + joint * rec->room] = current;
}

static void add_sweep(TruthRecording *rec, const Truth *truth, TestRng *rng, const double *hold,
                      size_t joint, double velocity, size_t positions, double *t) {
  const double span = truth->slides[joint] ? 0.5 : 2.6;
  double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS] = {0}, qdd[TRUTH_MAX_JOINTS] = {0};
  memcpy(q, hold, truth->n * sizeof *q);
  for (size_t k = 0; k < positions; k++, *t += 0.01) {
    q[joint] = span * (2 * ((double)k + test_rng_uniform(rng, 0, 1)) / (double)positions - 1);
    qd[joint] = velocity;
    if (rec->data.qdd) {
      qd[joint] *= test_rng_uniform(rng, 0.5, 1.5);
      qdd[joint] = test_rng_uniform(rng, -2, 2);
    }
    truth_recording_add(rec, *t, joint, q, qd[joint], qdd[joint],
                        truth_current(truth, q, qd, qdd, joint));
  }
  *t += 1;
}

bool truth_recording_sweeps(TruthRecording *rec, const Truth *truth, TestRng *rng, size_t holds,
                            size_t positions, bool has_acceleration) {
  static const double speeds[] = {0.4, 1.1, -0.4, -1.1};
  double hold[TRUTH_MAX_JOINTS], t = 0;
  if (!truth_recording_init(rec, truth->n, truth->n * holds * 4 * positions, has_acceleration))
    return false;
  for (size_t i = 0; i < truth->n; i++)
    for (size_t h = 0; h < holds; h++) {
      truth_pose(truth, rng, hold);
      for (size_t s = 0; s < 4; s++)
        add_sweep(rec, truth, rng, hold, i, speeds[s] * (truth->slides[i] ? 0.2 : 1), positions,
                  &t);
    }
  return true;
}
