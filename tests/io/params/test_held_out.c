/* SPDX-License-Identifier: MIT */
/* What a parameter file says of a session's validation: it returns, the worst of it counts, and
 * files that have none are what they were. */
#include <math.h>
#include <string.h>

#include "io/params/held_out.h"
#include "io/params/params_file.h"
#include "params_case.h"

static AioHeldOut *add_failed(GPtrArray *list) {
  AioHeldOut *held_out = aio_held_out_add(list, "bench.armsession");
  held_out->state = AIO_HELD_OUT_FAILED;
  held_out->joint[0] = (AioJointHeldOut){.rows = 90,
                                         .rms_error = 0.0215,
                                         .rms = 0.5,
                                         .r2 = (double)NAN,
                                         .promised = 0.00390625,
                                         .state = AIO_HELD_OUT_FAILED,
                                         .reason = ARM_VALIDATION_MISFIT};
  held_out->joint[1].state = AIO_HELD_OUT_PASSED;
  return held_out;
}

static char *make_validated(ArmModel *model, const GPtrArray *held_out) {
  ArmGravityFit fit;
  gsize length;
  params_case_make(model, &fit);
  return aio_params_format_validated(&fit, NULL, "RT", "sha256:arm", NULL, NULL, held_out, &length);
}

/* As a fit alone writes it. */
static char *make_fitted(ArmModel *model) {
  ArmGravityFit fit;
  gsize length;
  params_case_make(model, &fit);
  return aio_params_format(&fit, NULL, "RT", "sha256:arm", NULL, NULL, &length);
}

static void assert_says(const AioParams *params, AioHeldOutState state, const char *line) {
  g_assert_cmpint(aio_held_out_state(params->held_out), ==, state);
  GPtrArray *lines = aio_params_validation_lines(params);
  g_assert_cmpuint(lines->len, ==, line ? 1 : 0);
  if (line)
    g_assert_cmpstr(lines->pdata[0], ==, line);
  g_ptr_array_unref(lines);
}

static void test_validation_returns(void) {
  ArmModel model;
  GPtrArray *list = aio_held_out_list_new();
  add_failed(list);
  char *text = make_validated(&model, list);
  AioParams *params = params_case_load(text, &model);
  char *again = make_validated(&model, params->held_out);
  g_assert_cmpstr(text, ==, again);
  g_assert_cmpstr(params->stated_digest, ==, params->digest);
  assert_says(params, AIO_HELD_OUT_FAILED,
              "the validation has failed: joint 1: off by 21.5 mA (promised 3.91 mA): that is more "
              "than the fit promises");
  const AioHeldOut *back = g_ptr_array_index(params->held_out, 0);
  g_assert_cmpstr(back->name, ==, "bench.armsession");
  g_assert_cmpuint(back->joint[0].rows, ==, 90);
  g_assert_true(back->joint[0].rms == 0.5 && isnan(back->joint[1].rms));
  g_assert_cmpint(back->joint[1].state, ==, AIO_HELD_OUT_PASSED);
  g_free(again);
  aio_params_free(params);
  g_free(text);
  g_ptr_array_unref(list);
}

/* Of what a file says of itself and of its joints the worst counts, as of verdicts. */
static void test_validation_says(void) {
  static const struct {
    const char *from, *to;
    AioHeldOutState state;
    const char *line;
  } cases[] = {
      {"\"state\": \"failed\",\n", "", AIO_HELD_OUT_FAILED,
       "the validation has failed: joint 1: off by 21.5 mA (promised 3.91 mA): that is more than "
       "the fit promises"},
      {"\"state\": \"failed\", \"reason\"", "\"state\": \"passed\", \"reason\"",
       AIO_HELD_OUT_FAILED, "the validation has failed"},
      {"\"state\": \"failed\",\n", "\"state\": \"passed\",\n", AIO_HELD_OUT_FAILED,
       "the validation has failed: joint 1: off by 21.5 mA (promised 3.91 mA): that is more than "
       "the fit promises"},
  };
  ArmModel model;
  GPtrArray *list = aio_held_out_list_new();
  AioHeldOut *held_out = add_failed(list);
  char *text = make_validated(&model, list);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *other = params_case_replaced(text, cases[k].from, cases[k].to);
    AioParams *params = params_case_load(other, &model);
    assert_says(params, cases[k].state, cases[k].line);
    aio_params_free(params);
    g_free(other);
  }
  g_free(text);
  held_out->joint[0].state = AIO_HELD_OUT_COMPARED;
  for (int state = AIO_HELD_OUT_PASSED; state < AIO_HELD_OUT_STATES; state++) {
    static const char *const lines[] = {NULL, NULL, "the validation has failed",
                                        "the fit is not validated: its validation is out of date",
                                        "the fit is not validated, though there are sweeps for it"};
    held_out->state = (AioHeldOutState)state;
    text = make_validated(&model, list);
    AioParams *params = params_case_load(text, &model);
    assert_says(params, held_out->state, lines[state]);
    aio_params_free(params);
    g_free(text);
  }
  g_ptr_array_unref(list);
}

/* A file of a fit alone is what it was before there was a validation in any. */
static void test_without_validation(void) {
  ArmModel model;
  char *text = make_fitted(&model), *same = make_validated(&model, NULL);
  g_assert_cmpstr(text, ==, same);
  g_assert_null(strstr(text, "validation"));
  AioParams *params = params_case_load(text, &model);
  g_assert_null(params->held_out);
  assert_says(params, AIO_HELD_OUT_COMPARED, NULL);
  aio_params_free(params);
  g_free(same);
  g_free(text);
}

static void test_wrong_validations(void) {
  static const struct {
    const char *from, *to, *part;
  } cases[] = {
      {"\"state\": \"failed\",\n", "\"state\": \"good\",\n", "\"passed\", \"failed\""},
      {"\"reason\": \"misfit\"", "\"reason\": \"fate\"", "a reason such as \"misfit\""},
      {"\"promised_A\": 0.00390625", "\"promised_A\": -1", "not negative"},
      {"\"rows\": 90", "\"rows\": -90", "rows"},
      {"\"rows\": 90", "\"lines\": 90", "lines"},
      {"\"joint\": 1, \"rows\"", "\"joint\": 2, \"rows\"", "joint"},
  };
  ArmModel model;
  GPtrArray *list = aio_held_out_list_new();
  add_failed(list);
  char *text = make_validated(&model, list);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    GError *error = NULL;
    char *wrong = params_case_replaced(text, cases[k].from, cases[k].to);
    g_assert_null(aio_params_load_bytes("p", wrong, strlen(wrong), &model, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
    g_assert_nonnull(strstr(error->message, cases[k].part));
    g_clear_error(&error);
    g_free(wrong);
  }
  g_free(text);
  g_ptr_array_unref(list);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/held-out/validation-returns", test_validation_returns);
  g_test_add_func("/held-out/validation-says", test_validation_says);
  g_test_add_func("/held-out/without-validation", test_without_validation);
  g_test_add_func("/held-out/wrong-validations", test_wrong_validations);
  return g_test_run();
}
