/* SPDX-License-Identifier: MIT */
/* The path through libserialport, unmodified, on a pty: see support/pty_shim.h. */
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/serial.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/link/link_serial.h"
#include "link_rig.h"
#include "support/pty_shim.h"

static AioLink *open_serial(const char *path, guint baud) {
  GError *error = NULL;
  AioLink *link = aio_link_serial_open(path, baud, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(link->klass->kind, ==, "serial");
  return link;
}

static void check_refused(const char *path, AioErrorCode code, const char *a, const char *b) {
  GError *error = NULL;
  g_assert_null(aio_link_serial_open(path, 115200, &error));
  g_assert_error(error, AIO_ERROR, (gint)code);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, path));
  g_assert_nonnull(strstr(error->message, a));
  g_assert_nonnull(strstr(error->message, b));
  g_clear_error(&error);
}

static void test_line(void) {
  const guint bauds[] = {9600, 115200, 1000000, 123456, 12000000};
  for (gsize k = 0; k < G_N_ELEMENTS(bauds); k++) {
    RigPty pty = rig_pty_new();
    AioLink *link = open_serial(pty.path, bauds[k]);
    g_assert_cmpuint(aio_link_serial_baud(link), ==, bauds[k]);
    g_assert_cmpint(aio_link_serial_latency_ms(link), ==, -1);
    struct termios2 line;
    g_assert_cmpint(ioctl(pty.master, TCGETS2, &line), ==, 0); /* a master shows its slave's */
    g_assert_cmpuint(line.c_ospeed, ==, bauds[k]);
    g_assert_cmpuint(line.c_ispeed, ==, bauds[k]);
    g_assert_cmpuint(line.c_lflag | line.c_oflag, ==, 0);
    g_assert_cmpuint(line.c_iflag, ==, IGNBRK);
    g_assert_cmpuint(line.c_cflag & (CSIZE | CSTOPB | PARENB | HUPCL | CRTSCTS), ==, CS8);
    g_assert_cmpuint(line.c_cflag & (CREAD | CLOCAL), ==, CREAD | CLOCAL);
    g_assert_cmpuint(line.c_cc[VMIN], ==, 1);
    aio_link_close(link);
    rig_pty_clear(&pty);
  }
}

/* More than the 4095 bytes a terminal gives at once. */
static void test_bytes(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_serial(pty.path, 115200);
  guint8 *bytes = rig_bytes(200000);
  fcntl(pty.master, F_SETFL, O_NONBLOCK);
  gsize sent = 0, received = 0, largest = 0;
  while (received < 200000) {
    const gssize n = sent < 200000 ? write(pty.master, bytes + sent, 200000 - sent) : 0;
    sent += (gsize)MAX(n, 0);
    RigReading reading = rig_read(link, 1);
    g_assert_no_error(reading.error);
    g_assert_cmpmem(reading.bytes->data, reading.bytes->len, bytes + received, reading.bytes->len);
    received += reading.bytes->len;
    largest = MAX(largest, reading.bytes->len);
    rig_reading_clear(&reading);
  }
  g_assert_cmpuint(largest, >=, 4095);
  g_free(bytes);
  aio_link_close(link);
  rig_pty_clear(&pty);
}

static void test_full_line(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_serial(pty.path, 115200);
  guint8 *bytes = rig_bytes(100000), *got = g_malloc(100000);
  gsize sent = 0, received = 0, busy = 0;
  fcntl(pty.master, F_SETFL, O_NONBLOCK);
  while (received < 100000) {
    GError *error = NULL;
    const gssize n = sent < 100000 ? aio_link_write(link, bytes + sent, 100000 - sent, &error) : 0;
    g_assert_no_error(error);
    sent += (gsize)n;
    busy += n == 0 && sent < 100000;
    const gssize taken = n > 0 ? 0 : read(pty.master, got + received, MIN(3000, 100000 - received));
    received += (gsize)MAX(taken, 0);
  }
  g_assert_cmpuint(busy, >, 5);
  g_assert_cmpmem(got, received, bytes, 100000);
  g_free(bytes);
  g_free(got);
  aio_link_close(link);
  rig_pty_clear(&pty);
}

static void test_unplugged(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_serial(pty.path, 115200);
  rig_write_fd(pty.master, (const guint8 *)"abc", 3);
  RigReading reading = rig_read(link, 3);
  g_assert_cmpmem(reading.bytes->data, reading.bytes->len, "abc", 3);
  rig_reading_clear(&reading);
  rig_pty_clear(&pty);
  for (int k = 0; k < 3; k++) {
    reading = rig_read(link, G_MAXSIZE);
    g_assert_error(reading.error, AIO_ERROR, AIO_ERROR_GONE);
    g_assert_cmpuint(reading.reads, ==, 1);
    rig_reading_clear(&reading);
  }
  GError *error = NULL;
  g_assert_cmpint(aio_link_write(link, (const guint8 *)"x", 1, &error), ==, -1);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  g_assert_false(aio_link_send_break(link, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  aio_link_close(link);
}

/* A write may be the first to notice. */
static void test_unplugged_write(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_serial(pty.path, 115200);
  rig_pty_clear(&pty);
  GError *error = NULL;
  g_assert_cmpint(aio_link_write(link, (const guint8 *)"x", 1, &error), ==, -1);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  aio_link_close(link);
}

static void test_break(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_serial(pty.path, 115200);
  GError *error = NULL;
  *pty_shim() = (PtyShim){0};
  g_assert_true(aio_link_can_break(link));
  g_assert_true(aio_link_send_break(link, &error));
  g_assert_no_error(error);
  g_assert_cmpint(pty_shim()->breaks_begun, ==, 1);
  g_assert_cmpint(pty_shim()->breaks_ended, ==, 1);
  g_assert_cmpint(pty_shim()->break_ms, >=, 299);
  aio_link_close(link);
  rig_pty_clear(&pty);
}

/* An 8250 takes any rate, and stays at the one it has. */
static void test_other_baud(void) {
  RigPty pty = rig_pty_new();
  pty_shim()->stuck_baud = 9600;
  check_refused(pty.path, AIO_ERROR_REFUSED, "expected 115200 baud", "runs at 9600");
  pty_shim()->stuck_baud = 119000;
  check_refused(pty.path, AIO_ERROR_REFUSED, "expected 115200 baud", "3 %");
  pty_shim()->stuck_baud = 117647; /* 2.1 %: what a divider of 16 MHz gives */
  AioLink *link = open_serial(pty.path, 115200);
  pty_shim()->stuck_baud = 0;
  g_assert_cmpuint(aio_link_serial_baud(link), ==, 117647);
  aio_link_close(link);
  rig_pty_clear(&pty);
}

static void test_low_latency(void) {
  RigPty pty = rig_pty_new();
  aio_link_close(open_serial(pty.path, 115200));
  g_assert_cmpint(pty_shim()->serial_flags, ==, 0);
  pty_shim()->has_serial_flags = true;
  aio_link_close(open_serial(pty.path, 115200));
  pty_shim()->has_serial_flags = false;
  g_assert_cmpint(pty_shim()->serial_flags & ASYNC_LOW_LATENCY, ==, ASYNC_LOW_LATENCY);
  rig_pty_clear(&pty);
}

static void test_no_modem_lines(void) {
  RigPty pty = rig_pty_new();
  pty_shim()->refuses_modem_line = true;
  check_refused(pty.path, AIO_ERROR_REFUSED, "not a serial port", "/dev/ttyUSB0");
  pty_shim()->refuses_modem_line = false;
  aio_link_close(open_serial(pty.path, 115200)); /* nothing of the refused one is left */
  rig_pty_clear(&pty);
}

static void test_symlink(void) {
  RigPty pty = rig_pty_new();
  char *folder = g_dir_make_tmp("armature-link-XXXXXX", NULL);
  char *path = g_build_filename(folder, "usb-ROBOTIS_U2D2", NULL);
  g_assert_cmpint(symlink(pty.path, path), ==, 0);
  AioLink *link = open_serial(path, 57600);
  g_assert_cmpstr(link->name, ==, pty.path);
  aio_link_close(link);
  g_unlink(path);
  check_refused(path, AIO_ERROR_NOT_FOUND, "no such port", "ports there are");
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
  rig_pty_clear(&pty);
}

/* ---- exclusive use ---- */

static void test_second_open(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_serial(pty.path, 1000000);
  char *me = rig_this_process();
  check_refused(pty.path, AIO_ERROR_BUSY, "in use by", me);
  struct termios2 line;
  g_assert_cmpint(ioctl(pty.master, TCGETS2, &line), ==, 0);
  g_assert_cmpuint(line.c_ospeed, ==, 1000000); /* the refused one did not disturb the first */
  GError *error = NULL;
  g_assert_null(aio_link_open(pty.path, 9600, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
  g_clear_error(&error);
  aio_link_close(link);
  aio_link_close(open_serial(pty.path, 9600));
  g_free(me);
  rig_pty_clear(&pty);
}

static void test_locked_by_another(void) {
  RigPty pty = rig_pty_new();
  const int other = open(pty.path, O_RDWR | O_NOCTTY);
  g_assert_cmpint(flock(other, LOCK_EX | LOCK_NB), ==, 0);
  check_refused(pty.path, AIO_ERROR_BUSY, "in use by", "end that program");
  close(other);
  aio_link_close(open_serial(pty.path, 9600));
  rig_pty_clear(&pty);
}

static void try_plain_open(const char *path, char *text) {
  const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
  g_strlcpy(text, fd >= 0 ? "opened" : g_strerror(errno), 1024);
}

static void try_link_open(const char *path, char *text) {
  GError *error = NULL;
  AioLink *link = aio_link_serial_open(path, 9600, &error);
  g_snprintf(text, 1024, "%d %s", error ? error->code : -1, link ? "opened" : error->message);
  aio_link_close(link);
  g_clear_error(&error);
}

/* Programs that know nothing of flock are kept out by TIOCEXCL, while the link is open. */
static void test_exclusive(void) {
  RigPty pty = rig_pty_new();
  const int keep = open(pty.path, O_RDWR | O_NOCTTY);
  AioLink *link = open_serial(pty.path, 9600);
  g_assert_cmpint(g_chmod(pty.path, 0666), ==, 0);
  char text[1024];
  rig_run_unprivileged(try_plain_open, pty.path, text);
  g_assert_cmpstr(text, ==, g_strerror(EBUSY));
  rig_run_unprivileged(try_link_open, pty.path, text);
  char *begin = g_strdup_printf("%d %s is in use by ", AIO_ERROR_BUSY, pty.path);
  g_test_message("%s", text);
  g_assert_true(g_str_has_prefix(text, begin));
  g_free(begin);
  aio_link_close(link);
  rig_run_unprivileged(try_plain_open, pty.path, text);
  g_assert_cmpstr(text, ==, "opened");
  close(keep);
  rig_pty_clear(&pty);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/link-serial/line", test_line);
  g_test_add_func("/link-serial/bytes", test_bytes);
  g_test_add_func("/link-serial/full-line", test_full_line);
  g_test_add_func("/link-serial/unplugged", test_unplugged);
  g_test_add_func("/link-serial/unplugged-write", test_unplugged_write);
  g_test_add_func("/link-serial/break", test_break);
  g_test_add_func("/link-serial/other-baud", test_other_baud);
  g_test_add_func("/link-serial/low-latency", test_low_latency);
  g_test_add_func("/link-serial/no-modem-lines", test_no_modem_lines);
  g_test_add_func("/link-serial/symlink", test_symlink);
  g_test_add_func("/link-serial/second-open", test_second_open);
  g_test_add_func("/link-serial/locked-by-another", test_locked_by_another);
  g_test_add_func("/link-serial/exclusive", test_exclusive);
  return g_test_run();
}
