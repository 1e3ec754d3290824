/* SPDX-License-Identifier: MIT */
/* What --help prints: all that is said of a verb stands in its table (cli.h). */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "io/registry/driver_registry.h"

enum { WIDTH = 88, OPTION_INDENT = 28 };

static void print_wrapped(const char *text, int at, int indent) {
  g_autofree char *lines = cli_wrap(text, at, indent, WIDTH);
  puts(lines);
}

static char *option_head(const CliOption *option) {
  if (option->kind == CLI_OPERAND || option->kind == CLI_OPERANDS)
    return g_strdup_printf(option->kind == CLI_OPERAND ? "  %s" : "  %s ..", option->name);
  return option->kind == CLI_FLAG ? g_strdup_printf("  --%s", option->name)
                                  : g_strdup_printf("  --%s %s", option->name, option->value);
}

/* "1000000 of native, 57600 of bus" */
static char *driver_rates(void) {
  GString *rates = g_string_new(NULL);
  for (size_t k = 0; aio_driver_list[k]; k++)
    g_string_append_printf(rates, "%s%u of %s", k ? ", " : "", aio_driver_baud(aio_driver_list[k]),
                           aio_driver_list[k]->name);
  return g_string_free(rates, FALSE);
}

static char *with_drivers(const char *help) {
  g_autofree char *names = aio_driver_names(), *rates = driver_rates();
  GString *text = g_string_new(help);
  g_string_replace(text, "{drivers}", names, 0);
  g_string_replace(text, "{rates}", rates, 0);
  return g_string_free(text, FALSE);
}

static void print_option(const CliOption *option) {
  g_autofree char *head = option_head(option), *help = with_drivers(option->help);
  int at = (int)g_utf8_strlen(head, -1);
  fputs(head, stdout);
  if (at > OPTION_INDENT - 2) {
    putchar('\n');
    at = 0;
  }
  printf("%*s", OPTION_INDENT - at, "");
  print_wrapped(help, OPTION_INDENT, OPTION_INDENT);
}

static void print_usage(const CliVerb *verb) {
  printf("Usage: armature-cli %s", verb->name);
  for (size_t k = 0; k < verb->n_options; k++) {
    const CliOption *option = &verb->options[k];
    if (option->kind == CLI_OPERAND)
      printf(option->is_required ? " %s" : " [%s]", option->name);
    else if (option->kind == CLI_OPERANDS)
      printf(option->is_required ? " %s .." : " [%s ..]", option->name);
    else if (option->is_required)
      printf(" --%s %s%s", option->name, option->value, option->kind == CLI_TEXTS ? " .." : "");
  }
  printf(" [options]\n\n");
}

void cli_print_verb_help(const CliVerb *verb) {
  printf("armature-cli %s: %s\n\n", verb->name, verb->summary);
  print_usage(verb);
  print_wrapped(verb->purpose, 0, 0);
  printf("\nOptions:\n");
  for (size_t k = 0; k < verb->n_options; k++)
    if (verb->options[k].help)
      print_option(&verb->options[k]);
  printf("  %-*s%s\n", OPTION_INDENT - 2, "--help", "This text.");
  printf("\nExample:\n  ");
  print_wrapped(verb->example, 2, 2);
  printf("\nExit status:\n  ");
  print_wrapped(verb->exits, 2, 2);
}

void cli_print_help(void) {
  printf("armature-cli: calibrates robot arms from motor currents.\n\n"
         "Usage: armature-cli VERB [options]\n\nVerbs, in the order of work:\n");
  for (size_t k = 0; cli_verbs[k]; k++)
    printf("  %-11s%s\n", cli_verbs[k]->name, cli_verbs[k]->summary);
  printf("  %-11s%s\n", "help VERB", "what a verb is for, its options, an example");
  printf("\n");
  print_wrapped("An arm file says how the arm is built; a recording (CSV) holds joint positions, "
                "speeds and motor currents while one joint moves at a time. `fit` turns both into "
                "gravity parameters, friction and torque-constant ratios with error bars; "
                "`predict` turns these into motor currents for any pose; `plan` says what to "
                "record so that everything can be found. With the arm at a port, `calibrate` does "
                "all of it.",
                0, 0);
  printf("\nJoints count from 1; units are SI (rad, m, s, A). Results go to standard output,\n"
         "messages to standard error. Files are never overwritten without --force.\n"
         "\nExample:\n"
         "  armature-cli fit --arm puma560.arm.json --csv sweeps.csv --out puma560.params.json\n"
         "\nExit status:\n"
         "  0 done, 2 usage, 3 bad input (or a file that cannot be read or written),\n"
         "  4 not identifiable or infeasible (the result is still printed),\n"
         "  5 the controller: no port, no answer, refused, 130 interrupted.\n"
         "\nEnvironment:\n"
         "  TMPDIR  where temporary files of long recordings lie (else /tmp)\n"
         "\n  --version      version of this program\n  --help         this text\n");
}
