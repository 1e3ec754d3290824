/* SPDX-License-Identifier: MIT */
/* Line 3.2b: the plant against theory notes, section 8: the closed-loop experiment on a PUMA with a
 * tool, fitted by the identification, as it is measured and, for friction, with what servo and
 * amplifier add taken off; and how much faster than real time it runs.
 *
 *   show_plant [accuracy]     accuracy: without the speed, as a test */
#include <string.h>
#include <time.h>

#include "closed_loop_judge.h"
#include "core/sweeps/ident.h"
#include "support/plant_rig.h"

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run(const ArmModel *model, const ArmPlantConfig *config, RigCurrent current,
                double *times) {
  TruthRecording rec;
  ArmFitOptions options;
  ArmGravityFit fit;
  double plant_s;
  if (!truth_recording_init(&rec, 6, 60000, false))
    return false;
  const double before = cpu_s();
  bool is_good = rig_experiment(config, current, &rec, &plant_s);
  *times = plant_s / (cpu_s() - before);
  arm_fit_options_default(&options);
  options.has_equal_weights = current == RIG_STILL;
  if (is_good && arm_gravity_fit(model, &rec.data, &options, &fit) == ARM_OK) {
    is_good = (current == RIG_STILL ? judge_still : judge_closed_loop)(&fit.refined, config);
    arm_gravity_fit_clear(&fit);
  } else {
    is_good = false;
  }
  truth_recording_clear(&rec);
  return is_good;
}

int main(int argc, char **argv) {
  static ArmModel model;
  static ArmPlantConfig config;
  double times, unused;
  judge_begin("3.2b");
  rig_puma(&model);
  rig_add_tool(&model);
  rig_couple_wrist(&model);
  if (!rig_puma_config(&model, 1, &config))
    return 1;
  bool is_good = run(&model, &config, RIG_MEASURED, &times);
  is_good &= run(&model, &config, RIG_STILL, &unused);
  if (argc < 2 || strcmp(argv[1], "accuracy") != 0)
    is_good &= judge_show("six rigid joints at 0.1 ms, times real time", times, 50, 1e6);
  return is_good ? 0 : 1;
}
