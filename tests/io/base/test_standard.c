/* SPDX-License-Identifier: MIT */
/* A program that was started with closed standard descriptors: what it opens gets none of them. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/base/standard.h"

/* In the child; 0: all is as it should be, else which check failed. */
static int start_without(unsigned closed) {
  struct stat before[3], after;
  char byte = 'x';
  for (int fd = 0; fd < 3; fd++)
    if (closed & 1u << fd)
      close(fd);
    else if (fstat(fd, &before[fd]) != 0)
      return 1;
  aio_standard_fill();
  if (open("/dev/null", O_RDWR | O_CLOEXEC) < 3)
    return 2;
  for (int fd = 0; fd < 3; fd++) {
    if (fstat(fd, &after) != 0)
      return 3;
    if (!(closed & 1u << fd) &&
        (after.st_dev != before[fd].st_dev || after.st_ino != before[fd].st_ino))
      return 4;
    if ((closed & 1u << fd) && (write(fd, &byte, 1) != -1 || errno != EBADF))
      return 5;
    if ((closed & 1u << fd) && (read(fd, &byte, 1) != -1 || errno != EBADF))
      return 6;
  }
  return 0;
}

static void test_closed(void) {
  for (unsigned closed = 0; closed < 8; closed++) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
      _exit(start_without(closed));
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/standard/closed", test_closed);
  return g_test_run();
}
