/* SPDX-License-Identifier: MIT */
/* The rules: functions of a scan, the model and what the fit found. */
#include <math.h>
#include <string.h>

#include "core/sweeps/plausible.h"

/* Armature theory notes, lack of fit, section 7, whose limits for ratios and saturation are
 * reasoned, not measured; NOISE_PART, TURNED_PART, CHANGED_PART, SAME_PART, JITTER_PART, MANY_PART,
 * SATURATED_STEEP and _RUN are our own of that kind. */
#define SIGNIFICANT    4.0   /* sds */
#define RELATIVE_SD    0.2   /* of a torque constant whose data sheet states none */
#define NEAR_ZERO      0.03  /* of the largest current */
#define NOISE          3.0   /* sds on the other side of zero that are noise */
#define NOISE_PART     0.5   /* of the largest current, that this noise may be */
#define MOST_CURRENT   500.0 /* A, of any joint: more is in mA */
#define FAR_PART       0.5   /* of the samples, beyond that limit ... */
#define FAR_BEYOND     10.0  /* ... and the worst as many times: no ampere */
#define OTHER_UNIT     10.0 /* times a limit of position, or what is near any: 57.3 is deg, 1000 mm */
#define NEAR_R         1.0   /* rad */
#define NEAR_T         0.1   /* m */
#define OVER_PART      0.001 /* of the samples, beyond the limit of the current */
#define SATURATED_PART 0.005 /* of the samples, at the extreme value */
#define SAME_CURRENT   1e-9  /* of it: what a filter's rounding leaves of one value */
#define LARGE_RESIDUAL 10.0  /* sds: no noise */
#define ROUNDING_PART  1e-9  /* of the current: all that is left of a recording without noise */
#define TURNED_PART    0.3   /* of the largest friction, that of the other sign is at least */
#define CHANGED_PART   0.6   /* of the largest friction: less is the load ... */
#define SAME_PART      0.15  /* ... if the mean is that friction to within this part */
#define JITTER_PART    0.05  /* of the intervals */
#define MANY_PART      0.05  /* of the rows in which anything moves */
enum { SATURATED_STEEP = 5, SATURATED_RUN = 3, SHORT_STROKE = 20, TURNED = 2 };

const char *arm_doubt_key(ArmDoubtKind kind) {
  static const char *const keys[ARM_DOUBTS] = {
      "speed_unit",       "speed_sign",   "unsigned_current", "current_sign", "ratio_sign",
      "ratio_size",       "zero_current", "constant_current", "no_signal",    "wild",
      "wild_position",    "residual",     "current_limit",    "saturated",    "position_limits",
      "held_joint_moves", "few_samples",  "jitter",           "gaps",         "many_joints_move",
  };
  return (unsigned)kind < ARM_DOUBTS ? keys[kind] : "";
}

/* Limits may be set with care; what is many times beyond one most of the time is no ampere, nor is
 * what is beyond all motors. */
bool arm_doubt_is_no_current(const ArmDoubt *d) {
  return d->kind == ARM_DOUBT_CURRENT_LIMIT && (double)d->count > FAR_PART * (double)d->rows &&
         (d->is_samples || d->found > FAR_BEYOND * d->expected);
}

bool arm_doubt_is_error(const ArmDoubt *d) {
  return d->kind == ARM_DOUBT_RATIO_SIGN || d->kind == ARM_DOUBT_CURRENT_SIGN ||
         d->kind == ARM_DOUBT_ZERO || (d->kind == ARM_DOUBT_CONSTANT && d->count > 0) ||
         arm_doubt_is_no_current(d);
}

bool arm_doubt_is_severe(ArmDoubtKind kind) {
  return kind <= ARM_DOUBT_NO_SIGNAL || kind == ARM_DOUBT_CURRENT_LIMIT ||
         kind == ARM_DOUBT_SATURATED || kind == ARM_DOUBT_MANY_MOVE;
}

static void add(ArmDoubts *doubts, const ArmDoubt *doubt) {
  if (doubts->count < ARM_MAX_DOUBTS)
    doubts->at[doubts->count++] = *doubt;
}

/* ---- rows ---- */

static void judge_speed(const ArmPlausibleJoint *j, size_t i, ArmDoubts *doubts) {
  size_t strokes = 0, most = 0, sign = 0, unit = 0;
  for (size_t s = 0; s < 2; s++)
    for (size_t u = 0; u < ARM_SPEED_UNITS; u++) {
      strokes += j->slopes[s][u];
      if (j->slopes[s][u] > most) {
        most = j->slopes[s][u];
        sign = s;
        unit = u;
      }
    }
  if (strokes == 0 || 2 * j->slopes[0][ARM_SPEED_SI] >= strokes)
    return;
  if (sign == 0 && unit == ARM_SPEED_SI) { /* the most, but not half */
    unit = ARM_SPEED_OTHER;
    most = strokes - j->slopes[0][ARM_SPEED_SI];
  }
  ArmDoubt doubt = {.joint = i,
                    .unit = (ArmSpeedUnit)unit,
                    .found = j->slope_sum[sign][unit] / (double)j->slopes[sign][unit],
                    .expected = 1,
                    .count = most,
                    .rows = strokes};
  doubt.kind = sign ? ARM_DOUBT_SPEED_SIGN : ARM_DOUBT_SPEED_UNIT;
  add(doubts, &doubt);
}

/* A drive that limits: at one value again and again, or where rows near the limit are left out. */
static void judge_side(const ArmPlausibleJoint *j, const ArmJoint *joint, size_t i, int side,
                       ArmDoubts *doubts) {
  const ArmExtreme *e = side ? &j->bottom : &j->top;
  const ArmAtLimit *at = &j->at_limit[side];
  const size_t rows = j->limit_rows + j->at_limit[0].count + j->at_limit[1].count;
  ArmDoubt doubt = {.kind = ARM_DOUBT_SATURATED, .joint = i};
  if ((double)at->count > SATURATED_PART * (double)rows && at->longest >= SATURATED_RUN) {
    doubt.found = arm_plausible_most_current(joint);
    doubt.count = at->count;
    doubt.rows = rows;
  } else if ((double)e->count > SATURATED_PART * (double)j->rows &&
             e->count > SATURATED_STEEP * e->next_count && e->longest >= SATURATED_RUN) {
    doubt.found = e->value;
    doubt.count = e->count;
    doubt.rows = j->rows;
  } else {
    return;
  }
  doubt.found *= side ? -1.0 : 1.0;
  add(doubts, &doubt);
}

double arm_plausible_most_current(const ArmJoint *joint) {
  return isnan(joint->limits.current_max) ? MOST_CURRENT : joint->limits.current_max;
}

bool arm_plausible_is_other_unit(ArmJointType type, double q, double limit) {
  return fabs(q) > OTHER_UNIT * fmax(fabs(limit), type == ARM_JOINT_R ? NEAR_R : NEAR_T);
}

static void judge_current(const ArmPlausibleJoint *j, const ArmJoint *joint, size_t i,
                          ArmDoubts *doubts) {
  if ((double)j->over > OVER_PART * (double)j->limit_rows)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_CURRENT_LIMIT,
                            .joint = i,
                            .other = j->worst_row,
                            .found = j->worst,
                            .is_samples = isnan(joint->limits.current_max),
                            .expected = arm_plausible_most_current(joint),
                            .count = j->over,
                            .rows = j->limit_rows});
  for (int side = 0; side < 2; side++)
    judge_side(j, joint, i, side, doubts);
}

static bool is_one_value(const ArmPlausibleJoint *j) {
  return j->rows >= 2 && j->high - j->low <= SAME_CURRENT * fmax(fabs(j->low), fabs(j->high));
}

bool arm_plausible_is_constant(const ArmPlausibleJoint *j) {
  return is_one_value(j) && j->forth > 0 && j->back > 0;
}

/* Swept one way at one speed an axis that no load turns has one current; still that is no signal.
 */
static void judge_constant(const ArmPlausibleJoint *j, size_t i, ArmDoubts *doubts) {
  const double top = fmax(fabs(j->low), fabs(j->high));
  if (!is_one_value(j))
    return;
  add(doubts, &(ArmDoubt){.kind = top > 0.0 ? ARM_DOUBT_CONSTANT : ARM_DOUBT_ZERO,
                          .joint = i,
                          .found = j->low,
                          .count = arm_plausible_is_constant(j) ? j->rows : 0,
                          .rows = j->rows});
}

static void judge_joint(const ArmPlausibleJoint *j, const ArmModel *model, size_t i,
                        ArmDoubts *doubts) {
  judge_speed(j, i, doubts);
  judge_current(j, &model->joints[i], i, doubts);
  judge_constant(j, i, doubts);
  if (j->outside > 0)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_POSITION,
                            .joint = i,
                            .other = j->outside_row,
                            .found = j->outside_worst,
                            .expected = j->outside_limit,
                            .count = j->outside,
                            .rows = j->moving_rows});
  if (j->held_moved > 0.0)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_HELD_MOVES,
                            .joint = i,
                            .other = j->held_by,
                            .found = j->held_moved,
                            .time = j->held_time});
  if (2 * j->short_strokes > j->strokes && j->rows >= SHORT_STROKE)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_FEW_SAMPLES,
                            .joint = i,
                            .found = (double)j->stroke_rows / (double)j->strokes,
                            .expected = SHORT_STROKE,
                            .count = j->short_strokes,
                            .rows = j->strokes});
}

void arm_plausible_rows(const ArmPlausibleScan *scan, const ArmModel *model, ArmDoubts *doubts) {
  doubts->count = 0;
  for (size_t i = 0; i < scan->n; i++)
    judge_joint(&scan->joint[i], model, i, doubts);
  if ((double)scan->odd_steps > JITTER_PART * (double)scan->steps)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_JITTER,
                            .joint = ARM_DOUBT_ALL_JOINTS,
                            .found = scan->median_step,
                            .count = scan->odd_steps,
                            .rows = scan->steps});
  if (scan->gaps > 0)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_GAPS,
                            .joint = ARM_DOUBT_ALL_JOINTS,
                            .found = scan->longest_gap,
                            .count = scan->gaps,
                            .rows = scan->steps});
  if ((double)scan->many_rows > MANY_PART * (double)scan->moving_rows)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_MANY_MOVE,
                            .joint = ARM_DOUBT_ALL_JOINTS,
                            .found = (double)scan->most_moving,
                            .count = scan->many_rows,
                            .rows = scan->moving_rows});
}

/* ---- friction ---- */

static bool has_doubt(const ArmDoubts *doubts, ArmDoubtKind kind, size_t joint) {
  for (size_t k = 0; k < doubts->count; k++)
    if (doubts->at[k].kind == kind && doubts->at[k].joint == joint)
      return true;
  return false;
}

/* No gear's friction helps in one hold and brakes in the next. */
static bool turns_round(const ArmPlausibleWays *w) {
  return w->positive >= TURNED && w->negative >= TURNED &&
         fmin(w->high, -w->low) > TURNED_PART * fmax(w->high, -w->low);
}

/* Where friction f is more than the load g, |g + f| and |g - f| differ by twice the load, and their
 * mean is friction: where it is less, the other way round. */
static bool changes_places(const ArmPlausibleWays *w) {
  const double most = fmax(w->high, -w->low);
  return w->positive + w->negative > TURNED && w->least < CHANGED_PART * most &&
         fabs(w->least_mean - most) < SAME_PART * most;
}

/* On one side of zero, and it reaches zero but never what lies beyond it, or friction turns round
 * or changes places: that of magnitudes is the other way round under a load that pulls the other
 * way. Of noise alone that means nothing. */
static bool is_magnitude(const ArmPlausibleJoint *j) {
  const double top = fmax(fabs(j->low), fabs(j->high));
  const double noise = j->noise_rows > 0 ? NOISE * sqrt(j->noise_sum / (double)j->noise_rows) : 0.0;
  if (j->forth == 0 || j->back == 0 || !(top > 0.0) || j->low == j->high ||
      noise > NOISE_PART * top)
    return false;
  const bool is_turned = turns_round(&j->ways) || changes_places(&j->ways);
  const double near = is_turned ? top : NEAR_ZERO * top;
  return (j->low >= -noise && j->low < near && j->high > noise) ||
         (j->high <= noise && j->high > -near && j->low < -noise);
}

bool arm_plausible_is_one_sided(const ArmPlausibleFriction *f) {
  return fabs(f->forth) > SIGNIFICANT * f->forth_sd && fabs(f->back) > SIGNIFICANT * f->back_sd &&
         f->forth * f->back > 0.0 && !f->holds_load;
}

bool arm_plausible_is_reversed(const ArmPlausibleFriction *f, double sign) {
  const double apart = f->forth - f->back;
  return apart * sign < 0.0 && fabs(apart) > SIGNIFICANT * hypot(f->forth_sd, f->back_sd);
}

void arm_plausible_friction(const ArmPlausibleScan *scan, const ArmModel *model, size_t i,
                            const ArmPlausibleFriction *f, ArmDoubts *doubts) {
  const ArmPlausibleJoint *j = &scan->joint[i];
  const ArmJoint *joint = &model->joints[i];
  if (is_magnitude(j)) {
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_UNSIGNED,
                            .joint = i,
                            .is_samples = true,
                            .found = j->low,
                            .expected = j->high,
                            .rows = j->rows});
    return;
  }
  if (has_doubt(doubts, ARM_DOUBT_CONSTANT, i) || has_doubt(doubts, ARM_DOUBT_ZERO, i))
    return;
  if (arm_plausible_is_one_sided(f)) {
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_UNSIGNED,
                            .joint = i,
                            .found = f->forth,
                            .expected = f->back,
                            .rows = j->rows});
    return;
  }
  const double sign = f->is_torque || joint->n_motors == 0 ? 1.0 : joint->motors[0].motor_sign;
  const double apart = f->forth - f->back;
  if ((f->is_torque || joint->n_motors > 0) && !has_doubt(doubts, ARM_DOUBT_SPEED_SIGN, i) &&
      arm_plausible_is_reversed(f, sign) &&
      fabs(apart) > ROUNDING_PART * fmax(fabs(j->low), fabs(j->high)))
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_CURRENT_SIGN,
                            .joint = i,
                            .found = apart,
                            .expected = sign,
                            .rows = j->rows});
}

/* Swept one way friction is a constant, of which r2 knows nothing; without a sign it is explained.
 */
void arm_plausible_signal(const ArmPlausibleScan *scan, size_t i, double r2, double least,
                          ArmDoubts *doubts) {
  const ArmPlausibleJoint *j = &scan->joint[i];
  if (j->forth > 0 && j->back > 0 && r2 < least && !has_doubt(doubts, ARM_DOUBT_UNSIGNED, i))
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_NO_SIGNAL,
                            .joint = i,
                            .found = r2,
                            .expected = least,
                            .rows = j->rows});
}

void arm_plausible_residual(const ArmPlausibleScan *scan, size_t i, double largest, double sd,
                            ArmDoubts *doubts) {
  const ArmPlausibleJoint *j = &scan->joint[i];
  const double top = fmax(fabs(j->low), fabs(j->high));
  if (j->rows > 0 && sd > 0.0 && largest > LARGE_RESIDUAL * sd && largest > ROUNDING_PART * top)
    add(doubts, &(ArmDoubt){.kind = ARM_DOUBT_RESIDUAL,
                            .joint = i,
                            .found = largest,
                            .expected = sd,
                            .rows = j->rows});
}

/* ---- ratios ---- */

typedef struct {
  size_t pairs, wrong; /* to other joints */
  size_t other;        /* of the worst */
  double worst, rho, rho0;
} Blame;

static bool nominal(const ArmModel *model, const ArmPlausibleRatios *r, size_t joint, double *eta,
                    double *relative) {
  *eta = 1.0;
  *relative = 0.0;
  if (r->is_torque[joint])
    return true;
  if (!arm_model_nominal_eta(model, joint, eta, relative))
    return false;
  if (isnan(*relative))
    *relative = RELATIVE_SD;
  return true;
}

static void blame_pair(Blame *blame, size_t other, bool is_wrong, double by, double rho,
                       double rho0) {
  blame->pairs++;
  blame->wrong += is_wrong;
  if (!is_wrong || by <= blame->worst)
    return;
  *blame = (Blame){blame->pairs, blame->wrong, other, by, rho, rho0};
}

static void compare_pair(const ArmModel *model, const ArmPlausibleRatios *r, size_t i, size_t j,
                         Blame *sign, Blame *size) {
  double eta[2], relative[2];
  const double rho = r->rho[i + j * r->n], sd = r->sd[i + j * r->n];
  if (!isfinite(rho) || !isfinite(sd) || !nominal(model, r, i, &eta[0], &relative[0]) ||
      !nominal(model, r, j, &eta[1], &relative[1]))
    return;
  const double rho0 = eta[0] / eta[1], trust = hypot(relative[0], relative[1]);
  const bool is_flipped = rho * rho0 < 0.0 && fabs(rho) > SIGNIFICANT * sd;
  const double apart = fabs(rho - rho0) / hypot(sd, trust * rho0);
  blame_pair(&sign[i], j, is_flipped, fabs(rho) / sd, rho, rho0);
  blame_pair(&sign[j], i, is_flipped, fabs(rho) / sd, 1.0 / rho, 1.0 / rho0);
  blame_pair(&size[i], j, !is_flipped && apart > SIGNIFICANT, apart, rho, rho0);
  blame_pair(&size[j], i, !is_flipped && apart > SIGNIFICANT, apart, 1.0 / rho, 1.0 / rho0);
}

static void add_blame(const Blame *b, ArmDoubtKind kind, size_t i, ArmDoubts *doubts) {
  add(doubts, &(ArmDoubt){.kind = kind,
                          .joint = i,
                          .other = b->other,
                          .found = b->rho,
                          .expected = b->rho0,
                          .count = b->wrong,
                          .rows = b->pairs});
}

/* One wrong joint is wrong against all others: those that are so against most are told; where there
 * are none, the one that is so most often, of equal ones the outermost. */
static void tell(size_t n, const Blame *blame, ArmDoubtKind kind, ArmDoubts *doubts) {
  size_t worst = n, told = 0;
  for (size_t i = 0; i < n; i++) {
    const Blame *b = &blame[i];
    if (b->pairs > 1 && 2 * b->wrong > b->pairs) {
      add_blame(b, kind, i, doubts);
      told++;
    }
    if (b->wrong > 0 &&
        (worst == n || b->wrong * blame[worst].pairs >= blame[worst].wrong * b->pairs))
      worst = i;
  }
  if (told == 0 && worst < n)
    add_blame(&blame[worst], kind, worst, doubts);
}

void arm_plausible_ratios(const ArmModel *model, const ArmPlausibleRatios *ratios,
                          ArmDoubts *doubts) {
  Blame sign[ARM_MAX_JOINTS] = {0}, size[ARM_MAX_JOINTS] = {0};
  for (size_t i = 0; i < ratios->n; i++)
    for (size_t j = i + 1; j < ratios->n; j++)
      if (ratios->cluster[i] >= 0 && ratios->cluster[i] == ratios->cluster[j])
        compare_pair(model, ratios, i, j, sign, size);
  tell(ratios->n, sign, ARM_DOUBT_RATIO_SIGN, doubts);
  tell(ratios->n, size, ARM_DOUBT_RATIO_SIZE, doubts);
}
