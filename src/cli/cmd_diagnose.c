/* SPDX-License-Identifier: MIT */
/* `diagnose`: why a model does not fit a recording, as far as currents tell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/fit_options.h"
#include "cli/text.h"
#include "io/params/diagnosis_file.h"
#include "io/params/plausible_text.h"
#include "io/params/verdict_file.h"

enum { SHOWN = 3 };
#define NOISE_A 5e-6 /* less is shown as nothing, as in the workbench */

typedef struct {
  const char *arm, *corrected;
  GPtrArray *csv;
  CliFitArgs fit;
  bool json, force;
} Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json", "Arm file: geometry and gravity."},
    {"csv", CLI_TEXTS, true, offsetof(Args, csv), "REC.csv",
     "Recording, as for `fit`. Give it several times to look at several recordings together."},
    {"corrected", CLI_OUT, false, offsetof(Args, corrected), "OUT.arm.json",
     "Also write the arm file that the first cause implies, where it explains the misfit and "
     "implies one."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL,
     "Overwrite --corrected when it exists."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of sentences."},
    CLI_FIT_OPTIONS(Args),
};

typedef struct {
  AioArm *arm;
  CliFitReport report;
  ArmGravityFit *fit;
  ArmDiagnosis *diagnosis;
  int judged; /* as `fit` judges it */
} Found;

/* a paragraph whose lines all begin with `indent` blanks */
G_GNUC_PRINTF(2, 3) static void say(int indent, const char *format, ...) {
  va_list values;
  va_start(values, format);
  g_autofree char *text = g_strdup_vprintf(format, values);
  va_end(values);
  g_autofree char *wrapped = cli_wrap(text, indent, indent, CLI_WIDTH);
  printf("%*s%s\n", indent, "", wrapped);
}

/* of each kind the first; all of them are on stderr */
static bool print_doubts(const ArmGravityFit *fit) {
  bool is_said[ARM_DOUBTS] = {false}, has_some = false;
  for (size_t k = 0; k < fit->doubts.count; k++) {
    const ArmDoubt *doubt = &fit->doubts.at[k];
    if (!aio_doubt_cause(doubt->kind) || is_said[doubt->kind])
      continue;
    g_autofree char *text = aio_doubt_text(
        doubt, doubt->joint < fit->refined.n ? fit->refined.type[doubt->joint] : ARM_JOINT_R);
    say(0, "First of all, %s", text);
    is_said[doubt->kind] = has_some = true;
  }
  return has_some;
}

/* "joint 1: 105 mA -> 3.2 mA"; NULL: the fit knows the cause already. g_free it. */
static char *before_after(const ArmDiagnosis *d, const ArmCause *c) {
  if (isnan(c->left))
    return NULL;
  g_autofree char *after = c->left < NOISE_A ? g_strdup("nothing beyond noise")
                                             : g_strdup_printf("%.3g mA", 1e3 * c->left);
  char *text =
      g_strdup_printf("joint %d: %.3g mA -> %s", (int)d->worst + 1, 1e3 * d->missed, after);
  return text;
}

/* What it would be, and in brackets what it does. g_free it. */
static char *cause_text(const ArmModel *model, const ArmDiagnosis *d, const ArmCause *c) {
  g_autofree char *text = aio_cause_text(model, c), *effect = before_after(d, c);
  char *both = effect ? g_strdup_printf("%s (%s)", text, effect) : g_strdup(text);
  return both;
}

/* what it leaves, in words that a limit of 1.3 stands behind */
static void print_size(const ArmDiagnosis *d, const ArmCause *c) {
  const double share = 100 * aio_cause_share(d, c);
  g_autofree char *effect = before_after(d, c);
  if (effect) {
    effect[0] = g_ascii_toupper(effect[0]);
    say(2, "%s.", effect);
  }
  if (c->explains_it)
    say(2, "It explains %.4g %% of the misfit; what is left looks like noise.", share);
  else if (c->doubt != ARM_CAUSE_CREDIBLE)
    say(2,
        "It would explain %.3g %% of the misfit (%.3g times the squares of noise are left), but "
        "%s.",
        share, c->rest, aio_cause_doubt(c));
  else
    say(2,
        "It explains %.3g %% of the misfit and leaves %.3g times the squares of noise: another "
        "cause, or a second one.",
        share, c->rest);
}

/* advice that was not given yet; takes it */
static void say_once(GPtrArray *said, const char *what, char *advice) {
  if (!advice || g_ptr_array_find_with_equal_func(said, advice, g_str_equal, NULL)) {
    g_free(advice);
    return;
  }
  say(2, "%s: %s.", what, advice);
  g_ptr_array_add(said, advice);
}

static void print_tied(const ArmModel *model, const ArmDiagnosis *d, GPtrArray *said) {
  bool has_some = false;
  for (size_t k = 1; k < d->count; k++) {
    if (!d->at[k].is_tied)
      continue;
    g_autofree char *text = cause_text(model, d, &d->at[k]);
    say(2, "%s: %s.", has_some ? "Nor from" : "Cannot be told from", text);
    has_some = true;
  }
  for (size_t k = 1; k < d->count; k++)
    if (d->at[k].is_tied)
      say_once(said, "What would tell", aio_cause_tell_apart(&d->at[0], &d->at[k]));
}

static void print_others(const ArmModel *model, const ArmDiagnosis *d, GPtrArray *said) {
  size_t shown = 0;
  for (size_t k = 1; k < d->count && shown < SHOWN; k++) {
    const ArmCause *c = &d->at[k];
    if (c->is_tied)
      continue;
    g_autofree char *text = cause_text(model, d, c);
    if (shown++ == 0)
      say(0, "Less likely:");
    const char *doubt = aio_cause_doubt(c);
    say(2, "%s; over all joints it leaves %.3g times the squares of noise%s%s", text, c->rest,
        doubt ? ", but " : "", doubt ? doubt : "");
    say_once(said, "What would tell it from others that explain as much", aio_cause_separate(d, k));
  }
}

/* gravity fits: each joint's friction by itself */
static void print_friction(const ArmModel *model, const ArmDiagnosis *d) {
  say(0, "Gravity fits. Of friction:");
  for (size_t k = 0; k < d->count; k++) {
    g_autofree char *text = cause_text(model, d, &d->at[k]);
    say(2, "%s", text);
  }
}

static void print_misfit(const ArmModel *model, const ArmDiagnosis *d) {
  const ArmCause *first = &d->at[0];
  g_autoptr(GPtrArray) said = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *text = aio_cause_text(model, first);
  if (first->explains_it)
    say(0, "Likeliest: %s.", text);
  else
    say(0,
        "None of the causes that this program knows explains the misfit by itself. What helps "
        "most: %s.",
        text);
  print_size(d, first);
  print_tied(model, d, said);
  print_others(model, d, said);
  say(0, "Causes are tried one at a time, by currents alone; what is not among them cannot be "
         "found. Look at the arm before you change anything.");
}

/* why it cannot be told, joint by joint */
static void print_unknown(const Found *found) {
  const ArmVerdict *verdict = &found->fit->verdict;
  g_autoptr(GPtrArray) lines = aio_verdict_lines(found->fit);
  guint said = 0;
  say(0, "Whether the model fits cannot be told from this recording:");
  for (guint k = 0; k < lines->len; k++) {
    const AioVerdictLine *line = g_ptr_array_index(lines, k);
    if ((strcmp(line->code, "verdict_unknown") == 0 &&
         found->fit->refined.joint[line->joint - 1].rows_used > 0 &&
         verdict->joint[line->joint - 1].untold != ARM_UNTOLD_NO_SIGNAL) ||
        strcmp(line->code, arm_doubt_key(ARM_DOUBT_NO_SIGNAL)) == 0) {
      say(2, "%s", line->message);
      said++;
    }
  }
  if (said == 0)
    say(2, "it fits the joints that were swept; of the others there is nothing to judge by");
}

static void print_people(const Found *found) {
  const ArmDiagnosis *d = found->diagnosis;
  const ArmVerdictKind verdict = found->fit->verdict.verdict;
  const bool has_doubts = print_doubts(found->fit);
  cli_fit_print_chosen_terms(&found->report);
  if (d->count > 0 && verdict != ARM_VERDICT_MISFIT)
    print_friction(&found->arm->model, d);
  else if (d->count > 0)
    print_misfit(&found->arm->model, d);
  else if (verdict == ARM_VERDICT_MISFIT)
    say(0, "The model does not fit, and none of the causes that this program knows helps.");
  else if (verdict == ARM_VERDICT_UNKNOWN)
    print_unknown(found);
  else if (found->judged != CLI_OK)
    say(0,
        "No misfit to explain: the model fits what was recorded. What else is wrong with the fit "
        "stands among the errors.");
  else if (!has_doubts)
    say(0, "Nothing to explain: the model fits.");
}

static bool has_cause_of_recording(const ArmGravityFit *fit) {
  for (size_t k = 0; k < fit->doubts.count; k++)
    if (aio_doubt_cause(fit->doubts.at[k].kind))
      return true;
  return false;
}

/* why no file is written; NULL: the arm has been changed. g_free it. */
static char *correct(Found *found) {
  const ArmDiagnosis *d = found->diagnosis;
  char *reason = NULL;
  if (has_cause_of_recording(found->fit))
    return g_strdup("what is wrong is in the recording, not in the arm");
  if (d->count == 0 || found->fit->verdict.verdict != ARM_VERDICT_MISFIT)
    return g_strdup("there is no cause to correct");
  if (d->at[0].doubt != ARM_CAUSE_CREDIBLE)
    return g_strdup_printf("the first cause is in doubt: %s", aio_cause_doubt(&d->at[0]));
  if (!d->at[0].explains_it)
    return g_strdup("the first cause does not explain the misfit");
  return aio_diagnosis_correct(found->arm, &d->at[0], &reason) ? NULL : reason;
}

static int write_corrected(const Args *args, Found *found) {
  gsize length;
  g_autofree char *why = correct(found);
  if (why) {
    cli_warning("%s is not written: %s", args->corrected, why);
    return CLI_OK;
  }
  const ArmCause *first = &found->diagnosis->at[0];
  g_autofree char *what = aio_cause_text(&found->arm->model, first);
  g_autofree char *text = aio_arm_format(found->arm, &length);
  const int code = cli_write(args->corrected, text, length, args->force);
  if (code == CLI_OK)
    cli_note("%s supposes that %s", args->corrected, what);
  if (code == CLI_OK && first->code == ARM_CAUSE_GEAR_RATIO)
    cli_warning("positions of this recording were computed with the old gear ratio: record again");
  for (size_t k = 1; k < found->diagnosis->count && code == CLI_OK; k++)
    if (found->diagnosis->at[k].is_tied) {
      cli_warning("another cause explains it as well: look at the arm before you use %s",
                  args->corrected);
      break;
    }
  return code;
}

static int report(const Args *args, Found *found) {
  int code = CLI_OK;
  cli_fit_warn_terms(&found->report, false);
  found->judged = cli_fit_judge(&found->report, false);
  if (args->json) {
    gsize length;
    g_autofree char *json =
        aio_diagnosis_format(&found->arm->model, found->fit, found->diagnosis, &length);
    code = cli_write(NULL, json, length, false);
  } else {
    print_people(found);
  }
  if (code == CLI_OK && args->corrected)
    code = write_corrected(args, found);
  return code == CLI_OK ? found->judged : code;
}

static int diagnose(const Args *args, const ArmVerdictLimits *limits, const CliRows *rows,
                    Found *found) {
  ArmFitOptions fit_options;
  const CliFitReport *of = &found->report;
  cli_fit_set_options(&args->fit, &fit_options);
  fit_options.limits = *limits;
  fit_options.diagnosis = found->diagnosis;
  const int code =
      cli_fit_rows(&args->fit, &fit_options, rows, of->structure, &found->arm->model, found->fit);
  if (code != CLI_OK)
    return code;
  const int reported = cli_fit_report_take(&found->report) ? report(args, found) : CLI_BAD_INPUT;
  cli_fit_report_clear(&found->report);
  arm_gravity_fit_clear(found->fit);
  return reported;
}

static int run_with_arm(const Args *args, const ArmVerdictLimits *limits, Found *found) {
  if (cli_fit_set_joints(&cli_diagnose, &args->fit, &found->report) != CLI_OK)
    return CLI_USAGE;
  g_auto(CliRows) rows = {0};
  if (!cli_rows_load(args->csv, &found->arm->model, args->fit.rate, args->fit.acceleration, false,
                     &rows))
    return CLI_BAD_INPUT;
  cli_warn_recording(rows.about);
  found->report.recording = rows.about;
  return diagnose(args, limits, &rows, found);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  ArmStructure structure;
  ArmVerdictLimits limits;
  int code = cli_fit_check_args(&cli_diagnose, &args->fit);
  if (code != CLI_OK)
    return code;
  if (!cli_may_write(args->corrected, args->force) || !cli_load_limits(args->fit.limits, &limits))
    return CLI_BAD_INPUT;
  Found found = {.arm = cli_load_arm(args->arm, &structure)};
  if (!found.arm)
    return CLI_BAD_INPUT;
  found.fit = g_new0(ArmGravityFit, 1);
  found.diagnosis = g_new0(ArmDiagnosis, 1);
  found.report = (CliFitReport){.arm = found.arm, .structure = &structure, .fit = found.fit};
  code = run_with_arm(args, &limits, &found);
  g_free(found.fit);
  g_free(found.diagnosis);
  aio_arm_free(found.arm);
  return code;
}

const CliVerb cli_diagnose = {
    .name = "diagnose",
    .summary = "why the model does not fit a recording, as far as currents tell",
    .purpose =
        "Fits as `fit` does, with the same options, and judges alike; where the model misses, it "
        "supposes one cause after the other - the "
        "base leans, a joint's zero, gear ratio or direction, the sign of a DH angle, swapped "
        "joints, another payload in some holds, one disturbed sweep, a gain that changed, a "
        "ripple, a "
        "delay, backlash, "
        "friction that grows with load, is curved or drifts - and ranks them by how much of the "
        "misfit each explains. What the recording cannot tell apart is named together, with what "
        "would tell. When the best cause leaves more than noise it says so: it is another one, or "
        "there are two; also when it is so large that it would have been seen (a zero or a base "
        "beyond 20 deg, a gear beyond 4 times), or of a size that cannot be told. It changes "
        "nothing by itself.\n\n"
        "In JSON, tied_with counts causes from 0; joints and holds count from 1.",
    .example = "armature-cli diagnose --arm puma560.arm.json --csv monday.csv\n"
               "says what may be wrong, with its size: \"Likeliest: the base leans by 2.00 +- 0.02 "
               "deg ..\".",
    .exits =
        "0 the model fits, or that cannot be told, 2 usage, 3 bad input, 4 the model does not "
        "fit (the causes are printed), or whatever else `fit` exits with 4 for: a joint without "
        "a usable row, a parameter that is not identifiable; 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
