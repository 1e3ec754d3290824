/* SPDX-License-Identifier: MIT */
#include "io/base/standard.h"

#include <fcntl.h>
#include <unistd.h>

/* O_PATH takes the number and nothing more: no right is needed for it, not even /dev. A program
 * that is started from here inherits it, for the same reason. */
void aio_standard_fill(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      (void)open("/", O_PATH); /* the lowest that is free: fd */
}
