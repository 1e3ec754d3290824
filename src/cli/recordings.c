/* SPDX-License-Identifier: MIT */
#include "cli/recordings.h"

#include "cli/cli.h"
#include "cli/text.h"
#include "io/json/digest.h"
#include "io/params/verdict_file.h"

/* Error bars are too small then by the root of how often. */
static void warn_of_copies(const GPtrArray *paths) {
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint k = 0; k < paths->len && paths->len > 1; k++) {
    char *path = g_ptr_array_index(paths, k), *digest = aio_file_digest(path);
    const char *before = digest ? g_hash_table_lookup(seen, digest) : NULL;
    if (before)
      cli_warning("%s: the same recording as %s: its rows count twice, and standard deviations are "
                  "smaller than what was measured allows; leave one out",
                  path, before);
    if (digest)
      g_hash_table_replace(seen, digest, path);
  }
}

AioRecording *cli_load_recordings(const GPtrArray *paths, const ArmModel *model, double rate_Hz) {
  GError *error = NULL;
  warn_of_copies(paths);
  g_autoptr(AioRecording) all =
      aio_recording_load_at(g_ptr_array_index(paths, 0), model, rate_Hz, &error);
  for (guint k = 1; k < paths->len && !error; k++) {
    g_autoptr(AioRecording) next =
        aio_recording_load_at(g_ptr_array_index(paths, k), model, rate_Hz, &error);
    if (next)
      aio_recording_append(all, next, &error);
  }
  if (!error)
    return g_steal_pointer(&all);
  cli_fail(error);
  return NULL;
}

enum { MAX_IGNORED = 12 };

void cli_warn_recording(const AioRecording *recording) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint k = 0; k < MIN(recording->ignored->len, MAX_IGNORED); k++) {
    g_autofree char *name = cli_name(g_ptr_array_index(recording->ignored, k));
    g_string_append_printf(names, "%s%s", k ? ", " : "", name);
  }
  if (recording->ignored->len > MAX_IGNORED)
    g_string_append_printf(names, " and %u more", recording->ignored->len - MAX_IGNORED);
  if (names->len > 0)
    cli_warning("%s: columns without meaning here are ignored: %s", recording->name, names->str);
  g_string_truncate(names, 0);
  for (gsize j = 0; j < recording->n; j++)
    if (recording->is_torque[j])
      g_string_append_printf(names, "%s%d", names->len ? ", " : "", (int)j + 1);
  if (names->len > 0)
    cli_warning("%s: joint %s has torques instead of currents: where the keys say A, its "
                "parameters are in N m or N",
                recording->name, names->str);
}

bool cli_load_limits(const char *path, ArmVerdictLimits *limits) {
  GError *error = NULL;
  arm_verdict_limits_default(limits);
  if (!path || aio_limits_load(path, limits, &error))
    return true;
  cli_fail(error);
  return false;
}
