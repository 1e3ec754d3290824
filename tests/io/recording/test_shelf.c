/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/resource.h>

#include "io/recording/shelf.h"
#include "support/file_limit.h"

enum { ROOM = 64 << 20, KEPT = 1 << 20 };

static int answer;     /* of the next posix_fallocate; 0: as the disk has it */
static guint answered; /* how often it is still given */

/* In place of the C library's. */
int posix_fallocate(int fd, off_t at, off_t size) {
  if (answered > 0) {
    answered--;
    return answer;
  }
  return fallocate(fd, 0, at, size) == 0 ? 0 : errno;
}

/* Room in files is zeros, and keeps what is written while nobody looks; room in memory as well. */
static void test_kept(void) {
  g_autoptr(AioShelf) shelf = aio_shelf_new_with(KEPT);
  ArmShelf *face = aio_shelf_face(shelf);
  ArmStatus status = ARM_OK;
  const gsize count = ROOM / sizeof(gsize), few = KEPT / 2 / sizeof(gsize);
  gsize *far = arm_shelf_take(face, count, sizeof *far, &status);
  gsize *near = arm_shelf_take(face, few, sizeof *near, &status);
  g_assert_true(far && near && status == ARM_OK);
  for (gsize k = 0; k < count; k++) {
    g_assert_cmpuint(far[k], ==, 0);
    far[k] = 3 * k + 1;
    near[k % few] = k;
    arm_shelf_saw(face, 2 * sizeof *far);
  }
  for (gsize k = 0; k < count; k++) {
    g_assert_cmpuint(far[k], ==, 3 * k + 1);
    arm_shelf_saw(face, sizeof *far);
  }
  g_assert_cmpuint(near[few - 1], ==, count / few * few - 1);
  arm_shelf_give(face, far);
  arm_shelf_give(face, near);
  g_assert_null(aio_shelf_error(shelf));
}

static gsize peak_of_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (gsize)usage.ru_maxrss << 10;
}

/* 256 MB that are gone over take what a program of 36 MB has left of these, or a few MB. */
static void test_memory(void) {
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
    return;
  }
  g_autoptr(AioShelf) shelf = aio_shelf_new();
  ArmShelf *face = aio_shelf_face(shelf);
  ArmStatus status = ARM_OK;
  const gsize count = 4 * (gsize)ROOM / sizeof(double), before = peak_of_memory();
  double *far = arm_shelf_take(face, count, sizeof *far, &status), sum = 0;
  g_assert_nonnull(far);
  for (int pass = 0; pass < 2; pass++)
    for (gsize k = 0; k < count; k++) {
      far[k] += 1;
      sum += far[k];
      arm_shelf_saw(face, sizeof *far);
    }
  g_assert_cmpfloat(sum, ==, 3.0 * (double)count);
  g_assert_cmpuint(peak_of_memory(), <, MAX(before, 36 << 20) + (16 << 20));
}

/* A full disk is told when room is taken; what there is stays, and there is room again later. */
static void test_full(void) {
  g_autoptr(AioShelf) shelf = aio_shelf_new_with(KEPT);
  ArmShelf *face = aio_shelf_face(shelf);
  ArmStatus status = ARM_OK;
  char *first = arm_shelf_take(face, 2 * KEPT, 1, &status);
  g_assert_nonnull(first);
  memset(first, 7, 2 * KEPT);
  test_limit_files(4 * KEPT);
  g_assert_null(arm_shelf_take(face, 8 * KEPT, 1, &status));
  test_limit_files(0);
  g_assert_cmpint(status, ==, ARM_E_SOURCE);
  g_assert_error(aio_shelf_error(shelf), AIO_ERROR, AIO_ERROR_IO);
  g_assert_nonnull(strstr(aio_shelf_error(shelf)->message, "a temporary file in "));
  for (gsize k = 0; k < 2 * KEPT; k++)
    g_assert_cmpint(first[k], ==, 7);
  char *second = arm_shelf_take(face, 8 * KEPT, 1, &status);
  g_assert_nonnull(second);
  arm_shelf_give(face, second);
}

/* A disk without room says how much is expected; signals while it is taken are no reason. */
static void test_no_space(void) {
  g_autoptr(AioShelf) shelf = aio_shelf_new_with(KEPT);
  ArmShelf *face = aio_shelf_face(shelf);
  ArmStatus status = ARM_OK;
  answer = EINTR;
  answered = 3;
  g_assert_nonnull(arm_shelf_take(face, 2 * KEPT, 1, &status));
  g_assert_cmpint(status, ==, ARM_OK);
  g_assert_cmpuint(answered, ==, 0);
  answer = ENOSPC;
  answered = 1;
  g_assert_null(arm_shelf_take(face, 25000001, 1, &status));
  g_assert_cmpint(status, ==, ARM_E_SOURCE);
  g_assert_nonnull(strstr(aio_shelf_error(shelf)->message, ": expected 26 MB free, found "));
}

/* Counts beyond all memory. */
static void test_huge(void) {
  g_autoptr(AioShelf) shelf = aio_shelf_new_with(KEPT);
  ArmStatus status = ARM_OK;
  g_assert_null(arm_shelf_take(aio_shelf_face(shelf), G_MAXSIZE / 2, 8, &status));
  g_assert_cmpint(status, ==, ARM_E_MEMORY);
  g_assert_null(arm_shelf_take(NULL, G_MAXSIZE / 8, 4, &status));
  g_assert_cmpint(status, ==, ARM_E_MEMORY);
}

/* No folder for temporary files. */
static void test_nowhere(void) {
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
    return;
  }
  g_setenv("TMPDIR", "/nowhere/at/all", TRUE);
  g_autoptr(AioShelf) shelf = aio_shelf_new_with(KEPT);
  ArmStatus status = ARM_OK;
  g_assert_null(arm_shelf_take(aio_shelf_face(shelf), 2 * KEPT, 1, &status));
  g_assert_cmpint(status, ==, ARM_E_SOURCE);
  g_assert_nonnull(strstr(aio_shelf_error(shelf)->message, "/nowhere/at/all"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/shelf/kept", test_kept);
  g_test_add_func("/shelf/memory", test_memory);
  g_test_add_func("/shelf/full", test_full);
  g_test_add_func("/shelf/no-space", test_no_space);
  g_test_add_func("/shelf/huge", test_huge);
  g_test_add_func("/shelf/nowhere", test_nowhere);
  return g_test_run();
}
