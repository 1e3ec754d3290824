/* SPDX-License-Identifier: MIT */
#include "session/session_select.h"

GArray *ase_session_exclusions(AseSession *self) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  g_array_append_vals(list, self->edits->exclusions, self->edits->n_exclusions);
  return list;
}

const AseSelection *ase_session_selection(AseSession *self) {
  const AseSelection *selection = ase_selecting_have(self->selecting);
  const GPtrArray *runs = ase_record_runs(self->record);
  if (selection || ase_motion_is_on(self->motion) || runs->len == 0)
    return selection;
  GArray *exclusions = ase_session_exclusions(self);
  selection = ase_selecting_make(self->selecting, &self->arm->model, runs, exclusions,
                                 ase_device_is_armed(self->device));
  g_array_unref(exclusions);
  return selection;
}
