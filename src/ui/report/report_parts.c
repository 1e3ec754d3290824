/* SPDX-License-Identifier: MIT */
/* The parts with tables: procedure, parameters, quality, validation. Units are printed as people
 * write them ("s²"), files say ^2. */
#include "ui/report/report_parts.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/base/text.h"
#include "ui/kit/format.h"

static const ArmModel *model_of(AseSession *session) {
  return &ase_session_arm(session)->model;
}

/* ---- how it was measured ---- */

typedef struct {
  guint holds, sweeps, held_out;
  double low, high;
  GArray *speeds; /* of double, each once */
} Swept;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void add_speed(GArray *speeds, double speed) {
  for (guint k = 0; k < speeds->len; k++)
    if (fabs(g_array_index(speeds, double, k) - speed) <= 1e-6 * speed)
      return;
  g_array_append_val(speeds, speed);
}

static void extend(Swept *swept, const AseRun *run) {
  const AseTrace *trace = ase_run_trace(run);
  swept->low = fmin(swept->low, (double)trace->low);
  swept->high = fmax(swept->high, (double)trace->high);
}

static void find_swept(AseSession *session, guint joint, Swept *out) {
  const GPtrArray *runs = ase_session_runs(session);
  *out = (Swept){
      .low = INFINITY, .high = -INFINITY, .speeds = g_array_new(FALSE, FALSE, sizeof(double))};
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->joint != joint || !run->sweeps)
      continue;
    out->held_out += run->purpose == ASE_PURPOSE_VALIDATE;
    if (run->purpose != ASE_PURPOSE_MEASURE)
      continue;
    out->sweeps++;
    out->holds = MAX(out->holds, run->hold);
    extend(out, run);
    add_speed(out->speeds, run->speed);
  }
  g_array_sort(out->speeds, compare);
}

static char *speeds_text(const Swept *swept, ArmJointType type) {
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < swept->speeds->len; k++) {
    const double speed = g_array_index(swept->speeds, double, k);
    g_autofree char *number =
        aui_format_number(type == ARM_JOINT_R ? speed * 180.0 / G_PI : 1e3 * speed, 3);
    g_string_append_printf(text, "%s%s", k ? ", " : "", number);
  }
  if (text->len)
    g_string_append(text, type == ARM_JOINT_R ? " deg/s" : " mm/s");
  return g_string_free(text, FALSE);
}

static char *span_text(const Swept *swept, ArmJointType type) {
  if (!(swept->high > swept->low))
    return g_strdup("-");
  g_autofree char *low = aui_format_joint(type, swept->low);
  g_autofree char *high = aui_format_joint(type, swept->high);
  return g_strdup_printf(_("%s to %s"), low, high);
}

static void add_swept(GPtrArray *cells, AseSession *session, const ArmParamSet *found,
                      guint joint) {
  const ArmJointType type = model_of(session)->joints[joint - 1].type;
  const AseSelection *selection = ase_session_selection(session);
  gsize samples = 0;
  Swept swept;
  find_swept(session, joint, &swept);
  for (guint use = 0; selection && use < ASE_SAMPLE_USES; use++)
    samples += selection->counts[joint - 1][use];
  aui_cells_take(cells, g_strdup_printf("%u", joint));
  aui_cells_take(cells, g_strdup_printf("%u", swept.holds));
  aui_cells_take(cells, g_strdup_printf("%u", swept.sweeps));
  aui_cells_take(cells, g_strdup_printf("%u", swept.held_out));
  aui_cells_take(cells, span_text(&swept, type));
  aui_cells_take(cells, speeds_text(&swept, type));
  aui_cells_take(cells, g_strdup_printf("%zu", samples));
  aui_cells_take(cells, g_strdup_printf("%zu", found->joint[joint - 1].rows_used));
  g_array_unref(swept.speeds);
}

void aui_report_add_procedure(AuiFlow *flow, AseSession *session, const ArmParamSet *found) {
  static const AuiCellKind kinds[] = {AUI_CELL_NUMBER, AUI_CELL_NUMBER, AUI_CELL_NUMBER,
                                      AUI_CELL_NUMBER, AUI_CELL_TEXT,   AUI_CELL_TEXT,
                                      AUI_CELL_NUMBER, AUI_CELL_NUMBER};
  const char *const heads[] = {_("Joint"), _("Holds"),  _("Sweeps"),  _("Held out"),
                               _("Range"), _("Speeds"), _("Samples"), _("Used")};
  g_autoptr(GPtrArray) cells = aui_cells_new();
  aui_flow_heading(flow, _("Procedure"));
  aui_flow_paragraph(
      flow, _("One joint at a time was swept to and fro at constant speeds while the others held "
              "one or more poses. Samples at the ends of the strokes, below the least speed, near "
              "gaps and at the limit of the current were left out, as was what the operator "
              "excluded; sweeps held out were not shown to the fit and judge it below."));
  for (guint joint = 1; joint <= model_of(session)->n; joint++)
    add_swept(cells, session, found, joint);
  aui_flow_table(flow, G_N_ELEMENTS(kinds), kinds, heads, cells);
}

/* ---- parameters ---- */

static char *remark(const ArmEstimate *e) {
  if (e->identifiable)
    return g_strdup("");
  g_autofree char *used = aui_format_number(e->used, 3);
  return g_strdup_printf(_("not identifiable, %s is used: %s"), used, ase_reason_text(e->reason));
}

/* "A s\302\262/m": files say ^2. */
static char *unit_text(const char *unit) {
  GString *text = g_string_new(unit);
  g_string_replace(text, "^2", "\302\262", 0);
  return g_string_free(text, FALSE);
}

static void add_parameter(GPtrArray *cells, const ArmParamSet *found, size_t k) {
  const ArmEstimate *e = &found->estimate[k];
  aui_cells_take(cells, g_strdup_printf("%d", found->param[k].id.i + 1));
  aui_cells_take(cells, aui_format_parameter(found, k));
  aui_cells_take(cells, e->identifiable ? aui_format_estimate(e->value, e->sd) : g_strdup("-"));
  aui_cells_take(cells, unit_text(e->identifiable ? arm_param_set_unit_shown(found, k) : ""));
  aui_cells_take(cells, remark(e));
}

void aui_report_add_parameters(AuiFlow *flow, const ArmParamSet *found) {
  static const AuiCellKind kinds[] = {AUI_CELL_NUMBER, AUI_CELL_TEXT, AUI_CELL_DECIMAL,
                                      AUI_CELL_TEXT, AUI_CELL_TEXT};
  const char *const heads[] = {_("Joint"), _("Parameter"), _("Value(sd)"), _("Unit"), _("Remark")};
  g_autoptr(GPtrArray) cells = aui_cells_new();
  aui_flow_heading(flow, _("Parameters"));
  for (size_t joint = 0; joint < found->n_joints; joint++)
    for (size_t k = 0; k < found->n; k++)
      if (found->param[k].id.i == joint && arm_param_set_is_listed(found, k))
        add_parameter(cells, found, k);
  aui_flow_table(flow, G_N_ELEMENTS(kinds), kinds, heads, cells);
}

/* ---- how well ---- */

/* In mA, as the column says: a number to line up with the others. */
static bool is_in_mA(const ArmParamSet *found) {
  for (size_t j = 0; j < found->n_joints; j++)
    if (found->is_torque[j])
      return false;
  return true;
}

static void add_quality(GPtrArray *cells, const ArmParamSet *found, guint joint) {
  const ArmJointStatistics *fit = &found->joint[joint - 1];
  const double conditions[] = {fit->cond_raw, fit->cond_equilibrated, fit->cond_centred};
  aui_cells_take(cells, g_strdup_printf("%u", joint));
  aui_cells_take(cells, g_strdup_printf("%zu", fit->rows_used));
  aui_cells_take(cells, g_strdup_printf(_("%zu of %zu"), fit->rank, fit->columns));
  for (guint k = 0; k < G_N_ELEMENTS(conditions); k++)
    aui_cells_take(cells, aui_format_number(conditions[k], 3));
  aui_cells_take(cells, is_in_mA(found) ? aui_format_number(1e3 * fit->residual_sd, 3)
                                        : aui_format_residual(found, joint - 1));
  aui_cells_take(cells, aui_format_number(fit->r2, 4));
  aui_cells_take(cells, aui_format_number(fit->lag1, 2));
  aui_cells_take(cells, aui_format_number(fit->widening, 3));
}

void aui_report_add_quality(AuiFlow *flow, const ArmParamSet *found) {
  const AuiCellKind residual = is_in_mA(found) ? AUI_CELL_DECIMAL : AUI_CELL_NUMBER;
  const AuiCellKind kinds[] = {AUI_CELL_NUMBER,  AUI_CELL_NUMBER, AUI_CELL_NUMBER, AUI_CELL_NUMBER,
                               AUI_CELL_NUMBER,  AUI_CELL_NUMBER, residual,        AUI_CELL_DECIMAL,
                               AUI_CELL_DECIMAL, AUI_CELL_DECIMAL};
  const char *const heads[] = {_("Joint"),
                               _("Rows"),
                               _("Rank"),
                               C_("condition number", "raw"),
                               C_("condition number", "equilibrated"),
                               C_("condition number", "centred"),
                               is_in_mA(found) ? _("Residual sd, mA") : _("Residual sd"),
                               "R\302\262",
                               _("Lag 1"),
                               _("Widened")};
  g_autoptr(GPtrArray) cells = aui_cells_new();
  aui_flow_heading(flow, _("Fits, with condition numbers"));
  for (guint joint = 1; joint <= found->n_joints; joint++)
    add_quality(cells, found, joint);
  aui_flow_table(flow, G_N_ELEMENTS(kinds), kinds, heads, cells);
}

/* ---- validation ---- */

static void add_judgement(GPtrArray *cells, const AseJointValidation *v, guint joint) {
  const double numbers[] = {1e3 * v->rms_A, 1e3 * v->mean_A, 1e3 * v->worst_A, v->percent,
                            1e3 * v->model_error_A};
  const bool is_judged = v->on_strokes.kind != ARM_VALIDATION_NOT_MEASURED;
  aui_cells_take(cells, g_strdup_printf("%u", joint));
  aui_cells_take(cells, g_strdup_printf("%zu", v->rows));
  for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
    aui_cells_take(cells, aui_format_number(v->rows ? numbers[k] : NAN, 3));
  aui_cells_take(cells,
                 is_judged ? aui_format_promised(1e3 * v->promised_A, 3, false) : g_strdup("-"));
  aui_cells_add(cells, v->rows == 0    ? _("not measured")
                       : v->has_passed ? _("passed")
                                       : _("FAILED"));
}

static char *drift_text(const AseValidation *v, double limit) {
  g_autofree char *most = aui_format_number(limit, 3);
  if (isnan(v->drift_A))
    return g_strdup(_("Drift: the first sweep was not repeated."));
  g_autofree char *drift = aui_format_number(1e3 * v->drift_A, 3);
  g_autofree char *sds = aui_format_number(v->drift_sds, 2);
  return g_strdup_printf(_("Drift of the friction of joint %u between the first sweep and its "
                           "repetition at the end: %s mA, %s sd; allowed: %s sd: %s."),
                         v->drift_joint, drift, sds, most,
                         v->has_drifted ? _("FAILED") : _("passed"));
}

void aui_report_add_validation(AuiFlow *flow, AseSession *session) {
  static const AuiCellKind kinds[] = {AUI_CELL_NUMBER,  AUI_CELL_NUMBER,  AUI_CELL_DECIMAL,
                                      AUI_CELL_DECIMAL, AUI_CELL_DECIMAL, AUI_CELL_DECIMAL,
                                      AUI_CELL_DECIMAL, AUI_CELL_DECIMAL, AUI_CELL_TEXT};
  const char *const heads[] = {_("Joint"),
                               _("Samples"),
                               _("rms error, mA"),
                               _("mean, mA"),
                               _("worst, mA"),
                               /* xgettext:no-c-format */ _("% of the current"),
                               _("error of sweeps, mA"),
                               _("promised, mA"),
                               _("Verdict")};
  const AseValidation *v = ase_session_validation(session);
  const AseEdits *edits = ase_session_edits(session);
  if (!v)
    return;
  g_autoptr(GPtrArray) cells = aui_cells_new();
  g_autofree char *limit = aui_format_number(edits->validation_limit, 3);
  g_autofree char *percent = aui_format_number(edits->validation_percent, 3);
  g_autofree char *allowed = g_strdup_printf(
      _("Sweeps that no fit has seen, predicted beforehand. Allowed: an error of a joint's sweeps "
        "of %s times what the fit promised, and of %s %% of the current."),
      limit, percent);
  g_autofree char *drift = drift_text(v, edits->drift_limit);
  aui_flow_heading(flow, _("Validation and drift"));
  aui_flow_paragraph(flow, allowed);
  for (guint joint = 1; joint <= v->joints; joint++)
    add_judgement(cells, &v->joint[joint - 1], joint);
  aui_flow_table(flow, G_N_ELEMENTS(kinds), kinds, heads, cells);
  aui_flow_paragraph(flow, drift);
}
