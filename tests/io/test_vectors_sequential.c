/* SPDX-License-Identifier: MIT */
/* The shared vectors of Lin's Algorithm 2: torques of single joints while one joint moves, and the
 * composite constants that follow from them; skipped without them. */
#include <math.h>
#include <string.h>

#include "core/dynamics/composite.h"
#include "core/dynamics/identify.h"
#include "json_vectors.h"
#include "support/support.h"

enum { MOST = 8 };

typedef struct {
  ArmModel model;
  ArmBase *base;
  ArmComposite *composite;
  ArmInformation *information;
} Arm;

static void read_geometry(const AioJsonNode *node, ArmModel *model) {
  const char *types = vectors_member(node, "types")->string;
  const gsize n = strlen(types);
  double beta[MOST], b[MOST], theta[MOST], d[MOST];
  g_assert_cmpint(arm_model_init(model, n), ==, ARM_OK);
  vectors_read(vectors_member(node, "beta"), n, beta);
  vectors_read(vectors_member(node, "b"), n, b);
  vectors_read(vectors_member(node, "theta0"), n, theta);
  vectors_read(vectors_member(node, "d0"), n, d);
  vectors_read(vectors_member(node, "g"), 3, model->gravity_m_s2);
  for (gsize i = 0; i < n; i++)
    arm_joint_set_mdh(&model->joints[i], types[i] == 'T' ? ARM_JOINT_T : ARM_JOINT_R, beta[i], b[i],
                      theta[i], d[i]);
}

static void arm_init(const AioJsonNode *geometry, Arm *arm) {
  *arm = (Arm){.base = NULL};
  read_geometry(geometry, &arm->model);
  g_assert_cmpint(arm_base_new(&arm->model, 0, ARM_BASE_CLOSED_FORM, &arm->base), ==, ARM_OK);
  g_assert_cmpint(arm_composite_new(&arm->model, &arm->composite), ==, ARM_OK);
  g_assert_cmpint(arm_information_new(arm->base, &arm->information), ==, ARM_OK);
}

static void arm_clear(Arm *arm) {
  arm_base_free(arm->base);
  arm_composite_free(arm->composite);
  arm_information_free(arm->information);
}

/* One sample of the torque of joint j. */
static void push(Arm *arm, gsize j, const double *q, gsize moved, const double *sample) {
  double state[MOST], qd[MOST] = {0}, qdd[MOST] = {0};
  double *y = g_new0(double, arm->model.n * arm->base->count);
  double *row = g_new0(double, ARM_DYN_LOCAL + arm->base->count + 1);
  memcpy(state, q, sizeof state);
  state[moved] = sample[0];
  qd[moved] = sample[1];
  qdd[moved] = sample[2];
  g_assert_cmpint(arm_base_regressor(arm->base, &arm->model, state, qd, qdd, y), ==, ARM_OK);
  memcpy(row + ARM_DYN_LOCAL, y + j * arm->base->count, arm->base->count * sizeof *row);
  row[ARM_DYN_LOCAL + arm->base->count] = sample[3];
  g_assert_cmpint(arm_information_push(arm->information, j, row, 1, 1), ==, ARM_OK);
  g_free(y);
  g_free(row);
}

static gsize index_of(const AioJsonNode *node, const char *key) {
  return (gsize)vectors_member(node, key)->number - 1;
}

static void push_step(Arm *arm, const AioJsonNode *step) {
  const AioJsonNode *experiments = vectors_member(step, "experiments");
  for (gsize e = 0; e < aio_json_size(experiments); e++) {
    const AioJsonNode *experiment = aio_json_item(experiments, e);
    const AioJsonNode *samples = vectors_member(experiment, "samples");
    double q[MOST] = {0}, sample[4];
    vectors_read(vectors_member(experiment, "q"), arm->model.n, q);
    for (gsize s = 0; s < aio_json_size(samples); s++) {
      vectors_read(aio_json_item(samples, s), 4, sample);
      push(arm, index_of(step, "joint"), q, index_of(experiment, "moved"), sample);
    }
  }
}

/* No friction, no rotors. */
static ArmDynamicsFit *solve(Arm *arm) {
  ArmDynamicsOptions options = arm_dynamics_defaults;
  ArmDynamicsJoint joint[ARM_MAX_JOINTS];
  ArmDynamicsFit *fit = NULL;
  options.way = ARM_DYNAMICS_SEQUENTIAL;
  for (gsize j = 0; j < arm->model.n; j++)
    joint[j] = (ArmDynamicsJoint){.is_torque = true, .eta = NAN, .rel_sd = NAN};
  g_assert_cmpint(arm_dynamics_identify(arm->information, joint, &options, &fit), ==, ARM_OK);
  return fit;
}

/* "kx" of joint 2 of an arm that has these base parameters. */
static double constant_of(const Arm *arm, const ArmDynamicsFit *fit, const char *key, gsize j) {
  const ArmComposite *composite = arm->composite;
  const char *own = strcmp(key, "mh") == 0 ? "m" : key;
  double sum = 0;
  gsize k = 0;
  while (k < composite->count && (composite->entry[k].joint != j ||
                                  strcmp(arm_composite_key(composite->entry[k].kind), own) != 0))
    k++;
  g_assert_cmpuint(k, <, composite->count);
  for (gsize b = 0; b < fit->count; b++) {
    g_assert_true(fit->base[b].identifiable);
    sum += composite->map[k + composite->count * arm->base->kept[b]] * fit->base[b].value;
  }
  return sum;
}

static gsize check_step(const Arm *arm, const ArmDynamicsFit *fit, const AioJsonNode *step,
                        double *worst) {
  const AioJsonNode *unknowns = vectors_member(step, "unknowns");
  const gsize count = aio_json_size(unknowns);
  double x[MOST];
  vectors_read(vectors_member(step, "x"), count, x);
  for (gsize k = 0; k < count; k++) {
    const char *key = aio_json_item(unknowns, k)->string;
    const double got = constant_of(arm, fit, key, index_of(step, "joint"));
    *worst = fmax(*worst, fabs(got - x[k]));
    if (!test_is_near(got, x[k], 1e-10, 1e-10))
      g_error("%s of joint %" G_GSIZE_FORMAT " is %.15g, expected %.15g", key,
              index_of(step, "joint") + 1, got, x[k]);
  }
  return count;
}

static void check_arm(const AioJsonNode *robot, const AioJsonNode *geometry, double *worst) {
  const AioJsonNode *steps = vectors_member(robot, "steps");
  Arm arm;
  gsize constants = 0;
  arm_init(geometry, &arm);
  for (gsize k = 0; k < aio_json_size(steps); k++)
    push_step(&arm, aio_json_item(steps, k));
  ArmDynamicsFit *fit = solve(&arm);
  for (gsize k = 0; k < aio_json_size(steps); k++)
    constants += check_step(&arm, fit, aio_json_item(steps, k), worst);
  g_assert_cmpuint(constants, ==, arm.base->count);
  arm_dynamics_fit_free(fit);
  arm_clear(&arm);
}

static const AioJsonNode *find_robot(const AioJson *robots, const char *name) {
  const AioJsonNode *list = vectors_member(aio_json_root(robots), "robots");
  for (gsize k = 0; k < aio_json_size(list); k++)
    if (strcmp(vectors_member(aio_json_item(list, k), "name")->string, name) == 0)
      return aio_json_item(list, k);
  g_error("no arm %s", name);
}

static void test_algorithm_2(void) {
  static const char *const files[][2] = {{"stanford", "Stanford"},
                                         {"trrtrr", "rand-TRRTRR"},
                                         {"rtrtrr", "rand-RTRTRR"},
                                         {"rail_scara", "rail-SCARA"}};
  AioJson *robots = vectors_load("vectors/dyn/robots.json");
  double worst = 0;
  if (!robots)
    return;
  for (gsize f = 0; f < G_N_ELEMENTS(files); f++) {
    char *path = g_strdup_printf("vectors/dyn/lin_alg2_%s.json", files[f][0]);
    AioJson *json = vectors_load(path);
    const AioJsonNode *robot =
        vectors_member(vectors_member(aio_json_root(json), "robots"), files[f][1]);
    const AioJsonNode *own = aio_json_member(robot, "geometry");
    check_arm(robot, own ? own : find_robot(robots, files[f][1]), &worst);
    aio_json_free(json);
    g_free(path);
  }
  g_test_message("worst error of a constant: %.3g", worst);
  aio_json_free(robots);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/vectors/sequential", test_algorithm_2);
  return g_test_run();
}
