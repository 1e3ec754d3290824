/* SPDX-License-Identifier: MIT */
/* The host's half of the conversation (docs/protocol.md section 3): one request at a time, repeated
 * until it is answered; STOP and KILL past everything; what comes in sorted into answers and
 * reports, its losses counted, its time stamps unwrapped.
 *
 * C99, no allocation, no clock, nothing called but mem*. The caller brings bytes and time: now_us
 * is any clock that never goes back. The split of the bytes into pieces makes no difference. One
 * host belongs to one thread at a time. */
#ifndef ARMATURE_WIRE_HOST_H
#define ARMATURE_WIRE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/clock.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/sequence.h"

enum {
  WIRE_HOST_ANSWER_US = 50000,   /* an answer comes within this and the time on the line */
  WIRE_HOST_COMMIT_US = 2000000, /* and this to COMMIT, for which memory is erased */
  WIRE_HOST_HELLO_US = 3000000,  /* HELLO is repeated so long: some boards restart when opened */
  WIRE_HOST_TRIES = 6,           /* of what must not happen late: motions, ARM, LEASE, DISARM */
  WIRE_HOST_PATIENT_TRIES = 10,  /* of any other request unless the host is hurried; from the sixth
                                  * on each waits twice as long as the one before, 1.8 s in all:
                                  * whoever is busy for a second is not broken */
  WIRE_HOST_COMMIT_TRIES = 2,    /* of COMMIT */
  WIRE_HOST_URGENT_COPIES = 3,   /* of STOP and KILL, one directly after the other */
  WIRE_HOST_SEND_MAX = 1 + WIRE_FRAME_MAX /* a delimiter first, in case the line was silent */
};

typedef struct {
  uint64_t requests, repeated, timeouts; /* repeated: frames sent again; timeouts: given up */
  uint64_t answers;                      /* that were waited for */
  uint64_t answers_late;                 /* to what was answered already or given up: ignored */
  uint64_t answers_odd;                  /* of another type than the request has, or too short */
  uint64_t telem, telem_lost;            /* lost: exact, from the gaps of the sequence */
  uint64_t others, others_lost;          /* answers, events, health and log */
  uint64_t doubled;                      /* reports with a number that was there before: ignored */
  uint64_t echoes;                       /* frames of a host's kind: ignored */
  uint64_t unknown;                      /* types that nobody knows: ignored */
  uint64_t versions;                     /* frames of another major version: ignored */
  uint64_t foreign; /* answers to requests of somebody else, or to recorded ones: ignored */
} WireHostCounters;

/* What waits for an answer. */
typedef struct {
  bool is_open;
  uint16_t type, seq;
  uint16_t sent_type; /* type as in the frame: with WIRE_GUARDED or without */
  uint32_t crc;       /* of the frame's payload, as REQUEST_CRC has it */
  unsigned tries, tries_max;
  bool is_slowing; /* waits grow after WIRE_HOST_TRIES */
  uint64_t first_us, last_us, wait_us;
  size_t length;
  uint8_t bytes[WIRE_HOST_SEND_MAX];
} WireExchange;

typedef enum {
  WIRE_INCOMING_ANSWER, /* to the request: its answer, or REFUSED */
  WIRE_INCOMING_URGENT, /* to STOP or KILL: ACK or REFUSED, the first of its copies */
  WIRE_INCOMING_REPORT  /* TELEM, EVENT, HEALTH, LOG */
} WireIncomingKind;

typedef struct {
  WireIncomingKind kind;
  uint16_t type;         /* WIRE_TYPE_... of the frame; it has at least the bytes of that type */
  uint16_t request_type; /* ANSWER, URGENT: what it answers */
  uint16_t request_seq;
  unsigned tries;         /* 1: the request was sent once, so the answer is as new as its frame */
  uint64_t round_trip_us; /* since the request was first sent */
  uint32_t lost;          /* frames of the same counter missing directly before this one */
  bool is_restart; /* EVENT BOOT, or HELLO_ACK of a device that has restarted since the last one */
  uint64_t t_us;   /* device time, unwrapped, going on across restarts */
  const uint8_t *payload; /* [length], until the host is used again */
  size_t length;
} WireIncoming;

typedef struct {
  void (*send)(void *ctx, const uint8_t *bytes, size_t n); /* takes all of them, in order */
  void *ctx;
  uint32_t bytes_per_s; /* of the line, 0: no limit worth counting */
  bool is_hurried;      /* by the owner: a lease waits behind each request, so none is patient */
  uint16_t next_seq, first_urgent_seq, next_urgent_seq;
  uint8_t hello_minor, minor;           /* asked for; of the session */
  uint16_t wraps;                       /* of next_seq since HELLO, for GUARD */
  uint32_t session_token, arming_token; /* of HELLO_ACK; and the one in force, as last heard */
  WireExchange request, stop, kill;
  uint16_t previous_seq; /* of the request before: its answer may come twice */
  uint32_t previous_crc;
  uint16_t foreign_type; /* of the last foreign request, without WIRE_GUARDED */
  WireDecoder decoder;
  WireSequence others, telem;
  bool has_boot;
  uint32_t boot_count, time_factor; /* of the last HELLO_ACK or BOOT */
  WireClock clock;
  uint64_t stamp_us;  /* now_us when the clock's latest stamp came */
  uint64_t offset_us; /* from the clock to t_us, so that restarts do not turn time back */
  bool is_offset_due; /* the next stamp is the first after a restart, at restart_us */
  uint64_t restart_us;
  WireHostCounters counters;
} WireHost;

/* first_seq: number of the first request, best another one for each connection. */
void wire_host_init(WireHost *host, void (*send)(void *ctx, const uint8_t *bytes, size_t n),
                    void *ctx, uint32_t bytes_per_s, uint16_t first_seq);

/* Sends a request, whose number is then host->request.seq; in a session of minor 1 with its GUARD.
 * false, nothing sent: another one is still outstanding, or the type or n is too large. STOP and
 * KILL have functions of their own. */
bool wire_host_request(WireHost *host, uint64_t now_us, uint16_t type, const uint8_t *payload,
                       size_t n);

/* Sends STOP or KILL three times at once, with numbers of their own, so that the device's count of
 * lost requests stays exact. A request that is outstanding is given up without a word and never
 * repeated: a MOVE that got lost must not start after a STOP. */
void wire_host_stop(WireHost *host, uint64_t now_us);
void wire_host_kill(WireHost *host, uint64_t now_us);

/* Sends the emergency string of section 2. */
void wire_host_emergency(WireHost *host);

/* Gives up the request that is outstanding, if any: its answer will count as late. */
void wire_host_abandon(WireHost *host);

/* What was sent for the first time since the last tick was sent now: for a caller who sends without
 * knowing the time. */
void wire_host_sent_at(WireHost *host, uint64_t now_us);

enum { WIRE_HOST_NO_ANSWER = 1, WIRE_HOST_NO_STOP = 2, WIRE_HOST_NO_KILL = 4 };

/* Repeats what was not answered in time; a KILL with the emergency string. Returns the bits of what
 * is given up. */
unsigned wire_host_tick(WireHost *host, uint64_t now_us);

/* When wire_host_tick has something to do; UINT64_MAX: nothing is outstanding. */
uint64_t wire_host_next_us(const WireHost *host);

/* Takes bytes until something is complete: *bytes and *n advance past what was taken. Returns true
 * with one message, or false when the input is used up. Frames to be ignored are counted. */
bool wire_host_next(WireHost *host, uint64_t now_us, const uint8_t **bytes, size_t *n,
                    WireIncoming *incoming);

/* The line is a new one: what is outstanding and begun is forgotten; time, numbers and counters go
 * on. */
void wire_host_disconnect(WireHost *host);

#endif
