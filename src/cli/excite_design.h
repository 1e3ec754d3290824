/* SPDX-License-Identifier: MIT */
/* Designs of `excite`: what the options ask for (excite_options), and the search. */
#ifndef ARMATURE_CLI_EXCITE_DESIGN_H
#define ARMATURE_CLI_EXCITE_DESIGN_H

#include "cli/cli.h"
#include "cli/excite_report.h"

typedef struct {
  const char *arm, *check, *params, *columns, *method, *criterion, *weights, *out;
  double harmonics, points, time, evals, seconds, seed;
  bool rest, json, force;
} CliExciteArgs;

typedef enum { CLI_EXCITE_FOURIER, CLI_EXCITE_SPLINE, CLI_EXCITE_POINTS } CliExciteMethod;

/* What is wanted; of the options of both designers only those of the method count. */
typedef struct {
  CliExciteMethod method;
  const char *criterion; /* its name */
  bool is_prior;         /* of a: what errors are relative to, instead of torques */
  ArmTrajectoryOptions trajectory;
  ArmPointsOptions points; /* r is 0 where nobody said how many */
  bool is_at_rest;
  double seconds; /* NAN: no limit */
} CliExciteWanted;

/* Options of a design; an exit code, said on stderr unless CLI_OK. */
int cli_excite_wanted(const CliExciteArgs *args, CliExciteWanted *wanted);
/* False, and said: options of designs where there is none. */
bool cli_excite_is_check(const CliExciteArgs *args);

/* What a search found; all zeros before. */
typedef struct {
  ArmTrajectory trajectory;
  ArmPoints points;
  ArmSequence *sequence;
  AioMotionTable *motion; /* at 1 kHz */
} CliExciteDesign;

void cli_excite_design_clear(CliExciteDesign *design);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliExciteDesign, cli_excite_design_clear)

/* What to design for. */
typedef struct {
  const char *arm_name; /* for messages */
  const ArmModel *model;
  const ArmMotionLimits *limits;
  const ArmBase *base;   /* to be identified */
  const double *noise;   /* n */
  const ArmScene *scene; /* of series and splines */
} CliExciteTask;

/* Searches until evaluations, seconds or a deferred signal end it; an exit code, said on stderr
 * unless CLI_OK.
 *   report  of the design what it is */
int cli_excite_design(const CliExciteTask *task, const CliExciteWanted *wanted,
                      CliExciteDesign *design, CliExcitation *report);

#endif
