/* SPDX-License-Identifier: MIT */
/* The search for what may cause a misfit: a job in a thread, and what is known of it. It knows no
 * steps and no results; whether there is a misfit is its owner's question. Everything in the thread
 * (and default main context) that made it. */
#ifndef ARMATURE_SESSION_DIAGNOSING_H
#define ARMATURE_SESSION_DIAGNOSING_H

#include "core/sweeps/ident.h"
#include "session/method/diagnosis.h"

#include <glib.h>

typedef struct AseDiagnosing AseDiagnosing;

/* What is looked through: the rows of a fit, which is made once more. */
typedef struct {
  const ArmModel *model; /* copied */
  GPtrArray *runs;       /* of AseRun that have ended; taken over */
  GArray *exclusions;    /* of AseExclusion; taken over */
  ArmFitOptions options; /* of progress and diagnosis nothing is looked at */
  bool is_together;      /* of sweeps to fit and to validate, as if they were one recording */
} AseDiagnosingTask;

/* changed: what is told is different. object: a GObject, which frees this at its end, and is kept
 * while it is told. */
AseDiagnosing *ase_diagnosing_new(gpointer object, void (*changed)(gpointer object));
void ase_diagnosing_free(AseDiagnosing *diagnosing); /* NULL allowed */

/* Nobody looks for it yet. `changed` comes before it returns. */
void ase_diagnosing_start(AseDiagnosing *diagnosing, const AseDiagnosingTask *task);
bool ase_diagnosing_is_on(const AseDiagnosing *diagnosing);
/* Borrowed, never NULL, stays. */
const AseDiagnosis *ase_diagnosing_told(const AseDiagnosing *diagnosing);

/* `changed` follows; nothing where nobody looks for it. */
void ase_diagnosing_cancel(AseDiagnosing *diagnosing);
/* Arm, samples or fit are others: the same, and what was found is not known any more, of which
 * nothing is told. */
void ase_diagnosing_forget(AseDiagnosing *diagnosing);
/* The program ends: nobody looks for it any more, and nothing is told. */
void ase_diagnosing_stop(AseDiagnosing *diagnosing);

#endif
