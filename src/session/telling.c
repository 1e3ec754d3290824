/* SPDX-License-Identifier: MIT */
#include "session/telling.h"

#include "io/base/said.h"

struct AseTelling {
  AseProcedure procedure;
  char *error; /* the last one, as it was said; NULL: none */
};

AseTelling *ase_telling_new(void) {
  return g_new0(AseTelling, 1);
}

void ase_telling_free(AseTelling *telling) {
  if (telling)
    g_free(telling->error);
  g_free(telling);
}

const AseProcedure *ase_telling_procedure(const AseTelling *telling) {
  return &telling->procedure;
}

void ase_telling_know(AseTelling *telling, const AseProcedure *now) {
  telling->procedure = *now;
}

/* Reasons are interned. */
static bool are_same(const AseStepInfo *a, const AseStepInfo *b, gsize n) {
  for (gsize k = 0; k < n; k++)
    if (a[k].state != b[k].state || a[k].reason != b[k].reason)
      return false;
  return true;
}

static guint find_changed(const AseProcedure *a, const AseProcedure *b) {
  guint changed = 0;
  for (AseStep step = 0; step < ASE_STEPS; step++)
    if (!are_same(&a->steps[step], &b->steps[step], 1) ||
        !are_same(a->joint[step], b->joint[step], ARM_MAX_JOINTS) ||
        ase_procedure_state(a, step) != ase_procedure_state(b, step))
      changed |= ASE_BIT(step);
  return changed;
}

guint ase_telling_take(AseTelling *telling, const AseProcedure *now) {
  const guint news = find_changed(now, &telling->procedure);
  if (news)
    ase_telling_know(telling, now);
  return news;
}

void ase_telling_error(AseTelling *telling, const char *said) {
  g_free(telling->error);
  telling->error = g_strdup(said);
}

bool ase_telling_has_error(const AseTelling *telling, const char *reason) {
  return reason ? aio_said_has(telling->error, reason) : telling->error != NULL;
}
