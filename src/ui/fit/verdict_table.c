/* SPDX-License-Identifier: MIT */
#include "ui/fit/verdict_table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/fit/verdict_words.h"
#include "ui/kit/format.h"
#include "ui/kit/table.h"

GtkGrid *aui_verdict_table_new(void) {
  const char *const heads[] = {_("Joint"),        _("Verdict"),  _("gravity misses, mA"),
                               _("promised, mA"), _("In words"), NULL};
  GtkGrid *table = aui_table_new(heads);
  aui_table_explain(table, 2, "lack-of-fit");
  return table;
}

static void put_joint(GtkGrid *table, const ArmGravityFit *fit, size_t i) {
  const ArmJointVerdict *v = &fit->verdict.joint[i];
  const double gravity = v->test[ARM_TEST_GRAVITY].size;
  const bool has_pairs = v->pairs > 0;
  const int row = aui_table_add_row(table);
  aui_table_take(table, row, 0, g_strdup_printf("%zu", i + 1), true);
  GtkWidget *name = aui_table_take(table, row, 1, g_strdup(aui_verdict_name(v)), false);
  gtk_widget_add_css_class(name, v->verdict == ARM_VERDICT_MISFIT    ? "error"
                                 : v->verdict == ARM_VERDICT_UNKNOWN ? "warning"
                                                                     : "success");
  aui_table_take(table, row, 2, aui_format_fixed(has_pairs ? 1e3 * gravity : (double)NAN, 2), true);
  aui_table_take(table, row, 3, aui_format_fixed(has_pairs ? 1e3 * v->promised : (double)NAN, 2),
                 true);
  GtkWidget *words = aui_table_take(table, row, 4, aui_verdict_joint(fit, i), false);
  gtk_label_set_wrap(GTK_LABEL(words), true);
  gtk_label_set_wrap_mode(GTK_LABEL(words), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand(words, true);
}

void aui_verdict_table_fill(GtkGrid *table, const ArmGravityFit *fit) {
  aui_table_clear(table);
  for (size_t i = fit ? fit->verdict.n : 0; i-- > 0;)
    put_joint(table, fit, i);
}
