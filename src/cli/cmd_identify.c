/* SPDX-License-Identifier: MIT */
/* `identify`: recordings of an arm that moves in, its full dynamics with error bars out. */
#include <math.h>
#include <string.h>

#include "cli/fit_options.h"
#include "cli/identify.h"
#include "cli/text.h"
#include "io/json/digest.h"
#include "io/json/json_write.h"
#include "io/params/verdict_file.h"

/* Of rows, that two recordings of one noisy arm have none of: white space, digits, times and what
 * was cut off do not make another motion of one. */
static const double most_shared = 0.1;

typedef CliIdentifyArgs Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry and gravity; nominal masses and torque constants where they are known."},
    {"csv", CLI_TEXTS, true, offsetof(Args, csv), "REC.csv",
     "Recording: t_s,joint,q1_rad,..,i1_A,.. (or tau1_Nm,.., T: tau3_N), joint = 0 where all "
     "move. Speeds and accelerations are computed where there are no columns of them. Give it "
     "several times to identify from several recordings together."},
    {"validate", CLI_TEXTS, false, offsetof(Args, validate), "REC.csv",
     "A recording of another motion, not to be fitted but predicted: the verdict comes from it. "
     "May be given several times."},
    {"time", CLI_TEXT, false, offsetof(Args, time), "A:B",
     "Only rows with A <= t_s <= B, in s, of the recordings that are fitted; either may be left "
     "out."},
    {"lowpass", CLI_NUMBER, false, offsetof(Args, lowpass), "HZ",
     "Cut-off of the filter without delay that currents and every column of the model go through "
     "alike, in Hz. Positions are low-passed at three times that and at least at 15 Hz, or at a "
     "fifth of the sampling rate if it is less. Default 5; 0: none, which needs columns of speeds "
     "and accelerations."},
    {"min-speed", CLI_NUMBER, false, offsetof(Args, min_speed), "V",
     "Use the current of a joint only where it moves faster than V rad/s; sliding joints: V/10 "
     "m/s. Default 0.01 rad/s and 0.001 m/s. Below, stiction hides the current. Where speeds "
     "are computed, 1.1 periods of the positions' low-pass (0.07 s at 15 Hz) and a sample about a "
     "reversal are left out anyway."},
    {"min-speed-t", CLI_NUMBER, false, offsetof(Args, min_speed_t), "V",
     "The same for sliding joints alone, in m/s."},
    {"method", CLI_TEXT, false, offsetof(Args, method), "batch|sequential",
     "batch, the default: all rows at once. sequential (Lin 1992): joint by joint from the last to "
     "the first, from rows in which one joint moves alone (joint >= 1) and torques of all joints, "
     "held ones too (tau1_Nm,..); weaker than batch for as many rows."},
    {"friction", CLI_TEXT, false, offsetof(Args, friction), CLI_FRICTION_VALUES, cli_friction_help},
    {"limits", CLI_TEXT, false, offsetof(Args, limits), "LIMITS.json", cli_fit_limits_help},
    {"out", CLI_OUT, false, offsetof(Args, out), "P.json",
     "Also write the parameters to this file, for `predict` and `dynamics`."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL,
     "Print the parameters as JSON instead of the table."},
};

/* ---- options ---- */

/* "A:B", either may be empty. */
static bool parse_time(const char *text, AioTimeSpan *span) {
  g_auto(GStrv) parts = g_strsplit(text ? text : ":", ":", -1);
  double *const to[] = {&span->from, &span->to};
  if (g_strv_length(parts) != 2)
    return false;
  for (int k = 0; k < 2; k++) {
    char *end;
    *to[k] = *parts[k] ? g_ascii_strtod(parts[k], &end) : (double)NAN;
    if (*parts[k] && (*end || !isfinite(*to[k])))
      return false;
  }
  return !(span->from > span->to);
}

static bool is_sequential(const Args *args) {
  return g_strcmp0(args->method, "sequential") == 0;
}

static int check_words(const Args *args) {
  bool offers[ARM_TERMS];
  if (args->method && !is_sequential(args) && strcmp(args->method, "batch") != 0)
    return cli_usage(&cli_identify, "--method: expected batch or sequential, found \"%s\"",
                     args->method);
  if (!cli_parse_friction(args->friction, offers))
    return cli_usage(&cli_identify, CLI_FRICTION_USAGE, args->friction);
  if (is_sequential(args) && args->friction && strcmp(args->friction, "base") != 0)
    return cli_usage(&cli_identify,
                     "--method sequential has no friction terms: leave --friction out, or say "
                     "base");
  return CLI_OK;
}

static int check_args(const Args *args, AioTimeSpan *span) {
  const int code = check_words(args);
  if (code != CLI_OK)
    return code;
  if (!parse_time(args->time, span))
    return cli_usage(&cli_identify, "--time: expected A:B in s with A <= B, found \"%s\"",
                     args->time);
  if (args->lowpass < 0)
    return cli_usage(&cli_identify, "--lowpass: expected a frequency in Hz, or 0 for no filter");
  if (args->min_speed < 0 || args->min_speed_t < 0)
    return cli_usage(&cli_identify, "a minimum speed is not negative");
  return cli_may_write(args->out, args->force) ? CLI_OK : CLI_BAD_INPUT;
}

static ArmDynStreamOptions stream_options(const Args *args) {
  ArmDynStreamOptions to;
  arm_dyn_stream_options_default(&to);
  to.is_sequential = is_sequential(args);
  if (!isnan(args->lowpass))
    to.cutoff_Hz = args->lowpass;
  if (!isnan(args->min_speed)) {
    to.min_speed_R = args->min_speed;
    to.min_speed_T = 0.1 * args->min_speed;
  }
  if (!isnan(args->min_speed_t))
    to.min_speed_T = args->min_speed_t;
  return to;
}

/* ---- where it comes from ---- */

/* What was offered counts where something was chosen: a file without terms is as one of base. */
static char *describe_options(const CliIdentifySetup *setup, const char *friction) {
  g_autoptr(GString) text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "method", setup->stream.is_sequential ? "sequential" : "batch");
  aio_json_put_string(w, "friction", friction);
  aio_json_put_number(w, "lowpass_Hz", setup->stream.cutoff_Hz);
  aio_json_put_number(w, "min_speed_rad_s", setup->stream.min_speed_R);
  aio_json_put_number(w, "min_speed_m_s", setup->stream.min_speed_T);
  aio_json_put_number(w, "from_s", setup->span.from);
  aio_json_put_number(w, "to_s", setup->span.to);
  aio_limits_write_changed(w, &setup->limits);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_strdup(g_strchomp(text->str));
}

static void state_origin(const CliIdentified *r, const char *friction) {
  const AioArm *arm = r->setup->arm;
  r->out->arm_name = g_strdup(arm->name);
  r->out->arm_digest = g_strdup(arm->digest);
  r->out->program = g_strdup(ARMATURE_PROGRAM);
  r->out->provenance = aio_provenance_new("armature-cli", ARMATURE_VERSION, arm->digest);
  r->out->provenance->options = describe_options(r->setup, friction);
  for (guint k = 0; k < r->recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(r->recordings, k);
    g_autofree char *name = g_path_get_basename(moving->path);
    g_autofree char *digest = aio_file_digest(moving->path);
    aio_provenance_add_recording(r->out->provenance, name, digest);
  }
}

/* ---- the verb ---- */

/* One line each; what is wrong enough for exit status 4 comes as an error. */
static int tell(const CliIdentified *r) {
  cli_flush();
  for (guint k = 0; k < r->out->warnings->len; k++) {
    const AioDynamicsWarning *warning = g_ptr_array_index(r->out->warnings, k);
    cli_warning("%s", warning->message);
  }
  return r->is_bad ? CLI_INFEASIBLE : CLI_OK;
}

static int print(const Args *args, const CliIdentified *r) {
  int code = CLI_OK;
  gsize length;
  g_autofree char *json = aio_dynamics_format(r->out, &length);
  if (args->text)
    *args->text = g_strdup(json);
  if (!args->json)
    cli_identify_print(r);
  else if (!args->text)
    code = cli_write(NULL, json, length, false);
  if (args->out && code == CLI_OK)
    code = cli_write(args->out, json, length, args->force);
  if (code != CLI_OK)
    return code;
  const int told = tell(r);
  cli_terms_warn(r, args->friction && strstr(args->friction, "load"));
  return told;
}

/* Everything about the fit into the result. */
static int conclude(const Args *args, CliIdentified *r, const ArmDynamicsJoint *joints,
                    const CliTerms *terms) {
  g_autoptr(AioDynamics) out = aio_dynamics_new();
  g_autofree ArmDynHeldOut *promised = g_new0(ArmDynHeldOut, r->held_out->len * r->fit->n + 1);
  r->promised = promised;
  r->place = arm_dynamics_tell_rotors(r->fit, &r->setup->arm->model);
  int code = cli_identify_promise(r);
  if (code == CLI_OK)
    code = cli_identify_steps(r, joints, terms->fit ? &terms->terms : NULL);
  if (code != CLI_OK)
    return code;
  cli_identify_complete(r);
  g_autofree ArmConsistent *links = r->links; /* with this function's end */
  (void)links;
  const ArmStatus status =
      arm_dynamics_set(r->fit, &r->setup->arm->model, r->setup->base, &out->found);
  if (status != ARM_OK)
    return cli_fail_status(status, "identification");
  memcpy(out->tried, terms->trial, sizeof out->tried);
  r->out = out;
  state_origin(r, !terms->fit ? "base" : args->friction ? args->friction : "auto");
  code = cli_identify_judge(r);
  return code == CLI_OK ? print(args, r) : code;
}

static int identify(const Args *args, CliIdentified *r, ArmDynamicsJoint *joints) {
  g_autoptr(ArmDynamicsFit) fit = NULL;
  g_auto(CliTerms) terms = {0};
  const ArmDynamicsWay way = is_sequential(args) ? ARM_DYNAMICS_SEQUENTIAL : ARM_DYNAMICS_BATCH;
  const ArmDynamicsOptions how = cli_identify_how(r, way);
  bool offers[ARM_TERMS];
  int code = CLI_OK;
  const ArmStatus status = arm_dynamics_identify(r->information, joints, &how, &fit);
  if (status != ARM_OK)
    return cli_fail_status(status, "identification");
  r->fit = fit;
  (void)cli_parse_friction(args->friction, offers);
  if (!is_sequential(args) && (offers[ARM_TERM_LOAD] || offers[ARM_TERM_CURVE]))
    code = cli_identify_terms(r, offers, joints, &terms);
  return code == CLI_OK ? conclude(args, r, joints, &terms) : code;
}

/* Of which joints the recordings have a torque. */
static void take_torques(const GPtrArray *recordings, size_t n, ArmDynamicsJoint *joints) {
  for (guint k = 0; k < recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(recordings, k);
    for (size_t j = 0; j < n; j++)
      joints[j].is_torque |= moving->survey.is_torque[j];
  }
}

/* The share of rows that both have, of the one that has fewer of its own. */
static double shared_rows(const GPtrArray *list, guint k, const GPtrArray *others, guint other) {
  const CliMoving *a = g_ptr_array_index(list, k), *b = g_ptr_array_index(others, other);
  return fmax(aio_row_sketch_shared(&a->survey.sketch, &b->survey.sketch),
              aio_row_sketch_shared(&b->survey.sketch, &a->survey.sketch));
}

/* Has it rows of one of the first `count` of these? *at: the first; *share: "100". g_free it. */
static bool has_rows_of(const GPtrArray *list, guint k, const GPtrArray *others, guint count,
                        guint *at, char **share) {
  for (*at = 0; *at < count; (*at)++) {
    const double both = shared_rows(list, k, others, *at);
    if (both > most_shared) {
      *share = cli_format_number(100 * both, 3);
      return true;
    }
  }
  return false;
}

/* Rows that were fitted say nothing of whether the fit is right, and nothing new of the arm. */
static int check_apart(const Args *args, const GPtrArray *fitted, const GPtrArray *held_out) {
  g_autofree char *share = NULL;
  guint at;
  for (guint k = 1; k < fitted->len; k++) {
    if (!has_rows_of(fitted, k, fitted, k, &at, &share))
      continue;
    cli_error("%s: --csv: expected another recording, found the content of %s again (%s %% of the "
              "rows): the same rows twice are no new evidence, and sds would be too small. Leave "
              "one of them out",
              (const char *)args->csv->pdata[k], (const char *)args->csv->pdata[at], share);
    return CLI_BAD_INPUT;
  }
  for (guint v = 0; v < held_out->len; v++) {
    if (!has_rows_of(held_out, v, fitted, fitted->len, &at, &share))
      continue;
    cli_error("%s: --validate: expected a recording that is not fitted, found the content of %s "
              "(%s %% of the rows), which is: that a fit follows its own rows proves nothing. Give "
              "another motion, or leave --validate out",
              (const char *)args->validate->pdata[v], (const char *)args->csv->pdata[at], share);
    return CLI_BAD_INPUT;
  }
  return CLI_OK;
}

/* Once; recordings of a session, which no caller of JSON chose, have them all. */
static void tell_unused(const Args *args, const GPtrArray *recordings, const GPtrArray *held_out) {
  const GPtrArray *const lists[] = {recordings, held_out};
  for (gsize l = 0; l < G_N_ELEMENTS(lists) && !args->text; l++)
    for (guint k = 0; k < lists[l]->len; k++) {
      const CliMoving *moving = g_ptr_array_index(lists[l], k);
      if (!moving->survey.has_qd || moving->survey.has_qdd)
        continue;
      cli_warning("%s: its speeds are not used, but computed from positions: without columns of "
                  "accelerations nobody knows how late they are",
                  moving->path);
      return;
    }
}

static int run_with_data(const Args *args, const CliIdentifySetup *setup) {
  ArmDynamicsJoint joints[ARM_MAX_JOINTS];
  CliIdentifySetup whole = *setup; /* --time is about what is fitted */
  whole.span = (AioTimeSpan){(double)NAN, (double)NAN};
  whole.stream.is_sequential = false; /* what is predicted is a motion like any other */
  g_autoptr(GPtrArray) recordings = cli_moving_load(setup, args->csv);
  g_autoptr(GPtrArray) held_out = recordings ? cli_moving_load(&whole, args->validate) : NULL;
  if (!held_out || check_apart(args, recordings, held_out) != CLI_OK)
    return CLI_BAD_INPUT;
  const ArmStatus status = arm_dynamics_joints(&setup->arm->model, joints);
  if (status != ARM_OK)
    return cli_fail_status(status, args->arm);
  tell_unused(args, recordings, held_out);
  take_torques(recordings, setup->base->n, joints);
  int code = cli_identify_check(setup, recordings, joints);
  if (code == CLI_OK)
    code = cli_identify_check(setup, held_out, joints);
  g_autoptr(ArmInformation) all = code == CLI_OK ? cli_moving_merge(setup, recordings) : NULL;
  if (!all)
    return code == CLI_OK ? CLI_BAD_INPUT : code;
  CliIdentified identified = {
      .setup = setup, .recordings = recordings, .held_out = held_out, .information = all};
  return identify(args, &identified, joints);
}

int cli_identify_recordings(const CliIdentifyArgs *args, const AioArm *arm,
                            const ArmVerdictLimits *limits) {
  CliIdentifySetup setup = {
      .arm = arm, .arm_path = args->arm, .stream = stream_options(args), .limits = *limits};
  g_autoptr(ArmBase) base = NULL;
  (void)parse_time(args->time, &setup.span); /* by check_args */
  const ArmStatus status = arm_base_new(&arm->model, 0, ARM_BASE_CLOSED_FORM, &base);
  if (status != ARM_OK)
    return cli_fail_status(status, args->arm);
  setup.base = base;
  return run_with_data(args, &setup);
}

static int run(const void *arguments) {
  const Args *args = arguments;
  AioTimeSpan span;
  ArmVerdictLimits limits;
  ArmStructure structure;
  const int code = check_args(args, &span);
  if (code != CLI_OK)
    return code;
  if (!cli_load_limits(args->limits, &limits))
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = cli_load_arm(args->arm, &structure);
  return arm ? cli_identify_recordings(args, arm, &limits) : CLI_BAD_INPUT;
}

const CliVerb cli_identify = {
    .name = "identify",
    .summary = "full dynamics from recordings of an arm that moves",
    .purpose =
        "Takes recordings in which all joints move at once and finds what the motors feel of the "
        "links (base parameters; `base` lists them), friction and rotor of every joint, and the "
        "torque constants as far as currents tell them: their ratios follow from inertia, their "
        "scale only from data sheets, a torque sensor or a known load. Whether torques are those "
        "of "
        "motors, rotors included, or were measured beyond them, rotors that stand by themselves "
        "tell. Of coupled drives torques of joints, as `dynamics` has them, become those of the "
        "drives. Every number has a standard "
        "deviation, widened where neighbouring rows share noise; what the recordings do not show "
        "is said to be not identifiable, with the motion that would show it.\n\n"
        "A row counts for a joint that moves faster than --min-speed; of rows with joint >= 1, "
        "where one joint moves alone, for that joint only; --method sequential takes those rows "
        "alone, for the joint that moves and all beyond it. Currents at the limit of the arm file "
        "do not count. Currents and all columns of the "
        "model go through the same filter, in memory that does not grow with the files; positions "
        "only through one that lets three times as much through or more, for what columns lose "
        "before it "
        "inertias would make up for. Speeds are computed from positions unless columns give both "
        "speeds and accelerations: those of a controller are late. Where positions come in steps "
        "that are coarse for that, or scatter, the file is read once more with other errors of "
        "their size, and standard deviations are widened by what estimates shift by.\n\n"
        "Links are completed so that bodies can have them: positive masses and inertias that meet "
        "the data and stay near nominal ones where these do not tell.\n\n"
        "Whether the model fits is judged by recordings that were not fitted (--validate), by the "
        "limits by which sweeps are judged. Without them it is not known. They are also compared "
        "with what noise and standard deviations promise: a joint that is missed by more, beyond "
        "chance, has something that the model has not, and its standard deviations are widened by "
        "as many times; by more than twice what is promised and 5 % of its rms current, it does "
        "not fit.",
    .example =
        "armature-cli identify --arm ur10e.arm.json --csv motion.csv --validate other.csv --out "
        "p.json\n"
        "identifies from motion.csv, shows how well other.csv is predicted, and writes p.json.",
    .exits = "0 done, 2 usage, 3 bad input, 130 interrupted,\n"
             "4 a joint has no usable row, a base parameter or friction is not identifiable from "
             "this motion, a recording differs from the others, friction helps a motion, or a "
             "recording of --validate is missed; the result is still printed and written. Ratios "
             "and scales of torque "
             "constants that currents do not tell are a warning.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
