/* SPDX-License-Identifier: MIT */
/* The table of a fit for people: value and sd to the digits that the sd allows, in brackets what a
 * prediction uses where nothing is known, and reasons once per joint instead of once per line. The
 * same as JSON is io/params/params_file's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/fit_report.h"
#include "cli/text.h"

/* What the closing sentences need, gathered while rows are printed. */
typedef struct {
  const CliFitReport *report;
  CliTable *table;
  size_t own, own_found, ratios, ratios_found;
  size_t compared, within_1, within_2, within_3;
  double worst_truth, worst_recursion;
  size_t worst_truth_at, worst_recursion_at;
} Print;

static const char *current_unit(const CliFitReport *report, size_t joint) {
  return arm_param_set_effort_unit(&report->found, joint);
}

/* The current (or torque, force) at full lever arm: the starred parameter times g. */
static void print_times_g(const Print *print, ArmParamId id, const ArmEstimate *e) {
  const double *g = print->report->arm->model.gravity_m_s2;
  const double norm = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  char *value;
  g_autofree char *sd = NULL;
  if (arm_param_info(id.kind)->quantity != ARM_COUNTS_MOMENT || !e->identifiable) {
    cli_table_cell(print->table, "%s", "");
    return;
  }
  cli_format_estimate(e->value * norm, e->sd * norm, &value, &sd);
  cli_table_take(print->table, value);
}

static void print_difference(CliTable *table, double sds) {
  if (!isfinite(sds))
    cli_table_cell(table, "%s", "");
  else if (fabs(sds) < 0.05)
    cli_table_cell(table, "0.0");
  else
    cli_table_cell(table, fabs(sds) < 1000 ? "%+.1f" : "%+.0e", sds);
}

static void print_truth(Print *print, size_t k, const ArmEstimate *e) {
  double truth;
  if (!cli_truth_find(print->report->truth, print->report->found.param[k].id, &truth)) {
    cli_table_cell(print->table, "%s", "");
    cli_table_cell(print->table, "%s", "");
    return;
  }
  char *value;
  g_autofree char *sd = NULL;
  cli_format_estimate(truth, e->identifiable ? e->sd : NAN, &value, &sd);
  cli_table_take(print->table, value);
  const double off = e->identifiable && e->sd > 0.0 ? (e->value - truth) / e->sd : (double)NAN;
  print_difference(print->table, off);
  if (!isfinite(off))
    return;
  print->compared++;
  print->within_1 += fabs(off) <= 1.0;
  print->within_2 += fabs(off) <= 2.0;
  print->within_3 += fabs(off) <= 3.0;
  if (fabs(off) > fabs(print->worst_truth)) {
    print->worst_truth = off;
    print->worst_truth_at = k;
  }
}

static void print_recursion(Print *print, size_t k, const ArmEstimate *e) {
  const ArmParamSet *recursion = &print->report->recursion;
  const ArmEstimate *other =
      recursion->n ? arm_param_set_at(recursion, print->report->found.param[k].id) : NULL;
  double difference = NAN;
  if (other && other->identifiable && e->identifiable && e->sd > 0.0)
    difference = (other->value - e->value) / e->sd;
  print_difference(print->table, difference);
  if (fabs(difference) > fabs(print->worst_recursion)) {
    print->worst_recursion = difference;
    print->worst_recursion_at = k;
  }
}

static void print_parameter(Print *print, size_t k) {
  const ArmParamSet *found = &print->report->found;
  const ArmEstimate *e = &found->estimate[k];
  g_autofree char *label = cli_fit_label(found, k);
  if (cli_fit_is_pair(found, k)) {
    print->ratios++;
    print->ratios_found += e->identifiable;
  } else {
    print->own++;
    print->own_found += e->identifiable;
  }
  cli_table_cell(print->table, "  %s", label);
  cli_table_take_estimate(print->table, e);
  cli_table_take(print->table, cli_unit_text(arm_param_set_unit_shown(found, k)));
  print_times_g(print, found->param[k].id, e);
  print_truth(print, k, e);
  print_recursion(print, k, e);
}

static void take_wrapped_line(CliTable *table, char *text) {
  cli_table_take_line(table, cli_wrap(text, 0, 4, CLI_WIDTH));
  g_free(text);
}

/* "kx*, ky*: redundant: ..." for each reason among parameters first .. last - 1. */
static void print_reasons(const Print *print, size_t first, size_t last) {
  const ArmParamSet *found = &print->report->found;
  for (int r = 0; r < ARM_REASONS; r++) {
    g_autoptr(GString) list = g_string_new(NULL);
    for (size_t k = first; k < last; k++) {
      const ArmEstimate *e = &found->estimate[k];
      if (e->identifiable || (int)e->reason != r)
        continue;
      g_autofree char *label = cli_fit_label(found, k);
      g_string_append_printf(list, "%s%s", list->len ? ", " : "", label);
    }
    if (list->len > 0)
      take_wrapped_line(print->table, g_strdup_printf("  %s not identifiable: %s.", list->str,
                                                      arm_reason_text((ArmReason)r)));
  }
}

static char *rows_text(const ArmJointStatistics *joint) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%zu rows used", joint->rows_used);
  const char *separator = "; left out: ";
  for (int use = ARM_ROW_USED + 1; use < ARM_ROW_REASONS; use++) {
    if (joint->rows_by_use[use] == 0 || use == ARM_ROW_NO_JOINT)
      continue;
    g_autofree char *reason = g_strdelimit(g_strdup(arm_row_use_key((ArmRowUse)use)), "_", ' ');
    g_string_append_printf(text, "%s%zu %s", separator, joint->rows_by_use[use], reason);
    separator = ", ";
  }
  return g_string_free(text, FALSE);
}

static void print_joint_head(const Print *print, size_t i) {
  const ArmJointStatistics *joint = &print->report->found.joint[i];
  const bool is_R = print->report->found.type[i] == ARM_JOINT_R;
  char *rows = rows_text(joint), *raw = cli_format_number(joint->cond_raw, 3),
       *scaled = cli_format_number(joint->cond_equilibrated, 3),
       *centred = cli_format_number(joint->cond_centred, 3),
       *sd = cli_format_number(joint->residual_sd, 3), *max = cli_format_number(joint->max_abs, 3),
       *r2 = cli_format_number(joint->r2, 6),
       *lag = g_strdup_printf("%.2f", fabs(joint->lag1) < 0.005 ? 0.0 : joint->lag1);
  const char *unit = current_unit(print->report, i);
  cli_table_line(print->table, "%s", "");
  char *plain = g_strdup_printf("j%zu", i + 1);
  char *name = cli_name(print->report->arm->joints[i].name);
  const bool is_plain = strcmp(name, plain) == 0;
  take_wrapped_line(print->table, g_strdup_printf("Joint %zu%s%s (%s): %s", i + 1,
                                                  is_plain ? "" : ", ", is_plain ? "" : name,
                                                  is_R ? "rotational" : "translational", rows));
  if (joint->rows_used > 0) {
    cli_table_line(print->table, "  rank %zu of %zu; condition raw %s, equilibrated %s, centred %s",
                   joint->rank, joint->columns, raw, scaled, centred);
    cli_table_line(print->table,
                   "  residual sd %s %s, largest %s %s; r2 %s; lag-1 %s, sds widened by %.2f", sd,
                   unit, max, unit, r2, isnan(joint->lag1) ? "-" : lag, joint->widening);
  }
  char *texts[] = {plain, name, rows, raw, scaled, centred, sd, max, r2, lag};
  for (size_t k = 0; k < G_N_ELEMENTS(texts); k++)
    g_free(texts[k]);
}

/* joint: whose parameters follow, or the first of whom ratios do */
static void print_heads(Print *print, size_t joint) {
  const CliFitReport *report = print->report;
  const bool has_recursion = report->recursion.n > 0;
  cli_table_cell(print->table, "%s", "");
  cli_table_cell(print->table, "value");
  cli_table_cell(print->table, "%s sd", cli_utf8("±", "+-"));
  cli_table_cell(print->table, "unit");
  cli_table_cell(print->table, "times g [%s]", current_unit(report, joint));
  cli_table_cell(print->table, "%s", report->truth ? "truth" : "");
  cli_table_cell(print->table, "%s", report->truth ? "off/sd" : "");
  cli_table_cell(print->table, "%s", has_recursion ? "n->1/sd" : "");
}

/* Parameters first .. last - 1 are of one joint, or in one list. */
static size_t group_end(const ArmParamSet *found, size_t first) {
  const ArmParamId id = found->param[first].id;
  const bool is_ratio = cli_fit_is_pair(found, first);
  size_t last = first;
  while (last < found->n && cli_fit_is_pair(found, last) == is_ratio &&
         (is_ratio || found->param[last].id.i == id.i))
    last++;
  return last;
}

static void print_joints(Print *print) {
  const ArmParamSet *found = &print->report->found;
  for (size_t first = 0, last; first < found->n; first = last) {
    last = group_end(found, first);
    if (cli_fit_is_pair(found, first))
      cli_table_line(print->table, "%s", "\nTorque-constant ratios, eta = current / torque");
    else
      print_joint_head(print, found->param[first].id.i);
    print_heads(print, found->param[first].id.i);
    for (size_t k = first; k < last; k++)
      if (arm_param_set_is_listed(found, k) && !cli_fit_is_structural(found->estimate[k].reason))
        print_parameter(print, k);
    print_reasons(print, first, last);
  }
}

static void print_head(const CliFitReport *report) {
  size_t used = 0;
  for (size_t i = 0; i < report->found.n_joints; i++)
    used += report->found.joint[i].rows_used;
  g_autofree char *arm = cli_name(report->arm->name),
                  *file = cli_base_name(report->recording->name);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s: %zu of %zu rows of %s used", arm, used, report->rows, file);
  if (report->unmoved)
    g_string_append_printf(text, ", %zu with joint = 0 ignored", report->unmoved);
  g_string_append_c(text, '.');
  cli_print_wrapped(g_string_free(text, FALSE));
}

static char *name_of(const ArmParamSet *found, size_t k) {
  g_autofree char *label = cli_fit_label(found, k);
  return cli_fit_is_pair(found, k)
             ? g_strdup(label)
             : g_strdup_printf("%s of joint %d", label, found->param[k].id.i + 1);
}

static void print_refinement(const Print *print) {
  const ArmGravityFit *fit = print->report->fit;
  g_autofree char *name = name_of(&print->report->found, print->worst_recursion_at);
  GString *text = g_string_new(NULL);
  if (fit->is_converged)
    g_string_append_printf(text,
                           "All joints together: converged after %zu iterations, relative "
                           "gradient %.0e.",
                           fit->iterations, fit->relative_gradient);
  else if (fit->iterations > 0)
    g_string_append_printf(text, "All joints together: NOT converged, relative gradient %.0e.",
                           fit->relative_gradient);
  if (print->worst_recursion != 0.0)
    g_string_append_printf(text,
                           " The recursion from joint n to 1 (n->1) differs by at most %.1f sd "
                           "(%s).",
                           fabs(print->worst_recursion), name);
  cli_print_wrapped(g_string_free(text, FALSE));
}

static void print_comparison(const Print *print) {
  if (print->compared == 0)
    return;
  g_autofree char *name = name_of(&print->report->found, print->worst_truth_at);
  const double percent = 100.0 / (double)print->compared;
  cli_print_wrapped(g_strdup_printf(
      "Against the truth: of %zu parameters %zu (%.0f %%) lie within 1 sd, %zu (%.0f %%) within 2, "
      "%zu (%.0f %%) within 3; honest error bars give 68, 95 and 99.7 %%. The farthest is %s, off "
      "by %+.1f sd.",
      print->compared, print->within_1, percent * (double)print->within_1, print->within_2,
      percent * (double)print->within_2, print->within_3, percent * (double)print->within_3, name,
      print->worst_truth));
}

void cli_fit_print(const CliFitReport *report) {
  Print print = {.report = report, .table = cli_table_new("lrllrrrr")};
  print_head(report);
  print_joints(&print);
  cli_table_finish(print.table);
  putchar('\n');
  cli_print_wrapped(
      g_strdup_printf("Found %zu of %zu gravity and friction parameters and %zu of %zu "
                      "ratios. [..]: what predictions use where nothing was found%s%s.",
                      print.own_found, print.own, print.ratios_found, print.ratios,
                      report->truth ? "; off/sd: (value - truth) / sd" : "",
                      report->recursion.n ? "; n->1/sd: (recursion - value) / sd" : ""));
  cli_fit_print_terms(report);
  print_refinement(&print);
  print_comparison(&print);
}
