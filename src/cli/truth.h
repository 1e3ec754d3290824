/* SPDX-License-Identifier: MIT */
/* Known true parameters (of a simulation), to be shown beside a fit: CSV "name,value" with names as
 * in the covariance of parameter files, or what follows from the arm file that is simulated (its
 * name ends in .json). */
#ifndef ARMATURE_CLI_TRUTH_H
#define ARMATURE_CLI_TRUTH_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/ident.h"

typedef struct CliTruth CliTruth;

/* NULL: the error is printed. Free with cli_truth_free (NULL allowed). */
CliTruth *cli_truth_load(const char *path, const ArmModel *model);
void cli_truth_free(CliTruth *truth);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliTruth, cli_truth_free)

/* The true value of a parameter; false when the file has none. truth may be NULL. */
bool cli_truth_find(const CliTruth *truth, ArmParamId id, double *value);

#endif
