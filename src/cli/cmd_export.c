/* SPDX-License-Identifier: MIT */
/* `export`: identified parameters for other programs: a C99 header, a table. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "io/export/export_c.h"
#include "io/export/export_csv.h"
#include "session/session.h"

typedef struct {
  const char *arm, *params, *session, *format, *output, *prefix, *zero_speed, *current_limit, *date;
  bool force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, false, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry and gravity."},
    {"params", CLI_TEXT, false, offsetof(Args, params), "P.json",
     "Parameters that `fit` or `identify` wrote."},
    {"session", CLI_TEXT, false, offsetof(Args, session), "FILE.armsession",
     "Instead of both: the arm and the last fit of this session."},
    {"format", CLI_TEXT, true, offsetof(Args, format), "c|csv|json",
     "c: a header with a function for the motor currents, in double and float; of parameters that "
     "`identify` wrote it is the arm's inverse dynamics in currents, and takes qdd, too.\ncsv: one "
     "row per "
     "parameter: joint,name,value,sd,unit,identifiable,used,reason; after a friction term also "
     "load_seen_least, load_seen_most, curve_speed and friction_sign, which have sd 0.\njson: of a "
     "session, the parameter file."},
    {"out", CLI_OUT, false, offsetof(Args, output), "FILE",
     "Write to this file instead of standard output."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"output", CLI_OUT, false, offsetof(Args, output), "FILE", NULL},
    {"prefix", CLI_TEXT, false, offsetof(Args, prefix), "NAME",
     "What the names in the header begin with. Default: made from the arm's name."},
    {"zero-speed", CLI_TEXT, false, offsetof(Args, zero_speed), "RULE",
     "Friction of a joint at rest. Default none: gravity only.\nband: the mean of Coulomb "
     "friction forth and back, centre of what holds the joint.\ndeadband=V: friction rises "
     "linearly below V rad/s (m/s).\nsign-error: Coulomb friction with the sign of a position "
     "error, which the function then takes as a third input."},
    {"current-limit", CLI_TEXT, false, offsetof(Args, current_limit), "A1,A2,..",
     "Saturate at these currents in A, one per joint; an empty place keeps current_A of the arm "
     "file. Default: current_A of every joint that has one."},
    {"date", CLI_TEXT, false, offsetof(Args, date), "TEXT",
     "Put this date into the header's comment. Default: none, so that the same input gives the "
     "same bytes."},
};

/* "7,,4.6": one place per joint. */
static bool parse_limits(const char *text, size_t n, double *limits) {
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  bool is_good = g_strv_length(words) == n;
  for (size_t i = 0; i < n && is_good; i++) {
    char *end;
    if (!*words[i])
      continue;
    limits[i] = g_ascii_strtod(words[i], &end);
    is_good = *end == '\0' && isfinite(limits[i]) && limits[i] > 0.0;
  }
  return is_good;
}

static int set_options(const Args *args, const AioArm *arm, AioExportC *out) {
  ArmPredictOptions rule = {.zero_speed = ARM_ZERO_SPEED_NONE};
  aio_export_c_default(out, arm);
  if (!cli_parse_zero_speed(args->zero_speed, &rule))
    return cli_usage(
        &cli_export,
        "--zero-speed: expected deadband=V with V > 0, band, sign-error or none, found "
        "\"%s\"",
        args->zero_speed);
  if (args->prefix && !aio_export_c_is_prefix(args->prefix))
    return cli_usage(&cli_export,
                     "--prefix: expected a letter, then letters, digits or single underscores, at "
                     "most 32 in all, found \"%s\"",
                     args->prefix);
  if (args->current_limit && !parse_limits(args->current_limit, arm->model.n, out->current_max))
    return cli_usage(&cli_export,
                     "--current-limit: expected %zu numbers above 0 (or nothing) between commas, "
                     "found \"%s\"",
                     arm->model.n, args->current_limit);
  out->prefix = args->prefix;
  out->zero_speed = rule.zero_speed;
  out->deadband = rule.deadband;
  out->program = ARMATURE_PROGRAM;
  out->date = args->date;
  return CLI_OK;
}

/* What the header says in its comment and the one who builds firmware should hear now. */
static void warn_joints(const Args *args, const AioArm *arm, const ArmParamSet *found,
                        const AioExportC *export_options) {
  bool is_unknown[ARM_MAX_JOINTS], is_free[ARM_MAX_JOINTS];
  const size_t n = arm->model.n;
  for (size_t i = 0; i < n; i++) {
    is_unknown[i] = found->joint[i].rows_used == 0;
    is_free[i] = isnan(export_options->current_max[i]) && !is_unknown[i] && !found->is_torque[i];
  }
  g_autofree char *unknown = cli_list_joints(is_unknown, n),
                  *unlimited = cli_list_joints(is_free, n);
  g_autofree char *torque = cli_list_joints(found->is_torque, n);
  if (unknown)
    cli_warning("%s knows nothing of joint %s (no row was used): the current is always 0",
                args->params, unknown);
  if (torque)
    cli_warning("%s was fitted from torques of joint %s: the output is in N m (sliding joints: N), "
                "not A, and not limited",
                args->params, torque);
  if (unlimited)
    cli_warning("%s states no current_A of joint %s: the current is not limited there (see "
                "--current-limit)",
                args->arm, unlimited);
}

static int export_csv(const Args *args, const ArmParamSet *found) {
  gsize length;
  g_autofree char *text = aio_export_csv(found, &length);
  return cli_write(args->output, text, length, args->force);
}

static int export_c(const Args *args, const AioArm *arm, const AseFound *found) {
  GError *error = NULL;
  AioExportC export_options;
  gsize length;
  if (cli_refuse_unconverged(args->params, &found->set))
    return CLI_BAD_INPUT;
  const int code = set_options(args, arm, &export_options);
  if (code != CLI_OK)
    return code;
  g_autofree char *text = ase_found_export_c(arm, found, &export_options, &length, &error);
  if (!text)
    return cli_fail(error);
  warn_joints(args, arm, &found->set, &export_options);
  return cli_write(args->output, text, length, args->force);
}

static int put(const Args *args, const AioArm *arm, const AseFound *found) {
  const bool is_csv = strcmp(args->format, "csv") == 0;
  return is_csv ? export_csv(args, &found->set) : export_c(args, arm, found);
}

static int export_files(const Args *args) {
  ArmStructure structure;
  g_auto(AseFound) found = {0};
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  const bool is_read = arm && cli_load_found(args->params, args->arm, arm, &found);
  return is_read ? put(args, arm, &found) : CLI_BAD_INPUT;
}

/* Messages name the session where there would be an arm and a parameter file. */
static int export_fit(const Args *args, AseSession *session) {
  GError *error = NULL;
  Args named = *args;
  g_auto(AseFound) found = {0};
  const AioArm *arm = ase_session_arm(session);
  g_autofree char *text = ase_session_parameters(session, &error);
  if (!text || !ase_found_load_text(args->session, text, strlen(text), &arm->model, &found, &error))
    return cli_fail(error);
  cli_warn_found(args->session, &found);
  if (strcmp(args->format, "json") == 0)
    return cli_write(args->output, text, strlen(text), args->force);
  named.arm = named.params = args->session;
  return put(&named, arm, &found);
}

static int export_session(const Args *args) {
  GError *error = NULL;
  g_autoptr(AseSession) session = ase_session_open_read(args->session, &error);
  if (!session)
    return cli_fail(error);
  return export_fit(args, session);
}

static int check_args(const Args *args) {
  const bool is_c = strcmp(args->format, "c") == 0, is_json = strcmp(args->format, "json") == 0;
  if (!is_c && !is_json && strcmp(args->format, "csv") != 0)
    return cli_usage(&cli_export, "--format: expected c, csv or json, found \"%s\"", args->format);
  if (args->session && (args->arm || args->params))
    return cli_usage(&cli_export, "--session has an arm and parameters: leave out --arm, --params");
  if (!args->session && !args->arm)
    return cli_usage(&cli_export, "--arm ARM.arm.json is missing (or --session)");
  if (!args->session && !args->params)
    return cli_usage(&cli_export, "--params P.json is missing (or --session)");
  if (is_json && !args->session)
    return cli_usage(&cli_export, "--format json belongs to --session");
  if (!is_c && (args->prefix || args->zero_speed || args->current_limit || args->date))
    return cli_usage(&cli_export,
                     "--prefix, --zero-speed, --current-limit and --date belong to --format c");
  return cli_may_write(args->output, args->force) ? CLI_OK : CLI_BAD_INPUT;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  const int code = check_args(args);
  if (code != CLI_OK)
    return code;
  return args->session ? export_session(args) : export_files(args);
}

const CliVerb cli_export = {
    .name = "export",
    .summary = "parameters as a C header for firmware, or as a table",
    .purpose =
        "The header holds two functions, for double and float, that give the motor currents of "
        "`predict` for positions and speeds, limited to what the motors may draw. It needs sin "
        "and cos, exp where friction has a curve, and nothing else: the arm's geometry is folded "
        "into it. Its comment lists every "
        "parameter with sd and unit, what is not identifiable, and the checksums of both files.",
    .example = "armature-cli export --arm puma560.arm.json --params p.json --format c --out "
               "puma.h\nwrites puma.h with puma_560_current(q, qd, i_A) and puma_560_current_f().",
    .exits = "0 done, 2 usage, 3 bad input, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
