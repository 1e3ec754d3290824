/* SPDX-License-Identifier: MIT */
/* Plausibility: what a recording and its fit say that cannot be, or hardly.
 * Source: Armature theory notes, lack of fit, section 7. Some faults leave no misfit at all (unit
 * and sign of speeds, sign of a current), so that no verdict sees them.
 *
 *   slope = (q_end - q_start) / ((t_end - t_start) mean qd)      per stroke; 1 when all is well
 *   f+ = lambda1+ + lambda2+ v, f- likewise at the mean v        [A]
 *   rho, rho0   ratio of torque constants as found, and of the data sheet
 *
 * A scan takes one row after the other and its size does not depend on their number; the rules are
 * functions of the scan, the model and the fit.
 */
#ifndef ARMATURE_CORE_PLAUSIBLE_H
#define ARMATURE_CORE_PLAUSIBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/data/dataset.h"

/* In the order in which they are told. `found` and `expected` as said here; `count` of `rows`. */
typedef enum {
  ARM_DOUBT_SPEED_UNIT = 0, /* found: slope, expected 1; `unit` what it looks like; of strokes */
  ARM_DOUBT_SPEED_SIGN,     /* the slope is -1: sign of the speed or direction of q */
  ARM_DOUBT_UNSIGNED,       /* magnitudes, or an offset beyond friction; found: f+ and expected: f-,
                               or the lowest and the highest current [A] where is_samples: one
                               that ends at zero, or under which friction turns round or
                               changes places with the load */
  ARM_DOUBT_CURRENT_SIGN,   /* friction helps; found: f+ - f- [A], expected: its sign */
  ARM_DOUBT_RATIO_SIGN,     /* found: rho, expected: rho0, to joint `other` */
  ARM_DOUBT_RATIO_SIZE,     /* the same */
  ARM_DOUBT_ZERO,           /* the current is 0 in all rows that are used */
  ARM_DOUBT_CONSTANT,       /* the current is the same in all of them; found: it [A]; count 0: they
                               go one way */
  ARM_DOUBT_NO_SIGNAL, /* the current does not follow the motion; found: r2, expected: its limit */
  ARM_DOUBT_WILD,      /* samples left out; found: the farthest, expected: its neighbours [A];
                          row `other`, at `time` */
  ARM_DOUBT_WILD_POSITION, /* the same of positions [rad, m] */
  ARM_DOUBT_RESIDUAL,      /* found: the largest [A], expected: its sd [A] */
  ARM_DOUBT_CURRENT_LIMIT, /* |current| beyond what the arm file allows, or where it states no limit
                              (is_samples) any joint; found: the worst, in row `other`, expected [A]
                            */
  ARM_DOUBT_SATURATED,     /* one extreme value again and again; found: it [A], the limit where rows
                              near it are left out */
  ARM_DOUBT_POSITION,      /* found: the worst, in row `other`, expected: the limit [rad, m] */
  ARM_DOUBT_HELD_MOVES,  /* found: by how much [rad, m], while joint `other` is swept; at `time` */
  ARM_DOUBT_FEW_SAMPLES, /* found: mean rows per stroke, expected: 20; of strokes */
  ARM_DOUBT_JITTER,      /* found: median interval [s]; of intervals */
  ARM_DOUBT_GAPS,        /* samples are missing inside of strokes; found: the longest [s] */
  ARM_DOUBT_MANY_MOVE,   /* found: how many joints move at once, at most */
  ARM_DOUBTS
} ArmDoubtKind;

typedef enum {
  ARM_SPEED_SI = 0,
  ARM_SPEED_DEG,     /* speed in deg/s */
  ARM_SPEED_Q_DEG,   /* position in deg */
  ARM_SPEED_RPM,     /* rpm */
  ARM_SPEED_PER_MIN, /* rad/min */
  ARM_SPEED_MM,      /* mm/s */
  ARM_SPEED_Q_MM,    /* position in mm */
  ARM_SPEED_MOTOR,   /* of the motor, not of the joint */
  ARM_SPEED_OTHER,
  ARM_SPEED_UNITS
} ArmSpeedUnit;

enum { ARM_DOUBT_ALL_JOINTS = ARM_MAX_JOINTS, ARM_MAX_DOUBTS = 4 * ARM_MAX_JOINTS };

typedef struct {
  ArmDoubtKind kind;
  ArmSpeedUnit unit;
  bool is_samples;
  bool is_torque;               /* N m, N for A: the joint's torque was measured */
  size_t joint;                 /* from 0; ARM_DOUBT_ALL_JOINTS: of the recording */
  size_t other;                 /* from 0 */
  double found, expected, time; /* time: of the recording [s] */
  size_t count, rows;
} ArmDoubt;

typedef struct {
  size_t count; /* what does not fit into `at` is not told */
  ArmDoubt at[ARM_MAX_DOUBTS];
} ArmDoubts;

/* Snake-case word of files: "speed_unit"; static storage. */
const char *arm_doubt_key(ArmDoubtKind kind);
/* The fit must not pass with it, whatever the verdict says: no current of a motor is like that. */
bool arm_doubt_is_error(const ArmDoubt *doubt);
/* That one of it: most of the current is many times what the arm file allows. */
bool arm_doubt_is_no_current(const ArmDoubt *doubt);
/* Numbers of a fit with it are hardly those of the arm: whoever uses them is told again. */
bool arm_doubt_is_severe(ArmDoubtKind kind);

/* The value that is farthest in one direction, and the one next to it. */
typedef struct {
  double value, next;
  size_t count, next_count;
  size_t run, longest; /* rows in succession at `value` */
} ArmExtreme;

/* Rows near the limit of the current that are left out for it, of one sign. */
typedef struct {
  size_t count, run, longest; /* in succession */
} ArmAtLimit;

typedef struct {
  bool is_open;
  size_t joint, rows, used;
  double q_first, q_last, t_first, t_last, last_step, qd_sum;
  double current[2]; /* the last two */
  double hold[ARM_MAX_JOINTS];
  double q_from, q_to, current_sum; /* of the rows that are used */
  ArmExtreme top, bottom;
} ArmPlausibleStroke;

/* Friction as way and way back over one range have it, one after the other in the same hold: half
 * of what their mean currents differ by, forth less back [A]; of those whose sign is sure. */
typedef struct {
  ArmPlausibleStroke last;
  size_t positive, negative;
  double high, low;
  double least, least_mean; /* the smallest of either sign, and the mean current of both ways */
} ArmPlausibleWays;

typedef struct {
  size_t rows, forth, back;       /* used */
  double speed_forth, speed_back; /* sums */
  double low, high;               /* current [A] */
  ArmExtreme top, bottom;         /* of strokes whose current changes; bottom: negated */
  ArmAtLimit at_limit[2];         /* [1]: negative */
  size_t over, limit_rows; /* beyond the limit of the current; of those left out only these */
  double noise_sum;        /* squares of second differences */
  size_t noise_rows;
  size_t strokes, short_strokes, stroke_rows;
  size_t slopes[2][ARM_SPEED_UNITS]; /* strokes; [1]: negative */
  double slope_sum[2][ARM_SPEED_UNITS];
  size_t moving_rows, outside; /* beyond a limit of position */
  double outside_worst, outside_limit;
  size_t outside_row; /* of the worst */
  double worst;       /* |current| of them all [A] */
  size_t worst_row;
  double held_moved, held_time; /* most, while another is swept [rad, m]; s */
  size_t held_by;
  ArmPlausibleWays ways;
} ArmPlausibleJoint;

typedef struct {
  double median_step; /* of the recording [s] */
  size_t n, steps, odd_steps, gaps, moving_rows, many_rows, most_moving;
  double longest_gap;
  ArmPlausibleStroke open;
  ArmPlausibleJoint joint[ARM_MAX_JOINTS];
} ArmPlausibleScan;

/* median_step  from arm_filter_median_step; NAN: nothing is said of intervals. */
void arm_plausible_init(ArmPlausibleScan *scan, size_t n, double median_step);
/* Row `row` of the data, in order of time. */
void arm_plausible_push(ArmPlausibleScan *scan, const ArmModel *model, const ArmDataset *data,
                        size_t row, ArmRowUse use);
/* After the last row. */
void arm_plausible_end(ArmPlausibleScan *scan, const ArmModel *model);

/* Adds what was found of other rows, `shift` seconds and `row` rows later than they say. */
void arm_plausible_merge(ArmPlausibleScan *into, const ArmPlausibleScan *from, double shift,
                         size_t row);
/* A stroke that the cut between both went through, of so many rows in each, is one. */
void arm_plausible_join_stroke(ArmPlausibleScan *scan, size_t joint, size_t before, size_t after);

/* One current in all rows, forth and back: nothing of a motor, whose friction at least turns. */
bool arm_plausible_is_constant(const ArmPlausibleJoint *joint);

/* The limit of the current as the arm file states it, else what no joint of a robot draws [A]. */
double arm_plausible_most_current(const ArmJoint *joint);

/* So far beyond a limit of position that it is in degrees (T: millimetres), not rad (m). */
bool arm_plausible_is_other_unit(ArmJointType type, double q, double limit);

/* What the rows alone say. `doubts` is overwritten. */
void arm_plausible_rows(const ArmPlausibleScan *scan, const ArmModel *model, ArmDoubts *doubts);

/* f+ - f-, f+, f- with their sds, as a fit gives them. */
typedef struct {
  double forth, back, forth_sd, back_sd; /* A */
  bool holds_load; /* gravity's load is part of them: a sliding joint whose load never changes */
  bool is_torque;
} ArmPlausibleFriction;

/* Has it one sign both ways, beyond 4 sds each? Friction opposes motion. */
bool arm_plausible_is_one_sided(const ArmPlausibleFriction *friction);

/* Friction helps the motion forth and back where a current of this sign drives it: the current, or
 * the joint, runs the other way.
 *   sign  of eta as stated; of torques 1 */
bool arm_plausible_is_reversed(const ArmPlausibleFriction *friction, double sign);

/* Appends what friction says of joint i. */
void arm_plausible_friction(const ArmPlausibleScan *scan, const ArmModel *model, size_t i,
                            const ArmPlausibleFriction *friction, ArmDoubts *doubts);

/* Appends that the fit follows hardly anything of the current of joint i.
 *   r2     of the fit; least  the limit */
void arm_plausible_signal(const ArmPlausibleScan *scan, size_t i, double r2, double least,
                          ArmDoubts *doubts);

/* Appends that one residual of joint i is no noise.
 *   largest, sd  |residual| and its sd [A] */
void arm_plausible_residual(const ArmPlausibleScan *scan, size_t i, double largest, double sd,
                            ArmDoubts *doubts);

/* Ratios of one cluster. */
typedef struct {
  size_t n;
  const int *cluster;    /* n */
  const bool *is_torque; /* n */
  const double *rho;     /* n x n column-major, [i + j n] = eta_i/eta_j for i < j; NAN: not known */
  const double *sd;      /* the same */
} ArmPlausibleRatios;

/* Appends which joints have ratios of another sign or size than the data sheets say. */
void arm_plausible_ratios(const ArmModel *model, const ArmPlausibleRatios *ratios,
                          ArmDoubts *doubts);

#endif
