/* SPDX-License-Identifier: MIT */
/* The one computation that a step is waiting for, in a thread, and how long it may still take.
 * Everything in the thread (and default main context) that made it. */
#ifndef ARMATURE_SESSION_WORK_H
#define ARMATURE_SESSION_WORK_H

#include "session/base/job.h"
#include "session/procedure.h"

typedef struct AseWork AseWork;

/* progress: part 0..1, and seconds left, NAN: not known yet. object: whom it tells; it frees this
 * at its end. */
AseWork *ase_work_new(gpointer object,
                      void (*progress)(gpointer object, AseStep step, double part, double left_s));
void ase_work_free(AseWork *work); /* NULL allowed */

/* Nothing is going on. Of the task, progress and ctx are not looked at: `done` gets the object, and
 * calls ase_work_end. */
void ase_work_start(AseWork *work, AseStep step, const AseJobTask *task);
void ase_work_cancel(AseWork *work); /* nothing where nothing is going on */
/* From within `done`: its result is in, and it is in nobody's way any more. */
void ase_work_be_over(AseWork *work);
/* It is over; or, the program ending, it is not waited for. */
void ase_work_end(AseWork *work);

bool ase_work_is_on(const AseWork *work);
AseStep ase_work_step(const AseWork *work); /* that it is for, while it is on */

#endif
