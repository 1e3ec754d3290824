/* SPDX-License-Identifier: MIT */
/* `dynamics`: positions, speeds and accelerations in, actuator torques of links and gravity out. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "core/arm/dyn.h"
#include "io/base/file.h"
#include "io/base/safe_text.h"
#include "io/recording/recording.h"
#include "io/recording/recording_columns.h"

enum { FLUSH_BYTES = 1 << 20 };

typedef struct {
  const char *arm, *csv, *out;
  bool rotor, force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry, gravity and the links' masses, centres and inertias."},
    {"csv", CLI_TEXT, true, offsetof(Args, csv), "S.csv",
     "Samples: q1_rad,..,qd1_rad_s,..,qdd1_rad_s2,.. (T: q3_m, qd3_m_s, qdd3_m_s2). An empty speed "
     "is 0, and so is an empty acceleration of a joint at rest."},
    {"rotor", CLI_FLAG, false, offsetof(Args, rotor), NULL,
     "Add what the motors' rotors need, (I+L)^T diag(G^2 Jm) (I+L) qdd, with gear ratios G, rotor "
     "inertias Jm and coupling L of the arm file."},
    {"out", CLI_TEXT, false, offsetof(Args, out), "FILE.csv",
     "Write to this file instead of standard output."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
};

typedef struct {
  const Args *args;
  const ArmModel *model;
  ArmDyn dyn;
  double pi[ARM_INERTIA_PARAMETERS * ARM_MAX_JOINTS];
  double rotor[ARM_MAX_JOINTS * ARM_MAX_JOINTS]; /* n x n; zeros without --rotor */
  const AioCsv *csv;
  AioRecording *samples;
  double *tau; /* rows x n; owned */
  bool *keep;  /* per column of the input; owned */
  GString *text;
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

static int prepare_arm(Dynamics *d) {
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

/* ---- the samples ---- */

/* Everything but the torques that this run writes itself. */
static void choose_columns(Dynamics *d) {
  gsize columns = aio_csv_columns(d->csv);
  d->keep = g_new0(bool, columns);
  for (gsize column = 0; column < columns; column++) {
    d->keep[column] = true;
    for (size_t i = 0; i < d->model->n; i++) {
      g_autofree char *torque =
          aio_recording_column_name(AIO_CHANNEL_TORQUE, i, d->model->joints[i].type);
      if (strcmp(aio_csv_column_name(d->csv, column), torque) == 0)
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

static void compute(Dynamics *d) {
  const gsize rows = d->samples->rows, n = d->model->n;
  const double *qdd = d->samples->qdd;
  d->tau = g_new(double, MAX(rows * n, 1));
  arm_dyn_torque_batch(&d->dyn, d->pi, rows, d->samples->q, d->samples->qd, qdd, d->tau);
  for (gsize i = 0; d->args->rotor && i < n; i++)
    for (gsize j = 0; j < n; j++)
      for (gsize row = 0; row < rows; row++)
        d->tau[row + i * rows] += d->rotor[i + j * n] * qdd[row + j * rows];
}

/* ---- the result ---- */

static void append_header(Dynamics *d) {
  for (gsize column = 0; column < aio_csv_columns(d->csv); column++)
    if (d->keep[column]) {
      aio_text_append_csv(d->text, aio_csv_column_name(d->csv, column));
      g_string_append_c(d->text, ',');
    }
  for (size_t i = 0; i < d->model->n; i++) {
    g_autofree char *torque =
        aio_recording_column_name(AIO_CHANNEL_TORQUE, i, d->model->joints[i].type);
    g_string_append_printf(d->text, "%s%s", i > 0 ? "," : "", torque);
  }
  g_string_append_c(d->text, '\n');
}

/* Torques of one row; empty cells where a number that they depend on is missing. */
static void append_torques(const Dynamics *d, gsize row) {
  const gsize rows = d->samples->rows;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  bool is_complete = true;
  for (size_t i = 0; i < d->model->n; i++)
    is_complete = is_complete && isfinite(d->tau[row + i * rows]);
  for (size_t i = 0; i < d->model->n; i++) {
    g_string_append_c(d->text, ',');
    if (is_complete)
      g_string_append(d->text, g_ascii_formatd(digits, sizeof digits, "%.17g",
                                               d->tau[row + i * rows] + 0.0)); /* no -0 */
  }
  g_string_append_c(d->text, '\n');
}

static int write_rows(Dynamics *d) {
  append_header(d);
  for (gsize row = 0; row < d->samples->rows; row++) {
    aio_csv_copy_row(d->csv, row, d->keep, d->text);
    append_torques(d, row);
    if (!d->args->out && d->text->len > FLUSH_BYTES) {
      int code = cli_write(NULL, d->text->str, d->text->len, false);
      if (code != CLI_OK)
        return code;
      g_string_truncate(d->text, 0);
    }
  }
  return cli_write(d->args->out, d->text->str, d->text->len, d->args->force);
}

static int run_with_csv(Dynamics *d) {
  GError *error = NULL;
  int code;
  d->samples = aio_recording_from_csv(d->csv, d->model, false, &error);
  if (!d->samples || !check_columns(d, &error)) {
    code = cli_fail(error);
  } else {
    fill_rest(d->samples);
    compute(d);
    choose_columns(d);
    d->text = g_string_new(NULL);
    code = write_rows(d);
    g_string_free(d->text, TRUE);
  }
  aio_recording_free(d->samples);
  g_free(d->keep);
  g_free(d->tau);
  return code;
}

static int run_with_arm(Dynamics *d) {
  GError *error = NULL;
  gsize length;
  int code = prepare_arm(d);
  if (code != CLI_OK)
    return code;
  g_autofree char *bytes = aio_file_read_all(d->args->csv, AIO_CSV_MAX_BYTES, &length, &error);
  g_autoptr(AioCsv) csv =
      bytes ? aio_csv_new(d->args->csv, bytes, length, &AIO_CSV_PLAIN, &error) : NULL;
  d->csv = csv;
  return csv ? run_with_csv(d) : cli_fail(error);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  if (!cli_may_write(args->out, args->force))
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  g_autofree Dynamics *dynamics = g_new0(Dynamics, 1);
  dynamics->args = args;
  dynamics->model = &arm->model;
  return run_with_arm(dynamics);
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
        "joint's acceleration, is missing.",
    .example = "armature-cli dynamics --arm puma560.arm.json --csv motion.csv --out torque.csv\n"
               "writes motion.csv with the torques of that motion to torque.csv.",
    .exits = "0 done, 2 usage, 3 bad input, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
