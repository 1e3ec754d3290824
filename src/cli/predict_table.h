/* SPDX-License-Identifier: MIT */
/* The tables of `predict`, whatever predicts: columns that stay, desired positions, currents. */
#ifndef ARMATURE_CLI_PREDICT_TABLE_H
#define ARMATURE_CLI_PREDICT_TABLE_H

#include "core/arm/model.h"
#include "io/csv/csv.h"

/* Per column of the input: everything but the currents that this run writes itself. g_free. */
bool *cli_predict_keep(const AioCsv *csv, size_t n);

/* The kept columns, then i1_A,i1_sd_A,.. */
void cli_predict_header(const AioCsv *csv, const bool *keep, size_t n, GString *text);

/* ",current,sd" of each joint and the end of the line; empty where not finite.
 *   current, sd  of joint j at [j * stride] */
void cli_predict_numbers(size_t n, size_t stride, const double *current, const double *sd,
                         GString *text);

/* ---- desired positions, for the rule sign-error ---- */

typedef struct {
  gsize column[ARM_MAX_JOINTS];
  double *values; /* rows of the window x n, NULL: not wanted */
  GError *error;  /* of the first cell that is no number */
} CliDesired;

/* Finds q1_des_rad, .. */
bool cli_desired_find(CliDesired *desired, const AioCsv *csv, const ArmModel *model,
                      GError **error);
/* Of the present window. */
void cli_desired_read(CliDesired *desired, const AioCsv *csv, size_t n);
void cli_desired_clear(CliDesired *desired);

#endif
