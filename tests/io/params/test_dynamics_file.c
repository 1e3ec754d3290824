/* SPDX-License-Identifier: MIT */
/* Parameter files of kind "dynamics": the agreed keys are there, what is read is what was written,
 * byte for byte, and what is wrong is told by line, expected and found. */
#include <math.h>
#include <string.h>

#include "io/json/json_read.h"
#include "io/params/dynamics_file.h"

enum { JOINTS = 2 };

static void make_model(ArmModel *model) {
  g_assert_true(arm_model_init(model, JOINTS) == ARM_OK);
  model->joints[1].type = ARM_JOINT_T;
}

static void add(ArmParamSet *set, ArmParamKind kind, size_t i, double value, bool is_told) {
  ArmEstimate *e = arm_param_set_add_id(set, kind, i, 0);
  g_assert_nonnull(e);
  *e = is_told ? (ArmEstimate){value, 0.5, value, true, ARM_REASON_NONE}
               : (ArmEstimate){NAN, NAN, value, false, ARM_REASON_TOO_WEAK};
}

/* A joint with a current, and one that slides, whose force was measured. */
static void make_set(ArmParamSet *set) {
  const ArmParamRoom room = {.params = 32, .covered = 13, .terms = 3, .text = 64};
  const ArmParamTerm terms[] = {
      {{ARM_PARAM_ZZ, 0, 0}, 1.0}, {{ARM_PARAM_M, 1, 0}, 0.25}, {{ARM_PARAM_ROTOR, 0, 0}, 1.0}};
  const ArmParam base = {{ARM_PARAM_BASE, 0, 5}, "ZZR1", NULL, terms, 3};
  g_assert_cmpint(arm_param_set_init(set, JOINTS, &room), ==, ARM_OK);
  set->type[1] = ARM_JOINT_T;
  set->is_torque[1] = true;
  set->is_of_motion = true;
  set->n_groups = 2;
  for (size_t i = 0; i < JOINTS; i++) {
    set->group[i] = (int)i;
    set->joint[i] = (ArmJointStatistics){.rows_used = 9,
                                         .columns = 3,
                                         .rank = 3,
                                         .widening = 2.0,
                                         .residual_sd = 0.125,
                                         .r2 = 0.75,
                                         .lag1 = 0.5,
                                         .max_abs = NAN,
                                         .cond_centred = NAN};
    set->joint[i].rows_by_use[ARM_ROW_USED] = 9;
    for (int kind = ARM_PARAM_COULOMB_POS; kind <= ARM_PARAM_VISCOUS_NEG; kind++)
      add(set, (ArmParamKind)kind, i, 0.5 + (double)i, true);
    add(set, ARM_PARAM_ROTOR, i, 0.25, true);
  }
  ArmEstimate *e = arm_param_set_add(set, &base);
  g_assert_nonnull(e);
  *e = (ArmEstimate){3.5, 0.5, 3.5, true, ARM_REASON_NONE};
  for (size_t i = 0; i < JOINTS; i++) {
    add(set, ARM_PARAM_ETA, i, 0.0625, i == 1);
    add(set, ARM_PARAM_ETA_TO_FIRST, i, 1.0, i == 1);
  }
  for (size_t k = 0; k < set->n; k++)
    if (set->estimate[k].identifiable)
      g_assert_true(arm_param_set_cover(set, k));
  g_assert_cmpuint(set->n_covered, ==, 13);
  for (size_t k = 0; k < set->n_covered; k++)
    set->covariance[k * (set->n_covered + 1)] = 0.25;
}

static AioDynamics *make(void) {
  AioDynamics *dynamics = aio_dynamics_new();
  make_set(&dynamics->found);
  dynamics->arm_name = g_strdup("arm");
  dynamics->arm_digest = g_strdup("sha256:arm");
  dynamics->gauge = AIO_GAUGE_REFERENCE;
  dynamics->gauge_joint = 1;
  dynamics->provenance = aio_provenance_new("program", "1", "sha256:arm");
  aio_provenance_add_recording(dynamics->provenance, "r.csv", "sha256:r");
  dynamics->samples[0][ARM_DYN_USED] = 1000;
  dynamics->samples[0][ARM_DYN_SLOW] = 7;
  dynamics->sample_sd[0] = 0.75;
  dynamics->has_links = true;
  dynamics->completion = ARM_CONSISTENT_LOGCHOL;
  dynamics->completion_reason = ARM_CONSISTENT_NO_NOMINAL;
  for (gsize i = 0; i < JOINTS; i++) {
    AioDynamicsLink *link = &dynamics->link[i];
    *link = (AioDynamicsLink){.link = {true, 2.5, {.25, .5, .75}, {1, 2, 2.5, .125, 0, 0}},
                              .is_consistent = i == 0,
                              .fate = i == 0 ? ARM_NOMINAL_KNOWN : ARM_NOMINAL_GUESSED};
    for (gsize k = 0; k < ARM_INERTIA_PARAMETERS; k++)
      link->sd[k] = link->prior_sd[k] = k == 3 ? NAN : 0.5;
  }
  dynamics->link[0].rotor = (ArmDynamicsRotor){true, 4.75, 0.5, NAN};
  AioHeldOut *held_out = aio_dynamics_add_held_out(dynamics, "v.csv");
  held_out->joint[0] =
      (AioJointHeldOut){.rows = 500, .rms_error = 0.25, .rms = 2.0, .r2 = 0.875, .promised = 0.125};
  dynamics->p[0] = 0.5;
  dynamics->verdict = ARM_VERDICT_UNKNOWN;
  dynamics->joint_verdict[0] = ARM_VERDICT_FITS;
  aio_dynamics_warn(dynamics, "no_motion", 2, "joint 2: never moves");
  aio_dynamics_add_weakest(dynamics, "mX1", "joint 1: turn it faster");
  return dynamics;
}

static char *made(void) {
  gsize length;
  g_autoptr(AioDynamics) dynamics = make();
  return aio_dynamics_format(dynamics, &length);
}

static AioDynamics *load(const char *text, GError **error) {
  ArmModel model;
  make_model(&model);
  return aio_dynamics_load_bytes("d.json", text, strlen(text), &model, error);
}

static void test_returns(void) {
  g_autofree char *text = made();
  GError *error = NULL;
  gsize length;
  g_autoptr(AioDynamics) read = load(text, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(read->digest, ==, read->stated_digest);
  g_assert_cmpint(read->gauge, ==, AIO_GAUGE_REFERENCE);
  g_assert_cmpint(read->gauge_joint, ==, 1);
  g_assert_true(read->found.is_torque[1] && !read->found.is_torque[0]);
  g_assert_cmpint(read->found.group[1], ==, 1);
  g_assert_cmpuint(read->samples[0][ARM_DYN_SLOW], ==, 7);
  g_assert_true(read->sample_sd[0] == 0.75 && isnan(read->sample_sd[1]));
  g_assert_true(read->has_links && read->link[0].is_consistent && !read->link[1].is_consistent);
  g_assert_cmpfloat(read->link[1].link.inertia_com_kg_m2[2], ==, 2.5);
  g_assert_cmpint(read->link[1].fate, ==, ARM_NOMINAL_GUESSED);
  g_assert_true(isnan(read->link[0].sd[3]));
  const ArmDynamicsRotor *rotor = &read->link[0].rotor;
  g_assert_true(rotor->is_held && !read->link[1].rotor.is_held);
  g_assert_true(rotor->inertia == 4.75 && rotor->sd == 0.5 && isnan(rotor->prior_sd));
  g_assert_cmpint(read->completion_reason, ==, ARM_CONSISTENT_NO_NOMINAL);
  const AioHeldOut *held_out = g_ptr_array_index(read->held_out, 0);
  g_assert_cmpfloat(held_out->joint[0].rms_error, ==, 0.25);
  g_assert_true(isnan(held_out->joint[1].rms_error));
  g_assert_true(held_out->joint[0].promised == 0.125 && isnan(held_out->joint[1].promised));
  g_assert_true(read->p[0] == 0.5 && isnan(read->p[1]));
  g_assert_cmpint(read->joint_verdict[0], ==, ARM_VERDICT_FITS);
  g_assert_cmpint(read->verdict, ==, ARM_VERDICT_UNKNOWN);
  const AioDynamicsWarning *warning = g_ptr_array_index(read->warnings, 0);
  g_assert_cmpstr(warning->message, ==, "joint 2: never moves");
  g_autofree char *again = aio_dynamics_format(read, &length);
  g_assert_cmpstr(again, ==, text);
}

/* The agreed keys; a joint whose force was measured says N. */
static void test_keys(void) {
  static const char *const parts[] = {"\"kind\": \"dynamics\"",
                                      "\"gauge\": {\"kind\": \"reference\", \"joint\": 2}",
                                      "\"name\": \"ZZR1\"",
                                      "\"unit\": \"kg m^2\"",
                                      "\"link\": 1",
                                      "\"parameter\": \"ZZ\"",
                                      "\"parameter\": \"rotor_inertia\"",
                                      "\"residual_sd_A\"",
                                      "\"residual_sd_N\"",
                                      "\"r2_centred\"",
                                      "\"widening\"",
                                      "\"coulomb_pos_A\"",
                                      "\"coulomb_pos_N\"",
                                      "\"viscous_neg\"",
                                      "\"rotor_inertia_A_s2\"",
                                      "\"rotor_inertia_N_s2\"",
                                      "\"group\": 2",
                                      "\"A_per_Nm\"",
                                      "\"ratio_to_reference\"",
                                      "\"mass_kg\"",
                                      "\"is_consistent\": true",
                                      "\"rms_error_A\"",
                                      "\"rms_A\"",
                                      "\"coulomb_pos_A_1\"",
                                      "\"coulomb_pos_N_2\"",
                                      "\"lower\"",
                                      "\"misfit\""};
  g_autofree char *text = made();
  for (gsize k = 0; k < G_N_ELEMENTS(parts); k++)
    if (!strstr(text, parts[k]))
      g_error("no %s in %s", parts[k], text);
}

/* First place where `part` stands; the line of it is named. */
static void assert_refused(const char *part, const char *instead, const char *expected,
                           const char *found) {
  g_autofree char *text = made();
  const char *at = strstr(text, part);
  GError *error = NULL;
  guint line = 1;
  g_assert_nonnull(at);
  for (const char *c = text; c < at; c++)
    line += *c == '\n';
  g_autofree char *bad =
      g_strdup_printf("%.*s%s%s", (int)(at - text), text, instead, at + strlen(part));
  AioDynamics *read = load(bad, &error);
  if (read)
    g_error("read, with %s for %s", instead, part);
  g_autofree char *place = g_strdup_printf("d.json:%u:", line);
  if (!strstr(error->message, place) || !strstr(error->message, expected) ||
      !strstr(error->message, found))
    g_error("wanted %s %s, %s in: %s", place, expected, found, error->message);
  g_clear_error(&error);
}

static void test_refused(void) {
  assert_refused("\"dynamics\"", "\"gravity\"", "expected parameters of kind \"dynamics\"",
                 "found \"gravity\"");
  assert_refused("\"version\": 1", "\"version\": 3", "expected version 1 or 2", "found 3");
  assert_refused("{\"kind\": \"reference\"", "{\"kind\": \"guess\"", "\"known-load\"",
                 "found \"guess\"");
  assert_refused("\"joint\": 2},\n", "\"joint\": 3},\n", "expected", "found 3");
  assert_refused("\"below_min_speed\": 7", "\"below_min_speed\": -7", "expected", "found -7");
  assert_refused("\"p\": 0.5", "\"p\": 1.5", "a probability", "found 1.5");
  assert_refused("\"sample_sd_A\": 0.75", "\"sample_sd_A\": -0.75", "standard deviation",
                 "found -0.75");
  assert_refused("\"verdict\": \"unknown\"", "\"verdict\": \"fine\"", "\"fits\"", "found \"fine\"");
  assert_refused("\"residual_sd_N\"", "\"residual_sd_A\"", "expected", "residual_sd_A");
  assert_refused("\"mass_kg\": 2.5", "\"mass_kg\": null", "expected a number", "found null");
  assert_refused("\"is_consistent\": true", "\"is_consistent\": 1", "expected", "found 1");
  assert_refused("\"guessed\"", "\"invented\"", "\"repaired\" or \"guessed\"",
                 "found \"invented\"");
  assert_refused("\"rotor_inertia\": 4.75", "\"rotor_inertia\": -4.75", "not negative",
                 "found -4.75");
  assert_refused("\"rotor_sd\": 0.5", "\"rotor_sd\": -0.5", "standard deviation", "found -0.5");
  assert_refused("\"rms_error_A\": 0.25", "\"rms_error_A\": -0.25", "not negative", "found -0.25");
  assert_refused("\"coulomb_pos_N_2\",", "\"coulomb_pos_A_2\",",
                 "the name of a parameter of this file", "found \"coulomb_pos_A_2\"");
}

static void test_other_arm(void) {
  g_autofree char *text = made();
  GError *error = NULL;
  ArmModel model;
  g_assert_true(arm_model_init(&model, 3) == ARM_OK);
  g_assert_null(aio_dynamics_load_bytes("d.json", text, strlen(text), &model, &error));
  g_assert_nonnull(strstr(error->message, "expected the 3 joints of the arm, found 2"));
  g_clear_error(&error);
}

/* The worst joint's; what did not converge fits nowhere. */
static void test_judged(void) {
  enum { F = ARM_VERDICT_FITS, U = ARM_VERDICT_UNKNOWN, M = ARM_VERDICT_MISFIT };
  static const struct {
    int joint[3], verdict, lost_joint, lost;
  } cases[] = {{{F, F, F}, F, U, U}, {{F, F, U}, U, U, U}, {{F, M, F}, M, U, M},
               {{M, U, F}, M, M, M}, {{U, F, F}, U, U, U}, {{M, F, F}, M, M, M}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++)
    for (int has_converged = 0; has_converged < 2; has_converged++) {
      g_autoptr(AioDynamics) dynamics = aio_dynamics_new();
      for (gsize j = 0; j < 3; j++)
        dynamics->joint_verdict[j] = (ArmVerdictKind)cases[k].joint[j];
      aio_dynamics_judge(dynamics, 3, has_converged);
      g_assert_cmpint(dynamics->verdict, ==, has_converged ? cases[k].verdict : cases[k].lost);
      g_assert_cmpint(dynamics->joint_verdict[0], ==,
                      has_converged ? cases[k].joint[0] : cases[k].lost_joint);
    }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dynamics-file/returns", test_returns);
  g_test_add_func("/dynamics-file/keys", test_keys);
  g_test_add_func("/dynamics-file/refused", test_refused);
  g_test_add_func("/dynamics-file/other-arm", test_other_arm);
  g_test_add_func("/dynamics-file/judged", test_judged);
  return g_test_run();
}
