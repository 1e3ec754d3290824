/* SPDX-License-Identifier: MIT */
/* Inside transfer*.c only. */
#ifndef ARMATURE_SESSION_TRANSFER_INTERNAL_H
#define ARMATURE_SESSION_TRANSFER_INTERNAL_H

#include "session/transfer/transfer.h"

typedef enum { TASK_NONE, TASK_READ, TASK_UPLOAD, TASK_RESTORE, TASK_VERIFY } Task;

typedef enum {
  STEP_BEGIN,
  STEP_READ,
  STEP_WRITE,
  STEP_CHECK, /* reading again what the controller has now */
  STEP_RESTART
} Step;

struct _AseTransfer {
  GObject parent;
  AseDevice *device;
  char *directory;

  Task task;
  Step step;
  bool is_cancelled, is_asking;
  guint source;       /* begins, polls */
  gint64 deadline_us; /* of waiting; G_MAXINT64: for the user */
  char *failure;      /* of the upload */
  AioParam *restored; /* by a restore */
  guint n_restored;
  double *before, *after; /* n_set of both: expected in the controller, wanted there */
  guint n_set;
  bool may_restart;
  AseTransferProof expected; /* of a verification */

  AioParam *params;
  guint n;
  guint32 digest, stored;
  char *path;
  GArray *differences;
  GPtrArray *missing;
  bool has_proof;
  AseTransferProof proof;
};

/* Does what the task needs, step by step; ends in ase_transfer_finish. */
void ase_transfer_run(AseTransfer *self);

/* Ends the task; takes the sentence over. */
void ase_transfer_finish(AseTransfer *self, bool is_done, char *text);
void ase_transfer_progress(AseTransfer *self, const char *what, double part);

/* NULL: not connected now. */
const AioDescription *ase_transfer_ready(AseTransfer *self);

#endif
