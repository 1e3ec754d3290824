/* SPDX-License-Identifier: MIT */
#include "ui/kit/steps.h"

#include <glib/gi18n.h>

#include "io/base/said.h"

typedef struct {
  const char *key, *title;
  AseStep first, last; /* steps in the order of the procedure */
  AseStep needed;      /* passed up to here, the page has passed */
} Page;

static const Page pages[AUI_SCREENS] = {
    [AUI_SCREEN_CONNECT] = {"connect", N_("Connect"), ASE_STEP_CONNECT, ASE_STEP_CHECK,
                            ASE_STEP_CHECK},
    [AUI_SCREEN_ARM] = {"arm", N_("Arm"), ASE_STEP_CONFIGURE, ASE_STEP_CONFIGURE,
                        ASE_STEP_CONFIGURE},
    [AUI_SCREEN_PLAN] = {"plan", N_("Plan"), ASE_STEP_PLAN, ASE_STEP_PLAN, ASE_STEP_PLAN},
    [AUI_SCREEN_SWEEP] = {"sweep", N_("Sweep"), ASE_STEP_DRY_RUN, ASE_STEP_SWEEP, ASE_STEP_SWEEP},
    [AUI_SCREEN_FIT] = {"fit", N_("Fit"), ASE_STEP_FIT, ASE_STEP_FIT, ASE_STEP_FIT},
    [AUI_SCREEN_VALIDATE] = {"validate", N_("Validate"), ASE_STEP_VALIDATE, ASE_STEP_VALIDATE,
                             ASE_STEP_VALIDATE},
    [AUI_SCREEN_EXPORT] = {"export", N_("Export"), ASE_STEP_EXPORT, ASE_STEP_VERIFY,
                           ASE_STEP_EXPORT},
};

typedef struct {
  const char *text, *icon, *css_class;
} State;

static const State states[ASE_STATES] = {
    [ASE_STATE_WAITING] = {N_("not started"), "aui-hollow-symbolic", "dim-label"},
    [ASE_STATE_READY] = {N_("ready"), "aui-dot-symbolic", "accent"},
    [ASE_STATE_RUNNING] = {N_("running"), "aui-running-symbolic", "accent"},
    [ASE_STATE_PASSED] = {N_("passed"), "aui-passed-symbolic", "success"},
    [ASE_STATE_FAILED] = {N_("failed"), "aui-failed-symbolic", "error"},
    [ASE_STATE_STALE] = {N_("stale"), "aui-stale-symbolic", "warning"},
    [ASE_STATE_UNJUDGED] = {N_("not judged"), "aui-why-symbolic", "warning"},
};

const char *aui_screen_key(AuiScreen page) {
  return pages[page].key;
}

const char *aui_screen_title(AuiScreen page) {
  return _(pages[page].title);
}

const char *aui_state_text(AseStepState state) {
  return _(states[state].text);
}

const char *aui_state_icon(AseStepState state) {
  return states[state].icon;
}

const char *aui_state_class(AseStepState state) {
  return states[state].css_class;
}

/* The step that tells most of the page. */
static AseStep decisive_step(const AseProcedure *procedure, const Page *page) {
  static const AseStepState loud[] = {ASE_STATE_RUNNING, ASE_STATE_FAILED, ASE_STATE_STALE};
  for (gsize k = 0; k < G_N_ELEMENTS(loud); k++)
    for (AseStep step = page->first; step <= page->last; step++)
      if (ase_procedure_state(procedure, step) == loud[k])
        return step;
  AseStep step = page->first;
  while (step < page->needed && ase_state_is_done(ase_procedure_state(procedure, step)))
    step++;
  return step;
}

AseStepState aui_screen_state(const AseProcedure *procedure, AuiScreen page, char **reason) {
  const AseStep step = decisive_step(procedure, &pages[page]);
  const AseStepState state = ase_procedure_state(procedure, step);
  const char *text = ase_step_reason(&procedure->steps[step]);
  g_autofree char *said =
      state == ASE_STATE_WAITING ? ase_procedure_missing_said(procedure, step) : NULL;
  g_autofree char *missing = said ? aio_said_line(said) : NULL;
  if (missing)
    text = missing;
  const char *title = pages[page].first == pages[page].last ? "" : ase_step_title(step);
  if (state == ASE_STATE_READY)
    text = "";
  if (!*text)
    text = aui_state_text(state);
  *reason = *title ? g_strdup_printf(_("%s: %s"), title, text) : g_strdup(text);
  return state;
}
