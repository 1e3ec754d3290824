/* SPDX-License-Identifier: MIT */
/* What the fit of a session uses is what its sums are of: the same runs, exclusions, settled parts
 * and plateaus. */
#include "cli/reduce_session.h"

#include <string.h>

#include "session/measure/sweep_rows.h"

AseSession *cli_reduce_open_session(const char *path, const char *arm_path, const AioArm *arm) {
  GError *error = NULL;
  g_autoptr(AseSession) session = ase_session_open_read(path, &error);
  if (!session) {
    cli_fail(error);
    return NULL;
  }
  const AioArm *own = ase_session_arm(session);
  if (strcmp(own->digest, arm->digest) == 0)
    return g_steal_pointer(&session);
  cli_error("%s: expected a session of the arm in %s (%s), found one of %s (%s)", path, arm_path,
            arm->digest, own->name, own->digest);
  return NULL;
}

static AseSweepRows *read_sweeps(AseSession *session) {
  const AseEdits *edits = ase_session_edits(session);
  GError *error = NULL;
  g_autoptr(GArray) exclusions = g_array_new(FALSE, FALSE, sizeof *edits->exclusions);
  g_array_append_vals(exclusions, edits->exclusions, edits->n_exclusions);
  AseSweepRows *rows =
      ase_sweep_rows_new_on_one_clock(&ase_session_arm(session)->model, ase_session_runs(session),
                                      ASE_PURPOSE_MEASURE, exclusions, &error);
  if (!rows) {
    g_prefix_error(&error, "%s: ", ase_session_path(session));
    cli_fail(error);
  }
  return rows;
}

static int fail(const AseSweepRows *rows, const AioSums *all, ArmStatus status, const char *path) {
  const GError *error = aio_shelf_error(all->shelf);
  if (status != ARM_E_SOURCE)
    return cli_fail_status(status, path);
  return cli_fail(g_error_copy(error ? error : ase_sweep_rows_error(rows)));
}

static int add_rows(AseSession *session, const AseSweepRows *rows, const ArmFitOptions *options,
                    AioSums *all) {
  const char *path = ase_session_path(session);
  g_autofree char *name = g_path_get_basename(path);
  GError *error = NULL;
  ArmReduced sums;
  g_autofree char *hex = ase_sweep_rows_digest(rows, &error);
  if (!hex)
    return cli_fail(error);
  g_autofree char *digest = g_strconcat("sha256:", hex, NULL);
  const ArmStatus status = arm_sums_of_rows(&ase_session_arm(session)->model,
                                            ase_sweep_rows_source(rows), options, &sums);
  if (status != ARM_OK)
    return fail(rows, all, status, path);
  if (sums.used == 0)
    cli_warning("%s: no usable row moves a joint", path);
  return aio_sums_add(all, name, digest, &sums, &error) ? CLI_OK : cli_fail(error);
}

int cli_reduce_add_session(AseSession *session, const ArmFitOptions *options, AioSums *all) {
  g_autoptr(AseSweepRows) rows = read_sweeps(session);
  return rows ? add_rows(session, rows, options, all) : CLI_BAD_INPUT;
}
