/* SPDX-License-Identifier: MIT */
#include "cli/reader.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { STREAMS = 3 };

/* Linux says of a pipe that it can be written to while so much is free, of a terminal while its
 * buffer is nearly empty. */
enum { PIPE_PIECE = PIPE_BUF, TERMINAL_PIECE = 256 };

static int patience_ms = -1;
static bool is_stuck[STREAMS], was_stuck;

void cli_reader_set_patience(int ms) {
  for (guint fd = 0; fd < STREAMS && (ms < 0 || ms > patience_ms); fd++)
    is_stuck[fd] = false;
  patience_ms = ms;
}

bool cli_reader_was_stuck(void) {
  return was_stuck;
}

/* errno tells why not. */
static bool can_write(int fd) {
  struct pollfd wanted = {.fd = fd, .events = POLLOUT};
  int ready = is_stuck[fd] ? 0 : -1;
  while (ready < 0) {
    ready = poll(&wanted, 1, patience_ms);
    if (ready < 0 && errno != EINTR)
      return false;
  }
  if (ready > 0)
    return true;
  is_stuck[fd] = was_stuck = true;
  errno = ETIMEDOUT;
  return false;
}

static bool write_patiently(int fd, const char *text, gsize length) {
  const gsize piece = isatty(fd) ? TERMINAL_PIECE : PIPE_PIECE;
  while (length > 0) {
    if (!can_write(fd))
      return false;
    const gssize n = write(fd, text, MIN(length, piece));
    if (n < 0 && errno != EINTR)
      return false;
    text += MAX(n, 0);
    length -= (gsize)MAX(n, 0);
  }
  return true;
}

bool cli_reader_write(FILE *stream, const char *text, gsize length) {
  const int fd = fileno(stream);
  errno = 0;
  if (patience_ms >= 0 && fd >= 0 && fd < STREAMS)
    return fflush(stream) == 0 && write_patiently(fd, text, length);
  return fwrite(text, 1, length, stream) == length && fflush(stream) == 0;
}

void cli_reader_print(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  cli_reader_write(stream, text, strlen(text));
}
