/* SPDX-License-Identifier: MIT */
/* A session in mid-sweep to which something happens; what its file holds afterwards. */
#ifndef ARMATURE_TESTS_SESSION_FAULT_CASE_H
#define ARMATURE_TESTS_SESSION_FAULT_CASE_H

#include "bench.h"

enum { FAULT_SWEEPS = 4 };

typedef struct {
  Bench bench;
  guint64 received; /* samples that the main loop saw */
  guint64 newest_us;
  char *said; /* what to tell in the end; freed */
} FaultCase;

/* The planar arm, joint 2 at two holds and two speeds, DRY_RUN passed. first_t_us: of the
 * controller's clock. */
void fault_init(FaultCase *c, double time_factor, guint lease_ms, guint32 first_t_us);
/* Its samples are stamped like that (sim/controller.h), in the simulator's thread. */
void fault_init_stamped(FaultCase *c, double time_factor, guint lease_ms,
                        guint32 (*stamp)(guint64 now_us));
void fault_clear(FaultCase *c);

/* How a session connects to a simulator: a short lock-out, a lease of this length. */
void fault_options(AseDeviceOptions *options, guint lease_ms);

/* In the middle of the first sweep. */
void fault_sweep(FaultCase *c);
void fault_plant(FaultCase *c, guint kind, guint joint, gint32 value, guint32 duration_ms);
/* As long by the controller's clock, as its samples tell. */
void fault_wait(FaultCase *c, double device_s);

/* SWEEP ends early for this reason, and says so; every sample that came is in the file. */
void fault_expect(FaultCase *c, const char *reason);
/* As the controller answers, in the end. */
void fault_expect_state(FaultCase *c, AioDeviceState state, bool drives_on, guint32 faults);
/* Faults cleared, armed again, SWEEP to its end. */
void fault_go_on(Bench *bench);

/* What a session's file holds, opened anew. */
typedef struct {
  guint64 n, lost;
  guint64 first_us, last_us; /* device time */
  gint64 last_ns;            /* of the host */
  guint64 unordered;         /* device times of one connection not above the one before... */
  guint64 marked;            /* ...but for those that say so: AIO_SAMPLE_UNORDERED */
  gint64 connection;         /* of the last row */
  guint connections;         /* that have rows */
} FileRows;
FileRows fault_rows(const char *path);
/* The commit of what came last is a moment later. */
FileRows fault_wait_rows(const char *path, guint64 n);

#endif
