/* SPDX-License-Identifier: MIT */
#include "support/slow_sync.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_uint delay_ms, counts[2][2], longest_ms;
static atomic_uint writer_since_ms; /* its sync under way began, 0: there is none */

void slow_sync(unsigned milliseconds) {
  delay_ms = milliseconds;
  memset(counts, 0, sizeof counts);
}

unsigned slow_syncs(bool by_writer, bool of_log) {
  return counts[by_writer][of_log];
}

__attribute__((constructor)) static void take_environment(void) {
  const char *text = getenv("ARMATURE_SYNC_MS");
  delay_ms = text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static bool is_writer(void) {
  char name[16] = "";
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 &&
         strcmp(name, "recorder") == 0;
}

static bool is_log(int fd) {
  char link[40], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path);
  return n > 4 && memcmp(path + n - 4, "-wal", 4) == 0;
}

static unsigned now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static int sync_slowly(int fd, const char *name) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const unsigned ms = delay_ms;
  const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  atomic_fetch_add(&counts[is_writer()][is_log(fd)], 1);
  const unsigned began = now_ms();
  if (is_writer())
    writer_since_ms = began;
  nanosleep(&pause, NULL);
  const int result = real(fd);
  const unsigned took = now_ms() - began;
  if (is_writer() && took > longest_ms)
    longest_ms = took;
  if (is_writer())
    writer_since_ms = 0;
  return result;
}

unsigned slow_sync_longest_ms(void) {
  const unsigned since = writer_since_ms, longest = longest_ms;
  const unsigned under_way = since ? now_ms() - since : 0;
  return under_way > longest ? under_way : longest;
}

int fsync(int fd) {
  return sync_slowly(fd, "fsync");
}

int fdatasync(int fd) {
  return sync_slowly(fd, "fdatasync");
}
