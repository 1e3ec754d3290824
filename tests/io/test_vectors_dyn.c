/* SPDX-License-Identifier: MIT */
/* The whole shared vectors of rigid-body dynamics, read from their JSON; skipped without them.
 * A part of them is in tests/golden, which tests/core/arm/test_dyn.c needs alone. */
#include <math.h>
#include <string.h>

#include "io/json/json_read.h"
#include "json_vectors.h"
#include "support/dyn_case.h"
#include "support/support.h"

static void want(DynSample *sample, DynKind kind, gsize n, const AioJsonNode *node) {
  sample->has[kind] = true;
  vectors_read(node, dyn_kind_size(kind, n), sample->want[kind]);
}

static void read_link(const double *centre, double mass, const double tensor[9], ArmLink *link) {
  *link = (ArmLink){.is_present = true, .mass_kg = mass};
  memcpy(link->com_m, centre, sizeof link->com_m);
  const double entries[6] = {tensor[0], tensor[4], tensor[8], tensor[1], tensor[2], tensor[5]};
  memcpy(link->inertia_com_kg_m2, entries, sizeof entries);
}

/* ---- vectors/dyn ---- */

static void read_robot(const AioJsonNode *robot, ArmModel *model) {
  const char *types = vectors_member(robot, "types")->string;
  const gsize n = strlen(types);
  double beta[8], b[8], theta[8], d[8], m[8], c[24], inertia[72], standard[80], pi[80], back[80];
  g_assert_cmpint(arm_model_init(model, n), ==, ARM_OK);
  vectors_read(vectors_member(robot, "beta"), n, beta);
  vectors_read(vectors_member(robot, "b"), n, b);
  vectors_read(vectors_member(robot, "theta0"), n, theta);
  vectors_read(vectors_member(robot, "d0"), n, d);
  vectors_read(vectors_member(robot, "g"), 3, model->gravity_m_s2);
  vectors_read(vectors_member(robot, "m"), n, m);
  vectors_read(vectors_member(robot, "c"), 3 * n, c);
  vectors_read(vectors_member(robot, "Icom"), 9 * n, inertia);
  vectors_read(vectors_member(robot, "theta_std"), 10 * n, standard);
  for (gsize i = 0; i < n; i++) {
    arm_joint_set_mdh(&model->joints[i], types[i] == 'T' ? ARM_JOINT_T : ARM_JOINT_R, beta[i], b[i],
                      theta[i], d[i]);
    read_link(c + 3 * i, m[i], inertia + 9 * i, &model->joints[i].link);
  }
  (void)arm_inertia_nominal(model, pi);
  for (gsize i = 0; i < n; i++) {
    arm_inertia_to_order(ARM_INERTIA_ORDER_GAUTIER_KHALIL, pi + 10 * i, back + 10 * i);
    for (gsize k = 0; k < 10; k++)
      g_assert_true(test_is_near(back[10 * i + k], standard[10 * i + k], 1e-12, 1e-14));
  }
}

static void read_dyn_sample(const AioJsonNode *all, gsize n, gsize s, DynSample *sample) {
  memset(sample, 0, sizeof *sample);
  vectors_read(aio_json_item(vectors_member(all, "q"), s), n, sample->q);
  vectors_read(aio_json_item(vectors_member(all, "qd"), s), n, sample->qd);
  vectors_read(aio_json_item(vectors_member(all, "qdd"), s), n, sample->qdd);
}

/* A regressor in the order of the vectors, into the program's. */
static void want_regressor(DynSample *sample, DynKind kind, gsize n, const AioJsonNode *node) {
  double theirs[DYN_MAX_VALUES];
  sample->has[kind] = true;
  vectors_read(node, 10 * n * n, theirs);
  for (gsize block = 0; block < n * n; block++)
    arm_inertia_from_order(ARM_INERTIA_ORDER_GAUTIER_KHALIL, theirs + 10 * block,
                           sample->want[kind] + 10 * block);
}

static void test_dyn(void) {
  static ArmModel model;
  static DynSample sample;
  AioJson *robots = vectors_load("vectors/dyn/robots.json"),
          *rnea = vectors_load("vectors/dyn/rnea.json");
  AioJson *regressor = vectors_load("vectors/dyn/regressor.json");
  gsize arms = 0, samples = 0;
  double worst = 0;
  if (!robots || !rnea || !regressor)
    return;
  const AioJsonNode *list = vectors_member(aio_json_root(robots), "robots");
  for (; arms < aio_json_size(list); arms++) {
    const AioJsonNode *robot = aio_json_item(list, arms);
    const char *name = vectors_member(robot, "name")->string;
    read_robot(robot, &model);
    const gsize n = model.n;
    const AioJsonNode *all = vectors_member(vectors_member(aio_json_root(rnea), "samples"), name);
    const AioJsonNode *rows =
        aio_json_member(vectors_member(aio_json_root(regressor), "samples"), name);
    for (gsize s = 0; s < 3; s++, samples++) {
      read_dyn_sample(all, n, s, &sample);
      want(&sample, DYN_TAU, n, aio_json_item(vectors_member(all, "tau"), s));
      want(&sample, DYN_GRAVITY, n, aio_json_item(vectors_member(all, "tau_gravity"), s));
      want(&sample, DYN_MASS, n, aio_json_item(vectors_member(all, "H"), s));
      want(&sample, DYN_MOMENTUM, n, aio_json_item(vectors_member(all, "p"), s));
      want(&sample, DYN_ENERGY_FORCE, n, aio_json_item(vectors_member(all, "dTdq_minus_dUdq"), s));
      g_assert_true(dyn_sample_check(name, &model, &sample, &worst));
    }
    if (!rows)
      continue;
    read_dyn_sample(rows, n, 0, &sample);
    want_regressor(&sample, DYN_REGRESSOR, n, vectors_member(rows, "Y"));
    want_regressor(&sample, DYN_REGRESSOR_MOMENTUM, n, vectors_member(rows, "Y_momentum"));
    want_regressor(&sample, DYN_REGRESSOR_ENERGY, n, vectors_member(rows, "Y_energy"));
    g_assert_true(dyn_sample_check(name, &model, &sample, &worst));
    samples++;
  }
  g_assert_cmpuint(arms, ==, 27);
  g_assert_cmpuint(samples, ==, 27 * 3 + 6);
  g_test_message("worst error %.3g of 1e-12 (1 + max)", worst);
  aio_json_free(robots);
  aio_json_free(rnea);
  aio_json_free(regressor);
}

/* ---- vectors/pinocchio ---- */

static void read_joint(const AioJsonNode *joint, bool by_placement, ArmJoint *out) {
  const AioJsonNode *placement = vectors_member(joint, "placement"),
                    *mdh = vectors_member(joint, "mdh");
  const ArmJointType type =
      strcmp(vectors_member(joint, "type")->string, "P") == 0 ? ARM_JOINT_T : ARM_JOINT_R;
  if (!by_placement) {
    arm_joint_set_mdh(out, type, vectors_member(mdh, "alpha")->number,
                      vectors_member(mdh, "a")->number, vectors_member(mdh, "theta")->number,
                      vectors_member(mdh, "d")->number);
    return;
  }
  out->type = type;
  out->offset = 0;
  vectors_read(vectors_member(placement, "rotation"), 9, out->rotation);
  vectors_read(vectors_member(placement, "translation"), 3, out->translation);
}

static void read_pinocchio_robot(const AioJsonNode *robot, bool by_placement, ArmModel *model) {
  double pi[80], phi[80];
  const gsize n = (gsize)vectors_member(robot, "n")->number;
  g_assert_cmpint(arm_model_init(model, n), ==, ARM_OK);
  vectors_read(vectors_member(robot, "gravity"), 3, model->gravity_m_s2);
  for (gsize i = 0; i < n; i++) {
    const AioJsonNode *link = aio_json_item(vectors_member(robot, "links"), i);
    double centre[3], tensor[9];
    read_joint(aio_json_item(vectors_member(robot, "joints"), i), by_placement, &model->joints[i]);
    vectors_read(vectors_member(link, "com"), 3, centre);
    vectors_read(vectors_member(link, "inertia_com"), 9, tensor);
    read_link(centre, vectors_member(link, "mass")->number, tensor, &model->joints[i].link);
  }
  (void)arm_inertia_nominal(model, pi);
  vectors_read(vectors_member(robot, "phi"), 10 * n, phi);
  for (gsize i = 0; i < n; i++) {
    double ours[10];
    arm_inertia_from_order(ARM_INERTIA_ORDER_PINOCCHIO, phi + 10 * i, ours);
    for (gsize k = 0; k < 10; k++)
      g_assert_true(test_is_near(pi[10 * i + k], ours[k], 1e-13, 1e-15));
  }
}

static void read_pinocchio_sample(const AioJsonNode *from, gsize n, DynSample *sample) {
  memset(sample, 0, sizeof *sample);
  vectors_read(vectors_member(from, "q"), n, sample->q);
  vectors_read(vectors_member(from, "qd"), n, sample->qd);
  vectors_read(vectors_member(from, "qdd"), n, sample->qdd);
  vectors_read(vectors_member(from, "tau_fd"), n, sample->forward_tau);
  want(sample, DYN_TAU, n, vectors_member(from, "tau"));
  want(sample, DYN_GRAVITY, n, vectors_member(from, "gravity_torque"));
  want(sample, DYN_MASS, n, vectors_member(from, "mass_matrix"));
  want(sample, DYN_KINETIC, n, vectors_member(from, "kinetic"));
  want(sample, DYN_POTENTIAL, n, vectors_member(from, "potential"));
  want(sample, DYN_FORWARD_QDD, n, vectors_member(from, "qdd_fd"));
}

/* Rotor inertia on the diagonal of M. */
static void check_armature(const AioJsonNode *root, const AioJsonNode *from, const ArmModel *model,
                           const DynSample *sample) {
  double value[8], rotor[64] = {0}, tau[8], qdd[8], want_tau[8], want_qdd[8], pi[80];
  const gsize n = model->n;
  ArmDyn dyn;
  g_assert_cmpint(arm_dyn_init(&dyn, model), ==, ARM_OK);
  (void)arm_inertia_nominal(model, pi);
  vectors_read(vectors_member(vectors_member(root, "armature"), "value"), n, value);
  vectors_read(vectors_member(from, "armature_tau"), n, want_tau);
  vectors_read(vectors_member(from, "armature_qdd_fd"), n, want_qdd);
  for (gsize i = 0; i < n; i++)
    rotor[i + n * i] = value[i];
  arm_dyn_torque(&dyn, pi, sample->q, sample->qd, sample->qdd, tau);
  g_assert_cmpint(arm_dyn_forward(&dyn, pi, rotor, sample->q, sample->qd, sample->forward_tau, qdd),
                  ==, ARM_OK);
  for (gsize i = 0; i < n; i++) {
    g_assert_true(test_is_near(tau[i] + value[i] * sample->qdd[i], want_tau[i], 1e-12, 1e-12));
    g_assert_true(test_is_near(qdd[i], want_qdd[i], 1e-12, 1e-12));
  }
}

static void check_samples(const AioJsonNode *root, const ArmModel *model, double *worst) {
  static DynSample sample;
  const AioJsonNode *samples = vectors_member(root, "samples"),
                    *regressors = vectors_member(root, "regressors");
  const char *name = vectors_member(vectors_member(root, "robot"), "name")->string;
  const gsize n = model->n;
  g_assert_cmpuint(aio_json_size(samples), ==, 50);
  for (gsize s = 0; s < aio_json_size(samples); s++) {
    const AioJsonNode *from = aio_json_item(samples, s);
    read_pinocchio_sample(from, n, &sample);
    g_assert_true(dyn_sample_check(name, model, &sample, worst));
    if (aio_json_member(from, "armature_tau"))
      check_armature(root, from, model, &sample);
  }
  g_assert_cmpuint(aio_json_size(regressors), ==, 4);
  for (gsize k = 0; k < aio_json_size(regressors); k++) {
    const AioJsonNode *from = aio_json_item(regressors, k);
    read_pinocchio_sample(aio_json_item(samples, (gsize)vectors_member(from, "sample")->number), n,
                          &sample);
    want(&sample, DYN_REGRESSOR, n, vectors_member(from, "Y"));
    want(&sample, DYN_ROW_KINETIC, n, vectors_member(from, "K"));
    want(&sample, DYN_ROW_POTENTIAL, n, vectors_member(from, "P"));
    g_assert_true(dyn_sample_check(name, model, &sample, worst));
  }
}

/* ---- trajectories: classical Runge-Kutta, accelerations by forward dynamics ---- */

typedef struct {
  ArmDyn dyn;
  double pi[80], rotor[64], c0[8], amp[8], omega[8], vis[8];
  gsize n;
} Motion;

static void read_motion(const AioJsonNode *root, const AioJsonNode *from, const ArmModel *model,
                        Motion *motion) {
  double value[8];
  memset(motion, 0, sizeof *motion);
  motion->n = model->n;
  g_assert_cmpint(arm_dyn_init(&motion->dyn, model), ==, ARM_OK);
  (void)arm_inertia_nominal(model, motion->pi);
  if (vectors_member(from, "armature_included")->boolean) {
    vectors_read(vectors_member(vectors_member(root, "armature"), "value"), model->n, value);
    for (gsize i = 0; i < model->n; i++)
      motion->rotor[i + model->n * i] = value[i];
  }
  if (aio_json_member(from, "c0")) {
    vectors_read(vectors_member(from, "c0"), model->n, motion->c0);
    vectors_read(vectors_member(from, "amp"), model->n, motion->amp);
    vectors_read(vectors_member(from, "omega"), model->n, motion->omega);
    vectors_read(vectors_member(from, "vis"), model->n, motion->vis);
  }
}

/* x = (q, qd) -> its rate */
static void rate(const Motion *motion, double t, const double *x, double *out) {
  const gsize n = motion->n;
  double tau[8];
  for (gsize i = 0; i < n; i++) {
    tau[i] = motion->c0[i] + motion->amp[i] * sin(motion->omega[i] * t) - motion->vis[i] * x[n + i];
    out[i] = x[n + i];
  }
  g_assert_cmpint(arm_dyn_forward(&motion->dyn, motion->pi, motion->rotor, x, x + n, tau, out + n),
                  ==, ARM_OK);
}

static void step(const Motion *motion, double t, double h, double *x) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[16] = {0}, y[16], sum[16] = {0};
  for (int stage = 0; stage < 4; stage++) {
    for (gsize i = 0; i < 2 * motion->n; i++)
      y[i] = x[i] + h * at[stage] * k[i];
    rate(motion, t + h * at[stage], y, k);
    for (gsize i = 0; i < 2 * motion->n; i++)
      sum[i] += weight[stage] * k[i];
  }
  for (gsize i = 0; i < 2 * motion->n; i++)
    x[i] += h / 6 * sum[i];
}

static void check_trajectories(const AioJsonNode *root, const ArmModel *model, double *worst) {
  const AioJsonNode *list = vectors_member(root, "trajectories");
  static Motion motion;
  for (gsize k = 0; k < aio_json_size(list); k++) {
    const AioJsonNode *from = aio_json_item(list, k), *states = vectors_member(from, "states");
    const double h = vectors_member(from, "dt")->number;
    double x[16];
    glong steps = 0;
    read_motion(root, from, model, &motion);
    vectors_read(vectors_member(from, "q0"), model->n, x);
    vectors_read(vectors_member(from, "qd0"), model->n, x + model->n);
    for (gsize s = 0; s < aio_json_size(states); s++) {
      const AioJsonNode *state = aio_json_item(states, s);
      double want_x[16];
      for (; steps < lround(vectors_member(state, "t")->number / h); steps++)
        step(&motion, (double)steps * h, h, x);
      vectors_read(vectors_member(state, "q"), model->n, want_x);
      vectors_read(vectors_member(state, "qd"), model->n, want_x + model->n);
      for (gsize i = 0; i < 2 * model->n; i++)
        *worst = fmax(*worst, fabs(x[i] - want_x[i]) / (1 + fabs(want_x[i])));
    }
  }
  g_assert_cmpfloat(*worst, <, 1e-9);
}

static void test_pinocchio(void) {
  static const char *const names[] = {"puma560", "stanford", "ur5", "random_rrprprr"};
  static ArmModel model;
  double worst = 0, worst_motion = 0;
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++) {
    char *file = g_strdup_printf("vectors/pinocchio/%s.json", names[k]);
    AioJson *json = vectors_load(file);
    g_free(file);
    if (!json)
      return;
    const AioJsonNode *root = aio_json_root(json);
    for (int by_placement = 0; by_placement < 2; by_placement++) {
      read_pinocchio_robot(vectors_member(root, "robot"), by_placement, &model);
      check_samples(root, &model, &worst);
    }
    check_trajectories(root, &model, &worst_motion);
    aio_json_free(json);
  }
  g_test_message("worst error %.3g of 1e-12 (1 + max), of a trajectory %.3g", worst, worst_motion);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/vectors/dyn", test_dyn);
  g_test_add_func("/vectors/pinocchio", test_pinocchio);
  return g_test_run();
}
