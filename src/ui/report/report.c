/* SPDX-License-Identifier: MIT */
/* The report part by part, each from the session alone, so that whoever lays it out in slices
 * (ui/report/report_job) can stop between two. */
#include "ui/report/report.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "io/params/params_file.h"
#include "ui/fit/doubt_words.h"
#include "ui/kit/format.h"
#include "ui/report/report_parts.h"

static const AuiCellKind pair[] = {AUI_CELL_TEXT, AUI_CELL_TEXT};

/* ---- cells ---- */

GPtrArray *aui_cells_new(void) {
  return g_ptr_array_new_with_free_func(g_free);
}

void aui_cells_take(GPtrArray *cells, char *text) {
  g_ptr_array_add(cells, text);
}

void aui_cells_add(GPtrArray *cells, const char *text) {
  g_ptr_array_add(cells, g_strdup(text));
}

void aui_cells_take_pair(GPtrArray *cells, const char *name, char *text) {
  if (text && *text) {
    aui_cells_add(cells, name);
    aui_cells_take(cells, text);
  } else {
    g_free(text);
  }
}

/* ---- the verdict ---- */

static char *failed_joints(const AseValidation *v) {
  GString *text = g_string_new(NULL);
  for (guint j = 0; j < v->joints; j++)
    if (v->joint[j].rows && !v->joint[j].has_passed)
      g_string_append_printf(text, "%s%u", text->len ? ", " : "", j + 1);
  return g_string_free(text, FALSE);
}

static char *verdict(AseSession *session) {
  const AseValidation *v = ase_session_validation(session);
  guint judged = 0;
  for (guint j = 0; v && j < v->joints; j++)
    judged += v->joint[j].rows > 0;
  if (!judged)
    return g_strdup(_("not validated: no sweep that the fit has not seen was measured"));
  g_autofree char *failed = failed_joints(v);
  if (*failed)
    return g_strdup_printf(_("validation FAILED in joint %s"), failed);
  if (v->has_drifted)
    return g_strdup_printf(_("validation passed, but joint %u drifted more than allowed"),
                           v->drift_joint);
  return g_strdup_printf(
      ngettext("validation passed in %u joint", "validation passed in %u joints", judged), judged);
}

/* One below the other; "" where there are none. */
static char *doubts(AseSession *session, bool is_severe) {
  g_autoptr(GPtrArray) texts = aui_session_doubts(session, is_severe);
  g_ptr_array_add(texts, NULL);
  return g_strjoinv("\n", (char **)texts->pdata);
}

/* ---- what it is about ---- */

static char *controller_text(const AseConditions *c) {
  const char *name = *c->name ? c->name : _("without a name");
  if (!*c->serial && !*c->name)
    return g_strdup("");
  return c->is_simulated ? g_strdup_printf(_("%s (simulated)"), name) : g_strdup(name);
}

static char *source_text(AseSession *session) {
  return g_strdup(
      ase_session_is_imported(session) ? _("from a recording; no controller was connected") : "");
}

static void add_subject(AuiFlow *flow, AseSession *session, const AuiReportNotes *notes,
                        const AseConditions *c, const char *digest) {
  const AioArm *arm = ase_session_arm(session);
  g_autoptr(GPtrArray) cells = aui_cells_new();
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  aui_cells_take_pair(cells, _("Result"), verdict(session));
  aui_cells_take_pair(cells, _("Looks wrong"), doubts(session, true));
  aui_cells_take_pair(cells, _("Remark"), doubts(session, false));
  aui_cells_take_pair(cells, _("Arm"), g_strdup(arm->name));
  aui_cells_take_pair(cells, _("Description"), g_strdup(arm->description));
  aui_cells_take_pair(cells, _("Joints"), g_strdup_printf("%zu", arm->model.n));
  aui_cells_take_pair(cells, _("Source"), source_text(session));
  aui_cells_take_pair(cells, _("Controller"), controller_text(c));
  aui_cells_take_pair(cells, _("Serial number"), g_strdup(c->serial));
  aui_cells_take_pair(cells, _("Firmware"), g_strdup(c->firmware));
  aui_cells_take_pair(cells, _("Protocol"), g_strdup(c->protocol));
  aui_cells_take_pair(cells, _("Operator"), g_strdup(notes->operator_name));
  aui_cells_take_pair(cells, _("Laboratory"), g_strdup(notes->lab));
  aui_cells_take_pair(cells, _("Date of the report"), g_date_time_format(now, "%x %H:%M"));
  aui_cells_take_pair(cells, _("Session file"), g_path_get_basename(ase_session_path(session)));
  aui_cells_take_pair(cells, _("Arm file"), g_strdup(arm->digest));
  aui_cells_take_pair(cells, _("Parameter file"), g_strdup(digest));
  aui_flow_table(flow, G_N_ELEMENTS(pair), pair, NULL, cells);
}

/* ---- conditions ---- */

static char *time_text(gint64 utc_us) {
  g_autoptr(GDateTime) utc = utc_us ? g_date_time_new_from_unix_utc(utc_us / G_USEC_PER_SEC) : NULL;
  g_autoptr(GDateTime) local = utc ? g_date_time_to_local(utc) : NULL;
  return local ? g_date_time_format(local, "%x %X %Z") : g_strdup("");
}

static char *range_text(const double range[2], const char *unit) {
  if (isnan(range[0]))
    return g_strdup(_("not measured"));
  g_autofree char *low = aui_format_number(range[0], 4);
  g_autofree char *high = aui_format_number(range[1], 4);
  if (strcmp(low, high) == 0)
    return g_strdup_printf("%s %s", low, unit);
  /* TRANSLATORS: lowest and highest value with their unit, "23.1 to 24.6 V" */
  return g_strdup_printf(_("%s to %s %s"), low, high, unit);
}

static char *temperature_text(const AseConditions *c, gsize n) {
  GString *text = g_string_new(NULL);
  for (gsize j = 0; j < n; j++) {
    if (isnan(c->motor_C[j][0]))
      continue;
    g_autofree char *range = range_text(c->motor_C[j], "\302\260C");
    g_string_append(text, text->len ? "; " : "");
    g_string_append_printf(text, _("joint %zu: %s"), j + 1, range);
  }
  if (!text->len)
    g_string_append(text, _("not measured"));
  return g_string_free(text, FALSE);
}

typedef struct {
  gsize samples, lost;
  double time_s, warm_up_s;
} Telemetry;

static double run_time(const AseRun *run) {
  const AseTrace *trace = ase_run_trace(run);
  return 1e-6 * (double)(trace->last_us - trace->first_us);
}

static void sum_telemetry(const GPtrArray *runs, Telemetry *out) {
  *out = (Telemetry){0};
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    out->warm_up_s += run->purpose == ASE_PURPOSE_WARM_UP ? run_time(run) : 0.0;
    if (run->purpose != ASE_PURPOSE_MEASURE)
      continue;
    out->time_s += run_time(run);
    out->samples += ase_run_samples(run);
    out->lost += ase_run_trace(run)->lost;
  }
}

static char *rate_text(const Telemetry *t) {
  g_autofree char *rate =
      aui_format_number(t->time_s > 0.0 ? (double)t->samples / t->time_s : NAN, 4);
  return g_strdup_printf(_("%zu samples at %s per second, %zu lost"), t->samples, rate, t->lost);
}

static void add_conditions(AuiFlow *flow, AseSession *session, const AseConditions *c) {
  Telemetry t;
  g_autoptr(GPtrArray) cells = aui_cells_new();
  const bool has_arm = !ase_session_is_imported(session);
  sum_telemetry(ase_session_runs(session), &t);
  aui_flow_heading(flow, _("Conditions"));
  if (has_arm) {
    aui_cells_take_pair(cells, _("First sweep"), time_text(c->began_us));
    aui_cells_take_pair(cells, _("Last sweep"), time_text(c->ended_us));
    aui_cells_take_pair(cells, _("Supply voltage"), range_text(c->supply_V, "V"));
    aui_cells_take_pair(cells, _("Motor temperatures"),
                        temperature_text(c, ase_session_arm(session)->model.n));
    aui_cells_take_pair(cells, _("Warm-up"),
                        t.warm_up_s > 0.0 ? aui_format_duration(t.warm_up_s) : g_strdup(_("none")));
  }
  aui_cells_take_pair(cells, _("Measurement"), rate_text(&t));
  aui_flow_table(flow, G_N_ELEMENTS(pair), pair, NULL, cells);
}

/* ---- the rest ---- */

static void add_uncertainty(AuiFlow *flow) {
  aui_flow_heading(flow, _("Uncertainty"));
  aui_flow_paragraph(
      flow,
      _("A figure in parentheses is the standard deviation (1 sd, coverage factor 1) in units of "
        "the last digits of the value: 0.802(10) means 0.802 with a standard deviation of 0.010. "
        "Twice that covers about 95 %. It follows from the curvature of the likelihood of all "
        "joints together, each weighted by its own residual, and includes what the parameters of "
        "different joints have to do with each other; where residuals are alike from sample to "
        "sample, it is widened by the factor that the table of the fits states."));
  aui_flow_paragraph(
      flow, _("Not included are errors that all samples share: the calibration of the controller's "
              "current sensors and encoders, the geometry in the arm file, and the direction of "
              "gravity. What the data cannot support is stated as not identifiable, with the "
              "reason and the value that predictions use."));
}

static void add_end(AuiFlow *flow, const AuiReportNotes *notes) {
  const char *const roles[] = {_("Operator"), _("Checked by")};
  const char *const names[] = {notes->operator_name, NULL};
  if (notes->notes && *notes->notes) {
    aui_flow_heading(flow, _("Notes"));
    aui_flow_paragraph(flow, notes->notes);
  }
  aui_flow_signatures(flow, _("Signatures"), G_N_ELEMENTS(roles), roles, names);
}

char *aui_report_digest(const char *parameters, GError **error) {
  g_auto(AioParamsOrigin) origin = {0};
  return aio_params_load_origin("parameters", parameters, strlen(parameters), &origin, error)
             ? g_steal_pointer(&origin.digest)
             : NULL;
}

/* ---- part by part ---- */

struct AuiReport {
  AseSession *session;         /* borrowed */
  const AuiReportNotes *notes; /* borrowed */
  AseConditions conditions;
  char *digest;
  AuiFlow *flow;
  guint parts; /* that have been added */
  AuiReportFigures figures;
};

enum { SUBJECT, CONDITIONS, PROCEDURE, VALIDATION, PARAMETERS, QUALITY, UNCERTAINTY, FIGURES };

AuiReport *aui_report_new(AseSession *session, const AuiReportNotes *notes,
                          const AseConditions *conditions, GError **error) {
  g_autofree char *parameters = ase_session_parameters(session, error);
  char *digest = parameters ? aui_report_digest(parameters, error) : NULL;
  if (!digest)
    return NULL;
  g_autofree char *head =
      g_strdup_printf(_("Calibration report: %s"), ase_session_arm(session)->name);
  AuiReport *report = g_new0(AuiReport, 1);
  *report =
      (AuiReport){.session = session,
                  .notes = notes,
                  .conditions = *conditions,
                  .digest = digest,
                  .flow = aui_flow_new(notes->paper, head, digest, "Armature " ARMATURE_VERSION)};
  return report;
}

void aui_report_free(AuiReport *report) {
  if (!report)
    return;
  aui_report_figures_clear(&report->figures);
  aui_flow_free(report->flow);
  g_free(report->digest);
  g_free(report);
}

static void add_text(AuiReport *r, guint part) {
  g_auto(ArmParamSet) found = {0};
  if (!ase_session_found(r->session, &found, NULL))
    return;
  if (part == SUBJECT)
    aui_flow_title(r->flow, _("Calibration report"));
  if (part == SUBJECT)
    add_subject(r->flow, r->session, r->notes, &r->conditions, r->digest);
  else if (part == CONDITIONS)
    add_conditions(r->flow, r->session, &r->conditions);
  else if (part == PROCEDURE)
    aui_report_add_procedure(r->flow, r->session, &found);
  else if (part == VALIDATION)
    aui_report_add_validation(r->flow, r->session);
  else if (part == PARAMETERS)
    aui_report_add_parameters(r->flow, &found);
  else if (part == QUALITY)
    aui_report_add_quality(r->flow, &found);
  else if (part == UNCERTAINTY)
    add_uncertainty(r->flow);
}

bool aui_report_add_part(AuiReport *report) {
  if (report->parts < FIGURES) {
    add_text(report, report->parts++);
  } else if (report->parts == FIGURES) {
    aui_report_figures_begin(&report->figures, report->flow, report->session);
    report->parts++;
  } else if (!aui_report_figures_add(&report->figures, report->flow)) {
    add_end(report->flow, report->notes);
    return false;
  }
  return true;
}

AuiFlow *aui_report_take_flow(AuiReport *report) {
  return g_steal_pointer(&report->flow);
}
