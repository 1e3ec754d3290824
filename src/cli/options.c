/* SPDX-License-Identifier: MIT */
/* Options from a table: --name value, --name=value; and operands where a verb has them. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "io/base/error.h"

typedef struct {
  const CliVerb *verb;
  char *args;
  bool *is_given; /* per option */
} Parse;

static void *field(const Parse *parse, size_t k) {
  return parse->args + parse->verb->options[k].offset;
}

static bool is_operand(const CliOption *option) {
  return option->kind == CLI_OPERAND || option->kind == CLI_OPERANDS;
}

static bool is_list(const CliOption *option) {
  return option->kind == CLI_TEXTS || option->kind == CLI_OPERANDS;
}

/* Index of the option called `name`, n_options when there is none. */
static size_t find_option(const CliVerb *verb, const char *name) {
  size_t k = 0;
  while (k < verb->n_options &&
         (is_operand(&verb->options[k]) || strcmp(verb->options[k].name, name) != 0))
    k++;
  return k;
}

static bool is_shown(const CliOption *option) {
  return !is_operand(option) && option->help;
}

static int fail_unknown(const CliVerb *verb, const char *name) {
  g_autoptr(GPtrArray) known = g_ptr_array_new();
  for (size_t k = 0; k < verb->n_options; k++)
    if (is_shown(&verb->options[k]))
      g_ptr_array_add(known, (gpointer)verb->options[k].name);
  g_ptr_array_add(known, (gpointer) "help");
  g_ptr_array_add(known, NULL);
  const char *nearest = aio_error_nearest(name, (const char *const *)known->pdata);
  return nearest ? cli_usage(verb, "%s has no option --%s (did you mean --%s?)", verb->name, name,
                             nearest)
                 : cli_usage(verb, "%s has no option --%s", verb->name, name);
}

static int set_number(const Parse *parse, size_t k, const char *value) {
  char *end = NULL;
  double number = g_ascii_strtod(value, &end);
  if (end == value || *end != '\0' || !isfinite(number))
    return cli_usage(parse->verb, "--%s: expected a number, found \"%s\"",
                     parse->verb->options[k].name, value);
  *(double *)field(parse, k) = number;
  return CLI_OK;
}

static int set_option(const Parse *parse, size_t k, const char *value) {
  const CliOption *option = &parse->verb->options[k];
  if (parse->is_given[k] && !is_list(option))
    return cli_usage(parse->verb, "--%s is given twice", option->name);
  parse->is_given[k] = true;
  switch (option->kind) {
  case CLI_FLAG:
    *(bool *)field(parse, k) = true;
    break;
  case CLI_TEXT:
  case CLI_OUT:
  case CLI_OPERAND:
    *(const char **)field(parse, k) = value;
    break;
  case CLI_TEXTS:
  case CLI_OPERANDS: {
    GPtrArray **list = field(parse, k);
    if (!*list)
      *list = g_ptr_array_new();
    g_ptr_array_add(*list, (gpointer)value);
    break;
  }
  case CLI_NUMBER:
    return set_number(parse, k, value);
  }
  return CLI_OK;
}

/* One option at argv[0], with its value; *used arguments were taken. */
static int parse_option(const Parse *parse, int argc, char **argv, int *used) {
  const CliVerb *verb = parse->verb;
  g_autofree char *name = g_strdup(argv[0] + 2);
  char *equals = strchr(name, '=');
  const char *value = equals ? argv[0] + 2 + (equals - name) + 1 : NULL;
  if (equals)
    *equals = '\0';
  size_t k = find_option(verb, name);
  int code = CLI_OK;
  *used = 1;
  if (k == verb->n_options) {
    code = fail_unknown(verb, name);
  } else if (verb->options[k].kind == CLI_FLAG) {
    code = value ? cli_usage(verb, "--%s takes no value", name) : set_option(parse, k, NULL);
  } else {
    if (!value && argc > 1 && !g_str_has_prefix(argv[1], "--")) {
      value = argv[1];
      *used = 2;
    }
    code = value && *value
               ? set_option(parse, k, value)
               : cli_usage(verb, "--%s needs a value: --%s %s", name, name, verb->options[k].value);
  }
  return code;
}

/* The next operand that is not yet given, n_options when there is none. */
static size_t next_operand(const Parse *parse) {
  size_t k = 0;
  while (k < parse->verb->n_options && (!is_operand(&parse->verb->options[k]) ||
                                        (parse->is_given[k] && !is_list(&parse->verb->options[k]))))
    k++;
  return k;
}

static int parse_operand(const Parse *parse, const char *value) {
  const CliVerb *verb = parse->verb;
  const size_t k = next_operand(parse);
  bool has_operands = false;
  for (size_t at = 0; at < verb->n_options; at++)
    has_operands = has_operands || is_operand(&verb->options[at]);
  if (k < verb->n_options && value[0] != '-' && *value)
    return set_option(parse, k, value);
  return has_operands ? cli_usage(verb, "unexpected argument \"%s\"", value)
                      : cli_usage(verb, "unexpected argument \"%s\": %s takes options only", value,
                                  verb->name);
}

static int check_required(const Parse *parse) {
  for (size_t k = 0; k < parse->verb->n_options; k++) {
    const CliOption *option = &parse->verb->options[k];
    if (!option->is_required || parse->is_given[k])
      continue;
    return is_operand(option)
               ? cli_usage(parse->verb, "%s is missing", option->name)
               : cli_usage(parse->verb, "--%s %s is missing", option->name, option->value);
  }
  return CLI_OK;
}

static int parse_all(const Parse *parse, int argc, char **argv) {
  for (int at = 0, used = 1; at < argc; at += used) {
    used = 1;
    int code = g_str_has_prefix(argv[at], "--") ? parse_option(parse, argc - at, argv + at, &used)
                                                : parse_operand(parse, argv[at]);
    if (code != CLI_OK)
      return code;
  }
  return check_required(parse);
}

static bool wants_help(int argc, char **argv) {
  for (int k = 0; k < argc; k++)
    if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0)
      return true;
  return false;
}

static void init_args(const Parse *parse) {
  for (size_t k = 0; k < parse->verb->n_options; k++)
    if (parse->verb->options[k].kind == CLI_NUMBER)
      *(double *)field(parse, k) = NAN;
}

static void clear_args(const Parse *parse) {
  for (size_t k = 0; k < parse->verb->n_options; k++) {
    GPtrArray **list = field(parse, k);
    if (is_list(&parse->verb->options[k]) && *list)
      g_ptr_array_free(*list, TRUE);
  }
}

/* ---- a result never replaces what it was made from, nor another result, even with --force ---- */

/* The file that is there under both names. */
static bool is_same_file(const char *a, const char *b) {
  struct stat at_a, at_b;
  return stat(a, &at_a) == 0 && stat(b, &at_b) == 0 && at_a.st_dev == at_b.st_dev &&
         at_a.st_ino == at_b.st_ino;
}

/* Or the one that will be, where there is none yet. */
static bool is_same_place(const char *a, const char *b) {
  g_autofree char *folder_a = g_path_get_dirname(a), *folder_b = g_path_get_dirname(b);
  g_autofree char *name_a = g_path_get_basename(a), *name_b = g_path_get_basename(b);
  return strcmp(name_a, name_b) == 0 && is_same_file(folder_a, folder_b);
}

static int fail_same(const Parse *parse, size_t out, const char *path, size_t k) {
  const CliOption *option = &parse->verb->options[k];
  const bool is_named = !is_operand(option);
  return cli_usage(parse->verb, "--%s %s is the file that %s%s %s: write to another one",
                   parse->verb->options[out].name, path, is_named ? "--" : "",
                   is_named ? option->name : parse->verb->name,
                   option->kind == CLI_OUT ? "writes" : "reads");
}

/* What is only read is there, or fails by itself; what is no file is not compared by name. */
static int check_pair(const Parse *parse, size_t out, const char *path, size_t k) {
  const CliOption *option = &parse->verb->options[k];
  const bool is_text = option->kind == CLI_TEXT || option->kind == CLI_OPERAND;
  if (option->kind == CLI_OUT || is_text) {
    const char *other = *(const char **)field(parse, k);
    if (other && (is_same_file(path, other) || (!is_text && is_same_place(path, other))))
      return fail_same(parse, out, path, k);
  }
  const GPtrArray *list = is_list(option) ? *(GPtrArray **)field(parse, k) : NULL;
  for (guint item = 0; list && item < list->len; item++)
    if (is_same_file(path, g_ptr_array_index(list, item)))
      return fail_same(parse, out, path, k);
  return CLI_OK;
}

static int check_out(const Parse *parse) {
  const CliOption *options = parse->verb->options;
  int code = CLI_OK;
  for (size_t out = 0; out < parse->verb->n_options; out++) {
    const char *path = options[out].kind == CLI_OUT ? *(const char **)field(parse, out) : NULL;
    for (size_t k = 0; path && code == CLI_OK && k < parse->verb->n_options; k++)
      if (options[k].offset != options[out].offset) /* the same by another name */
        code = check_pair(parse, out, path, k);
  }
  return code;
}

int cli_run_verb(const CliVerb *verb, int argc, char **argv) {
  if (wants_help(argc, argv)) {
    cli_print_verb_help(verb);
    return CLI_OK;
  }
  Parse parse = {verb, g_malloc0(verb->args_size), g_new0(bool, verb->n_options)};
  init_args(&parse);
  int code = parse_all(&parse, argc, argv);
  if (code == CLI_OK)
    code = check_out(&parse);
  if (code == CLI_OK)
    code = verb->run(parse.args);
  clear_args(&parse);
  g_free(parse.is_given);
  g_free(parse.args);
  return code;
}
