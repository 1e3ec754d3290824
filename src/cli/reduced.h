/* SPDX-License-Identifier: MIT */
/* Files of sums on the command line: read, checked against the arm, put together. */
#ifndef ARMATURE_CLI_REDUCED_H
#define ARMATURE_CLI_REDUCED_H

#include <glib.h>

#include "cli/cli.h"
#include "io/recording/sums_file.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ArmReduced, arm_sums_clear)

/* All files as one. NULL: the error is printed: not readable, of another arm or with other options
 * than the first, or one recording twice. Free with aio_sums_free.
 *   arm_path  as messages call the arm file
 *   shelf     borrowed for as long as the sums */
AioSums *cli_reduced_load(const GPtrArray *paths, const char *arm_path, const AioArm *arm,
                          AioShelf *shelf);

/* Warns of joints whose rows some recordings have to no use, naming one that does not have them. */
void cli_reduced_warn_rows(const AioSums *sums);

#endif
