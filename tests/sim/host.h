/* SPDX-License-Identifier: MIT */
/* A host at the other end of a simulated controller's line, in the same thread and without a clock:
 * requests, their answers, and everything else that came. Failures of the host itself are failures
 * of the test that uses it. */
#ifndef ARMATURE_TESTS_SIM_HOST_H
#define ARMATURE_TESTS_SIM_HOST_H

#include "sim/controller.h"
#include "wire/frame.h"
#include "wire/sequence.h"

typedef struct {
  WireHeader header;
  gsize length;
  guint8 payload[WIRE_PAYLOAD_MAX];
} HostFrame;

typedef struct {
  AsimController *controller;
  AsimTruth *truth;
  WireDecoder decoder;
  WireSequence ordered, telem;
  GArray *frames; /* of HostFrame */
  GByteArray *bytes;
  guint16 seq;
  guint32 token;
  bool keeps_lease;
  gint64 lease_us, wall_us;
} Host;

/* A usual controller on an arm of data/robots, "puma560-table1"; any member of `options` but truth
 * may be set, time_factor and line_room 0 are 1 and ASIM_LINE_ROOM. NULL: as usual. */
Host *host_new(const char *arm, const AsimOptions *options);
void host_free(Host *host);

/* A controller alone, of the planar arm, that is to run `factor` times as fast as a clock. */
AsimController *host_controller(double factor);

/* Takes what has come. */
void host_drain(Host *host);

/* Lets wall time pass in steps of 1 ms, renews the lease every 100 ms if keeps_lease. */
void host_run_ms(Host *host, gint64 ms);

/* Sends one request; returns the type of its answer, or 0 when none came at once. */
guint16 host_request(Host *host, guint16 type, const guint8 *payload, gsize length);
/* The same; 0: acknowledged, else the code of the refusal. */
guint16 host_ask(Host *host, guint16 type, const guint8 *payload, gsize length);
const HostFrame *host_answer(const Host *host);
/* Newest frame of a type, or NULL; and how many. */
const HostFrame *host_last(const Host *host, guint16 type);
guint host_count(const Host *host, guint16 type);
/* Newest EVENT of a code; false: none. */
bool host_event(const Host *host, guint16 code, WireEvent *event);

/* Must succeed. */
WireHelloAck host_hello(Host *host);
WireState host_state(Host *host);
void host_arm(Host *host); /* and keeps the lease */
void host_subscribe(Host *host, guint16 telem_hz, guint16 health_hz);
guint16 host_sweep(Host *host, const WireSweep *sweep);
guint16 host_test(Host *host, guint16 kind, guint16 joint, gint32 value, guint32 duration_ms);
guint16 host_clear(Host *host, guint32 faults);
/* Newest TELEM of one joint, counting from 0. */
WireTelemJoint host_telem(const HostFrame *frame, guint joint);

/* Runs until the motion has ended; returns wall milliseconds. */
gint64 host_run_motion(Host *host, gint64 most_ms);

/* What eq (20) asks of a motor at rest or at constant speed. */
double host_load_current(const AsimTruth *truth, gsize j, const double *q, double qd);

#endif
