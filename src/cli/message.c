/* SPDX-License-Identifier: MIT */
/* A message is one line: a line end in it is of a stranger's name or text, and what follows would
 * be taken for a message of ours. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/reader.h"
#include "io/base/safe_text.h"

static void print_message(const char *kind, const char *format, va_list arguments)
    G_GNUC_PRINTF(2, 0);

static void print_visible(const char *kind, const char *visible) {
  cli_flush();
  cli_reader_print(stderr, "armature-cli: %s: %s\n", kind, visible);
}

static void print_message(const char *kind, const char *format, va_list arguments) {
  g_autofree char *text = g_strdup_vprintf(format, arguments),
                  *visible = aio_text_visible(text, false);
  print_visible(kind, visible);
}

void cli_note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments),
                  *visible = aio_text_visible(text, false);
  va_end(arguments);
  cli_reader_print(stderr, "%s\n", visible);
}

void cli_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message("error", format, arguments);
  va_end(arguments);
}

void cli_warning(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message("warning", format, arguments);
  va_end(arguments);
}

int cli_usage(const CliVerb *verb, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message("error", format, arguments);
  va_end(arguments);
  if (verb)
    fprintf(stderr, "Try 'armature-cli %s --help'.\n", verb->name);
  else
    fprintf(stderr, "Try 'armature-cli --help'.\n");
  return CLI_USAGE;
}

int cli_fail(GError *error) {
  cli_error("%s", error ? error->message : "unknown error");
  g_clear_error(&error);
  return CLI_BAD_INPUT;
}

int cli_fail_findings(GError *error) {
  g_autofree char *visible = aio_text_visible(error->message, true);
  print_visible("error", visible);
  g_clear_error(&error);
  return CLI_BAD_INPUT;
}

int cli_fail_status(ArmStatus status, const char *doing) {
  cli_error("%s: %s", doing, arm_status_text(status));
  return status == ARM_E_INFEASIBLE || status == ARM_E_NO_DATA ? CLI_INFEASIBLE : CLI_BAD_INPUT;
}
