/* SPDX-License-Identifier: MIT */
/* First what is to be visited, in order, then the walk from visit to visit (itinerary_move.c).
 * Poses of the validation are drawn, not planned: a plan would choose again where the fit is best.
 */
#include "session/measure/itinerary.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/base/random.h"
#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/itinerary_internal.h"

#define DEG          (G_PI / 180.0)
/* Of a planned sweep that must be left. Chosen: over less, cos q, sin q and 1 are nearly one
 * column. */
#define LEAST_STROKE (1.0 / 3.0)

const char *ase_purpose_said(AsePurpose purpose) {
  switch (purpose) {
  case ASE_PURPOSE_DRY_RUN:
    return aio_said_word(N_("dry run"));
  case ASE_PURPOSE_WARM_UP:
    return aio_said_word(N_("warm-up"));
  case ASE_PURPOSE_MEASURE:
    return aio_said_word(N_("measurement"));
  case ASE_PURPOSE_DRIFT:
    return aio_said_word(N_("repetition of the first sweep"));
  case ASE_PURPOSE_VALIDATE:
    return aio_said_word(N_("validation"));
  case ASE_PURPOSE_RETURN:
    return aio_said_word(N_("return"));
  }
  return "";
}

const char *ase_purpose_text(AsePurpose purpose) {
  return aio_said_shown(ase_purpose_said(purpose));
}

/* Chosen: the dry run so slow that a hand reaches a stop in time, moves no faster than the slowest
 * sweep; sweeps at half the joint's acceleration, as more of the stroke is then left. */
void ase_itinerary_options_default(AseItineraryOptions *options, guint joints) {
  *options = (AseItineraryOptions){.dry_speed_R = 10.0 * DEG,
                                   .dry_speed_T = 0.01,
                                   .move_speed_R = 30.0 * DEG,
                                   .move_speed_T = 0.05,
                                   .accel_R = 60.0 * DEG,
                                   .accel_T = 0.1,
                                   .sweep_accel_part = 0.5,
                                   .repeats_first = true,
                                   .validation_holds = 1,
                                   .seed = 1};
  for (guint k = 0; k < joints && k < ARM_MAX_JOINTS; k++)
    options->order[k] = joints - k;
}

void ase_freedom_init(AseFreedom *freedom, const ArmModel *model) {
  *freedom = (AseFreedom){0};
  for (gsize j = 0; j < model->n; j++) {
    const double free = model->joints[j].type == ARM_JOINT_R ? G_PI : 0.0;
    const ArmLimits *limits = &model->joints[j].limits;
    freedom->low[j] = isnan(limits->q_min) ? -free : limits->q_min;
    freedom->high[j] = isnan(limits->q_max) ? free : limits->q_max;
  }
}

void ase_freedom_range(const AseFreedom *freedom, guint joint, guint hold, double *low,
                       double *high) {
  *low = freedom->low[joint - 1];
  *high = freedom->high[joint - 1];
  for (gsize k = 0; k < freedom->n_holds; k++) {
    const AseHoldRange *range = &freedom->holds[k];
    if (range->joint != joint || range->hold != hold)
      continue;
    *low = fmax(*low, range->low);
    *high = fmin(*high, range->high);
  }
}

/* ---- what is visited ---- */

static bool set_range(const AseFreedom *freedom, const ArmJointPlan *plan, ArmJointType type,
                      AseVisit *visit, GError **error) {
  double low, high;
  ase_freedom_range(freedom, visit->joint, visit->hold, &low, &high);
  visit->low = fmax(plan->from, low);
  visit->high = fmin(plan->to, high);
  if (visit->high - visit->low >= LEAST_STROKE * (plan->to - plan->from))
    return true;
  char *planned = ase_range_said(type, plan->from, plan->to);
  char *free = ase_range_said(type, low, high);
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      N_("joint %u, hold %u: planned is a sweep from %s, but only %s are free, which leaves "
         "less than a third of it; choose another hold or declare more of the range free"),
      visit->joint, visit->hold, planned, free);
  g_free(planned);
  g_free(free);
  return false;
}

static void set_speeds(AseVisit *visit, const ArmJointPlan *plan) {
  visit->n_speeds = plan->n_speeds;
  memcpy(visit->speeds, plan->speeds, sizeof visit->speeds);
}

/* Poses drawn from the middle of what is free, at a speed that no sweep of the fit has. */
static void add_validation(GArray *visits, const ArmPlan *plan, const AseFreedom *freedom,
                           const AseItineraryOptions *options) {
  guint64 state = options->seed;
  for (guint joint = (guint)plan->n; joint > 0; joint--) {
    const ArmJointPlan *p = &plan->joint[joint - 1];
    for (guint k = 0; k < options->validation_holds && p->is_swept; k++) {
      AseVisit visit = {.purpose = ASE_PURPOSE_VALIDATE,
                        .joint = joint,
                        .hold = (guint)p->n_holds + 1 + k,
                        .n_speeds = 1,
                        .passes = 2};
      visit.speeds[0] = p->n_speeds > 1 ? 0.5 * (p->speeds[0] + p->speeds[1]) : p->speeds[0];
      for (gsize j = 0; j < plan->n; j++) {
        const double width = freedom->high[j] - freedom->low[j];
        visit.pose[j] = arm_random_uniform(&state, freedom->low[j] + 0.1 * width,
                                           freedom->high[j] - 0.1 * width);
      }
      g_array_append_val(visits, visit);
    }
  }
}

static void add_holds(GArray *visits, const ArmPlan *plan, AsePurpose purpose) {
  for (guint joint = (guint)plan->n; joint > 0; joint--) {
    const ArmJointPlan *p = &plan->joint[joint - 1];
    const gsize holds = purpose == ASE_PURPOSE_WARM_UP ? MIN(p->n_holds, 1) : p->n_holds;
    for (gsize k = 0; k < holds && p->is_swept; k++) {
      AseVisit visit = {.purpose = purpose, .joint = joint, .hold = (guint)k + 1, .passes = 2};
      memcpy(visit.pose, p->holds[k], sizeof visit.pose);
      set_speeds(&visit, p);
      g_array_append_val(visits, visit);
    }
  }
}

/* The fastest planned speed, as often as the joint's share of the time asks for. */
static void set_warm_up(AseVisit *visit, double seconds) {
  visit->speeds[0] = visit->speeds[visit->n_speeds - 1];
  visit->n_speeds = 1;
  const double pass = (visit->high - visit->low) / visit->speeds[0];
  visit->passes = (guint)CLAMP(2.0 * ceil(0.5 * seconds / pass), 2.0, 254.0);
}

static GArray *list_visits(const ArmModel *model, const ArmPlan *plan, const AseFreedom *freedom,
                           const AseItineraryOptions *options, const double *start,
                           GError **error) {
  GArray *visits = g_array_new(FALSE, TRUE, sizeof(AseVisit));
  if (options->warm_up_s > 0.0)
    add_holds(visits, plan, ASE_PURPOSE_WARM_UP);
  const guint warm = visits->len;
  add_holds(visits, plan, ASE_PURPOSE_MEASURE);
  if (options->repeats_first && visits->len > warm) {
    AseVisit again = g_array_index(visits, AseVisit, warm);
    again.purpose = ASE_PURPOSE_DRIFT;
    again.n_speeds = 1;
    g_array_append_val(visits, again);
  }
  add_validation(visits, plan, freedom, options);
  for (guint k = 0; k < visits->len; k++) {
    AseVisit *visit = &g_array_index(visits, AseVisit, k);
    const guint j = visit->joint - 1;
    if (!set_range(freedom, &plan->joint[j], model->joints[j].type, visit, error)) {
      g_array_unref(visits);
      return NULL;
    }
    if (visit->purpose == ASE_PURPOSE_WARM_UP)
      set_warm_up(visit, options->warm_up_s / (double)warm);
  }
  AseVisit home = {.purpose = ASE_PURPOSE_RETURN};
  memcpy(home.pose, start, plan->n * sizeof *start);
  g_array_append_val(visits, home);
  return visits;
}

/* ---- the walk ---- */

/* Short ramps leave more of the stroke; the dry run is gentle throughout. */
static double sweep_accel(const AseWalk *walk, guint joint) {
  const double gentle = ase_walk_accel(walk, joint);
  const double brisk =
      walk->options->sweep_accel_part * walk->model->joints[joint].limits.accel_max;
  return walk->purpose != ASE_PURPOSE_DRY_RUN && brisk > gentle ? brisk : gentle;
}

static void add_sweep(AseWalk *walk, const AseVisit *visit, double speed, guint passes) {
  const guint j = visit->joint - 1;
  const double accel = sweep_accel(walk, j);
  const bool from_low = walk->at[j] == visit->low;
  AseLeg leg = {.purpose = walk->purpose,
                .sweeps = true,
                .joint = visit->joint,
                .hold = visit->hold,
                .q0 = from_low ? visit->low : visit->high,
                .q1 = from_low ? visit->high : visit->low,
                .passes = passes,
                .speed_R = speed,
                .speed_T = speed,
                .accel_R = accel,
                .accel_T = accel};
  leg.duration_s = passes * ase_leg_seconds(visit->high - visit->low, speed, accel);
  walk->at[j] = passes % 2 ? leg.q1 : leg.q0;
  memcpy(leg.pose, walk->at, sizeof leg.pose);
  g_array_append_val(walk->itinerary->legs, leg);
}

static bool walk_visits(AseWalk *walk, const GArray *visits, bool is_dry, GError **error) {
  ase_walk_set_speeds(walk, is_dry);
  for (guint k = 0; k < visits->len; k++) {
    const AseVisit *visit = &g_array_index(visits, AseVisit, k);
    walk->purpose = is_dry ? ASE_PURPOSE_DRY_RUN : visit->purpose;
    if (!ase_walk_to(walk, visit, error))
      return false;
    if (!visit->joint)
      continue;
    const bool turns = walk->model->joints[visit->joint - 1].type == ARM_JOINT_R;
    const double dry = fmin(turns ? walk->speed_R : walk->speed_T, visit->speeds[0]);
    for (gsize s = 0; s < (is_dry ? 1 : visit->n_speeds); s++)
      add_sweep(walk, visit, is_dry ? dry : visit->speeds[s], is_dry ? 2 : visit->passes);
  }
  return true;
}

AseItinerary *ase_itinerary_new(const ArmModel *model, const ArmPlan *plan,
                                const AseFreedom *freedom, const AseItineraryOptions *options,
                                const double *start, GError **error) {
  GArray *visits = list_visits(model, plan, freedom, options, start, error);
  if (!visits)
    return NULL;
  AseItinerary *itinerary = g_new0(AseItinerary, 1);
  itinerary->n = (guint)plan->n;
  itinerary->legs = g_array_new(FALSE, TRUE, sizeof(AseLeg));
  memcpy(itinerary->start, start, plan->n * sizeof *start);
  AseWalk walk = {.model = model, .freedom = freedom, .options = options, .itinerary = itinerary};
  memcpy(walk.at, start, plan->n * sizeof *start);
  const bool ok =
      walk_visits(&walk, visits, true, error) && walk_visits(&walk, visits, false, error);
  g_array_unref(visits);
  if (!ok) {
    ase_itinerary_free(itinerary);
    return NULL;
  }
  for (guint k = 0; k < itinerary->legs->len; k++)
    itinerary->duration_s += g_array_index(itinerary->legs, AseLeg, k).duration_s;
  return itinerary;
}

void ase_itinerary_free(AseItinerary *itinerary) {
  if (!itinerary)
    return;
  g_array_unref(itinerary->legs);
  ase_trajectory_unref(itinerary->trajectory);
  g_free(itinerary);
}

void ase_itinerary_pose(const AseItinerary *itinerary, guint leg, double part, double *q) {
  const AseLeg *to = &g_array_index(itinerary->legs, AseLeg, leg);
  const double *from = leg ? (to - 1)->pose : itinerary->start;
  if (to->trajectory) {
    const ArmCubics *cubics = to->trajectory->cubics;
    arm_cubics_at(cubics, part * arm_cubics_duration(cubics), q, NULL);
    return;
  }
  for (guint j = 0; j < itinerary->n; j++)
    q[j] = from[j] + part * (to->pose[j] - from[j]);
  if (!to->sweeps)
    return;
  const double passes = part * to->passes, back = fabs(fmod(passes, 2.0) - 1.0);
  q[to->joint - 1] = to->q1 + back * (to->q0 - to->q1);
}

/* ---- for people ---- */

static char *move_said(const ArmModel *model, const AseLeg *leg) {
  GPtrArray *list = aio_said_list_new();
  for (gsize j = 0; j < model->n; j++) {
    if (!(leg->joints >> j & 1))
      continue;
    const bool turns = model->joints[j].type == ARM_JOINT_R;
    const double at = turns ? leg->pose[j] / DEG : leg->pose[j];
    const double speed = ase_leg_move_speed(model, leg, j) / (turns ? DEG : 1.0);
    /* TRANSLATORS: what moves: joint NUMBER to POSITION UNIT at SPEED UNIT */
    aio_said_list_add(list, N_("joint %zu to %.4g %s at %.3g %s"), j + 1, at,
                      turns ? aio_said_word(N_("deg")) : "m", speed,
                      turns ? aio_said_word(N_("deg/s")) : "m/s");
  }
  char *joints = aio_said_list_join(list, ", ");
  /* TRANSLATORS: before "joint NUMBER to POSITION ...", ends with a space */
  char *said = aio_said("%s%s", aio_said_word(N_("move ")), joints);
  g_free(joints);
  return said;
}

static char *trajectory_said(const AseLeg *leg) {
  const char *name = aio_said_plain(leg->trajectory->name);
  if (leg->slowness > 1.5)
    /* TRANSLATORS: the name of a file, seconds, "10" for a tenth of the speed */
    return aio_said(N_("follow %s, %.3g s at 1/%.0f of the speed"), name, leg->duration_s,
                    leg->slowness);
  /* TRANSLATORS: the name of a file, seconds */
  return aio_said(N_("follow %s, %.3g s"), name, leg->duration_s);
}

char *ase_leg_said(const ArmModel *model, const AseLeg *leg) {
  if (leg->trajectory)
    return trajectory_said(leg);
  if (!leg->sweeps)
    return move_said(model, leg);
  const bool turns = model->joints[leg->joint - 1].type == ARM_JOINT_R;
  const double unit = turns ? DEG : 1.0;
  return aio_said(N_("sweep joint %u, hold %u, from %.4g to %.4g %s at %.3g %s, %u passes"),
                  leg->joint, leg->hold, leg->q0 / unit, leg->q1 / unit,
                  turns ? aio_said_word(N_("deg")) : "m", leg->speed_R / unit,
                  turns ? aio_said_word(N_("deg/s")) : "m/s", leg->passes);
}

char *ase_leg_text(const ArmModel *model, const AseLeg *leg) {
  return aio_said_take_text(ase_leg_said(model, leg));
}
