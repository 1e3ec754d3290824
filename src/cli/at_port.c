/* SPDX-License-Identifier: MIT */
/* From a port to an arm that may move: everything that can fail without an arm comes first. */
#include "cli/at_port.h"

#include <glib-unix.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/text.h"
#include "io/base/file.h"
#include "io/base/said.h"
#include "session/check.h"

enum { CLEAR_S = 3 };

bool cli_at_port_is_real(const CliAtPort *at) {
  return !g_str_has_prefix(at->port, "sim:");
}

int cli_at_port_check_rate(const CliAtPort *at, const CliVerb *verb) {
  g_autofree char *said = isnan(at->rate) ? NULL : ase_check_rate_said(at->rate);
  g_autofree char *text = aio_said_text(said);
  return said ? cli_usage(verb, "--rate: %s", text) : CLI_OK;
}

/* ---- the session ---- */

static AseSession *create(const CliAtPort *at) {
  enum { ARM_BYTES_MAX = 1 << 24 };
  GError *error = NULL;
  gsize length;
  g_autofree char *text = aio_file_read_all(at->arm, ARM_BYTES_MAX, &length, &error);
  AseSession *session = NULL;
  if (text && strlen(text) != length)
    g_set_error(&error, AIO_ERROR, AIO_ERROR_SYNTAX, "%s: expected text, found a zero byte",
                at->arm);
  else if (text)
    session = ase_session_create(at->session, ARMATURE_PROGRAM, at->arm, text, &error);
  if (!session)
    cli_fail(error);
  return session;
}

static AseSession *resume(const CliAtPort *at) {
  GError *error = NULL;
  g_autofree char *kept = NULL;
  AseSession *session = ase_session_open(at->session, ARMATURE_PROGRAM, &kept, &error);
  if (session)
    cli_note("%s: %s", at->session, kept);
  else
    cli_fail(error);
  return session;
}

AseSession *cli_at_port_session(const CliAtPort *at) {
  return at->resume ? resume(at) : create(at);
}

/* ---- leave to move ---- */

typedef struct {
  char text[256];
  bool has_line;
} Answer;

static gboolean on_stdin(gint fd, GIOCondition condition, gpointer data) {
  Answer *answer = data;
  (void)condition;
  const gssize n = read(fd, answer->text, sizeof answer->text - 1);
  answer->text[MAX(n, 0)] = 0;
  answer->has_line = true;
  return G_SOURCE_REMOVE;
}

static bool has_answer(void *data) {
  return ((Answer *)data)->has_line;
}

/* On a terminal the name is typed, whatever --confirm says. */
int cli_at_port_confirm(const CliAtPort *at, CliLive *live, CliPlanFunc print_plan,
                        const char *what) {
  const char *name = ase_session_arm(live->session)->name;
  Answer answer = {.has_line = false};
  if (!cli_at_port_is_real(at) || (at->needs_no_name && !at->confirm && !isatty(STDIN_FILENO)))
    return CLI_OK;
  if (!isatty(STDIN_FILENO)) {
    g_strlcpy(answer.text, at->confirm ? at->confirm : "", sizeof answer.text);
  } else {
    g_autofree char *shown = cli_name(name);
    print_plan(stderr, live->session);
    tcflush(STDIN_FILENO, TCIFLUSH); /* who has not seen the plan has not agreed to it */
    fprintf(stderr, "%s. Ctrl-C holds it at any time.\nType its name (%s) to let it move: ", what,
            shown);
    const guint source = g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP, on_stdin, &answer);
    if (!cli_live_wait(live, has_answer, &answer, (double)INFINITY)) {
      g_source_remove(source);
      return CLI_INTERRUPTED;
    }
    g_strstrip(answer.text);
  }
  if (strcmp(answer.text, name) == 0)
    return CLI_OK;
  if (live->has_moved) {
    cli_error("not confirmed: the motion was not followed");
    return CLI_INTERRUPTED;
  }
  cli_error("not confirmed: nothing has moved%s",
            isatty(STDIN_FILENO) ? "" : "; without a terminal --confirm states the arm's name");
  return CLI_USAGE;
}

/* ---- the connection ---- */

static bool is_clear(void *data) {
  return ase_device_state(data)->faults == 0;
}

static int check_arm(const CliAtPort *at, CliLive *live) {
  AseDevice *device = ase_session_device(live->session);
  if (at->clear_faults && !is_clear(device)) {
    const double wait_s = ase_device_clear_wait_s(device);
    if (wait_s > 0.0)
      cli_live_say(live,
                   "the lock-out after the fault lasts another %.1f s: waiting, then clearing",
                   wait_s);
    ase_device_clear_faults(device);
    if (cli_live_wait(live, is_clear, device, CLEAR_S + wait_s) && !live->is_interrupted)
      return cli_live_step(live, ASE_STEP_CHECK) ? CLI_OK : cli_live_code(live, CLI_DEVICE);
  }
  if (cli_live_step_ends(live, ASE_STEP_CHECK))
    return CLI_OK;
  if (!at->clear_faults && !live->is_interrupted && !is_clear(device))
    cli_note("--clear-faults clears what is latched, once its cause is removed");
  return cli_live_code(live, CLI_DEVICE);
}

int cli_at_port_connect(const CliAtPort *at, CliLive *live, CliPort *port, AioLink *link) {
  AseDeviceOptions device;
  GError *error = NULL;
  ase_device_options_default(&device);
  device.reopen = cli_port_reopen;
  device.reopen_ctx = port;
  device.driver = at->driver;
  if (!isnan(at->rate))
    device.telemetry_hz = at->rate;
  if (at->capture && !(device.capture = aio_capture_new(at->capture, &error))) {
    aio_link_close(link);
    return cli_fail(error);
  }
  if (!ase_session_connect(live->session, link, &device, &error)) {
    aio_link_close(link);
    cli_fail(error);
    return CLI_DEVICE;
  }
  if (!cli_live_step_ends(live, ASE_STEP_CONNECT) || !cli_live_step_ends(live, ASE_STEP_DESCRIBE))
    return cli_live_code(live, CLI_DEVICE);
  return check_arm(at, live);
}

AioArm *cli_at_port_arm(const CliAtPort *at, GError **error) {
  if (!at->resume)
    return aio_arm_load(at->arm, error);
  AioStore *store = aio_store_open_read(at->session, error);
  g_autofree char *text = store ? aio_store_get_text(store, AIO_STORE_ARM, error) : NULL;
  aio_store_close(store, NULL);
  return text ? aio_arm_load_stored(at->session, text, strlen(text), error) : NULL;
}

int cli_at_port_open(const CliAtPort *at, const CliVerb *verb, CliPort **port, AioLink **link) {
  if (!cli_may_write_with(at->session, at->capture, true)) /* that it is new is seen later */
    return CLI_BAD_INPUT;
  g_autoptr(AioArm) arm = at->driver ? NULL : cli_at_port_arm(at, NULL);
  const CliDriver driver = {at->driver, arm, at->baud};
  return cli_port_open(verb, at->port, &driver, port, link);
}
