/* SPDX-License-Identifier: MIT */
/* `dynamics`: positions, speeds and accelerations in, actuator torques of links and gravity out. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "core/arm/dyn.h"
#include "core/dynamics/currents.h"
#include "io/base/safe_text.h"
#include "io/csv/csv_number_write.h"
#include "io/recording/recording_columns.h"
#include "io/recording/recording_samples.h"

enum { LEAST = 16 }; /* at least as many as any kernel has lanes */

typedef struct {
  const char *arm, *params, *csv, *out;
  bool rotor, force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry, gravity and the links' masses, centres and inertias."},
    {"params", CLI_TEXT, false, offsetof(Args, params), "P.json",
     "Parameters that `identify` wrote, in place of the arm file's links: torques with their sds "
     "(tau1_sd_Nm, ..), empty where the parameters do not tell them."},
    {"csv", CLI_TEXT, true, offsetof(Args, csv), "S.csv",
     "Samples: q1_rad,..,qd1_rad_s,..,qdd1_rad_s2,.. (T: q3_m, qd3_m_s, qdd3_m_s2). An empty speed "
     "is 0, and so is an empty acceleration of a joint at rest."},
    {"rotor", CLI_FLAG, false, offsetof(Args, rotor), NULL,
     "Add what the motors' rotors need, (I+L)^T diag(G^2 Jm) (I+L) qdd, with gear ratios G, rotor "
     "inertias Jm and coupling L of the arm file."},
    {"out", CLI_OUT, false, offsetof(Args, out), "FILE.csv",
     "Write to this file instead of standard output."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
};

typedef struct {
  const Args *args;
  const ArmModel *model;
  ArmDyn dyn;
  double pi[ARM_INERTIA_PARAMETERS * ARM_MAX_JOINTS];
  double rotor[ARM_MAX_JOINTS * ARM_MAX_JOINTS]; /* n x n; zeros without --rotor */
  ArmCurrents *currents;                         /* of --params, NULL without; owned */
  AioCsv *csv;
  gsize rows;       /* of the whole table */
  double *tau, *sd; /* window x n; owned */
  bool *keep;       /* per column of the input; owned */
  CliOutput *output;
  int code;
} Dynamics;

/* ---- the arm ---- */

static bool has_link(const ArmJoint *joint) {
  return joint->link.is_present;
}

/* A tensor that is not stated reads as zeros. */
static bool has_tensor(const ArmJoint *joint) {
  const ArmLink *link = &joint->link;
  for (size_t k = 0; k < G_N_ELEMENTS(link->inertia_com_kg_m2); k++)
    if (link->inertia_com_kg_m2[k] != 0.0)
      return true;
  return !link->is_present || link->mass_kg == 0.0;
}

static bool has_rotors(const ArmJoint *joint) {
  for (size_t m = 0; m < joint->n_motors; m++)
    if (!isfinite(joint->motors[m].gear_ratio * joint->motors[m].rotor_inertia_kg_m2))
      return false;
  return joint->n_motors > 0;
}

/* Warns once of all joints that lack something. */
static void warn_missing(const Dynamics *d, bool (*has)(const ArmJoint *), const char *what,
                         const char *effect) {
  g_autoptr(GString) list = g_string_new(NULL);
  size_t missing = 0;
  for (size_t i = 0; i < d->model->n; i++)
    if (!has(&d->model->joints[i]))
      g_string_append_printf(list, "%s%zu", missing++ ? ", " : "", i + 1);
  if (missing)
    cli_warning("%s: joint%s %s: no %s; counted as %s", d->args->arm, missing > 1 ? "s" : "",
                list->str, what, effect);
}

static int prepare_links(Dynamics *d) {
  ArmStatus status = arm_dyn_init(&d->dyn, d->model);
  if (status != ARM_OK)
    return cli_fail_status(status, d->args->arm);
  (void)arm_inertia_nominal(d->model, d->pi);
  warn_missing(d, has_link, "link", "massless");
  warn_missing(d, has_tensor, "inertia tensor", "a point mass");
  if (!d->args->rotor)
    return CLI_OK;
  if (arm_dyn_rotor(d->model, d->rotor) == 0) {
    cli_error("%s: --rotor: expected gear_ratio and rotor_inertia_kg_m2 of some joint, found none",
              d->args->arm);
    return CLI_BAD_INPUT;
  }
  warn_missing(d, has_rotors, "gear ratio or rotor inertia", "0");
  return CLI_OK;
}

/* A rotor that turns with a link whose base parameters hold it cannot be told from it. */
static void warn_rotors(const Dynamics *d) {
  bool is_held[ARM_MAX_JOINTS];
  for (size_t j = 0; j < d->model->n; j++)
    is_held[j] = !arm_currents_has_rotor(d->currents, j);
  g_autofree char *held = cli_list_joints(is_held, d->model->n);
  if (held)
    cli_warning("%s: the rotor of joint %s cannot be told from its links: the torque there moves "
                "both",
                d->args->params, held);
}

static int prepare_params(Dynamics *d, const AioArm *arm) {
  g_autoptr(AioDynamics) dynamics = cli_load_dynamics(d->args->params, d->args->arm, arm);
  if (!dynamics)
    return CLI_BAD_INPUT;
  const ArmStatus status = arm_currents_new(d->model, &dynamics->found, &d->currents);
  if (status != ARM_OK)
    return cli_fail_status(status, d->args->params);
  warn_rotors(d);
  return CLI_OK;
}

/* ---- the samples ---- */

static char *torque_name(const Dynamics *d, size_t i) {
  return aio_recording_column_name(AIO_CHANNEL_TORQUE, i, d->model->joints[i].type);
}

/* "tau1_sd_Nm", "tau3_sd_N" */
static char *sd_name(const Dynamics *d, size_t i) {
  return g_strdup_printf("tau%zu_sd_%s", i + 1,
                         d->model->joints[i].type == ARM_JOINT_R ? "Nm" : "N");
}

/* Everything but the torques that this run writes itself. */
static void choose_columns(Dynamics *d) {
  gsize columns = aio_csv_columns(d->csv);
  d->keep = g_new0(bool, columns);
  for (gsize column = 0; column < columns; column++) {
    d->keep[column] = true;
    for (size_t i = 0; i < d->model->n; i++) {
      g_autofree char *torque = torque_name(d, i), *sd = sd_name(d, i);
      const char *name = aio_csv_column_name(d->csv, column);
      if (strcmp(name, torque) == 0 || (d->currents && strcmp(name, sd) == 0))
        d->keep[column] = false;
    }
  }
}

/* Every joint's speed and acceleration must have a column. */
static bool check_columns(const Dynamics *d, GError **error) {
  AioRecordingColumns columns;
  g_autoptr(GPtrArray) ignored = g_ptr_array_new_with_free_func(g_free);
  bool is_good = aio_recording_find_columns(d->csv, d->model, &columns, ignored, error);
  for (size_t j = 0; is_good && j < d->model->n; j++) {
    if (columns.qd[j] >= 0 && columns.qdd[j] >= 0)
      continue;
    g_autofree char *name = aio_recording_column_name(
        columns.qd[j] < 0 ? AIO_CHANNEL_QD : AIO_CHANNEL_QDD, j, d->model->joints[j].type);
    is_good = aio_recording_column_missing(d->csv, name, error);
  }
  return is_good;
}

/* A held joint's speed and acceleration need not be written. */
static void fill_rest(AioRecording *samples) {
  for (gsize k = 0; k < samples->rows * samples->n; k++) {
    if (isnan(samples->qd[k]))
      samples->qd[k] = 0.0;
    if (isnan(samples->qdd[k]) && samples->qd[k] == 0.0)
      samples->qdd[k] = 0.0;
  }
}

static void add_rotors(const Dynamics *d, gsize rows, const double *qdd, double *tau) {
  const gsize n = d->model->n;
  for (gsize i = 0; d->args->rotor && i < n; i++)
    for (gsize j = 0; j < n; j++)
      for (gsize row = 0; row < rows; row++)
        tau[row + i * rows] += d->rotor[i + j * n] * qdd[row + j * rows];
}

/* The first `rows` of LEAST, and the last of them again up to there. */
static void widen(const double *values, gsize rows, gsize n, double *wide) {
  for (gsize j = 0; j < n; j++)
    for (gsize row = 0; row < LEAST; row++)
      wide[row + j * LEAST] = values[MIN(row, rows - 1) + j * rows];
}

/* A few rows at the end of a long table go through the kernel of all others, which takes several
 * at a time: the last bits do not depend on where a row stands. */
static void compute_few(const Dynamics *d, const AioRecording *window) {
  const gsize n = d->model->n, rows = window->rows;
  double q[LEAST * ARM_MAX_JOINTS] = {0}, qd[LEAST * ARM_MAX_JOINTS] = {0};
  double qdd[LEAST * ARM_MAX_JOINTS] = {0};
  double tau[LEAST * ARM_MAX_JOINTS];
  widen(window->q, rows, n, q);
  widen(window->qd, rows, n, qd);
  widen(window->qdd, rows, n, qdd);
  arm_dyn_torque_batch(&d->dyn, d->pi, LEAST, q, qd, qdd, tau);
  for (gsize j = 0; j < n; j++)
    memcpy(d->tau + j * rows, tau + j * LEAST, rows * sizeof *tau);
}

static void compute(const Dynamics *d, const AioRecording *window) {
  const ArmCurrentsStates states = {window->rows, window->rows, window->q, window->qd, window->qdd};
  if (d->currents)
    arm_currents_torque(d->currents, &states, d->tau, d->sd);
  else if (window->rows < LEAST && d->rows >= LEAST)
    compute_few(d, window);
  else
    arm_dyn_torque_batch(&d->dyn, d->pi, window->rows, window->q, window->qd, window->qdd, d->tau);
  add_rotors(d, window->rows, window->qdd, d->tau);
}

/* ---- the result ---- */

static void append_header(const Dynamics *d, GString *text) {
  for (gsize column = 0; column < aio_csv_columns(d->csv); column++)
    if (d->keep[column]) {
      aio_text_append_csv(text, aio_csv_column_name(d->csv, column));
      g_string_append_c(text, ',');
    }
  for (size_t i = 0; i < d->model->n; i++) {
    g_autofree char *torque = torque_name(d, i);
    g_string_append_printf(text, "%s%s", i > 0 ? "," : "", torque);
  }
  for (size_t i = 0; d->currents && i < d->model->n; i++) {
    g_autofree char *sd = sd_name(d, i);
    g_string_append_printf(text, ",%s", sd);
  }
  g_string_append_c(text, '\n');
}

static void append_number(double number, GString *text) {
  char digits[AIO_NUMBER_ROOM];
  g_string_append_c(text, ',');
  if (isfinite(number)) /* no -0 */
    g_string_append_len(text, digits, (gssize)aio_number_write(number + 0.0, digits));
}

/* Of --params: a joint's torque may be told where another's is not. */
static void append_identified(const Dynamics *d, gsize rows, gsize row, GString *text) {
  for (size_t i = 0; i < d->model->n; i++)
    append_number(d->tau[row + i * rows], text);
  for (size_t i = 0; i < d->model->n; i++)
    append_number(d->sd[row + i * rows], text);
  g_string_append_c(text, '\n');
}

/* Torques of one row; empty cells where a number that they depend on is missing. */
static void append_torques(const Dynamics *d, gsize rows, gsize row, GString *text) {
  bool is_complete = true;
  for (size_t i = 0; i < d->model->n; i++)
    is_complete = is_complete && isfinite(d->tau[row + i * rows]);
  for (size_t i = 0; i < d->model->n; i++)
    append_number(is_complete ? d->tau[row + i * rows] : (double)NAN, text);
  g_string_append_c(text, '\n');
}

/* Nothing is written before all of the file is known to be good. */
static bool count_window(const AioCsv *csv, AioRecording *window, void *data) {
  (void)csv;
  ((Dynamics *)data)->rows += window->rows;
  return true;
}

static bool take_window(const AioCsv *csv, AioRecording *window, void *data) {
  Dynamics *d = data;
  fill_rest(window);
  compute(d, window);
  for (gsize row = 0; row < window->rows && d->code == CLI_OK; row++) {
    aio_csv_copy_row(csv, row, d->keep, cli_output_text(d->output));
    if (d->currents)
      append_identified(d, window->rows, row, cli_output_text(d->output));
    else
      append_torques(d, window->rows, row, cli_output_text(d->output));
    d->code = cli_output_row(d->output);
  }
  return d->code == CLI_OK;
}

/* Each joint whose torque is not told, why not and what would help. */
static int tell_lacking(const Dynamics *d) {
  int code = CLI_OK;
  for (size_t j = 0; d->currents && j < d->model->n; j++) {
    ArmReason why;
    if (!arm_currents_lacks_torque(d->currents, j, &why))
      continue;
    code = CLI_INFEASIBLE;
    if (why == ARM_REASON_SCALE_NOT_STATED)
      cli_error("%s: the torque of joint %zu is not known, only in the amperes of a reference "
                "joint: state torque_constant_Nm_A and gear_ratio in the arm file and identify "
                "again, or record torques, or a known load",
                d->args->params, j + 1);
    else
      cli_error("%s: the torque of joint %zu is not known in some rows: it leans on parameters "
                "that were not identified (%s)",
                d->args->params, j + 1,
                why == ARM_REASON_NONE ? "no reason stated" : arm_reason_text(why));
  }
  return code;
}

static int run_with_csv(Dynamics *d) {
  GError *error = NULL;
  if (!aio_samples_each(d->csv, d->model, count_window, d, &error) || !check_columns(d, &error))
    return cli_fail(error);
  d->output = cli_output_new(d->args->out, d->args->force);
  if (!d->output)
    return CLI_BAD_INPUT;
  choose_columns(d);
  d->tau = g_new(double, 2 * AIO_CSV_WINDOW_ROWS * d->model->n);
  d->sd = d->tau + AIO_CSV_WINDOW_ROWS * d->model->n;
  append_header(d, cli_output_text(d->output));
  if (!aio_samples_each(d->csv, d->model, take_window, d, &error))
    d->code = cli_fail(error);
  d->code = cli_output_end(d->output, d->code);
  return d->code == CLI_OK ? tell_lacking(d) : d->code;
}

static int run_with_arm(Dynamics *d, const AioArm *arm) {
  GError *error = NULL;
  int code = d->args->params ? prepare_params(d, arm) : prepare_links(d);
  if (code != CLI_OK)
    return code;
  g_autoptr(AioCsv) csv = aio_csv_open(d->args->csv, &error);
  d->csv = csv;
  code = csv ? run_with_csv(d) : cli_fail(error);
  arm_currents_free(d->currents);
  g_free(d->keep);
  g_free(d->tau);
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  if (args->params && args->rotor)
    return cli_usage(&cli_dynamics, "--rotor adds rotors of the arm file to its links: leave it "
                                    "out with --params");
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  g_autofree Dynamics *dynamics = g_new0(Dynamics, 1);
  dynamics->args = args;
  dynamics->model = &arm->model;
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  return run_with_arm(dynamics, arm);
}

const CliVerb cli_dynamics = {
    .name = "dynamics",
    .summary = "joint torques for given motions, from the links' masses and inertias",
    .purpose =
        "Repeats the columns of S.csv and appends tau1_Nm,tau2_Nm,.. (T: tau3_N) for all joints: "
        "what the actuators must give (positive holds against gravity) so that the arm moves as "
        "written, from links and gravity only - no friction, no coupling, and rotors only with "
        "--rotor. Existing torque columns are replaced. A link that the arm file does not state "
        "is massless, which is warned of. A row's torques stay empty where a position, or a moving "
        "joint's acceleration, is missing. With --params they are those of the identified "
        "parameters; of a joint whose scale nobody knows there is no number, but a message.",
    .example = "armature-cli dynamics --arm puma560.arm.json --csv motion.csv --out torque.csv\n"
               "writes motion.csv with the torques of that motion to torque.csv.",
    .exits = "0 done, 2 usage, 3 bad input, 4 --params does not tell all torques (the others are "
             "written), 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
