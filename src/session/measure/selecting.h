/* SPDX-License-Identifier: MIT */
/* The selection of what was measured, made when it is asked for and kept. Its samples come from the
 * disk, once for each run and its exclusions: who must not wait for that has it made in a thread.
 * Everything in the thread (and default main context) that made it. */
#ifndef ARMATURE_SESSION_SELECTING_H
#define ARMATURE_SESSION_SELECTING_H

#include "session/measure/selection.h"

typedef struct AseSelecting AseSelecting;

/* changed: a selection that was made in a thread is there, or is to be asked for again.
 * object: a GObject, which frees this at its end, and is kept while it is told. */
AseSelecting *ase_selecting_new(gpointer object, void (*changed)(gpointer object));
void ase_selecting_free(AseSelecting *selecting); /* NULL allowed */
/* The thread ends; `changed` is not called any more. */
void ase_selecting_stop(AseSelecting *selecting);

/* NULL: it is to be made. Borrowed. */
const AseSelection *ase_selecting_have(const AseSelecting *selecting);
/* There is none: makes it of the sweeps that are measured. NULL: there is nothing to select; or it
 * is being made in a thread, and `changed` follows.
 *   runs, exclusions  as ase_selection_new; what the thread needs of them is kept */
const AseSelection *ase_selecting_make(AseSelecting *selecting, const ArmModel *model,
                                       const GPtrArray *runs, const GArray *exclusions,
                                       bool in_thread);
/* Somebody made it meanwhile; a reference is taken. */
void ase_selecting_take(AseSelecting *selecting, AseSelection *selection);

/* Another arm: it is to be made anew. */
void ase_selecting_forget(AseSelecting *selecting);
/* Other runs or exclusions: it is to be made again, of what is new in them. */
void ase_selecting_outdate(AseSelecting *selecting);

#endif
