/* SPDX-License-Identifier: MIT */
/* The controller that --port means: a device path, what `ports` calls it, or a simulated one inside
 * this program. */
#ifndef ARMATURE_CLI_PORT_H
#define ARMATURE_CLI_PORT_H

#include <stdbool.h>

#include "cli/cli.h"
#include "io/arm/arm_file.h"
#include "io/link/link.h"

typedef struct CliPort CliPort;

/* Who is to speak, and how fast. */
typedef struct {
  const char *name;  /* as --driver says; NULL: it does not */
  const AioArm *arm; /* whose file may say it instead; NULL: none at hand */
  double baud;       /* as --baud says; NAN: what the driver has by default */
} CliDriver;

/* What --port, --baud and --driver take, for the tables of options. */
extern const char cli_port_help[], cli_baud_help[], cli_driver_help[];

/* Opens it. CLI_OK, or the exit code with the reason printed: CLI_USAGE (a wrong word after sim:,
 * no such driver), CLI_BAD_INPUT (no such simulated arm, or driver in the arm file; standard output
 * is closed, which would be found only when all is done), CLI_DEVICE.
 *   out  close the link (or what owns it) first, then cli_port_close */
int cli_port_open(const CliVerb *verb, const char *word, const CliDriver *driver, CliPort **out,
                  AioLink **link);
void cli_port_close(CliPort *port); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliPort, cli_port_close)

/* As messages call it. */
const char *cli_port_name(const CliPort *port);

/* The same controller after its cable was out: by USB id where it has one. `ctx` is a CliPort; for
 * AioAcquirerOptions and AseDeviceOptions, in any thread. */
AioLink *cli_port_reopen(void *ctx, GError **error);

#endif
