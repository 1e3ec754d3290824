/* SPDX-License-Identifier: MIT */
/* What was told of the steps, as signals and file know them, and the last error. One thread. */
#ifndef ARMATURE_SESSION_TELLING_H
#define ARMATURE_SESSION_TELLING_H

#include "session/procedure.h"

typedef struct AseTelling AseTelling;

AseTelling *ase_telling_new(void);          /* of no joints and no steps */
void ase_telling_free(AseTelling *telling); /* NULL allowed */

/* Borrowed. */
const AseProcedure *ase_telling_procedure(const AseTelling *telling);
/* Nobody has to be told: it is known as it is. */
void ase_telling_know(AseTelling *telling, const AseProcedure *now);
/* The steps of which a state or reason is news, bit AseStep each; then all of it is known. 0: none,
 * and what was told stays what it was. */
guint ase_telling_take(AseTelling *telling, const AseProcedure *now);

/* An error is told: a sentence of io/base/said. */
void ase_telling_error(AseTelling *telling, const char *said);
/* Is the reason, a sentence, a part of the last error? NULL: was there an error? */
bool ase_telling_has_error(const AseTelling *telling, const char *reason);

#endif
