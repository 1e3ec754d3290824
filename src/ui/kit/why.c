/* SPDX-License-Identifier: MIT */
/* The explanations as one table, four texts each: what it is, what it should be, what if it is not.
 * A figure on any page is explained by its key, so that no two pages explain it differently. */
#include "ui/kit/why.h"

#include <glib/gi18n.h>

typedef struct {
  const char *key;
  AuiWhy text; /* untranslated */
} Entry;

static const Entry entries[] = {
    {"condition-number",
     {N_("Condition number"),
      N_("How well the poses and speeds of the sweeps tell the parameters of this joint apart. "
         "Raw: as the numbers come, units included. Equilibrated: with every column of the same "
         "length, so that units no longer count. Centred: with the speeds taken relative to their "
         "mean as well, which is what the error bars really feel."),
      N_("Equilibrated and centred below about 10. Above 30 the error bars grow by the same "
         "factor; unbounded means that something cannot be found at all."),
      N_("Add a hold pose that differs in the joints further out, widen the range of the sweep, or "
         "spread the speeds. “Propose a plan” does this for you.")}},
    {"rank",
     {N_("Rank"),
      N_("How many independent facts the sweeps of this joint contain, beside the number of "
         "parameters that are asked for."),
      N_("As many as there are parameters. When it is less, some parameters are found only in "
         "combination, and the table names them as not identifiable."),
      N_("Measure what is missing: the reason beside the parameter says which pose or direction. A "
         "parameter that gravity never shows, such as that of a vertical axis, does no harm: no "
         "current depends on it.")}},
    {"residual-sd",
     {N_("Residual standard deviation"),
      N_("What the model leaves unexplained: the scatter of measured minus computed current, in "
         "ampere."),
      N_("Close to the noise of the current sensor, and without a shape: a residual that waves "
         "with the position or the gear's teeth is not noise."),
      N_("Look at the residual against position. A wave once per motor turn is torque ripple; a "
         "bend at the ends is acceleration, keep to the plateau; a step is something that touched "
         "the arm: exclude that range and fit again.")}},
    {"r2",
     {N_("R²"), N_("The part of the current's variation that the model explains: 1 is all of it."),
      N_("Above 0.99 for joints that carry weight. A joint with little gravity and much friction "
         "can be right at 0.9: read it together with the residual."),
      N_("When it is low and the residual is large, check the sign of the current, the gear ratio "
         "and whether the joint that moved is the one that the recording names.")}},
    {"parameter-sd",
     {N_("Value and its uncertainty"),
      N_("0.0221(16) is 0.0221 with a standard deviation of 0.0016: the digits in brackets belong "
         "to the last digits shown. Two of three repetitions end up within one standard deviation, "
         "nineteen of twenty within two."),
      N_("Much smaller than the value where the value matters. What counts in the end is the "
         "uncertainty of the predicted current, which validation shows."),
      N_("Four times as many samples halve it; a better pose does more. When it is widened, "
         "neighbouring samples resemble each other, and the factor is already inside.")}},
    {"not-identifiable",
     {N_("Not identifiable"),
      N_("The data cannot tell this parameter from others, or never show it. No number is invented "
         "for it."),
      N_("Some parameters are never identifiable, on any recording: only what changes a motor "
         "current can be found. The prediction does not need the others."),
      N_("Read the reason in the table. If it says that a pose is missing, add that hold to the "
         "plan and sweep again.")}},
    {"drift",
     {N_("Drift"),
      N_("The first sweep is repeated at the end; this is how much its friction has changed "
         "meanwhile, in ampere and in standard deviations of that change."),
      N_("Below 3 standard deviations, unless your lab sets another limit."),
      N_("The arm warmed up while it was measured: friction falls as grease gets warm. Add warm-up "
         "time to the plan and sweep again, or accept the difference as part of the "
         "uncertainty.")}},
    {"ratio",
     {N_("What was promised"),
      N_("The error that the fit expects of itself on these sweeps (one standard deviation), "
         "before "
         "they are looked at. The error of sweeps beside it has the noise of single samples "
         "averaged out: does the model hold where it was not fitted?"),
      N_("Both about the same. A joint fails at 2 times what was promised, unless your lab sets "
         "another limit; at 10 per cent of its current in any case."),
      N_("Well above 1: the model fits the past only. Look for a hold that differs from all "
         "others, for drift, and for a payload or cable that hangs differently.")}},
    {"validation-error",
     {N_("Validation error"),
      N_("Measured minus predicted current on poses and speeds kept out of the fit: the root mean "
         "square in ampere, and in per cent of the current."),
      N_("As small as the residual of the fit. This is the figure to quote for the feed-forward "
         "current of your controller."),
      N_("Compare the joints: an error in one joint only points to its gear or sensor; an error "
         "that grows towards the base points to a mass that the plan did not move enough.")}},
    {"forecast-sd",
     {N_("Predicted uncertainty"),
      N_("What the fit will know after this plan, computed before anything moves, from the poses, "
         "the speeds and the noise expected."),
      N_("Smaller than what you need to know. It is a forecast: friction that is rougher than "
         "expected makes the real figure larger."),
      N_("Too large: widen the ranges that you declared free, add a hold or a speed, then propose "
         "again.")}},
    {"similar-poses",
     {N_("Poses too similar"),
      N_("The holds show fewer directions of gravity than the joint has parameters: seen from this "
         "joint, what hangs on it looks the same in all of them."),
      N_("As many directions as are required."),
      N_("Move one of the joints further out by 60 to 120 degrees in one of the holds, or let the "
         "program propose a plan.")}},
    {"dry-run",
     {N_("Dry run"),
      N_("The whole way once, slowly, at 10 degrees per second, before the first real sweep: to "
         "see whether anything stands in the way."),
      N_("Passed, for the limits and the plan as they are now. It is due again when either "
         "changes."),
      N_("Watch the arm, not the screen, with a finger on Esc. If something is in the way, hold, "
         "narrow the range of that joint and start the dry run again.")}},
    {"lease",
     {N_("Lease"),
      N_("How long the arm goes on when the computer falls silent. The program renews it many "
         "times a second while the arm is armed; if the program hangs or the cable is pulled, the "
         "controller holds by itself."),
      N_("0.3 s with a real arm; 2 s with the simulator, which hurts nobody."),
      N_("If the arm holds again and again with an expired lease, the computer or the line is too "
         "slow: close other programs, use another USB port or adapter.")}},
    {"loss",
     {N_("Lost samples"),
      N_("Samples that the controller numbered and that never arrived, and frames with a wrong "
         "checksum."),
      N_("0. A few in an hour do no harm: they are counted and left out."),
      N_("Growing: a cable that is too long, runs beside motor leads or has no shield, a hub "
         "between, or a rate above what the adapter carries.")}},
    {"round-trip",
     {N_("Round trip"),
      N_("The time from a command to its answer: half of the commands are faster than the first "
         "figure, 1 in 100 is slower than the second."),
      N_("A few milliseconds; well below the lease."),
      N_("FTDI adapters collect bytes for 16 ms unless their latency timer is set to 1 ms. A busy "
         "computer shows in the second figure.")}},
    {"boot-counter",
     {N_("Switched on"),
      N_("How many times the controller has started, and why it did the last time."),
      N_("The same during the whole calibration. A restart may have moved or re-homed the arm."),
      N_("A count that grows by itself is a supply that breaks down or a watchdog that bites: look "
         "at the reason and at the supply voltage while the arm moves.")}},
    {"digest",
     {N_("Digest"),
      N_("A fingerprint of the parameters. The controller computes its own from what it has "
         "stored."),
      N_("The same in the file and in the controller, also after the controller was switched off "
         "and on."),
      N_("Different: something was changed or not written. Upload again; if it differs after a "
         "restart only, the controller did not store it for good.")}},
    {"torque-constant-ratio",
     {N_("Ratio of torque constants"),
      N_("How many times more newton metres per ampere one joint's drive gives than another's, "
         "gear included. It is found because the same mass loads both joints."),
      N_("Near the ratio of the data sheets where these are known. Absolute torques need one "
         "constant from elsewhere; currents do not."),
      N_("Far off with a small uncertainty: check the gear ratios and the units of the torque "
         "constants in the arm file.")}},
    {"measured-computed",
     {N_("Measured and computed current"),
      N_("The motor current over the position, as it was measured (a) and as the parameters have "
         "it "
         "(b). Forward and backward differ by twice the friction, their middle is gravity."),
      N_("The two pictures look alike; overlaid, the dotted line runs in the middle of what was "
         "measured. Grey samples are not used; the read-out says why."),
      N_("A gap between the two that is the same everywhere: friction has changed. One that bends "
         "with the position: a pose is missing, or the arm file's geometry is wrong.")}},
    {"residual-plot",
     {N_("Residuals"),
      N_("Measured minus computed current of single samples, in mA, and the band of two residual "
         "standard deviations."),
      N_("A cloud without a shape, nineteen of twenty points within the band, over the position "
         "and over the time."),
      N_("A wave over the position is torque ripple of motor or gear. A slope over the time is "
         "warming up. A spike at one position is something that touched the arm: exclude it.")}},
    {"distribution",
     {N_("Distribution of the residuals"),
      N_("How many samples have which residual, beside the normal distribution with the same "
         "standard deviation."),
      N_("About the bell of the dashed line."),
      N_("Two humps: forward and backward, or two sweeps, differ. Long tails: a few samples "
         "disturb the fit, look for them in the plot of residuals.")}},
    {"autocorrelation",
     {N_("Autocorrelation of the residuals"),
      N_("How much the residual of a sample resembles those of the samples after it: 1 means that "
         "it is the same, 0 that it has nothing to do with it. Lag 1 is the very next sample."),
      N_("Within the grey band from lag 1 on. Friction and ripple make most arms resemble "
         "themselves for some samples."),
      N_("Resembling samples tell less than their number promises, so the error bars have been "
         "widened by the factor beside. Slower sampling loses nothing then.")}},
    {"excluded-samples",
     {N_("Samples used"),
      N_("Those on the plateau of each stroke, with a current, without fault, gap or clipping, and "
         "not excluded by you."),
      N_("Most of the samples of each sweep."),
      N_("Exclude a range where something touched the arm: choose Exclude and drag over the plot, "
         "or give numbers under Range. Undo brings it back. What is excluded is kept in the "
         "session.")}},
    {"comparison",
     {N_("Comparison with an earlier calibration"),
      N_("The difference of each parameter, divided by the standard deviation of that difference, "
         "which contains the uncertainty of both, but not the scale of torque constants that both "
         "have from the same data sheets."),
      N_("Below 3 for nearly all. Friction moves with temperature and wear, gravity does not."),
      N_("Gravity that has changed: another tool, payload or cable. Friction that has grown: "
         "grease, a bearing, a cold start.")}},
    {"lack-of-fit",
     {N_("Does the model fit?"),
      N_("Gravity does not know how fast a joint moves: what differs between the speeds of a hold "
         "is noise, and what the model misses beyond it is its own mistake. The misfit is that "
         "part, as rms current; promised is what the fit may miss by its uncertainty."),
      N_("About as much as was promised: at most twice that, or 0.1 per cent of the current."),
      N_("Find the cause: it supposes one after the other and sorts them. Sds do not speak of a "
         "misfit: as long as it stands, do not trust them.")}},
    {"validation-limit",
     {N_("What the lab accepts"),
      N_("A joint passes when its error on sweeps that the fit has not seen is at most so many "
         "times what the fit promised for them, and at most that part of its current or that many "
         "milliamperes; drift passes when friction has changed by at most so many standard "
         "deviations."),
      N_("2 times, 10 per cent and 3, unless your lab has reasons for others."),
      N_("Do not widen a limit to get a pass: it is printed in the report. Look at the joint that "
         "fails first.")}},
    {"recursion-vs-refinement",
     {N_("Recursion against refinement"),
      N_("Two ways to the same parameters: joint by joint from the last to the first, and all "
         "joints together. Their difference, in standard deviations."),
      N_("Mostly below 2. The refinement is what is exported."),
      N_("A large difference says that the joints disagree about a mass they share: look for a "
         "joint with a poor residual, or a payload that was changed between the sweeps.")}},
};

/* ---- the table ---- */

static const Entry *find(const char *key) {
  for (gsize k = 0; k < G_N_ELEMENTS(entries); k++)
    if (strcmp(entries[k].key, key) == 0)
      return &entries[k];
  return NULL;
}

bool aui_why_find(const char *key, AuiWhy *out) {
  const Entry *entry = find(key);
  if (!entry)
    return false;
  *out = (AuiWhy){_(entry->text.title), _(entry->text.what), _(entry->text.expected),
                  _(entry->text.remedy)};
  return true;
}

const char *aui_why_key(guint k) {
  return k < G_N_ELEMENTS(entries) ? entries[k].key : NULL;
}

/* ---- the button ---- */

static void append(GtkWidget *box, const char *text, const char *css_class) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_width_chars(GTK_LABEL(label), 44);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 44);
  gtk_widget_add_css_class(label, css_class);
  gtk_box_append(GTK_BOX(box), label);
}

static GtkWidget *content_new(const AuiWhy *why) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_add_css_class(box, "aui-why");
  append(box, why->title, "heading");
  append(box, why->what, "body");
  append(box, _("What it should be"), "caption-heading");
  append(box, why->expected, "body");
  append(box, _("If it is not"), "caption-heading");
  append(box, why->remedy, "body");
  return box;
}

static void create_popover(GtkMenuButton *button, gpointer data) {
  const Entry *entry = data;
  AuiWhy why;
  if (gtk_menu_button_get_popover(button) || !aui_why_find(entry->key, &why))
    return;
  GtkWidget *popover = gtk_popover_new();
  gtk_popover_set_child(GTK_POPOVER(popover), content_new(&why));
  gtk_menu_button_set_popover(button, popover);
}

GtkWidget *aui_why_new(const char *key) {
  const Entry *entry = find(key);
  GtkWidget *button = gtk_menu_button_new();
  if (!entry)
    g_error("no explanation has the key \"%s\"", key);
  g_autofree char *name = g_strdup_printf(_("What is this: %s?"), _(entry->text.title));
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "aui-why-symbolic");
  gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), false);
  gtk_menu_button_set_create_popup_func(GTK_MENU_BUTTON(button), create_popover, (gpointer)entry,
                                        NULL);
  gtk_widget_add_css_class(button, "aui-why-button");
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text(button, name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return button;
}

GtkWidget *aui_why_label_new(const char *text, const char *key) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
  gtk_box_append(GTK_BOX(box), gtk_label_new(text));
  gtk_box_append(GTK_BOX(box), aui_why_new(key));
  return box;
}
