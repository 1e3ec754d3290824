/* SPDX-License-Identifier: MIT */
/* What is worth an exit code, and what only a warning: a joint without rows, a parameter that data
 * could have told and did not, a misfit. What the structure forbids is no fault of the recording.
 */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit_report.h"
#include "io/params/verdict_file.h"

bool cli_fit_report_take(CliFitReport *report) {
  const bool *is_torque = report->recording ? report->recording->is_torque : NULL;
  ArmStatus status = arm_gravity_set(&report->fit->refined, is_torque, false, &report->found);
  if (status == ARM_OK && report->fit->recursive.n > 0)
    status = arm_gravity_set(&report->fit->recursive, is_torque, false, &report->recursion);
  if (status != ARM_OK)
    cli_error("%s", arm_status_text(status));
  return status == ARM_OK;
}

void cli_fit_report_clear(CliFitReport *report) {
  arm_param_set_clear(&report->found);
  arm_param_set_clear(&report->recursion);
}

bool cli_fit_is_pair(const ArmParamSet *set, size_t k) {
  return arm_param_info(set->param[k].id.kind)->scope == ARM_OF_PAIR;
}

/* The next "%d" becomes a joint's number. */
static void put_joint(GString *text, unsigned joint) {
  char number[12];
  g_snprintf(number, sizeof number, "%u", joint + 1);
  g_string_replace(text, "%d", number, 1);
}

char *cli_fit_label(const ArmParamSet *set, size_t k) {
  const ArmParam *param = &set->param[k];
  GString *text = g_string_new(param->name ? param->name : arm_param_info(param->id.kind)->symbol);
  if (cli_fit_is_pair(set, k)) {
    put_joint(text, param->id.i);
    put_joint(text, param->id.j);
  }
  return g_string_free(text, FALSE);
}

bool cli_fit_is_structural(ArmReason reason) {
  return reason == ARM_REASON_AXIS_VERTICAL || reason == ARM_REASON_AXIS_HORIZONTAL ||
         reason == ARM_REASON_EMBODIED || reason == ARM_REASON_OTHER_CLUSTER;
}

static bool is_rowless(ArmReason reason) {
  return reason == ARM_REASON_NO_ROWS || reason == ARM_REASON_ROWS_LEFT_OUT;
}

static bool is_judged(const CliFitReport *report, ArmParamId id) {
  return !report->has_listed || report->is_listed[id.i];
}

/* Names of all parameters that `wants_ratios` selects and that are not identifiable for `reason`;
 * NULL when there are none. g_free it. */
static char *list_refused(const CliFitReport *report, ArmReason reason, bool wants_ratios) {
  const ArmParamSet *found = &report->found;
  GString *list = g_string_new(NULL);
  for (size_t k = 0; k < found->n; k++) {
    const ArmEstimate *e = &found->estimate[k];
    const ArmParamId id = found->param[k].id;
    const bool is_ratio = cli_fit_is_pair(found, k);
    if (e->identifiable || e->reason != reason || is_ratio != wants_ratios ||
        (!is_ratio && !is_judged(report, id)))
      continue;
    g_autofree char *label = cli_fit_label(found, k);
    g_string_append_printf(list, "%s%s", list->len ? ", " : "", label);
    if (!is_ratio)
      g_string_append_printf(list, " of joint %d", id.i + 1);
  }
  bool is_empty = list->len == 0;
  char *text = g_string_free(list, is_empty);
  return is_empty ? NULL : text;
}

/* Joints without rows are named as joints, not parameter by parameter. NULL: there are none. */
static char *list_rowless(const CliFitReport *report, ArmReason reason) {
  GString *list = g_string_new(NULL);
  for (size_t i = 0; i < report->fit->refined.n; i++)
    if (report->fit->refined.joint[i].rows_used == 0 &&
        report->fit->refined.joint[i].friction[0].reason == reason &&
        (!report->has_listed || report->is_listed[i]))
      g_string_append_printf(list, "%s%d", list->len ? ", " : "", (int)i + 1);
  const bool is_empty = list->len == 0;
  char *text = g_string_free(list, is_empty);
  return is_empty ? NULL : text;
}

static bool report_joints_without_rows(const CliFitReport *report) {
  g_autofree char *left_out = list_rowless(report, ARM_REASON_ROWS_LEFT_OUT);
  g_autofree char *still = list_rowless(report, ARM_REASON_NO_ROWS);
  const bool has_some = left_out || still;
  if (left_out)
    cli_error("the current of joint %s is missing in all rows that move it: is it in another "
              "column, or does another joint move there?",
              left_out);
  if (still)
    cli_error("no usable row moves joint %s: record sweeps of it, or name the joints this "
              "recording is about with --joints",
              still);
  return has_some;
}

static void warn_ratios(const CliFitReport *report) {
  for (int r = 0; r < ARM_REASONS; r++) {
    g_autofree char *list = list_refused(report, (ArmReason)r, true);
    if (list && !is_rowless((ArmReason)r))
      cli_warning("%s not identifiable: %s", list, arm_reason_text((ArmReason)r));
  }
  if (!report->fit->is_converged && report->fit->iterations > 0)
    cli_warning("the joint refinement did not converge (relative gradient %.1e after %d "
                "iterations)",
                report->fit->relative_gradient, (int)report->fit->iterations);
}

/* One line each; what was never swept is told by others. Returns whether the model misses a joint
 * that the recording is about. */
static bool report_misfit(const CliFitReport *report) {
  g_autoptr(GPtrArray) lines = aio_verdict_lines(report->fit);
  bool is_bad = false;
  for (guint k = 0; k < lines->len; k++) {
    const AioVerdictLine *line = g_ptr_array_index(lines, k);
    const size_t i = line->joint - 1; /* of the recording: none */
    const bool counts = line->joint > 0 && (!report->has_listed || report->is_listed[i]);
    if (line->joint > 0 && report->found.joint[i].rows_used == 0 &&
        strcmp(line->code, "verdict_unknown") == 0)
      continue;
    if (line->is_misfit && counts)
      cli_error("%s", line->message);
    else
      cli_warning("%s", line->message);
    is_bad = is_bad || (line->is_misfit && counts);
  }
  return is_bad;
}

int cli_fit_judge(const CliFitReport *report, bool wants_warnings) {
  bool is_bad = report_joints_without_rows(report);
  is_bad = report_misfit(report) || is_bad;
  for (int r = 0; r < ARM_REASONS; r++) {
    if (cli_fit_is_structural((ArmReason)r) || is_rowless((ArmReason)r))
      continue;
    g_autofree char *list = list_refused(report, (ArmReason)r, false);
    if (list)
      cli_error("%s not identifiable: %s", list, arm_reason_text((ArmReason)r));
    is_bad = is_bad || list;
  }
  if (wants_warnings)
    warn_ratios(report);
  return is_bad ? CLI_INFEASIBLE : CLI_OK;
}
