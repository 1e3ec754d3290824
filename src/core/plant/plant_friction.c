/* SPDX-License-Identifier: MIT */
/* LuGre friction (Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE TAC 40(3), 1995), one sub-step
 * by implicit Euler; passive as Barahona and Canudas de Wit 2002 have it. */
#include <math.h>

#include "core/plant/plant_internal.h"

/*   dz/dt = w - s0 |w| z / g(w)     F = s0 z + s1(w) dz/dt + s2 w
 *   g = Coulomb + excess e,   s1(w) = s1 e bounded by g / |w|,   e = exp(-(w / stribeck speed)^2)
 *
 * z by implicit Euler with |w|, g of the sub-step's start, which makes F linear in the new speed:
 * no bristle is too stiff for a sub-step, and the force never gains energy from the step itself.
 * s1 damps the bristles where they stick, critically against the smallest inertia, and fades as
 * they slide: within g / |w| the model is passive and what an identification sees while sliding is
 * g + s2 w alone. */
void arm_plant_friction_step(const PlantFriction *friction, double bristle, double w, double h,
                             PlantFrictionStep *step) {
  const int side = w < 0;
  const double x = w / friction->stribeck_speed,
               fade = exp(-fmin(x * x, 100)); /* never subnormal */
  const double viscous = friction->viscous[side];
  if (friction->stiffness == 0) {
    *step = (PlantFrictionStep){.slope = viscous, .relax = 0};
    for (int s = 0; s < 2; s++)
      step->limit[s] = friction->coulomb[s] * (1 + friction->excess * fade);
    return;
  }
  const double s0 = friction->stiffness;
  const double g = friction->coulomb[side] * (1 + friction->excess * fade);
  const double speed = fabs(w);
  /* A direction without any Coulomb friction empties its bristles at once: in 1e-9 of a step. */
  const double rate = speed > 0 ? s0 * speed / fmax(g, 1e-9 * s0 * speed * h) : 0;
  const double damping =
      fade * (speed > 0 ? fmin(friction->damping, g / speed) : friction->damping);
  const double relax = 1 / (1 + h * rate), spring = (s0 - damping * rate) * relax;
  *step = (PlantFrictionStep){
      .at_rest = spring * bristle, .slope = spring * h + damping + viscous, .relax = relax};
}
