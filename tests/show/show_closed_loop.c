/* SPDX-License-Identifier: MIT */
/* Line 3.2a: the closed-loop experiment of the theory notes, section 8, through everything: the
 * simulator as a program of its own, a pty, libserialport, the protocol, the session's runner, the
 * fit.
 *
 *   show_closed_loop ARMATURE_SIM [SPEED]     SPEED: compression of time, default 20 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "closed_loop_judge.h"
#include "io/base/said.h"
#include "io/link/link_serial.h"
#include "session/measure/runner.h"
#include "session/measure/sweep_rows.h"
#include "sim/truth.h"
#include "support/pty_shim.h"
#include "support/sim_process.h"
#include "support/support.h"

#define DEG (G_PI / 180.0)

/* The holds of Lin 1994 [deg]; joints as far round as their limits let them. */
static void fill_plan(ArmPlan *plan, const ArmModel *model) {
  static const struct {
    gsize joint;
    double hold[6];
  } holds[] = {{0, {0, -90, 90, 0, 0, 0}}, {1, {0, -90, 90, 0, 0, 0}},  {1, {0, -90, 150, 0, 0, 0}},
               {2, {0, -90, 90, 0, 0, 0}}, {2, {0, -90, 90, 0, 90, 0}}, {3, {0, -90, 0, 0, 0, 0}},
               {3, {0, -90, 0, 0, 90, 0}}, {4, {0, -90, 0, 0, 0, 0}},   {4, {0, -90, 0, 0, 0, 90}},
               {5, {0, -90, 0, 0, 0, 0}}};
  static const double middle[6] = {0, -90, 90, 0, 0, 0};
  *plan = (ArmPlan){.n = 6};
  for (gsize j = 0; j < 6; j++) {
    const ArmLimits *limits = &model->joints[j].limits;
    ArmJointPlan *p = &plan->joint[j];
    *p = (ArmJointPlan){.is_swept = true,
                        .from = fmax(limits->q_min, (middle[j] - 145) * DEG),
                        .to = fmin(limits->q_max, (middle[j] + 145) * DEG),
                        .n_speeds = 5};
    for (int s = 0; s < 5; s++)
      p->speeds[s] = (30 + 10 * s) * DEG;
  }
  for (gsize k = 0; k < G_N_ELEMENTS(holds); k++) {
    ArmJointPlan *p = &plan->joint[holds[k].joint];
    for (gsize j = 0; j < 6; j++)
      p->holds[p->n_holds][j] = holds[k].hold[j] * DEG;
    p->n_holds++;
  }
}

typedef struct {
  bool is_over, is_done;
  char *reason;
} End;

static void on_stopped(AseRunner *runner, gboolean is_done, const char *reason, End *end) {
  (void)runner;
  *end = (End){.is_over = true, .is_done = is_done, .reason = aio_said_text(reason)};
}

static bool wait_until(bool (*is_met)(AseDevice *device), AseDevice *device, double seconds) {
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * seconds);
  while (!is_met(device) && g_get_monotonic_time() < end) {
    g_main_context_iteration(NULL, FALSE);
    g_usleep(1000);
  }
  return is_met(device);
}

static bool is_ready(AseDevice *device) {
  double q[ARM_MAX_JOINTS];
  return ase_device_link(device) == ASE_LINK_READY && ase_device_pose(device, q);
}

/* Everything but the dry run, which nobody stands next to. */
static AseSweepRows *measure(AseDevice *device, const ArmModel *model, const ArmPlan *plan,
                             GError **error) {
  AseFreedom freedom;
  AseItineraryOptions options;
  double start[ARM_MAX_JOINTS];
  ase_freedom_init(&freedom, model);
  ase_itinerary_options_default(&options, 6);
  options.validation_holds = 0;
  options.repeats_first = false;
  ase_device_pose(device, start);
  AseItinerary *itinerary = ase_itinerary_new(model, plan, &freedom, &options, start, error);
  if (!itinerary)
    return NULL;
  guint first = 0;
  while (g_array_index(itinerary->legs, AseLeg, first).purpose == ASE_PURPOSE_DRY_RUN)
    first++;
  AseRunner *runner = ase_runner_new(device, model, itinerary, NULL);
  AseSweepRows *rows = NULL;
  End end = {0};
  g_signal_connect(runner, "stopped", G_CALLBACK(on_stopped), &end);
  if (ase_device_arm(device, error) && wait_until(ase_device_is_armed, device, 5) &&
      ase_runner_start(runner, first, itinerary->legs->len, error)) {
    while (!end.is_over)
      g_main_context_iteration(NULL, TRUE);
    if (end.is_done)
      rows = ase_sweep_rows_new(model, ase_runner_runs(runner), ASE_PURPOSE_MEASURE, NULL, error);
    else
      g_set_error_literal(error, AIO_ERROR, AIO_ERROR_DEVICE, end.reason);
  }
  g_free(end.reason);
  g_object_unref(runner);
  ase_itinerary_free(itinerary);
  return rows;
}

static AseSweepRows *experiment(const char *port, const ArmModel *model, AioStatistics *statistics,
                                GError **error) {
  static ArmPlan plan;
  AseDeviceOptions options;
  ase_device_options_default(&options);
  AioLink *link = aio_link_serial_open(port, 1000000, error);
  if (!link)
    return NULL;
  AseDevice *device = ase_device_new();
  AseSweepRows *rows = NULL;
  fill_plan(&plan, model);
  if (ase_device_open(device, link, &options, error)) {
    if (wait_until(is_ready, device, 10))
      rows = measure(device, model, &plan, error);
    ase_device_statistics(device, statistics);
  }
  g_object_unref(device);
  return rows;
}

static bool judge(const AseSweepRows *rows, const AsimTruth *truth,
                  const AioStatistics *statistics) {
  ArmFitOptions options;
  ArmGravityFit fit;
  arm_fit_options_default(&options);
  const ArmRowSource *source = ase_sweep_rows_source(rows);
  if (arm_gravity_fit_rows(&truth->plant.model, source, &options, &fit) != ARM_OK)
    return false;
  bool is_good = judge_closed_loop(&fit.refined, &truth->plant);
  arm_gravity_fit_clear(&fit);
  is_good &= judge_show("samples lost", (double)statistics->counters.samples_lost, 0, 0);
  return judge_show("frames corrupt", (double)statistics->counters.frames_bad, 0, 0) && is_good;
}

int main(int argc, char **argv) {
  static AsimTruth truth;
  GError *error = NULL;
  AioStatistics statistics = {0};
  judge_begin("3.2a");
  (void)pty_shim(); /* keeps it linked */
  if (argc < 2 || !asim_truth_load(&truth, test_source_path("data/robots/puma560-truth2.arm.json"),
                                   1, &error)) {
    fprintf(stderr, "%s\n", error ? error->message : "which armature-sim?");
    return 1;
  }
  SimProcess sim;
  const char *const options[] = {argv[1], "--arm", "truth2", "--speed", argc > 2 ? argv[2] : "20",
                                 NULL};
  AseSweepRows *rows = sim_process_start(&sim, options, &error)
                           ? experiment(sim.port, &truth.plant.model, &statistics, &error)
                           : NULL;
  sim_process_stop(&sim);
  if (!rows)
    fprintf(stderr, "%s\n", error ? error->message : "the simulator did not answer");
  const bool is_good = rows && judge(rows, &truth, &statistics);
  ase_sweep_rows_free(rows);
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
