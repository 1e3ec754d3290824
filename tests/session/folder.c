/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <glib.h>
#include <glib/gstdio.h>

char *folder_new(void) {
  GError *error = NULL;
  char *path = g_dir_make_tmp("armature-session-XXXXXX", &error);
  if (!path)
    g_error("%s", error->message);
  return path;
}

void folder_free(char *path) {
  GDir *dir = g_dir_open(path, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir)))
    folder_free(g_build_filename(path, name, NULL));
  if (dir)
    g_dir_close(dir);
  g_remove(path);
  g_free(path);
}
