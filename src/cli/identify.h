/* SPDX-License-Identifier: MIT */
/* `identify`: what its parts share. */
#ifndef ARMATURE_CLI_IDENTIFY_H
#define ARMATURE_CLI_IDENTIFY_H

#include "cli/cli.h"
#include "core/dynamics/identify.h"
#include "core/dynamics/promise.h"
#include "core/dynamics/resolution.h"
#include "core/dynamics/stream.h"
#include "core/dynamics/terms.h"
#include "core/sweeps/verdict.h"
#include "io/arm/base_json.h"
#include "io/params/dynamics_file.h"
#include "io/recording/recording_moving.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmInformation, arm_information_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmDynamicsFit, arm_dynamics_fit_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmDynPromise, arm_dyn_promise_free)

typedef struct {
  const AioArm *arm;
  const char *arm_path;
  const ArmBase *base;
  ArmDynStreamOptions stream; /* but for what the recording says */
  AioTimeSpan span;
  ArmVerdictLimits limits;
} CliIdentifySetup;

/* ---- cmd_identify.c ---- */

/* Options of `identify`. */
typedef struct {
  const char *arm, *out, *time, *method, *friction, *limits;
  GPtrArray *csv, *validate;
  double lowpass, min_speed, min_speed_t;
  bool json, force;
  char **text; /* of another verb: what would be printed as JSON; g_free. NULL: it is printed */
} CliIdentifyArgs;

/* What `identify` does with good options: reads, identifies, judges, prints (with `text` and JSON
 * nothing), writes. The exit code.
 *   args->arm     how messages call the arm
 *   args->limits  not read */
int cli_identify_recordings(const CliIdentifyArgs *args, const AioArm *arm,
                            const ArmVerdictLimits *limits);

/* ---- identify_data.c: recordings into triangles, in memory that does not grow with them ---- */

typedef struct {
  const char *path; /* borrowed */
  AioMovingSurvey survey;
  ArmDynStreamCounts counts;
  ArmInformation *information;
  ArmInformation *single; /* of single samples, before the filter */
  ArmResolution resolution[ARM_MAX_JOINTS];
  ArmScatter scatter[ARM_MAX_JOINTS]; /* where steps of time are even, else of nothing */
  bool is_coarse; /* positions come in steps or scatter so that it matters: cli_identify_steps */
} CliMoving;

/* Of CliMoving, in the order of paths. NULL: the error is printed. g_ptr_array_unref it. */
GPtrArray *cli_moving_load(const CliIdentifySetup *setup, const GPtrArray *paths);

/* The same recordings once more, with stream.terms of the setup; rows go to the study too (NULL:
 * none). Texts of the survey are left out. NULL: the error is printed. */
GPtrArray *cli_moving_again(const CliIdentifySetup *setup, const GPtrArray *recordings,
                            ArmDynStudy *study);

/* How the rows of one are made: options of the setup, and what the recording says. Its speeds count
 * with accelerations only: those of a controller are late (a difference, a filter), and beside what
 * is computed of positions the delay passes for inertia. Currents at the limit of the arm file
 * do not count. */
ArmDynStreamOptions cli_moving_options(const CliIdentifySetup *setup, const CliMoving *moving);

/* Of rows that it makes. */
ArmStatus cli_moving_new_information(const CliIdentifySetup *setup, ArmInformation **information);

/* All of them as one; with joints of which one is a torque in all. NULL: the error is printed. */
ArmInformation *cli_moving_merge(const CliIdentifySetup *setup, const GPtrArray *recordings);

/* Of single measurements about the fit: the filter takes most of what these are off.
 *   sd  n  out; NAN: no filter, or no row
 * CLI_OK, or what is said. */
int cli_moving_sample_sds(const GPtrArray *recordings, const ArmDynamicsFit *fit, double *sd);

/* ---- identify_check.c: recordings that are not what they say ---- */

/* What is called a current is a torque, or the other way round; CLI_OK, or CLI_BAD_INPUT, said. */
int cli_identify_check(const CliIdentifySetup *setup, const GPtrArray *recordings,
                       const ArmDynamicsJoint *joints);

/* What --method sequential cannot do without: torques of all joints, and rows in which one joint
 * moves alone. CLI_OK, or CLI_BAD_INPUT, said. */
int cli_identify_check_alone(const CliIdentifySetup *setup, const CliMoving *moving);

/* ---- identify_judge.c: what is to be said of the result ---- */

typedef struct {
  const CliIdentifySetup *setup;
  const GPtrArray *recordings, *held_out; /* of CliMoving; held_out may be empty */
  ArmDynamicsFit *fit;
  ArmInformation *information;    /* of all recordings */
  ArmDynHeldOut *promised;        /* held_out->len x joints, of each recording together */
  double widened[ARM_MAX_JOINTS]; /* times, as recordings that were held out ask for; 1: not */
  double step[ARM_MAX_JOINTS];    /* of positions that come in coarse ones [rad, m]; 0: fine */
  double scatter[ARM_MAX_JOINTS]; /* sd of positions that scatter much [rad, m]; 0: they do not */
  double by_steps;                /* the largest factor that sds have grown by for either */
  ArmDynamicsPlace place;         /* of torques that were measured */
  AioDynamics *out;
  bool is_bad;          /* exit 4 */
  ArmStatus completed;  /* of the links below; ARM_E_NO_DATA: nothing to complete */
  ArmConsistent *links; /* owned; NULL: there are none */
  ArmDynamicsRotor rotors[ARM_MAX_JOINTS];
} CliIdentified;

/* A sentence, and one that ends with exit status 4. message: freed */
void cli_identify_warn(CliIdentified *r, const char *code, size_t joint, char *message);
void cli_identify_fault(CliIdentified *r, const char *code, size_t joint, char *message);

/* ---- identify_validate.c: recordings that were not fitted ---- */

/* Compares them with what the fit promises, and widens its sds where it does not keep that. `out`
 * is not needed. CLI_OK, or what is said. */
int cli_identify_promise(CliIdentified *r);

/* Validation, verdicts and their sentences into `out`. */
void cli_identify_validate(CliIdentified *r);

/* Is an rms effort no more than rounding beside that of the joint with the largest in the same
 * rows, as of a symmetric last link of a simulated arm? */
bool cli_identify_is_silent(const CliIdentified *r, ArmInformation *of, double rms);

/* Is what the fit leaves of a joint's rows white noise, as far as rows beside each other tell? What
 * a wrong model leaves lasts from one to the next. */
bool cli_identify_is_noise(const CliIdentified *r, size_t joint);

/* Friction that helps: the joint does not fit; signs that the arm file states otherwise. CLI_OK, or
 * what is said. */
int cli_identify_warn_friction(CliIdentified *r);

/* identify_check.c: warns of recordings whose rate leaves no room between the filter of the rows
 * and that of the positions. */
void cli_identify_warn_coarse(CliIdentified *r);

/* identify_recorded.c: units, joints that no row tells of, currents that do not change; exit 4. */
void cli_identify_warn_recorded(CliIdentified *r);

/* identify_recorded.c: do two joints or more move at once? */
bool cli_moving_is_together(const AioMovingSurvey *survey);

/* identify_recorded.c: what may be why a model does not fit a joint, if anything is seen of it: the
 * search, units, an encoder that is stuck, a current without sign. NULL: nothing. g_free it. */
char *cli_identify_cause(const CliIdentified *r, size_t joint);

/* Links as bodies can have them, and what is left for rotors, which the fit takes: before there is
 * a set, which tells friction with them. */
void cli_identify_complete(CliIdentified *r);

/* Links, what is weakest, validation, verdict and warnings into `out`. CLI_OK, or what is said. */
int cli_identify_judge(CliIdentified *r);

/* How recordings are identified, by their filter (white_growth) and the way asked for. */
ArmDynamicsOptions cli_identify_how(const CliIdentified *r, ArmDynamicsWay way);

/* ---- identify_steps.c: positions that come in coarse steps, or scatter ---- */

/* Where a recording has such positions, reads it once more with other errors of the same size, and
 * widens the fit's sds by what its estimates shift by; after cli_identify_promise.
 *   joints  as they were identified, with their terms
 *   terms   of the rows; NULL: none
 * CLI_OK, or what is said. */
int cli_identify_steps(CliIdentified *r, const ArmDynamicsJoint *joints, const ArmDynTerms *terms);

/* Says so, with the joints and their steps. */
void cli_identify_warn_steps(CliIdentified *r);

/* ---- identify_terms.c: friction beyond Coulomb and viscous ---- */

/* Owned, all NULL where no joint gets a term. */
typedef struct {
  GPtrArray *recordings, *held_out;
  ArmInformation *information;
  ArmDynamicsFit *fit;
  double *beta;
  ArmDynTerms terms;
  ArmTermTrial trial[ARM_MAX_JOINTS][ARM_TERMS];
} CliTerms;
void cli_terms_clear(CliTerms *terms);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliTerms, cli_terms_clear)

/* Of a fit without terms; where a joint gets one, what `r` has is then that of `terms`.
 *   offers  ARM_TERMS
 *   joints  in and out
 *   terms   of zeros; out
 * CLI_OK, or what is said. */
int cli_identify_terms(CliIdentified *r, const bool *offers, ArmDynamicsJoint *joints,
                       CliTerms *terms);

/* Which joints have terms, to stdout; absurd ones, and, where a load was asked for, those that
 * cannot be seen, as warnings. */
void cli_terms_print(const CliIdentified *r);
void cli_terms_warn(const CliIdentified *r, bool is_asked);

/* ---- identify_print.c ---- */

/* The table for people, to stdout. */
void cli_identify_print(const CliIdentified *r);

#endif
