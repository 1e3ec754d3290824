/* SPDX-License-Identifier: MIT */
/* `structure`: which parameters an arm has, before anything is measured. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "io/arm/structure_json.h"

typedef struct {
  const char *arm;
  bool json;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

static const char *flag_text(bool is_defined, bool flag) {
  return !is_defined ? "" : flag ? "1" : "0";
}

static void print_joint(CliTable *table, const AioArm *arm, const ArmStructure *s, size_t i) {
  const bool is_R = arm->model.joints[i].type == ARM_JOINT_R;
  g_autofree char *x = aio_structure_parameter_name(arm->model.joints[i].type, i, 0);
  g_autofree char *y = is_R ? aio_structure_parameter_name(ARM_JOINT_R, i, 1) : NULL;
  cli_table_cell(table, "%d", (int)i + 1);
  cli_table_cell(table, "%s", is_R ? "R" : "T");
  cli_table_cell(table, "%s", flag_text(is_R, s->delta[i]));
  cli_table_cell(table, "%s", flag_text(!is_R, s->sigma[i]));
  cli_table_cell(table, "%s", flag_text(!is_R, s->sigma_hat[i]));
  if (s->cluster[i] >= 0)
    cli_table_cell(table, "%d", s->cluster[i] + 1);
  else
    cli_table_cell(table, "-");
  cli_table_cell(table, "%s%s%s", x, y ? ", " : "", y ? y : "");
  cli_table_cell(table, "%s", s->has_own[i] ? "yes" : "no");
  cli_table_cell(table, "%s", arm_reason_key(arm_structure_reason(&arm->model, s, i)));
}

/* Each reason that occurs, once, as a sentence. */
static void print_reasons(const AioArm *arm, const ArmStructure *s) {
  bool is_said[ARM_REASONS] = {false};
  printf("\n");
  for (size_t i = 0; i < s->n; i++) {
    ArmReason reason = arm_structure_reason(&arm->model, s, i);
    if (is_said[reason])
      continue;
    is_said[reason] = true;
    const char *key = arm_reason_key(reason), *sentence = arm_reason_text(reason);
    g_autofree char *text = reason == ARM_REASON_MINIMAL /* its sentence begins with the key */
                                ? g_strdup_printf("%s.", sentence)
                                : g_strdup_printf("%s: %s.", key, sentence);
    g_autofree char *lines = cli_wrap(text, 0, 2, CLI_WIDTH);
    printf("%s\n", lines);
  }
}

static void append_position(GString *text, const char *what, size_t joint, size_t n) {
  if (joint <= n)
    g_string_append_printf(text, " %s: joint %d.", what, (int)joint);
  else
    g_string_append_printf(text, " %s: none.", what);
}

static void print_table(const AioArm *arm, const ArmStructure *s) {
  GString *text = g_string_new(NULL);
  g_autofree char *name = cli_name(arm->name);
  g_string_append_printf(text, "%s: %d joints.", name, (int)s->n);
  append_position(text, "First R joint (r)", s->r, s->n);
  append_position(text, "First R joint not parallel to it (s)", s->s, s->n);
  cli_print_wrapped(g_string_free(text, FALSE));
  putchar('\n');
  CliTable *table = cli_table_new("lllllllll");
  static const char *const heads[] = {"joint",   "type",       "delta",   "sigma", "sigma_hat",
                                      "cluster", "parameters", "minimal", "reason"};
  for (size_t k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (size_t i = 0; i < s->n; i++)
    print_joint(table, arm, s, i);
  cli_table_finish(table);
  print_reasons(arm, s);
  printf("\nA fit can find %d gravity parameters, %d torque-constant ratios (between joints of one "
         "cluster)\nand %d friction parameters.\n",
         (int)s->count_gravity, (int)s->count_ratios, (int)s->count_friction);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  int code = CLI_OK;
  if (!arm)
    return CLI_BAD_INPUT;
  if (args->json) {
    gsize length;
    g_autofree char *json = aio_structure_format(&arm->model, &structure, &length);
    code = cli_write(NULL, json, length, false);
  } else {
    print_table(arm, &structure);
  }
  return code;
}

const CliVerb cli_structure = {
    .name = "structure",
    .summary = "which parameters of an arm can be found at all",
    .purpose = "Looks only at the geometry. Says which gravity parameters load some motor on their "
               "own (minimal), why the other ones never can be found, and which joints form a "
               "cluster, that is, share torque-constant ratios. Run it first: what is redundant "
               "here no recording will ever give.",
    .example =
        "armature-cli structure --arm data/robots/puma560.arm.json\n"
        "shows that joint 1 of an upright PUMA 560 has friction only, and that joints 2 to 6 "
        "have 10 gravity parameters and 4 ratios.",
    .exits = "0 done, 2 usage, 3 the arm file cannot be read or is wrong.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
