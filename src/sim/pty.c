/* SPDX-License-Identifier: MIT */
#include "sim/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { PATH_ROOM = 128 };

static bool fail(AsimPty *pty, const char *name) {
  if (!pty->has_failed)
    fprintf(stderr, "armature-sim: error: %s: %s\n", name, strerror(errno));
  pty->has_failed = true;
  return false;
}

static bool set_raw(int fd) {
  struct termios settings;
  if (tcgetattr(fd, &settings) != 0)
    return false;
  cfmakeraw(&settings);
  return tcsetattr(fd, TCSANOW, &settings) == 0;
}

bool asim_pty_may_link(const char *link) {
  struct stat info;
  char target[PATH_ROOM] = "";
  if (lstat(link, &info) != 0)
    return true;
  return readlink(link, target, sizeof target - 1) > 0 && g_str_has_prefix(target, "/dev/pts/");
}

/* Not when another simulator has taken the name since. */
static bool is_own_link(const AsimPty *pty, int master) {
  char path[PATH_ROOM], target[PATH_ROOM] = "";
  return pty->link && ptsname_r(master, path, sizeof path) == 0 &&
         readlink(pty->link, target, sizeof target - 1) > 0 && strcmp(target, path) == 0;
}

/* At no time is there no link. */
static bool set_link(AsimPty *pty, const char *path) {
  if (!pty->link)
    return true;
  if (!asim_pty_may_link(pty->link)) {
    errno = EEXIST;
    return fail(pty, pty->link);
  }
  char *fresh = g_strdup_printf("%s.%ld.new", pty->link, (long)getpid());
  const bool ok =
      (symlink(path, fresh) == 0 && rename(fresh, pty->link) == 0) || fail(pty, pty->link);
  g_free(fresh);
  return ok;
}

/* The slave's path, raw and open in pty->slave. */
static bool open_slave(AsimPty *pty, int master, char *path) {
  if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, path, PATH_ROOM) != 0)
    return fail(pty, "pseudo-terminal");
  pty->slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  return (pty->slave >= 0 && set_raw(pty->slave)) || fail(pty, path);
}

int asim_pty_plug(void *ctx) {
  AsimPty *pty = ctx;
  char path[PATH_ROOM];
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) {
    fail(pty, "pseudo-terminal");
    return -1;
  }
  if (!open_slave(pty, master, path) || !set_link(pty, path)) {
    asim_pty_unplug(pty, master);
    return -1;
  }
  printf("%s\n", path);
  if (fflush(stdout) != 0)
    fprintf(stderr, "armature-sim: warning: standard output: cannot write: %s; it is %s\n",
            strerror(errno), path);
  return master;
}

void asim_pty_unplug(void *ctx, int fd) {
  AsimPty *pty = ctx;
  if (pty->slave >= 0)
    close(pty->slave);
  pty->slave = -1;
  if (is_own_link(pty, fd))
    (void)unlink(pty->link);
  close(fd);
}
