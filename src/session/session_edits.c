/* SPDX-License-Identifier: MIT */
/* The arm, edits and undo. An edit is one value that replaces another: what it makes stale follows
 * from the difference (procedure.c), so that undo and redo need no code of their own. */
#include "session/session_edits.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/session_record.h"
#include "session/session_select.h"
#include "session/session_standing.h"

void ase_session_take_arm(AseSession *self, AioArm *arm, char *arm_text) {
  aio_arm_free(self->arm);
  self->arm = arm;
  ase_editor_take_arm_text(self->editor, arm_text);
  ase_selecting_forget(self->selecting);
}

static bool may_have_arm(AseSession *self, const AioArm *arm, GError **error) {
  if (ase_motion_is_on(self->motion))
    return ase_session_refuse(error, N_("the arm moves; stop it before its description is edited"));
  if (arm->model.n == self->arm->model.n || ase_record_runs(self->record)->len == 0)
    return true;
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      N_("this session has measurements of an arm with %zu joints, the new arm file has %zu; "
         "begin a new session for it"),
      self->arm->model.n, arm->model.n);
  return false;
}

/* What rests on the inputs: stops what is being done with them, makes stale what was done. */
static void inputs_changed(AseSession *self, guint inputs) {
  const guint planning = 1u << ASE_INPUT_LIMITS | 1u << ASE_INPUT_PLAN | 1u << ASE_INPUT_ARM;
  const guint data = 1u << ASE_INPUT_DATA | 1u << ASE_INPUT_ARM | 1u << ASE_INPUT_FRICTION |
                     1u << ASE_INPUT_MISFIT;
  const guint judgement = 1u << ASE_INPUT_JUDGEMENT;
  if (inputs & planning)
    ase_following_outdate(self->following);
  if (ase_motion_is_on(self->motion) && inputs & planning) {
    ase_motion_stop(self->motion);
    ase_session_say(self, 1,
                    N_("the arm was stopped, because ranges, speeds or the plan have changed"));
  }
  const AseStep computing = ase_work_step(self->work);
  if (ase_work_is_on(self->work) && inputs & (computing == ASE_STEP_PLAN       ? planning
                                              : computing == ASE_STEP_VALIDATE ? data | judgement
                                                                               : data))
    ase_work_cancel(self->work);
  if (inputs & planning)
    ase_planned_forget(self->planned);
  if (inputs & data)
    ase_diagnosing_forget(self->diagnosing);
  for (guint k = 0; k < ASE_INPUTS; k++)
    if (inputs >> k & 1)
      ase_procedure_changed(self->procedure, (AseInput)k, NULL);
}

void ase_session_configure(AseSession *self) {
  for (guint k = 0; k < self->arm->warnings->len; k++)
    ase_session_say(self, 1, "%s", aio_said_plain(self->arm->warnings->pdata[k]));
  ase_procedure_pass(self->procedure, ASE_STEP_CONFIGURE, 0, aio_said_plain(self->arm->name));
}

/* The state that an edit, undo or redo leads to. arm NULL: the same; else it and its text are taken
 * over, on failure freed. "changed" is the caller's, once it is known what can be undone. */
static bool change(AseSession *self, AioArm *arm, const char *arm_text, const AseEdits *edits,
                   GError **error) {
  if (arm && !may_have_arm(self, arm, error)) {
    aio_arm_free(arm);
    return false;
  }
  guint inputs = ase_edits_difference(self->edits, edits) | (arm ? 1u << ASE_INPUT_ARM : 0);
  char *text = g_strdup(arm_text);
  const bool is_other = arm && arm->model.n != self->arm->model.n;
  if (inputs)
    ase_session_remember_standing(self);
  inputs_changed(self, inputs);
  memcpy(self->edits, edits, sizeof *edits);
  if (inputs & 1u << ASE_INPUT_DATA)
    ase_selecting_outdate(self->selecting);
  if (arm) {
    ase_session_take_arm(self, arm, g_steal_pointer(&text));
    if (is_other) {
      ase_procedure_init(self->procedure, self->procedure->table, (guint)arm->model.n);
      ase_results_clear(self->results);
      ase_diagnosing_forget(self->diagnosing);
    }
    ase_contact_compare_arm(self->contact);
    ase_session_configure(self);
  }
  ase_session_return_to_standing(self);
  g_free(text);
  ase_session_write_edits(self, arm != NULL);
  ase_session_sync(self);
  return true;
}

static bool may_edit(AseSession *self, GError **error) {
  if (ase_record_is_read_only(self->record) || ase_record_is_closed(self->record))
    return ase_session_refuse(error,
                              N_("this session is open for reading only; nothing was changed"));
  return true;
}

/* What was free stays free as far as the new arm's limits allow. A plan that was proposed for the
 * arm before is to be proposed anew; what was swept by it stays what it is, to be fitted again. */
static void fit_edits_to(AseEdits *edits, const ArmModel *model) {
  AseFreedom freedom;
  ase_freedom_init(&freedom, model);
  for (gsize j = 0; j < model->n; j++) {
    edits->low[j] = fmax(edits->low[j], freedom.low[j]);
    edits->high[j] = fmin(edits->high[j], freedom.high[j]);
  }
  edits->is_outdated = edits->is_proposed;
}

bool ase_session_set_arm_as(AseSession *self, const char *arm_text, const char *what,
                            GError **error) {
  if (!may_edit(self, error))
    return false;
  AioArm *arm =
      aio_arm_load_bytes(ase_editor_arm_name(self->editor), arm_text, strlen(arm_text), error);
  if (!arm)
    return false;
  AseEdits *edits = g_memdup2(self->edits, sizeof *self->edits);
  if (arm->model.n == self->arm->model.n)
    fit_edits_to(edits, &arm->model);
  else
    ase_edits_init(edits, &arm->model);
  char *before_text = g_strdup(ase_editor_arm_json(self->editor));
  AseEdits *before = g_memdup2(self->edits, sizeof *self->edits);
  const bool ok = change(self, arm, arm_text, edits, error);
  if (ok) {
    ase_undo_push(ase_editor_undo(self->editor), what, before_text, before);
    ase_session_emit_changed(self);
  }
  g_free(before_text);
  g_free(before);
  g_free(edits);
  return ok;
}

bool ase_session_set_arm(AseSession *self, const char *arm_text, GError **error) {
  return ase_session_set_arm_as(self, arm_text, _("edit the arm"), error);
}

void ase_session_set_edits(AseSession *self, const AseEdits *edits, const char *what) {
  GError *error = NULL;
  if (!may_edit(self, &error)) {
    ase_session_say(self, 1, "%s", aio_error_said(error));
    g_error_free(error);
    return;
  }
  AseEdits *next = g_memdup2(edits, sizeof *edits);
  if (!next->has_plan || ase_plan_differs(&next->plan, &self->edits->plan))
    next->is_proposed = false;
  const guint inputs = ase_edits_difference(self->edits, next);
  next->is_outdated = next->is_proposed && (next->is_outdated || inputs & 1u << ASE_INPUT_LIMITS);
  ase_editor_remember(self->editor, what, self->edits);
  change(self, NULL, NULL, next, NULL);
  ase_session_emit_changed(self);
  g_free(next);
}

static void swap(AseSession *self, bool is_redo) {
  const char *arm_text;
  const AseEdits *edits;
  GError *error = NULL;
  if (!ase_undo_what(ase_editor_undo(self->editor), is_redo))
    return;
  bool ok = may_edit(self, &error);
  ase_undo_peek(ase_editor_undo(self->editor), is_redo, &arm_text, &edits);
  char *before_text = g_strdup(ase_editor_arm_json(self->editor));
  AseEdits *before = g_memdup2(self->edits, sizeof *self->edits);
  AioArm *arm = NULL;
  if (ok && strcmp(arm_text, before_text) != 0) {
    arm =
        aio_arm_load_stored(ase_editor_arm_name(self->editor), arm_text, strlen(arm_text), &error);
    ok = arm != NULL;
  }
  if (ok && change(self, arm, arm_text, edits, &error)) {
    ase_undo_swap(ase_editor_undo(self->editor), is_redo, before_text, before);
    ase_session_emit_changed(self);
  } else {
    ase_session_say(self, 1, "%s", aio_error_said(error));
    g_error_free(error);
  }
  g_free(before_text);
  g_free(before);
}

static bool can(AseSession *self, bool is_redo, const char **what) {
  const char *words = ase_record_is_read_only(self->record)
                          ? NULL
                          : ase_undo_what(ase_editor_undo(self->editor), is_redo);
  if (what)
    *what = words;
  return words != NULL;
}

bool ase_session_can_undo(AseSession *self, const char **what) {
  return can(self, false, what);
}
bool ase_session_can_redo(AseSession *self, const char **what) {
  return can(self, true, what);
}
void ase_session_undo(AseSession *self) {
  swap(self, false);
}
void ase_session_redo(AseSession *self) {
  swap(self, true);
}
