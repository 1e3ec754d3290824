/* SPDX-License-Identifier: MIT */
/* What a controller says of itself, for people and for scripts. */
#ifndef ARMATURE_CLI_INFO_REPORT_H
#define ARMATURE_CLI_INFO_REPORT_H

#include "cli/port.h"
#include "io/acquire/statistics.h"

typedef struct {
  const CliPort *port;
  const AioDescription *description;
  AioState state;
  AioStatistics statistics; /* of about 1 s */
  double rate_wanted;       /* telemetry [1/s] */
  const AioParam *params;   /* NULL: not asked for */
  guint n_params;
} CliInfo;

/* To stdout. */
void cli_info_print(const CliInfo *info);
/* g_string_free it. */
GString *cli_info_json(const CliInfo *info);

#endif
