/* SPDX-License-Identifier: MIT */
/* A session on a simulated controller in compressed time, in a folder of its own. */
#ifndef ARMATURE_TESTS_SESSION_BENCH_H
#define ARMATURE_TESTS_SESSION_BENCH_H

#include "rig.h"
#include "session/session.h"

typedef struct {
  AsimTruth truth;
  AsimLoop *loop;
  char *folder, *path, *arm_text;
  char *kept; /* words of the last opening */
  AseSession *session;
  GPtrArray *messages; /* of char, "1 text" */
  guint legs, progress;
  guint lease_ms;        /* of the next connection; RIG_LEASE_MS */
  AsimLoopReport report; /* of the simulator, after bench_clear */
} Bench;

/* A controller for data/robots/NAME.arm.json and a new session for it, not connected. */
void bench_init(Bench *bench, const char *name, double time_factor);
/* Another seed of noise than 1. */
void bench_init_seed(Bench *bench, const char *name, double time_factor, guint64 seed);
/* In a folder that may have a session already, which is opened; taken over. */
void bench_init_in(Bench *bench, const char *name, double time_factor, char *folder);
/* Closes the session, removes the folder. */
void bench_clear(Bench *bench);

void bench_close(Bench *bench);
void bench_open(Bench *bench);
/* Another session object. */
void bench_watch(Bench *bench, AseSession *session);

/* Two speeds, brisk dry run: tests have no patience. */
void bench_hurry(Bench *bench);

/* By hand: two holds and two speeds of joint 2 of the planar arm, nothing else. */
void bench_plan_one(Bench *bench, double speed);

/* Another controller of the same arm, not connected. */
void bench_replace_controller(Bench *bench, double time_factor, guint64 seed);

/* Another one, with firmware that speaks protocol 1.0. */
void bench_replace_by_minor_0(Bench *bench, double time_factor);

void bench_connect(Bench *bench); /* until CHECK has passed */
/* Until this step has ended. */
void bench_connect_to(Bench *bench, AseStep step);
void bench_arm(Bench *bench);
AseStepState bench_state(Bench *bench, AseStep step);
const char *bench_reason(Bench *bench, AseStep step);
/* Starts it and waits until it does not run any more. */
void bench_do(Bench *bench, AseStep step);
void bench_until(Bench *bench, AseStep step, double seconds);
/* Everything up to the step, which passes. */
void bench_reach(Bench *bench, AseStep step);
/* Until `sweeps` runs of SWEEP are complete. */
void bench_sweep_until(Bench *bench, guint sweeps);
bool bench_has_message(const Bench *bench, const char *part);
void bench_ignore(const AioReply *reply, void *ctx); /* for ase_device_send */
/* Until it is answered. */
void bench_ask(Bench *bench, const AioCommand *command);
/* All runs are on the disk, and have left the memory; data: a Bench. */
bool bench_is_shelved(void *data);
void bench_refused(Bench *bench, AseStep step, const char *part);

#endif
