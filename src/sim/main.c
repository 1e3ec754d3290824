/* SPDX-License-Identifier: MIT */
/* armature-sim: a simulated arm controller on a pseudo-terminal. */
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/base/safe_text.h"
#include "io/base/standard.h"
#include "io/csv/csv_number.h"
#include "sim/loop.h"
#include "sim/pty.h"

enum { OK = 0, USAGE = 2, BAD_INPUT = 3, DEVICE = 5, INTERRUPTED = 130 };

typedef struct {
  char *arm, *seed_text, *speed_text, *storage, *link, *limit_text;
  char **faults;
  gboolean wants_rate, wants_version;
  guint64 seed;
  double speed, limit_s;
} Options;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

static int fail(int code, GError *error) {
  char *shown = aio_text_visible(error ? error->message : "unknown", true);
  fprintf(stderr, "armature-sim: error: %s\n", shown);
  g_free(shown);
  g_clear_error(&error);
  if (code == USAGE)
    fprintf(stderr, "Try 'armature-sim --help'.\n");
  return code;
}

/* ---- options ---- */

static const char summary[] =
    "A simulated robot arm with its controller, speaking Armature's native protocol on a\n"
    "pseudo-terminal, whose path is printed on standard output.";

static const char description[] =
    "An arm is an arm file with links, or the name of one that is installed: table1 (PUMA 560\n"
    "with Table I of Lin 1994), truth2 (PUMA 560 with rigid bodies, friction with break-away,\n"
    "coupled wrist), stanford, scara, planar2r, puma560, ur10e. Default: truth2.\n"
    "\n"
    "A fault is NAME[=VALUE][,joint=J][,at=S][,for=S], in seconds of device time; without\n"
    "\"for\" it lasts, without \"joint\" it is every joint's:\n"
    "  bit-errors=N        wrong bytes per million sent\n"
    "  drop-frames=N       frames lost per million sent\n"
    "  late-frames=N       delay in us\n"
    "  stall               the joint cannot move\n"
    "  over-current=N      mA added to what is measured\n"
    "  over-temperature=N  what is measured, in 0.01 degree Celsius\n"
    "  estop-open          the emergency stop chain is open\n"
    "  unplug              the line is closed, and opened again afterwards\n"
    "  reboot[=CAUSE]      restart; reset cause of the protocol, default 4 (software)\n"
    "  brown-out[=N]       power fails after N bytes and erases of storage, default 0\n"
    "  freeze[=WHAT]       telemetry repeats 1 position, 2 speed, 4 current, or their sum, 7\n"
    "  payload=N           g hung on the last link\n"
    "  creep=N             urad/s or um/s at which a joint leaves where it is to stand still\n"
    "\n"
    "An arm that was armed holds by itself when the host falls silent for as long as the lease,\n"
    "in wall time at any speed. armature and armature-cli ask for 2 s of a simulated arm, for\n"
    "300 ms of a real one. There is no option for it: the host that arms asks, 50 to 2000 ms.\n"
    "\n"
    "Example:\n"
    "  armature-sim --arm table1 --speed 10 --fault stall,joint=2,at=30,for=1\n"
    "\n"
    "Exit status:\n"
    "  0 done (--time-limit), 2 usage, 3 bad input, 5 no pseudo-terminal\n"
    "  or no link to it, 130 interrupted.\n";

static bool parse_real(const char *text, const char *option, double low, double high, double *out,
                       GError **error) {
  double number;
  if (!text)
    return true;
  if (aio_number_parse(text, strlen(text), '.', &number) != AIO_NUMBER_OK || number < low ||
      number > high) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "%s: expected a number in %.0f..%.0f, found \"%s\"", option, low, high, text);
    return false;
  }
  *out = number;
  return true;
}

static bool parse_values(Options *o, GError **error) {
  if (!parse_real(o->speed_text, "--speed", 1.0, 1000.0, &o->speed, error) ||
      !parse_real(o->limit_text, "--time-limit", 0.0, 1e9, &o->limit_s, error))
    return false;
  if (!o->seed_text || g_ascii_string_to_unsigned(o->seed_text, 10, 0, G_MAXUINT64, &o->seed, NULL))
    return true;
  g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
              "--seed: expected a whole number that is not negative, found \"%s\"", o->seed_text);
  return false;
}

static bool parse_options(Options *o, int *argc, char ***argv, GError **error) {
  const GOptionEntry entries[] = {
      {"arm", 0, 0, G_OPTION_ARG_STRING, &o->arm, "Arm file or name of an arm", "FILE|NAME"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &o->seed_text, "Of noise and bit errors (1)", "N"},
      {"speed", 0, 0, G_OPTION_ARG_STRING, &o->speed_text,
       "Device time per wall time, 1 to 1000 (1)", "X"},
      {"rate", 0, 0, G_OPTION_ARG_NONE, &o->wants_rate,
       "Say at the end how fast time passed and what it cost", NULL},
      {"storage", 0, 0, G_OPTION_ARG_FILENAME, &o->storage,
       "Parameters and boot count survive in this file", "FILE"},
      {"fault", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->faults, "Plant a fault; may be repeated",
       "SPEC"},
      {"link", 0, 0, G_OPTION_ARG_FILENAME, &o->link,
       "Keep a symbolic link to the pseudo-terminal here", "PATH"},
      {"time-limit", 0, 0, G_OPTION_ARG_STRING, &o->limit_text, "End after this wall time", "S"},
      {"version", 0, 0, G_OPTION_ARG_NONE, &o->wants_version, "Version of this program", NULL},
      G_OPTION_ENTRY_NULL};
  GOptionContext *context = g_option_context_new(NULL);
  g_option_context_set_summary(context, summary);
  g_option_context_set_description(context, description);
  g_option_context_add_main_entries(context, entries, NULL);
  bool is_parsed = g_option_context_parse(context, argc, argv, error);
  g_option_context_free(context);
  if (is_parsed && *argc > 1) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING, "unexpected argument \"%s\"", (*argv)[1]);
    is_parsed = false;
  }
  return is_parsed && parse_values(o, error);
}

static void free_options(Options *o) {
  g_free(o->arm);
  g_free(o->seed_text);
  g_free(o->speed_text);
  g_free(o->storage);
  g_free(o->link);
  g_free(o->limit_text);
  g_strfreev(o->faults);
}

/* ---- running ---- */

typedef struct {
  AsimPty pty;
  gint64 end_us; /* monotonic, G_MAXINT64: none */
} Host;

static int plug(void *ctx, int fd) {
  return fd >= 0 ? fd : asim_pty_plug(&((Host *)ctx)->pty);
}

static void unplug(void *ctx, int fd) {
  asim_pty_unplug(&((Host *)ctx)->pty, fd);
}

static bool should_stop(void *ctx) {
  const Host *host = ctx;
  return is_interrupted || host->pty.has_failed || g_get_monotonic_time() >= host->end_us;
}

static void print_rate(const AsimLoopReport *report) {
  const double cpu_s = (double)clock() / CLOCKS_PER_SEC;
  fprintf(stderr,
          "armature-sim: %.3f s of device time in %.3f s: %.2f times real time; %.3f s slipped; "
          "%.1f %% of one processor\n",
          report->device_s, report->wall_s, report->device_s / report->wall_s, report->slipped_s,
          100.0 * cpu_s / report->wall_s);
}

static int run(AsimController *controller, const Options *o) {
  Host host = {.pty = {.slave = -1, .link = o->link}, .end_us = G_MAXINT64};
  const AsimCable cable = {plug, unplug, should_stop, &host};
  AsimLoopReport report;
  if (isfinite(o->limit_s))
    host.end_us = g_get_monotonic_time() + (gint64)(o->limit_s * 1e6);
  asim_loop_run(controller, &cable, &report);
  if (o->wants_rate)
    print_rate(&report);
  return host.pty.has_failed ? DEVICE : is_interrupted ? INTERRUPTED : OK;
}

static bool plan_faults(AsimController *controller, const Options *o, GError **error) {
  for (gsize k = 0; o->faults && o->faults[k]; k++) {
    AsimFault fault;
    if (!asim_fault_parse(&fault, o->faults[k], error))
      return false;
    if (!asim_controller_plan_fault(controller, &fault)) {
      g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                  "--fault %s: the arm has no such joint, or there are too many faults",
                  o->faults[k]);
      return false;
    }
  }
  return true;
}

static AsimController *make_controller(const Options *o, GError **error) {
  AsimTruth *truth = g_new0(AsimTruth, 1);
  char *path = asim_truth_find(o->arm ? o->arm : "truth2", error);
  AsimController *controller = NULL;
  if (path && asim_truth_load(truth, path, o->seed, error)) {
    const AsimOptions options = {.truth = truth,
                                 .seed = o->seed,
                                 .time_factor = o->speed,
                                 .storage = o->storage,
                                 .line_room = ASIM_LINE_ROOM};
    controller = asim_controller_new(&options, error);
    if (controller)
      fprintf(stderr, "armature-sim: %s, %d joints, %g times real time\n", truth->name,
              (int)truth->plant.model.n, o->speed);
  }
  g_free(path);
  g_free(truth);
  return controller;
}

static int simulate(const Options *o) {
  GError *error = NULL;
  if (o->link && !asim_pty_may_link(o->link)) {
    g_set_error(&error, AIO_ERROR, AIO_ERROR_EXISTS,
                "%s: exists and is not a link to a pseudo-terminal", o->link);
    return fail(BAD_INPUT, error);
  }
  AsimController *controller = make_controller(o, &error);
  if (!controller)
    return fail(BAD_INPUT, error);
  const int code = plan_faults(controller, o, &error) ? run(controller, o) : fail(USAGE, error);
  asim_controller_free(controller);
  return code;
}

int main(int argc, char **argv) {
  const struct sigaction action = {.sa_handler = interrupt};
  Options options = {.seed = 1, .speed = 1.0, .limit_s = INFINITY};
  GError *error = NULL;
  int code = OK;
  aio_standard_fill();
  setlocale(LC_ALL, "C");
  setlocale(LC_CTYPE, "");
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its own */
  if (!parse_options(&options, &argc, &argv, &error))
    code = fail(USAGE, error);
  else if (options.wants_version)
    printf("%s\n", ARMATURE_PROGRAM);
  else
    code = simulate(&options);
  free_options(&options);
  return code;
}
