/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/statvfs.h>

#include "io/base/said.h"
#include "io/store/store_blob.h"
#include "io/store/store_internal.h"

/* A sample of n joints with doubles, see docs/session-file.md; rows and pages add up to a fifth;
 * the log and what other programs need meanwhile. */
static double bytes_needed(guint joints, double rate_hz, double duration_s) {
  const double per_sample = 21 + 26.0 * joints, per_chunk = AIO_BLOB_HEADER + 32;
  return 1.2 * duration_s * (rate_hz * per_sample + per_chunk * 1e6 / AIO_CHUNK_SPAN_US) +
         (64 << 20);
}

bool aio_store_check_space(const char *path, guint joints, double rate_hz, double duration_s,
                           GError **error) {
  struct statvfs info;
  char *folder = g_path_get_dirname(path);
  const bool is_known = statvfs(folder, &info) == 0;
  const int saved = errno;
  g_free(folder);
  if (!is_known) {
    aio_error_set_said(error, AIO_ERROR_IO, N_("%s: cannot ask for free space: %s"),
                       aio_said_plain(path), g_strerror(saved));
    return false;
  }
  const double needed = bytes_needed(joints, rate_hz, duration_s);
  const double available = (double)info.f_bavail * (double)info.f_frsize;
  if (available >= needed)
    return true;
  aio_error_set_said(
      error, AIO_ERROR_FULL,
      N_("%s: expected %.0f MB free to record %.0f s, found %.0f MB; free some space "
         "or record to another place"),
      aio_said_plain(path), needed / 1e6, duration_s, available / 1e6);
  return false;
}
