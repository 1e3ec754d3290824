/* SPDX-License-Identifier: MIT */
/* Files of one recording, and what may surprise about them. */
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

gsize cli_count_unmoved(const AioRecording *recording) {
  gsize unmoved = 0;
  for (gsize row = 0; row < recording->rows; row++)
    unmoved += recording->joint[row] == 0;
  return unmoved;
}

static bool take_store(const GPtrArray *paths, const ArmModel *model, double rate_Hz,
                       bool wants_acceleration, CliRows *rows, GError **error) {
  rows->store = aio_row_store_new(model);
  for (guint k = 1; k < paths->len && wants_acceleration; k++)
    aio_row_store_expect(rows->store, g_ptr_array_index(paths, k));
  for (guint k = 0; k < paths->len; k++) {
    g_autoptr(GChecksum) sum = rows->digests ? g_checksum_new(G_CHECKSUM_SHA256) : NULL;
    if (!aio_row_store_add(rows->store, g_ptr_array_index(paths, k), rate_Hz, sum, error))
      return false;
    if (sum)
      g_ptr_array_add(rows->digests, aio_sum_digest(sum));
  }
  rows->about = aio_row_store_about(rows->store);
  rows->rows = aio_row_store_rows(rows->store);
  rows->unmoved = aio_row_store_unmoved(rows->store);
  return true;
}

bool cli_rows_load(const GPtrArray *paths, const ArmModel *model, double rate_Hz,
                   bool wants_acceleration, bool wants_digests, CliRows *rows) {
  GError *error = NULL;
  *rows = (CliRows){.digests = wants_digests ? g_ptr_array_new_with_free_func(g_free) : NULL};
  warn_of_copies(paths);
  const bool is_loaded = take_store(paths, model, rate_Hz, wants_acceleration, rows, &error);
  if (!is_loaded)
    cli_fail(error);
  return is_loaded;
}

void cli_rows_clear(CliRows *rows) {
  aio_row_store_free(rows->store);
  g_clear_pointer(&rows->digests, g_ptr_array_unref);
  *rows = (CliRows){0};
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
