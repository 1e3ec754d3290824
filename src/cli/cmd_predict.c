/* SPDX-License-Identifier: MIT */
/* `predict`: positions and speeds in, motor currents with their standard deviations out. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/predict_doubt.h"
#include "cli/predict_motion.h"
#include "cli/predict_table.h"
#include "cli/text.h"
#include "core/sweeps/predict.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_samples.h"

typedef struct {
  const char *arm, *params, *csv, *zero_speed, *out;
  double lowpass;
  bool with_noise, force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"params", CLI_TEXT, true, offsetof(Args, params), "P.json",
     "Parameters that `fit` or "
     "`identify` wrote."},
    {"csv", CLI_TEXT, true, offsetof(Args, csv), "S.csv",
     "Samples: q1_rad,..,qd1_rad_s,.. (T: q3_m, qd3_m_s); qdd1_rad_s2,.. are used where `fit "
     "--acceleration` found an inertia, and with parameters of `identify`. An empty speed is 0. "
     "With those of `identify`, speeds and accelerations that S.csv does not have are computed "
     "from the positions and t_s; where all speeds are 0, none is needed."},
    {"lowpass", CLI_NUMBER, false, offsetof(Args, lowpass), "HZ",
     "Cut-off of the filter behind which speeds and accelerations are computed from positions, as "
     "`identify` does. Default 5 Hz. Rows nearer than 3.2 of its periods to an end of the motion "
     "have no current then, and a computed speed up to 0.01 rad/s (1 mm/s) counts as 0."},
    {"with-noise", CLI_FLAG, false, offsetof(Args, with_noise), NULL,
     "Give the sd of a single measurement (adds the fit's residual sd, or sample_sd_A of "
     "parameters "
     "of `identify`, as a filter hides most of the noise there), not that of the mean."},
    {"zero-speed", CLI_TEXT, false, offsetof(Args, zero_speed), "RULE",
     "Friction of a joint at rest, about which the model says nothing. Default none: gravity "
     "only; the sd then holds the whole band in which friction holds the joint.\nband: the "
     "centre of that band, which is not gravity where friction differs between the directions.\n"
     "deadband=V: friction rises linearly below V rad/s (m/s).\nsign-error: Coulomb "
     "friction with the sign of q_desired - q; needs columns q1_des_rad,.. (T: q3_des_m)."},
    {"out", CLI_OUT, false, offsetof(Args, out), "FILE.csv",
     "Write to this file instead of standard output."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
};

typedef struct {
  const Args *args;
  const ArmModel *model;
  const AioParams *params;
  AioCsv *csv;
  ArmPredictOptions options;
  CliPredictDoubt *doubt;
  bool has_speed[ARM_MAX_JOINTS];
  CliDesired desired;             /* for sign-error */
  bool *keep;                     /* per column of the input; owned */
  bool is_beyond[ARM_MAX_JOINTS]; /* in some row */
  ArmPredictWork *work;           /* owned */
  CliOutput *output;
  int code;
} Predict;

/* ---- the first reading: nothing is written before all of the file is known to be good ---- */

static bool check_window(const AioCsv *csv, AioRecording *window, void *data) {
  Predict *p = data;
  memcpy(p->has_speed, window->has_speed, sizeof p->has_speed);
  cli_predict_doubt_look(p->doubt, csv, window);
  cli_desired_read(&p->desired, csv, p->model->n);
  return true;
}

static bool check_speeds(const Predict *p, GError **error) {
  for (size_t j = 0; j < p->model->n; j++) {
    if (p->has_speed[j])
      continue;
    g_autofree char *name = aio_recording_column_name(AIO_CHANNEL_QD, j, p->model->joints[j].type);
    aio_recording_column_missing(p->csv, name, error);
    return false;
  }
  return true;
}

/* What is wrong is told in this order: rows, speeds, desired positions. */
static bool check_samples(Predict *p, GError **error) {
  GError *missing = NULL;
  if (p->options.zero_speed == ARM_ZERO_SPEED_SIGN_ERROR)
    (void)cli_desired_find(&p->desired, p->csv, p->model, &missing);
  bool is_good =
      aio_samples_each(p->csv, p->model, check_window, p, error) && check_speeds(p, error);
  g_autoptr(GError) desired = missing ? missing : g_steal_pointer(&p->desired.error);
  if (is_good && desired) {
    g_propagate_error(error, g_steal_pointer(&desired));
    is_good = false;
  }
  return is_good;
}

/* ---- the second reading ---- */

/* The cells of a row as they were, and what was predicted. */
static void append_row(const Predict *p, const AioCsv *csv, gsize row, const double *current,
                       const double *sd) {
  GString *text = cli_output_text(p->output);
  aio_csv_copy_row(csv, row, p->keep, text);
  cli_predict_numbers(p->model->n, 1, current, sd, text);
}

/* Some rows in succession, a state after the other. */
typedef struct {
  double q[ARM_PREDICT_ROWS * ARM_MAX_JOINTS], qd[ARM_PREDICT_ROWS * ARM_MAX_JOINTS],
      qdd[ARM_PREDICT_ROWS * ARM_MAX_JOINTS], error[ARM_PREDICT_ROWS * ARM_MAX_JOINTS];
  double current[ARM_PREDICT_ROWS * ARM_MAX_JOINTS], sd[ARM_PREDICT_ROWS * ARM_MAX_JOINTS];
  bool is_complete[ARM_PREDICT_ROWS]; /* no position is missing */
} States;

/* A missing position is 0 and its row not complete. */
static void take_state(const Predict *p, const AioRecording *window, gsize row, gsize r,
                       States *s) {
  const gsize n = p->model->n, rows = window->rows;
  s->is_complete[r] = true;
  for (size_t j = 0; j < n; j++) {
    const double q = window->q[row + j * rows];
    s->is_complete[r] = s->is_complete[r] && !isnan(q);
    s->q[r * n + j] = isnan(q) ? 0.0 : q;
    s->qd[r * n + j] = window->qd[row + j * rows];
    s->qdd[r * n + j] = window->qdd ? window->qdd[row + j * rows] : (double)NAN;
    s->error[r * n + j] = p->desired.values ? p->desired.values[row + j * rows] - q : 0.0;
  }
}

/* Currents and sds; NAN where they are not known, throughout where a position is missing. */
static ArmStatus predict_states(Predict *p, const AioRecording *window, gsize first, gsize rows,
                                States *s) {
  const gsize n = p->model->n;
  const ArmGravityParameters *parameters = &p->params->fit.refined;
  ArmPredictOptions own = p->options;
  for (gsize r = 0; r < rows; r++)
    take_state(p, window, first + r, r, s);
  own.position_error = p->desired.values ? s->error : NULL;
  const ArmStatus status = arm_predict_rows(p->model, parameters, rows, s->q, s->qd, s->qdd, &own,
                                            p->work, s->current, s->sd);
  for (gsize r = 0; r < rows; r++)
    for (gsize j = 0; j < n; j++)
      if (!s->is_complete[r] || parameters->joint[j].rows_used == 0)
        s->current[r * n + j] = s->sd[r * n + j] = (double)NAN;
  return status;
}

static void note_loads(Predict *p, const double *q) {
  for (size_t j = 0; j < p->model->n; j++)
    p->is_beyond[j] =
        p->is_beyond[j] || arm_predict_is_beyond(p->model, &p->params->fit.refined, q, j);
}

static void warn_loads(const Predict *p) {
  g_autofree char *joints = cli_list_joints(p->is_beyond, p->model->n);
  if (joints)
    cli_warning("the load of joint %s leaves the range in which its friction was recorded by more "
                "than 20 %%: friction there is an extrapolation",
                joints);
}

static int fail_row(const AioCsv *csv, gsize row, ArmStatus status) {
  g_autofree char *place = g_strdup_printf("%s:%u", aio_csv_name(csv), aio_csv_row_line(csv, row));
  return cli_fail_status(status, place);
}

static int predict_rows(Predict *p, const AioCsv *csv, const AioRecording *window) {
  States states;
  int code = CLI_OK;
  for (gsize first = 0; first < window->rows && code == CLI_OK; first += ARM_PREDICT_ROWS) {
    const gsize rows = MIN(ARM_PREDICT_ROWS, window->rows - first), n = p->model->n;
    const ArmStatus status = predict_states(p, window, first, rows, &states);
    if (status != ARM_OK)
      return fail_row(csv, first, status);
    for (gsize r = 0; r < rows && code == CLI_OK; r++) {
      if (states.is_complete[r])
        note_loads(p, states.q + r * n);
      append_row(p, csv, first + r, states.current + r * n, states.sd + r * n);
      code = cli_output_row(p->output);
    }
  }
  return code;
}

/* After a failure only what is doubtful about the samples is still of interest. */
static bool take_window(const AioCsv *csv, AioRecording *window, void *data) {
  Predict *p = data;
  cli_predict_doubt_look_again(p->doubt, window);
  cli_desired_read(&p->desired, csv, p->model->n);
  if (p->code == CLI_OK)
    p->code = predict_rows(p, csv, window);
  return true;
}

static int predict_csv(Predict *p) {
  GError *error = NULL;
  if (!check_samples(p, &error))
    return cli_fail(error);
  p->output = cli_output_new(p->args->out, p->args->force);
  if (!p->output)
    return CLI_BAD_INPUT;
  p->keep = cli_predict_keep(p->csv, p->model->n);
  cli_predict_header(p->csv, p->keep, p->model->n, cli_output_text(p->output));
  if (!aio_samples_each(p->csv, p->model, take_window, p, &error))
    p->code = cli_fail(error);
  p->code = cli_output_end(p->output, p->code);
  cli_predict_warn(p->doubt, p->csv);
  warn_loads(p);
  return p->code;
}

static void warn_joints(const Args *args, const AioParams *params) {
  bool is_unknown[ARM_MAX_JOINTS];
  for (size_t j = 0; j < params->fit.refined.n; j++)
    is_unknown[j] = params->fit.refined.joint[j].rows_used == 0;
  g_autofree char *unknown = cli_list_joints(is_unknown, params->fit.refined.n);
  g_autofree char *torque = cli_list_joints(params->is_torque, params->fit.refined.n);
  if (unknown)
    cli_warning("%s knows nothing of joint %s (no row was used): its cells stay empty",
                args->params, unknown);
  if (torque)
    cli_warning("%s was fitted from torques of joint %s: there the column iK_A holds N m (sliding "
                "joints: N), not A",
                args->params, torque);
}

static int run_with_arm(const Args *args, const AioArm *arm, Predict *p) {
  GError *error = NULL;
  g_autoptr(AioParams) params = cli_load_params(args->params, args->arm, arm);
  if (!params)
    return CLI_BAD_INPUT;
  g_autoptr(AioCsv) csv = aio_csv_open(args->csv, &error);
  int code;
  if (csv) {
    warn_joints(args, params);
    p->model = &arm->model;
    p->params = params;
    p->csv = csv;
    p->doubt = cli_predict_doubt_new(p->model);
    p->work = g_new(ArmPredictWork, 1);
    arm_predict_begin(&params->fit.refined, p->work);
    code = predict_csv(p);
  } else {
    code = cli_fail(error);
  }
  cli_predict_doubt_free(p->doubt);
  g_free(p->work);
  g_free(p->keep);
  cli_desired_clear(&p->desired);
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  Predict predict = {
      .args = args, .options.wants_noise = args->with_noise, .options.wants_stiction = true};
  ArmStructure structure;
  if (!cli_parse_zero_speed(args->zero_speed, &predict.options))
    return cli_usage(
        &cli_predict,
        "--zero-speed: expected deadband=V with V > 0, band, sign-error or none, found \"%s\"",
        args->zero_speed);
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  const AseMethod *method = cli_load_method(args->params);
  if (!method)
    return CLI_BAD_INPUT;
  if (method == &ase_method_dynamics) {
    const CliPredictMotion motion = {.arm_path = args->arm,
                                     .params = args->params,
                                     .csv = args->csv,
                                     .out = args->out,
                                     .force = args->force,
                                     .lowpass_Hz = args->lowpass,
                                     .options = predict.options};
    return cli_predict_motion(&motion, arm);
  }
  if (isfinite(args->lowpass) && method == &ase_method_gravity)
    return cli_usage(&cli_predict,
                     "--lowpass belongs to parameters of `identify`: %s is of `fit`, "
                     "whose currents need no acceleration",
                     args->params);
  return run_with_arm(args, arm, &predict);
}

const CliVerb cli_predict = {
    .name = "predict",
    .summary = "motor currents for given positions and speeds, with error bars",
    .purpose =
        "Repeats the columns of S.csv and appends i1_A,i1_sd_A,i2_A,.. for all joints: gravity "
        "plus "
        "friction in the direction of motion. Existing current columns are replaced. The sd is "
        "that of the mean, from the covariance of the parameters; of a joint at rest also that of "
        "static friction, whose current lies anywhere in a band (1.25 times Coulomb friction to "
        "both sides, taken as equally likely). A cell stays empty where nothing is known. "
        "Parameters of "
        "`identify` predict arms that move as a whole: inertia, gravity, friction and rotors; at "
        "rest, what the other joints do to this one, and no friction. Where "
        "S.csv was measured, the difference between its currents and "
        "these shows payload, collision or wear.",
    .example =
        "armature-cli predict --arm puma560.arm.json --params p.json --csv poses.csv --out i.csv\n"
        "writes poses.csv with the expected currents to i.csv.",
    .exits = "0 done, 2 usage, 3 bad input, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
