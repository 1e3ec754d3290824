/* SPDX-License-Identifier: MIT */
#include "session/base/weak.h"

GWeakRef *ase_weak_new(gpointer object) {
  GWeakRef *ref = g_new(GWeakRef, 1);
  g_weak_ref_init(ref, object);
  return ref;
}

gpointer ase_weak_take(GWeakRef *ref) {
  gpointer object = g_weak_ref_get(ref);
  g_weak_ref_clear(ref);
  g_free(ref);
  return object;
}
