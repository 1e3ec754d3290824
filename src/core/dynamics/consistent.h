/* SPDX-License-Identifier: MIT */
/* Parameters of all links that bodies can have, from what the motors can feel of them.
 *
 * Data tell the base parameters beta = T pi alone, with errors that no body has to have: links of
 * negative mass, mass matrices that are not positive definite. Here pi, ten a link, is chosen so
 * that every link is a body (pseudo-inertia P > 0, logchol.h), the data are met as well as noise
 * asks for, and what they do not tell stays near nominal links P0:
 *
 *   chi2(pi, kap) = sum_j | (s_j e^kap_j R'_j T pi - z'_j) / sigma_j |^2
 *
 *   log-det       min 1/2 chi2 + gam sum_i [ tr(P0_i^-1 P_i) - log det P_i ]          (kap fixed)
 *   log-Cholesky  min 1/2 chi2 + 1/2 |x - x0|^2 + 1/2 sum_j ((kap_j - kap0_j) / sd_j)^2
 *
 *   R' z'  triangle and right-hand side of joint j with friction and rotor projected out: the
 *          lower rows of the triangle of [ local_j | (Y_b)_j | i_j ] (rows.h)        [A ..]
 *   sigma  sd of the noise of joint j's rows                                          [A]
 *   eta    current over torque, s_j e^kap_j                                  [A/(N m), A/N]
 *   x      log-Cholesky parameters of all links, x0 those of the nominal ones
 *
 * Where joints' torques were measured, eta is 1 and A reads N m, N. The log-det problem is convex
 * and takes few steps of Newton's method, but its prior is steep: a link that is many times heavier
 * than nominal is held back. The log-Cholesky prior is one of ratios (sd 1: a mass e^2 times larger
 * or smaller) and has other minima, which data hardly tell apart.
 *
 * What else is in base parameters, a rotor that turns with a link, must be out of R' and z' too, or
 * links take it for mass of theirs: outcome.h does that.
 *
 * The rule (ARM_CONSISTENT_AUTO): log-Cholesky when torque constants are unknown, or when a nominal
 * link is missing, no body, or said to be doubtful; otherwise log-det, and when that does not
 * converge, or costs more chi2 than the true links do on the mean (one for each base parameter),
 * log-Cholesky after all; if that comes no nearer to the data, log-det stays. On a simulated PUMA a
 * tool of 2 kg on a nominal link of 0.09 kg made it stall; nominal links that were 30 % and 3 cm
 * off were no trouble.
 *
 * Sources: Wensing, Kim and Slotine, IEEE Robotics and Automation Letters 3(1) 2018 (P); Lee,
 * Wensing and Park, IEEE Trans. Robotics 36(2) 2020 (log-det); Rucker and Wensing, IEEE Robotics
 * and Automation Letters 7(2) 2022 (log-Cholesky).
 * Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_DYNAMICS_CONSISTENT_H
#define ARMATURE_CORE_DYNAMICS_CONSISTENT_H

#include "core/arm/model.h"
#include "core/dynamics/inertia_check.h"

/* gam: 0.025 (N m)^2 over the variance of 0.3 N m of the simulated 4R arm it was found with; an sd
 * of some 190 % of each parameter. Held-out error there: 0.27 %, at a tenth of it 0.46 %, at ten
 * times 1.3 %. */
#define ARM_CONSISTENT_WEIGHT 0.28

/* ---- nominal links ---- */

typedef enum {
  ARM_NOMINAL_KNOWN = 0, /* as given */
  ARM_NOMINAL_ROUNDED,   /* flat or thin: given a thickness of a tenth of its size, 5 mm at least */
  ARM_NOMINAL_REPAIRED,  /* mass and centre as given; no body has the tensor, see `flaw` */
  ARM_NOMINAL_GUESSED    /* no mass given: the median of the others (1 kg if there is none), a ball
                            amid its joint and the next one */
} ArmNominalFate;

typedef struct {
  ArmNominalFate fate;
  ArmInertiaFlaw flaw; /* of the parameters as given; ARM_INERTIA_MASS: missing */
} ArmNominalLink;

/* Nominal links that a completion can start from: positive definite, no radius of gyration about
 * the centre below a tenth of the largest, or 5 mm.
 *   given  10 n   NULL = those of the model; zeros (or what is not finite) for a missing link
 *   pi     10 n   may be given
 *   links  n      what was done to each; may be NULL */
void arm_consistent_nominal(const ArmModel *model, const double *given, double *pi,
                            ArmNominalLink *links);

/* ---- completion ---- */

/* Borrowed for the call. */
typedef struct {
  size_t count;      /* base parameters, 1 .. 10 n */
  const double *map; /* count x 10 n    T, column-major (base.h, without further columns) */
  /* count x count, column-major, of each joint; any matrix will do. NULL: no rows */
  const double *triangle[ARM_MAX_JOINTS];
  const double *right[ARM_MAX_JOINTS]; /* count   z' */
  double sigma[ARM_MAX_JOINTS];        /* A   > 0; of correlated noise: widened */
  double eta[ARM_MAX_JOINTS];          /* A/(N m), A/N   known, or the start; not 0 */
  double eta_prior[ARM_MAX_JOINTS];    /* e^kap0, of the same sign; only where eta_sd > 0 */
  double eta_sd[ARM_MAX_JOINTS];       /* sd of log |eta|; 0 = eta is known; at most 10 */
  bool has_eta; /* eta is best as given (of an identification, say), and stays: what eta_sd says
                   without these data is in the sds alone. eta_prior is not read then */
  const double *nominal;            /* 10 n; NULL = the links of the model; zeros: missing */
  bool is_doubtful[ARM_MAX_JOINTS]; /* the link may be > 3 times off: an unknown tool */
  size_t n_asked;                   /* at most ARM_MAX_JOINTS */
  const double *asked;     /* 10 n x n_asked, column-major: sums of pi whose sds are asked */
  const double *asked_eta; /* n x n_asked: the same of log |eta|, as far as it is not known */
} ArmConsistentData;

typedef enum {
  ARM_CONSISTENT_AUTO = 0,
  ARM_CONSISTENT_LOGDET,
  ARM_CONSISTENT_LOGCHOL
} ArmConsistentMethod;

/* Why this method. */
typedef enum {
  ARM_CONSISTENT_ASKED = 0,  /* the caller chose */
  ARM_CONSISTENT_TRUSTED,    /* log-det: all nominal links are good, and it met the data */
  ARM_CONSISTENT_ETA,        /* log-Cholesky: torque constants are unknown */
  ARM_CONSISTENT_NO_NOMINAL, /* a nominal link was guessed or repaired */
  ARM_CONSISTENT_DOUBTFUL,   /* the caller doubts one */
  ARM_CONSISTENT_HELD_BACK,  /* log-det missed the data; log-Cholesky unless that did no better */
  ARM_CONSISTENT_STALLED     /* log-Cholesky: log-det did not converge */
} ArmConsistentReason;

typedef struct {
  ArmConsistentMethod method;
  double weight;                             /* gam; 0 = ARM_CONSISTENT_WEIGHT */
  size_t iterations;                         /* at most, of each method; 0 = 60 and 1000 */
  bool (*progress)(double done, void *user); /* called before each step; false cancels; NULL */
  void *user;
} ArmConsistentOptions;

typedef struct {
  ArmConsistentMethod method; /* what was done */
  ArmConsistentReason reason;
  size_t iterations;                    /* of it: steps */
  double pi[10 * ARM_MAX_JOINTS];       /* 10 n   every link consistent */
  double sd[10 * ARM_MAX_JOINTS];       /* of pi, data and prior together (linearised) */
  double prior_sd[10 * ARM_MAX_JOINTS]; /* of the prior alone at pi: sd as large as this = the
                                               data are silent of the number alone; what they say
                                               of sums with others moves it from the nominal one */
  double eta[ARM_MAX_JOINTS];
  double eta_sd[ARM_MAX_JOINTS];   /* of log |eta|; 0 where it was known */
  double asked_sd[ARM_MAX_JOINTS]; /* as sd, of each asked^T pi */
  ArmNominalLink links[ARM_MAX_JOINTS];
  double chi2;   /* of the result, without what R' cannot reach in any case */
  double excess; /* chi2 over the least that any beta reaches with these eta: what bodies and prior
                      cost. Some count at most where the model fits */
  double farthest;      /* largest ratio of P to P0 either way, in any direction of any link */
  size_t farthest_link; /* from 0 */
} ArmConsistent;

/*   model    the arm: n, and the placements for guessed links
 *   options  may be NULL
 * ARM_E_ARGUMENT: a size, sigma, eta, prior or option outside its range; log-det with unknown eta
 * and not has_eta.
 * ARM_E_NOT_FINITE: R', z', T or a placement is not finite.
 * ARM_E_NUMERIC: not converged, or data that insist on a link no body has.
 * ARM_E_NO_DATA: cancelled. ARM_E_MEMORY.
 * *result is then untouched. */
ARM_MUST_CHECK ArmStatus arm_consistent(const ArmModel *model, const ArmConsistentData *data,
                                        const ArmConsistentOptions *options, ArmConsistent *result);

/* Snake-case keys, stable for files. Static storage; "" for what is none. */
const char *arm_consistent_method_key(ArmConsistentMethod method);
const char *arm_consistent_reason_key(ArmConsistentReason reason);

#endif
