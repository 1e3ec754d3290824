/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "io/link/link.h"
#include "link_rig.h"

static AioLink *new_link(int fd, const char *name) {
  GError *error = NULL;
  AioLink *link = aio_link_fd_new(fd, name, &error);
  g_assert_no_error(error);
  return link;
}

/* A link on one end of a socket pair; the other end in *peer. */
static AioLink *new_socket_link(int *peer) {
  int ends[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), ==, 0);
  *peer = ends[1];
  return new_link(ends[0], "socket");
}

static void check_gone_for_ever(AioLink *link) {
  guint8 byte = 1;
  gint64 t_ns;
  for (int k = 0; k < 3; k++) {
    GError *error = NULL;
    g_assert_cmpint(aio_link_read(link, &byte, 1, &t_ns, &error), ==, -1);
    g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
    g_clear_error(&error);
    g_assert_cmpint(aio_link_write(link, &byte, 1, &error), ==, -1);
    g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
    g_clear_error(&error);
  }
}

static void check_bytes(const RigReading *reading, const guint8 *bytes, gsize n) {
  g_assert_cmpmem(reading->bytes->data, reading->bytes->len, bytes, n);
}

static void test_nothing_now(void) {
  int peer;
  AioLink *link = new_socket_link(&peer);
  guint8 byte;
  gint64 t_ns;
  GError *error = NULL;
  g_assert_cmpint(aio_link_read(link, &byte, 1, &t_ns, &error), ==, 0);
  g_assert_no_error(error);
  g_assert_false(aio_link_can_break(link));
  g_assert_false(aio_link_send_break(link, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  aio_link_close(link);
  aio_link_close(NULL);
  g_assert_cmpint(recv(peer, &byte, 1, 0), ==, 0); /* the descriptor was closed with the link */
  close(peer);
}

static void test_split_reads(void) {
  int peer;
  AioLink *link = new_socket_link(&peer);
  guint8 *bytes = rig_bytes(1000);
  for (gsize at = 0; at < 1000;) {
    const gsize n = MIN(1 + at % 37, 1000 - at);
    rig_write_fd(peer, bytes + at, n);
    RigReading reading = rig_read(link, n);
    g_assert_no_error(reading.error);
    check_bytes(&reading, bytes + at, n);
    rig_reading_clear(&reading);
    at += n;
  }
  g_free(bytes);
  close(peer);
  aio_link_close(link);
}

/* A full line takes part of it, then 0, and everything arrives in order once the peer reads. */
static void check_partial_writes(AioLink *link, int peer) {
  const gsize total = 1000000;
  guint8 *bytes = rig_bytes(total), *got = g_malloc(total);
  gsize sent = 0, received = 0, busy = 0;
  fcntl(peer, F_SETFL, O_NONBLOCK);
  while (received < total) {
    GError *error = NULL;
    const gssize n = sent < total ? aio_link_write(link, bytes + sent, total - sent, &error) : 0;
    g_assert_no_error(error);
    g_assert_cmpint(n, >=, 0);
    sent += (gsize)n;
    busy += n == 0;
    if (n == 0 || sent == total) {
      const gssize taken = read(peer, got + received, MIN(total - received, 5000));
      received += (gsize)MAX(taken, 0);
    }
  }
  g_assert_cmpuint(busy, >, 10);
  g_assert_cmpmem(got, received, bytes, total);
  g_free(bytes);
  g_free(got);
}

static void test_partial_writes(void) {
  int peer;
  AioLink *link = new_socket_link(&peer);
  check_partial_writes(link, peer);
  close(peer);
  aio_link_close(link);
  RigPty pty = rig_pty_new();
  link = new_link(open(pty.path, O_RDWR | O_NOCTTY), pty.path);
  check_partial_writes(link, pty.master);
  rig_pty_clear(&pty);
  aio_link_close(link);
}

/* Writing to an end that is gone must neither hide what it said before nor raise SIGPIPE. */
static void test_bytes_before_hang_up(void) {
  int peer;
  AioLink *link = new_socket_link(&peer);
  guint8 *bytes = rig_bytes(10000);
  rig_write_fd(peer, bytes, 10000);
  close(peer);
  GError *error = NULL;
  g_assert_cmpint(aio_link_write(link, bytes, 1, &error), ==, 0);
  g_assert_no_error(error);
  RigReading reading = rig_read(link, G_MAXSIZE);
  check_bytes(&reading, bytes, 10000);
  g_assert_error(reading.error, AIO_ERROR, AIO_ERROR_GONE);
  g_assert_nonnull(strstr(reading.error->message, "socket"));
  g_assert_cmpuint(reading.polls, <=, 3);
  g_assert_cmpuint(reading.reads, <=, 6);
  check_gone_for_ever(link);
  rig_reading_clear(&reading);
  g_free(bytes);
  aio_link_close(link);
}

/* The peer only stopped reading: there is nothing to read that would tell. */
static void test_write_to_nobody(void) {
  int peer;
  AioLink *link = new_socket_link(&peer);
  shutdown(peer, SHUT_RD);
  GError *error = NULL;
  g_assert_cmpint(aio_link_write(link, (const guint8 *)"x", 1, &error), ==, -1);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  check_gone_for_ever(link);
  close(peer);
  aio_link_close(link);
}

/* A peer that closes without having read: the kernel then says "connection reset". */
static void test_reset(void) {
  int peer;
  AioLink *link = new_socket_link(&peer);
  GError *error = NULL;
  g_assert_cmpint(aio_link_write(link, (const guint8 *)"unread", 6, &error), ==, 6);
  rig_write_fd(peer, (const guint8 *)"last words", 10);
  close(peer);
  RigReading reading = rig_read(link, G_MAXSIZE);
  check_bytes(&reading, (const guint8 *)"last words", 10);
  g_assert_error(reading.error, AIO_ERROR, AIO_ERROR_GONE);
  rig_reading_clear(&reading);
  aio_link_close(link);
}

static void test_pipe(void) {
  int ends[2];
  g_assert_cmpint(pipe(ends), ==, 0);
  AioLink *link = new_link(ends[0], "pipe");
  rig_write_fd(ends[1], (const guint8 *)"abc", 3);
  close(ends[1]);
  RigReading reading = rig_read(link, G_MAXSIZE);
  check_bytes(&reading, (const guint8 *)"abc", 3);
  g_assert_error(reading.error, AIO_ERROR, AIO_ERROR_GONE);
  rig_reading_clear(&reading);
  aio_link_close(link);
}

static void test_bad_descriptor(void) {
  GError *error = NULL;
  g_assert_null(aio_link_fd_new(-1, "nothing", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_nonnull(strstr(error->message, "nothing"));
  g_clear_error(&error);
}

/* ---- pty ---- */

static AioLink *open_pty(const RigPty *pty) {
  GError *error = NULL;
  AioLink *link = aio_link_open(pty->path, 115200, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(link->klass->kind, ==, "fd");
  g_assert_cmpstr(link->name, ==, pty->path);
  return link;
}

static void test_pty_is_raw(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_pty(&pty);
  struct termios line;
  g_assert_cmpint(tcgetattr(aio_link_fd(link), &line), ==, 0);
  g_assert_cmpuint(line.c_lflag | line.c_oflag, ==, 0);
  g_assert_cmpuint(line.c_iflag, ==, IGNBRK);
  g_assert_cmpuint(line.c_cflag & (CSIZE | HUPCL | CSTOPB | PARENB | CRTSCTS), ==, CS8);
  g_assert_cmpuint(line.c_cc[VMIN], ==, 1);
  guint8 *bytes = rig_bytes(3000); /* control characters and all */
  rig_write_fd(pty.master, bytes, 3000);
  RigReading reading = rig_read(link, 3000);
  check_bytes(&reading, bytes, 3000);
  rig_reading_clear(&reading);
  g_free(bytes);
  aio_link_close(link);
  rig_pty_clear(&pty);
}

static void test_pty_hang_up(void) {
  RigPty pty = rig_pty_new();
  AioLink *link = open_pty(&pty);
  rig_write_fd(pty.master, (const guint8 *)"abc", 3);
  RigReading reading = rig_read(link, 3);
  check_bytes(&reading, (const guint8 *)"abc", 3);
  rig_reading_clear(&reading);
  rig_pty_clear(&pty);
  reading = rig_read(link, G_MAXSIZE);
  g_assert_error(reading.error, AIO_ERROR, AIO_ERROR_GONE);
  g_assert_cmpuint(reading.reads, <=, 2);
  check_gone_for_ever(link);
  rig_reading_clear(&reading);
  aio_link_close(link);
}

/* From the simulator's side: the slave is closed after it wrote. */
static void test_pty_master_hang_up(void) {
  RigPty pty = rig_pty_new();
  const int slave = open(pty.path, O_RDWR | O_NOCTTY);
  AioLink *link = new_link(pty.master, "master");
  guint8 *bytes = rig_bytes(2000);
  rig_write_fd(slave, bytes, 2000);
  close(slave);
  RigReading reading = rig_read(link, G_MAXSIZE);
  check_bytes(&reading, bytes, 2000);
  g_assert_error(reading.error, AIO_ERROR, AIO_ERROR_GONE);
  g_assert_cmpuint(reading.reads, <=, 6);
  rig_reading_clear(&reading);
  g_free(bytes);
  aio_link_close(link);
}

static void test_pty_by_symlink(void) {
  RigPty pty = rig_pty_new();
  char *folder = g_dir_make_tmp("armature-link-XXXXXX", NULL);
  char *path = g_build_filename(folder, "arm", NULL);
  g_assert_cmpint(symlink(pty.path, path), ==, 0);
  GError *error = NULL;
  AioLink *link = aio_link_open(path, 9600, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(link->name, ==, pty.path);
  aio_link_close(link);
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
  rig_pty_clear(&pty);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/link-fd/nothing-now", test_nothing_now);
  g_test_add_func("/link-fd/split-reads", test_split_reads);
  g_test_add_func("/link-fd/partial-writes", test_partial_writes);
  g_test_add_func("/link-fd/bytes-before-hang-up", test_bytes_before_hang_up);
  g_test_add_func("/link-fd/write-to-nobody", test_write_to_nobody);
  g_test_add_func("/link-fd/reset", test_reset);
  g_test_add_func("/link-fd/pipe", test_pipe);
  g_test_add_func("/link-fd/bad-descriptor", test_bad_descriptor);
  g_test_add_func("/link-fd/pty-is-raw", test_pty_is_raw);
  g_test_add_func("/link-fd/pty-hang-up", test_pty_hang_up);
  g_test_add_func("/link-fd/pty-master-hang-up", test_pty_master_hang_up);
  g_test_add_func("/link-fd/pty-by-symlink", test_pty_by_symlink);
  return g_test_run();
}
