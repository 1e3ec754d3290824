/* SPDX-License-Identifier: MIT */
#include "stalls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/slow_sync.h"

#define MS G_GINT64_CONSTANT(1000000)

enum { PERIOD_MS = 10, LATE_MS = 20, ROOM = 8192, THREADS = 64 };

/* Who looks, and who works when the others do not. */
static const char *const others[] = {"stalls", "checkpointer"};

typedef struct {
  gint64 from, until; /* ns */
} Gap;

/* Written by the child's thread; what it has written by halves when it is killed does not count. */
struct Stalls {
  _Atomic gint64 looked; /* last; 0: not yet */
  atomic_bool waits;     /* so it was then */
  _Atomic gint64 late;   /* the longest from one look to the next */
  atomic_uint longest_sync_ms, n;
  Gap gaps[ROOM];
};

Stalls *stalls_new(void) {
  void *memory =
      mmap(NULL, sizeof(Stalls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    g_error("no memory to share");
  return memory;
}

void stalls_free(Stalls *stalls) {
  munmap(stalls, sizeof *stalls);
}

/* Name, state and used time [clock ticks] of a thread, as proc(5) has them. */
static bool read_thread(const char *id, char name[16], char *state, gulong *used) {
  char path[64], text[512];
  gulong user = 0, system = 0;
  g_snprintf(path, sizeof path, "/proc/self/task/%s/stat", id);
  FILE *file = fopen(path, "re");
  const gsize n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file)
    fclose(file);
  text[n] = 0;
  const char *open = strchr(text, '('), *close = strrchr(text, ')');
  if (!open || !close || close - open > 16)
    return false;
  g_strlcpy(name, open + 1, (gsize)(close - open));
  const int found = sscanf(close + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", state,
                           &user, &system);
  *used = user + system;
  return found == 3;
}

static bool is_watched(const char *name) {
  bool is = true;
  for (guint k = 0; k < G_N_ELEMENTS(others); k++)
    is = is && strcmp(name, others[k]) != 0;
  return is;
}

/* For the disk, or to be let run: who runs uses time. */
static bool is_kept_waiting(gulong used[THREADS]) {
  bool waits = false;
  GDir *dir = g_dir_open("/proc/self/task", 0, NULL);
  for (const char *id; dir && (id = g_dir_read_name(dir));) {
    char name[16], state = 0;
    gulong now = 0, *before = &used[strtoul(id, NULL, 10) % THREADS];
    if (!read_thread(id, name, &state, &now) || !is_watched(name))
      continue;
    waits |= state == 'D' || (state == 'R' && now == *before);
    *before = now;
  }
  if (dir)
    g_dir_close(dir);
  return waits;
}

static void add(Stalls *s, Gap gap) {
  const guint n = atomic_load(&s->n);
  if (n == ROOM)
    return;
  s->gaps[n] = gap;
  atomic_store(&s->n, n + 1);
}

static gpointer look(gpointer data) {
  Stalls *s = data;
  gulong used[THREADS] = {0};
  for (gint64 last = 1000 * g_get_monotonic_time(), now;; last = now) {
    g_usleep(1000 * PERIOD_MS);
    const bool waits = is_kept_waiting(used);
    now = 1000 * g_get_monotonic_time();
    if (waits)
      add(s, (Gap){last, now});
    else if (now - last > LATE_MS * MS)
      add(s, (Gap){last + PERIOD_MS * MS, now});
    if (now - last > atomic_load(&s->late))
      atomic_store(&s->late, now - last);
    atomic_store(&s->longest_sync_ms, slow_sync_longest_ms());
    atomic_store(&s->waits, waits);
    atomic_store(&s->looked, now);
  }
  return NULL;
}

void stalls_watch(Stalls *stalls) {
  g_thread_unref(g_thread_new("stalls", look, stalls));
}

static double ms_within(Gap gap, gint64 from) {
  return 1e-6 * (double)MAX(gap.until - MAX(gap.from, from), 0);
}

StallsSeen stalls_seen(const Stalls *stalls, gint64 from, gint64 until) {
  const gint64 looked = atomic_load(&stalls->looked);
  StallsSeen seen = {.late = 1e-6 * (double)atomic_load(&stalls->late),
                     .sync = atomic_load(&stalls->longest_sync_ms)};
  for (guint k = 0; k < atomic_load(&stalls->n); k++)
    seen.waited += ms_within(stalls->gaps[k], from);
  if (looked) {
    const gint64 due = looked + (atomic_load(&stalls->waits) ? 0 : PERIOD_MS * MS);
    seen.waited += ms_within((Gap){due, until}, from);
    seen.late = MAX(seen.late, 1e-6 * (double)(until - looked));
  }
  return seen;
}
