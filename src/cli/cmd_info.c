/* SPDX-License-Identifier: MIT */
/* `info`: asks a controller who it is and listens for a second; nothing moves. */
#include <math.h>

#include "cli/info_report.h"
#include "io/acquire/acquire.h"
#include "io/base/said.h"
#include "io/registry/driver_registry.h"

enum { ANSWER_MS = 10000, LISTEN_US = 1000000 };
#define RATE_HZ 100.0

typedef struct {
  const char *port, *driver;
  double baud;
  bool json, params;
} Args;

static const CliOption options[] = {
    {"port", CLI_TEXT, true, offsetof(Args, port), "PORT", cli_port_help},
    {"baud", CLI_NUMBER, false, offsetof(Args, baud), "N", cli_baud_help},
    {"driver", CLI_TEXT, false, offsetof(Args, driver), "NAME", cli_driver_help},
    {"params", CLI_FLAG, false, offsetof(Args, params), NULL, "Also list its parameters."},
    {"json", CLI_FLAG, false, offsetof(Args, json), NULL, "JSON instead of tables."},
};

/* The answer, aio_reply_free; NULL: refused or none, the reason is printed. */
static AioReply *ask(AioAcquirer *acquirer, const CliPort *port, const AioCommand *command) {
  g_autoptr(AioReply) reply = NULL;
  const guint64 ticket = aio_acquirer_send(acquirer, command, NULL, NULL);
  if (aio_acquirer_wait(acquirer, ticket, ANSWER_MS, &reply) && reply->code == 0)
    return g_steal_pointer(&reply);
  g_autofree char *line = reply ? aio_said_line(reply->message) : g_strdup("no answer");
  cli_error("%s: %s", cli_port_name(port), line);
  return NULL;
}

static bool listen_a_second(AioAcquirer *acquirer, CliInfo *info) {
  const AioCommand start = {.kind = AIO_COMMAND_TELEMETRY, .telemetry = {.hz = RATE_HZ}};
  const AioCommand stop = {.kind = AIO_COMMAND_TELEMETRY};
  g_autoptr(AioReply) started = ask(acquirer, info->port, &start);
  if (!started)
    return false;
  info->rate_wanted = started->telemetry_hz * info->description->time_factor;
  const gint64 begin_us = g_get_monotonic_time();
  AioStatistics before, *after = &info->statistics;
  aio_acquirer_statistics(acquirer, &before);
  g_usleep(LISTEN_US);
  aio_acquirer_statistics(acquirer, after);
  after->samples_per_s = (double)(after->counters.samples - before.counters.samples) /
                         (1e-6 * (double)(g_get_monotonic_time() - begin_us));
  g_autoptr(AioReply) stopped = ask(acquirer, info->port, &stop);
  return stopped != NULL;
}

static int report(const Args *args, const CliInfo *info) {
  if (!args->json) {
    cli_info_print(info);
    return CLI_OK;
  }
  g_autoptr(GString) json = cli_info_json(info);
  return cli_write(NULL, json->str, json->len, false);
}

static int look(const Args *args, AioAcquirer *acquirer, const CliPort *port) {
  CliInfo info = {.port = port};
  int code = CLI_DEVICE;
  g_autoptr(AioReply) params = NULL, state = NULL;
  g_autoptr(AioReply) who = ask(acquirer, port, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE});
  if (who)
    state = ask(acquirer, port, &(AioCommand){.kind = AIO_COMMAND_STATE});
  if (state && args->params)
    params = ask(acquirer, port, &(AioCommand){.kind = AIO_COMMAND_PARAMS_GET});
  if (state && (params || !args->params)) {
    info.description = who->description;
    info.state = state->state;
    info.params = params ? params->params : NULL;
    info.n_params = params ? params->n_params : 0;
    code = listen_a_second(acquirer, &info) ? report(args, &info) : CLI_DEVICE;
  }
  return code;
}

static int run(const void *arguments) {
  const Args *args = arguments;
  AioAcquirerOptions acquirer_options = {.context = {.joints = 0}};
  g_autoptr(CliPort) port = NULL;
  AioLink *link;
  GError *error = NULL;
  const CliDriver driver = {.name = args->driver, .baud = args->baud};
  int code = cli_port_open(&cli_info, args->port, &driver, &port, &link);
  if (code != CLI_OK)
    return code;
  g_autoptr(AioAcquirer) acquirer = NULL;
  if (aio_driver_choose(args->driver, &acquirer_options.context, &acquirer_options.driver, &error))
    acquirer = aio_acquirer_new(&acquirer_options, link, &error);
  if (acquirer) {
    code = look(args, acquirer, port);
  } else {
    aio_link_close(link);
    cli_fail(error);
    code = CLI_DEVICE;
  }
  return code;
}

const CliVerb cli_info = {
    .name = "info",
    .summary = "who is at a port: controller, state, joints, quality of the line",
    .purpose = "Asks the controller who it is, what state it is in and which joints and limits it "
               "knows, and listens to its telemetry for a second: samples per second, lost and bad "
               "frames, round trip. Nothing moves and nothing is changed.",
    .example = "armature-cli info --port sim:truth2 --params\n"
               "shows a simulated PUMA 560 with its parameters; no hardware needed.",
    .exits = "0 done, 2 usage, 3 no such simulated arm, 5 the port cannot be opened, or nothing "
             "that answers, 130 interrupted.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .args_size = sizeof(Args),
    .run = run,
};
