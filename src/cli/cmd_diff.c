/* SPDX-License-Identifier: MIT */
/* `diff`: two calibrations side by side: parameters in sds of their difference, and settings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json_diff.h"
#include "cli/session_file.h"
#include "cli/text.h"
#include "io/json/json_write.h"
#include "io/params/held_out.h"
#include "session/method/comparison.h"
#include "session/session.h"

typedef struct {
  const char *a, *b;
  bool json;
} Args;

static const CliOption options[] = {
    {"A", CLI_OPERAND, true, offsetof(Args, a), NULL,
     "A session (its last fit) or a parameter file, of `fit` or of `identify`."},
    {"B", CLI_OPERAND, true, offsetof(Args, b), NULL,
     "Another one of that kind, of an arm with as many joints."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

enum { DOCUMENTS = 4 };

/* One of the two. A session has all documents, a parameter file those it tells of. */
typedef struct {
  const char *path;
  CliSessionFile *session;  /* NULL: a parameter file */
  const AseMethod *method;  /* NULL: a session without a fit */
  ArmParamSet found;        /* what it found */
  AioJson *json[DOCUMENTS]; /* to be freed */
  const AioJsonNode *document[DOCUMENTS];
  AioHeldOutState validation; /* COMPARED: nothing is said of one */
} Side;

static const char *const document_names[DOCUMENTS] = {"arm", "plan", "controller", "fit"};
enum { ARM, PLAN, CONTROLLER, FIT };

/* ---- reading ---- */

static bool read_validation(Side *side, GError **error) {
  const AioJsonNode *node = aio_json_member(aio_json_root(side->json[FIT]), "validation");
  g_autoptr(GPtrArray) list = aio_held_out_list_new();
  if (node && !aio_held_out_read(node, &side->found, list, error))
    return false;
  g_autoptr(GPtrArray) lines = aio_held_out_lines(list, &side->found);
  for (guint k = 0; k < lines->len; k++)
    cli_warning("%s: %s", side->path, (const char *)lines->pdata[k]);
  side->validation = aio_held_out_state(list);
  return true;
}

static bool load_params(Side *side, GError **error) {
  side->json[FIT] = aio_json_load(side->path, error);
  if (!side->json[FIT])
    return false;
  gsize length;
  const char *text = aio_json_bytes(side->json[FIT], &length);
  if (!ase_comparison_read_found(side->path, text, length, &side->method, &side->found, error))
    return false;
  if (!read_validation(side, error))
    return false;
  const AioJsonNode *provenance = aio_json_member(aio_json_root(side->json[FIT]), "provenance");
  side->document[FIT] = provenance ? aio_json_member(provenance, "options") : NULL;
  return true;
}

static void parse(Side *side, int which, const char *text) {
  side->json[which] = text ? aio_json_parse(side->path, text, strlen(text), NULL) : NULL;
  side->document[which] = side->json[which] ? aio_json_root(side->json[which]) : NULL;
}

/* A session judges its last fit, and says where that stands. */
static void judge_session(Side *side) {
  g_autofree AseProcedure *procedure = g_new0(AseProcedure, 1);
  const char *steps = side->session->steps;
  AseStepState state = ASE_STATE_WAITING;
  if (steps && ase_procedure_from_json(procedure, ase_session_steps(), steps, NULL))
    state = ase_procedure_state(procedure, ASE_STEP_VALIDATE);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  side->validation = state == ASE_STATE_PASSED   ? AIO_HELD_OUT_PASSED
                     : state == ASE_STATE_FAILED ? AIO_HELD_OUT_FAILED
                     : state == ASE_STATE_STALE  ? AIO_HELD_OUT_STALE
                                                 : AIO_HELD_OUT_COMPARED;
  if (side->validation == AIO_HELD_OUT_FAILED)
    cli_warning("%s: the validation has failed", side->path);
}

static bool load_session(Side *side, GError **error) {
  const CliSessionFile *file = side->session;
  parse(side, ARM, file->arm_text);
  parse(side, PLAN, file->plan);
  if (file->connections->len > 0)
    parse(side, CONTROLLER,
          g_array_index(file->connections, AioStoreConnection, file->connections->len - 1)
              .controller);
  if (file->fits->len == 0)
    return true;
  const AioStoreFit *fit = &g_array_index(file->fits, AioStoreFit, file->fits->len - 1);
  parse(side, FIT, fit->options);
  judge_session(side);
  return ase_comparison_read_found(side->path, fit->parameters, strlen(fit->parameters),
                                   &side->method, &side->found, error);
}

/* false: the error is printed. */
static bool load(Side *side, const char *path) {
  GError *error = NULL;
  side->path = path;
  if (aio_store_is_session(path)) {
    side->session = cli_session_file_load(path);
    if (!side->session || load_session(side, &error))
      return side->session != NULL;
  } else if (load_params(side, &error)) {
    return true;
  }
  cli_fail(error);
  return false;
}

static void clear(Side *side) {
  arm_param_set_clear(&side->found);
  for (int k = 0; k < DOCUMENTS; k++)
    aio_json_free(side->json[k]);
  cli_session_file_free(side->session);
}

/* ---- comparing ---- */

/* Of AseDifference, of B from A; empty without a fit on both sides. NULL: the error is printed. */
static GArray *compare(const Side *a, const Side *b) {
  if (!a->method || !b->method)
    return g_array_new(FALSE, FALSE, sizeof(AseDifference));
  if (a->method != b->method) {
    cli_error("%s is of kind \"%s\" and %s of kind \"%s\": expected two files of one kind", a->path,
              ase_method_key(a->method), b->path, ase_method_key(b->method));
    return NULL;
  }
  GArray *differences = ase_comparison_new(&a->found, &b->found, NULL);
  if (!differences)
    cli_error("%s and %s are of different arms: number or type of their joints differ", a->path,
              b->path);
  return differences;
}

/* Of CliDifference: what both documents tell of, and which arm it was. */
static GPtrArray *compare_settings(const Side *a, const Side *b) {
  GPtrArray *settings = cli_differences_new();
  for (int k = 0; k < DOCUMENTS; k++)
    if ((a->document[k] && b->document[k]) || (a->session && b->session))
      cli_json_diff(settings, document_names[k], a->document[k], b->document[k]);
  return settings;
}

/* ---- for scripts ---- */

static void put_estimate(AioJsonWriter *w, const char *key, const ArmEstimate *estimate) {
  aio_json_write_key(w, key);
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "value", estimate->value);
  aio_json_put_number(w, "sd", estimate->sd);
  aio_json_put_bool(w, "identifiable", estimate->identifiable);
  aio_json_write_end_object(w);
}

static void write_parameters(AioJsonWriter *w, const GArray *differences) {
  aio_json_write_key(w, "parameters");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < differences->len; k++) {
    const AseDifference *d = &g_array_index(differences, AseDifference, k);
    g_autofree char *name = aio_param_name(d->of, d->k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "name", name);
    aio_json_put_string(w, "unit", arm_param_set_unit(d->of, d->k));
    put_estimate(w, "a", &d->before);
    put_estimate(w, "b", &d->now);
    aio_json_put_number(w, "difference", d->difference);
    aio_json_put_number(w, "sds", d->sds);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* null: nothing is said of one. */
static void write_validation(AioJsonWriter *w, const Side *sides) {
  aio_json_write_key(w, "validation");
  aio_json_write_begin_flat_object(w);
  for (int k = 0; k < 2; k++) {
    const char *word = aio_held_out_key(sides[k].validation);
    aio_json_put_string(w, k ? "b" : "a", *word ? word : NULL);
  }
  aio_json_write_end_object(w);
}

/* What both have from the same data sheets: no difference between them is due to it. */
static void find_shared(const Side *sides, ArmScales *shared) {
  ArmScales of_b;
  *shared = (ArmScales){0};
  if (sides[0].method && sides[1].method)
    ase_comparison_scales(&sides[0].found, &sides[1].found, shared, &of_b);
}

static void write_shared_scales(AioJsonWriter *w, const Side *sides) {
  ArmScales shared;
  find_shared(sides, &shared);
  aio_json_write_key(w, "shared_scales");
  aio_json_write_begin_array(w);
  for (gsize g = 0; g < shared.n; g++) {
    aio_json_write_begin_flat_object(w);
    aio_json_write_key(w, "joints");
    aio_json_write_begin_array(w);
    for (gsize j = 0; j < sides[0].found.n_joints; j++)
      if (shared.of[j] == (int)g)
        aio_json_write_int(w, (gint64)j + 1);
    aio_json_write_end_array(w);
    aio_json_put_number(w, "relative_sd", shared.sd[g]);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static bool is_equal(const GArray *differences, const GPtrArray *settings) {
  bool equal = settings->len == 0;
  for (guint k = 0; k < differences->len; k++) {
    const AseDifference *d = &g_array_index(differences, AseDifference, k);
    equal = equal && d->in_before == d->in_now && d->before.identifiable == d->now.identifiable &&
            (!d->before.identifiable || d->difference == 0.0);
  }
  return equal;
}

static int print_json(const Side *sides, const GArray *differences, const GPtrArray *settings) {
  g_autoptr(GString) text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "format", "armature-diff");
  aio_json_put_int(w, "version", 1);
  aio_json_put_string(w, "a", sides[0].path);
  aio_json_put_string(w, "b", sides[1].path);
  aio_json_put_bool(w, "equal", is_equal(differences, settings));
  write_validation(w, sides);
  write_shared_scales(w, sides);
  write_parameters(w, differences);
  aio_json_write_key(w, "settings");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < settings->len; k++) {
    const CliDifference *difference = g_ptr_array_index(settings, k);
    aio_json_write_begin_flat_object(w);
    aio_json_put_string(w, "key", difference->key);
    aio_json_write_key(w, "a");
    aio_json_write_raw(w, difference->a ? difference->a : "null");
    aio_json_write_key(w, "b");
    aio_json_write_raw(w, difference->b ? difference->b : "null");
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return cli_write(NULL, text->str, text->len, false);
}

/* ---- for people ---- */

static void add_estimate(CliTable *table, const ArmEstimate *estimate, bool is_there) {
  char *value;
  g_autofree char *sd = NULL;
  if (!estimate->identifiable) {
    cli_table_cell(table, "-");
    cli_table_cell(table, "%s", is_there ? "not identifiable" : "not there");
    return;
  }
  cli_format_estimate(estimate->value, estimate->sd, &value, &sd);
  cli_table_take(table, value);
  cli_table_cell(table, "%s %s", cli_utf8("\302\261", "+-"), sd);
}

/* How many differ by more than ASE_NOTEWORTHY_SDS sds. */
static guint print_parameters(const GArray *differences) {
  guint noteworthy = 0;
  CliTable *table = cli_table_new("lrlrlrll");
  const char *const heads[] = {"parameter", "A", "", "B", "", "sds", "", "unit"};
  for (gsize k = 0; k < G_N_ELEMENTS(heads); k++)
    cli_table_cell(table, "%s", heads[k]);
  for (guint k = 0; k < differences->len; k++) {
    const AseDifference *d = &g_array_index(differences, AseDifference, k);
    const bool is_noteworthy = fabs(d->sds) > ASE_NOTEWORTHY_SDS;
    cli_table_take(table, aio_param_name(d->of, d->k));
    add_estimate(table, &d->before, d->in_before);
    add_estimate(table, &d->now, d->in_now);
    cli_table_take(table, cli_format_number(d->sds, 3));
    cli_table_cell(table, "%s", is_noteworthy ? "*" : "");
    cli_table_cell(table, "%s", arm_param_set_unit_shown(d->of, d->k));
    noteworthy += is_noteworthy;
  }
  cli_table_finish(table);
  return noteworthy;
}

/* A figure of its own: sds of the table are without it. */
static void print_shared_scales(const Side *sides) {
  ArmScales shared;
  find_shared(sides, &shared);
  for (gsize g = 0; g < shared.n; g++) {
    g_autofree char *sd = cli_format_number(100 * shared.sd[g], 2);
    g_autoptr(GString) joints = g_string_new(NULL);
    for (gsize j = 0; j < sides[0].found.n_joints; j++)
      if (shared.of[j] == (int)g)
        g_string_append_printf(joints, "%s%zu", joints->len ? ", " : "", j + 1);
    printf("Joint %s: the common scale of torque constants, %s %s %%, is that of the same data\n"
           "sheets in both; the same motors assumed, no difference is due to it: sds of the table\n"
           "are without it.\n",
           joints->str, cli_utf8("\302\261", "+-"), sd);
  }
}

static void print_settings(const GPtrArray *settings) {
  CliTable *table = cli_table_new("lll");
  for (guint k = 0; k < settings->len; k++) {
    const CliDifference *difference = g_ptr_array_index(settings, k);
    cli_table_take(table, cli_name(difference->key));
    cli_table_take(table, cli_name(difference->a ? difference->a : "-"));
    cli_table_take(table, cli_name(difference->b ? difference->b : "-"));
  }
  cli_table_finish(table);
}

/* Of what speaks against the numbers. Static. */
static const char *validation_text(const Side *side) {
  static const char *const texts[AIO_HELD_OUT_STATES] = {
      [AIO_HELD_OUT_FAILED] = " (its validation has failed)",
      [AIO_HELD_OUT_STALE] = " (its validation is out of date)",
      [AIO_HELD_OUT_MISSING] = " (not validated)"};
  return texts[side->validation] ? texts[side->validation] : "";
}

static void print_table(const Side *sides, const GArray *differences, const GPtrArray *settings) {
  g_autofree char *a = cli_base_name(sides[0].path), *b = cli_base_name(sides[1].path);
  printf("A %s%s\nB %s%s\n\n", a, validation_text(&sides[0]), b, validation_text(&sides[1]));
  if (!sides[0].method || !sides[1].method)
    printf("No fit in %s: no parameters to compare.\n", sides[0].method ? "B" : "A");
  else if (is_equal(differences, settings))
    printf("Equal: every parameter and every setting.\n");
  else
    printf("\n%u of %u parameters differ by more than %g sds of the difference (*).\n",
           print_parameters(differences), differences->len, ASE_NOTEWORTHY_SDS);
  if (!is_equal(differences, settings))
    print_shared_scales(sides);
  if (settings->len > 0) {
    printf("\nSettings that differ: A, B\n");
    print_settings(settings);
  }
}

static int run(const void *arguments) {
  const Args *args = arguments;
  Side sides[2] = {0};
  int code = CLI_BAD_INPUT;
  g_autoptr(GArray) differences =
      load(&sides[0], args->a) && load(&sides[1], args->b) ? compare(&sides[0], &sides[1]) : NULL;
  if (differences) {
    g_autoptr(GPtrArray) settings = compare_settings(&sides[0], &sides[1]);
    code = CLI_OK;
    if (args->json)
      code = print_json(sides, differences, settings);
    else
      print_table(sides, differences, settings);
  }
  clear(&sides[0]);
  clear(&sides[1]);
  return code;
}

const CliVerb cli_diff = {
    .name = "diff",
    .summary = "two calibrations side by side",
    .purpose = "Compares two sessions or parameter files of one arm, or of two arms alike: each "
               "parameter with both error bars and its difference in standard deviations of that "
               "difference (beyond 3: something has changed), without what the same data sheets of "
               "torque constants leave open in both, and the settings that differ - arm "
               "file, plan, controller, options of the fit.",
    .example = "armature-cli diff monday.armsession friday.armsession\n"
               "tells what a week did to the arm.",
    .exits = "0 done, whether they differ or not (see \"equal\" of --json), 2 usage, 3 bad input, "
             "130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
