/* SPDX-License-Identifier: MIT */
#include "support/faulty_faults.h"

#include <math.h>

enum { ARMS = FAULTY_NOTES + 1 };
static const double degree = 3.14159265358979323846 / 180;

/* The joints of an arm that a fault may be at, counted from 1: first and last; 0: none. */
typedef struct {
  size_t sign[2];              /* whose DH angle has one */
  size_t gear[2], position[2]; /* whose gear, whose zero matters */
  size_t pair[2];              /* that changes places with the next */
  double lean[FAULTY_JOINTS];  /* N m, N */
} Places;

#define SIX_R                                                                                      \
  {                                                                                                \
    {4, 6}, {2, 5}, {2, 5}, {2, 5}, {                                                              \
      60, 30, 15, 2, 2, 2                                                                          \
    }                                                                                              \
  }
static const Places places_of[ARMS] = {
    [FAULTY_PUMA] = SIX_R,
    [FAULTY_UR] = SIX_R,
    [FAULTY_TOOL] = SIX_R,
    [FAULTY_WRIST] = SIX_R,
    [FAULTY_STANFORD] = {{5, 6}, {2, 5}, {2, 5}, {4, 5}, {60, 30, 30, 2, 2, 2}},
    [FAULTY_SCARA] = {{0}, {1, 2}, {1, 2}, {1, 1}, {20, 10, 10, 1}},
    [FAULTY_NOTES] = {{4, 6}, {2, 6}, {2, 5}, {2, 5}, {60, 30, 15, 2, 2, 2}},
};

static size_t joint_of(TestRng *rng, const size_t places[2]) {
  return places[0] - 1 + test_rng_below(rng, places[1] - places[0] + 1);
}

static size_t any_joint(TestRng *rng, FaultyArm arm) {
  return test_rng_below(rng, arm == FAULTY_SCARA ? 4 : 6);
}

static void tilt(Faulty *f, TestRng *rng, double angle) {
  const double about = test_rng_uniform(rng, 0, 6.28);
  f->tilt[0] = angle * degree * cos(about);
  f->tilt[1] = angle * degree * sin(about);
}

/* its angle is 0 at joint 4 of the UR-like arm and has no sign */
static void flip(Faulty *f, TestRng *rng, FaultyArm arm) {
  const size_t joint = joint_of(rng, places_of[arm].sign);
  f->flipped[arm == FAULTY_UR && joint == 3 ? 4 : joint] = -1;
}

static void load(Faulty *f, TestRng *rng, double mass) {
  f->payload = mass;
  f->payload_hold = test_rng_below(rng, FAULTY_HOLDS);
}

static void lean(Faulty *f, TestRng *rng, FaultyArm arm) {
  f->lean_joint = any_joint(rng, arm);
  f->lean_stroke = test_rng_below(rng, 2 * f->holds * f->speeds);
  f->lean = places_of[arm].lean[f->lean_joint];
}

static void ripple(Faulty *f, TestRng *rng, FaultyArm arm, size_t order) {
  f->ripple = 0.02;
  f->ripple_order = order;
  f->ripple_joint = any_joint(rng, arm);
  f->ripple_phase = test_rng_uniform(rng, 0, 6.28);
}

static void change_gain(Faulty *f, TestRng *rng, FaultyArm arm) {
  f->gain = 1.2;
  f->gain_joint = joint_of(rng, places_of[arm].position);
}

static void spring(Faulty *f, TestRng *rng, double stiffness, double bumper) {
  static const size_t places[2] = {2, 6};
  f->spring_joint = joint_of(rng, places);
  f->spring = stiffness;
  f->bumper = bumper;
}

const char *faulty_fault_name(Fault fault) {
  static const char *const names[ALL_FAULTS] = {
      "base tilt 2 deg",
      "base tilt 10 deg",
      "DH sign of a wrist joint",
      "gear x1.1",
      "gear x0.5",
      "joint zero 5 deg",
      "payload 0.5 kg in one hold",
      "payload 0.2 kg in one hold",
      "someone leans in one sweep",
      "ripple 20 mA, 1 per rev",
      "ripple 20 mA, 2 per rev",
      "unsigned current",
      "joints swapped",
      "delay 40 ms",
      "friction +5 % of load",
      "tilt 1 deg and drift 25 %",
      "gain x1.2 from mid-joint on",
      "cable spring 0.15 A/rad",
      "bumper 0.3 A/rad",
      "tilt 1 deg and payload 0.1 kg",
  };
  return names[fault];
}

static void swap(Faulty *f, size_t joint) {
  f->swapped[0] = joint;
  f->swapped[1] = joint + 1;
}

/* what the arm file says of the joints' positions */
static bool break_positions(FaultyArm arm, Fault fault, TestRng *rng, Faulty *f) {
  const Places *places = &places_of[arm];
  if (fault == FAULT_DH_SIGN && places->sign[0] > 0)
    flip(f, rng, arm);
  else if (fault == FAULT_GEAR || fault == FAULT_GEAR_HALF)
    f->gear[joint_of(rng, places->gear)] = fault == FAULT_GEAR ? 1.1 : 0.5;
  else if (fault == FAULT_ZERO)
    f->zero[joint_of(rng, places->position)] = 5 * degree;
  else if (fault == FAULT_SWAPPED)
    swap(f, joint_of(rng, places->pair));
  else
    return false;
  return true;
}

static bool break_currents(FaultyArm arm, Fault fault, TestRng *rng, Faulty *f) {
  if (fault == FAULT_LEAN)
    lean(f, rng, arm);
  else if (fault == FAULT_RIPPLE || fault == FAULT_RIPPLE_TWICE)
    ripple(f, rng, arm, fault == FAULT_RIPPLE ? 1 : 2);
  else if (fault == FAULT_UNSIGNED)
    f->is_unsigned = true;
  else if (fault == FAULT_DELAY)
    f->delay = 0.04;
  else if (fault == FAULT_LOAD_FRICTION)
    f->load_friction = 0.05;
  else if (fault == FAULT_GAIN_CHANGED)
    change_gain(f, rng, arm);
  else if (fault == FAULT_CABLE) /* springs are meant for arms of six R joints */
    spring(f, rng, 0.15, 0);
  else if (fault == FAULT_BUMPER)
    spring(f, rng, 0, 0.3);
  else
    return false;
  return true;
}

static bool break_gravity(Fault fault, TestRng *rng, Faulty *f) {
  const bool is_double = fault == FAULT_TILT_AND_DRIFT || fault == FAULT_TILT_AND_PAYLOAD;
  if (fault == FAULT_TILT_2 || fault == FAULT_TILT_10)
    tilt(f, rng, fault == FAULT_TILT_2 ? 2 : 10);
  else if (fault == FAULT_PAYLOAD || fault == FAULT_PAYLOAD_SMALL)
    load(f, rng, fault == FAULT_PAYLOAD ? 0.5 : 0.2);
  else if (is_double)
    tilt(f, rng, 1);
  else
    return false;
  if (fault == FAULT_TILT_AND_PAYLOAD)
    load(f, rng, 0.1);
  if (fault == FAULT_TILT_AND_DRIFT)
    f->drift = 0.25;
  return true;
}

bool faulty_break(FaultyArm arm, Fault fault, uint64_t seed, Faulty *f) {
  TestRng rng;
  test_rng_init(&rng, 7700 + seed);
  return break_gravity(fault, &rng, f) || break_positions(arm, fault, &rng, f) ||
         break_currents(arm, fault, &rng, f);
}
