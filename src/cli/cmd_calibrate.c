/* SPDX-License-Identifier: MIT */
/* `calibrate`: the whole procedure, from an arm at a port to a parameter file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/at_port.h"
#include "cli/ending.h"
#include "cli/fit_options.h"
#include "cli/full.h"
#include "cli/recordings.h"
#include "cli/session_report.h"
#include "cli/speeds.h"
#include "cli/text.h"
#include "io/base/safe_text.h"
#include "session/next.h"

#define LONGEST_WARM_UP_S 7200.0

typedef struct {
  CliAtPort at;
  const char *speeds, *speeds_t, *out, *truth, *friction, *limits;
  double warm_up, validation_holds, dry_speed, move_speed;
  bool allow_motion, plan_only, full, json, force;
} Args;

static const CliOption options[] = {
    {"port", CLI_TEXT, true, offsetof(Args, at.port), "PORT", cli_port_help},
    {"baud", CLI_NUMBER, false, offsetof(Args, at.baud), "N", cli_baud_help},
    {"driver", CLI_TEXT, false, offsetof(Args, at.driver), "NAME", cli_driver_help},
    {"session", CLI_OUT, true, offsetof(Args, at.session), "FILE.armsession",
     "Record into this file: samples, events, steps, the fit. Must not exist, unless --resume."},
    {"arm", CLI_TEXT, false, offsetof(Args, at.arm), "ARM.arm.json",
     "Arm file: geometry, gravity, limits. Needed unless --resume."},
    {"resume", CLI_FLAG, false, offsetof(Args, at.resume), NULL,
     "Go on with the session where it was held or interrupted."},
    {"allow-motion", CLI_FLAG, false, offsetof(Args, allow_motion), NULL,
     "The arm may move, in all of its range: needed for a real arm."},
    {"clear-faults", CLI_FLAG, false, offsetof(Args, at.clear_faults), NULL,
     "Clear the faults that the controller has latched: you have seen them and removed their "
     "cause. Within the lock-out after a fault it waits for its end."},
    {"confirm", CLI_TEXT, false, offsetof(Args, at.confirm), "NAME",
     "The arm's name, where no terminal can ask for it; needed for a real arm."},
    {"plan-only", CLI_FLAG, false, offsetof(Args, plan_only), NULL,
     "Connect, check and plan; print every move and sweep (leg by leg) and stop. Nothing moves."},
    {"full", CLI_FLAG, false, offsetof(Args, full), NULL,
     "After the sweeps have passed, follow two motions of all joints at once, designed with what "
     "is known by then; identify the full dynamics from the first, judge them on the second; --out "
     "is of kind dynamics. Needs --out, and limits of acceleration."},
    {"speeds", CLI_TEXT, false, offsetof(Args, speeds), "DEG_S,..",
     "Speeds of the sweeps of rotational joints in deg/s. Default 30,40,50,60,70. The verdict on "
     "the fit needs two that leave 70 % of a joint's range at constant speed; the plan warns."},
    {"speeds-t", CLI_TEXT, false, offsetof(Args, speeds_t), "M_S,..",
     "The same for sliding joints in m/s, as many. Default 0.03,0.04,0.05,0.06,0.07."},
    {"dry-speed", CLI_NUMBER, false, offsetof(Args, dry_speed), "DEG_S",
     "Speed of the dry run in deg/s (sliding joints: mm/s), at most 60 and no more than "
     "--move-speed. Default 10, or --move-speed where that is less."},
    {"move-speed", CLI_NUMBER, false, offsetof(Args, move_speed), "DEG_S",
     "Speed between the holds in deg/s (sliding joints: 1/600 of it in m/s), 0.1 to 1000; no "
     "joint is faster than 0.9 of its limit. Default 30."},
    {"warm-up", CLI_NUMBER, false, offsetof(Args, warm_up), "S",
     "Sweep every joint for S seconds before measuring. Default 0."},
    {"validation-holds", CLI_NUMBER, false, offsetof(Args, validation_holds), "N",
     "Poses per joint that only judge the fit. Default 1."},
    {"friction", CLI_TEXT, false, offsetof(Args, friction), "TERMS", cli_friction_help},
    {"limits", CLI_TEXT, false, offsetof(Args, limits), "LIMITS.json", cli_fit_limits_help},
    {"rate", CLI_NUMBER, false, offsetof(Args, at.rate), "HZ",
     "Samples per second of the controller, 20 or more. Default 100."},
    {"capture", CLI_OUT, false, offsetof(Args, at.capture), "FILE",
     "Also keep every byte of the line, for `replay`."},
    {"out", CLI_OUT, false, offsetof(Args, out), "P.json",
     "Write the parameters to this file, for `predict`, `export`, `upload`."},
    {"force", CLI_FLAG, false, offsetof(Args, force), NULL, "Overwrite --out when it exists."},
    {"truth", CLI_TEXT, false, offsetof(Args, truth), "TRUE.csv|ARM.json",
     "True values (name,value), or the arm file that is simulated, to be shown beside the result."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL,
     "One JSON object per line: step, progress, message, with --full design (what a motion would "
     "tell), and at the end result: exit, session (where it is), moved_because, lost (null: "
     "nothing), parameters, validation."},
};

/* ---- options ---- */

/* "30,50"; returns how many, 0: not such a list. */
static guint parse_speeds(const char *text, double unit, double *out) {
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  const guint n = g_strv_length(words);
  for (guint k = 0; k < n && n <= ARM_PLAN_MAX_SPEEDS; k++) {
    char *end;
    out[k] = unit * g_ascii_strtod(words[k], &end);
    if (end == words[k] || *end || !isfinite(out[k]) || out[k] <= 0.0)
      return 0;
  }
  return n <= ARM_PLAN_MAX_SPEEDS ? n : 0;
}

static int set_speeds(const Args *args, AseEdits *edits) {
  guint n = args->speeds ? parse_speeds(args->speeds, G_PI / 180.0, edits->speeds_R) : 0;
  guint n_t = args->speeds_t ? parse_speeds(args->speeds_t, 1.0, edits->speeds_T) : 0;
  if ((args->speeds && n < 2) || (args->speeds_t && n_t < 2))
    return cli_usage(&cli_calibrate, "--speeds: expected 2 to %d speeds such as 30,50,70",
                     ARM_PLAN_MAX_SPEEDS);
  if (n && n_t && n != n_t)
    return cli_usage(&cli_calibrate, "--speeds and --speeds-t: as many of one as of the other");
  for (guint k = 0; n && !n_t && k < n; k++) /* 50 deg/s and 0.05 m/s are alike */
    edits->speeds_T[k] = edits->speeds_R[k] * 180.0 / G_PI * 1e-3;
  for (guint k = 0; n_t && !n && k < n_t; k++)
    edits->speeds_R[k] = edits->speeds_T[k] * 1e3 * G_PI / 180.0;
  if (n || n_t)
    edits->n_speeds = MAX(n, n_t);
  return CLI_OK;
}

static int set_edits(const Args *args, AseEdits *edits) {
  AseItineraryOptions *i = &edits->itinerary;
  const int bad = cli_check_speeds(&cli_calibrate, args->dry_speed, args->move_speed);
  if (bad)
    return bad;
  if (!isnan(args->warm_up) && !(args->warm_up >= 0.0 && args->warm_up <= LONGEST_WARM_UP_S))
    return cli_usage(&cli_calibrate, "--warm-up: expected 0 to %g s, found %g", LONGEST_WARM_UP_S,
                     args->warm_up);
  if (!isnan(args->validation_holds) &&
      !(args->validation_holds >= 0.0 && args->validation_holds <= 8.0 &&
        args->validation_holds == floor(args->validation_holds)))
    return cli_usage(&cli_calibrate, "--validation-holds: expected a whole number in 0..8");
  if (!isnan(args->dry_speed)) {
    i->dry_speed_R = args->dry_speed * G_PI / 180.0;
    i->dry_speed_T = args->dry_speed * 1e-3;
  }
  if (!isnan(args->move_speed)) {
    i->move_speed_R = args->move_speed * G_PI / 180.0;
    i->move_speed_T = args->move_speed / 600.0;
  }
  if (!cli_parse_friction(args->friction, edits->offers_term))
    return cli_usage(&cli_calibrate, CLI_FRICTION_USAGE, args->friction);
  if (!isnan(args->warm_up))
    i->warm_up_s = args->warm_up;
  if (!isnan(args->validation_holds))
    i->validation_holds = (guint)args->validation_holds;
  ArmVerdictLimits limits;
  if (!cli_load_limits(args->limits, &limits))
    return CLI_BAD_INPUT;
  if (args->limits)
    ase_edits_take_limits(edits, &limits);
  return set_speeds(args, edits);
}

static int check_edits(const Args *args) {
  g_autofree AseEdits *scratch = g_new0(AseEdits, 1);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  return set_edits(args, scratch);
}

static int check_args(const Args *args) {
  const bool has_edits = args->speeds || args->speeds_t || !isnan(args->dry_speed) ||
                         !isnan(args->move_speed) || !isnan(args->warm_up) ||
                         !isnan(args->validation_holds) || args->friction || args->limits;
  if (args->at.resume && (args->at.arm || has_edits))
    return cli_usage(&cli_calibrate,
                     "--resume goes on with the arm and the plan of the session: "
                     "leave out --arm, speeds, --warm-up, --validation-holds, --friction "
                     "and --limits");
  if (!args->at.resume && !args->at.arm)
    return cli_usage(&cli_calibrate, "--arm ARM.arm.json is missing");
  if (cli_at_port_is_real(&args->at) && !args->allow_motion && !args->plan_only)
    return cli_usage(&cli_calibrate,
                     "a real arm will move, in all of its range: make sure that nothing and nobody "
                     "is within its reach and that the emergency stop is at hand, then add "
                     "--allow-motion (or look first: --plan-only)");
  const int code = cli_at_port_check_rate(&args->at, &cli_calibrate);
  if (code != CLI_OK)
    return code;
  if (args->full && !args->out)
    return cli_usage(&cli_calibrate, "--full: expected --out P.json, for what is identified");
  if (args->truth && args->json)
    return cli_usage(&cli_calibrate, "--truth belongs to the table: leave out --json");
  if (!cli_may_write_with(args->at.session, args->out, args->force))
    return CLI_BAD_INPUT;
  return check_edits(args);
}

/* ---- the session ---- */

/* What the options say of ranges and speeds, before anything is connected. */
static void edit(const Args *args, AseSession *session) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(session), sizeof *edits);
  (void)set_edits(args, edits); /* by check_args */
  if (!args->at.resume && ase_edits_difference(edits, ase_session_edits(session)))
    ase_session_set_edits(session, edits, "options");
}

/* Every move and sweep that is to come. */
static void print_plan(FILE *out, AseSession *session) {
  const AseItinerary *itinerary = ase_session_itinerary(session);
  for (guint k = 0; itinerary && k < itinerary->legs->len; k++) {
    const AseLeg *leg = &g_array_index(itinerary->legs, AseLeg, k);
    g_autofree char *text = ase_leg_text(&ase_session_arm(session)->model, leg);
    g_autofree char *shown = aio_text_visible(text, false);
    fprintf(out, "%s: %s\n", ase_purpose_text(leg->purpose), shown);
  }
}

/* ---- the procedure: what is next, until the end of it ---- */

typedef struct {
  const Args *args;
  CliLive *live;
  CliPort *port;
  AioLink *link; /* taken over when it is connected */
  const CliTruth *truth;
  CliEnding *ending;
  bool is_connected, is_confirmed; /* leave to move, for the plan as it is */
  bool is_at_rest;                 /* nothing was left to move: what is swept is fitted as it is */
  bool has_computed;               /* FIT or VALIDATE, in this run */
} Run;

typedef enum { ON_THE_WAY, AT_REST, AT_THE_END } Phase; /* AT_REST: nothing is left to move */

/* What is done about one AseNext. */
typedef struct Act {
  int (*act)(Run *run, const struct Act *act); /* the exit code; CLI_OK: on to what is next */
  AseStep step;                                /* that it begins or waits for */
  int code; /* when that fails; of what is told at the end: though all else is well */
  Phase phase;
} Act;

static AseStepState state_of(const Run *run, AseStep step) {
  return ase_procedure_state(ase_session_procedure(run->live->session), step);
}

static AseNext next_of(const Run *run) {
  AseNextFacts facts;
  ase_session_next_facts(run->live->session, &facts);
  facts.is_armed &= run->is_confirmed;
  facts.wants_connection = !run->is_connected;
  facts.wants_sweeps = !run->is_at_rest;
  facts.only_plans = run->args->plan_only;
  facts.tries_again = !run->has_computed;
  return ase_procedure_next(ase_session_procedure(run->live->session), &facts);
}

/* Faults that came since, a link that was lost: as arming would be refused. */
static int refuse(Run *run, const Act *act) {
  GError *error = NULL;
  if (!ase_session_may_arm(run->live->session, &error))
    cli_fail(error);
  return cli_live_code(run->live, act->code);
}

static int connect_once(Run *run, const Act *act) {
  if (run->is_connected)
    return refuse(run, act);
  run->is_connected = true;
  const int code = cli_at_port_connect(&run->args->at, run->live, run->port, run->link);
  return code == CLI_OK && run->args->full ? cli_full_check_controller(run->live) : code;
}

/* SWEEP may end for a PLAN that is made again by itself: then that is next. */
static int do_step(Run *run, const Act *act) {
  if (cli_live_step(run->live, act->step) || next_of(run) == ASE_NEXT_WAIT)
    return cli_live_code(run->live, CLI_OK);
  return cli_live_code(run->live, act->code);
}

/* After the first joint of a plan on made-up loads the others are planned again. Whatever else runs
 * by itself is a lost link, which was told. */
static int wait_for_plan(Run *run, const Act *act) {
  if (state_of(run, act->step) != ASE_STATE_RUNNING || !cli_live_step_ends(run->live, act->step))
    return cli_live_code(run->live, act->code);
  if (cli_at_port_is_real(&run->args->at)) { /* leave to move was given for another plan */
    cli_live_disarm(run->live);
    run->is_confirmed = false;
  }
  return CLI_OK;
}

static int arm(Run *run, const Act *act) {
  (void)act;
  int code = CLI_OK;
  if (!run->is_confirmed)
    code = cli_at_port_confirm(&run->args->at, run->live, print_plan,
                               "The arm will move in all of its range, first slowly");
  run->is_confirmed = code == CLI_OK;
  if (code == CLI_OK && !ase_device_is_armed(ase_session_device(run->live->session)))
    code = cli_live_arm(run->live);
  return code;
}

/* A fit in which something is not identifiable has a result nevertheless. */
static int fit(Run *run, const Act *act) {
  const bool is_good = cli_live_step(run->live, act->step);
  run->has_computed = true;
  const bool has_result = is_good || (state_of(run, act->step) == ASE_STATE_FAILED &&
                                      ase_session_may_export(run->live->session, NULL));
  return cli_live_code(run->live, has_result ? CLI_OK : act->code);
}

/* Whatever comes of it, the fit is told. */
static int validate(Run *run, const Act *act) {
  const bool is_good = cli_live_step(run->live, act->step);
  run->has_computed = true;
  const bool has_ended = is_good || state_of(run, act->step) == ASE_STATE_FAILED;
  return cli_live_code(run->live, has_ended ? CLI_OK : act->code);
}

static int put_out(const Run *run) {
  const Args *args = run->args;
  AseSession *session = run->live->session;
  GError *error = NULL;
  char *parameters = run->ending->parameters = ase_session_parameters(session, &error);
  run->ending->validation = cli_session_validation_json(session);
  int code = CLI_OK;
  if (!parameters) {
    cli_fail(error);
    code = CLI_INFEASIBLE;
  } else if (args->out && !args->full) {
    code = cli_write(args->out, parameters, strlen(parameters), args->force);
    if (code == CLI_OK)
      ase_session_exported(session, args->out);
  }
  if (!args->json) {
    cli_session_print_fit(session, run->truth);
    cli_session_print_validation(session);
  }
  return code == CLI_OK ? cli_session_judge(session) : code;
}

static int go_on(const Run *run) {
  const Args *args = run->args;
  const CliFull full = {&args->at, run->live, args->out, args->json, args->force};
  return cli_full(&full, &run->ending->parameters);
}

/* A step that failed was told with its reason; what it did not find cannot be judged. */
static int conclude(Run *run, const Act *act) {
  int code = put_out(run);
  code = code == CLI_OK ? act->code : code;
  if (code == CLI_OK && run->args->full)
    return go_on(run);
  if (run->args->full)
    cli_error("--full: the sweeps have not passed: no motion was designed, %s is not written",
              run->args->out);
  return code;
}

static int finish(Run *run, const Act *act) {
  if (!run->args->plan_only)
    return conclude(run, act);
  run->ending->has_result = false;
  print_plan(stdout, run->live->session);
  return CLI_OK;
}

static const Act acts[ASE_NEXTS] = {
    [ASE_NEXT_CONNECT] = {.act = connect_once, .code = CLI_DEVICE},
    [ASE_NEXT_OTHER_ARM] = {.act = refuse, .code = CLI_DEVICE},
    [ASE_NEXT_CHECK] = {do_step, ASE_STEP_CHECK, .code = CLI_DEVICE},
    [ASE_NEXT_CONFIGURE] = {do_step, ASE_STEP_CONFIGURE, .code = CLI_BAD_INPUT},
    [ASE_NEXT_PLAN] = {do_step, ASE_STEP_PLAN, .code = CLI_INFEASIBLE},
    [ASE_NEXT_CLEAR] = {.act = refuse, .code = CLI_DEVICE},
    [ASE_NEXT_ARM] = {.act = arm},
    [ASE_NEXT_DRY_RUN] = {do_step, ASE_STEP_DRY_RUN, .code = CLI_DEVICE},
    [ASE_NEXT_SWEEP] = {do_step, ASE_STEP_SWEEP, .code = CLI_DEVICE},
    [ASE_NEXT_WAIT] = {wait_for_plan, ASE_STEP_PLAN, .code = CLI_DEVICE},
    [ASE_NEXT_FIT] = {fit, ASE_STEP_FIT, .code = CLI_INFEASIBLE, .phase = AT_REST},
    [ASE_NEXT_VALIDATE] = {validate, ASE_STEP_VALIDATE, .code = CLI_INFEASIBLE, .phase = AT_REST},
    [ASE_NEXT_MISFIT] = {.act = conclude, .code = CLI_INFEASIBLE, .phase = AT_THE_END},
    [ASE_NEXT_NOT_FIT] = {.act = conclude, .code = CLI_INFEASIBLE, .phase = AT_THE_END},
    [ASE_NEXT_LOOK] = {.act = conclude, .code = CLI_INFEASIBLE, .phase = AT_THE_END},
    [ASE_NEXT_EXPORT] = {.act = conclude, .phase = AT_THE_END},
    [ASE_NEXT_UNJUDGED] = {.act = conclude, .phase = AT_THE_END},
    [ASE_NEXT_DONE] = {.act = finish, .phase = AT_THE_END},
};

/* Before an arm is connected: it keeps the main loop for as long as it takes. */
static int check_samples(const Run *run) {
  GError *error = NULL;
  const bool will_move = !ase_state_is_done(state_of(run, ASE_STEP_SWEEP));
  return !will_move || ase_session_check_samples(run->live->session, &error) ? CLI_OK
                                                                             : cli_fail(error);
}

static int go(Run *run) {
  const Act *act;
  int code = check_samples(run);
  if (code != CLI_OK) {
    aio_link_close(run->link);
    return code;
  }
  do {
    act = &acts[next_of(run)];
    if (act->phase >= AT_REST && !run->is_at_rest)
      cli_live_disarm(run->live);
    run->is_at_rest |= act->phase >= AT_REST;
    code = act->act(run, act);
    if (code == CLI_OK && act->phase != AT_THE_END)
      code = cli_live_code(run->live, code);
  } while (code == CLI_OK && act->phase != AT_THE_END);
  return code;
}

static int run_session(const Args *args, CliPort *port, AioLink *link, AseSession *session,
                       const CliTruth *truth) {
  CliLive live;
  g_autofree char *word = args->full ? cli_shell_word(args->out) : NULL;
  g_autofree char *again =
      word ? g_strdup_printf("calibrate --full --out %s%s", word, args->force ? " --force" : "")
           : NULL;
  g_auto(CliEnding) ending = {
      .session = args->at.session, .port = args->at.port, .again = again ? again : "calibrate"};
  Run run = {
      .args = args, .live = &live, .port = port, .link = link, .truth = truth, .ending = &ending};
  ending.is_real = cli_at_port_is_real(&args->at);
  ending.has_result = true;
  edit(args, session);
  cli_live_begin(&live, session, args->json);
  ending.code = go(&run);
  if (ending.code == CLI_BAD_INPUT && ending.parameters && args->out)
    ending.rewrite = args->full ? "calibrate --full" : "calibrate";
  cli_live_disarm(&live);
  cli_ending_close(&ending, &live);
  cli_live_end(&live);
  cli_ending_say(&ending, session);
  return ending.code;
}

/* The port first: without one there is no session to go on with. */
static int run(const void *arguments) {
  const Args *args = arguments;
  g_autoptr(CliPort) port = NULL;
  AioLink *link;
  int code = check_args(args);
  if (code == CLI_OK && args->full)
    code = cli_full_check_arm(&args->at);
  if (code == CLI_OK)
    code = cli_at_port_open(&args->at, &cli_calibrate, &port, &link);
  if (code != CLI_OK)
    return code;
  g_autoptr(AseSession) session = cli_at_port_session(&args->at);
  const bool wants_truth = session && args->truth;
  g_autoptr(CliTruth) truth =
      wants_truth ? cli_truth_load(args->truth, &ase_session_arm(session)->model) : NULL;
  if (session && (truth || !wants_truth)) {
    code = run_session(args, port, link, session, truth);
  } else {
    aio_link_close(link);
    code = CLI_BAD_INPUT;
  }
  return code;
}

const CliVerb cli_calibrate = {
    .name = "calibrate",
    .summary = "a guided calibration, from an arm at a port to its parameters",
    .purpose =
        "Connects, checks pose, limits and faults, plans, goes the whole way slowly (dry run), "
        "sweeps each joint, fits, judges the fit on poses it has not seen, and writes the "
        "parameters. Where the arm file does not state all masses, the other joints are planned "
        "again when the first one has been swept, with what it showed, and their way is gone "
        "slowly once more. Everything is recorded into the session and goes on with --resume after "
        "any "
        "interruption. When the session's file is deleted, renamed, replaced or overwritten "
        "meanwhile, the arm is held and all of it goes on in NAME-rescued.armsession; when there "
        "is no room for it, "
        "the arm is held and the session ends in such a file with the user's sessions. The last "
        "line says where it is, what is lost, if anything, and how to go on.\n\n"
        "With --full all joints then move at once along a motion that is designed for this arm: "
        "ten seconds, from rest to rest, within 95 % of the limits of position, speed and "
        "acceleration and 80 % of those of current, first at a tenth of its speed; it says before "
        "what the motion would tell. The full dynamics are identified from that motion, of joints "
        "that are faster than half the slowest sweep, and judged on a second one. Which motions "
        "are recorded is in the session: --resume repeats none.\n\n"
        "Ctrl-C, SIGTERM and a closed terminal hold the arm, wait for the controller's "
        "acknowledgement and disarm. When the program dies or hangs, the controller holds by "
        "itself "
        "as its lease is not renewed: a real one within half a second (lease 300 ms), a simulated "
        "one, which hurts nobody on a busy computer, within two and a half (lease 2 s).",
    .example = "armature-cli calibrate --arm puma560-truth2.arm.json --port sim:truth2,speed=40 "
               "--session try.armsession --out p.json\n"
               "calibrates a simulated PUMA 560 in compressed time; no hardware needed.",
    .exits = "0 done, 2 usage (nothing has moved), 3 bad input,\n"
             "4 no feasible plan or motion, a parameter that is not identifiable, a model that "
             "does not fit, or a failed validation; the result is still printed and written (with "
             "--full not when the sweeps have not passed),\n"
             "5 the controller: refused, lost, a fault; the session is kept and can be resumed,\n"
             "130 interrupted, or a motion after the first was not confirmed: the arm holds and is "
             "disarmed; the session can be resumed.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
