/* SPDX-License-Identifier: MIT */
/* The plan as a person sets it on a teach pendant: degrees and metres, holds numbered. Judged like
 * a fit: a parameter that could be told and would not be ends with exit code 4. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/fit_report.h"
#include "cli/plan_report.h"
#include "cli/text.h"
#include "io/base/scale.h"

/* Angles in degrees, lengths in m: as people set them on a teach pendant. */
static char *position_text(ArmJointType type, double q) {
  if (type == ARM_JOINT_T)
    return g_strdup_printf("%.3f m", fabs(q) < 0.0005 ? 0.0 : q);
  double deg = aio_deg_from_rad(q);
  return g_strdup_printf("%.1f", fabs(deg) < 0.05 ? 0.0 : deg);
}

static void print_hold(const CliPlanReport *report, CliTable *table, size_t swept, size_t h) {
  const ArmJointPlan *joint = &report->plan->joint[swept];
  cli_table_cell(table, "  hold %zu", h + 1);
  for (size_t j = 0; j < report->plan->n; j++) {
    if (j == swept)
      cli_table_cell(table, "moves");
    else
      cli_table_take(table, position_text(report->arm->model.joints[j].type, joint->holds[h][j]));
  }
}

static void print_speeds(GString *text, const ArmJointPlan *joint, bool is_R) {
  for (size_t k = 0; k < joint->n_speeds; k++)
    g_string_append_printf(text, "%s%.4g", k ? ", " : "",
                           is_R ? aio_deg_from_rad(joint->speeds[k]) : joint->speeds[k]);
}

static void print_joint(const CliPlanReport *report, CliTable *table, size_t i) {
  const ArmJointPlan *joint = &report->plan->joint[i];
  const ArmJointType type = report->arm->model.joints[i].type;
  const ArmJointStatistics *fit = &report->found->joint[i];
  const bool is_R = type == ARM_JOINT_R;
  cli_table_line(table, "%s", "");
  if (!joint->is_swept) {
    cli_table_line(table, "Joint %zu: not swept", i + 1);
    return;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *from = position_text(type, joint->from), *to = position_text(type, joint->to);
  g_string_append_printf(text, "Joint %zu: sweep from %s to %s%s and back at ", i + 1, from, to,
                         is_R ? " deg" : "");
  print_speeds(text, joint, is_R);
  g_string_append_printf(text, " %s, in each hold; about %.0f s", is_R ? "deg/s" : "m/s",
                         report->report->duration_s[i]);
  cli_table_take_line(table, cli_wrap(text->str, 0, 2, CLI_WIDTH));
  g_autofree char *raw = cli_format_number(fit->cond_raw, 3),
                  *scaled = cli_format_number(fit->cond_equilibrated, 3),
                  *centred = cli_format_number(fit->cond_centred, 3);
  g_autofree char *excitation =
      report->report->excitation_required[i] == 0
          ? g_strdup("friction only")
          : g_strdup_printf("excitation rank %zu of %zu", report->report->excitation_rank[i],
                            report->report->excitation_required[i]);
  cli_table_line(table, "  %s; condition raw %s, equilibrated %s, centred %s", excitation, raw,
                 scaled, centred);
  if (report->report->score[i] > 0.0 && isfinite(report->report->score[i]))
    cli_table_line(table, "  gravity current known afterwards to %.2g mA (rms over poses)",
                   1000.0 * report->report->score[i]);
  for (size_t h = 0; h < joint->n_holds; h++)
    print_hold(report, table, i, h);
}

static void print_ratios(const ArmParamSet *found) {
  CliTable *table = cli_table_new("lrl");
  size_t count = 0;
  for (size_t k = 0; k < found->n; k++) {
    const ArmEstimate *e = &found->estimate[k];
    if (!cli_fit_is_pair(found, k))
      continue;
    g_autofree char *label = cli_fit_label(found, k);
    if (count++ == 0)
      cli_table_line(table, "%s", "\nTorque-constant ratios, predicted sd");
    cli_table_cell(table, "  %s", label);
    cli_table_take(table, e->identifiable ? cli_format_number(e->sd, 2) : g_strdup("-"));
    cli_table_cell(table, "%s", e->identifiable ? "" : arm_reason_key(e->reason));
  }
  cli_table_finish(table);
}

static void print_head(const CliPlanReport *report) {
  g_autofree char *arm = cli_name(report->arm->name);
  g_autofree char *file = report->params_path ? cli_base_name(report->params_path) : NULL;
  cli_print_wrapped(g_strdup_printf("%s, planned with %s%s.", arm,
                                    file ? "the parameters in "
                                    : report->options->is_made_up
                                        ? "made-up loads, as masses are missing in the arm file"
                                        : "the nominal masses of the arm file",
                                    file ? file : ""));
  if (!file)
    cli_print_wrapped(g_strdup_printf("Standard deviations are those of white noise of %.3g mA.",
                                      1000.0 * report->options->noise_sd));
}

void cli_plan_print(const CliPlanReport *report) {
  g_autoptr(GString) alignment = g_string_new("l");
  double duration = 0.0;
  for (size_t j = 0; j < report->plan->n; j++)
    g_string_append_c(alignment, 'r');
  CliTable *table = cli_table_new(alignment->str);
  print_head(report);
  printf("Each hold gives the other joints' positions in deg (sliding joints: m).\n\n");
  cli_table_cell(table, "%s", "");
  for (size_t j = 0; j < report->plan->n; j++)
    cli_table_cell(table, "q%zu", j + 1);
  for (size_t i = 0; i < report->plan->n; i++) {
    print_joint(report, table, i);
    duration += report->plan->joint[i].is_swept ? report->report->duration_s[i] : 0.0;
  }
  cli_table_finish(table);
  print_ratios(report->found);
  printf("\nAltogether about %.0f min. The plan knows joint limits, not obstacles: try every hold "
         "slowly first.\n",
         ceil(duration / 60.0));
}

int cli_plan_judge(const CliPlanReport *report) {
  const ArmParamSet *found = report->found;
  int code = CLI_OK;
  for (size_t k = 0; k < found->n; k++) {
    const ArmEstimate *e = &found->estimate[k];
    if (cli_fit_is_pair(found, k) || e->identifiable || cli_fit_is_structural(e->reason))
      continue;
    g_autofree char *label = cli_fit_label(found, k);
    cli_error("%s of joint %d would not be identifiable: %s", label, found->param[k].id.i + 1,
              arm_reason_text(e->reason));
    code = CLI_INFEASIBLE;
  }
  return code;
}
