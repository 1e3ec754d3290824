/* SPDX-License-Identifier: MIT */
/* A transfer to a simulated controller, and waiting for its end. Failures are failures of the
 * test. */
#ifndef ARMATURE_TESTS_SESSION_TRANSFER_CASE_H
#define ARMATURE_TESTS_SESSION_TRANSFER_CASE_H

#include "rig.h"
#include "session/transfer/transfer.h"

typedef struct {
  Rig rig;
  AseTransfer *transfer;
  char *folder;
  bool has_finished, is_done;
  char *text;
  void (*on_writing)(void *data), (*on_checking)(void *data); /* amid a task; data: the case */
  guint prompts;                                              /* "switch it off" */
  int cable; /* a second descriptor of the host's end */
} Case;

/* comes_back: the link is opened again when it is lost. */
Case *case_new(bool comes_back);
void case_free(Case *c);

/* Another transfer of the same device. */
void case_set_folder(Case *c, const char *folder);

void case_wait_end(Case *c, bool is_done);
void case_expect_text(const Case *c, const char *part);

/* Reads: the values as the controller has them now; g_free. */
double *case_values(Case *c, guint *n);
void case_expect_values(Case *c, const double *values);

/* Reads, then gives every parameter that may be written another value. */
AseParamSet *case_other_set(Case *c, double scale);

void case_upload(Case *c, const AseParamSet *set, bool is_done);

#endif
