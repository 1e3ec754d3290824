/* SPDX-License-Identifier: MIT */
/* Waiting without a screen: the main loop runs in slices until a condition holds, and a signal is a
 * wish that is looked at between them, so that Ctrl-C halts the arm and hears the acknowledgement
 * instead of ending the process that the arm hangs on. */
#include "cli/live.h"

#include <errno.h>
#include <glib-unix.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/reader.h"
#include "cli/text.h"
#include "io/base/safe_text.h"
#include "io/json/json_write.h"
#include "session/recording.h"

enum { TICK_MS = 50, PROGRESS_US = 100000, ARM_S = 5, DISARM_S = 3, REST_S = 30 };

/* An arm that could move hangs on this loop: a lease of 300 ms is renewed by it. */
enum { READER_MS = 5000, READER_ARMED_MS = 100 };

/* ---- telling ---- */

static void end_line(CliLive *live) {
  if (live->has_line)
    cli_reader_print(stderr, "\n");
  live->has_line = false;
}

/* Whoever follows the arm by its events does not any more. */
static void stop_unread(CliLive *live, int reason) {
  if (!live->is_interrupted && reason != ETIMEDOUT) /* that is said when the arm is at rest */
    cli_error("standard output: %s: what goes on cannot be told any more; ending, as with Ctrl-C",
              reason ? g_strerror(reason) : "the output failed");
  live->is_interrupted = true;
}

/* Objects are written over several lines; no line end stands inside a string of JSON. */
static void put_line(CliLive *live, GString *json) {
  for (char *p = json->str; *p; p++)
    if (*p == '\n')
      *p = ' ';
  g_strchomp(json->str);
  g_autofree char *visible = aio_text_visible(json->str, false);
  g_autofree char *line = g_strconcat(visible, "\n", NULL);
  if (!live->is_over && !cli_reader_write(stdout, line, strlen(line)))
    stop_unread(live, errno);
  g_string_free(json, TRUE);
}

static AioJsonWriter *begin_event(GString *json, const char *event) {
  AioJsonWriter *w = aio_json_writer_new(json);
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "event", event);
  return w;
}

static void end_event(CliLive *live, AioJsonWriter *w, GString *json) {
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  put_line(live, json);
}

void cli_live_say(CliLive *live, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  end_line(live);
  if (!live->is_json)
    cli_note("%s", text);
}

static void on_message(AseSession *session, int level, const char *text, CliLive *live) {
  (void)session;
  end_line(live);
  if (live->is_json) {
    GString *json = g_string_new(NULL);
    AioJsonWriter *w = begin_event(json, "message");
    aio_json_put_int(w, "level", level);
    aio_json_put_string(w, "text", text);
    end_event(live, w, json);
  }
  if (level == 2) {
    cli_error("%s", text);
  } else if (level == 1) {
    cli_warning("%s", text);
  } else {
    cli_live_say(live, "%s", text);
  }
}

static void on_step(AseSession *session, guint step, CliLive *live) {
  const AseProcedure *procedure = ase_session_procedure(session);
  const AseStepState state = ase_procedure_state(procedure, (AseStep)step);
  const char *reason = ase_step_reason(&procedure->steps[step]);
  if (live->is_json) {
    GString *json = g_string_new(NULL);
    AioJsonWriter *w = begin_event(json, "step");
    aio_json_put_string(w, "step", ase_steps_key(procedure->table, step));
    aio_json_put_string(w, "state", ase_state_key(state));
    aio_json_put_string(w, "reason", reason);
    end_event(live, w, json);
  } else if (state == ASE_STATE_PASSED) {
    cli_live_say(live, "%s: passed%s%s", ase_steps_title(procedure->table, step),
                 *reason ? ", " : "", reason);
  } else if (state == ASE_STATE_UNJUDGED) {
    cli_live_say(live, "%s: %s", ase_steps_title(procedure->table, step), reason);
  }
}

char *cli_live_leg_text(AseSession *session) {
  const AseItinerary *itinerary = ase_session_itinerary(session);
  const guint leg = ase_session_leg(session);
  if (!itinerary || leg >= itinerary->legs->len)
    return g_strdup("");
  return ase_leg_text(&ase_session_arm(session)->model,
                      &g_array_index(itinerary->legs, AseLeg, leg));
}

static void progress_json(CliLive *live, const char *key, double part, double left_s,
                          const char *leg) {
  GString *json = g_string_new(NULL);
  AioJsonWriter *w = begin_event(json, "progress");
  aio_json_put_string(w, "step", key);
  aio_json_put_number(w, "part", part);
  aio_json_put_number(w, "left_s", left_s);
  aio_json_put_string(w, "doing", *leg ? leg : NULL);
  end_event(live, w, json);
}

/* One line, cut to the width of a table. */
static void progress_line(CliLive *live, const char *title, double part, double left_s,
                          const char *leg) {
  g_autofree char *left =
      isnan(left_s) ? g_strdup("")
                    : g_strdup_printf(", %d:%02d left", (int)left_s / 60, (int)left_s % 60);
  g_autofree char *line =
      g_strdup_printf("%s %3.0f %%%s%s%s", title, floor(100.0 * part), left, *leg ? ": " : "", leg);
  g_autofree char *visible = aio_text_visible(line, false);
  g_autofree char *shown = g_utf8_substring(visible, 0, MIN(g_utf8_strlen(visible, -1), CLI_WIDTH));
  cli_reader_print(stderr, "\r%s\033[K", shown);
  live->has_line = true;
}

void cli_live_progress(CliLive *live, const char *key, const char *title, double part,
                       double left_s, const char *doing) {
  const gint64 now = g_get_monotonic_time();
  if ((!live->is_json && !live->is_terminal) || now < live->told_us + PROGRESS_US)
    return;
  live->told_us = now;
  if (live->is_json)
    progress_json(live, key, part, left_s, doing);
  else
    progress_line(live, title, part, left_s, doing);
}

static void on_progress(AseSession *session, guint step, double part, double left_s,
                        CliLive *live) {
  if (step >= ASE_STEPS) /* somebody's motion: told by its clock, which is asked more often */
    return;
  const AseSteps *table = ase_session_procedure(session)->table;
  g_autofree char *leg = ase_step_moves(step) ? cli_live_leg_text(session) : g_strdup("");
  cli_live_progress(live, ase_steps_key(table, step), ase_steps_title(table, step), part, left_s,
                    leg);
}

void cli_live_value(CliLive *live, const char *event, int number, const char *key,
                    const char *value) {
  if (!live->is_json)
    return;
  GString *json = g_string_new(NULL);
  AioJsonWriter *w = begin_event(json, event);
  aio_json_put_int(w, "number", number);
  aio_json_write_key(w, key);
  aio_json_write_raw(w, value);
  end_event(live, w, json);
}

void cli_live_result(CliLive *live, int code, ...) {
  if (!live->is_json)
    return;
  va_list pairs;
  GString *json = g_string_new(NULL);
  AioJsonWriter *w = begin_event(json, "result");
  aio_json_put_int(w, "exit", code);
  va_start(pairs, code);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, two lines above */
  for (const char *key; (key = va_arg(pairs, const char *));) {
    const char *value = va_arg(pairs, const char *);
    if (value) {
      aio_json_write_key(w, key);
      aio_json_write_raw(w, value);
    }
  }
  va_end(pairs);
  end_event(live, w, json);
  live->is_over = true;
}

/* ---- the loop ---- */

static gboolean on_signal(gpointer data) {
  ((CliLive *)data)->is_interrupted = true;
  return G_SOURCE_CONTINUE;
}

/* A stderr that nobody reads is told by nothing else. */
static gboolean on_tick(gpointer data) {
  CliLive *live = data;
  live->is_interrupted |= cli_reader_was_stuck();
  return G_SOURCE_CONTINUE;
}

static void set_patience(AseDevice *device) {
  const bool could_move =
      ase_device_is_armed(device) || ase_device_state(device)->motion != AIO_MOTION_NONE;
  cli_reader_set_patience(could_move ? READER_ARMED_MS : READER_MS);
}

void cli_live_begin(CliLive *live, AseSession *session, bool is_json) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  *live = (CliLive){
      .session = session, .is_json = is_json, .is_terminal = !is_json && isatty(STDERR_FILENO)};
  for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
    live->sources[k] = g_unix_signal_add(numbers[k], on_signal, live);
  live->sources[3] = g_timeout_add(TICK_MS, on_tick, live);
  signal(SIGPIPE, SIG_IGN);
  if (!session)
    return;
  g_signal_connect(ase_session_device(session), "changed", G_CALLBACK(set_patience), NULL);
  set_patience(ase_session_device(session));
  g_signal_connect(session, "message", G_CALLBACK(on_message), live);
  g_signal_connect(session, "step-changed", G_CALLBACK(on_step), live);
  g_signal_connect(session, "progress", G_CALLBACK(on_progress), live);
}

void cli_live_end(CliLive *live) {
  end_line(live);
  if (live->session)
    g_signal_handlers_disconnect_by_func(ase_session_device(live->session), set_patience, NULL);
  cli_reader_set_patience(READER_MS);
  if (cli_reader_was_stuck())
    cli_error("nobody read standard output or standard error any more: ended, as with Ctrl-C");
  if (live->session)
    g_signal_handlers_disconnect_by_data(live->session, live);
  for (gsize k = 0; k < G_N_ELEMENTS(live->sources); k++)
    g_source_remove(live->sources[k]);
}

static bool wait_until(CliLive *live, bool (*is_met)(void *data), void *data, double seconds,
                       bool may_interrupt) {
  const gint64 begin = g_get_monotonic_time();
  while (!is_met(data)) {
    if ((may_interrupt && live->is_interrupted) ||
        1e-6 * (double)(g_get_monotonic_time() - begin) > seconds)
      return false;
    g_main_context_iteration(NULL, TRUE);
  }
  return true;
}

int cli_live_code(const CliLive *live, int code) {
  return live->is_interrupted ? CLI_INTERRUPTED : code;
}

int cli_live_code_now(CliLive *live, int code) {
  while (!live->is_interrupted && g_main_context_iteration(NULL, FALSE))
    continue;
  return cli_live_code(live, code);
}

bool cli_live_wait(CliLive *live, bool (*is_met)(void *data), void *data, double seconds) {
  return wait_until(live, is_met, data, seconds, true);
}

/* ---- steps ---- */

typedef struct {
  AseSession *session;
  AseStep step;
} Ending;

static bool has_ended(void *data) {
  const Ending *ending = data;
  const AseStepState state =
      ase_procedure_state(ase_session_procedure(ending->session), ending->step);
  return ase_state_is_done(state) || state == ASE_STATE_FAILED;
}

/* A step that was started runs at once, and may become stale while it does. */
static bool does_not_run(void *data) {
  const Ending *ending = data;
  return ase_procedure_state(ase_session_procedure(ending->session), ending->step) !=
         ASE_STATE_RUNNING;
}

static bool end_step(CliLive *live, AseStep step, bool (*is_over)(void *data)) {
  Ending ending = {live->session, step};
  if (!cli_live_wait(live, is_over, &ending, (double)INFINITY))
    return false;
  const AseProcedure *procedure = ase_session_procedure(live->session);
  const char *reason = ase_step_reason(&procedure->steps[step]);
  if (ase_state_is_done(ase_procedure_state(procedure, step)))
    return true;
  end_line(live);
  if (ase_procedure_state(procedure, ASE_STEP_PLAN) == ASE_STATE_RUNNING)
    return false; /* of itself: SWEEP goes on with another plan, and said so */
  if (!ase_session_has_told(live->session, step))
    cli_error("%s: %s", ase_steps_title(procedure->table, step), reason);
  return false;
}

bool cli_live_step_ends(CliLive *live, AseStep step) {
  return end_step(live, step, has_ended);
}

bool cli_live_step(CliLive *live, AseStep step) {
  GError *error = NULL;
  if (live->is_interrupted)
    return false;
  if (ase_session_start(live->session, step, &error))
    return end_step(live, step, does_not_run);
  end_line(live);
  cli_fail(error);
  return false;
}

/* ---- arming ---- */

static bool is_armed_or_refused(void *data) {
  AseDevice *device = data;
  return ase_device_is_armed(device) || *ase_device_reason(device) ||
         ase_device_link(device) != ASE_LINK_READY;
}

static bool stands_still(void *data) {
  return !ase_device_moving_joint(data);
}

int cli_live_arm(CliLive *live) {
  AseDevice *device = ase_session_device(live->session);
  GError *error = NULL;
  if (!stands_still(device)) {
    cli_live_say(live, "joint %u moves though its drive is off: waiting until the arm stands still",
                 ase_device_moving_joint(device));
    cli_live_wait(live, stands_still, device, REST_S);
    if (live->is_interrupted)
      return CLI_INTERRUPTED;
  }
  if (!ase_session_begin_arming(live->session, &error)) {
    cli_fail(error);
    return CLI_DEVICE;
  }
  const bool is_answered = cli_live_wait(live, is_armed_or_refused, device, ARM_S);
  if (live->is_interrupted)
    return CLI_INTERRUPTED;
  live->has_moved |= ase_device_is_armed(device);
  if (ase_device_is_armed(device))
    return CLI_OK;
  cli_error("the arm is not armed: %s", is_answered ? ase_device_reason(device) : "no answer");
  return CLI_DEVICE;
}

static bool is_at_rest(void *data) {
  AseDevice *device = data;
  const AioState *state = ase_device_state(device);
  return ase_device_link(device) != ASE_LINK_READY ||
         (state->state != AIO_DEVICE_ARMED && state->motion == AIO_MOTION_NONE);
}

/* The controller says that it is disarmed before the last samples of the leg are here; only with
 * them the run ends, and its outcome is in the file. */
static bool has_ended_moving(void *data) {
  AseSession *session = data;
  const AseProcedure *procedure = ase_session_procedure(session);
  return is_at_rest(ase_session_device(session)) &&
         ase_procedure_state(procedure, ASE_STEP_DRY_RUN) != ASE_STATE_RUNNING &&
         ase_procedure_state(procedure, ASE_STEP_SWEEP) != ASE_STATE_RUNNING &&
         ase_session_record_state(session)->state != ASE_STATE_RUNNING;
}

void cli_live_disarm(CliLive *live) {
  AseDevice *device = ase_session_device(live->session);
  if (has_ended_moving(live->session))
    return;
  if (!is_at_rest(device) && ase_device_state(device)->motion != AIO_MOTION_NONE)
    ase_device_halt(device);
  else if (!is_at_rest(device))
    ase_device_disarm(device);
  if (wait_until(live, has_ended_moving, live->session, DISARM_S, false) || is_at_rest(device))
    return;
  if (!(ase_device_last_capabilities(device) & AIO_CAN_LEASE))
    cli_warning("the controller has not said that it holds, and does not do so by itself: switch "
                "the drives off by hand");
  else
    cli_warning("the controller has not said that it holds; it does so by itself when the lease "
                "ends, within %.1f s",
                1e-3 * ase_device_lease_ms(device));
}
