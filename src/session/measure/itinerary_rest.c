/* SPDX-License-Identifier: MIT */
/* What is left of an itinerary, from wherever the arm stands now. */
#include <math.h>

#include "session/measure/itinerary_internal.h"

static void add_sweep(AseWalk *walk, const AseLeg *planned, const AseVisit *visit) {
  AseLeg leg = *planned;
  const guint j = leg.joint - 1;
  const bool from_low = walk->at[j] - visit->low <= visit->high - walk->at[j];
  leg.q0 = from_low ? visit->low : visit->high;
  leg.q1 = from_low ? visit->high : visit->low;
  walk->at[j] = leg.passes % 2 ? leg.q1 : leg.q0;
  memcpy(leg.pose, walk->at, sizeof leg.pose);
  g_array_append_val(walk->itinerary->legs, leg);
}

static bool add_visit(AseWalk *walk, const AseLeg *leg, GError **error) {
  AseVisit visit = {.purpose = leg->purpose,
                    .joint = leg->joint,
                    .hold = leg->hold,
                    .low = fmin(leg->q0, leg->q1),
                    .high = fmax(leg->q0, leg->q1)};
  memcpy(visit.pose, leg->pose, sizeof visit.pose);
  walk->purpose = leg->purpose;
  if (!ase_walk_to(walk, &visit, error))
    return false;
  add_sweep(walk, leg, &visit);
  return true;
}

static bool go_home(AseWalk *walk, const AseItinerary *all, GError **error) {
  if (walk->itinerary->legs->len == 0)
    return true;
  AseVisit home = {.purpose = ASE_PURPOSE_RETURN};
  memcpy(home.pose, g_array_index(all->legs, AseLeg, all->legs->len - 1).pose, sizeof home.pose);
  if (walk->purpose != ASE_PURPOSE_DRY_RUN)
    walk->purpose = ASE_PURPOSE_RETURN;
  return ase_walk_to(walk, &home, error);
}

AseItinerary *ase_itinerary_rest(const ArmModel *model, const AseFreedom *freedom,
                                 const AseItineraryOptions *options, const AseItinerary *all,
                                 const bool *is_done, const AseStand *stand, GError **error) {
  AseItinerary *rest = g_new0(AseItinerary, 1);
  rest->n = all->n;
  rest->legs = g_array_new(FALSE, TRUE, sizeof(AseLeg));
  AseWalk walk = {.model = model,
                  .freedom = freedom,
                  .options = options,
                  .itinerary = rest,
                  .joint = stand->joint,
                  .hold = stand->hold};
  memcpy(walk.at, stand->pose, sizeof walk.at);
  memcpy(rest->start, stand->pose, sizeof rest->start);
  bool ok = true;
  for (guint k = 0; k < all->legs->len && ok; k++) {
    const AseLeg *leg = &g_array_index(all->legs, AseLeg, k);
    const bool is_dry = leg->purpose == ASE_PURPOSE_DRY_RUN;
    if (!leg->sweeps || is_done[k])
      continue;
    ase_walk_set_speeds(&walk, is_dry);
    ok = add_visit(&walk, leg, error);
  }
  if (!ok || !go_home(&walk, all, error)) {
    ase_itinerary_free(rest);
    return NULL;
  }
  for (guint k = 0; k < rest->legs->len; k++)
    rest->duration_s += g_array_index(rest->legs, AseLeg, k).duration_s;
  return rest;
}
