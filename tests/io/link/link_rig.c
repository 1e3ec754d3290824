/* SPDX-License-Identifier: MIT */
#include "link_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

RigPty rig_pty_new(void) {
  RigPty pty = {.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  g_assert_cmpint(pty.master, >=, 0);
  g_assert_cmpint(grantpt(pty.master), ==, 0);
  g_assert_cmpint(unlockpt(pty.master), ==, 0);
  g_assert_cmpint(ptsname_r(pty.master, pty.path, sizeof pty.path), ==, 0);
  struct termios line;
  g_assert_cmpint(tcgetattr(pty.master, &line), ==, 0);
  cfmakeraw(&line);
  line.c_cflag |= HUPCL; /* what another program left: a link must clear it */
  line.c_iflag |= IXON;
  line.c_cc[VMIN] = 0;
  g_assert_cmpint(tcsetattr(pty.master, TCSANOW, &line), ==, 0);
  return pty;
}

void rig_pty_clear(RigPty *pty) {
  if (pty->master >= 0)
    close(pty->master);
  pty->master = -1;
}

static void read_until_empty(AioLink *link, RigReading *reading) {
  guint8 piece[4096];
  gssize n;
  gint64 t_ns;
  do {
    t_ns = -1;
    n = aio_link_read(link, piece, sizeof piece, &t_ns, &reading->error);
    reading->reads++;
    if (n > 0) {
      g_assert_cmpint(t_ns, >, 0);
      g_byte_array_append(reading->bytes, piece, (guint)n);
      reading->pieces++;
    }
  } while (n > 0);
  g_assert_true((n < 0) == (reading->error != NULL));
}

RigReading rig_read(AioLink *link, gsize wanted) {
  RigReading reading = {.bytes = g_byte_array_new()};
  const gint64 end = g_get_monotonic_time() + 2 * G_USEC_PER_SEC;
  while (!reading.error && reading.bytes->len < wanted && g_get_monotonic_time() < end) {
    struct pollfd wait = {.fd = aio_link_fd(link), .events = POLLIN};
    poll(&wait, 1, 100);
    reading.polls++;
    read_until_empty(link, &reading);
  }
  return reading;
}

void rig_reading_clear(RigReading *reading) {
  g_byte_array_unref(reading->bytes);
  g_clear_error(&reading->error);
}

guint8 *rig_bytes(gsize n) {
  guint8 *bytes = g_malloc(n);
  for (gsize k = 0; k < n; k++)
    bytes[k] = (guint8)(k * 7 + k / 256);
  return bytes;
}

void rig_write_fd(int fd, const guint8 *bytes, gsize n) {
  while (n > 0) {
    const gssize taken = write(fd, bytes, n);
    g_assert_true(taken > 0 || errno == EAGAIN);
    if (taken > 0) {
      bytes += taken;
      n -= (gsize)taken;
    }
  }
}

char *rig_this_process(void) {
  char name[16];
  g_assert_cmpint(prctl(PR_GET_NAME, name), ==, 0);
  return g_strdup_printf("%s (pid %d)", name, (int)getpid());
}

void rig_run_unprivileged(void (*ask)(const char *path, char *text), const char *path, char *text) {
  int ends[2];
  g_assert_cmpint(pipe(ends), ==, 0);
  const pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    char answer[1024] = "could not become another user";
    if (geteuid() != 0 || (setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0))
      ask(path, answer);
    _exit(write(ends[1], answer, sizeof answer) != (ssize_t)sizeof answer);
  }
  close(ends[1]);
  gsize got = 0;
  for (gssize n = 1; n > 0 && got < 1024; got += (gsize)MAX(n, 0))
    n = read(ends[0], text + got, 1024 - got);
  close(ends[0]);
  int status = -1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpuint(got, ==, 1024);
}
