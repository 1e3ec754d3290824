/* SPDX-License-Identifier: MIT */
/* `base`: which inertial parameters the motors of an arm can feel at all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "io/arm/base_json.h"
#include "io/arm/base_text.h"

typedef struct {
  const char *arm, *with;
  bool json;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"with", CLI_TEXT, false, offsetof(Args, with), "WHAT",
     "Also parameters of what is beside the links, as words with commas between: rotor, friction, "
     "spring, counterbalance. Default: links alone."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

static const struct {
  const char *word;
  unsigned bit;
} others[] = {{"rotor", ARM_BASE_WITH_ROTOR},
              {"friction", ARM_BASE_WITH_FRICTION},
              {"spring", ARM_BASE_WITH_SPRING},
              {"counterbalance", ARM_BASE_WITH_COUNTERBALANCE}};

static bool parse_with(const char *text, unsigned *with) {
  g_auto(GStrv) words = g_strsplit(text ? text : "", ",", -1);
  *with = 0;
  for (gsize k = 0; words[k]; k++) {
    unsigned bit = 0;
    for (gsize o = 0; o < G_N_ELEMENTS(others); o++)
      if (strcmp(words[k], others[o].word) == 0)
        bit = others[o].bit;
    if (!bit)
      return false;
    *with |= bit;
  }
  return true;
}

/* ---- for people ---- */

static void print_head(const AioArm *arm, const ArmBase *base) {
  g_autofree char *name = cli_name(arm->name);
  cli_print_wrapped(g_strdup_printf(
      "%s: %d joints. Of %d parameters its motors feel %d combinations, the base parameters.", name,
      (int)base->n, (int)base->columns, (int)base->count));
}

static void print_parameters(const AioArm *arm, const ArmBase *base) {
  enum { NAME = 8, UNIT = 11 };
  printf("\n%-*s%-*s%s\n", NAME, "name", UNIT, "unit", "is");
  for (gsize b = 0; b < base->count; b++) {
    g_autofree char *name = aio_base_name(base, b), *sum = aio_base_combination(base, b);
    g_autofree char *lines = cli_wrap(sum, NAME + UNIT, NAME + UNIT, CLI_WIDTH);
    printf("%-*s%-*s%s\n", NAME, name, UNIT,
           aio_base_unit(&arm->model, &base->column[base->kept[b]]), lines);
  }
}

/* The same said of both? */
static bool is_alike(const ArmBase *base, gsize a, gsize b) {
  const ArmBaseColumn *first = &base->column[a], *second = &base->column[b];
  return first->reason == second->reason && first->joint == second->joint &&
         (first->kind == ARM_COLUMN_INERTIAL) == (second->kind == ARM_COLUMN_INERTIAL) &&
         arm_base_fate(base, a) == arm_base_fate(base, b);
}

static void append_into(const ArmBase *base, const bool *is_listed, GString *text) {
  const char *separator = ". In ";
  for (gsize b = 0; b < base->count; b++) {
    bool is_there = false;
    for (gsize c = 0; c < base->columns; c++)
      is_there =
          is_there || (is_listed[c] && fabs(base->map[b + base->count * c]) > ARM_BASE_NEGLIGIBLE);
    if (!is_there)
      continue;
    g_autofree char *name = aio_base_name(base, b);
    g_string_append_printf(text, "%s%s", separator, name);
    separator = ", ";
  }
}

/* The group of order[first], marked in `is_listed`. */
static void print_group(const ArmBase *base, const gsize *order, gsize first, bool *is_listed) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *reason = aio_base_reason(base, order[first]);
  memset(is_listed, 0, base->columns * sizeof *is_listed);
  for (gsize k = first; k < base->columns; k++) {
    if (!is_alike(base, order[first], order[k]))
      continue;
    g_autofree char *name = aio_base_column_name(&base->column[order[k]]);
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", name);
    is_listed[order[k]] = true;
  }
  g_string_append_printf(text, ": %s", reason);
  append_into(base, is_listed, text);
  g_string_append_c(text, '.');
  g_autofree char *lines = cli_wrap(text->str, 0, 2, CLI_WIDTH);
  puts(lines);
}

static void print_reasons(const ArmBase *base) {
  g_autofree gsize *order = g_new(gsize, base->columns);
  g_autofree bool *is_listed = g_new(bool, base->columns), *is_done = g_new0(bool, base->columns);
  aio_base_order(base, order);
  printf("\nNo base parameters of their own:\n");
  for (gsize k = 0; k < base->columns; k++) {
    if (is_done[order[k]] || arm_base_fate(base, order[k]) == ARM_FATE_KEPT)
      continue;
    print_group(base, order, k, is_listed);
    for (gsize c = 0; c < base->columns; c++)
      is_done[c] = is_done[c] || is_listed[c];
  }
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
}

static void print_snapped(const ArmBaseGeometry *g) {
  const double degree = G_PI / 180;
  if (g->n_snapped)
    printf(
        "\nTaken as exact to decide this (the combinations have the numbers of the arm file):\n");
  for (gsize k = 0; k < g->n_snapped; k++) {
    const ArmSnap *snap = &g->snapped[k];
    if (snap->kind == ARM_SNAP_GRAVITY)
      printf("gravity, %.3g deg off an axis of the base\n", snap->value / degree);
    else if (snap->kind >= ARM_SNAP_X)
      printf("joint %d, %s: %.3g m as 0\n", (int)snap->joint + 1, arm_snap_key(snap->kind),
             snap->value);
    else
      printf("joint %d, %s: %.6g deg as %g deg\n", (int)snap->joint + 1, arm_snap_key(snap->kind),
             snap->value / degree, snap->taken_as / degree);
  }
}

static void print_ways(const ArmBaseWays *ways) {
  if (ways->distance >= ARM_BASE_SAME_SPAN)
    return;
  putchar('\n');
  cli_print_wrapped(g_strdup_printf("Checked: a closed form, constants of composite bodies and a "
                                    "regressor at random motions find the same %d of the links.",
                                    (int)ways->qr));
}

static void print_table(const AioArm *arm, const ArmBase *base, const ArmBaseWays *ways) {
  print_head(arm, base);
  print_parameters(arm, base);
  print_reasons(base);
  print_snapped(&base->geometry);
  print_ways(ways);
}

/* ---- the verb ---- */

static void warn_ways(const char *path, const ArmBaseWays *ways) {
  if (ways->distance >= ARM_BASE_SAME_SPAN)
    cli_warning("%s: a closed form finds %d base parameters of the links, constants of composite "
                "bodies %d, a regressor at random motions %d; their spans are %.2g apart: please "
                "report this arm",
                path, (int)ways->closed_form, (int)ways->composite, (int)ways->qr, ways->distance);
}

static int print(const Args *args, const AioArm *arm, const ArmBase *base,
                 const ArmBaseWays *ways) {
  int code = CLI_OK;
  warn_ways(args->arm, ways);
  if (args->json) {
    gsize length;
    g_autofree char *json = aio_base_format(&arm->model, base, ways, &length);
    code = cli_write(NULL, json, length, false);
  } else {
    print_table(arm, base, ways);
  }
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  g_autoptr(ArmBase) base = NULL;
  ArmBaseWays ways;
  unsigned with;
  if (!parse_with(args->with, &with))
    return cli_usage(&cli_base,
                     "--with: expected rotor, friction, spring or counterbalance, several with "
                     "commas between, found \"%s\"",
                     args->with);
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  if (!arm)
    return CLI_BAD_INPUT;
  ArmStatus status = arm_base_new(&arm->model, with, ARM_BASE_CLOSED_FORM, &base);
  if (status == ARM_OK)
    status = arm_base_compare(&arm->model, &ways);
  return status == ARM_OK ? print(args, arm, base, &ways) : cli_fail_status(status, args->arm);
}

const CliVerb cli_base = {
    .name = "base",
    .summary = "which inertial parameters of an arm can be found at all",
    .purpose =
        "Looks only at the geometry. Of the ten inertial parameters of each link (XX XY XZ YY YZ "
        "ZZ about the origin of the link frame, mX mY mZ, m) motors feel combinations only, the "
        "base parameters: lists them, and says of every other parameter into which one it goes, or "
        "that no motor feels it, and why. An R in a name (XXR2) says that others are in it. Angles "
        "within 0.5 deg of a multiple of 90 deg count as such, lengths within 1e-6 m of 0 as 0: "
        "what was taken as exact is listed.",
    .example = "armature-cli base --arm data/robots/puma560.arm.json --with rotor\n"
               "shows 40 base parameters of a PUMA 560 with the rotors of its motors, 36 of them "
               "of its links.",
    .exits = "0 done, 2 usage, 3 the arm file cannot be read or is wrong.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
