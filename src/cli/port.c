/* SPDX-License-Identifier: MIT */
/* One word for a device, a USB id or a simulator, so that every verb that needs a controller can be
 * tried without one. The simulator runs in a thread of this process at the other end of a socket:
 * what talks to it is the code that talks to a cable. */
#include "cli/port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/base/error.h"
#include "io/csv/csv_number.h"
#include "io/link/ports.h"
#include "io/registry/driver_registry.h"
#include "sim/loop.h"

enum { BAUD_MIN = 1200, BAUD_MAX = 12000000 }; /* USB controllers do not care */

struct CliPort {
  char *name;
  guint baud;
  char *path;          /* as the user wrote it; NULL: simulated */
  char *id, *usb_path; /* of the USB adapter behind it; NULL: none */
  AsimLoop *loop;      /* simulated */
};

const char cli_port_help[] =
    "The controller: a device path, the first column of `ports`, or sim:NAME[,speed=X][,seed=N] "
    "for a simulated arm (an arm file, or truth2, table1, stanford, scara ..); ,fault=NAME[=VALUE]"
    "[:joint=J][:at=S][:for=S] plants a fault of armature-sim in it.";
const char cli_baud_help[] = "Rate of a serial line. Default: the driver's, {rates}.";
const char cli_driver_help[] =
    "The language of the controller: {drivers}. Default: the one that the arm file names "
    "(x_armature_driver), else whichever is answered.";

/* ---- simulated ---- */

static int fail_word(const CliVerb *verb, const char *word) {
  return cli_usage(verb,
                   "--port: expected sim:NAME[,speed=1..1000][,seed=N][,storage=FILE]"
                   "[,fault=..], found \"sim:%s\"",
                   word);
}

enum { FAULTS_MAX = 8 };

/* What is wanted of a simulated arm. */
typedef struct {
  AsimOptions options;
  AsimFault faults[FAULTS_MAX];
  gsize n_faults;
} Wanted;

/* As of armature-sim, with ':' between its parts, since ',' ends a setting. */
static bool parse_fault(const char *word, Wanted *out, GError **error) {
  g_autofree char *text = g_strdelimit(g_strdup(word), ":", ',');
  if (out->n_faults == FAULTS_MAX)
    return false;
  if (!asim_fault_parse(&out->faults[out->n_faults], text, error))
    return false;
  out->n_faults++;
  return true;
}

/* false: `error` is not set where the word itself is wrong. */
static bool parse_setting(const char *word, Wanted *wanted, GError **error) {
  AsimOptions *out = &wanted->options;
  if (g_str_has_prefix(word, "fault="))
    return parse_fault(word + 6, wanted, error);
  if (g_str_has_prefix(word, "seed="))
    return g_ascii_string_to_unsigned(word + 5, 10, 0, G_MAXUINT64, &out->seed, NULL);
  if (g_str_has_prefix(word, "storage=") && word[8]) {
    out->storage = word + 8;
    return true;
  }
  return g_str_has_prefix(word, "speed=") &&
         aio_number_parse(word + 6, strlen(word + 6), '.', &out->time_factor) == AIO_NUMBER_OK &&
         out->time_factor >= 1.0 && out->time_factor <= 1000.0;
}

static bool plan_faults(AsimController *controller, const Wanted *wanted, GError **error) {
  for (gsize k = 0; k < wanted->n_faults; k++)
    if (!asim_controller_plan_fault(controller, &wanted->faults[k])) {
      g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                  "--port: fault %zu: the arm has no such joint", k + 1);
      return false;
    }
  return true;
}

static AsimController *make_controller(const char *arm, const Wanted *wanted, GError **error) {
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  g_autofree char *path = asim_truth_find(arm, error);
  g_autoptr(AsimController) controller = NULL;
  AsimOptions options = wanted->options;
  options.truth = truth;
  if (path && asim_truth_load(truth, path, options.seed, error))
    controller = asim_controller_new(&options, error);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
  const bool is_planned = controller && plan_faults(controller, wanted, error);
  return is_planned ? g_steal_pointer(&controller) : NULL;
}

static AioLink *start_simulator(CliPort *port, const char *arm, const Wanted *wanted,
                                GError **error) {
  int fd = -1;
  g_autoptr(AsimController) controller = make_controller(arm, wanted, error);
  if (!controller)
    return NULL;
  port->loop = asim_loop_start(controller, &fd, error);
  if (!port->loop)
    return NULL;
  g_steal_pointer(&controller); /* the loop has it */
  AioLink *link = aio_link_fd_new(fd, port->name, error);
  if (!link)
    close(fd);
  return link;
}

static int open_simulated(const CliVerb *verb, CliPort *port, const char *word, AioLink **link) {
  g_auto(GStrv) words = g_strsplit(word, ",", -1);
  Wanted wanted = {.options = {.seed = 1, .time_factor = 1.0, .line_room = ASIM_LINE_ROOM}};
  GError *error = NULL;
  if (!words[0] || !*words[0])
    return fail_word(verb, word);
  for (guint k = 1; words[k]; k++)
    if (!parse_setting(words[k], &wanted, &error)) {
      if (!error)
        return fail_word(verb, word);
      cli_fail(error);
      return CLI_USAGE;
    }
  *link = start_simulator(port, words[0], &wanted, &error);
  return *link ? CLI_OK : cli_fail(error);
}

/* ---- real ---- */

static void remember_usb(CliPort *port, const AioPort *found) {
  if (!found->is_usb)
    return;
  port->id = g_strdup(found->id);
  port->usb_path = g_strdup(found->usb_path);
}

/* A USB id, or a serial number alone when it is the only one. */
static const AioPort *find_by_id(const GPtrArray *ports, const char *word) {
  const AioPort *found = aio_ports_find(ports, word, NULL);
  guint count = 0;
  for (guint k = 0; k < ports->len && !found; k++)
    count += strcmp(((AioPort *)g_ptr_array_index(ports, k))->serial, word) == 0;
  for (guint k = 0; k < ports->len && !found && count == 1; k++)
    if (strcmp(((AioPort *)g_ptr_array_index(ports, k))->serial, word) == 0)
      found = g_ptr_array_index(ports, k);
  return found;
}

static const AioPort *find_by_path(const GPtrArray *ports, const char *path) {
  char *device = realpath(path, NULL);
  const AioPort *found = NULL;
  for (guint k = 0; k < ports->len && device && !found; k++)
    if (strcmp(((AioPort *)g_ptr_array_index(ports, k))->path, device) == 0)
      found = g_ptr_array_index(ports, k);
  free(device);
  return found;
}

static AioLink *open_device(CliPort *port, const char *word, GError **error) {
  g_autoptr(GPtrArray) ports = aio_ports_list();
  g_autofree char *there = aio_ports_text(ports);
  const bool is_path = g_file_test(word, G_FILE_TEST_EXISTS) || strchr(word, '/');
  const AioPort *found = is_path ? find_by_path(ports, word) : find_by_id(ports, word);
  if (!is_path && !found) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND,
                "--port %s: no port is called so; there are: %s", word, there);
    return NULL;
  }
  if (found)
    remember_usb(port, found);
  port->path = g_strdup(is_path ? word : found->path);
  return aio_link_open(port->path, port->baud, error);
}

AioLink *cli_port_reopen(void *ctx, GError **error) {
  CliPort *port = ctx;
  if (port->loop) {
    const int fd = asim_loop_connect(port->loop, error);
    return fd < 0 ? NULL : aio_link_fd_new(fd, port->name, error);
  }
  if (!port->id)
    return aio_link_open(port->path, port->baud, error);
  g_autoptr(GPtrArray) ports = aio_ports_list();
  const AioPort *found = aio_ports_find(ports, port->id, port->usb_path);
  if (found)
    return aio_link_open(found->path, port->baud, error);
  aio_ports_set_missing(error, port->id);
  return NULL;
}

/* ---- both ---- */

static int choose_rate(const CliVerb *verb, const CliDriver *driver, guint *rate) {
  g_autoptr(GError) error = NULL;
  AioDriverContext context;
  const AioDriverClass *klass;
  if (aio_driver_context_of(&context, driver->arm, &error) &&
      aio_driver_choose(driver->name, &context, &klass, &error)) {
    *rate = isnan(driver->baud) ? aio_driver_baud(klass) : (guint)CLAMP(driver->baud, 0, BAUD_MAX);
    return CLI_OK;
  }
  if (!driver->name || !g_error_matches(error, AIO_ERROR, AIO_ERROR_NOT_FOUND))
    return cli_fail(g_steal_pointer(&error));
  cli_usage(verb, "--%s", error->message);
  return CLI_USAGE;
}

int cli_port_open(const CliVerb *verb, const char *word, const CliDriver *driver, CliPort **out,
                  AioLink **link) {
  guint rate = 0;
  const double baud = driver->baud;
  int code = cli_may_print() ? choose_rate(verb, driver, &rate) : CLI_BAD_INPUT;
  if (code != CLI_OK)
    return code;
  CliPort *port = g_new0(CliPort, 1);
  GError *error = NULL;
  port->name = g_strdup(word);
  port->baud = rate;
  if (!isnan(baud) && (!(baud >= BAUD_MIN && baud <= BAUD_MAX) || baud != floor(baud))) {
    code = cli_usage(verb, "--baud: expected a whole number in %d..%d, found %g", BAUD_MIN,
                     BAUD_MAX, baud);
  } else if (g_str_has_prefix(word, "sim:")) {
    code = open_simulated(verb, port, word + 4, link);
  } else if (!(*link = open_device(port, word, &error))) {
    cli_fail(error);
    code = CLI_DEVICE;
  }
  *out = code == CLI_OK ? port : NULL;
  if (code != CLI_OK)
    cli_port_close(port);
  return code;
}

void cli_port_close(CliPort *port) {
  if (!port)
    return;
  asim_loop_stop(port->loop);
  g_free(port->name);
  g_free(port->path);
  g_free(port->id);
  g_free(port->usb_path);
  g_free(port);
}

const char *cli_port_name(const CliPort *port) {
  return port->name;
}
