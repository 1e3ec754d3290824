/* SPDX-License-Identifier: MIT */
/* An identified arm for people: base parameters, drives, torque constants, links, validation. The
 * same as JSON is io/params/dynamics_file's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/arm/dyn.h"

static const double rounding = 1e-9; /* of kg and m */

static void print_parameter(CliTable *table, const ArmParamSet *set, size_t k) {
  const ArmParam *param = &set->param[k];
  cli_table_cell(table, "  %s", param->name ? param->name : arm_param_info(param->id.kind)->symbol);
  cli_table_take_estimate(table, &set->estimate[k]);
  cli_table_take(table, cli_unit_text(arm_param_set_unit_shown(set, k)));
}

static char *effort(const ArmParamSet *set, size_t j, double size) {
  g_autofree char *number = cli_format_number(size, 3);
  return g_strdup_printf("%s %s", number, arm_param_set_effort_unit(set, j));
}

static void print_joint(CliTable *table, const ArmParamSet *set, size_t j) {
  const ArmJointStatistics *joint = &set->joint[j];
  g_autofree char *residual = effort(set, j, joint->residual_sd);
  g_autofree char *r2 = cli_format_number(joint->r2, 5);
  g_autofree char *widening = cli_format_number(joint->widening, 3);
  cli_table_line(table, "Joint %zu: %zu rows, residual %s, R2 %s, sds widened %s times", j + 1,
                 joint->rows_used, residual, r2, widening);
  for (size_t k = 0; k < set->n; k++)
    if (set->param[k].id.kind != ARM_PARAM_BASE && set->param[k].id.i == j &&
        arm_param_set_is_listed(set, k))
      print_parameter(table, set, k);
}

static const char *gauge_text(AioGauge gauge) {
  static const char *const texts[AIO_GAUGES] = {
      "torque constants are those of the data sheets, within their sds",
      "base parameters are in amperes per (A/(N m)) of a reference joint", "torques were measured",
      "a known load was carried"};
  return texts[gauge];
}

static bool holds(const ArmParam *param, size_t j) {
  for (size_t t = 0; t < param->n_terms; t++)
    if (param->terms[t].id.kind == ARM_PARAM_ROTOR && param->terms[t].id.i == j)
      return true;
  return false;
}

/* "ZZR2": the base parameter that holds the rotor of joint j, of its own link if one does; NULL:
 * none does. */
static const char *holder_of(const ArmParamSet *set, size_t j) {
  const char *first = NULL;
  for (size_t k = 0; k < set->n; k++) {
    if (!holds(&set->param[k], j))
      continue;
    if (set->param[k].id.i == j)
      return set->param[k].name;
    first = first ? first : set->param[k].name;
  }
  return first;
}

/* Friction that motions do not tell from the rotor's part of what base parameters weigh. */
static void print_mixed_friction(CliTable *table, const ArmParamSet *set) {
  bool is_mixed[ARM_MAX_JOINTS] = {false};
  for (size_t k = 0; k < set->n; k++)
    if (set->param[k].id.kind == ARM_PARAM_ROTOR_WEIGHT)
      is_mixed[set->param[k].id.i] = true;
  g_autofree char *joints = cli_list_joints(is_mixed, set->n_joints);
  if (!joints)
    return;
  g_autofree char *text = g_strdup_printf(
      "FcpR, FcnR of joint %s: Coulomb + and - with \"rotor weight\", which takes off what base "
      "parameters weigh of the rotor. Motions show them together; friction alone, and the current "
      "at rest, are known as well as the rotor is",
      joints);
  cli_table_take_line(table, cli_wrap(text, 0, 2, CLI_WIDTH));
}

/* What its terms say, in words: a number with a rotor in it is no inertia of links. */
static void print_rotors(CliTable *table, const ArmParamSet *set) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (size_t j = 0; j < set->n_joints; j++) {
    const char *holder = holder_of(set, j);
    if (holder)
      g_string_append_printf(list, "%s%s holds the rotor of joint %zu", list->len ? ", " : "",
                             holder, j + 1);
  }
  if (list->len == 0)
    return;
  g_string_append(list, ": no motion tells it from the links");
  cli_table_take_line(table, cli_wrap(list->str, 2, 2, CLI_WIDTH));
  print_mixed_friction(table, set);
}

static void print_parameters(const CliIdentified *r) {
  const ArmParamSet *set = &r->out->found;
  CliTable *table = cli_table_new("lrll");
  for (size_t j = 0; j < set->n_joints; j++)
    print_joint(table, set, j);
  g_autofree char *head =
      g_strdup_printf("Base parameters (`base --with rotor,friction` says what they are): %s%s",
                      gauge_text(r->out->gauge),
                      r->place == ARM_PLACE_MOTOR ? ", those of motors with their rotors" : "");
  cli_table_take_line(table, cli_wrap(head, 0, 2, CLI_WIDTH));
  for (size_t k = 0; k < set->n; k++)
    if (set->param[k].id.kind == ARM_PARAM_BASE)
      print_parameter(table, set, k);
  print_rotors(table, set);
  cli_table_finish(table);
}

/* ---- links ---- */

/* 1/sd^2 is what data and nominal links say together: do the data say more than half of it? A
 * number of which they do not is nominal only as far as what they say of sums lets it. */
static bool is_told(const AioDynamicsLink *link, int k) {
  return 2 * link->sd[k] * link->sd[k] < link->prior_sd[k] * link->prior_sd[k];
}

static void print_number(CliTable *table, double value, bool is_told) {
  g_autofree char *number = cli_format_number(fabs(value) < rounding ? 0 : value, 3);
  cli_table_cell(table, is_told ? "%s" : "[%s]", number);
}

/* What base parameters have beyond the links. */
static void print_held_rotors(const CliIdentified *r) {
  for (size_t i = 0; i < r->fit->n; i++) {
    const ArmDynamicsRotor *rotor = &r->out->link[i].rotor;
    const char *unit = r->out->found.type[i] == ARM_JOINT_R ? cli_utf8("kg m²", "kg m^2") : "kg";
    if (!rotor->is_held)
      continue;
    const double nominal = arm_dyn_rotor_of(&r->setup->arm->model.joints[i]);
    g_autofree char *inertia = cli_format_number(rotor->inertia, 3);
    g_autofree char *sd = cli_format_number(rotor->sd, 2);
    g_autofree char *stated = cli_format_number(nominal, 3);
    printf("Rotor of joint %zu beside them: %s %s %s %s (stated: %s)\n", i + 1, inertia,
           cli_utf8("±", "+-"), isnan(rotor->sd) ? "?" : sd, unit, nominal > 0 ? stated : "not");
  }
}

static void print_links(const CliIdentified *r) {
  if (!r->out->has_links)
    return;
  cli_print_wrapped(
      g_strdup("\nLinks as bodies can have them (in brackets: the data say less of it "
               "than the nominal links that the completion starts from):"));
  CliTable *table = cli_table_new("lrrrr");
  static const char *const heads[] = {"link", "mass kg", "com x m", "y", "z"};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (size_t i = 0; i < r->fit->n; i++) {
    const AioDynamicsLink *link = &r->out->link[i];
    cli_table_cell(table, "%zu", i + 1);
    print_number(table, link->link.mass_kg, is_told(link, 0));
    for (int c = 0; c < 3; c++) /* the moment over the mass */
      print_number(table, link->link.com_m[c], is_told(link, 0) && is_told(link, 1 + c));
  }
  cli_table_finish(table);
  print_held_rotors(r);
}

/* ---- validation ---- */

static void print_held_out(const CliIdentified *r) {
  for (guint k = 0; k < r->out->held_out->len; k++) {
    const AioHeldOut *held_out = g_ptr_array_index(r->out->held_out, k);
    g_autofree char *name = cli_name(held_out->name);
    CliTable *table = cli_table_new("lrrrrr");
    static const char *const heads[] = {"joint", "error", "promised", "%", "R2", "rows"};
    printf("\n%s, not fitted:\n", name);
    for (gsize h = 0; h < G_N_ELEMENTS(heads); h++)
      cli_table_cell(table, "%s", heads[h]);
    for (size_t j = 0; j < r->fit->n; j++) {
      const AioJointHeldOut *joint = &held_out->joint[j];
      cli_table_cell(table, "%zu", j + 1);
      cli_table_take(table, effort(&r->out->found, j, joint->rms_error));
      cli_table_take(table, isnan(joint->promised) ? g_strdup("not known")
                                                   : effort(&r->out->found, j, joint->promised));
      cli_table_take(table, cli_format_number(100 * joint->rms_error / joint->rms, 3));
      cli_table_take(table, cli_format_number(joint->r2, 4));
      cli_table_cell(table, "%zu", (size_t)joint->rows);
    }
    cli_table_finish(table);
  }
}

static void print_weakest(const CliIdentified *r) {
  if (r->out->weakest->len > 0)
    printf("\nWhat the recordings show least:\n");
  for (guint k = 0; k < r->out->weakest->len; k++) {
    const AioWeakest *weakest = g_ptr_array_index(r->out->weakest, k);
    g_autofree char *text =
        g_strdup_printf("%s. Shown by: %s.", weakest->direction, weakest->motion);
    g_autofree char *lines = cli_wrap(text, 0, 2, CLI_WIDTH);
    puts(lines);
  }
}

void cli_identify_print(const CliIdentified *r) {
  static const char *const verdicts[] = {"the model fits", "not judged", "the model does not fit"};
  g_autofree char *name = cli_name(r->setup->arm->name);
  cli_print_wrapped(g_strdup_printf("%s: %zu base parameters of %zu joints; %s.", name,
                                    r->fit->count, r->fit->n, verdicts[r->out->verdict]));
  print_parameters(r);
  cli_terms_print(r);
  print_links(r);
  print_weakest(r);
  print_held_out(r);
}
