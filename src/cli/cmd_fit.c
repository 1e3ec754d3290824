/* SPDX-License-Identifier: MIT */
/* `fit`: recordings of single-joint motions in, parameters with error bars out. */
#include <math.h>
#include <string.h>

#include "cli/fit_options.h"
#include "cli/reduced.h"
#include "cli/text.h"
#include "io/json/digest.h"
#include "io/json/json_write.h"
#include "io/params/params_file.h"
#include "io/params/verdict_file.h"
#include "io/recording/wild_spans.h"

typedef struct {
  const char *arm, *out, *truth;
  GPtrArray *csv, *reduced;
  CliFitArgs fit;
  bool json, force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"csv", CLI_TEXTS, false, offsetof(Args, csv), "REC.csv",
     "Recording: t_s,joint,q1_rad,..,qd1_rad_s,..,i1_A,.. (joint = the one that moves). Give it "
     "several times to fit several recordings together."},
    {"reduced", CLI_TEXTS, false, offsetof(Args, reduced), "SUMS",
     "In place of recordings: their sums, as `reduce` writes them; may be given several times. "
     "Which rows are used was said there. Of joints whose rows are not in them the largest "
     "residual is not known, nor where wild samples were."},
    {"out", CLI_OUT, false, offsetof(Args, out), "P.json",
     "Also write the parameters to this file, for `predict` and `plan`."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL,
     "Print the parameters as JSON instead of the table."},
    CLI_FIT_OPTIONS(Args),
    {"truth", CLI_TEXT, false, offsetof(Args, truth), "TRUE.csv|ARM.json",
     "Known true values (name,value; from a simulation), or the arm file that was simulated, to be "
     "shown beside the result."},
};

static int check_args(const Args *args) {
  const int code = cli_fit_check_args(&cli_fit, &args->fit);
  if (code != CLI_OK)
    return code;
  if (!args->csv && !args->reduced)
    return cli_usage(&cli_fit, "--csv REC.csv is missing, or --reduced SUMS");
  if (args->csv && args->reduced)
    return cli_usage(&cli_fit, "--csv and --reduced: reduce the recordings as well");
  if (args->reduced && cli_fit_chooses_rows(&args->fit))
    return cli_usage(&cli_fit, "options that choose rows belong to `reduce`, not to --reduced");
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
  aio_limits_write_changed(w, &used->limits);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_strchomp(g_string_free(text, FALSE));
}

/* What was left out as wild, where the fit left out any. */
static GArray *find_wild(const ArmFitOptions *used, const CliFitReport *report,
                         const CliRows *rows) {
  const ArmModel *model = &report->arm->model;
  size_t count = used->lowpass_Hz > 0.0 || used->rows.wants_acceleration; /* of what is used */
  for (size_t i = 0; i < model->n; i++)
    count += report->fit->refined.joint[i].rows_by_use[ARM_ROW_WILD] +
             report->fit->refined.joint[i].rows_by_use[ARM_ROW_WILD_POSITION];
  const ArmRowSource source = aio_row_store_source(rows->store);
  return count > 0 ? aio_wild_spans(model, &source, &used->rows, rows->about, true)
                   : g_array_new(FALSE, FALSE, sizeof(AioWildSpan));
}

static AioProvenance *provenance_of(const Args *args, const ArmFitOptions *used,
                                    const CliFitReport *report, const CliRows *rows,
                                    const AioSums *sums) {
  AioProvenance *provenance =
      aio_provenance_new("armature-cli", ARMATURE_VERSION, report->arm->digest);
  for (guint k = 0; sums && k < sums->recordings->len; k++) {
    const AioReduced *reduced = g_ptr_array_index(sums->recordings, k);
    aio_provenance_add_recording(provenance, reduced->name, reduced->digest);
  }
  for (guint k = 0; args->csv && k < args->csv->len; k++) {
    const char *digest = rows->digests ? g_ptr_array_index(rows->digests, k) : NULL;
    g_autofree char *name = g_path_get_basename(g_ptr_array_index(args->csv, k));
    aio_provenance_add_recording(provenance, name, digest);
  }
  provenance->wild = sums ? NULL : find_wild(used, report, rows);
  provenance->options = describe_options(used, cli_fit_has_terms(&report->found),
                                         sums ? sums->rate_Hz : args->fit.rate);
  return provenance;
}

static int print_fit(const Args *args, const ArmFitOptions *used, const CliFitReport *report,
                     const CliRows *rows, const AioSums *sums) {
  int code = CLI_OK;
  gsize length;
  g_autoptr(AioProvenance) provenance = provenance_of(args, used, report, rows, sums);
  g_autofree char *json =
      aio_params_format(report->fit, report->recording->is_torque, report->arm->name,
                        report->arm->digest, ARMATURE_PROGRAM, provenance, &length);
  if (args->json)
    code = cli_write(NULL, json, length, false);
  else
    cli_fit_print(report);
  if (args->out && code == CLI_OK)
    code = cli_write(args->out, json, length, args->force);
  if (code == CLI_OK)
    cli_fit_warn_wild(report, args->csv, provenance->wild);
  return code;
}

/* Prints and judges what was fitted. */
static int tell(const Args *args, const ArmFitOptions *used, const CliRows *rows,
                const AioSums *sums, CliFitReport *report) {
  int code = cli_fit_report_take(report) ? CLI_OK : CLI_BAD_INPUT;
  if (code == CLI_OK)
    code = print_fit(args, used, report, rows, sums);
  if (code == CLI_OK) {
    cli_fit_warn_terms(report, args->fit.friction && strstr(args->fit.friction, "load"));
    code = cli_fit_judge(report, args->json);
  }
  cli_fit_report_clear(report);
  return code;
}

static int fit_rows(const Args *args, const ArmFitOptions *used, const CliRows *rows,
                    CliFitReport *report) {
  g_autofree ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  int code = cli_fit_rows(&args->fit, used, rows, report->structure, &report->arm->model, fit);
  report->fit = fit;
  if (code == CLI_OK)
    code = tell(args, used, rows, NULL, report);
  arm_gravity_fit_clear(fit);
  return code;
}

static int fit_recordings(const Args *args, const ArmFitOptions *used, CliFitReport *report) {
  g_auto(CliRows) rows = {0};
  if (!cli_rows_load(args->csv, &report->arm->model, args->fit.rate, args->fit.acceleration,
                     args->json || args->out, &rows))
    return CLI_BAD_INPUT;
  cli_warn_recording(rows.about);
  report->recording = rows.about;
  report->rows = rows.rows;
  report->unmoved = rows.unmoved;
  return fit_rows(args, used, &rows, report);
}

/* Sums as one recording without rows. */
static int fit_joined(const Args *args, ArmFitOptions *used, const AioSums *sums,
                      const ArmReduced *joined, CliFitReport *report) {
  GError *error = NULL;
  g_autoptr(AioRecording) about =
      aio_recording_new(sums->name, &report->arm->model, 0, false, &error);
  if (!about)
    return cli_fail(error);
  g_autofree ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  memcpy(about->is_torque, joined->is_torque, sizeof about->is_torque);
  used->rows = sums->rows;
  used->lowpass_Hz = sums->lowpass_Hz;
  used->shelf = aio_shelf_face(sums->shelf);
  report->recording = about;
  report->rows = joined->rows;
  report->unmoved = joined->unmoved;
  const ArmStatus status = arm_gravity_fit_sums(&report->arm->model, joined, used, fit);
  if (status == ARM_E_SOURCE)
    return cli_fail(g_error_copy(aio_shelf_error(sums->shelf)));
  if (status != ARM_OK)
    return cli_fail_status(status, sums->name);
  report->fit = fit;
  const int code = tell(args, used, NULL, sums, report);
  arm_gravity_fit_clear(fit);
  return code;
}

static int fit_reduced(const Args *args, ArmFitOptions *used, CliFitReport *report) {
  GError *error = NULL;
  g_autoptr(AioShelf) shelf = aio_shelf_new();
  g_auto(ArmReduced) joined = {0};
  g_autoptr(AioSums) sums = cli_reduced_load(args->reduced, args->arm, report->arm, shelf);
  if (!sums)
    return CLI_BAD_INPUT;
  cli_reduced_warn_rows(sums);
  if (!aio_sums_join(sums, &report->arm->model, &joined, &error))
    return cli_fail(error);
  return fit_joined(args, used, sums, &joined, report);
}

static int run_with_arm(const Args *args, const AioArm *arm, const ArmStructure *structure) {
  ArmVerdictLimits limits;
  if (!cli_load_limits(args->fit.limits, &limits))
    return CLI_BAD_INPUT;
  CliFitReport report = {.arm = arm, .structure = structure};
  if (cli_fit_set_joints(&cli_fit, &args->fit, &report) != CLI_OK)
    return CLI_USAGE;
  g_autoptr(CliTruth) truth = args->truth ? cli_truth_load(args->truth, &arm->model) : NULL;
  if (args->truth && !truth)
    return CLI_BAD_INPUT;
  ArmFitOptions used;
  cli_fit_set_options(&args->fit, &used);
  used.limits = limits;
  report.truth = truth;
  return args->reduced ? fit_reduced(args, &used, &report) : fit_recordings(args, &used, &report);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  int code = check_args(args);
  if (code != CLI_OK)
    return code;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  return run_with_arm(args, arm, &structure);
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
        "support everything. Recordings too many or too long to be kept are first reduced to their "
        "sums (`reduce`).\n\n"
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
