/* SPDX-License-Identifier: MIT */
/* A session at work in a program without a screen: waits in the main loop, tells what happens (one
 * line for people on stderr, or one JSON object per line on stdout), and takes SIGINT, SIGTERM and
 * SIGHUP as the wish to halt the arm, disarm it and end. */
#ifndef ARMATURE_CLI_LIVE_H
#define ARMATURE_CLI_LIVE_H

#include "cli/cli.h"
#include "session/session.h"

typedef struct {
  AseSession *session;
  bool is_json, is_terminal;
  bool is_interrupted; /* by a signal, or nobody reads stdout any more */
  bool has_moved;      /* it was armed, and so may have */
  bool has_line;       /* a progress line stands on the terminal */
  gint64 told_us;      /* when progress was told last */
  bool is_over;        /* the result is told: nothing follows it */
  guint sources[4];
} CliLive;

/* Follows the session, which must outlive it, until cli_live_end. session NULL: none; then only
 * waiting and saying. */
void cli_live_begin(CliLive *live, AseSession *session, bool is_json);
void cli_live_end(CliLive *live);

/* Runs the main loop until is_met says so. false: interrupted, or the time is over.
 *   seconds  INFINITY: for ever */
bool cli_live_wait(CliLive *live, bool (*is_met)(void *data), void *data, double seconds);

/* The exit code, but for who was interrupted. */
int cli_live_code(const CliLive *live, int code);

/* The same after work that has kept the main loop waiting, and a signal with it. */
int cli_live_code_now(CliLive *live, int code);

/* Starts a step and waits for its end. true: it has passed; else the reason is printed (unless
 * interrupted). */
bool cli_live_step(CliLive *live, AseStep step);

/* Waits until a step that began by itself is over; the same result. */
bool cli_live_step_ends(CliLive *live, AseStep step);

/* Waits at most half a minute until an arm that falls or swings has come to rest, then arms it.
 * CLI_OK: armed. Else the exit code, the reason printed. */
int cli_live_arm(CliLive *live);
/* Halts if something moves, disarms, and waits for the acknowledgement, at most 3 s; interrupted or
 * not. */
void cli_live_disarm(CliLive *live);

/* What is done now, where no step of a calibration tells it: at most ten times a second, as a line
 * on a terminal or an event.
 *   key, title  "dry-run", "Dry run"
 *   part        0..1
 *   left_s      NAN: not known */
void cli_live_progress(CliLive *live, const char *key, const char *title, double part,
                       double left_s, const char *doing);

/* The leg that moves, for people; empty: none does. g_free. */
char *cli_live_leg_text(AseSession *session);

/* {"event": event, "number": number, key: value} when JSON; value is JSON. */
void cli_live_value(CliLive *live, const char *event, int number, const char *key,
                    const char *value);

/* {"event": "result", "exit": 0, "key": value, ..} when JSON; keys and values (JSON, may be NULL:
 * left out) in pairs up to a NULL key. */
void cli_live_result(CliLive *live, int code, ...) G_GNUC_NULL_TERMINATED;

/* A sentence for people; nothing when JSON. */
void cli_live_say(CliLive *live, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
