/* SPDX-License-Identifier: MIT */
/* An allocator that counts and, when it is told to, refuses. A program that depends on
 * failing_memory_dep (meson) has its calls of malloc, calloc, aligned_alloc and free come here by
 * the linker's --wrap; those of libraries do not. */
#ifndef ARMATURE_TESTS_FAILING_MEMORY_H
#define ARMATURE_TESTS_FAILING_MEMORY_H

enum { MEMORY_SUFFICES = -1 };

/* Counts from here on; the allocation of this number, the first being 0, gives NULL. */
void memory_begin(long refused);

/* How many allocations there were since, the refused one among them. */
long memory_allocations(void);

/* Ends it. Blocks that were allocated since and not freed; negative: more were freed. */
long memory_end(void);

#endif
