/* SPDX-License-Identifier: MIT */
#include "io/link/tty_permission.h"
#include "io/base/said.h"

#include <glib/gi18n-lib.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 16384 };

static char *user_name(uid_t uid) {
  char room[ROOM];
  struct passwd entry, *found = NULL;
  if (getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found)
    return g_strdup(found->pw_name);
  return g_strdup_printf("%u", (guint)uid);
}

static char *group_name(gid_t gid) {
  char room[ROOM];
  struct group entry, *found = NULL;
  if (getgrgid_r(gid, &entry, room, sizeof room, &found) == 0 && found)
    return g_strdup(found->gr_name);
  return g_strdup_printf("%u", (guint)gid);
}

/* By the user database, which a login of before does not know yet. */
static bool is_listed_member(const char *user, gid_t gid) {
  char room[ROOM];
  struct group entry, *found = NULL;
  if (getgrgid_r(gid, &entry, room, sizeof room, &found) != 0 || !found)
    return false;
  return g_strv_contains((const char *const *)found->gr_mem, user);
}

static bool group_may(const struct stat *device) {
  const mode_t both = S_IRGRP | S_IWGRP;
  return device->st_gid != 0 && (device->st_mode & both) == both;
}

static char *remedy(const struct stat *device, const char *group) {
  if (!group_may(device))
    return aio_said(N_("install Armature's udev rule and plug the cable in again"));
  char *user = user_name(geteuid());
  const bool is_listed = is_listed_member(user, device->st_gid);
  g_free(user);
  if (is_listed)
    return aio_said(N_("you were added to the group %s after this login: log out and in again"),
                    group);
  return aio_said(N_("add yourself to its group: sudo usermod -aG %s $USER, then log out and in "
                     "again; or install Armature's udev rule and plug the cable in again"),
                  group);
}

void aio_tty_set_permission_error(GError **error, const char *device) {
  struct stat found;
  if (stat(device, &found) != 0) {
    aio_error_set_said(error, AIO_ERROR_PERMISSION, N_("you may not look at %s"),
                       aio_said_plain(device));
    return;
  }
  char *owner = user_name(found.st_uid), *group = group_name(found.st_gid);
  char *cure = remedy(&found, group);
  aio_error_set_said(error, AIO_ERROR_PERMISSION,
                     N_("you may not open %s: it belongs to %s:%s, mode %04o; %s"),
                     aio_said_plain(device), owner, group, (guint)found.st_mode & 07777, cure);
  g_free(cure);
  g_free(group);
  g_free(owner);
}

char *aio_tty_permission_command(const char *device) {
  struct stat found;
  if (stat(device, &found) != 0 || !group_may(&found))
    return NULL;
  char *user = user_name(geteuid()), *group = group_name(found.st_gid);
  char *command = g_strdup_printf("sudo usermod -aG %s %s", group, user);
  g_free(group);
  g_free(user);
  return command;
}
