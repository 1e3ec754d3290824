/* SPDX-License-Identifier: MIT */
/* The itinerary of somebody's motion. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/itinerary_internal.h"

#define DRY_SLOWNESS 10.0 /* the contract of `record`: a tenth of the speed */

static bool is_free(const AseWalk *walk, const AseTrajectory *t, GError **error) {
  for (guint j = 0; j < walk->itinerary->n; j++) {
    const double low = walk->freedom->low[j], high = walk->freedom->high[j];
    if (t->low[j] >= low - ARM_CUBICS_UNIT && t->high[j] <= high + ARM_CUBICS_UNIT)
      continue;
    const ArmJointType type = walk->model->joints[j].type;
    char *way = ase_range_said(type, t->low[j], t->high[j]);
    char *free = ase_range_said(type, low, high);
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       /* TRANSLATORS: the name of a file, joint, range, range */
                       N_("%s: joint %u would go from %s, but only %s are declared free"),
                       aio_said_plain(t->name), j + 1, way, free);
    g_free(way);
    g_free(free);
    return false;
  }
  return true;
}

static void add_leg(AseWalk *walk, AsePurpose purpose, double slowness) {
  const AseTrajectory *t = walk->itinerary->trajectory;
  const double seconds = arm_cubics_duration(t->cubics);
  AseLeg leg = {.purpose = purpose,
                .trajectory = t,
                .slowness = slowness,
                .joints = t->joints,
                .duration_s = slowness * seconds};
  arm_cubics_at(t->cubics, seconds, leg.pose, NULL);
  memcpy(walk->at, leg.pose, walk->itinerary->n * sizeof *walk->at);
  g_array_append_val(walk->itinerary->legs, leg);
}

static bool add_motion(AseWalk *walk, AsePurpose purpose, double slowness, GError **error) {
  AseVisit first = {.purpose = purpose};
  arm_cubics_at(walk->itinerary->trajectory->cubics, 0.0, first.pose, NULL);
  walk->purpose = purpose;
  if (!ase_walk_to(walk, &first, error))
    return false;
  add_leg(walk, purpose, slowness);
  return true;
}

AseItinerary *ase_itinerary_of_motion(const ArmModel *model, AseTrajectory *trajectory,
                                      const AseFreedom *freedom, const AseItineraryOptions *options,
                                      const double *start, bool has_dry_run, GError **error) {
  AseItinerary *itinerary = g_new0(AseItinerary, 1);
  itinerary->n = (guint)model->n;
  itinerary->legs = g_array_new(FALSE, TRUE, sizeof(AseLeg));
  itinerary->trajectory = ase_trajectory_ref(trajectory);
  memcpy(itinerary->start, start, model->n * sizeof *start);
  AseWalk walk = {.model = model, .freedom = freedom, .options = options, .itinerary = itinerary};
  ase_walk_set_speeds(&walk, true);
  memcpy(walk.at, start, model->n * sizeof *start);
  if (!is_free(&walk, trajectory, error) ||
      (!has_dry_run && !add_motion(&walk, ASE_PURPOSE_DRY_RUN, DRY_SLOWNESS, error)) ||
      !add_motion(&walk, ASE_PURPOSE_MEASURE, 1.0, error)) {
    ase_itinerary_free(itinerary);
    return NULL;
  }
  for (guint k = 0; k < itinerary->legs->len; k++)
    itinerary->duration_s += g_array_index(itinerary->legs, AseLeg, k).duration_s;
  return itinerary;
}
