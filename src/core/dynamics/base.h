/* SPDX-License-Identifier: MIT */
/* Which inertial parameters the motors of an arm can feel at all: base parameters.
 *
 *   tau = Y pi = Y_b beta,   beta = T pi
 *
 * pi are the ten parameters of every link (inertia.h) and, if asked for, those of
 * friction, springs, counterbalances and rotors; Y_b are the columns of Y that belong to `kept`,
 * one for each base parameter. Sources: Gautier and Khalil, IEEE Trans. Robotics and Automation
 * 6(3) 1990, eqs (14)-(20), made minimal where a T joint between parallel R joints slides
 * obliquely; Lin, J. Robotic Systems 9(4) 1992, Theorem 2 (composite.h), whose constants span the
 * same space; and a greedy QR of a regressor at random motions, which sees columns that no closed
 * form knows.
 *
 * What is kept is decided on the nominal geometry (nominal.h); T has the geometry as given. For
 * an arm that is nominal Y_b beta = Y pi exactly; otherwise they differ by about the angles that
 * were snapped, as a fit of Y_b to data makes up for in part.
 * Thread rule: re-entrant; constant after arm_base_new.
 */
#ifndef ARMATURE_CORE_DYNAMICS_BASE_H
#define ARMATURE_CORE_DYNAMICS_BASE_H

#include "core/arm/model.h"
#include "core/dynamics/nominal.h"
#include "core/params/catalogue.h"

/* ---- what the geometry decides (Lin 1992, section 2; on nominal geometry) ---- */

typedef struct {
  size_t n;
  size_t r, s; /* first R joint, first R joint not parallel to it; from 1, n+1 = none */
  bool delta[ARM_MAX_JOINTS]; /* R, r <= j < s: its first moments show. Not the delta of Lin 1994 */
  bool sigma[ARM_MAX_JOINTS]; /* T, r < j < s: it does not slide along the axis of r */
  double axis[ARM_MAX_JOINTS][3]; /* r <= j < s: axis of r in frame j */
  size_t n_snapped;
  ArmSnap snapped[ARM_MAX_SNAPS];
} ArmBaseGeometry;

/* ARM_E_ARGUMENT: n outside 1..32. ARM_E_NOT_FINITE: the geometry or gravity is not finite. */
ARM_MUST_CHECK ArmStatus arm_base_geometry(const ArmModel *model, ArmBaseGeometry *geometry);

/* ---- columns ---- */

typedef enum {
  ARM_COLUMN_INERTIAL = 0,
  ARM_COLUMN_COULOMB_POS, /* 1 while the drive turns forward, else 0 [N m, N] */
  ARM_COLUMN_VISCOUS_POS, /* its speed while it turns forward [N m s/rad, N s/m] */
  ARM_COLUMN_COULOMB_NEG, /* 1 while it turns back: the parameter is normally negative */
  ARM_COLUMN_VISCOUS_NEG, /* its speed, negative */
  ARM_COLUMN_SPRING,      /* q [N m/rad, N/m] */
  ARM_COLUMN_SPRING_BIAS, /* 1 [N m, N] */
  ARM_COLUMN_BALANCE_COS, /* R: cos q [N m] */
  ARM_COLUMN_BALANCE_SIN, /* R: sin q [N m] */
  ARM_COLUMN_BALANCE,     /* T: 1 [N] */
  ARM_COLUMN_ROTOR,       /* acceleration of the drive [kg m^2, kg], gear ratio squared included */
  ARM_COLUMN_KINDS
} ArmColumnKind;

/* Which ones beside the inertial: any of these or'ed. */
enum {
  ARM_BASE_WITH_FRICTION = 1,
  ARM_BASE_WITH_SPRING = 2,
  ARM_BASE_WITH_COUNTERBALANCE = 4,
  ARM_BASE_WITH_ROTOR = 8
};

/* Why a parameter is none of the base parameters. With `into` what it was regrouped into, these
 * make sentences (io/arm/base_text.h). */
typedef enum {
  ARM_BASE_KEPT = 0,
  ARM_BASE_ROUND,       /* YY of an R joint: only XX - YY shows, the rest turns as link j-1 does */
  ARM_BASE_ON_AXIS,     /* mZ, m of an R joint: moves as a part of link j-1 */
  ARM_BASE_ONE_AXIS,    /* r <= j < s: the link turns about one direction only */
  ARM_BASE_BEARINGS,    /* mX, mY, delta = 0: bearings carry it */
  ARM_BASE_SLIDES,      /* inertia of a T joint: turns as link j-1 does */
  ARM_BASE_ALONG,       /* first moments of a T joint that slides along the one direction */
  ARM_BASE_OBLIQUE,     /* of a T joint that does not: two combinations of three show */
  ARM_BASE_NEVER_TURNS, /* T before r: nothing but the mass shows */
  ARM_BASE_DEPENDENT,   /* by QR: its column is a combination of others in every motion */
  ARM_BASE_UNFELT,      /* by QR: its column is zero in every motion */
  ARM_BASE_REASONS
} ArmBaseReason;

/* Snake-case key, stable for files. Static storage. */
const char *arm_base_reason_key(ArmBaseReason reason);

typedef enum {
  ARM_FATE_KEPT = 0,  /* stands for a base parameter */
  ARM_FATE_REGROUPED, /* part of one or more of them */
  ARM_FATE_LOST       /* no motor feels it */
} ArmBaseFate;

typedef struct {
  ArmColumnKind kind;
  size_t joint;         /* from 0 */
  unsigned parameter;   /* inertial: place in the ten of inertia.h */
  ArmBaseReason reason; /* ARM_BASE_KEPT: a base parameter */
} ArmBaseColumn;

/* Coefficients below this are rounding. */
#define ARM_BASE_NEGLIGIBLE 1e-10

typedef enum { ARM_BASE_CLOSED_FORM = 0, ARM_BASE_QR } ArmBaseWay;

/* Order: links from 1, in each XX XY XZ YY YZ ZZ mX mY mZ m, then the other kinds as enumerated. */
typedef struct {
  size_t n, columns, count;
  unsigned with;
  ArmBaseGeometry geometry;
  ArmBaseColumn *column; /* columns    pi: 10 n in the order of inertia.h, then the others */
  size_t *kept;          /* count      the column of each base parameter */
  double *map;           /* count x columns  T, column-major */
} ArmBase;

/* The base parameters.
 *   with  ARM_BASE_WITH_*: a greedy QR decides which of these columns are dependent, base
 *         parameters of the links first, rotors last
 *   way   the closed form, or the QR for all columns (a check: same count and span; other names
 *         where a T joint slides obliquely). Without gravity, where the closed form is not minimal,
 *         the QR goes over what it leaves.
 * Free with arm_base_free. Deterministic: the motions of the QR have a fixed seed.
 * ARM_E_ARGUMENT: n outside 1..32, or an unknown bit. ARM_E_NOT_FINITE, ARM_E_MEMORY. *base is then
 * untouched. */
ARM_MUST_CHECK ArmStatus arm_base_new(const ArmModel *model, unsigned with, ArmBaseWay way,
                                      ArmBase **base);
void arm_base_free(ArmBase *base);

/* beta = T pi.
 *   pi    columns
 *   beta  count */
void arm_base_values(const ArmBase *base, const double *pi, double *beta);

/* What became of a column. */
ArmBaseFate arm_base_fate(const ArmBase *base, size_t column);

/* Does base parameter b hold others than the one it is named after? */
bool arm_base_is_regrouped(const ArmBase *base, size_t b);

/* ---- base_name.c ---- */

/* The catalogue's kind of a column; ARM_PARAM_KINDS: of springs and counterbalances it has none. */
ArmParamKind arm_base_kind(const ArmBaseColumn *column);

enum { ARM_BASE_NAME = 8 };

/* "XXR2": as Gautier and Khalil name base parameters.
 *   symbol        at most three letters
 *   is_regrouped  others were: an R
 *   joint         from 0
 *   name          out, returned */
const char *arm_base_name(const char *symbol, bool is_regrouped, size_t joint,
                          char name[ARM_BASE_NAME]);

/* All columns at `samples` states.
 *   q, qd, qdd  samples x n            column-major
 *   y           samples x columns x n  of joint i: y + i * columns * samples, column-major
 * Friction and rotors of coupled drives turn with (I+L) qd (Lin 1994, (38)-(40)).
 * ARM_E_NOT_FINITE: the geometry is not finite. */
ARM_MUST_CHECK ArmStatus arm_base_full_regressor(const ArmBase *base, const ArmModel *model,
                                                 size_t samples, const double *q, const double *qd,
                                                 const double *qdd, double *y);

/* Y_b of one state: row of joint i at y + i * count. Errors as above, ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_base_regressor(const ArmBase *base, const ArmModel *model,
                                            const double *q, const double *qd, const double *qdd,
                                            double *y);

/* The gradient of sum over joints i and base parameters b of bar_ib Y_b,ib, each state by itself.
 * Coulomb friction steps where a drive turns round: of that nothing is told.
 *   q, qd, qdd            samples x n
 *   bar                   samples x count x n   of joint i: bar + i * count * samples
 *   work                  samples x 10 n x n    scratch
 *   q_bar qd_bar qdd_bar  samples x n
 * ARM_E_NOT_FINITE: the geometry is not finite. */
ARM_MUST_CHECK ArmStatus arm_base_regressor_gradient(const ArmBase *base, const ArmModel *model,
                                                     size_t samples, const double *q,
                                                     const double *qd, const double *qdd,
                                                     const double *bar, double *work, double *q_bar,
                                                     double *qd_bar, double *qdd_bar);

/* How far two sets of parameters are from spanning the same space: the largest distance of a
 * row of one, at unit length, from the span of the other's (1 where the counts differ).
 *   a, b  count x columns, column-major
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_base_distance(size_t columns, size_t count_a, const double *a,
                                           size_t count_b, const double *b, double *distance);

#endif
