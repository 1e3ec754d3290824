/* SPDX-License-Identifier: MIT */
/* The controller that --port means: a device path, what `ports` calls it, or a simulated one inside
 * this program. */
#ifndef ARMATURE_CLI_PORT_H
#define ARMATURE_CLI_PORT_H

#include <stdbool.h>

#include "cli/cli.h"
#include "io/link/link.h"

typedef struct CliPort CliPort;

/* What --port and --baud take, for the tables of options. */
extern const char cli_port_help[], cli_baud_help[];

/* Opens it. CLI_OK, or the exit code with the reason printed: CLI_USAGE (a wrong word after sim:),
 * CLI_BAD_INPUT (no such simulated arm), CLI_DEVICE.
 *   baud  NAN: the protocol's
 *   out  close the link (or what owns it) first, then cli_port_close */
int cli_port_open(const CliVerb *verb, const char *word, double baud, CliPort **out,
                  AioLink **link);
void cli_port_close(CliPort *port); /* NULL allowed */

/* As messages call it. */
const char *cli_port_name(const CliPort *port);

/* The same controller after its cable was out: by USB id where it has one. `ctx` is a CliPort; for
 * AioAcquirerOptions and AseDeviceOptions, in any thread. */
AioLink *cli_port_reopen(void *ctx, GError **error);

#endif
