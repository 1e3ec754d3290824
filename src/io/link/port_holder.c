/* SPDX-License-Identifier: MIT */
#include "io/link/port_holder.h"

#include <stdbool.h>
#include <sys/stat.h>

/* The link's text first: stat on a descriptor of a dead network folder hangs. */
static bool is_device(const char *fd_path, dev_t device) {
  char *target = g_file_read_link(fd_path, NULL);
  struct stat found;
  const bool is_same = target && g_str_has_prefix(target, "/dev/") && stat(fd_path, &found) == 0 &&
                       S_ISCHR(found.st_mode) && found.st_rdev == device;
  g_free(target);
  return is_same;
}

static bool process_has_open(const char *pid, dev_t device) {
  char *folder = g_build_filename("/proc", pid, "fd", NULL);
  GDir *dir = g_dir_open(folder, 0, NULL);
  bool has_open = false;
  for (const char *fd = dir ? g_dir_read_name(dir) : NULL; fd && !has_open;
       fd = g_dir_read_name(dir)) {
    char *path = g_build_filename(folder, fd, NULL);
    has_open = is_device(path, device);
    g_free(path);
  }
  if (dir)
    g_dir_close(dir);
  g_free(folder);
  return has_open;
}

static void append_process(GString *text, const char *pid) {
  char *path = g_build_filename("/proc", pid, "comm", NULL);
  char *name = NULL;
  if (!g_file_get_contents(path, &name, NULL, NULL))
    name = g_strdup("a program");
  char *safe = g_utf8_make_valid(g_strchomp(name), -1);
  g_string_append_printf(text, "%s%s (pid %s)", text->len ? ", " : "", safe, pid);
  g_free(safe);
  g_free(name);
  g_free(path);
}

char *aio_port_holder(const char *device) {
  struct stat wanted;
  GDir *dir =
      stat(device, &wanted) == 0 && S_ISCHR(wanted.st_mode) ? g_dir_open("/proc", 0, NULL) : NULL;
  if (!dir)
    return NULL;
  GString *text = g_string_new(NULL);
  for (const char *pid = g_dir_read_name(dir); pid; pid = g_dir_read_name(dir))
    if (g_ascii_isdigit(pid[0]) && process_has_open(pid, wanted.st_rdev))
      append_process(text, pid);
  g_dir_close(dir);
  return g_string_free(text, text->len == 0);
}
