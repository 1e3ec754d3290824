/* SPDX-License-Identifier: MIT */
/* The other fit is read in a thread, from a session or a parameter file; differences are in sds of
 * the difference (session/method/comparison), so that one limit fits all units. */
#include "ui/fit/fit_compare.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/base/job.h"
#include "session/method/comparison.h"
#include "ui/kit/ask.h"
#include "ui/kit/format.h"
#include "ui/kit/table.h"

struct _AuiFitCompare {
  GtkBox parent_instance;
  AseSession *session;
  GtkBox *table_box;
  GtkLabel *summary;
  GtkCheckButton *only_changed;
  GtkGrid *table;
  AseJob *job;
  char *path;              /* of `earlier`; NULL: none has been chosen */
  const AseMethod *method; /* that found `earlier`; NULL: there is none */
  ArmParamSet earlier;
  guint noteworthy;
};

G_DEFINE_FINAL_TYPE(AuiFitCompare, aui_fit_compare, GTK_TYPE_BOX)

/* ---- the table ---- */

typedef struct {
  GtkSizeGroup *before, *now, *sds;
} Groups;

static bool is_noteworthy(const AseDifference *d) {
  return fabs(d->sds) > ASE_NOTEWORTHY_SDS;
}

static char *estimate_text(const ArmEstimate *e) {
  return e->identifiable ? aui_format_estimate(e->value, e->sd) : g_strdup("-");
}

static void put_verdict(GtkGrid *table, int row, const AseDifference *d) {
  const char *const text = isnan(d->sds)      ? _("not comparable")
                           : is_noteworthy(d) ? _("has changed")
                                              : "";
  GtkWidget *label = aui_table_take(table, row, 6, g_strdup(text), false);
  gtk_widget_add_css_class(label, is_noteworthy(d) ? "warning" : "dim-label");
  gtk_widget_set_hexpand(label, true);
}

static void put_difference(AuiFitCompare *self, const AseDifference *d, const Groups *groups) {
  const int row = aui_table_add_row(self->table);
  aui_table_take(self->table, row, 0, g_strdup_printf("%d", d->id.i + 1), true);
  aui_table_take(self->table, row, 1, aui_format_parameter(d->of, d->k), false);
  aui_table_take_aligned(self->table, row, 2, estimate_text(&d->before), groups->before);
  aui_table_take_aligned(self->table, row, 3, estimate_text(&d->now), groups->now);
  aui_table_take(self->table, row, 4, aui_format_unit(arm_param_set_unit_shown(d->of, d->k)),
                 false);
  aui_table_take_aligned(self->table, row, 5, aui_format_sds(d->sds), groups->sds);
  put_verdict(self->table, row, d);
}

/* Joint n down to 1. */
static void fill(AuiFitCompare *self, const GArray *differences) {
  const bool only_changed = gtk_check_button_get_active(self->only_changed);
  g_autoptr(GtkSizeGroup) before = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr(GtkSizeGroup) now = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr(GtkSizeGroup) sds = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  const Groups groups = {before, now, sds};
  for (guint joint = (guint)ase_session_arm(self->session)->model.n; joint-- > 0;)
    for (guint k = 0; k < differences->len; k++) {
      const AseDifference *d = &g_array_index(differences, AseDifference, k);
      if (d->id.i != joint)
        continue;
      self->noteworthy += is_noteworthy(d);
      if (!only_changed || is_noteworthy(d))
        put_difference(self, d, &groups);
    }
}

/* What the numbers do not say. */
static char *with_method(const AuiFitCompare *self, char *text) {
  if (!self->method->beside_sweeps)
    return text;
  char *whole = g_strdup_printf("%s %s", text, _(self->method->beside_sweeps));
  g_free(text);
  return whole;
}

static char *result_text(AuiFitCompare *self, guint n) {
  g_autofree char *name = g_path_get_basename(self->path);
  if (self->noteworthy == 0)
    return g_strdup_printf(_("Beside %s: no parameter has changed by more than 3 sd of the "
                             "difference."),
                           name);
  /* Translators: first how many have changed, then of how many, then the file. */
  return g_strdup_printf(ngettext("%u of %u parameters differs from %s by more than 3 sd of the "
                                  "difference.",
                                  "%u of %u parameters differ from %s by more than 3 sd of the "
                                  "difference.",
                                  self->noteworthy),
                         self->noteworthy, n, name);
}

static void say(AuiFitCompare *self, const char *text, bool is_error) {
  const char *const classes[] = {is_error ? "error" : "body", NULL};
  gtk_label_set_text(self->summary, text);
  gtk_widget_set_css_classes(GTK_WIDGET(self->summary), (const char **)classes);
}

static void compare(AuiFitCompare *self, const ArmParamSet *now) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) differences = ase_comparison_new(&self->earlier, now, &error);
  if (!differences) {
    say(self, error->message, true);
    return;
  }
  fill(self, differences);
  g_autofree char *text = with_method(self, result_text(self, differences->len));
  say(self, text, false);
}

static void refresh(AuiFitCompare *self) {
  g_auto(ArmParamSet) found = {0};
  const bool has_fit = ase_session_found(self->session, &found, NULL);
  aui_table_clear(self->table);
  self->noteworthy = 0;
  gtk_widget_set_visible(GTK_WIDGET(self->table_box), has_fit && self->method);
  gtk_widget_set_visible(GTK_WIDGET(self->only_changed), has_fit && self->method);
  if (!has_fit)
    say(self, _("There is no fit to compare yet: sweep, then fit."), false);
  else if (self->method)
    compare(self, &found);
  else if (!self->path)
    say(self,
        _("Choose the session or the parameter file of an earlier calibration of this arm, to see "
          "what has changed since."),
        false);
}

/* Not while nobody looks. */
static void on_changed(AuiFitCompare *self) {
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    refresh(self);
}

/* ---- reading ---- */

typedef struct {
  char *path;
  const AseMethod *method;
  ArmParamSet found;
  GError *error;
} Work;

static void work_free(void *memory) {
  Work *work = memory;
  arm_param_set_clear(&work->found);
  g_clear_error(&work->error);
  g_free(work->path);
  g_free(work);
}

static void read_file(AseJob *job, void *memory) {
  Work *work = memory;
  (void)job;
  if (!ase_comparison_load(work->path, &work->method, &work->found, &work->error))
    work->method = NULL;
}

static void on_progress(double part, void *ctx) {
  (void)part, (void)ctx;
}

static void on_read(void *memory, bool is_cancelled, void *ctx) {
  Work *work = memory;
  AuiFitCompare *self = ctx;
  (void)is_cancelled;
  arm_param_set_clear(&self->earlier);
  self->method = work->method;
  self->earlier = work->found; /* the set moves */
  work->found = (ArmParamSet){0};
  refresh(self);
  if (work->error) {
    g_autofree char *text = g_strdup_printf(_("The file cannot be read: %s"), work->error->message);
    say(self, text, true);
  }
  g_clear_pointer(&self->job, ase_job_free);
}

void aui_fit_compare_load(AuiFitCompare *self, const char *path) {
  if (self->job)
    return;
  g_free(self->path);
  self->path = g_strdup(path);
  Work *work = g_new0(Work, 1);
  work->path = g_strdup(path);
  const AseJobTask task = {.work = read_file,
                           .data = work,
                           .free_data = work_free,
                           .progress = on_progress,
                           .done = on_read,
                           .ctx = self};
  self->job = ase_job_start(&task);
}

static void on_chosen(GtkWidget *from, const char *path, gpointer data) {
  (void)data;
  aui_fit_compare_load(AUI_FIT_COMPARE(from), path);
}

static void on_choose(AuiFitCompare *self) {
  aui_ask_open(GTK_WIDGET(self), _("An earlier calibration"), on_chosen, NULL);
}

static void on_copy(AuiFitCompare *self) {
  g_autofree char *text = aui_table_text(self->table);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
}

GtkGrid *aui_fit_compare_table(AuiFitCompare *self) {
  return self->table;
}

guint aui_fit_compare_noteworthy(AuiFitCompare *self) {
  return self->noteworthy;
}

/* ---- the object ---- */

GtkWidget *aui_fit_compare_new(AseSession *session) {
  AuiFitCompare *self = g_object_new(AUI_TYPE_FIT_COMPARE, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}

static void aui_fit_compare_map(GtkWidget *widget) {
  GTK_WIDGET_CLASS(aui_fit_compare_parent_class)->map(widget);
  refresh(AUI_FIT_COMPARE(widget));
}

static void dispose(GObject *object) {
  AuiFitCompare *self = AUI_FIT_COMPARE(object);
  g_clear_pointer(&self->job, ase_job_free);
  arm_param_set_clear(&self->earlier);
  g_clear_pointer(&self->path, g_free);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_FIT_COMPARE);
  G_OBJECT_CLASS(aui_fit_compare_parent_class)->dispose(object);
}

static void aui_fit_compare_class_init(AuiFitCompareClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  widget->map = aui_fit_compare_map;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/fit_compare.ui");
  gtk_widget_class_bind_template_child(widget, AuiFitCompare, table_box);
  gtk_widget_class_bind_template_child(widget, AuiFitCompare, summary);
  gtk_widget_class_bind_template_child(widget, AuiFitCompare, only_changed);
  gtk_widget_class_bind_template_callback(widget, on_choose);
  gtk_widget_class_bind_template_callback(widget, on_copy);
  gtk_widget_class_bind_template_callback(widget, on_changed);
}

static void aui_fit_compare_init(AuiFitCompare *self) {
  const char *const heads[] = {_("Joint"), _("Parameter"),      _("Earlier"), _("Now"),
                               _("Unit"),  _("Difference, sd"), "",           NULL};
  gtk_widget_init_template(GTK_WIDGET(self));
  self->table = aui_table_new(heads);
  aui_table_explain(self->table, 5, "comparison");
  gtk_box_append(self->table_box, GTK_WIDGET(self->table));
}
