/* SPDX-License-Identifier: MIT */
/* What a session has found, by the printers and judges of `fit`: one fit, one wording, one exit
 * code, whether it came out of a recording or of an arm. */
#include "cli/session_report.h"

#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/fit_report.h"
#include "cli/text.h"
#include "io/json/json_write.h"
#include "session/method/gravity.h"

typedef struct {
  CliFitReport report;
  ArmStructure structure;
  AioRecording *about; /* of its rows */
} Report;

static void report_clear(Report *made) {
  cli_fit_report_clear(&made->report);
  aio_recording_free(made->about);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Report, report_clear)

/* Cleared by the caller, also without success. Needs the samples that the fit was made of: false
 * when the file has none any more. */
static bool make_report(AseSession *session, Report *made) {
  const AseSelection *selection = ase_session_selection(session);
  CliFitReport *report = &made->report;
  *report = (CliFitReport){.arm = ase_session_arm(session),
                           .structure = &made->structure,
                           .fit = (ArmGravityFit *)ase_gravity_of(ase_session_fit(session))};
  if (!selection)
    return false;
  made->about = aio_recording_new("sweeps", &report->arm->model, 0, false, NULL);
  report->recording = made->about;
  report->rows = selection->rows;
  report->unmoved = selection->rows - ase_selection_count(selection, ASE_SAMPLE_USED);
  return report->fit && arm_structure_find(&report->arm->model, &made->structure) == ARM_OK &&
         cli_fit_report_take(report);
}

void cli_session_print_fit(AseSession *session, const CliTruth *truth) {
  g_auto(Report) made = {0};
  if (make_report(session, &made)) {
    made.report.truth = truth;
    cli_fit_print(&made.report);
  }
}

/* g_free it. */
static char *promised_text(double promised_A, int digits) {
  return isnan(promised_A) ? g_strdup("not known") : cli_format_number(promised_A, digits);
}

static bool is_judged(const AseValidation *v, guint j) {
  return v->joint[j].rows > 0;
}

static void print_drift(const AseValidation *v) {
  if (v->drift_joint)
    printf("Friction of joint %u changed by %.2g A from the first sweep to its repetition, %.1f "
           "sd%s.\n",
           v->drift_joint, v->drift_A, v->drift_sds,
           v->has_drifted ? ": warm the arm up longer and sweep again" : "");
}

void cli_session_print_validation(AseSession *session) {
  const AseValidation *v = ase_session_validation(session);
  if (!v)
    return;
  CliTable *table = cli_table_new("rrrrrrrl");
  const char *const heads[] = {"joint",     "rows",      "rms [A]",      "mean [A]",
                               "worst [A]", "error [A]", "promised [A]", ""};
  printf("\nValidation on poses and speeds that the fit has not seen\n");
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (guint j = 0; j < v->joints; j++) {
    const AseJointValidation *joint = &v->joint[j];
    if (!is_judged(v, j))
      continue;
    cli_table_cell(table, "%u", j + 1);
    cli_table_cell(table, "%" G_GSIZE_FORMAT, joint->rows);
    cli_table_take(table, cli_format_number(joint->rms_A, 3));
    cli_table_take(table, cli_format_number(joint->mean_A, 2));
    cli_table_take(table, cli_format_number(joint->worst_A, 3));
    cli_table_take(table, cli_format_number(joint->model_error_A, 3));
    cli_table_take(table, promised_text(joint->promised_A, 3));
    cli_table_cell(table, "%s", joint->has_passed ? "passed" : "FAILED");
  }
  cli_table_finish(table);
  print_drift(v);
}

char *cli_session_validation_json(AseSession *session) {
  const AseValidation *v = ase_session_validation(session);
  if (!v)
    return NULL;
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-validation");
  aio_json_put_int(w, "version", 1);
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (guint j = 0; j < v->joints; j++) {
    const AseJointValidation *joint = &v->joint[j];
    const bool has = is_judged(v, j);
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "joint", j + 1);
    aio_json_put_int(w, "rows", (gint64)joint->rows);
    aio_json_put_number(w, "rms_A", has ? joint->rms_A : (double)NAN);
    aio_json_put_number(w, "mean_A", has ? joint->mean_A : (double)NAN);
    aio_json_put_number(w, "worst_A", has ? joint->worst_A : (double)NAN);
    aio_json_put_number(w, "percent", has ? joint->percent : (double)NAN);
    aio_json_put_int(w, "sweeps", (gint64)joint->on_strokes.strokes);
    aio_json_put_number(w, "error_A", has ? joint->model_error_A : (double)NAN);
    aio_json_put_number(w, "promised_A", has ? joint->promised_A : (double)NAN);
    aio_json_put_number(w, "ratio", has ? joint->ratio : (double)NAN);
    aio_json_write_key(w, "passed");
    if (has)
      aio_json_write_bool(w, joint->has_passed);
    else
      aio_json_write_null(w);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "drift");
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "joint", v->drift_joint);
  aio_json_put_number(w, "A", v->drift_A);
  aio_json_put_number(w, "sds", v->drift_sds);
  aio_json_put_bool(w, "too_large", v->has_drifted);
  aio_json_write_end_object(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

static void tell_failed(const AseJointValidation *v, guint joint) {
  g_autofree char *promised = promised_text(v->promised_A, 2);
  cli_error("validation: joint %u is off by %.2g A over %zu sweeps, promised%s %s%s: %s", joint,
            v->model_error_A, v->on_strokes.strokes, isnan(v->promised_A) ? ":" : "", promised,
            isnan(v->promised_A) ? "" : " A", ase_validation_reason(v->on_strokes.kind));
}

static int judge_validation(const AseValidation *v) {
  int code = CLI_OK;
  for (guint j = 0; v && j < v->joints; j++) {
    if (!is_judged(v, j) || v->joint[j].has_passed)
      continue;
    if (v->joint[j].on_strokes.kind == ARM_VALIDATION_NOT_MEASURED)
      cli_error("validation: joint %u: %s", j + 1,
                ase_validation_reason(ARM_VALIDATION_NOT_MEASURED));
    else
      tell_failed(&v->joint[j], j + 1);
    code = CLI_INFEASIBLE;
  }
  if (v && v->has_drifted) {
    cli_error("validation: friction of joint %u drifted by %.1f sd: warm the arm up longer",
              v->drift_joint, v->drift_sds);
    code = CLI_INFEASIBLE;
  }
  return code;
}

static int judge_fit(const CliFitReport *report) {
  cli_fit_warn_terms(report, false);
  return cli_fit_judge(report, false);
}

int cli_session_judge(AseSession *session) {
  g_auto(Report) made = {0};
  int fit = CLI_OK;
  if (make_report(session, &made))
    fit = judge_fit(&made.report);
  const int validation = judge_validation(ase_session_validation(session));
  return fit == CLI_OK ? validation : fit;
}
