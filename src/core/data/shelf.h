/* SPDX-License-Identifier: MIT */
/* Room for what is kept of each stroke, which alone grows with a recording. It may lie outside of
 * the memory, of which a shelf then takes no more than what was looked at last: whoever goes over
 * such room says how much of it he has seen. Pointers stay good, and what is there stays as it was
 * written, however long nobody has looked.
 */
#ifndef ARMATURE_CORE_SHELF_H
#define ARMATURE_CORE_SHELF_H

#include <stddef.h>

#include "core/base/status.h"

/* Handed out by who knows where else there is room. Not for two threads at once. */
typedef struct {
  /* Zeros, aligned for any type. NULL: *status is ARM_E_MEMORY or ARM_E_SOURCE. */
  void *(*take)(void *user, size_t bytes, ArmStatus *status);
  void (*give)(void *user, void *room); /* room of `take`; it is gone */
  void (*rest)(void *user);             /* nobody looks at any of it just now */
  void *user;
  size_t seen; /* bytes since the last rest */
} ArmShelf;

/* Chosen: pages of a file come and go some hundred at a time, and the memory does not notice. */
#define ARM_SHELF_STEP ((size_t)2 << 20)
/* What one number costs that is far from all others: Linux maps in what lies around its page, too
 * (fault_around_bytes). */
#define ARM_SHELF_FAR  ((size_t)64 << 10)

/* Room for count of `size` bytes each, zeros; arm_shelf_give it.
 *   shelf  NULL: in memory
 * NULL: *status says why, as of `take`; it is not touched otherwise. */
void *arm_shelf_take(ArmShelf *shelf, size_t count, size_t size, ArmStatus *status);
void arm_shelf_give(ArmShelf *shelf, void *room); /* NULL allowed */

/* So many bytes of its room have been read or written; for loops, whatever shelf it is. */
static inline void arm_shelf_saw(ArmShelf *shelf, size_t bytes) {
  if (!shelf || (shelf->seen += bytes) < ARM_SHELF_STEP)
    return;
  shelf->seen = 0;
  shelf->rest(shelf->user);
}

/* Copies and clears, as memcpy and memset of as many numbers. */
void arm_shelf_copy(ArmShelf *shelf, double *to, const double *from, size_t count);
void arm_shelf_clear(ArmShelf *shelf, double *to, size_t count);

#endif
