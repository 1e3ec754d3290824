/* SPDX-License-Identifier: MIT */
/* The native driver, and what its files share. A command is a row of exchanges (WireHost),
 * one at a time; between two of them the lease is renewed. */
#ifndef ARMATURE_IO_DRIVER_NATIVE_H
#define ARMATURE_IO_DRIVER_NATIVE_H

#include "io/driver/driver.h"
#include "wire/host.h"

/* The driver of docs/protocol.md, for the list of io/registry. It needs no context. */
extern const AioDriverClass aio_driver_native;

typedef struct AioNative AioNative;
typedef struct AioNativeCommand AioNativeCommand;

/* One kind of command. In all functions `reply` is what the command will be answered with. */
typedef struct {
  bool needs_session;
  bool is_hurried; /* nothing of it may come late, what it asks for first either */
  bool is_change;  /* refused when the major versions differ */
  /* Sets type, payload and length of the next request. false: it ends here, reply says why.
   * NULL: they are set already. */
  bool (*encode)(AioNative *native, AioNativeCommand *command, AioReply *reply);
  /* Takes the answer; true: the command is complete. NULL: it is, and nothing else to do. */
  bool (*answer)(AioNative *native, AioNativeCommand *command, const WireIncoming *incoming,
                 AioReply *reply);
  /* It was refused, or (refused is NULL) not answered; reply says so. false: that is the reply;
   * true: `encode` has something else to try, or reply->code is 0. NULL: false. */
  bool (*fail)(AioNative *native, AioNativeCommand *command, const WireRefused *refused,
               AioReply *reply);
} AioNativeKind;

struct AioNativeCommand {
  guint64 ticket;
  const AioNativeKind *kind;
  guint phase, index, rounds, restarts;
  guint ttl_ms, id, resumes;
  guint32 takeover; /* token with which HELLO takes an armed arm over, 0: it does not */
  double value;
  AioSegment segment;
  guint n_values;
  double *values;  /* [n_values], owned */
  GByteArray *set; /* canonical set of an upload, owned */
  guint32 digest;
  bool has_ended; /* after `fail` returned true: reply, do not encode */
  AioErrorCode doom_code;
  const char *doom; /* not NULL: it is to end with these words, static */
  guint16 type;
  gsize length;
  guint8 payload[WIRE_PAYLOAD_MAX];
};

typedef enum {
  AIO_NATIVE_IDLE,
  AIO_NATIVE_COMMAND,
  AIO_NATIVE_LEASE,
  AIO_NATIVE_REFRESH
} AioNativeFlight;

struct AioNative {
  AioDriver base;
  WireHost host;
  guint32 host_id;
  bool is_replayed;   /* in a capture that is played: nothing moves */
  gint64 now_ns;      /* of the last receive or tick */
  bool is_sent_blind; /* something was sent since then, at a time not known */

  GQueue commands; /* of AioNativeCommand, not begun */
  GQueue doomed;   /* to be answered with their doom */
  bool is_busy;    /* a handler or sink is at work: what is given only joins the queue */
  AioNativeCommand *current;
  AioNativeFlight flight; /* whose request is outstanding */
  GArray *stops, *kills;  /* of guint64: tickets that wait for ACK */
  gint64 round_trip_ns;

  bool has_session;
  AioDescription description;
  WireHelloAck hello;
  guint32 boot_reported; /* boot count of the last AIO_EVENT_BOOT */
  bool has_boot_reported;
  AioParam *params; /* [n_params], of schema_crc */
  guint n_params;
  guint32 schema_crc;
  bool has_schema;
  AioParam *fetched; /* a schema that is being read, [hello.params] */
  guint32 fetched_crc;

  AioState state;
  bool has_state, wants_refresh;
  guint32 token;
  bool is_leased; /* armed by this session */
  guint ttl_ms;
  gint64 lease_due_ns;
  guint32 trajectory_joints;
  guint16 segment_index;

  gint64 telem_ns; /* when the last TELEM came */
  guint64 telem_t_us;
  guint32 lost_before;                /* samples lost or unusable since the last one given out */
  guint64 samples, samples_lost, odd; /* odd: messages without meaning */
  guint64 others_lost_before;         /* the first HELLO */
  guint64 foreign_told;               /* requests of others, as last told */
  gint64 foreign_told_ns;
};

/* ---- driver_native.c ---- */
AioNativeCommand *aio_native_command(guint64 ticket, const AioNativeKind *kind, guint16 type);
/* Takes over the command. */
void aio_native_submit(AioNative *native, AioNativeCommand *command);
/* Answers and frees it instead; the message is printf's. */
void aio_native_reject(AioNative *native, AioNativeCommand *command, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void aio_native_error(AioReply *reply, AioErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* Nothing of before holds: answers what waits with AIO_ERROR_GONE, except a HELLO in flight. */
void aio_native_session_over(AioNative *native, const char *why);
/* Cancels all that waits or is outstanding, but STOP and KILL; the session goes on. Not from within
 * a sink. */
void aio_native_forget(AioNative *native);

/* ---- driver_native_session.c ---- */
bool aio_native_is_hello(const AioNativeCommand *command); /* begins a session, or probes */
void aio_native_probe(AioDriver *driver, guint64 ticket);
void aio_native_describe(AioDriver *driver, guint64 ticket);
void aio_native_get_state(AioDriver *driver, guint64 ticket);
bool aio_native_take_state(AioNative *native, const WireIncoming *incoming);
const char *aio_native_reset_text(guint32 cause);

/* ---- driver_native_motion.c ---- */
void aio_native_telemetry(AioDriver *driver, guint64 ticket, double hz, double health_hz);
void aio_native_arm(AioDriver *driver, guint64 ticket, guint ttl_ms);
void aio_native_disarm(AioDriver *driver, guint64 ticket, bool drives_off);
void aio_native_clear(AioDriver *driver, guint64 ticket, guint32 faults);
void aio_native_move(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n);
void aio_native_sweep(AioDriver *driver, guint64 ticket, const AioSweep *sweep);
void aio_native_trajectory_begin(AioDriver *driver, guint64 ticket, guint32 joints);
void aio_native_trajectory_segment(AioDriver *driver, guint64 ticket, const AioSegment *segment);
void aio_native_trajectory_start(AioDriver *driver, guint64 ticket);
void aio_native_test(AioDriver *driver, guint64 ticket, const AioTest *test);
void aio_native_start_lease(AioNative *native, const WireIncoming *incoming, guint ttl_ms);

/* ---- driver_native_params.c, driver_native_upload.c ---- */
AioParam *aio_native_param(const AioNative *native, guint id); /* NULL: there is none */
double aio_native_param_value(AioParamType type, guint32 bits);
/* false: not a value of this type, and reply says so. */
bool aio_native_param_bits(const AioParam *param, double value, guint32 *bits, AioReply *reply);
void aio_native_params_get(AioDriver *driver, guint64 ticket);
void aio_native_param_set(AioDriver *driver, guint64 ticket, guint id, double value);
void aio_native_params_digest(AioDriver *driver, guint64 ticket);
void aio_native_params_upload(AioDriver *driver, guint64 ticket, const double *values, guint n);

/* ---- driver_native_report.c ---- */
void aio_native_report(AioNative *native, const WireIncoming *incoming);
/* Of an ACK; motion_id: of the motion it started, else 0. */
void aio_native_take_ack(AioNative *native, const WireIncoming *incoming, const WireAck *ack,
                         guint16 motion_id);
/* Takes what is new; reports it if a person would call it a change. */
void aio_native_set_state(AioNative *native, const AioState *state, guint64 t_us);
/* false: numbers that no state has. */
bool aio_native_is_state(guint8 state, guint8 motion);
void aio_native_set_flags(AioState *state, guint16 flags);

/* The highest joint number that a message may hold. */
static inline guint aio_native_joints(const AioNative *native) {
  return native->description.joints ? native->description.joints : ARM_MAX_JOINTS;
}

void aio_native_boot(AioNative *native, guint32 boot_count, guint32 cause, guint64 t_us);

/* An event when requests reach the device that this program did not send: seldom enough to be kept.
 */
void aio_native_tell_foreign(AioNative *native);

/* ---- driver_native_replay.c ---- */
typedef struct {
  AioReplay base;
  WireDecoder sent;
  guint32 host_id;
  guint16 hello_seq;
} AioNativeReplay;
void aio_native_replay_sent(AioReplay *replay, gint64 t_ns, const guint8 *bytes, gsize n);

/* ---- driver_native_text.c ---- */
/* A sentence about a refusal: joint, limit and asked with their units. */
void aio_native_refusal(const AioNative *native, const WireRefused *refused, AioReply *reply);

#endif
