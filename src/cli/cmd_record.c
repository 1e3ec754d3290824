/* SPDX-License-Identifier: MIT */
/* `record`: somebody's motion through an arm at a port, into a session. */
#include <math.h>

#include "cli/at_port.h"
#include "cli/ending.h"
#include "cli/motion_limits.h"
#include "cli/record_beyond.h"
#include "cli/record_motion.h"
#include "cli/text.h"
#include "io/json/json_write.h"
#include "io/recording/motion_clear.h"
#include "io/recording/motion_follow.h"
#include "session/recording.h"

typedef struct {
  CliAtPort at;
  const char *motion;
  double current_limit;
  bool allow_motion, json;
} Args;

static const CliOption options[] = {
    {"port", CLI_TEXT, true, offsetof(Args, at.port), "PORT", cli_port_help},
    {"baud", CLI_NUMBER, false, offsetof(Args, at.baud), "N", cli_baud_help},
    {"driver", CLI_TEXT, false, offsetof(Args, at.driver), "NAME", cli_driver_help},
    {"motion", CLI_TEXT, true, offsetof(Args, motion), "MOTION.csv",
     "The motion: t_s,q1_rad,.. of all joints, and qd1_rad_s,.. qdd1_rad_s2,.. where it has them "
     "(T: q3_m, qd3_m_s, qdd3_m_s2). At rest where it begins and ends."},
    {"session", CLI_OUT, true, offsetof(Args, at.session), "FILE.armsession",
     "Record into this file. Must not exist, unless --resume."},
    {"arm", CLI_TEXT, false, offsetof(Args, at.arm), "ARM.arm.json",
     "Arm file: geometry, limits. Needed unless --resume."},
    {"resume", CLI_FLAG, false, offsetof(Args, at.resume), NULL,
     "Record into a session that is there, with its arm: after a hold, or the same motion again, "
     "whose earlier recording counts no more then. Another motion needs a session of its own."},
    {"allow-motion", CLI_FLAG, false, offsetof(Args, allow_motion), NULL,
     "The arm may move, where the motion goes: needed for a real arm."},
    {"clear-faults", CLI_FLAG, false, offsetof(Args, at.clear_faults), NULL,
     "Clear the faults that the controller has latched: you have seen them and removed their "
     "cause. Within the lock-out after a fault it waits for its end."},
    {"confirm", CLI_TEXT, false, offsetof(Args, at.confirm), "NAME",
     "The arm's name. Without a terminal it must be right where it is given; on one it is typed."},
    {"current-limit", CLI_NUMBER, false, offsetof(Args, current_limit), "PERCENT",
     "Hold the arm when a motor's current is above this part of its limit for 20 ms. Seen in the "
     "samples, at 100 per second within 0.1 s; the controller's own limit stays. Default 100."},
    {"rate", CLI_NUMBER, false, offsetof(Args, at.rate), "HZ",
     "Samples per second of the controller, 20 or more. Default 100."},
    {"capture", CLI_OUT, false, offsetof(Args, at.capture), "FILE",
     "Also keep every byte of the line, for `replay`."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL,
     "One JSON object per line: step, progress, message, and at the end result: exit, session, "
     "moved_because, lost (null: nothing), recording (samples, lost, apart, beyond: where joints "
     "were measured beyond the limits of the arm file)."},
};

/* ---- before anything moves ---- */

static int check_args(const Args *args) {
  if (args->at.resume && args->at.arm)
    return cli_usage(&cli_record, "--resume goes on with the arm of the session: leave out --arm");
  if (!args->at.resume && !args->at.arm)
    return cli_usage(&cli_record, "--arm ARM.arm.json is missing");
  if (cli_at_port_is_real(&args->at) && !args->allow_motion)
    return cli_usage(&cli_record,
                     "a real arm will move, first slowly to where the motion begins: make sure "
                     "that nothing and nobody is within its reach and that the emergency stop is "
                     "at hand, then add --allow-motion");
  const int code = cli_at_port_check_rate(&args->at, &cli_record);
  if (code != CLI_OK)
    return code;
  if (args->current_limit <= 0.0 || args->current_limit > 100.0)
    return cli_usage(&cli_record, "--current-limit: expected more than 0 and up to 100 percent");
  return CLI_OK;
}

/* Against the arm file's limits; the controller's own are asked for later. */
static int check_motion(const Args *args, const AioArm *arm, const AioMotionTable *motion) {
  const char *whose = args->at.resume ? args->at.session : args->at.arm;
  ArmMotionLimits limits;
  GError *error = NULL;
  double slowness = 1.0;
  const int code = cli_motion_limits(whose, &arm->model, &limits);
  if (code != CLI_OK)
    return code;
  g_autoptr(ArmCubics) cubics = aio_motion_follow(motion, &arm->model, &limits, whose,
                                                  AIO_FOLLOW_SEGMENT_S, &slowness, &error);
  if (cubics && aio_motion_is_clear(motion, &arm->model, &limits, arm->table_z_m, &error))
    return CLI_OK;
  cli_fail(error);
  return CLI_INFEASIBLE;
}

static int load_motion(const Args *args, AioMotionTable **motion) {
  GError *error = NULL;
  g_autoptr(AioArm) arm = cli_at_port_arm(&args->at, &error);
  if (!arm)
    return cli_fail(error);
  *motion = aio_motion_load(args->motion, &arm->model, &error);
  return *motion ? check_motion(args, arm, *motion) : cli_fail(error);
}

/* ---- the motion ---- */

typedef struct {
  const Args *args;
  const AioMotionTable *motion;
  CliLive *live;
} Record;

static int go(Record *r, CliPort *port, AioLink *link) {
  const double part = isnan(r->args->current_limit) ? 1.0 : 0.01 * r->args->current_limit;
  int code = cli_at_port_connect(&r->args->at, r->live, port, link);
  if (code == CLI_OK)
    code = cli_record_take(r->live, r->motion, part);
  return code == CLI_OK ? cli_record_follow(&r->args->at, r->live) : code;
}

/* ---- the session ---- */

static char *recording_json(AseSession *session) {
  const AseRecordingState *state = ase_session_record_state(session);
  if (state->samples == 0)
    return NULL;
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "samples", (gint64)state->samples);
  aio_json_put_int(w, "lost", (gint64)state->lost);
  aio_json_put_numbers(w, "apart", state->apart, ase_session_arm(session)->model.n);
  aio_json_write_key(w, "beyond");
  cli_record_beyond_write(w, session);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

static int run_session(const Args *args, const AioMotionTable *motion, CliPort *port, AioLink *link,
                       AseSession *session) {
  CliLive live;
  g_autofree char *word = cli_shell_word(args->motion);
  g_autofree char *again = g_strdup_printf("record --motion %s", word);
  g_auto(CliEnding) ending = {.session = args->at.session, .port = args->at.port, .again = again};
  Record record = {args, motion, &live};
  ending.is_real = cli_at_port_is_real(&args->at);
  ending.has_result = true;
  cli_live_begin(&live, session, args->json);
  ending.code = go(&record, port, link);
  cli_live_disarm(&live);
  ending.recording = recording_json(session);
  cli_ending_close(&ending, &live);
  cli_live_end(&live);
  cli_ending_say(&ending, session);
  return ending.code;
}

/* Who goes on does so with the motion that was followed. */
static bool is_same_motion(const Args *args, const AioMotionTable *motion, AseSession *session) {
  GError *error = NULL;
  if (ase_session_is_same_motion(session, motion, &error))
    return true;
  g_prefix_error(&error, "%s: ", args->at.session);
  cli_fail(error);
  return false;
}

static int run(const void *arguments) {
  Args args = *(const Args *)arguments;
  g_autoptr(AioMotionTable) motion = NULL;
  g_autoptr(CliPort) port = NULL;
  AioLink *link;
  args.at.needs_no_name = true;
  int code = check_args(&args);
  if (code == CLI_OK)
    code = load_motion(&args, &motion);
  if (code == CLI_OK)
    code = cli_at_port_open(&args.at, &cli_record, &port, &link);
  if (code != CLI_OK)
    return code;
  g_autoptr(AseSession) session = cli_at_port_session(&args.at);
  if (session && is_same_motion(&args, motion, session))
    return run_session(&args, motion, port, link, session);
  aio_link_close(link);
  return CLI_BAD_INPUT;
}

const CliVerb cli_record = {
    .name = "record",
    .summary = "a motion of all joints, through an arm at a port, as a recording",
    .purpose =
        "Follows a motion of yours, or one that `excite` designed, and records positions, speeds "
        "and currents of all joints into a session; `replay SESSION --out REC.csv` then gives the "
        "recording. Before anything moves the motion is held to the limits of the arm file, and of "
        "the controller, at all times, not at its samples only; one that is beyond them between "
        "two samples by a little is followed up to 1 % slower, which is said. Where the arm itself "
        "was measured beyond them, as it does not follow exactly, that is warned of. The arm goes "
        "to where the motion begins as slowly as in any dry run, joint after joint, then along it "
        "at a tenth of its speed, then as it is. A motion that takes a link into another one or "
        "into the table is refused where the arm file has capsules and table_z_m; the way to its "
        "beginning, and what else stands there, nobody knows: look where the motion goes.\n\n"
        "Ctrl-C, SIGTERM and a closed terminal hold the arm, wait for the controller's "
        "acknowledgement and disarm. When the program dies or hangs, the controller runs out of "
        "segments of the motion within 0.7 s, or its lease ends before, and it decelerates and "
        "holds by itself.",
    .example = "armature-cli record --arm data/robots/puma560-truth2.arm.json --port sim:truth2 "
               "--motion design/motion.csv --session motion.armsession\n"
               "follows a design of `excite` on a simulated PUMA 560.",
    .exits =
        "0 done, 2 usage (nothing has moved), 3 bad input, or --resume with another motion,\n"
        "4 the motion is beyond a limit, or does not begin and end at rest; nothing has moved,\n"
        "5 the controller: refused, lost, a fault, a current; the session is kept,\n"
        "130 interrupted: the arm holds and is disarmed.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
