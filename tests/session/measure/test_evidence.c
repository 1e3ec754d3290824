/* SPDX-License-Identifier: MIT */
/* What a leg's samples tell of the arm: healthy ones of all sorts, and each sensor that lies. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "made_leg.h"

static const Way ways[] = {
    {.name = "sweep", .passes = 2, .hz = 100},
    {.name = "sweep of one pass", .passes = 1, .hz = 100},
    {.name = "five passes", .passes = 5, .hz = 100},
    {.name = "move", .is_move = true, .hz = 100},
    {.name = "slide", .type = ARM_JOINT_T, .passes = 2, .hz = 100},
    {.name = "sliding move", .type = ARM_JOINT_T, .is_move = true, .hz = 100},
    {.name = "10 Hz", .passes = 2, .hz = 10},
    {.name = "2 Hz", .passes = 3, .hz = 2},
    {.name = "1000 Hz", .passes = 2, .hz = 1000},
    {.name = "noise", .passes = 2, .hz = 100, .noise_q = 0.05 * DEG, .noise_qd = 5 * DEG},
    {.name = "slow with noise", .passes = 1, .hz = 100, .speed = 1 * DEG, .noise_q = 0.05 * DEG},
    {.name = "coarse encoder", .passes = 2, .hz = 100, .quantum = 0.35 * DEG},
    {.name = "coarser encoder", .passes = 2, .hz = 100, .quantum = 1.4 * DEG},
    {.name = "backlash", .passes = 2, .hz = 100, .backlash = 0.4 * DEG},
    {.name = "lag", .passes = 2, .hz = 100, .lag_s = 0.05},
    {.name = "gap", .passes = 2, .hz = 100, .lost = 0.6},
    {.name = "gap over the turn", .passes = 2, .hz = 100, .lost = 0.3, .lost_from = 0.35},
    {.name = "gap over a turn, of five passes",
     .passes = 5,
     .hz = 100,
     .lost = 0.12,
     .lost_from = 0.14},
    {.name = "gap at the beginning", .passes = 1, .hz = 100, .lost = 0.45, .lost_from = -0.05},
    {.name = "nothing before, gap at the beginning",
     .passes = 1,
     .hz = 100,
     .lost = 1.4,
     .lost_from = -1.0},
    {.name = "gap at the end", .passes = 2, .hz = 100, .lost = 0.6, .lost_from = 0.41},
    {.name = "rests near", .passes = 2, .hz = 100, .off_end = 0.4 * DEG},
    {.name = "rests far, as the arm file says",
     .passes = 2,
     .hz = 100,
     .off_end = 2.5 * DEG,
     .arm_file_rest = 3 * DEG},
    {.name = "rests far, as the driver says, more than the file",
     .passes = 2,
     .hz = 100,
     .off_end = 2.5 * DEG,
     .arm_file_rest = 1 * DEG,
     .driver_rest = 3 * DEG},
    {.name = "rests far, the file says more than the driver",
     .passes = 2,
     .hz = 100,
     .off_end = 2.5 * DEG,
     .arm_file_rest = 3 * DEG,
     .driver_rest = 1 * DEG},
    {.name = "a little way beside a joint that goes far",
     .is_move = true,
     .hz = 1000,
     .reach = 2.5 * DEG,
     .slower = 20,
     .quantum = 0.022 * DEG},
    {.name = "joints that stand still, each read within the error at rest",
     .passes = 2,
     .hz = 100,
     .drift = 0.9 * DEG},
    {.name = "a held joint swings where the other turns", .passes = 2, .hz = 100, .swing = 3 * DEG},
    {.name = "a held joint goes a little and is back", .passes = 2, .hz = 100, .leave = 1.4 * DEG},
    {.name = "a held joint swings while the other one slows down",
     .passes = 2,
     .hz = 100,
     .slower = 1.04,
     .last_swing = 3 * DEG},
    {.name = "a little ripple of the speed", .passes = 2, .hz = 100, .oscillation = 0.2},
    {.name = "ripple of the speed, coarse encoder",
     .passes = 2,
     .hz = 100,
     .quantum = 0.35 * DEG,
     .oscillation = 0.2},
    {.name = "speed a little too fast", .passes = 2, .hz = 100, .scale_qd = 1.38},
    {.name = "the shortest sweep", .passes = 2, .hz = 100, .speed = 10 * DEG, .reach = 0.76 * DEG},
    {.name = "the shortest sweep, coarse encoder, lag, rests near",
     .passes = 2,
     .hz = 100,
     .speed = 10 * DEG,
     .reach = 0.76 * DEG,
     .quantum = 0.45 * DEG,
     .lag_s = 0.02,
     .off_end = 0.2 * DEG},
    {.name = "a short sweep, its current constant",
     .passes = 2,
     .hz = 100,
     .speed = 10 * DEG,
     .reach = 0.76 * DEG,
     .stuck = 4,
     .stuck_after = 1e-9},
    {.name = "current frozen in a move",
     .is_move = true,
     .hz = 100,
     .stuck = 4,
     .stuck_after = 1e-9},

    {.name = "rests too far",
     .passes = 2,
     .hz = 100,
     .off_end = 0.6 * DEG,
     .objection = "joint 2: after \"sweep joint 2, hold 1, from -60 to 60 deg at 30 deg/s, 2 "
                  "passes\" it should stand at -60 deg, but its position says -59.4 deg"},
    {.name = "rests too far for its file",
     .passes = 2,
     .hz = 100,
     .off_end = 0.3 * DEG,
     .arm_file_rest = 0.2 * DEG,
     .objection = "but its position says -59.7 deg"},
    {.name = "slides too far",
     .type = ARM_JOINT_T,
     .is_move = true,
     .hz = 100,
     .off_end = 0.0012,
     .objection = "joint 2: after"},
    {.name = "another joint sags",
     .passes = 2,
     .hz = 100,
     .drift = 1.1 * DEG,
     .objection = "joint 3: after"},
    {.name = "a held joint creeps and is back",
     .passes = 2,
     .hz = 100,
     .leave = 4 * DEG,
     .objection = "joint 3: during \"sweep joint 2, hold 1, from -60 to 60 deg at 30 deg/s, 2 "
                  "passes\" it was at -8.91"},
    {.name = "the joint oscillates",
     .passes = 2,
     .hz = 100,
     .oscillation = 0.4,
     .objection = "its speed was to be constant, but goes from 18"},
    {.name = "the joint oscillates, slow telemetry",
     .passes = 4,
     .hz = 20,
     .oscillation = 0.6,
     .objection = "it oscillates or sticks"},
    {.name = "a slide oscillates",
     .type = ARM_JOINT_T,
     .passes = 2,
     .hz = 100,
     .oscillation = 0.5,
     .objection = " m/s: it oscillates"},
    {.name = "encoder stuck",
     .passes = 2,
     .hz = 100,
     .stuck = 1,
     .stuck_after = 1e-9,
     .objection = "its position never changed"},
    {.name = "encoder stuck on the shortest sweep",
     .passes = 2,
     .hz = 100,
     .speed = 10 * DEG,
     .reach = 0.76 * DEG,
     .stuck = 1,
     .stuck_after = 1e-9,
     .objection = "its position never changed"},
    {.name = "encoder of a bus servo stuck on a sweep of 10 deg",
     .passes = 2,
     .hz = 100,
     .speed = 10 * DEG,
     .reach = 5 * DEG,
     .driver_rest = 3 * DEG,
     .stuck = 3,
     .stuck_after = 1e-9,
     .objection = "its position never changed"},
    {.name = "encoder stuck, speed from it",
     .passes = 2,
     .hz = 100,
     .stuck = 3,
     .stuck_after = 1e-9,
     .objection = "its position never changed"},
    {.name = "speed stuck",
     .passes = 2,
     .hz = 100,
     .stuck = 2,
     .stuck_after = 1e-9,
     .objection = "its speed never changed"},
    {.name = "current stuck",
     .passes = 2,
     .hz = 100,
     .stuck = 4,
     .stuck_after = 1e-9,
     .objection = "its current never changed"},
    {.name = "all stuck",
     .passes = 2,
     .hz = 100,
     .stuck = 7,
     .stuck_after = 1e-9,
     .objection = "nothing that the controller tells"},
    {.name = "all stuck, as many samples as that takes",
     .passes = 1,
     .hz = 2.5,
     .stuck = 7,
     .stuck_after = 1e-9,
     .objection = "nothing that the controller tells"},
    {.name = "all stuck, one sample less",
     .passes = 1,
     .hz = 2.25,
     .stuck = 7,
     .stuck_after = 1e-9,
     .objection = "it should stand at"},
    {.name = "all stuck, and samples lost",
     .passes = 2,
     .hz = 100,
     .stuck = 7,
     .stuck_after = 1e-9,
     .lost = 0.3,
     .objection = "nothing that the controller tells"},
    {.name = "encoder sticks at the second of four passes",
     .passes = 4,
     .hz = 100,
     .stuck = 3,
     .stuck_after = 0.3,
     .objection = "joint 2: \"sweep joint 2, hold 1, from -60 to 60 deg at 30 deg/s, 4 passes\": 4 "
                  "passes were commanded, its position shows 1"},
    {.name = "encoder sticks at the turn",
     .passes = 2,
     .hz = 100,
     .stuck = 1,
     .stuck_after = 0.5,
     .objection = "2 passes were commanded, its position shows 1"},
    {.name = "encoder sticks at the turn, long at rest after it",
     .passes = 2,
     .hz = 100,
     .speed = 60 * DEG,
     .stuck = 1,
     .stuck_after = 0.5,
     .objection = "2 passes were commanded, its position shows 1"},
    {.name = "encoder of a move stuck",
     .is_move = true,
     .hz = 100,
     .stuck = 3,
     .stuck_after = 1e-9,
     .objection = "its position never changed"},
    {.name = "encoder of a move sticks on the way",
     .is_move = true,
     .hz = 100,
     .noise_qd = 0.5 * DEG,
     .stuck = 1,
     .stuck_after = 0.5,
     .objection = "it should stand at 60 deg"},
    {.name = "speed of half",
     .passes = 2,
     .hz = 100,
     .scale_qd = 0.5,
     .objection = "joint 2: during"},
    {.name = "speed of the other sign",
     .passes = 2,
     .hz = 100,
     .scale_qd = -1.0,
     .objection = "its speed says"},
    {.name = "speed sticks on the way",
     .passes = 3,
     .hz = 100,
     .stuck = 2,
     .stuck_after = 0.4,
     .objection = "its speed says"},
    {.name = "slide stuck",
     .type = ARM_JOINT_T,
     .passes = 2,
     .hz = 100,
     .stuck = 3,
     .stuck_after = 1e-9,
     .objection = "its position never changed"},
};

static void test_ways(void) {
  for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
    const Way *way = &ways[k];
    Made made = {.run = NULL};
    made_leg_init(&made, way);
    made_leg_sample(&made, way);
    const AseEvidence evidence = {&made.model, &made.description, &made.leg, made.run, 0.0};
    char *against = ase_evidence_against(&evidence);
    char *text = against ? aio_said_take_text(against) : NULL;
    g_test_message("%s: %s", way->name, text ? text : "nothing");
    if (!way->objection != !text || (text && !strstr(text, way->objection)))
      g_error("%s: \"%s\", expected \"%s\"", way->name, text, way->objection);
    g_free(text);
    ase_run_unref(made.run);
  }
}

static void test_no_samples(void) {
  Made made = {.run = NULL};
  made_leg_init(&made, &ways[0]);
  made.run = ase_run_new(&made.leg, 1);
  const AseEvidence evidence = {&made.model, NULL, &made.leg, made.run, 0.0};
  g_assert_false(ase_evidence_is_at_end(&evidence));
  char *text = aio_said_take_text(ase_evidence_against(&evidence));
  g_assert_nonnull(strstr(text, "no sample came"));
  g_free(text);
  ase_run_unref(made.run);
}

/* The newest sample counts, if there is but one. */
static void test_one_sample(void) {
  Made made = {.run = NULL};
  made_leg_init(&made, &ways[0]);
  made.run = ase_run_new(&made.leg, 1);
  const AioSample sample = {.t_us = 1, .q = {0.1, made.leg.q0, -0.2}};
  made_leg_push(&made, &sample);
  const AseEvidence evidence = {&made.model, NULL, &made.leg, made.run, 0.0};
  g_assert_true(ase_evidence_is_at_end(&evidence));
  g_assert_null(ase_evidence_against(&evidence));
  ase_run_unref(made.run);
}

/* The joint that moves may be anywhere; the others stand where the leg has them. */
static void test_start(void) {
  Made made = {.run = NULL};
  made_leg_init(&made, &ways[0]);
  const AseEvidence evidence = {&made.model, NULL, &made.leg, NULL, 0.0};
  const double anywhere[3] = {0.1 + 0.4 * DEG, 1.0, -0.2 - 0.9 * DEG};
  const double off[3] = {0.1, 1.0, -0.2 - 1.1 * DEG};
  g_assert_null(ase_evidence_against_start(&evidence, anywhere));
  char *text = aio_said_take_text(ase_evidence_against_start(&evidence, off));
  g_assert_cmpstr(
      text, ==,
      "joint 3 stands at -12.56 deg, but this leg begins at -11.46 deg; plan again from "
      "here, or move it back");
  g_free(text);
}

/* Of what is too short to be judged nothing passes: it does not begin. */
static void test_short(void) {
  const Way way = {.reach = 0.74 * DEG, .passes = 2, .driver_rest = 0.4 * DEG};
  Made made = {.run = NULL};
  AseEvidence evidence = {&made.model, NULL, &made.leg, NULL, 0.0};
  made_leg_init(&made, &way);
  char *text = aio_said_take_text(ase_evidence_against_sweep(&evidence));
  g_assert_nonnull(text);
  g_assert_nonnull(strstr(text, "joint 2: \"sweep joint 2, hold 1, from -0.74 to 0.74 deg"));
  g_assert_nonnull(strstr(text, "comes to rest within 0.5 deg"));
  g_assert_nonnull(strstr(text, "over 1.5 deg at least"));
  g_free(text);
  evidence.description = &made.description;
  g_assert_null(ase_evidence_against_sweep(&evidence));
  evidence.description = NULL;
  made.leg.sweeps = false;
  g_assert_null(ase_evidence_against_sweep(&evidence));
}

static void test_rest_error(void) {
  ArmModel model;
  AioJointInfo info = {.rest_error = (double)NAN, .quantum = (double)NAN};
  g_assert_cmpint(arm_model_init(&model, 2), ==, ARM_OK);
  model.joints[1].type = ARM_JOINT_T;
  g_assert_cmpfloat_with_epsilon(ase_rest_error(&model.joints[0], NULL), 0.5 * DEG, 1e-12);
  g_assert_cmpfloat_with_epsilon(ase_rest_error(&model.joints[0], &info), 0.5 * DEG, 1e-12);
  g_assert_cmpfloat(ase_rest_error(&model.joints[1], &info), ==, 0.001);
  info.rest_error = 0.0004;
  g_assert_cmpfloat(ase_rest_error(&model.joints[1], &info), ==, 0.0004);
  model.joints[1].limits.rest_error = 0.0002;
  g_assert_cmpfloat(ase_rest_error(&model.joints[1], &info), ==, 0.0004);
  model.joints[1].limits.rest_error = 0.003;
  g_assert_cmpfloat(ase_rest_error(&model.joints[1], &info), ==, 0.003);
  info.rest_error = (double)NAN;
  g_assert_cmpfloat(ase_rest_error(&model.joints[1], &info), ==, 0.003);
  info.quantum = 0.004;
  g_assert_cmpfloat(ase_rest_error(&model.joints[1], &info), ==, 0.004);
}

/* A leg of 8 s at 100 Hz, of which so many were due; with few of its own, none. */
static void test_few(void) {
  static const struct {
    double due;
    guint16 motion; /* of the leg; its samples are of 7 */
    const char *part;
  } cases[] = {{800.0, 7, NULL},
               {3100.0, 7, NULL},
               {3400.0, 7,
                "801 samples that the controller says are of this motion came, about "
                "3400 were to come"},
               {800.0, 8,
                "\"sweep joint 2, hold 1, from -60 to 60 deg at 30 deg/s, 2 passes\": 0 "
                "samples"},
               {0.0, 8, NULL},
               {9.0, 8, NULL}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    Made made;
    made_leg_init(&made, &ways[0]);
    made_leg_sample(&made, &ways[0]);
    made.run->motion = cases[k].motion;
    const AseEvidence evidence = {&made.model, NULL, &made.leg, made.run, cases[k].due};
    char *against = ase_evidence_against(&evidence);
    char *text = against ? aio_said_take_text(against) : NULL;
    if (cases[k].part ? !text || !strstr(text, cases[k].part) : text != NULL)
      g_error("of %g: %s", cases[k].due, text);
    g_free(text);
    ase_run_unref(made.run);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  setlocale(LC_NUMERIC, "C"); /* numbers for people are written as theirs */
  g_test_add_func("/evidence/ways", test_ways);
  g_test_add_func("/evidence/no-samples", test_no_samples);
  g_test_add_func("/evidence/few", test_few);
  g_test_add_func("/evidence/one-sample", test_one_sample);
  g_test_add_func("/evidence/start", test_start);
  g_test_add_func("/evidence/short", test_short);
  g_test_add_func("/evidence/rest-error", test_rest_error);
  return g_test_run();
}
