/* SPDX-License-Identifier: MIT */
/* `excite`: motions from which the base parameters are seen, and what a motion tells of them. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/excite_design.h"
#include "cli/motion_limits.h"
#include "cli/text.h"
#include "io/arm/base_json.h"
#include "io/arm/excitation_text.h"
#include "io/base/said.h"
#include "io/recording/motion_hole.h"

typedef CliExciteArgs Args;

static const CliOption options[] = {
    {"arm", CLI_TEXT, true, offsetof(Args, arm), "ARM.arm.json",
     "Arm file: geometry, gravity, and limits of position, speed and acceleration of every joint."},
    {"check", CLI_TEXT, false, offsetof(Args, check), "MOTION.csv",
     "Judge this motion: t_s,q1_rad,..,qd1_rad_s,..,qdd1_rad_s2,.. (T: q3_m, qd3_m_s, qdd3_m_s2). "
     "What is missing of speeds and accelerations is differences of the positions as given."},
    {"method", CLI_TEXT, false, offsetof(Args, method), "fourier|spline|points",
     "Design one: a Fourier series, a periodic quintic B-spline, or a way through points whose "
     "energies tell most, as fast as the limits of joints allow (currents and distances are only "
     "judged)."},
    {"criterion", CLI_TEXT, false, offsetof(Args, criterion), "d|a|cond|cond+s",
     "What is minimised: d the volume of the error ellipsoid, a a sum of variances, cond the "
     "condition number, cond+s (of points) also the range of the sizes in the rows. Default d: "
     "cond gives smaller numbers, but torques are predicted worse."},
    {"weights", CLI_TEXT, false, offsetof(Args, weights), "torque|prior",
     "Of what a is the sum: torque, the variances of torques that are predicted anywhere within "
     "the "
     "limits, each in its noise; prior, those of the parameters as parts of their values in the "
     "arm "
     "file. Default torque."},
    {"harmonics", CLI_NUMBER, false, offsetof(Args, harmonics), "K",
     "Harmonics of the series, default 5; knots of the spline, default 25."},
    {"points", CLI_NUMBER, false, offsetof(Args, points), "R",
     "Rows of energies, one less than there are points; at least as many as base parameters of the "
     "links. Default twice those."},
    {"time", CLI_NUMBER, false, offsetof(Args, time), "T",
     "Period in s. Default 10, of a spline 20."},
    {"rest", CLI_FLAG, false, offsetof(Args, rest), NULL,
     "Speed and acceleration are 0 where the motion begins and ends."},
    {"evals", CLI_NUMBER, false, offsetof(Args, evals), "N",
     "Evaluations of criterion and gradient; the same N and seed give the same design. Default "
     "6000, of points 20000."},
    {"seconds", CLI_NUMBER, false, offsetof(Args, seconds), "S",
     "Search for S seconds instead; the evaluations that it says were done give the same design. "
     "Ctrl-C ends the search too, with the best design so far."},
    {"seed", CLI_NUMBER, false, offsetof(Args, seed), "I", "Seed of the search. Default 1."},
    {"out", CLI_OUT, false, offsetof(Args, out), "DIR",
     "Write a design to DIR/motion.csv, one period at 1 kHz, and the JSON to DIR/excitation.json."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite these when they exist."},
    {"params", CLI_TEXT, false, offsetof(Args, params), "P.json",
     "Parameters of an earlier fit or identification: the noise is what it left over of single "
     "samples, in N m by the torque constants, and currents are predicted with its friction; links "
     "and torque constants "
     "that were identified replace those of the arm file. Default: 1 N m (T joints 1 N) at every "
     "joint, no friction."},
    {"columns", CLI_TEXT, false, offsetof(Args, columns), "base|full",
     "base: the links. full: also friction and rotors of the motors. Default base."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of a table."},
};

typedef struct {
  const Args *args;
  AioArm *arm;
  ArmMotionLimits limits;
  unsigned with;
  CliExciteWanted wanted; /* with --method */
  CliExciteKnown known;
  CliExciteScene scene;
} Excite;

/* ---- the verb ---- */

/* Before the search, which would be for nothing. Makes the folder. */
static bool may_write(const Args *args) {
  if (!args->out)
    return true;
  if (g_mkdir_with_parents(args->out, 0777) != 0) {
    cli_error("%s: cannot make this folder: %s", args->out, g_strerror(errno));
    return false;
  }
  g_autofree char *motion = g_build_filename(args->out, "motion.csv", NULL);
  g_autofree char *excitation = g_build_filename(args->out, "excitation.json", NULL);
  return cli_may_write(motion, args->force) && cli_may_write(excitation, args->force);
}

/* The motion and the JSON of a design. */
static int write_design(const Excite *e, const CliExcitation *report, const char *json,
                        gsize length) {
  g_autofree char *motion = g_build_filename(e->args->out, "motion.csv", NULL);
  g_autofree char *excitation = g_build_filename(e->args->out, "excitation.json", NULL);
  g_autoptr(GString) csv = aio_motion_to_csv(report->motion, &e->arm->model);
  const int code = cli_write(motion, csv->str, csv->len, e->args->force);
  return code == CLI_OK ? cli_write(excitation, json, length, e->args->force) : code;
}

/* In SI units, or with columns of unit length, the weakest direction moves the torques by less than
 * this part of what the strongest does. Chosen: 16 bits of a current resolve 1.5e-5 of it, a mean
 * of 1000 samples 5e-7; no drive tells what is below. Designs for the arms in data/ have up to
 * 1300. */
static const double hopeless_condition = 1e6;

static void warn_hopeless(const CliExcitation *report) {
  const ArmExcitation *found = report->found;
  if (found->rank < found->count || fmax(found->cond_raw, found->cond_scaled) <= hopeless_condition)
    return;
  g_autofree char *raw = cli_format_number(found->cond_raw, 3);
  g_autofree char *scaled = cli_format_number(found->cond_scaled, 3);
  g_autofree char *direction = aio_excitation_direction(report->base, found, 0);
  g_autofree char *sd = cli_format_number(found->weakest[0].sd, 3);
  cli_warning("%s: this motion tells hardly anything of some parameters (condition of the torque "
              "regressor %s, with columns of unit length %s), first of all of %s, whose sd is %s%s",
              report->motion->name, raw, scaled, direction, sd,
              report->is_design ? ": are the limits of the arm file what they should be?" : "");
}

static int print(const Excite *e, const CliExcitation *report) {
  gsize length;
  int code = CLI_OK;
  g_autofree char *json = cli_excite_format(report, &length);
  if (e->args->json)
    code = cli_write(NULL, json, length, false);
  else
    cli_excite_print(report);
  warn_hopeless(report);
  if (code == CLI_OK && report->is_design && e->args->out)
    code = write_design(e, report, json, length);
  if (code == CLI_OK && cli_deferred_signal())
    return 128 + cli_deferred_signal();
  if (code != CLI_OK)
    return code;
  return !cli_excite_is_feasible(report) || report->found->rank < report->found->count
             ? CLI_INFEASIBLE
             : CLI_OK;
}

/* Fills what is the same of every motion, and prints. */
static int judge(const Excite *e, CliExcitation *report) {
  const AioMotionTable *motion = report->motion;
  g_autoptr(ArmExcitation) found = NULL;
  const ArmStatus status =
      arm_excitation_new(report->base, &e->arm->model, &e->limits, motion->rows, motion->q,
                         motion->qd, motion->qdd, e->known.noise, &found);
  if (status != ARM_OK)
    return cli_fail_status(status, motion->name);
  report->arm = e->arm;
  report->limits = &e->limits;
  report->found = found;
  report->noise = e->known.noise;
  report->is_assumed = e->known.is_assumed;
  report->n_violations = arm_motion_violations(&e->limits, motion->rows, motion->q, motion->qd,
                                               motion->qdd, report->violations);
  report->scene = &e->scene;
  cli_excite_scene_judge(&e->scene, motion, &report->broken);
  return print(e, report);
}

/* What lies between rows is nobody's word, and what they say may be of two motions. */
static int check_rows(const Excite *e, CliExcitation *report) {
  const AioMotionTable *motion = report->motion;
  const ArmStatedMotion stated = {
      .samples = motion->rows,
      .t = motion->t,
      .q = motion->q,
      .qd = motion->qd,
      .qdd = motion->qdd,
      .is_speed_derived = motion->is_speed_derived,
      .is_acceleration_derived = motion->is_acceleration_derived,
  };
  g_autofree char *hole = aio_said_take_text(aio_motion_hole_said(motion));
  if (*hole)
    cli_warning("%s", hole);
  const ArmStatus status = arm_motion_contradictions(
      &e->arm->model, &e->limits, &stated, report->contradictions, &report->n_contradictions);
  return status == ARM_OK ? CLI_OK : cli_fail_status(status, motion->name);
}

static int check(const Excite *e, const ArmBase *base) {
  GError *error = NULL;
  g_autoptr(AioMotionTable) motion = aio_motion_load(e->args->check, &e->arm->model, &error);
  if (!motion)
    return cli_fail(error);
  CliExcitation report = {.csv = e->args->check, .method = "check", .base = base, .motion = motion};
  const int code = check_rows(e, &report);
  return code == CLI_OK ? judge(e, &report) : code;
}

static int design(const Excite *e, const ArmBase *base) {
  const ArmScene scene = {&e->scene.currents, e->scene.clearance};
  const CliExciteTask task = {.arm_name = e->args->arm,
                              .model = &e->arm->model,
                              .limits = &e->limits,
                              .base = base,
                              .noise = e->known.noise,
                              .scene = &scene};
  g_auto(CliExciteDesign) found = {0};
  CliExcitation report = {.base = base};
  const int code = cli_excite_design(&task, &e->wanted, &found, &report);
  return code == CLI_OK ? judge(e, &report) : code;
}

/* ---- options ---- */

static int read_options(Excite *e) {
  const Args *args = e->args;
  const char *columns = args->columns ? args->columns : "base";
  if (!args->check == !args->method)
    return cli_usage(&cli_excite,
                     "expected either --check MOTION.csv or --method fourier|spline|points");
  if (args->check && !cli_excite_is_check(args))
    return CLI_USAGE;
  if (strcmp(columns, "full") == 0)
    e->with = ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR;
  else if (strcmp(columns, "base") != 0)
    return cli_usage(&cli_excite, "--columns: expected base or full, found \"%s\"", columns);
  return args->method ? cli_excite_wanted(args, &e->wanted) : CLI_OK;
}

static int run_with_arm(Excite *e) {
  g_autoptr(ArmBase) base = NULL;
  int code = cli_motion_limits(e->args->arm, &e->arm->model, &e->limits);
  if (code == CLI_OK && !may_write(e->args))
    return CLI_BAD_INPUT;
  if (code == CLI_OK)
    code = cli_excite_know(e->args->params, e->args->arm, e->arm, &e->known);
  if (code == CLI_OK)
    code = cli_excite_scene_init(e->arm, e->args->arm, &e->known, &e->limits, &e->scene);
  if (code != CLI_OK)
    return code;
  const ArmStatus status = arm_base_new(&e->arm->model, e->with, ARM_BASE_CLOSED_FORM, &base);
  if (status != ARM_OK)
    return cli_fail_status(status, e->args->arm);
  return e->args->check ? check(e, base) : design(e, base);
}

static int run(const void *arguments) {
  Excite e = {.args = arguments};
  ArmStructure structure;
  int code = read_options(&e);
  if (code != CLI_OK)
    return code;
  if (e.args->method)
    cli_defer_signals();
  e.arm = cli_load_arm(e.args->arm, &structure);
  if (!e.arm)
    return CLI_BAD_INPUT;
  code = run_with_arm(&e);
  cli_excite_scene_clear(&e.scene);
  aio_arm_free(e.arm);
  return code;
}

const CliVerb cli_excite = {
    .name = "excite",
    .summary = "motions that show an arm's inertia, and what a motion would tell of it",
    .purpose =
        "Says of a motion of all joints, planned or recorded, whether it stays within the limits "
        "of position, speed and acceleration at every sample, and how well the torques along it "
        "would tell the base parameters (`base`): the condition of the regressor, the standard "
        "deviation that each parameter would have, and what the motion shows least, with what "
        "would show it. Between the samples of a file nothing is checked: give 1 kHz; gaps are "
        "warned of. Positions that do not change as the speeds beside them say, or speeds not as "
        "the accelerations, are told where noise, filters and coarse samples cannot explain it. "
        "Currents, and distances of capsules and table, are judged where the arm file has what it "
        "takes. With "
        "--method it designs a motion that shows them well, within all limits at all times. It "
        "knows no obstacle but these: whoever runs the motion looks first.",
    .example = "armature-cli excite --arm data/robots/puma560.arm.json --method fourier --rest "
               "--out design\n"
               "designs ten seconds for a PUMA 560, and says what they would tell.",
    .exits =
        "0 within all limits and every parameter identifiable, 2 usage, 3 a file cannot be "
        "read, written or is wrong, or the arm file lacks a limit, 4 a limit is broken, the motion "
        "contradicts itself or something is not identifiable (the result is still printed), 130 "
        "or 143 a design ended by Ctrl-C or SIGTERM (the best so far is printed and written).",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
