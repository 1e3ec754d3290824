/* SPDX-License-Identifier: MIT */
#include "support/pty_shim.h"

#include <asm/termbits.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static PtyShim shim;
static long began_ms;

PtyShim *pty_shim(void) {
  return &shim;
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

static void note_break(unsigned long request) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (request == TIOCSBRK) {
    shim.breaks_begun++;
    began_ms = ms;
  } else if (request == TIOCCBRK) {
    shim.breaks_ended++;
    shim.break_ms = ms - began_ms;
  }
}

/* What a pty refuses and a serial port has; false: nothing of the kind. */
static bool pretend(unsigned long request, void *argument) {
  switch (request) {
  case TIOCMGET:
    *(int *)argument = 0;
    return !shim.refuses_modem_line;
  case TIOCMSET:
  case TIOCMBIS:
  case TIOCMBIC:
    return !shim.refuses_modem_line;
  case TIOCGSERIAL:
    memset(argument, 0, sizeof(struct serial_struct));
    return shim.has_serial_flags;
  case TIOCSSERIAL:
    shim.serial_flags = ((struct serial_struct *)argument)->flags;
    return shim.has_serial_flags;
  default:
    return false;
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
  if (result == 0 && request == TCGETS2 && shim.stuck_baud)
    ((struct termios2 *)argument)->c_ospeed = shim.stuck_baud;
  if (result == 0 || (errno != ENOTTY && errno != EINVAL))
    return result;
  return pretend(request, argument) ? 0 : result;
}
