/* SPDX-License-Identifier: MIT */
/* Keeps the computer from suspending, by logind's inhibitor lock; does nothing where there is no
 * logind. */
#ifndef ARMATURE_SESSION_INHIBIT_H
#define ARMATURE_SESSION_INHIBIT_H

typedef struct AseInhibit AseInhibit;

/* Never waits: the lock is there a moment later. Never NULL. */
AseInhibit *ase_inhibit_new(const char *why);
void ase_inhibit_free(AseInhibit *inhibit); /* NULL allowed; lets go */

#endif
