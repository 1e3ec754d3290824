/* SPDX-License-Identifier: MIT */
/* Units, provenance and digest of parameter files: they return, they are checked, and files without
 * them are read as before. */
#include <math.h>
#include <string.h>

#include "io/json/digest.h"
#include "io/params/params_file.h"
#include "io/params/verdict_file.h"
#include "params_case.h"

static AioProvenance *make_provenance(void) {
  AioProvenance *provenance = aio_provenance_new("fitter", "1.2", "sha256:arm");
  aio_provenance_add_recording(provenance, "a \"b\".csv", "sha256:1");
  aio_provenance_add_recording(provenance, NULL, NULL);
  provenance->options = g_strdup("{\"min\": 0.5, \"deep\": [1, {\"x_a\": null}]}");
  return provenance;
}

static char *make_text(ArmModel *model, const bool *is_torque, bool has_provenance) {
  ArmGravityFit fit;
  gsize length;
  params_case_make(model, &fit);
  AioProvenance *provenance = has_provenance ? make_provenance() : NULL;
  char *text = aio_params_format(&fit, is_torque, "RT", "sha256:arm", NULL, provenance, &length);
  g_assert_cmpuint(length, ==, strlen(text));
  aio_provenance_free(provenance);
  return text;
}

static char *written(const AioParams *params) {
  gsize length;
  return aio_params_format(&params->fit, params->is_torque, params->arm_name, params->arm_digest,
                           params->program, params->provenance, &length);
}

static void test_provenance_returns(void) {
  ArmModel model;
  gsize length;
  char *text = make_text(&model, NULL, true);
  AioParams *params = params_case_load(text, &model);
  const AioProvenance *found = params->provenance;
  g_assert_nonnull(found);
  g_assert_cmpstr(found->program, ==, "fitter");
  g_assert_cmpstr(found->version, ==, "1.2");
  g_assert_cmpstr(found->arm_digest, ==, "sha256:arm");
  g_assert_cmpuint(found->recordings->len, ==, 2);
  const AioSource *first = g_ptr_array_index(found->recordings, 0);
  const AioSource *second = g_ptr_array_index(found->recordings, 1);
  g_assert_cmpstr(first->name, ==, "a \"b\".csv");
  g_assert_cmpstr(first->digest, ==, "sha256:1");
  g_assert_true(!second->name && !second->digest);
  g_assert_cmpstr(found->options, ==, "{\"min\": 0.5, \"deep\": [1, {\"x_a\": null}]}");
  char *again = aio_params_format(&params->fit, params->is_torque, params->arm_name,
                                  params->arm_digest, params->program, found, &length);
  g_assert_cmpstr(text, ==, again);
  g_free(again);
  aio_params_free(params);
  g_free(text);
}

/* A verdict returns as it was written: the alarms, their sizes, and what is said of them. */
static void test_verdict_returns(void) {
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  AioParams *params = params_case_load(text, &model);
  ArmVerdict *verdict = &params->fit.verdict;
  g_assert_cmpuint(verdict->n, ==, 0); /* this fit was never judged, and nothing is said of it */
  g_assert_null(strstr(text, "verdict"));
  arm_verdict_init(verdict, 2);
  verdict->verdict = ARM_VERDICT_MISFIT;
  verdict->joint[0] = (ArmJointVerdict){.verdict = ARM_VERDICT_MISFIT,
                                        .strokes = 12,
                                        .pairs = 6,
                                        .promised = 0.0002,
                                        .friction = 0.5,
                                        .s = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06},
                                        .tau = 0.0021,
                                        .trend = -0.01,
                                        .p = 1e-60,
                                        .worst_hold = 2,
                                        .stroke_hold = 1,
                                        .stroke_speed = -0.75,
                                        .stroke_time = 12.5};
  verdict->joint[0].test[ARM_TEST_GRAVITY] = (ArmTest){.size = 0.0073, .is_alarm = true};
  verdict->joint[0].test[ARM_TEST_STROKE] = (ArmTest){.size = 0.25, .is_alarm = true};
  verdict->joint[0].test[ARM_TEST_SPEED].size = 0.125;
  params->fit.doubts = (ArmDoubts){.count = 2};
  params->fit.doubts.at[0] = (ArmDoubt){.kind = ARM_DOUBT_HELD_MOVES,
                                        .joint = 1,
                                        .other = 0,
                                        .found = 0.05,
                                        .time = 7.5,
                                        .count = 3,
                                        .rows = 100};
  params->fit.doubts.at[1] = (ArmDoubt){.kind = ARM_DOUBT_GAPS,
                                        .joint = ARM_DOUBT_ALL_JOINTS,
                                        .found = 0.25,
                                        .expected = (double)NAN,
                                        .count = 4,
                                        .rows = 9};
  char *with = written(params);
  AioParams *back = params_case_load(with, &model);
  char *again = written(back);
  g_assert_cmpstr(with, ==, again);
  g_assert_cmpint(back->fit.verdict.verdict, ==, ARM_VERDICT_MISFIT);
  g_assert_cmpuint(back->fit.doubts.count, ==, 2);
  g_assert_cmpint(back->fit.doubts.at[0].kind, ==, ARM_DOUBT_HELD_MOVES);
  g_assert_cmpuint(back->fit.doubts.at[1].joint, ==, ARM_DOUBT_ALL_JOINTS);
  g_assert_nonnull(strstr(with, "while joint 1 is swept (t = 7.5 s"));
  g_assert_cmpint(arm_verdict_first(&back->fit.verdict), ==, ARM_TEST_STROKE);
  g_assert_true(back->fit.verdict.joint[0].test[ARM_TEST_GRAVITY].size == 0.0073);
  g_assert_cmpmem(back->fit.verdict.joint[0].s, sizeof verdict->joint[0].s, verdict->joint[0].s,
                  sizeof verdict->joint[0].s);
  g_assert_true(back->fit.verdict.joint[0].tau == 0.0021);
  g_assert_cmpint(back->fit.verdict.joint[1].untold, ==, ARM_UNTOLD_NO_STROKES);
  g_assert_nonnull(strstr(with, "starts 12.5 s after the first one (hold 2, -0.75 rad/s)"));
  g_assert_null(strstr(with, "the gravity model misses")); /* it leaks from the stroke */
  g_free(again);
  aio_params_free(back);
  g_free(with);
  aio_params_free(params);
  g_free(text);
}

/* Every reason has a word of its own, and a sentence. */
static void test_verdict_untold(void) {
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  AioParams *params = params_case_load(text, &model);
  arm_verdict_init(&params->fit.verdict, 2);
  params->fit.verdict.joint[1].strokes = 24;
  params->fit.verdict.joint[1].pairs = 3;
  for (int k = ARM_UNTOLD_NO_STROKES; k <= ARM_UNTOLD_UNSURE; k++) {
    params->fit.verdict.joint[1].untold = (ArmUntold)k;
    char *with = written(params);
    g_assert_true((k == ARM_UNTOLD_FEW_PAIRS) == (strstr(with, "18 of 24 sweeps") != NULL));
    AioParams *back = params_case_load(with, &model);
    g_assert_cmpint(back->fit.verdict.joint[1].untold, ==, k);
    aio_params_free(back);
    g_free(with);
  }
  aio_params_free(params);
  g_free(text);
}

static char *without(const char *text, const char *from, const char *to) {
  GString *out = g_string_new(text);
  g_assert_cmpuint(g_string_replace(out, from, to, 1), ==, 1);
  return g_string_free(out, FALSE);
}

/* An older file does not say what a validation promises by. */
static void test_verdict_without_noise(void) {
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  AioParams *params = params_case_load(text, &model);
  arm_verdict_init(&params->fit.verdict, 2);
  params->fit.verdict.joint[1].s[5] = 0.06;
  params->fit.verdict.joint[1].tau = 0.0021;
  char *with = written(params);
  GRegex *noise =
      g_regex_new(",\\s*\"noise_A\": \\[[^]]*\\],\\s*\"friction_scatter_A\": [^,]*", 0, 0, NULL);
  char *older = g_regex_replace(noise, with, -1, 0, "", 0, NULL);
  g_assert_cmpuint(strlen(older), <, strlen(with));
  AioParams *back = params_case_load(older, &model);
  g_assert_true(isnan(back->fit.verdict.joint[1].s[5])); /* not 0, which would be no noise */
  g_assert_true(isnan(back->fit.verdict.joint[1].tau));
  aio_params_free(back);
  g_free(older);
  g_regex_unref(noise);
  g_free(with);
  aio_params_free(params);
  g_free(text);
}

/* Of what a file says of itself and of its joints the worst counts. */
static void test_verdict_taken_out(void) {
  static const char *const changed[][2] = {
      {"\"verdict\": \"misfit\",\n  \"warnings\"", "\"warnings\""},
      {"\"verdict\": \"misfit\",\n  \"warnings\"", "\"verdict\": \"fits\",\n  \"warnings\""}};
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  AioParams *params = params_case_load(text, &model);
  ArmVerdict *verdict = &params->fit.verdict;
  arm_verdict_init(verdict, 2);
  verdict->verdict = verdict->joint[0].verdict = ARM_VERDICT_MISFIT;
  verdict->joint[0].test[ARM_TEST_GRAVITY] = (ArmTest){.size = 0.0073, .is_alarm = true};
  char *with = written(params);
  for (gsize k = 0; k < G_N_ELEMENTS(changed); k++) {
    char *other = without(with, changed[k][0], changed[k][1]);
    AioParams *back = params_case_load(other, &model);
    g_assert_true(aio_verdict_is_misfit(&back->fit));
    aio_params_free(back);
    g_free(other);
  }
  g_free(with);
  aio_params_free(params);
  g_free(text);
}

/* The digest follows what the file says, not how it is written. */
static void test_digest_finds_changes(void) {
  static const struct {
    const char *from, *to;
    bool is_change;
  } edits[] = {
      {"\"rows_used\": 9", "\"rows_used\": 8", true},
      {"\"used\": 3,", "\"used\": 3.0000000000000004,", true},
      {"\"used\": 3,", "\"used\": 3.0e0,", false},
      {"\"name\": \"RT\"", "\"name\": \"RT \"", true},
      {"\"sha256:1\"", "\"sha256:2\"", true},
      {"\"version\": 1,\n", "\"version\" : 1, \"x_note\": \"mine\",\n\n", false},
      {"\"min\": 0.5", "\"min\": 0.25", true},
      {"\"name\": \"RT\",\n    \"digest\": \"sha256:arm\"",
       "\"digest\": \"sha256:arm\", \"name\": \"\\u0052T\"", false},
  };
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  AioParams *plain = params_case_load(text, &model);
  g_assert_cmpstr(plain->digest, ==, plain->stated_digest);
  g_assert_true(g_str_has_prefix(plain->digest, "sha256:") && strlen(plain->digest) == 7 + 64);
  for (gsize k = 0; k < G_N_ELEMENTS(edits); k++) {
    char *edited = params_case_replaced(text, edits[k].from, edits[k].to);
    AioParams *params = params_case_load(edited, &model);
    g_assert_cmpstr(params->stated_digest, ==, plain->stated_digest);
    g_assert_true((strcmp(params->digest, params->stated_digest) != 0) == edits[k].is_change);
    aio_params_free(params);
    g_free(edited);
  }
  aio_params_free(plain);
  g_free(text);
}

static void test_without_the_new_keys(void) {
  ArmModel model;
  char *text = make_text(&model, NULL, false);
  char *bare = g_strdup(text), *begin = strstr(bare, "  \"units\""), *end = strstr(begin, "},\n");
  memmove(begin, end + 3, strlen(end + 3) + 1);
  begin = strstr(bare, "  \"digest\"");
  end = strchr(begin, '\n') + 1;
  memmove(begin, end, strlen(end) + 1);
  AioParams *params = params_case_load(bare, &model), *full = params_case_load(text, &model);
  g_assert_true(!params->provenance && !params->stated_digest && params->digest);
  g_assert_true(params->fit.refined.ratio[0][1].used == full->fit.refined.ratio[0][1].used);
  aio_params_free(full);
  aio_params_free(params);
  g_free(bare);
  g_free(text);
}

static void refuse(const char *text, const ArmModel *model, const char *message) {
  GError *error = NULL;
  g_assert_null(aio_params_load_bytes("p", text, strlen(text), model, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  if (!strstr(error->message, message))
    g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, message));
  g_error_free(error);
}

static void test_wrong_members(void) {
  static const char *const edits[][3] = {
      {"\"kx_star_1\": \"A s^2/m\"", "\"kx_star_1\": \"N m\"",
       "units.kx_star_1: expected \"A s^2/m\", the unit of this parameter here, found \"N m\""},
      {"\"kx_star_1\": \"A", "\"kx_star_9\": \"A", "kx_star_9"},
      {"\"viscous_pos_2\": \"A s/m\"", "\"viscous_pos_2\": 3", "expected a string"},
      {"\"program\": \"fitter\"", "\"programme\": \"fitter\"", "programme"},
      {"\"version\": \"1.2\"", "\"version\": 1.2", "provenance.version"},
      {"{\"name\": null, \"digest\": null}", "7", "provenance.recording 2"},
  };
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  for (gsize k = 0; k < G_N_ELEMENTS(edits); k++) {
    char *edited = params_case_replaced(text, edits[k][0], edits[k][1]);
    refuse(edited, &model, edits[k][2]);
    g_free(edited);
  }
  g_free(text);
}

/* What would be said of joint 33, or of none, is refused. */
static void test_wrong_doubts(void) {
  static const struct {
    ArmDoubt doubt;
    const char *message;
  } cases[] = {
      {{.kind = ARM_DOUBT_SPEED_UNIT, .joint = ARM_DOUBT_ALL_JOINTS}, "expected a joint"},
      {{.kind = ARM_DOUBT_JITTER, .joint = 1}, "expected null"},
      {{.kind = ARM_DOUBT_RATIO_SIGN, .joint = 1, .other = 2}, "other: expected another joint"},
      {{.kind = ARM_DOUBT_HELD_MOVES, .joint = 1, .other = 9}, "other: expected another joint"}};
  ArmModel model;
  char *text = make_text(&model, NULL, true);
  AioParams *params = params_case_load(text, &model);
  arm_verdict_init(&params->fit.verdict, 2);
  params->fit.doubts.count = 1;
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    params->fit.doubts.at[0] = cases[k].doubt;
    char *with = written(params);
    refuse(with, &model, cases[k].message);
    g_free(with);
  }
  aio_params_free(params);
  g_free(text);
}

/* joint 1: friction of the load; joint 2: a curve of it */
static void add_terms(ArmGravityParameters *p) {
  for (size_t i = 0; i < 2; i++) {
    ArmJointFit *joint = &p->joint[i];
    joint->has_term[i] = true;
    joint->term[i] = (ArmEstimate){NAN, NAN, 0.0625, false, ARM_REASON_DEPENDS_ON_OTHER};
    joint->term_sign = i ? -1.0 : 1.0;
    joint->load_seen[0] = 0.25;
    joint->load_seen[1] = 9.5;
    joint->curve_speed = 0.125;
    joint->trial[i] = (ArmTermTrial){ARM_TERM_CHOSEN, NAN, NAN, 0.375, 1};
    joint->trial[1 - i] = (ArmTermTrial){ARM_TERM_UNSEEN, NAN, NAN, NAN, 1};
  }
}

/* A file with friction terms is of version 2 and returns; one of version 1 has none. */
static void test_terms_return(void) {
  ArmModel model;
  ArmGravityFit fit;
  gsize length;
  params_case_make(&model, &fit);
  char *plain = aio_params_format(&fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
  g_assert_nonnull(strstr(plain, "\"version\": 1,"));
  g_assert_null(strstr(plain, "\"terms\""));
  add_terms(&fit.refined);
  char *text = aio_params_format(&fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
  static const char *const said[] = {
      "\"version\": 2,",
      "\"load_seen_A\"",
      "\"curve_speed_m_s\": 0.125",
      "\"friction_sign\": -1",
      "\"load_1\": \"1\"",
      "\"curve_2\": \"A\"",
      "\"reason_key\": \"unseen\"",
      "\"offered\": true",
  };
  for (gsize k = 0; k < G_N_ELEMENTS(said); k++)
    g_assert_nonnull(strstr(text, said[k]));
  AioParams *params = params_case_load(text, &model);
  const ArmJointFit *found = params->fit.refined.joint;
  g_assert_true(found[0].has_term[ARM_TERM_LOAD] && !found[0].has_term[ARM_TERM_CURVE]);
  g_assert_true(found[1].has_term[ARM_TERM_CURVE] && !found[1].has_term[ARM_TERM_LOAD]);
  g_assert_cmpfloat(found[0].term[ARM_TERM_LOAD].used, ==, 0.0625);
  g_assert_cmpfloat(found[0].load_seen[1], ==, 9.5);
  g_assert_cmpfloat(found[1].curve_speed, ==, 0.125);
  g_assert_cmpfloat(found[1].term_sign, ==, -1.0);
  g_assert_cmpint(found[1].trial[ARM_TERM_LOAD].outcome, ==, ARM_TERM_UNSEEN);
  char *again = aio_params_format(&params->fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
  g_assert_cmpstr(text, ==, again);
  char *old = params_case_replaced(text, "\"version\": 2", "\"version\": 1");
  refuse(old, &model, "2, as the file has friction terms");
  char *newer = params_case_replaced(text, "\"version\": 2", "\"version\": 3");
  GError *error = NULL;
  g_assert_null(aio_params_load_bytes("p", newer, strlen(newer), &model, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  char *wrong = params_case_replaced(text, "\"friction_sign\": -1", "\"friction_sign\": 0");
  refuse(wrong, &model, "1 or -1");
  aio_params_free(params);
  g_free(wrong);
  g_free(newer);
  g_free(old);
  g_free(again);
  g_free(text);
  g_free(plain);
}

/* Edited by hand, or by a program that keeps the keys it knows: never friction that pushes, never a
 * term that got lost. */
static void test_wrong_terms(void) {
  static const char *const edits[][3] = {
      {"\"used\": 0.0625", "\"used\": -3", "load.used: expected a part of the load, from 0 to 1"},
      {"\"used\": 0.0625", "\"used\": 1e300", "expected a part of the load, from 0 to 1"},
      {"{\"value\": null, \"sd\": null, \"identifiable\": false, \"used\": 0.0625",
       "{\"value\": -0.25, \"sd\": 0.125, \"identifiable\": true, \"used\": 0.0625",
       "load.value: expected a part of the load, from 0 to 1, found -0.25"},
      {"\"load\": {", "\"x_load\": {", "load_seen_A: expected the friction term"},
      {"\"curve\": {", "\"x_curve\": {", "curve_speed_m_s: expected the friction term"},
      {"\"curve_speed_m_s\": 0.125", "\"curve_speed_m_s\": 0", "a speed above 0"},
      {"\"chosen\": true", "\"chosen\": 1", "term 1: chosen: expected true or false"},
      {"\"chosen\": true", "\"chosen\": false", "what reason_key says"},
      {"\"offered\": true, \"chosen\": true, \"gain\": 0.375, \"reason\": null, "
       "\"reason_key\": \"chosen\"",
       "\"offered\": true, \"chosen\": false, \"gain\": 0.375, \"reason\": null, "
       "\"reason_key\": \"unseen\"",
       "expected no parameter \"load\" of a term that was not chosen, found one"},
  };
  ArmModel model;
  ArmGravityFit fit;
  gsize length;
  params_case_make(&model, &fit);
  add_terms(&fit.refined);
  char *text = aio_params_format(&fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
  for (gsize k = 0; k < G_N_ELEMENTS(edits); k++) {
    char *edited = params_case_replaced(text, edits[k][0], edits[k][1]);
    refuse(edited, &model, edits[k][2]);
    g_free(edited);
  }
  GString *lost = g_string_new(text); /* with all that tells of it but the list of what was tried */
  g_string_replace(lost, "\"load\": {", "\"x_load\": {", 1);
  g_string_replace(lost, "\"load_seen_A\"", "\"x_seen\"", 1);
  g_string_replace(lost, "\"friction_sign\": 1", "\"x_sign\": 1", 1);
  g_string_replace(lost, "\"load_1\"", "\"x_load_1\"", 1);
  refuse(lost->str, &model,
         "expected the parameter \"load\" of a term that was chosen, found none");
  g_string_free(lost, TRUE);
  g_free(text);
}

/* The recursion alone may have them, and a file may not say what was tried: it returns all the
 * same.
 */
static void test_terms_of_recursion(void) {
  ArmModel model;
  ArmGravityFit fit;
  gsize length;
  params_case_make(&model, &fit);
  fit.recursive = fit.refined;
  add_terms(&fit.recursive);
  char *text = aio_params_format(&fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
  g_assert_nonnull(strstr(text, "\"version\": 2,"));
  GString *bare = g_string_new(text);
  for (int k = 0; k < 2; k++)
    g_string_replace(bare, "\"terms\"", "\"x_terms\"", 1);
  AioParams *params = params_case_load(bare->str, &model);
  const ArmJointFit *found = params->fit.recursive.joint;
  g_assert_cmpint(found[0].trial[ARM_TERM_LOAD].outcome, ==, ARM_TERM_CHOSEN);
  g_assert_cmpint(found[1].trial[ARM_TERM_CURVE].outcome, ==, ARM_TERM_CHOSEN);
  char *saved = aio_params_format(&params->fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
  AioParams *again = params_case_load(saved, &model);
  aio_params_free(again);
  aio_params_free(params);
  g_free(saved);
  g_string_free(bare, TRUE);
  g_free(text);
}

static void test_units(void) {
  static const char *const both[][3] = {
      {"kx_star_1", "A s^2/m", "N m s^2/m"},
      {"coulomb_neg_A_1", "A", "N m"},
      {"viscous_pos_1", "A s/rad", "N m s/rad"},
      {"mhat_star_2", "A s^2/m", "N s^2/m"},
      {"coulomb_pos_A_2", "A", "N"},
      {"viscous_neg_2", "A s/m", "N s/m"},
      {"ratio_1_2", "1/m", "1"},
  };
  for (int torque = 0; torque < 2; torque++) {
    const bool is_torque[ARM_MAX_JOINTS] = {torque, torque};
    ArmModel model;
    char *text = make_text(&model, is_torque, false);
    for (gsize k = 0; k < G_N_ELEMENTS(both); k++) {
      char *line = g_strdup_printf("    \"%s\": \"%s\"", both[k][0], both[k][1 + torque]);
      g_assert_nonnull(strstr(text, line));
      g_free(line);
    }
    aio_params_free(params_case_load(text, &model));
    g_free(text);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/params-file/verdict-returns", test_verdict_returns);
  g_test_add_func("/params-file/verdict-untold", test_verdict_untold);
  g_test_add_func("/params-file/verdict-without-noise", test_verdict_without_noise);
  g_test_add_func("/params-file/verdict-taken-out", test_verdict_taken_out);
  g_test_add_func("/params-file/provenance-returns", test_provenance_returns);
  g_test_add_func("/params-file/digest-finds-changes", test_digest_finds_changes);
  g_test_add_func("/params-file/without-the-new-keys", test_without_the_new_keys);
  g_test_add_func("/params-file/wrong-members", test_wrong_members);
  g_test_add_func("/params-file/terms-return", test_terms_return);
  g_test_add_func("/params-file/wrong-terms", test_wrong_terms);
  g_test_add_func("/params-file/terms-of-recursion", test_terms_of_recursion);
  g_test_add_func("/params-file/units", test_units);
  g_test_add_func("/params-file/wrong-doubts", test_wrong_doubts);
  return g_test_run();
}
