/* SPDX-License-Identifier: MIT */
/* termios2 knows any rate; its header excludes <termios.h>, hence a file of its own. */
#include <asm/termbits.h>
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <linux/serial.h>
#include <string.h>
#include <sys/ioctl.h>

#include "io/base/said.h"
#include "io/link/tty.h"

/* Of a byte's ten bits the last is read half a bit off at 5 %, of both sides together. */
enum { MAX_DEVIATION_PERCENT = 3 };

static void make_raw(struct termios2 *line, guint baud) {
  const tcflag_t speed = line->c_cflag & (CBAUD | CBAUDEX | CIBAUD);
  line->c_iflag = IGNBRK;
  line->c_oflag = 0;
  line->c_lflag = 0;
  line->c_line = 0;
  line->c_cflag = CS8 | CREAD | CLOCAL | (baud ? BOTHER | (BOTHER << IBSHIFT) : speed);
  memset(line->c_cc, 0, sizeof line->c_cc);
  line->c_cc[VMIN] = 1; /* with 0, nothing now would look like the end */
  if (baud)
    line->c_ispeed = line->c_ospeed = baud;
}

static bool check_line(const struct termios2 *line, const char *device, guint baud,
                       GError **error) {
  const tcflag_t watched = CSIZE | CSTOPB | PARENB | CRTSCTS | HUPCL;
  if ((line->c_cflag & watched) != CS8 || line->c_lflag != 0 || line->c_oflag != 0 ||
      line->c_iflag != IGNBRK) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("%s: the port does not take raw 8N1 without flow control; use another adapter"),
        aio_said_plain(device));
    return false;
  }
  const gint64 deviation = (gint64)line->c_ospeed - baud;
  if (baud && ABS(deviation) * 100 > (gint64)baud * MAX_DEVIATION_PERCENT) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("%s: expected %u baud, found that the port runs at %u, more than %d %% beside it; "
           "use a rate that this adapter has"),
        aio_said_plain(device), baud, line->c_ospeed, (int)MAX_DEVIATION_PERCENT);
    return false;
  }
  return true;
}

bool aio_tty_set_line(int fd, const char *device, guint baud, guint *actual, GError **error) {
  struct termios2 line;
  if (ioctl(fd, TCGETS2, &line) != 0) {
    aio_tty_set_error(error, device, errno);
    return false;
  }
  make_raw(&line, baud);
  struct termios2 found = line;
  if (ioctl(fd, TCSETS2, &line) != 0 || ioctl(fd, TCGETS2, &found) != 0) {
    aio_tty_set_error(error, device, errno);
    return false;
  }
  if (!check_line(&found, device, baud, error))
    return false;
  if (actual)
    *actual = found.c_ospeed;
  return true;
}

void aio_tty_flush(int fd) {
  (void)ioctl(fd, TCFLSH, TCIOFLUSH);
}

void aio_tty_set_low_latency(int fd) {
  struct serial_struct serial;
  if (ioctl(fd, TIOCGSERIAL, &serial) != 0)
    return;
  serial.flags |= ASYNC_LOW_LATENCY;
  (void)ioctl(fd, TIOCSSERIAL, &serial);
}
