/* SPDX-License-Identifier: MIT */
#include "cli/reduced.h"

#include <string.h>

/* Sums hold what the arm file says: with another one they are of another arm. */
static bool is_of_arm(const AioSums *sums, const char *path, const char *arm_path,
                      const AioArm *arm) {
  if (strcmp(sums->arm_digest, arm->digest) == 0)
    return true;
  cli_error("%s: expected sums made with %s (%s), found arm %s (%s): reduce the recordings again",
            path, arm_path, arm->digest, sums->arm_name, sums->arm_digest);
  return false;
}

static AioSums *load_one(const char *path, const char *arm_path, const AioArm *arm,
                         AioShelf *shelf) {
  GError *error = NULL;
  g_autoptr(AioSums) sums = aio_sums_load(path, &arm->model, shelf, &error);
  if (!sums)
    cli_fail(error);
  return sums && is_of_arm(sums, path, arm_path, arm) ? g_steal_pointer(&sums) : NULL;
}

AioSums *cli_reduced_load(const GPtrArray *paths, const char *arm_path, const AioArm *arm,
                          AioShelf *shelf) {
  g_autoptr(AioSums) all = load_one(g_ptr_array_index(paths, 0), arm_path, arm, shelf);
  for (guint k = 1; all && k < paths->len; k++) {
    GError *error = NULL;
    g_autoptr(AioSums) more = load_one(g_ptr_array_index(paths, k), arm_path, arm, shelf);
    if (!more)
      return NULL;
    if (aio_sums_merge(all, more, &error))
      continue;
    cli_fail(error);
    return NULL;
  }
  return g_steal_pointer(&all);
}

/* The recording whose rows of a joint are missing, where those of another one are needed; NULL:
 * none. */
static const AioReduced *find_missing(const AioSums *sums, gsize joint) {
  const AioReduced *missing = NULL;
  bool is_needed = false;
  for (guint k = 0; k < sums->recordings->len; k++) {
    const AioReduced *r = g_ptr_array_index(sums->recordings, k);
    if (r->sums.kept.has[joint])
      is_needed = is_needed || arm_sums_swings(&r->sums, joint);
    else if (!missing && r->sums.rows_by_use[joint][ARM_ROW_USED] > 0)
      missing = r;
  }
  return is_needed ? missing : NULL;
}

void cli_reduced_warn_rows(const AioSums *sums) {
  for (gsize j = 0; j < sums->n; j++) {
    const AioReduced *missing = find_missing(sums, j);
    if (missing)
      cli_warning("joint %zu: its rows in %s are not in the sums (--sums-alone, or steady sweeps), "
                  "and those of other recordings are of no use without them: it is fitted by sums "
                  "alone, which tell it less well where its speed varies or held joints jitter",
                  j + 1, missing->name);
  }
}
