/* SPDX-License-Identifier: MIT */
#include "support/pty_shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static PtyShimBreaks breaks;
static long began_ms;

PtyShimBreaks pty_shim_breaks(void) {
  return breaks;
}

static bool is_pty_entry(const char *path) {
  return strncmp(path, "/sys/class/tty/pts/", 19) == 0;
}

static void *next(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

/* What lstat was before glibc 2.33, and libserialport still calls. */
int __lxstat(int version, const char *path, struct stat *out);
int __lxstat(int version, const char *path, struct stat *out) {
  if (is_pty_entry(path)) {
    memset(out, 0, sizeof *out);
    out->st_mode = S_IFLNK | 0777;
    return 0;
  }
  int (*real)(int, const char *, struct stat *);
  *(void **)&real = next("__lxstat");
  return real(version, path, out);
}

ssize_t readlink(const char *path, char *target, size_t room) {
  static const char fake[] = "../../devices/virtual/tty/pts";
  if (is_pty_entry(path) && room >= sizeof fake) {
    memcpy(target, fake, sizeof fake - 1);
    return sizeof fake - 1;
  }
  ssize_t (*real)(const char *, char *, size_t);
  *(void **)&real = next("readlink");
  return real(path, target, room);
}

static bool is_modem_request(unsigned long request) {
  return request == TIOCMGET || request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC;
}

static void note_break(unsigned long request) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (request == TIOCSBRK) {
    breaks.begun++;
    began_ms = ms;
  } else if (request == TIOCCBRK) {
    breaks.ended++;
    breaks.last_ms = ms - began_ms;
  }
}

int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  int (*real)(int, unsigned long, ...);
  *(void **)&real = next("ioctl");
  note_break(request);
  const int result = real(fd, request, argument);
  if (result == 0 || !is_modem_request(request) || (errno != ENOTTY && errno != EINVAL))
    return result;
  if (request == TIOCMGET)
    *(int *)argument = 0;
  return 0;
}
