/* SPDX-License-Identifier: MIT */
/* No leg leaves what is free, the dry run takes the measured path, refusals name the place. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "session/measure/full_sweeps.h"
#include "session/measure/itinerary.h"
#include "support/support.h"

static void random_case(TestRng *rng, ArmModel *model, ArmPlan *plan, double *start) {
  const gsize n = 2 + (gsize)(test_rng_uniform(rng, 0.0, 6.0));
  g_assert_cmpint(arm_model_init(model, n), ==, ARM_OK);
  *plan = (ArmPlan){.n = n};
  for (gsize j = 0; j < n; j++) {
    ArmJoint *joint = &model->joints[j];
    joint->type = test_rng_uniform(rng, 0.0, 1.0) < 0.3 ? ARM_JOINT_T : ARM_JOINT_R;
    joint->limits.q_min = test_rng_uniform(rng, -3.0, -1.0);
    joint->limits.q_max = test_rng_uniform(rng, 1.0, 3.0);
    joint->limits.speed_max = 2.0;
    start[j] = test_rng_uniform(rng, -0.9, 0.9);
    ArmJointPlan *p = &plan->joint[j];
    *p = (ArmJointPlan){.is_swept = true, .from = -0.9, .to = 0.9, .n_speeds = 2, .n_holds = 3};
    p->speeds[0] = 0.2, p->speeds[1] = 0.4;
    for (gsize h = 0; h < 3; h++)
      for (gsize k = 0; k < n; k++)
        p->holds[h][k] = test_rng_uniform(rng, -0.9, 0.9);
  }
}

/* What a leg covers of one joint. */
static void hull(const AseLeg *leg, gsize j, double at, double *low, double *high) {
  const bool own = leg->sweeps && leg->joint == j + 1;
  *low = own ? fmin(leg->q0, leg->q1) : fmin(at, leg->pose[j]);
  *high = own ? fmax(leg->q0, leg->q1) : fmax(at, leg->pose[j]);
}

/* All joints but one at a hold: that one must be in the hold's range, before, during and after. */
static void check_leg(const ArmModel *model, const ArmPlan *plan, const AseFreedom *freedom,
                      const AseLeg *leg, const double *at) {
  for (gsize j = 0; j < model->n; j++) {
    double low, high;
    hull(leg, j, at[j], &low, &high);
    g_assert_cmpfloat(low, >=, freedom->low[j]);
    g_assert_cmpfloat(high, <=, freedom->high[j]);
    if (!leg->sweeps && !(leg->joints >> j & 1))
      g_assert_cmpfloat(leg->pose[j], ==, at[j]);
  }
  for (gsize h = 0; h < freedom->n_holds; h++) {
    const AseHoldRange *range = &freedom->holds[h];
    bool is_there = true;
    for (gsize j = 0; j < model->n; j++)
      if (j + 1 != range->joint)
        is_there = is_there && at[j] == plan->joint[range->joint - 1].holds[range->hold - 1][j];
    double low, high;
    hull(leg, range->joint - 1, at[range->joint - 1], &low, &high);
    if (is_there) {
      g_assert_cmpfloat(low, >=, range->low);
      g_assert_cmpfloat(high, <=, range->high);
    }
  }
}

static double apart(guint n, const double *a, const double *b) {
  double most = 0.0;
  for (guint j = 0; j < n; j++)
    most = fmax(most, fabs(a[j] - b[j]));
  return most;
}

/* The way as it is drawn has no jumps and reaches both ends of every sweep. */
static void check_way(const AseItinerary *it) {
  enum { PARTS = 64 };
  double before[ARM_MAX_JOINTS], q[ARM_MAX_JOINTS];
  memcpy(before, it->start, sizeof before);
  for (guint k = 0; k < it->legs->len; k++) {
    const AseLeg *leg = &g_array_index(it->legs, AseLeg, k);
    double low = INFINITY, high = -INFINITY;
    for (guint part = 0; part <= PARTS; part++) {
      ase_itinerary_pose(it, k, (double)part / PARTS, q);
      g_assert_cmpfloat(apart(it->n, q, before), <=, part ? 0.25 * leg->passes + 0.25 : 1e-12);
      memcpy(before, q, sizeof q);
      low = fmin(low, leg->sweeps ? q[leg->joint - 1] : 0.0);
      high = fmax(high, leg->sweeps ? q[leg->joint - 1] : 0.0);
    }
    g_assert_cmpfloat(apart(it->n, q, leg->pose), <, 1e-12);
    if (leg->sweeps && PARTS % leg->passes == 0) {
      g_assert_cmpfloat(fabs(low - fmin(leg->q0, leg->q1)), <, 1e-12);
      g_assert_cmpfloat(fabs(high - fmax(leg->q0, leg->q1)), <, 1e-12);
    }
  }
}

static void walk(const ArmModel *model, const ArmPlan *plan, const AseFreedom *freedom,
                 const double *start, const AseItinerary *it) {
  double at[ARM_MAX_JOINTS], sum = 0.0;
  memcpy(at, start, sizeof at);
  for (guint k = 0; k < it->legs->len; k++) {
    const AseLeg *leg = &g_array_index(it->legs, AseLeg, k);
    if (leg->sweeps) {
      const guint j = leg->joint - 1;
      g_assert_true(at[j] == leg->q0);
      at[j] = leg->passes % 2 ? leg->q1 : leg->q0;
      g_assert_cmpfloat(leg->pose[j], ==, at[j]);
      at[j] = leg->q0;
      check_leg(model, plan, freedom, leg, at);
      at[j] = leg->pose[j];
    } else {
      check_leg(model, plan, freedom, leg, at);
      memcpy(at, leg->pose, model->n * sizeof *at);
    }
    g_assert_cmpfloat(leg->duration_s, >, 0.0);
    sum += leg->duration_s;
  }
  g_assert_true(test_is_near(sum, it->duration_s, 1e-9, 0.0));
  check_way(it);
  g_assert_cmpint(memcmp(at, start, model->n * sizeof *at), ==, 0);
}

/* Both halves stop at the same poses in the same order, the first half slowly. */
static void check_dry_run(const ArmModel *model, const AseItineraryOptions *options,
                          const AseItinerary *it) {
  guint first = 0;
  while (first < it->legs->len &&
         g_array_index(it->legs, AseLeg, first).purpose == ASE_PURPOSE_DRY_RUN)
    first++;
  g_assert_cmpuint(first, >, 0);
  guint dry = 0;
  for (guint k = first; k < it->legs->len; k++) {
    const AseLeg *leg = &g_array_index(it->legs, AseLeg, k);
    const AseLeg *before = &g_array_index(it->legs, AseLeg, k - 1);
    g_assert_cmpint(leg->purpose, !=, ASE_PURPOSE_DRY_RUN);
    if (leg->sweeps && before->sweeps && k > first)
      continue; /* another speed of the same sweep */
    const AseLeg *slow = &g_array_index(it->legs, AseLeg, dry++);
    g_assert_cmpint(slow->purpose, ==, ASE_PURPOSE_DRY_RUN);
    g_assert_cmpint(slow->sweeps, ==, leg->sweeps);
    g_assert_cmpint(memcmp(slow->pose, leg->pose, model->n * sizeof *leg->pose), ==, 0);
    const bool turns = !slow->sweeps || model->joints[slow->joint - 1].type == ARM_JOINT_R;
    g_assert_cmpfloat(turns ? slow->speed_R : slow->speed_T, <=,
                      turns ? options->dry_speed_R : options->dry_speed_T);
  }
  g_assert_cmpuint(dry, ==, first);
}

/* Whatever a stranger's session asks for, and what is said is what will be. */
static void test_hasty(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(43));
  ArmModel model;
  ArmPlan *plan = g_new0(ArmPlan, 1);
  double start[ARM_MAX_JOINTS];
  random_case(&rng, &model, plan, start);
  AseFreedom freedom;
  ase_freedom_init(&freedom, &model);
  for (guint hurry = 0; hurry < 3; hurry++) {
    AseItineraryOptions options;
    ase_itinerary_options_default(&options, (guint)model.n);
    options.dry_speed_R = options.dry_speed_T = 87.0;
    if (hurry > 0)
      options.move_speed_R = options.move_speed_T = 87.0;
    options.moves_together = hurry > 1;
    const double most_R = fmin(ASE_DRY_SPEED_MAX_R, options.move_speed_R);
    const double most_T = fmin(ASE_DRY_SPEED_MAX_T, options.move_speed_T);
    AseItinerary *it = ase_itinerary_new(&model, plan, &freedom, &options, start, NULL);
    g_assert_nonnull(it);
    for (guint k = 0; k < it->legs->len; k++) {
      const AseLeg *leg = &g_array_index(it->legs, AseLeg, k);
      const bool is_dry = leg->purpose == ASE_PURPOSE_DRY_RUN;
      for (gsize j = 0; j < model.n; j++) {
        const bool moves = leg->sweeps ? leg->joint == j + 1 : leg->joints >> j & 1;
        const double most = model.joints[j].type == ARM_JOINT_R ? most_R : most_T;
        if (moves)
          g_assert_cmpfloat(ase_leg_move_speed(&model, leg, j), <=, is_dry ? most : 1.8);
      }
      if (!leg->sweeps && !is_dry)
        g_assert_cmpfloat(fmin(leg->speed_R, leg->speed_T), <=, 1.8);
    }
    ase_itinerary_free(it);
  }
  g_free(plan);
}

static void test_random(void) {
  TestRng rng;
  test_rng_init(&rng, test_seed(41));
  ArmModel model;
  ArmPlan *plan = g_new0(ArmPlan, 1);
  guint refused = 0;
  for (guint k = 0; k < 300; k++) {
    double start[ARM_MAX_JOINTS];
    random_case(&rng, &model, plan, start);
    AseHoldRange ranges[3];
    AseFreedom freedom;
    ase_freedom_init(&freedom, &model);
    freedom.holds = ranges;
    freedom.n_holds = k % 4;
    for (gsize h = 0; h < freedom.n_holds; h++)
      ranges[h] = (AseHoldRange){
          .joint = 1 + (guint)test_rng_uniform(&rng, 0.0, (double)model.n),
          .hold = 1 + (guint)h,
          .low = test_rng_uniform(&rng, -0.9, 0.0),
          .high = test_rng_uniform(&rng, 0.7, 0.9),
      };
    AseItineraryOptions options;
    ase_itinerary_options_default(&options, (guint)model.n);
    options.moves_together = k % 2;
    options.warm_up_s = k % 3 ? 60.0 : 0.0;
    GError *error = NULL;
    AseItinerary *it = ase_itinerary_new(&model, plan, &freedom, &options, start, &error);
    if (!it) {
      g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
      g_clear_error(&error);
      refused++;
      continue;
    }
    walk(&model, plan, &freedom, start, it);
    check_dry_run(&model, &options, it);
    ase_itinerary_free(it);
  }
  g_test_message("%u of 300 refused", refused);
  g_assert_cmpuint(refused, <, 30);
  g_free(plan);
}

static void check_refusal(const AseFreedom *freedom, const ArmModel *model, const ArmPlan *plan,
                          const char *text) {
  AseItineraryOptions options;
  ase_itinerary_options_default(&options, (guint)model->n);
  GError *error = NULL;
  const double start[ARM_MAX_JOINTS] = {0};
  g_assert_null(ase_itinerary_new(model, plan, freedom, &options, start, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, test_local_numbers(text));
  g_clear_error(&error);
}

static void test_refusals(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, 2), ==, ARM_OK);
  ArmPlan *plan = g_new0(ArmPlan, 1);
  plan->n = 2;
  plan->joint[1] = (ArmJointPlan){
      .is_swept = true, .from = -1.0, .to = 1.0, .n_speeds = 1, .speeds = {0.5}, .n_holds = 2};
  plan->joint[1].holds[1][0] = 0.5;
  AseFreedom freedom;
  ase_freedom_init(&freedom, &model);
  freedom.high[0] = 0.4;
  check_refusal(
      &freedom, &model, plan,
      "joint 2, hold 2: joint 1 would stand at 28.65 deg, outside of what is free (-180 to "
      "22.92 deg)");
  freedom.high[0] = 1.0;
  AseHoldRange narrow[] = {{2, 1, -1.0, -0.3}, {2, 2, -0.2, 1.0}};
  freedom.holds = narrow;
  freedom.n_holds = 2;
  check_refusal(&freedom, &model, plan,
                "joint 2: hold 2 cannot be reached from hold 1, because their free ranges have no "
                "position in common; widen one of them, or leave one hold out");
  narrow[0].high = -0.5;
  check_refusal(&freedom, &model, plan,
                "joint 2, hold 1: planned is a sweep from -57.3 to 57.3 deg, but only -57.3 to "
                "-28.65 deg are free, which leaves less than a third of it; choose another hold or "
                "declare more of the range free");
  g_free(plan);
}

static void test_text(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, 3), ==, ARM_OK);
  model.joints[2].type = ARM_JOINT_T;
  AseLeg sweep = {.sweeps = true,
                  .joint = 2,
                  .hold = 1,
                  .q0 = -G_PI / 3,
                  .q1 = G_PI / 4,
                  .passes = 2,
                  .speed_R = G_PI / 6};
  char *text = ase_leg_text(&model, &sweep);
  g_assert_cmpstr(text, ==, "sweep joint 2, hold 1, from -60 to 45 deg at 30 deg/s, 2 passes");
  g_free(text);
  AseLeg move = {.joints = 5, .pose = {G_PI / 2, 0, 0.25}, .speed_R = G_PI / 6, .speed_T = 0.05};
  text = ase_leg_text(&model, &move);
  const char *moves = "move joint 1 to 90 deg at 30 deg/s, joint 3 to 0.25 m at 0.05 m/s";
  g_assert_cmpstr(text, ==, test_local_numbers(moves));
  g_free(text);
}

/* One joint over 190 deg at 150 deg/s^2 each way, as the wrist of a PUMA: what is left of a sweep
 * at v is 190 - v^2/300 - 0.85 v, of 190 - v0^2/300 - 0.1 v0 at the slowest. */
static void test_full_sweeps(void) {
  static const struct {
    double slow, fast; /* deg/s */
    guint speeds;
    double too_fast, steady, range; /* by hand, deg */
  } cases[] = {
      {30, 50, 2, INFINITY, 0.0, 184.0},
      {40, 70, 1, 70.0, 114.1667, 180.6667},
      {80, 90, 0, 80.0, 100.6667, 160.6667},
  };
  const double degree = G_PI / 180.0;
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, 1), ==, ARM_OK);
  model.joints[0].type = ARM_JOINT_R;
  model.joints[0].limits.accel_max = 300.0 * degree;
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c++) {
    AseItinerary it = {.n = 1, .legs = g_array_new(FALSE, TRUE, sizeof(AseLeg))};
    AseFullSweeps full;
    for (guint k = 0; k < 6; k++) { /* a dry run, then two holds at two speeds, then validation */
      const AseLeg leg = {.purpose = k == 0   ? ASE_PURPOSE_DRY_RUN
                                     : k == 5 ? ASE_PURPOSE_VALIDATE
                                              : ASE_PURPOSE_MEASURE,
                          .sweeps = true,
                          .joint = 1,
                          .hold = k < 3 ? 1 : 2,
                          .q0 = -95.0 * degree,
                          .q1 = 95.0 * degree,
                          .speed_R = (k % 2 ? cases[c].slow : cases[c].fast) * degree,
                          .accel_R = 400.0 * degree};
      g_array_append_val(it.legs, leg);
    }
    ase_full_sweeps(&it, &model, 1, &full);
    g_assert_cmpuint(full.speeds, ==, cases[c].speeds);
    g_assert_cmpfloat_with_epsilon(full.range, cases[c].range * degree, 1e-5);
    g_assert_true(isinf(cases[c].too_fast) == isinf(full.too_fast));
    if (isfinite(full.too_fast)) {
      g_assert_cmpfloat_with_epsilon(full.too_fast, cases[c].too_fast * degree, 1e-9);
      g_assert_cmpfloat_with_epsilon(full.steady, cases[c].steady * degree, 1e-5);
    }
    g_array_unref(it.legs);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/itinerary/random", test_random);
  g_test_add_func("/itinerary/hasty", test_hasty);
  g_test_add_func("/itinerary/refusals", test_refusals);
  g_test_add_func("/itinerary/text", test_text);
  g_test_add_func("/itinerary/full_sweeps", test_full_sweeps);
  return g_test_run();
}
