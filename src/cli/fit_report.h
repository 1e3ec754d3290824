/* SPDX-License-Identifier: MIT */
/* A fit for people and for scripts: the table, the verdict, and the fit of nothing. */
#ifndef ARMATURE_CLI_FIT_REPORT_H
#define ARMATURE_CLI_FIT_REPORT_H

#include <stdbool.h>

#include "cli/recordings.h"
#include "cli/truth.h"
#include "core/sweeps/ident.h"
#include "io/arm/arm_file.h"
#include "io/recording/recording.h"

typedef struct {
  const AioArm *arm;
  const ArmStructure *structure;
  const AioRecording *recording; /* what is known of it but for its rows */
  gsize rows, unmoved;           /* of the recording; unmoved: joint = 0 */
  ArmGravityFit *fit;
  ArmParamSet found, recursion; /* of fit, see cli_fit_report_take; without joints: none */
  const CliTruth *truth;        /* NULL: none */
  bool has_listed;              /* --joints was given */
  bool is_listed[ARM_MAX_JOINTS];
} CliFitReport;

/* What tables and verdicts read of report->fit; false: the error is printed. Cleared by
 * cli_fit_report_clear, which leaves all that the report borrows. */
bool cli_fit_report_take(CliFitReport *report);
void cli_fit_report_clear(CliFitReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliFitReport, cli_fit_report_clear)

/* "kx*", "Coulomb +", "eta2/eta3" (a joint's own parameters without the joint). g_free it. */
char *cli_fit_label(const ArmParamSet *set, size_t k);
bool cli_fit_is_pair(const ArmParamSet *set, size_t k);

bool cli_fit_is_structural(ArmReason reason);

/* Prints the table to stdout. */
void cli_fit_print(const CliFitReport *report);

/* CLI_OK, or CLI_INFEASIBLE: a joint that was to be identified has no usable row, one of its
 * gravity or friction parameters is not identifiable, or the model does not fit it; says which on
 * stderr.
 *   wants_warnings  also say what is weak: ratios, convergence */
int cli_fit_judge(const CliFitReport *report, bool wants_warnings);

/* Says on stderr which samples were left out as wild, by file and line.
 *   spans  of AioWildSpan (io/recording/wild_spans.h); NULL: not known */
void cli_fit_warn_wild(const CliFitReport *report, const GPtrArray *paths, const GArray *spans);

/* ---- fit_terms.c ---- */
/* "base", "auto" (as NULL), or some of "load,curve". */
bool cli_parse_friction(const char *text, bool offers[ARM_TERMS]);
bool cli_fit_has_terms(const ArmParamSet *found);
/* Prints to stdout which joints have friction terms... */
void cli_fit_print_chosen_terms(const CliFitReport *report);
/* ...and of which the load cannot be seen. */
void cli_fit_print_terms(const CliFitReport *report);
/* is_asked: the load was asked for by name, so say of all joints why it is not there. */
void cli_fit_warn_terms(const CliFitReport *report, bool is_asked);

/* What a fit says of a recording without any usable row: every parameter has ARM_REASON_NO_ROWS.
 * ARM_E_MEMORY. On success cleared with arm_gravity_fit_clear. */
ARM_MUST_CHECK ArmStatus cli_fit_empty(const ArmModel *model, const ArmStructure *structure,
                                       const CliRows *rows, const ArmRowOptions *options,
                                       ArmGravityFit *fit);

#endif
