/* SPDX-License-Identifier: MIT */
/* What has to hold of a controller's parameters after its restart. */
#ifndef ARMATURE_SESSION_PROOF_H
#define ARMATURE_SESSION_PROOF_H

#include <glib.h>

enum { ASE_SERIAL_BYTES = 64 };

/* Plain data: kept in a file. */
typedef struct {
  char serial[ASE_SERIAL_BYTES];
  guint32 digest;     /* of the set written */
  guint32 boot_count; /* when it was written */
} AseTransferProof;

#endif
