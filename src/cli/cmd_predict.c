/* SPDX-License-Identifier: MIT */
/* `predict`: positions and speeds in, motor currents with their standard deviations out. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/predict_doubt.h"
#include "cli/text.h"
#include "core/sweeps/predict.h"
#include "io/base/file.h"
#include "io/base/safe_text.h"
#include "io/recording/recording.h"
#include "io/recording/recording_columns.h"

enum { FLUSH_BYTES = 1 << 20 };

typedef struct {
  const char *arm, *params, *csv, *zero_speed, *out;
  bool with_noise, force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"params", CLI_TEXT, true, offsetof(Args, params), "P.json", "Parameters that `fit` wrote."},
    {"csv", CLI_TEXT, true, offsetof(Args, csv), "S.csv",
     "Samples: q1_rad,..,qd1_rad_s,.. (T: q3_m, qd3_m_s); qdd1_rad_s2,.. are used where `fit "
     "--acceleration` found an inertia. An empty speed is 0."},
    {"with-noise", CLI_FLAG, false, offsetof(Args, with_noise), NULL,
     "Give the sd of a single measurement (adds the fit's residual sd), not that of the mean."},
    {"zero-speed", CLI_TEXT, false, offsetof(Args, zero_speed), "RULE",
     "Friction of a joint at rest, about which the model says nothing. Default none: gravity "
     "only; the sd then holds the whole band in which friction holds the joint.\nband: the "
     "centre of that band, which is not gravity where friction differs between the directions.\n"
     "deadband=V: friction rises linearly below V rad/s (m/s).\nsign-error: Coulomb "
     "friction with the sign of q_desired - q; needs columns q1_des_rad,.. (T: q3_des_m)."},
    {"out", CLI_TEXT, false, offsetof(Args, out), "FILE.csv",
     "Write to this file instead of standard output."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
};

typedef struct {
  const Args *args;
  const ArmModel *model;
  const AioParams *params;
  const AioCsv *csv;
  const AioRecording *samples;
  ArmPredictOptions options;
  double *desired;                /* rows x n, NULL unless sign-error; owned */
  bool *keep;                     /* per column of the input; owned */
  bool is_beyond[ARM_MAX_JOINTS]; /* in some row */
  GString *text;
} Predict;

/* Everything but the currents that this run writes itself. */
static void choose_columns(Predict *p) {
  gsize columns = aio_csv_columns(p->csv);
  p->keep = g_new0(bool, columns);
  for (gsize column = 0; column < columns; column++) {
    p->keep[column] = true;
    for (size_t i = 1; i <= p->model->n; i++) {
      g_autofree char *current = g_strdup_printf("i%zu_A", i),
                      *sd = g_strdup_printf("i%zu_sd_A", i);
      const char *name = aio_csv_column_name(p->csv, column);
      if (strcmp(name, current) == 0 || strcmp(name, sd) == 0)
        p->keep[column] = false;
    }
  }
}

/* Reads q1_des_rad, .. for the rule sign-error. */
static bool read_desired(Predict *p, GError **error) {
  gsize columns[ARM_MAX_JOINTS], rows = aio_csv_rows(p->csv);
  for (size_t j = 0; j < p->model->n; j++) {
    g_autofree char *name = g_strdup_printf("q%zu_des_%s", j + 1,
                                            p->model->joints[j].type == ARM_JOINT_R ? "rad" : "m");
    gsize column = 0;
    while (column < aio_csv_columns(p->csv) &&
           strcmp(aio_csv_column_name(p->csv, column), name) != 0)
      column++;
    columns[j] = column;
    if (column == aio_csv_columns(p->csv))
      g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                  "%s: expected a column %s (--zero-speed sign-error needs the desired positions "
                  "of all joints), found none",
                  aio_csv_name(p->csv), name);
    if (column == aio_csv_columns(p->csv))
      return false;
  }
  double *into[ARM_MAX_JOINTS];
  p->desired = g_new(double, MAX(rows * p->model->n, 1));
  for (size_t j = 0; j < p->model->n; j++)
    into[j] = p->desired + j * rows;
  return aio_csv_read(p->csv, p->model->n, columns, into, error);
}

static bool check_speeds(const Predict *p, GError **error) {
  for (size_t j = 0; j < p->model->n; j++) {
    if (p->samples->has_speed[j])
      continue;
    g_autofree char *name = aio_recording_column_name(AIO_CHANNEL_QD, j, p->model->joints[j].type);
    aio_recording_column_missing(p->csv, name, error);
    return false;
  }
  return true;
}

static void append_header(Predict *p) {
  for (gsize column = 0; column < aio_csv_columns(p->csv); column++)
    if (p->keep[column]) {
      aio_text_append_csv(p->text, aio_csv_column_name(p->csv, column));
      g_string_append_c(p->text, ',');
    }
  for (size_t i = 1; i <= p->model->n; i++)
    g_string_append_printf(p->text, "%si%zu_A,i%zu_sd_A", i > 1 ? "," : "", i, i);
  g_string_append_c(p->text, '\n');
}

static void append_number(GString *text, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(text, ',');
  if (isfinite(number))
    g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.17g", number));
}

/* Currents and sds of one row; NAN throughout where a position is missing. */
static ArmStatus predict_row(const Predict *p, gsize row, double *current, double *sd) {
  const gsize rows = p->samples->rows;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], qdd[ARM_MAX_JOINTS], error[ARM_MAX_JOINTS];
  ArmPredictOptions row_options = p->options;
  bool is_complete = true;
  for (size_t j = 0; j < p->model->n; j++) {
    q[j] = p->samples->q[row + j * rows];
    qd[j] = p->samples->qd[row + j * rows];
    qdd[j] = p->samples->qdd ? p->samples->qdd[row + j * rows] : (double)NAN;
    error[j] = p->desired ? p->desired[row + j * rows] - q[j] : 0.0;
    is_complete = is_complete && !isnan(q[j]);
    current[j] = sd[j] = NAN;
  }
  row_options.position_error = p->desired ? error : NULL;
  if (!is_complete)
    return ARM_OK;
  ArmStatus status =
      arm_predict(p->model, &p->params->fit.refined, q, qd, qdd, &row_options, current, sd);
  for (size_t j = 0; j < p->model->n; j++)
    if (p->params->fit.refined.joint[j].rows_used == 0)
      current[j] = sd[j] = NAN;
  return status;
}

static void note_loads(Predict *p, gsize row) {
  double q[ARM_MAX_JOINTS];
  bool is_complete = true;
  for (size_t j = 0; j < p->model->n; j++) {
    q[j] = p->samples->q[row + j * p->samples->rows];
    is_complete = is_complete && isfinite(q[j]);
  }
  for (size_t j = 0; j < p->model->n && is_complete; j++)
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

static int predict_rows(Predict *p) {
  double current[ARM_MAX_JOINTS] = {0}, sd[ARM_MAX_JOINTS] = {0};
  append_header(p);
  for (gsize row = 0; row < p->samples->rows; row++) {
    ArmStatus status = predict_row(p, row, current, sd);
    if (status != ARM_OK) {
      g_autofree char *place =
          g_strdup_printf("%s:%u", aio_csv_name(p->csv), aio_csv_row_line(p->csv, row));
      int code = cli_fail_status(status, place);
      return code;
    }
    note_loads(p, row);
    aio_csv_copy_row(p->csv, row, p->keep, p->text);
    for (size_t j = 0; j < p->model->n; j++) {
      append_number(p->text, current[j]);
      append_number(p->text, sd[j]);
    }
    g_string_append_c(p->text, '\n');
    if (!p->args->out && p->text->len > FLUSH_BYTES) {
      int code = cli_write(NULL, p->text->str, p->text->len, false);
      if (code != CLI_OK)
        return code;
      g_string_truncate(p->text, 0);
    }
  }
  return cli_write(p->args->out, p->text->str, p->text->len, p->args->force);
}

static int predict_csv(Predict *p) {
  GError *error = NULL;
  g_autoptr(AioRecording) samples = aio_recording_from_csv(p->csv, p->model, false, &error);
  p->samples = samples;
  int code;
  if (!samples || !check_speeds(p, &error) ||
      (p->options.zero_speed == ARM_ZERO_SPEED_SIGN_ERROR && !read_desired(p, &error))) {
    code = cli_fail(error);
  } else {
    choose_columns(p);
    p->text = g_string_new(NULL);
    code = predict_rows(p);
    cli_predict_warn(p->csv, samples, p->model);
    warn_loads(p);
    g_string_free(p->text, TRUE);
  }
  g_free(p->keep);
  g_free(p->desired);
  return code;
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
  gsize length;
  g_autoptr(AioParams) params = cli_load_params(args->params, args->arm, arm);
  if (!params)
    return CLI_BAD_INPUT;
  g_autofree char *bytes = aio_file_read_all(args->csv, AIO_CSV_MAX_BYTES, &length, &error);
  g_autoptr(AioCsv) csv =
      bytes ? aio_csv_new(args->csv, bytes, length, &AIO_CSV_PLAIN, &error) : NULL;
  int code;
  if (csv) {
    warn_joints(args, params);
    p->model = &arm->model;
    p->params = params;
    p->csv = csv;
    code = predict_csv(p);
  } else {
    code = cli_fail(error);
  }
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
        "both sides, taken as equally likely). A cell stays empty where nothing is known. Where "
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
