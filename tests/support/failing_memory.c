/* SPDX-License-Identifier: MIT */
#include "support/failing_memory.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_counting;
static long allocations, live, refused_at;

void memory_begin(long refused) {
  is_counting = true;
  allocations = live = 0;
  refused_at = refused;
}

long memory_allocations(void) {
  return allocations;
}

long memory_end(void) {
  is_counting = false;
  return live;
}

/* ---- by linker --wrap ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

static bool refuse(void) {
  return is_counting && allocations++ == refused_at;
}

static void *counted(void *p) {
  live += is_counting && p != NULL;
  return p;
}

void *__wrap_malloc(size_t size) {
  return refuse() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return refuse() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuse() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *p) {
  live -= is_counting && p != NULL;
  __real_free(p);
}
