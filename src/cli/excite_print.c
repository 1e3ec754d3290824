/* SPDX-License-Identifier: MIT */
/* A judged motion for people: is it allowed, what will it tell, what will it not. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/excite_report.h"
#include "cli/text.h"
#include "io/arm/base_text.h"
#include "io/arm/excitation_text.h"
#include "io/recording/motion_follow.h"

static void print_head(const CliExcitation *report) {
  const AioMotionTable *motion = report->motion;
  g_autofree char *name = cli_name(report->arm->name), *file = cli_base_name(report->csv);
  g_autofree char *time = cli_format_number(motion->t[motion->rows - 1] - motion->t[0], 6);
  cli_print_wrapped(g_strdup_printf("%s, %s: %s s, %d samples, %d base parameters.", name, file,
                                    time, (int)motion->rows, (int)report->base->count));
}

/* What was designed, in half a sentence. */
static char *design_words(const CliExcitation *report) {
  if (report->points) {
    g_autofree char *condition = cli_format_number(report->points->condition, 4);
    return g_strdup_printf("%d points%s, condition of their energies %s",
                           (int)report->points->points, report->is_at_rest ? ", ends at rest" : "",
                           condition);
  }
  const ArmBasis *basis = &report->trajectory->basis;
  const bool is_fourier = basis->kind == ARM_BASIS_FOURIER;
  return g_strdup_printf("%s of %d %s%s", is_fourier ? "Fourier series" : "quintic spline",
                         (int)basis->order, is_fourier ? "harmonics" : "knots",
                         report->is_at_rest ? ", ends at rest" : "");
}

static void print_design(const CliExcitation *report) {
  if (!report->is_design)
    return;
  g_autofree char *words = design_words(report);
  cli_print_wrapped(g_strdup_printf("Designed: %s, criterion %s, seed %d, %d evaluations.", words,
                                    report->criterion, (int)report->seed,
                                    (int)report->evaluations));
  if (report->points && report->slowness > 1.0)
    cli_print_wrapped(g_strdup_printf("The motion through the points is %.2g %% slower than that, "
                                      "so that a controller can follow it in steps of %.0f ms.",
                                      100.0 * (report->slowness - 1.0),
                                      1e3 * AIO_FOLLOW_SEGMENT_S));
}

static void print_violation(const CliExcitation *report, const char *what, const char *unit,
                            gsize worst, double value, double limit, gsize samples) {
  g_autofree char *is = cli_format_number(value, 6), *most = cli_format_number(limit, 6);
  g_autofree char *time = cli_format_number(report->motion->t[worst], 6);
  cli_print_wrapped(g_strdup_printf("%s: %s %s at %s s, limit %s; %d sample%s beyond", what, is,
                                    unit, time, most, (int)samples, samples == 1 ? "" : "s"));
}

static void print_broken(const CliExcitation *report) {
  const CliExciteBroken *broken = &report->broken;
  for (gsize k = 0; k < broken->n_currents; k++) {
    const ArmCurrentViolation *v = &broken->currents[k];
    g_autofree char *what = g_strdup_printf("joint %d, current", (int)v->joint + 1);
    print_violation(report, what, "A", v->worst, v->value, v->limit, v->samples);
  }
  for (gsize k = 0; k < broken->n_clearances; k++) {
    const ArmClearanceViolation *v = &broken->clearances[k];
    g_autofree char *what =
        v->is_table ? g_strdup_printf("link %d and the table, distance", (int)v->link[0] + 1)
                    : g_strdup_printf("links %d and %d, distance", (int)v->link[0] + 1,
                                      (int)v->link[1] + 1);
    print_violation(report, what, "m", v->worst, v->value, 0, v->samples);
  }
}

static void print_contradiction(const CliExcitation *report, const ArmMotionContradiction *c) {
  const AioMotionTable *motion = report->motion;
  const ArmJointType type = report->arm->model.joints[c->joint].type;
  g_autofree char *from = cli_format_number(motion->t[c->from], 9);
  g_autofree char *to = cli_format_number(motion->t[c->to], 9);
  g_autofree char *stated = cli_format_number(c->stated, 4);
  g_autofree char *found = cli_format_number(c->found, 4);
  const bool is_speed = c->quantity == ARM_MOTION_SPEED;
  cli_print_wrapped(g_strdup_printf(
      "joint %d, line %u: from %s s to %s s it states %ss of %s %s, but %s that change by %s %s",
      (int)c->joint + 1, motion->line[c->to], from, to, aio_motion_quantity(c->quantity), stated,
      aio_motion_unit(type, c->quantity), is_speed ? "positions" : "speeds", found,
      aio_motion_unit(type, c->quantity)));
}

static void print_contradictions(const CliExcitation *report) {
  if (report->n_contradictions == 0)
    return;
  putchar('\n');
  cli_print_wrapped(
      g_strdup("The motion contradicts itself, so that nothing below can be relied "
               "on. Columns that are left out are made of the positions. The worst of "
               "each joint:"));
  for (gsize k = 0; k < report->n_contradictions; k++)
    print_contradiction(report, &report->contradictions[k]);
}

static void print_verdict(const CliExcitation *report) {
  const char *between = report->is_design ? ", and between them" : "";
  putchar('\n');
  if (cli_excite_is_feasible(report))
    printf("Within all limits of position, speed and acceleration at every sample%s.\n", between);
  else if (cli_excite_is_within(report))
    puts("What it states of positions, speeds and accelerations is within their limits.");
  else if (report->n_violations == 0)
    cli_print_wrapped(g_strdup_printf("Within the limits of position, speed and acceleration at "
                                      "every sample%s, but beyond others of the arm file:",
                                      between));
  else
    puts("Beyond the limits of the arm file:");
}

static void print_violations(const CliExcitation *report) {
  print_verdict(report);
  for (gsize k = 0; k < report->n_violations; k++) {
    const ArmMotionViolation *v = &report->violations[k];
    const ArmJointType type = report->arm->model.joints[v->joint].type;
    g_autofree char *what =
        g_strdup_printf("joint %d, %s", (int)v->joint + 1, aio_motion_quantity(v->quantity));
    print_violation(report, what, aio_motion_unit(type, v->quantity), v->worst, v->value, v->limit,
                    v->samples);
  }
  print_broken(report);
}

/* What else it was held to. */
static void print_scene(const CliExcitation *report) {
  const ArmDriveCurrents *currents = &report->scene->currents;
  const int pairs = (int)report->scene->clearance->count;
  bool is_kept[ARM_MAX_JOINTS];
  for (gsize j = 0; j < currents->n; j++)
    is_kept[j] = isfinite(currents->limit[j]);
  g_autofree char *kept = cli_list_joints(is_kept, currents->n);
  putchar('\n');
  if (kept)
    cli_print_wrapped(g_strdup_printf("Judged, too: the currents of joints %s, by the masses and "
                                      "torque constants of the arm file, %s.",
                                      kept,
                                      report->scene->has_friction
                                          ? "with the friction of the parameter file"
                                          : "without friction: --params tells it"));
  else
    cli_print_wrapped(
        g_strdup("Currents were not judged: that takes masses and inertia of the links, "
                 "drives and limits.current_A in the arm file."));
  if (pairs > 0)
    cli_print_wrapped(
        g_strdup_printf("Judged, too: %d distances of capsules and table, 0 m or more.", pairs));
}

static void print_condition(const CliExcitation *report) {
  const ArmExcitation *found = report->found;
  g_autofree char *raw = cli_format_number(found->cond_raw, 4);
  g_autofree char *scaled = cli_format_number(found->cond_scaled, 4);
  g_autofree char *log_det = cli_format_number(found->log_det, 6);
  putchar('\n');
  cli_print_wrapped(g_strdup_printf(
      "Condition of the torque regressor: %s; with columns of unit length %s; log det %s.", raw,
      scaled, log_det));
}

static void print_sds(const CliExcitation *report) {
  const ArmBase *base = report->base;
  CliTable *table = cli_table_new("lrl");
  putchar('\n');
  cli_table_cell(table, "parameter");
  cli_table_cell(table, "predicted sd");
  cli_table_cell(table, "unit");
  for (gsize b = 0; b < base->count; b++) {
    cli_table_take(table, aio_base_name(base, b));
    cli_table_take(table, isnan(report->found->sd[b]) ? g_strdup("not identifiable")
                                                      : cli_format_number(report->found->sd[b], 3));
    cli_table_cell(table, "%s", aio_base_unit(&report->arm->model, &base->column[base->kept[b]]));
  }
  cli_table_finish(table);
}

static void print_noise(const CliExcitation *report) {
  const gsize n = report->motion->n;
  g_autofree char *assumed = cli_list_joints(report->is_assumed, n);
  putchar('\n');
  if (assumed)
    cli_print_wrapped(g_strdup_printf(
        "The sds are for noise that is independent from sample to sample, of 1 N m (T joints 1 N) "
        "at joints %s, whose noise nobody stated: with another one they grow in proportion.",
        assumed));
  else
    cli_print_wrapped(g_strdup("The sds are for noise that is independent from sample to sample, "
                               "as large as the parameter file has it."));
  cli_print_wrapped(g_strdup("One sample for each row of the file: recorded with a tenth of them, "
                             "sds are 3.2 times as large. Torque constants count as exact: what "
                             "they are off comes to what currents tell of the links."));
}

/* What would show a direction; where nothing that was tried tells more, that is said. */
static char *weak_words(const CliExcitation *report, gsize d) {
  const ArmWeakDirection *weak = &report->found->weakest[d];
  g_autofree char *direction = aio_excitation_direction(report->base, report->found, d);
  g_autofree char *motion = aio_excitation_motion(&report->arm->model, report->limits, weak);
  g_autofree char *gain = cli_format_number(weak->gain, 2), *sd = cli_format_number(weak->sd, 3);
  if (isinf(weak->sd))
    return g_strdup_printf("%s: not at all. Needed: %s.", direction, motion);
  if (weak->gain <= 1)
    return g_strdup_printf(
        "%s: sd %s. Of what was tried within the limits nothing tells more of it "
        "than this motion does: a longer one helps.",
        direction, sd);
  return g_strdup_printf("%s: sd %s. Shown by %s: such a sample tells %s times what a mean one of "
                         "this motion does.",
                         direction, sd, motion, gain);
}

static void print_weakest(const CliExcitation *report) {
  printf("\nWhat it shows least:\n");
  for (gsize d = 0; d < report->found->n_weakest; d++) {
    g_autofree char *text = weak_words(report, d);
    g_autofree char *lines = cli_wrap(text, 0, 2, CLI_WIDTH);
    puts(lines);
  }
}

static void print_derived(const CliExcitation *report) {
  const gsize n = report->motion->n;
  g_autofree char *speeds = cli_list_joints(report->motion->is_speed_derived, n);
  g_autofree char *accelerations = cli_list_joints(report->motion->is_acceleration_derived, n);
  if (!speeds && !accelerations)
    return;
  putchar('\n');
  if (speeds)
    cli_print_wrapped(g_strdup_printf("Speeds of joints %s are central differences of the "
                                      "positions as given, with their noise.",
                                      speeds));
  if (accelerations)
    cli_print_wrapped(g_strdup_printf("Accelerations of joints %s are central differences of the "
                                      "speeds, or of the positions where there are none.",
                                      accelerations));
}

void cli_excite_print(const CliExcitation *report) {
  print_head(report);
  print_design(report);
  print_contradictions(report);
  print_violations(report);
  print_scene(report);
  print_derived(report);
  print_condition(report);
  print_sds(report);
  print_noise(report);
  print_weakest(report);
}
