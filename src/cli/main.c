/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "io/base/standard.h"

const CliVerb *const cli_verbs[] = {
    &cli_structure, &cli_base,     &cli_plan,     &cli_import,     &cli_reduce,
    &cli_fit,       &cli_diagnose, &cli_identify, &cli_predict,    &cli_dynamics,
    &cli_excite,    &cli_export,   &cli_ports,    &cli_info,       &cli_calibrate,
    &cli_record,    &cli_validate, &cli_upload,   &cli_restore,    &cli_log,
    &cli_diff,      &cli_replay,   &cli_simulate, &cli_report_bug, NULL};

static const CliVerb *find_verb(const char *name) {
  for (size_t k = 0; cli_verbs[k]; k++)
    if (strcmp(cli_verbs[k]->name, name) == 0)
      return cli_verbs[k];
  return NULL;
}

static int fail_unknown_verb(const char *name) {
  const char *known[32] = {NULL};
  for (size_t k = 0; cli_verbs[k]; k++)
    known[k] = cli_verbs[k]->name;
  const char *nearest = aio_error_nearest(name, known);
  return nearest ? cli_usage(NULL, "unknown verb \"%s\" (did you mean \"%s\"?)", name, nearest)
                 : cli_usage(NULL, "unknown verb \"%s\"", name);
}

static int help(int argc, char **argv) {
  const CliVerb *verb = argc > 0 ? find_verb(argv[0]) : NULL;
  if (argc > 0 && !verb)
    return fail_unknown_verb(argv[0]);
  if (verb)
    cli_print_verb_help(verb);
  else
    cli_print_help();
  return CLI_OK;
}

static int run(int argc, char **argv) {
  if (argc < 2)
    return cli_usage(NULL, "a verb is missing");
  const char *name = argv[1];
  const CliVerb *verb = find_verb(name);
  if (verb)
    return cli_run_verb(verb, argc - 2, argv + 2);
  if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return help(argc - 2, argv + 2);
  if (strcmp(name, "--version") == 0) {
    printf("%s\n", ARMATURE_PROGRAM);
    return CLI_OK;
  }
  return fail_unknown_verb(name);
}

/* The locale decides which characters a table may use, never how numbers or messages are written:
 * scripts read both. */
int main(int argc, char **argv) {
  aio_standard_fill();
  setlocale(LC_ALL, "C");
  setlocale(LC_CTYPE, "");
  cli_catch_signals();
  return cli_finish(run(argc, argv));
}
