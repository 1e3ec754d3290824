/* SPDX-License-Identifier: MIT */
#include "session/method/steps.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"

const AseStepRow *ase_steps_find(const AseSteps *steps, AseStep step) {
  for (guint k = 0; steps && k < steps->count; k++)
    if (steps->rows[k].step == step)
      return &steps->rows[k];
  return NULL;
}

const char *ase_steps_key(const AseSteps *steps, AseStep step) {
  const AseStepRow *row = ase_steps_find(steps, step);
  return row ? row->key : "";
}

const char *ase_steps_title(const AseSteps *steps, AseStep step) {
  const AseStepRow *row = ase_steps_find(steps, step);
  return row ? _(row->title) : "";
}

const char *ase_steps_said(const AseSteps *steps, AseStep step) {
  const AseStepRow *row = ase_steps_find(steps, step);
  return row ? aio_said_word(row->title) : "";
}

/* A step needs such above it alone. */
guint ase_steps_way_to(const AseSteps *steps, AseStep step) {
  guint way = ase_steps_find(steps, step) ? ASE_BIT(step) : 0;
  for (guint k = steps ? steps->count : 0; k-- > 0;)
    if (way & ASE_BIT(steps->rows[k].step))
      way |= steps->rows[k].needs;
  return way;
}

bool ase_step_is_result(const AseStepRow *row) {
  return (row->inputs || row->rests) && !(row->inputs & ASE_BIT(ASE_INPUT_DEVICE));
}

bool ase_step_moves(AseStep step) {
  return step == ASE_STEP_DRY_RUN || step == ASE_STEP_SWEEP;
}
