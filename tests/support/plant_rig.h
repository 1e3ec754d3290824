/* SPDX-License-Identifier: MIT */
/* Arms for the plant, and the closed-loop experiment on one. */
#ifndef ARMATURE_TESTS_PLANT_RIG_H
#define ARMATURE_TESTS_PLANT_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/plant/plant.h"
#include "support/truth.h"

/* The arms of data/robots; the Stanford arm with made-up drives. */
void rig_puma(ArmModel *model);
void rig_stanford(ArmModel *model);
void rig_scara(ArmModel *model);

/* Adds 0.45 kg at (0.006, 0.004, 0.16) m to link 6 of the PUMA. */
void rig_add_tool(ArmModel *model);

/* Coupling of the PUMA's wrist, all signs positive. */
void rig_couple_wrist(ArmModel *model);

/* n R joints about horizontal axes, rods of 1 kg and 0.5 m, no rotors, motors of 1 N m/A. */
void rig_pendulum(ArmModel *model, size_t n);

/* The PUMA with the friction of Table I, amplifiers of 12 and 4 A, servo at 10 ms with 0.3 of the
 * inertia at home (arm up), no stops, no noise. */
bool rig_puma_config(const ArmModel *model, uint64_t seed, ArmPlantConfig *config);

/* Friction of all joints: Coulomb +-coulomb and viscous, as forces [N m, N m s/rad]. */
void rig_friction(ArmPlantConfig *config, double coulomb, double viscous);

/* An arm of dyn_random_arm with drives that suit its inertia. */
void rig_random(TestRng *rng, size_t n, ArmModel *model);

typedef enum {
  RIG_MEASURED, /* as the controller reads it at the end of a servo period */
  RIG_STILL     /* its mean over the period, less what goes into accelerations: what eqs (19), (20)
                   speak of */
} RigCurrent;

/* All six joints of the PUMA at the holds of Lin 1994 (theory notes, section 4.2), at 30(10)70
 * deg/s back and forth, recorded within +-100 deg at every servo sample: about 8700 rows per joint,
 * half of that for joint 6. plant_s: simulated time. false: a status was not ARM_OK. */
bool rig_experiment(const ArmPlantConfig *config, RigCurrent current, TruthRecording *rec,
                    double *plant_s);

#endif
