/* SPDX-License-Identifier: MIT */
/* Every reason why a port cannot be had, and what the message says to do. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "io/link/link_serial.h"
#include "io/link/port_holder.h"
#include "io/link/tty.h"
#include "io/link/tty_permission.h"
#include "link_rig.h"

static void check_message(GError *error, AioErrorCode code, const char *const *parts) {
  g_assert_error(error, AIO_ERROR, (gint)code);
  g_test_message("%s", error->message);
  for (gsize k = 0; parts[k]; k++)
    if (!strstr(error->message, parts[k]))
      g_error("\"%s\" is not in: %s", parts[k], error->message);
  g_error_free(error);
}

#define CHECK(error, code, ...) check_message(error, code, (const char *const[]){__VA_ARGS__, NULL})

static GError *refusal(const char *path) {
  GError *error = NULL, *serial = NULL;
  g_assert_null(aio_link_open(path, 9600, &error));
  g_assert_null(aio_link_serial_open(path, 9600, &serial));
  g_assert_nonnull(error);
  g_assert_nonnull(serial);
  g_assert_cmpstr(serial->message, ==, error->message);
  g_error_free(serial);
  return error;
}

static void test_not_found(void) {
  CHECK(refusal("/dev/ttyUSB99"), AIO_ERROR_NOT_FOUND, "/dev/ttyUSB99", "no such port",
        "ports there are: ");
  CHECK(refusal("/dev/null/x"), AIO_ERROR_NOT_FOUND, "/dev/null/x", "no such port");
}

static void test_not_a_terminal(void) {
  CHECK(refusal("/dev/null"), AIO_ERROR_REFUSED, "/dev/null", "not a serial port");
  CHECK(refusal("/proc/version"), AIO_ERROR_REFUSED, "/proc/version", "not a serial port");
  CHECK(refusal("/"), AIO_ERROR_REFUSED, "not a serial port");
}

/* A pipe is not even opened: that would wake whoever waits at its other end. */
static void test_pipe(void) {
  char *folder = g_dir_make_tmp("armature-link-XXXXXX", NULL);
  char *path = g_build_filename(folder, "pipe", NULL);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  struct pollfd waiting = {.fd = open(path, O_RDONLY | O_NONBLOCK), .events = POLLIN};
  g_assert_cmpint(waiting.fd, >=, 0);
  CHECK(refusal(path), AIO_ERROR_REFUSED, path, "not a serial port");
  g_assert_cmpint(poll(&waiting, 1, 0), ==, 0); /* POLLHUP once a writer came and went */
  close(waiting.fd);
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
}

static void try_open(const char *path, char *text) {
  GError *error = NULL;
  AioLink *link = aio_link_open(path, 9600, &error);
  g_snprintf(text, 1024, "%d %s", error ? error->code : -1, link ? "opened" : error->message);
  aio_link_close(link);
  g_clear_error(&error);
}

static void check_no_permission(const char *path, guint mode, const char *remedy) {
  char text[1024], number[16];
  g_assert_cmpint(g_chmod(path, (int)mode), ==, 0);
  rig_run_unprivileged(try_open, path, text);
  g_test_message("%s", text);
  g_snprintf(number, sizeof number, "%d ", AIO_ERROR_PERMISSION);
  g_assert_true(g_str_has_prefix(text, number));
  g_snprintf(number, sizeof number, "mode %04o", mode);
  g_assert_nonnull(strstr(text, path));
  g_assert_nonnull(strstr(text, number));
  g_assert_nonnull(strstr(text, remedy));
}

static void test_permission(void) {
  RigPty pty = rig_pty_new();
  if (geteuid() == 0) {
    g_assert_cmpint(chown(pty.path, 0, 20), ==, 0); /* as Debian's serial ports: root:dialout */
    check_no_permission(pty.path, 0660, "it belongs to root:dialout");
    check_no_permission(pty.path, 0660, "sudo usermod -aG dialout $USER, then log out");
    char *command = aio_tty_permission_command(pty.path);
    g_assert_true(g_str_has_prefix(command, "sudo usermod -aG dialout "));
    g_free(command);
    g_assert_cmpint(chown(pty.path, 0, 0), ==, 0); /* nobody is to join the group of root */
    g_assert_null(aio_tty_permission_command(pty.path));
  }
  check_no_permission(pty.path, 0, "udev rule");
  rig_pty_clear(&pty);
}

static GError *error_of(int errnum) {
  GError *error = NULL;
  aio_tty_set_error(&error, "/dev/ttyACM7", errnum);
  return error;
}

static void test_system_errors(void) {
  CHECK(error_of(ENODEV), AIO_ERROR_GONE, "/dev/ttyACM7", "unplugged", "check the cable");
  CHECK(error_of(ENXIO), AIO_ERROR_GONE, "/dev/ttyACM7", "unplugged");
  CHECK(error_of(EIO), AIO_ERROR_GONE, "/dev/ttyACM7", "hardware");
  CHECK(error_of(EBUSY), AIO_ERROR_BUSY, "/dev/ttyACM7", "a program of another user");
  CHECK(error_of(EACCES), AIO_ERROR_PERMISSION, "/dev/ttyACM7");
  CHECK(error_of(ENOENT), AIO_ERROR_NOT_FOUND, "/dev/ttyACM7");
  CHECK(error_of(ENOTTY), AIO_ERROR_REFUSED, "/dev/ttyACM7");
  CHECK(error_of(EMFILE), AIO_ERROR_IO, "/dev/ttyACM7", g_strerror(EMFILE));
}

static void test_holder(void) {
  RigPty pty = rig_pty_new();
  g_assert_null(aio_port_holder(pty.path));
  g_assert_null(aio_port_holder("/dev/ttyUSB99"));
  g_assert_null(aio_port_holder("/proc/version"));
  const int fd = open(pty.path, O_RDWR | O_NOCTTY);
  char *holder = aio_port_holder(pty.path);
  char *expected = rig_this_process();
  g_assert_cmpstr(holder, ==, expected);
  g_free(holder);
  g_free(expected);
  close(fd);
  rig_pty_clear(&pty);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/link-refused/not-found", test_not_found);
  g_test_add_func("/link-refused/not-a-terminal", test_not_a_terminal);
  g_test_add_func("/link-refused/pipe", test_pipe);
  g_test_add_func("/link-refused/permission", test_permission);
  g_test_add_func("/link-refused/system-errors", test_system_errors);
  g_test_add_func("/link-refused/holder", test_holder);
  return g_test_run();
}
