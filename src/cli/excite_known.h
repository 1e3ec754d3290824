/* SPDX-License-Identifier: MIT */
/* What a parameter file, of either kind, tells `excite`: noise, friction, drives and links. */
#ifndef ARMATURE_CLI_EXCITE_KNOWN_H
#define ARMATURE_CLI_EXCITE_KNOWN_H

#include "core/excite/currents.h"
#include "core/sweeps/ident.h"
#include "io/arm/arm_file.h"

typedef struct {
  double noise[ARM_MAX_JOINTS];    /* sd of a sample of each torque [N m, N] */
  bool is_assumed[ARM_MAX_JOINTS]; /* nobody tells it: 1 */
  bool has_friction;
  ArmCurrentFriction friction[ARM_MAX_JOINTS];
  double eta[ARM_MAX_JOINTS];   /* identified [A/(N m), A/N]; NAN: as the arm file has it */
  double rotor[ARM_MAX_JOINTS]; /* identified [A s^2/rad, A s^2/m]; NAN likewise */
  bool has_links;
  ArmLink link[ARM_MAX_JOINTS]; /* identified, completed */
} CliExciteKnown;

/*   params  a file's name; NULL: nothing is known
 * An exit code, said on stderr unless CLI_OK. */
int cli_excite_know(const char *params, const char *arm_name, const AioArm *arm,
                    CliExciteKnown *known);

/* The same of a fit of currents, NULL: nothing is known. */
void cli_excite_know_fit(const ArmGravityFit *fit, const ArmModel *model, CliExciteKnown *known);

#endif
