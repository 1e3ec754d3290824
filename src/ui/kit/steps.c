/* SPDX-License-Identifier: MIT */
/* Pages are fixed, steps are the method's: a page shows those of its steps that there are. */
#include "ui/kit/steps.h"

#include <glib/gi18n.h>

#include "io/base/said.h"

typedef struct {
  const char *key;
  guint steps;          /* ASE_BIT of those that it shows */
  AseStep head, needed; /* has its title; passed up to here, the page has passed */
} Page;

#define STEP(name) ASE_BIT(ASE_STEP_##name)

static const Page pages[AUI_SCREENS] = {
    [AUI_SCREEN_CONNECT] = {"connect", STEP(CONNECT) | STEP(DESCRIBE) | STEP(CHECK),
                            ASE_STEP_CONNECT, ASE_STEP_CHECK},
    [AUI_SCREEN_ARM] = {"arm", STEP(CONFIGURE), ASE_STEP_CONFIGURE, ASE_STEP_CONFIGURE},
    [AUI_SCREEN_PLAN] = {"plan", STEP(PLAN), ASE_STEP_PLAN, ASE_STEP_PLAN},
    [AUI_SCREEN_SWEEP] = {"sweep", STEP(DRY_RUN) | STEP(SWEEP), ASE_STEP_SWEEP, ASE_STEP_SWEEP},
    [AUI_SCREEN_FIT] = {"fit", STEP(FIT), ASE_STEP_FIT, ASE_STEP_FIT},
    [AUI_SCREEN_VALIDATE] = {"validate", STEP(VALIDATE), ASE_STEP_VALIDATE, ASE_STEP_VALIDATE},
    [AUI_SCREEN_EXPORT] = {"export", STEP(EXPORT) | STEP(UPLOAD) | STEP(VERIFY), ASE_STEP_EXPORT,
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

/* The k-th of its steps that the method has; NULL: there are no more. */
static const AseStepRow *row_of(const AseSteps *table, AuiScreen page, guint k) {
  for (guint r = 0; table && r < table->count; r++)
    if (pages[page].steps & ASE_BIT(table->rows[r].step) && k-- == 0)
      return &table->rows[r];
  return NULL;
}

guint aui_screens_of(const AseSteps *table, AuiScreen screens[AUI_SCREENS]) {
  guint count = 0, seen = 0;
  for (guint r = 0; table && r < table->count; r++)
    for (AuiScreen page = 0; page < AUI_SCREENS; page++)
      if (pages[page].steps & ASE_BIT(table->rows[r].step) && !(seen & ASE_BIT(page))) {
        seen |= ASE_BIT(page);
        screens[count++] = page;
      }
  return count;
}

const char *aui_screen_title(const AseSteps *table, AuiScreen page) {
  const AseStepRow *first = row_of(table, page, 0);
  const char *title = ase_steps_title(table, pages[page].head);
  return *title || !first ? title : ase_steps_title(table, first->step);
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
static AseStep decisive_step(const AseProcedure *procedure, AuiScreen page) {
  static const AseStepState loud[] = {ASE_STATE_RUNNING, ASE_STATE_FAILED, ASE_STATE_STALE};
  const AseSteps *table = procedure->table;
  const AseStepRow *row;
  AseStep decisive = pages[page].needed;
  for (gsize k = 0; k < G_N_ELEMENTS(loud); k++)
    for (guint r = 0; (row = row_of(table, page, r)); r++)
      if (ase_procedure_state(procedure, row->step) == loud[k])
        return row->step;
  for (guint k = 0; (row = row_of(table, page, k)); k++) {
    decisive = row->step;
    if (decisive == pages[page].needed ||
        !ase_state_is_done(ase_procedure_state(procedure, decisive)))
      break;
  }
  return decisive;
}

AseStepState aui_screen_state(const AseProcedure *procedure, AuiScreen page, char **reason) {
  const AseStep step = decisive_step(procedure, page);
  const AseStepState state = ase_procedure_state(procedure, step);
  const char *text = ase_step_reason(&procedure->steps[step]);
  g_autofree char *said =
      state == ASE_STATE_WAITING ? ase_procedure_missing_said(procedure, step) : NULL;
  g_autofree char *missing = said ? aio_said_line(said) : NULL;
  if (missing)
    text = missing;
  const bool is_only_one = !row_of(procedure->table, page, 1);
  const char *title = is_only_one ? "" : ase_steps_title(procedure->table, step);
  if (state == ASE_STATE_READY)
    text = "";
  if (!*text)
    text = aui_state_text(state);
  *reason = *title ? g_strdup_printf(_("%s: %s"), title, text) : g_strdup(text);
  return state;
}
