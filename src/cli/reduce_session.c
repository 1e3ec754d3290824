/* SPDX-License-Identifier: MIT */
/* What the fit of a session uses is what its sums are of: the same runs, exclusions, settled parts
 * and plateaus. */
#include "cli/reduce_session.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(AseSelection, ase_selection_free)

#define APART_S 1.0 /* as recordings that are fitted together: no stroke goes on */

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

/* Each connection has a clock of its own. */
static void carry_time_on(AioRecording *recording) {
  double *t = recording->t, shift = 0.0;
  for (gsize row = 1; row < recording->rows; row++) {
    if (t[row] + shift <= t[row - 1])
      shift = t[row - 1] + APART_S - t[row];
    t[row] += shift;
  }
}

static AseSelection *select_sweeps(AseSession *session) {
  const AseEdits *edits = ase_session_edits(session);
  GError *error = NULL;
  g_autoptr(GArray) exclusions = g_array_new(FALSE, FALSE, sizeof *edits->exclusions);
  g_array_append_vals(exclusions, edits->exclusions, edits->n_exclusions);
  AseSelection *selection =
      ase_selection_new(&ase_session_arm(session)->model, ase_session_runs(session),
                        ASE_PURPOSE_MEASURE, exclusions, &error);
  if (!selection) {
    g_prefix_error(&error, "%s: ", ase_session_path(session));
    cli_fail(error);
  }
  return selection;
}

static int add_selection(AseSession *session, const AseSelection *selection,
                         const ArmFitOptions *options, AioSums *all) {
  const char *path = ase_session_path(session);
  g_autofree char *hex = ase_selection_digest(selection, selection->joint);
  g_autofree char *digest = g_strconcat("sha256:", hex, NULL);
  g_autofree char *name = g_path_get_basename(path);
  GError *error = NULL;
  ArmReduced sums;
  carry_time_on(selection->recording);
  const ArmDataset data = ase_selection_dataset(selection);
  const ArmStatus status = arm_sums_of(&ase_session_arm(session)->model, &data, options, &sums);
  if (status != ARM_OK)
    return cli_fail_status(status, path);
  if (sums.used == 0)
    cli_warning("%s: no usable row moves a joint", path);
  return aio_sums_add(all, name, digest, &sums, &error) ? CLI_OK : cli_fail(error);
}

int cli_reduce_add_session(AseSession *session, const ArmFitOptions *options, AioSums *all) {
  g_autoptr(AseSelection) selection = select_sweeps(session);
  return selection ? add_selection(session, selection, options, all) : CLI_BAD_INPUT;
}
