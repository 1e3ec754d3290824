/* SPDX-License-Identifier: MIT */
/* A recording is read twice: for its steps and columns, then window by window through the stream of
 * rows into triangles. Steps that are uneven are put on an even grid first. */
#include <math.h>
#include <string.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/dynamics/even.h"
#include "core/dynamics/outcome.h"

static const double slow_s = 0.5; /* between samples: nobody records so few, some their ms */

static void moving_free(gpointer data) {
  CliMoving *moving = data;
  aio_moving_survey_clear(&moving->survey);
  arm_information_free(moving->information);
  arm_information_free(moving->single);
  g_free(moving);
}

typedef struct {
  CliMoving *moving;
  ArmDynStream *stream;
  ArmEven *even;      /* NULL: steps are even */
  ArmDynStudy *study; /* NULL: none */
  ArmStatus status;
} Reading;

static ArmStatus fold(void *user, size_t joint, size_t rows, bool follows, const double *t,
                      const double *block, size_t ld) {
  const Reading *reading = user;
  ArmInformation *information = reading->moving->information;
  if (reading->study)
    arm_dyn_study_push(reading->study, joint, rows, follows, t, block, ld);
  if (!follows)
    arm_information_break(information, joint);
  return arm_information_push(information, joint, block, rows, ld);
}

static ArmStatus fold_single(void *user, size_t joint, size_t rows, bool follows, const double *t,
                             const double *block, size_t ld) {
  const Reading *reading = user;
  (void)follows, (void)t;
  arm_information_break(reading->moving->single, joint);
  return arm_information_push(reading->moving->single, joint, block, rows, ld);
}

static ArmStatus push_even(void *user, const ArmDynSamples *samples) {
  return arm_dyn_stream_push(user, samples);
}

static void find_steps(CliMoving *moving, size_t n, const double *q, gsize count, gsize ld) {
  for (size_t j = 0; j < n; j++)
    for (gsize s = 0; s < count; s++) {
      arm_resolution_add(&moving->resolution[j], q[s + j * ld]);
      if (!moving->survey.is_uneven)
        arm_scatter_add(&moving->scatter[j], q[s + j * ld]);
    }
}

static bool take_rows(const AioRecording *window, gsize first, gsize count, void *data) {
  Reading *reading = data;
  find_steps(reading->moving, window->n, window->q + first, count, window->rows);
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

/* ---- what cannot be done ---- */

static void fail_filter(const CliMoving *moving, const ArmDynStreamOptions *options) {
  const bool is_low = options->cutoff_Hz * options->step_s < ARM_DYN_LEAST_CUTOFF;
  g_autofree char *rate = cli_format_number(1 / options->step_s, 4);
  g_autofree char *half = cli_format_number(0.5 / options->step_s, 4);
  g_autofree char *least = cli_format_number(ARM_DYN_LEAST_CUTOFF / options->step_s, 4);
  g_autofree char *cutoff = cli_format_number(options->cutoff_Hz, 4);
  if (is_low)
    cli_error("%s: --lowpass: expected 0, or a frequency of at least %s Hz at a sampling rate of "
              "%s Hz, found %s",
              moving->path, least, rate, cutoff);
  else
    cli_error("%s: --lowpass: expected a frequency below half of the sampling rate of %s Hz, %s "
              "Hz, found %s%s",
              moving->path, rate, half, cutoff,
              options->step_s >= slow_s ? ": are times in ms in t_s, where s are meant?" : "");
}

static int fail_options(const CliMoving *moving, const ArmDynStreamOptions *options,
                        ArmDynStreamProblem problem) {
  const char *path = moving->path;
  g_autofree char *rate = cli_format_number(1 / options->step_s, 4);
  g_autofree char *fifth = cli_format_number(0.2 / options->step_s, 4);
  g_autofree char *cutoff = cli_format_number(options->cutoff_Hz, 4);
  if (problem == ARM_DYN_STREAM_NO_STEP)
    cli_error("%s: expected two rows or more, found one: no time between samples", path);
  else if (problem == ARM_DYN_STREAM_FILTER)
    fail_filter(moving, options);
  else if (problem == ARM_DYN_STREAM_COARSE)
    cli_error("%s: sampled at %s Hz, too coarse to differentiate positions low-passed at %s Hz: "
              "expected --lowpass %s or less, or columns of speeds and accelerations",
              path, rate, cutoff, fifth);
  else
    cli_error("%s: --lowpass 0: expected columns of speeds and accelerations of all joints, as "
              "they cannot be computed without a filter; found %s",
              path, moving->survey.has_qd ? "no accelerations" : "no speeds");
  return CLI_BAD_INPUT;
}

static const char *why(ArmDynStreamProblem problem) {
  static const char *const texts[ARM_DYN_STREAM_PROBLEMS] = {
      [ARM_DYN_STREAM_STANDS] = "never moves, or never faster than --min-speed",
      [ARM_DYN_STREAM_TOGETHER] = "never moves alone, in rows whose joint is its number",
      [ARM_DYN_STREAM_NO_EFFORT] = "has no current or torque while it moves",
      [ARM_DYN_STREAM_NO_STATE] = "lacks positions of joints, or speeds, in its rows",
      [ARM_DYN_STREAM_TOO_SHORT] = "moves in stretches that are all shorter than the filter",
      [ARM_DYN_STREAM_AT_LIMIT] = "has its current at the limit of the arm file while it moves"};
  return texts[problem] ? texts[problem] : "has no row";
}

/* Not one row of any joint. */
static int fail_empty(const CliIdentifySetup *setup, const CliMoving *moving) {
  const ArmDynStreamOptions options = cli_moving_options(setup, moving);
  const double smooth_Hz = arm_dyn_stream_smooth_Hz(&options);
  g_autofree char *length = cli_format_number(moving->survey.last_s - moving->survey.first_s, 3);
  g_autofree char *needed = cli_format_number(isnan(smooth_Hz) ? 0 : 6.4 / smooth_Hz, 3);
  cli_error("%s: no row can be used: %s s, of which the filter takes %s s at its ends",
            moving->path, length, needed);
  for (size_t j = 0; j < setup->base->n; j++)
    cli_error("%s: joint %zu %s", moving->path, j + 1, why(arm_dyn_stream_why(&moving->counts, j)));
  return CLI_BAD_INPUT;
}

/* ---- one recording ---- */

ArmDynStreamOptions cli_moving_options(const CliIdentifySetup *setup, const CliMoving *moving) {
  ArmDynStreamOptions options = setup->stream;
  options.step_s = moving->survey.step_s;
  options.has_qd = options.has_qdd = moving->survey.has_qd && moving->survey.has_qdd;
  for (size_t j = 0; j < setup->base->n; j++)
    options.most_effort[j] =
        moving->survey.is_torque[j] ? 0 : setup->arm->model.joints[j].limits.current_max;
  return options;
}

static ArmStatus finish(Reading *reading) {
  ArmStatus status = reading->even ? arm_even_end(reading->even) : ARM_OK;
  if (status == ARM_OK)
    status = arm_dyn_stream_finish(reading->stream);
  reading->moving->counts = *arm_dyn_stream_counts(reading->stream);
  return status;
}

static int stream_rows(const CliIdentifySetup *setup, AioCsv *csv, Reading *reading) {
  GError *error = NULL;
  if (!aio_moving_each(csv, &setup->arm->model, &setup->span, take_rows, reading, &error))
    return cli_fail(error);
  ArmStatus status = reading->status == ARM_OK ? finish(reading) : reading->status;
  if (status == ARM_E_NO_DATA)
    return fail_empty(setup, reading->moving);
  return status == ARM_OK ? CLI_OK : cli_fail_status(status, reading->moving->path);
}

ArmStatus cli_moving_new_information(const CliIdentifySetup *setup, ArmInformation **information) {
  return setup->stream.terms ? arm_information_new_terms(setup->base, information)
                             : arm_information_new(setup->base, information);
}

static int stream(const CliIdentifySetup *setup, AioCsv *csv, ArmDynStudy *study,
                  CliMoving *moving) {
  const ArmModel *model = &setup->arm->model;
  const ArmDynStreamOptions options = cli_moving_options(setup, moving);
  const ArmDynStreamProblem problem = arm_dyn_stream_check(&options);
  Reading reading = {.moving = moving, .study = study};
  if (problem != ARM_DYN_STREAM_GOOD)
    return fail_options(moving, &options, problem);
  ArmStatus status = cli_moving_new_information(setup, &moving->information);
  if (status == ARM_OK)
    status = cli_moving_new_information(setup, &moving->single);
  if (status == ARM_OK)
    status = arm_dyn_stream_new(model, setup->base, &options, fold, &reading, &reading.stream);
  if (status == ARM_OK)
    status = arm_dyn_stream_tap(reading.stream, fold_single, &reading);
  if (status == ARM_OK && moving->survey.is_uneven)
    status = arm_even_new(model->n, options.step_s, options.has_qd, options.has_qdd, push_even,
                          reading.stream, &reading.even);
  const int code =
      status == ARM_OK ? stream_rows(setup, csv, &reading) : cli_fail_status(status, moving->path);
  arm_even_free(reading.even);
  arm_dyn_stream_free(reading.stream);
  return code;
}

/* Of coupled drives the torque of one follows from those of both joints. */
static bool check_coupled(const CliIdentifySetup *setup, const CliMoving *moving) {
  const ArmModel *model = &setup->arm->model;
  const bool *is_torque = moving->survey.is_torque;
  for (size_t j = 0; j < model->n && model->has_coupling; j++)
    for (size_t k = j + 1; k < model->n; k++)
      if (is_torque[j] && !is_torque[k] && model->coupling[k][j] != 0) {
        cli_error(
            "%s: joint %zu: expected torques of joints %zu and %zu, whose drives are coupled, "
            "or currents of both; found a torque of one",
            moving->path, j + 1, j + 1, k + 1);
        return false;
      }
  return true;
}

static int load_one(const CliIdentifySetup *setup, CliMoving *moving) {
  GError *error = NULL;
  g_autoptr(AioCsv) csv = aio_csv_open(moving->path, &error);
  if (!csv || !aio_moving_survey(csv, &setup->arm->model, &setup->span, &moving->survey, &error))
    return cli_fail(error);
  if (moving->survey.ignored)
    cli_warning("%s: columns without meaning here are ignored: %s", moving->path,
                moving->survey.ignored);
  if (setup->stream.is_sequential && cli_identify_check_alone(setup, moving) != CLI_OK)
    return CLI_BAD_INPUT;
  return check_coupled(setup, moving) ? stream(setup, csv, NULL, moving) : CLI_BAD_INPUT;
}

/* ---- all of them ---- */

/* A joint of which one recording has a torque and another a current has two scales. */
static bool check_alike(const CliIdentifySetup *setup, const CliMoving *first,
                        const CliMoving *second) {
  for (size_t j = 0; j < setup->base->n; j++) {
    const bool both = first->survey.has_effort[j] && second->survey.has_effort[j];
    if (!both || first->survey.is_torque[j] == second->survey.is_torque[j])
      continue;
    cli_error("%s: joint %zu: expected a %s as in %s, found a %s: identify them apart",
              second->path, j + 1, first->survey.is_torque[j] ? "torque" : "current", first->path,
              second->survey.is_torque[j] ? "torque" : "current");
    return false;
  }
  return true;
}

GPtrArray *cli_moving_load(const CliIdentifySetup *setup, const GPtrArray *paths) {
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(moving_free);
  for (guint k = 0; paths && k < paths->len; k++) {
    CliMoving *moving = g_new0(CliMoving, 1);
    moving->path = g_ptr_array_index(paths, k);
    g_ptr_array_add(all, moving);
    if (load_one(setup, moving) != CLI_OK)
      return NULL;
    for (guint before = 0; before < k; before++)
      if (!check_alike(setup, g_ptr_array_index(all, before), moving))
        return NULL;
  }
  return g_steal_pointer(&all);
}

GPtrArray *cli_moving_again(const CliIdentifySetup *setup, const GPtrArray *recordings,
                            ArmDynStudy *study) {
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(moving_free);
  for (guint k = 0; k < recordings->len; k++) {
    const CliMoving *before = g_ptr_array_index(recordings, k);
    CliMoving *moving = g_new0(CliMoving, 1);
    GError *error = NULL;
    g_autoptr(AioCsv) csv = aio_csv_open(before->path, &error);
    g_ptr_array_add(all, moving);
    moving->path = before->path;
    moving->survey = before->survey;
    moving->survey.ignored = NULL;
    if (!csv) {
      (void)cli_fail(error);
      return NULL;
    }
    if (stream(setup, csv, study, moving) != CLI_OK)
      return NULL;
  }
  return g_steal_pointer(&all);
}

ArmInformation *cli_moving_merge(const CliIdentifySetup *setup, const GPtrArray *recordings) {
  g_autoptr(ArmInformation) all = NULL;
  ArmStatus status = cli_moving_new_information(setup, &all);
  for (guint k = 0; k < recordings->len && status == ARM_OK; k++) {
    const CliMoving *moving = g_ptr_array_index(recordings, k);
    status = arm_information_merge(all, moving->information, 1);
  }
  if (status == ARM_OK)
    return g_steal_pointer(&all);
  (void)cli_fail_status(status, "recordings");
  return NULL;
}

/* ---- single samples ---- */

int cli_moving_sample_sds(const GPtrArray *recordings, const ArmDynamicsFit *fit, double *sd) {
  for (size_t j = 0; j < fit->n; j++) {
    double sum = 0, rows = 0;
    for (guint k = 0; k < recordings->len; k++) {
      const CliMoving *moving = g_ptr_array_index(recordings, k);
      ArmDynamicsResidual single;
      const ArmStatus status = arm_dynamics_residual(fit, moving->single, j, &single);
      if (status != ARM_OK)
        return cli_fail_status(status, moving->path);
      rows += (double)single.rows;
      sum += single.rows > 0 ? (double)single.rows * single.rms_error * single.rms_error : 0;
    }
    sd[j] = rows > 0 ? sqrt(sum / rows) : (double)NAN;
  }
  return CLI_OK;
}
