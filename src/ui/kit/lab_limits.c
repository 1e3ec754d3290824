/* SPDX-License-Identifier: MIT */
#include "ui/kit/lab_limits.h"

#include <glib/gi18n.h>

#include "io/params/verdict_file.h"
#include "ui/kit/settings.h"

#define KEY "misfit-limits"

void aui_lab_limits_begin(AseSession *session) {
  g_autofree char *text = g_settings_get_string(aui_settings(), KEY);
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(session), sizeof *edits);
  g_autoptr(GError) error = NULL;
  ArmVerdictLimits limits;
  if (!*text)
    return;
  if (!aio_limits_parse(KEY, text, &limits, &error)) {
    g_warning("%s", error->message); /* edited by hand: a session begins all the same */
    return;
  }
  ase_edits_take_limits(edits, &limits);
  if (ase_edits_difference(edits, ase_session_edits(session)))
    ase_session_set_edits(session, edits, _("change what is accepted"));
}

void aui_lab_limits_keep(AseSession *session) {
  const AseEdits *edits = ase_session_edits(session);
  ArmVerdictLimits limits = edits->misfit;
  limits.validation_relative = 0.01 * edits->validation_percent;
  g_autofree char *text = aio_limits_text(&limits);
  g_settings_set_string(aui_settings(), KEY, text);
}
