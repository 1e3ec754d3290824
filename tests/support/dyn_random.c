/* SPDX-License-Identifier: MIT */
#include "support/dyn_random.h"

#include <string.h>

enum { CLOUD = 4 };

void dyn_random_vector(TestRng *rng, size_t n, double range, double *x) {
  for (size_t i = 0; i < n; i++)
    x[i] = test_rng_uniform(rng, -range, range);
}

static double random_angle(TestRng *rng) {
  const double right = 1.57079632679489661923;
  return test_rng_below(rng, 3) == 0 ? right * ((double)test_rng_below(rng, 4) - 1)
                                     : test_rng_uniform(rng, -3, 3);
}

/* A cloud of point masses is a body: mass, centre, tensor about the centre. */
static void random_link(TestRng *rng, ArmLink *link) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double mass[CLOUD], at[CLOUD][3];
  *link = (ArmLink){.is_present = true};
  for (int p = 0; p < CLOUD; p++) {
    mass[p] = test_rng_uniform(rng, 0.1, 2);
    link->mass_kg += mass[p];
    dyn_random_vector(rng, 3, 0.3, at[p]);
    for (int a = 0; a < 3; a++)
      link->com_m[a] += mass[p] * at[p][a];
  }
  for (int a = 0; a < 3; a++)
    link->com_m[a] /= link->mass_kg;
  for (int p = 0; p < CLOUD; p++) {
    double x[3], square = 0;
    for (int a = 0; a < 3; a++) {
      x[a] = at[p][a] - link->com_m[a];
      square += x[a] * x[a];
    }
    for (int k = 0; k < 6; k++)
      link->inertia_com_kg_m2[k] +=
          mass[p] * ((row[k] == column[k] ? square : 0) - x[row[k]] * x[column[k]]);
  }
}

void dyn_random_arm(TestRng *rng, size_t n, ArmModel *model) {
  if (arm_model_init(model, n) != ARM_OK)
    return;
  dyn_random_vector(rng, 3, 10, model->gravity_m_s2);
  for (size_t i = 0; i < n; i++) {
    ArmJoint *joint = &model->joints[i];
    const ArmJointType type = test_rng_below(rng, 3) == 0 ? ARM_JOINT_T : ARM_JOINT_R;
    if (test_rng_below(rng, 2)) {
      arm_joint_set_mdh(joint, type, random_angle(rng), test_rng_uniform(rng, -0.5, 0.5),
                        random_angle(rng), test_rng_uniform(rng, -0.5, 0.5));
    } else {
      double xyz[3], rpy[3] = {random_angle(rng), random_angle(rng), random_angle(rng)};
      dyn_random_vector(rng, 3, 0.5, xyz);
      arm_joint_set_placement(joint, type, xyz, rpy);
      joint->offset = test_rng_uniform(rng, -0.5, 0.5);
    }
    random_link(rng, &joint->link);
  }
}

/* ---- the reference ---- */

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* c += factor a x b */
static void cross_add(double factor, const double a[3], const double b[3], double c[3]) {
  double product[3];
  cross(a, b, product);
  for (int k = 0; k < 3; k++)
    c[k] += factor * product[k];
}

/* acceleration of a point of a body at `arm` from one that has acceleration a */
static void shift_acceleration(const double w[3], const double dw[3], const double arm[3],
                               double a[3]) {
  double speed[3];
  cross(w, arm, speed);
  cross_add(1, dw, arm, a);
  cross_add(1, w, speed, a);
}

/* y = R tensor R^T x, tensor as in ArmLink */
static void tensor_mul(const double r[9], const double t[6], const double x[3], double y[3]) {
  const double full[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
  double local[3] = {0}, turned[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      local[i] += r[3 * k + i] * x[k];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      turned[i] += full[i][k] * local[k];
  for (int i = 0; i < 3; i++) {
    y[i] = 0;
    for (int k = 0; k < 3; k++)
      y[i] += r[3 * i + k] * turned[k];
  }
}

typedef struct {
  double w[3], dw[3], a[3], at[3]; /* of the frame's origin, base frame */
} State;

static void move_joint(ArmJointType type, const double z[3], double qd, double qdd, State *s) {
  if (type == ARM_JOINT_R) {
    cross_add(qd, s->w, z, s->dw);
    for (int k = 0; k < 3; k++) {
      s->dw[k] += qdd * z[k];
      s->w[k] += qd * z[k];
    }
  } else {
    cross_add(2 * qd, s->w, z, s->a);
    for (int k = 0; k < 3; k++)
      s->a[k] += qdd * z[k];
  }
}

/* Force and moment about the centre of mass that link i needs; where the centre is. */
static void link_load(const ArmModel *model, size_t i, const double r[9], const State *s,
                      double centre[3], double force[3], double moment[3]) {
  const ArmLink *link = &model->joints[i].link;
  double arm[3] = {0}, a[3], spin[3];
  for (int k = 0; k < 9; k++)
    arm[k / 3] += r[k] * link->com_m[k % 3];
  memcpy(a, s->a, sizeof a);
  shift_acceleration(s->w, s->dw, arm, a);
  for (int k = 0; k < 3; k++) {
    centre[k] = s->at[k] + arm[k];
    force[k] = link->mass_kg * (a[k] - model->gravity_m_s2[k]);
  }
  tensor_mul(r, link->inertia_com_kg_m2, s->dw, moment);
  tensor_mul(r, link->inertia_com_kg_m2, s->w, spin);
  cross_add(1, s->w, spin, moment);
}

void dyn_reference_torque(const ArmModel *model, const double *q, const double *qd,
                          const double *qdd, double *tau) {
  double rotation[ARM_MAX_JOINTS][9], position[ARM_MAX_JOINTS][3];
  State s = {.w = {0}};
  arm_model_poses(model, q, rotation, position);
  memset(tau, 0, model->n * sizeof *tau);
  for (size_t i = 0; i < model->n; i++) {
    double z[3], arm[3], centre[3], force[3], moment[3];
    for (int k = 0; k < 3; k++) {
      z[k] = rotation[i][3 * k + 2];
      arm[k] = position[i][k] - s.at[k];
    }
    shift_acceleration(s.w, s.dw, arm, s.a);
    memcpy(s.at, position[i], sizeof s.at);
    move_joint(model->joints[i].type, z, qd[i], qdd[i], &s);
    link_load(model, i, rotation[i], &s, centre, force, moment);
    for (size_t j = 0; j <= i; j++) {
      double total[3], lever[3];
      memcpy(total, model->joints[j].type == ARM_JOINT_R ? moment : force, sizeof total);
      for (int k = 0; k < 3; k++)
        lever[k] = centre[k] - position[j][k];
      if (model->joints[j].type == ARM_JOINT_R)
        cross_add(1, lever, force, total);
      for (int k = 0; k < 3; k++)
        tau[j] += rotation[j][3 * k + 2] * total[k];
    }
  }
}
