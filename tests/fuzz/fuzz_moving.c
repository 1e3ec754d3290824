/* SPDX-License-Identifier: MIT */
/* The way of `identify` from any bytes of a recording to parameters, of an arm that turns and
 * slides: either one error, or rows, and then parameters whose file reads back. What the size of
 * the bytes decides: part of the time, joint by joint, friction terms. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/dynamics/even.h"
#include "core/dynamics/identify.h"
#include "core/dynamics/outcome.h"
#include "io/params/dynamics_file.h"
#include "io/recording/recording_moving.h"

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

enum { JOINTS = 2 };

static void make_model(ArmModel *model) {
  g_assert_true(arm_model_init(model, JOINTS) == ARM_OK);
  arm_joint_set_mdh(&model->joints[0], ARM_JOINT_R, 1.5707963267948966, 0, 0, 0);
  arm_joint_set_mdh(&model->joints[1], ARM_JOINT_T, 1.5707963267948966, 0.1, 0, 0);
}

typedef struct {
  bool is_sequential, has_terms;
  ArmInformation *information;
  ArmDynStream *stream;
  ArmEven *even;
  ArmStatus status;
} Reading;

static ArmStatus fold(void *user, size_t joint, size_t rows, bool follows, const double *t,
                      const double *block, size_t ld) {
  (void)t;
  if (!follows)
    arm_information_break(user, joint);
  return arm_information_push(user, joint, block, rows, ld);
}

static ArmStatus push_even(void *user, const ArmDynSamples *samples) {
  return arm_dyn_stream_push(user, samples);
}

static bool take(const AioRecording *window, gsize first, gsize count, void *data) {
  Reading *reading = data;
  const ArmDynSamples samples = {.samples = count,
                                 .ld = window->rows,
                                 .t = window->t + first,
                                 .joint = window->joint + first,
                                 .q = window->q + first,
                                 .qd = window->qd + first,
                                 .qdd = window->qdd ? window->qdd + first : NULL,
                                 .effort = window->current + first};
  reading->status = reading->even ? arm_even_push(reading->even, &samples)
                                  : arm_dyn_stream_push(reading->stream, &samples);
  return reading->status == ARM_OK;
}

static void check_file(AioDynamics *dynamics, const ArmModel *model) {
  GError *error = NULL;
  gsize length, length_again;
  g_autofree char *text = aio_dynamics_format(dynamics, &length);
  g_autoptr(AioDynamics) read = aio_dynamics_load_bytes("saved", text, length, model, &error);
  g_assert_no_error(error);
  g_autofree char *again = aio_dynamics_format(read, &length_again);
  g_assert_cmpmem(text, length, again, length_again);
}

/* As the verb asks for them. */
static void describe_joints(const Reading *reading, const ArmModel *model,
                            const AioMovingSurvey *survey, ArmDynamicsJoint *joints) {
  g_assert_true(arm_dynamics_joints(model, joints) == ARM_OK);
  for (size_t j = 0; j < JOINTS; j++) {
    joints[j].is_torque = survey->is_torque[j] || reading->is_sequential;
    joints[j].has[ARM_DYN_LOAD] = joints[j].has[ARM_DYN_CURVE] = reading->has_terms;
  }
}

static void check_fit(Reading *reading, const ArmDynamicsFit *fit, const ArmModel *model,
                      const ArmBase *base) {
  ArmDynamicsResidual residual;
  for (size_t j = 0; j < JOINTS; j++)
    g_assert_true(arm_dynamics_residual(fit, reading->information, j, &residual) != ARM_E_ARGUMENT);
  if (reading->has_terms)
    return; /* its file says what was tried, too */
  g_autoptr(AioDynamics) dynamics = aio_dynamics_new();
  g_assert_true(arm_dynamics_set(fit, model, base, &dynamics->found) == ARM_OK);
  bool is_finite = true;
  for (size_t k = 0; k < dynamics->found.n; k++)
    is_finite = is_finite && isfinite(dynamics->found.estimate[k].used) &&
                !isinf(dynamics->found.estimate[k].sd);
  for (size_t k = 0; k < dynamics->found.n_covered * dynamics->found.n_covered; k++)
    is_finite = is_finite && isfinite(dynamics->found.covariance[k]);
  if (is_finite)
    check_file(dynamics, model);
}

static void identify(Reading *reading, const ArmModel *model, const ArmBase *base,
                     const AioMovingSurvey *survey) {
  ArmDynamicsJoint joints[ARM_MAX_JOINTS];
  ArmDynamicsOptions options = arm_dynamics_defaults;
  ArmDynamicsFit *fit = NULL;
  options.way = reading->is_sequential ? ARM_DYNAMICS_SEQUENTIAL : ARM_DYNAMICS_BATCH;
  describe_joints(reading, model, survey, joints);
  if (arm_dynamics_identify(reading->information, joints, &options, &fit) != ARM_OK)
    return; /* numbers of 1e15 and more: it says so */
  check_fit(reading, fit, model, base);
  arm_dynamics_fit_free(fit);
}

static void stream(AioCsv *csv, const ArmModel *model, const AioTimeSpan *span,
                   const AioMovingSurvey *survey, Reading reading) {
  static const double beta[10 * JOINTS] = {1, -2, 3, 4, -5, 6};
  const ArmDynTerms terms = {
      .beta = beta, .eta = {0.1, -1}, .curve_speed = {{0.1, 0.4}, {0.1, 0.4}}};
  ArmDynStreamOptions options;
  ArmBase *base = NULL;
  GError *error = NULL;
  arm_dyn_stream_options_default(&options);
  options.step_s = survey->step_s;
  options.cutoff_Hz = 0.1 / survey->step_s;
  options.has_qd = survey->has_qd;
  options.has_qdd = survey->has_qd && survey->has_qdd;
  options.is_sequential = reading.is_sequential;
  options.terms = reading.has_terms ? &terms : NULL;
  if (arm_dyn_stream_check(&options) != ARM_DYN_STREAM_GOOD)
    return;
  g_assert_true(arm_base_new(model, 0, ARM_BASE_CLOSED_FORM, &base) == ARM_OK);
  g_assert_true((reading.has_terms ? arm_information_new_terms(base, &reading.information)
                                   : arm_information_new(base, &reading.information)) == ARM_OK);
  g_assert_true(arm_dyn_stream_new(model, base, &options, fold, reading.information,
                                   &reading.stream) == ARM_OK);
  if (survey->is_uneven)
    g_assert_true(arm_even_new(JOINTS, options.step_s, options.has_qd, options.has_qdd, push_even,
                               reading.stream, &reading.even) == ARM_OK);
  g_assert_true(aio_moving_each(csv, model, span, take, &reading, &error)); /* as before */
  if (reading.status == ARM_OK && reading.even)
    reading.status = arm_even_end(reading.even);
  if (reading.status == ARM_OK)
    reading.status = arm_dyn_stream_finish(reading.stream);
  if (reading.status == ARM_OK)
    identify(&reading, model, base, survey);
  arm_even_free(reading.even);
  arm_dyn_stream_free(reading.stream);
  arm_information_free(reading.information);
  arm_base_free(base);
}

int LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  const AioTimeSpan span = {size % 2 ? (double)NAN : 0.01, (double)NAN};
  GError *error = NULL;
  AioMovingSurvey survey;
  const int fd = memfd_create("fuzz", 0);
  g_assert_true(fd >= 0 && write(fd, data, size) == (gssize)size);
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  make_model(model);
  g_autoptr(AioCsv) csv = aio_csv_open(path, &error);
  if (csv && aio_moving_survey(csv, model, &span, &survey, &error)) {
    g_assert_true(!error && survey.rows > 0 && !(survey.step_s <= 0));
    stream(csv, model, &span, &survey,
           (Reading){.is_sequential = size % 3 == 0, .has_terms = size % 3 == 1});
    aio_moving_survey_clear(&survey);
  } else {
    g_assert_true(error && error->domain == AIO_ERROR && *error->message);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_error_free(error);
  }
  (void)close(fd);
  return 0;
}
