/* SPDX-License-Identifier: MIT */
#include "cli/speeds.h"

#include <math.h>

#include "session/measure/itinerary.h"

int cli_check_speeds(const CliVerb *verb, double dry_speed, double move_speed) {
  static const double slowest = 0.1, fastest = 1000.0;
  const double most_dry = ASE_DRY_SPEED_MAX_R * 180.0 / G_PI;
  AseItineraryOptions standard;
  ase_itinerary_options_default(&standard, 0);
  const double move = isnan(move_speed) ? standard.move_speed_R * 180.0 / G_PI : move_speed;
  if (!(move >= slowest && move <= fastest))
    return cli_usage(verb, "--move-speed: expected %g to %g deg/s, found %g", slowest, fastest,
                     move);
  if (!isnan(dry_speed) && !(dry_speed >= slowest && dry_speed <= move &&
                             dry_speed * G_PI / 180.0 <= ASE_DRY_SPEED_MAX_R))
    return cli_usage(verb,
                     "--dry-speed: expected %g to %g deg/s, found %g; a dry run is slow, and no "
                     "faster than the moves that it rehearses (--move-speed %g)",
                     slowest, fmin(move, most_dry), dry_speed, move);
  return CLI_OK;
}
