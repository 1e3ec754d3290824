/* SPDX-License-Identifier: MIT */
/* A file that was deleted, renamed or replaced while it was written is still open, but without a
 * name its end is that of the program. The session goes on in a new one, without being asked. So
 * does, when it is closed, one whose file does not take what waits. */
#include "session/record/record_internal.h"

#include <glib/gstdio.h>
#include <unistd.h>

enum { PLACES = 4, NAMES_MAX = 1000, ROUNDS_MAX = 100 };

/* NULL: it is nothing to write to. */
static char *folder(const char *path, guint place) {
  char *name = place == 0   ? g_path_get_dirname(path)
               : place == 1 ? g_build_filename(g_get_user_data_dir(), "armature", "sessions", NULL)
               : place == 2 ? g_strdup(g_get_home_dir())
                            : g_strdup(g_get_tmp_dir());
  if (place == 1)
    g_mkdir_with_parents(name, 0700);
  if (!g_file_test(name, G_FILE_TEST_IS_DIR) || g_access(name, W_OK) != 0)
    g_clear_pointer(&name, g_free);
  return name;
}

static bool is_free(const char *path) {
  static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".lock"};
  bool is_taken = false;
  for (guint k = 0; k < G_N_ELEMENTS(suffixes); k++) {
    char *name = g_strconcat(path, suffixes[k], NULL);
    is_taken |= g_file_test(name, G_FILE_TEST_EXISTS) || g_file_test(name, G_FILE_TEST_IS_SYMLINK);
    g_free(name);
  }
  return !is_taken;
}

/* "monday.armsession" becomes "monday-rescued.armsession", "monday-rescued-2.armsession", ... */
static char *name_in(const char *in, const char *path) {
  char *base = g_path_get_basename(path), *found = NULL;
  const char *dot = strrchr(base, '.');
  const int stem = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
  for (guint k = 1; !found && k < NAMES_MAX; k++) {
    char *number = k > 1 ? g_strdup_printf("-%u", k) : g_strdup("");
    char *name = g_strdup_printf("%.*s-rescued%s%s", stem, base, number, base + stem);
    found = strcmp(in, ".") == 0 ? g_strdup(name) : g_build_filename(in, name, NULL);
    if (!is_free(found))
      g_clear_pointer(&found, g_free);
    g_free(name);
    g_free(number);
  }
  g_free(base);
  return found;
}

/* From this place on the first that may do. NULL: none. */
static char *find(const char *path, guint *place) {
  for (; *place < PLACES; ++*place) {
    char *in = folder(path, *place), *found = in ? name_in(in, path) : NULL;
    g_free(in);
    if (found)
      return found;
  }
  return NULL;
}

bool ase_record_rescue(AseRecord *self) {
  guint place = self->rescue;
  char *path = find(self->path, &place);
  self->rescue = path ? place + 1 : 0;
  if (path)
    aio_recorder_move_to(self->recorder, path);
  g_free(path);
  return self->rescue != 0;
}

/* What follows from one answer - rows for the new file, the next place - waits for the next. */
void ase_record_rescue_now(AseRecord *self) {
  GError *failure = NULL;
  guint place = 0;
  for (guint round = 0; round < ROUNDS_MAX; round++) {
    g_clear_error(&failure);
    const bool is_written = aio_recorder_flush(self->recorder, &failure);
    if (ase_record_hear(self)) {
      self->owner.sync(self->owner.object);
      continue;
    }
    if (is_written)
      break;
    /* beside a file for which there is no room there is none either */
    const bool is_gone = g_error_matches(failure, AIO_ERROR, AIO_ERROR_GONE);
    self->rescue = MAX(place, is_gone ? 0U : 1U);
    if (!ase_record_rescue(self))
      break;
    place = self->rescue;
  }
  g_clear_error(&failure);
  g_free(self->path);
  self->path = aio_recorder_path(self->recorder);
}
