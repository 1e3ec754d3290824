/* SPDX-License-Identifier: MIT */
/* `fit`: recordings of single-joint motions in, parameters with error bars out. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit_report.h"
#include "cli/recordings.h"
#include "cli/text.h"
#include "core/filter.h"
#include "io/digest.h"
#include "io/json_write.h"
#include "io/params_file.h"
#include "io/verdict_file.h"
#include "io/wild_spans.h"

typedef struct {
  const char *arm, *out, *truth, *joints, *limits, *friction;
  GPtrArray *csv;
  double min_speed, min_speed_t, lowpass, rate;
  bool json, force, acceleration, plateau;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"csv", CLI_TEXTS, true, offsetof(Args, csv), "REC.csv",
     "Recording: t_s,joint,q1_rad,..,qd1_rad_s,..,i1_A,.. (joint = the one that moves). Give it "
     "several times to fit several recordings together."},
    {"out", CLI_TEXT, false, offsetof(Args, out), "P.json",
     "Also write the parameters to this file, for `predict` and `plan`."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL,
     "Print the parameters as JSON instead of the table."},
    {"min-speed", CLI_NUMBER, false, offsetof(Args, min_speed), "X",
     "Use rows in which the moving joint is faster than X rad/s; sliding joints: X/10 m/s. "
     "Default 0.005 rad/s and 0.0005 m/s. Below, stiction hides the current."},
    {"min-speed-t", CLI_NUMBER, false, offsetof(Args, min_speed_t), "X",
     "The same for sliding joints alone, in m/s."},
    {"acceleration", CLI_FLAG, false, offsetof(Args, acceleration), NULL,
     "Also fit the moving joint's inertia: for motions that are not at constant speed. Uses "
     "qdd columns where there are any, else differentiates the speeds."},
    {"plateau", CLI_FLAG, false, offsetof(Args, plateau), NULL,
     "Keep only the constant-speed middle of each sweep: without 10 % (at most 25 deg) at both "
     "ends and within 5 % of the sweep's median speed."},
    {"lowpass", CLI_NUMBER, false, offsetof(Args, lowpass), "HZ",
     "Low-pass speeds, currents and computed accelerations without delay before anything else, "
     "cut-off in Hz (below half the sampling rate): for currents whose noise hides the friction. "
     "Default: none."},
    {"rate", CLI_NUMBER, false, offsetof(Args, rate), "HZ", CLI_RATE_HELP},
    {"friction", CLI_TEXT, false, offsetof(Args, friction), "base|auto|load,curve",
     "Friction beyond Coulomb and viscous. Default auto: each joint gets a part that grows with "
     "its "
     "load (load), or bends off the straight line of speed (curve), where its strokes prove it: "
     "significant, and strokes left out of the fit predicted at least 2 % better.\nbase: neither.\n"
     "load, curve or load,curve: only these are tried, by the same rule."},
    {"joints", CLI_TEXT, false, offsetof(Args, joints), "1,2,..",
     "The joints this recording is about. Only these decide between exit status 0 and 4; every "
     "joint with rows is fitted all the same. Default: all."},
    {"limits", CLI_TEXT, false, offsetof(Args, limits), "LIMITS.json",
     "From which size on a misfit of the model counts, in the lab's view: {\"format\": "
     "\"armature-limits\", \"version\": 1, \"gravity_relative\": 0.001, ..}. Default: 0.1 % of "
     "the current for gravity, 2 % of friction for what turns with the direction."},
    {"truth", CLI_TEXT, false, offsetof(Args, truth), "TRUE.csv|ARM.json",
     "Known true values (name,value; from a simulation), or the arm file that was simulated, to be "
     "shown beside the result."},
};

static bool parse_joints(const char *text, size_t n, bool *is_listed) {
  char **words = g_strsplit(text, ",", -1);
  bool is_good = words[0] != NULL;
  for (gsize k = 0; words[k] && is_good; k++) {
    guint64 joint;
    is_good = g_ascii_string_to_unsigned(words[k], 10, 1, n, &joint, NULL);
    if (is_good)
      is_listed[joint - 1] = true;
  }
  g_strfreev(words);
  return is_good;
}

static void set_options(const Args *args, ArmFitOptions *fit_options) {
  arm_fit_options_default(fit_options);
  if (!isnan(args->min_speed)) {
    fit_options->rows.min_speed_R = args->min_speed;
    fit_options->rows.min_speed_T = 0.1 * args->min_speed;
  }
  if (!isnan(args->min_speed_t))
    fit_options->rows.min_speed_T = args->min_speed_t;
  fit_options->rows.wants_acceleration = args->acceleration;
  fit_options->rows.wants_plateau = args->plateau;
  if (!isnan(args->lowpass))
    fit_options->lowpass_Hz = args->lowpass;
  cli_parse_friction(args->friction, fit_options->offers_term);
}

static int check_args(const Args *args) {
  if (args->min_speed < 0.0 || args->min_speed_t < 0.0)
    return cli_usage(&cli_fit, "a minimum speed is not negative");
  if (args->lowpass <= 0.0)
    return cli_usage(&cli_fit, "--lowpass: expected a frequency above 0 Hz");
  if (args->rate <= 0.0)
    return cli_usage(&cli_fit, CLI_RATE_USAGE);
  bool offers[ARM_TERMS];
  if (!cli_parse_friction(args->friction, offers))
    return cli_usage(&cli_fit,
                     "--friction: expected base, auto, load, curve or load,curve, found \"%s\"",
                     args->friction);
  if (args->truth && args->json)
    return cli_usage(&cli_fit, "--truth belongs to the table: leave out --json");
  return cli_may_write(args->out, args->force) ? CLI_OK : CLI_BAD_INPUT;
}

/* The options that decide about the result, with their units. */
static char *describe_options(const ArmFitOptions *used, bool has_terms, double rate_Hz) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "min_speed_rad_s", used->rows.min_speed_R);
  aio_json_put_number(w, "min_speed_m_s", used->rows.min_speed_T);
  aio_json_put_bool(w, "acceleration", used->rows.wants_acceleration);
  aio_json_put_bool(w, "plateau", used->rows.wants_plateau);
  aio_json_put_number(w, "lowpass_Hz", used->lowpass_Hz > 0.0 ? used->lowpass_Hz : NAN);
  if (!isnan(rate_Hz))
    aio_json_put_number(w, "rate_Hz", rate_Hz);
  for (int t = 0; t < ARM_TERMS && has_terms; t++)
    aio_json_put_bool(w, t == ARM_TERM_LOAD ? "friction_load" : "friction_curve",
                      used->offers_term[t]);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_strchomp(g_string_free(text, FALSE));
}

static AioProvenance *provenance_of(const Args *args, const CliFitReport *report) {
  AioProvenance *provenance =
      aio_provenance_new("armature-cli", ARMATURE_VERSION, report->arm->digest);
  ArmFitOptions fit_options;
  for (guint k = 0; k < args->csv->len; k++) {
    const char *path = g_ptr_array_index(args->csv, k);
    char *name = g_path_get_basename(path), *digest = aio_file_digest(path);
    aio_provenance_add_recording(provenance, name, digest);
    g_free(name);
    g_free(digest);
  }
  set_options(args, &fit_options);
  const ArmDataset data = aio_recording_dataset(report->recording);
  provenance->wild =
      aio_wild_spans(&report->arm->model, &data, &fit_options.rows, report->recording, true);
  provenance->options =
      describe_options(&fit_options, cli_fit_has_terms(&report->fit->refined), args->rate);
  return provenance;
}

static int print_fit(const Args *args, const CliFitReport *report) {
  int code = CLI_OK;
  gsize length;
  AioProvenance *provenance = provenance_of(args, report);
  GArray *wild = provenance->wild ? g_array_ref(provenance->wild) : NULL;
  char *json = aio_params_format(report->fit, report->recording->is_torque, report->arm->name,
                                 report->arm->digest, ARMATURE_PROGRAM, provenance, &length);
  aio_provenance_free(provenance);
  if (args->json)
    code = cli_write(NULL, json, length, false);
  else
    cli_fit_print(report);
  if (args->out && code == CLI_OK)
    code = cli_write(args->out, json, length, args->force);
  if (code == CLI_OK)
    cli_fit_warn_wild(report, args->csv, wild);
  if (wild)
    g_array_unref(wild);
  g_free(json);
  return code;
}

/* Which option was out of range: only the low-pass depends on the recording. */
static int fail_fit(const Args *args, const AioRecording *recording, ArmStatus status) {
  double step = NAN;
  const bool knows_step = arm_filter_median_step(recording->rows, recording->t, &step) == ARM_OK;
  if (status != ARM_E_ARGUMENT || !knows_step || !(args->lowpass * step >= 0.5))
    return cli_fail_status(status, recording->name);
  cli_error("--lowpass %g: expected a cut-off below %.4g Hz, half the sampling rate of %s",
            args->lowpass, 0.5 / step, recording->name);
  return CLI_BAD_INPUT;
}

static int fit_recording(const Args *args, const ArmVerdictLimits *limits, CliFitReport *report) {
  const ArmModel *model = &report->arm->model;
  ArmFitOptions fit_options;
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  ArmDataset data = aio_recording_dataset(report->recording);
  set_options(args, &fit_options);
  fit_options.limits = *limits;
  ArmStatus status = arm_gravity_fit(model, &data, &fit_options, fit);
  if (status == ARM_E_NO_DATA)
    status = cli_fit_empty(model, report->structure, &data, &fit_options.rows, fit);
  report->fit = fit;
  int code = status == ARM_OK ? print_fit(args, report) : fail_fit(args, report->recording, status);
  if (status == ARM_OK && code == CLI_OK) {
    cli_fit_warn_rows(report, &fit_options.rows);
    cli_fit_warn_terms(report, args->friction && strstr(args->friction, "load"));
    code = cli_fit_judge(report, args->json);
  }
  arm_gravity_fit_clear(fit);
  g_free(fit);
  return code;
}

static int run_with_arm(const Args *args, const AioArm *arm, const ArmStructure *structure) {
  ArmVerdictLimits limits;
  if (!cli_load_limits(args->limits, &limits))
    return CLI_BAD_INPUT;
  CliFitReport report = {.arm = arm, .structure = structure, .has_listed = args->joints != NULL};
  if (args->joints && !parse_joints(args->joints, arm->model.n, report.is_listed))
    return cli_usage(&cli_fit, "--joints: expected joints from 1 to %d such as 2,3, found \"%s\"",
                     (int)arm->model.n, args->joints);
  CliTruth *truth = args->truth ? cli_truth_load(args->truth, &arm->model) : NULL;
  if (args->truth && !truth)
    return CLI_BAD_INPUT;
  AioRecording *recording = cli_load_recordings(args->csv, &arm->model, args->rate);
  int code = CLI_BAD_INPUT;
  if (recording) {
    cli_warn_recording(recording);
    report.truth = truth;
    report.recording = recording;
    code = fit_recording(args, &limits, &report);
  }
  aio_recording_free(recording);
  cli_truth_free(truth);
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  int code = check_args(args);
  if (code != CLI_OK)
    return code;
  AioArm *arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  code = run_with_arm(args, arm, &structure);
  aio_arm_free(arm);
  return code;
}

const CliVerb cli_fit = {
    .name = "fit",
    .summary = "gravity, friction and torque-constant ratios from recordings",
    .purpose =
        "Takes recordings in which one joint moves at a time, to and fro at several steady speeds, "
        "and finds for each joint: its gravity parameters k* (times g: the current at full lever "
        "arm), Coulomb and viscous friction in both directions, and how the torque constants of "
        "the "
        "joints compare. Every number has a standard deviation; what the recording cannot support "
        "is said to be not identifiable, with what to do about it. `plan` proposes recordings that "
        "support everything.\n\n"
        "It then judges whether the model fits at all, on whole sweeps: what differs between two "
        "speeds of one hold is noise, whatever lies beyond it is misfit. That needs each hold "
        "swept both ways at two speeds or more. A base that leans, a wrong gear ratio or zero, a "
        "payload, somebody who leaned on the arm are told with their size in mA.\n\n"
        "Where strokes prove that friction grows with the load or does not rise in proportion to "
        "speed, the joint gets a term for it (see --friction); without it such a joint would be "
        "told as a misfit, and where a way back is missing it bends ratios.\n\n"
        "What leaves no misfit at all is looked for apart: speeds in deg/s or of the wrong sign, "
        "currents without sign or of the wrong one, ratios far from the data sheet, saturation, "
        "positions beyond the limits, held joints that move, missing samples. Each is a line with "
        "what was found and expected.\n\n"
        "The result is the joint refinement of all joints; the table shows beside it how far the "
        "plain recursion from the last joint to the first (n->1) differs.",
    .example =
        "armature-cli fit --arm puma560.arm.json --csv monday.csv --csv tuesday.csv --out p.json\n"
        "fits both recordings together, prints the table and writes the parameters to p.json.",
    .exits = "0 done, 2 usage, 3 bad input, 130 interrupted,\n"
             "4 a joint has no usable row, or one of its gravity or friction parameters is not "
             "identifiable from the rows it has, or the model does not fit it (see --joints and "
             "--limits), or a ratio has the sign that the arm file excludes; the result is still "
             "printed and written. Parameters that the geometry "
             "makes redundant never count, nor does a ratio that "
             "the noise hides: that is a warning.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
