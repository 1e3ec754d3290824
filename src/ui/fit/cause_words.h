/* SPDX-License-Identifier: MIT */
/* Causes of a misfit in a technician's words, in the user's language: what it would be and how big,
 * what it does to the misfit, what cannot be told from it, what to do. Without widgets; g_free what
 * is not const. */
#ifndef ARMATURE_UI_CAUSE_WORDS_H
#define ARMATURE_UI_CAUSE_WORDS_H

#include <glib.h>

#include "core/sweeps/diagnose.h"

/* "the base leans by 2.00 ± 0.02 deg against the arm file" */
char *aui_cause_name(const ArmModel *model, const ArmCause *cause);

/* "Joint 1: 84 mA → 0.3 mA. What is left looks like noise." */
char *aui_cause_effect(const ArmDiagnosis *diagnosis, const ArmCause *cause);

/* Which measurement tells cause k from those tied with it; NULL: it is tied with none. */
char *aui_cause_separate(const ArmDiagnosis *diagnosis, size_t k);

/* The same as a sentence, "" where there is none or a cause before k has it. */
char *aui_cause_advice(const ArmDiagnosis *diagnosis, size_t k);

/* What a person does about it; static. */
const char *aui_cause_remedy(ArmCauseCode code);

/* What the list begins with: is the first cause any good? static */
const char *aui_causes_verdict(const ArmDiagnosis *diagnosis, bool is_misfit);

/* Causes that a list shows, from the likeliest on: the first, what is tied with it, a few more. */
guint aui_causes_shown(const ArmDiagnosis *diagnosis);

/* "84.1", "0.32": a current in mA, three digits. */
char *aui_format_mA(double current);

#endif
