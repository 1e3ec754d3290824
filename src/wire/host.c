/* SPDX-License-Identifier: MIT */
/* Requests one at a time, except STOP and KILL. An answer is believed only if it fits the request
 * that waits, and a number that looks old only if its time is old too; a restart of the device
 * shows before anything of the frame is used. The rules are those of docs/protocol.md, section 3.
 */
#include "wire/host.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/host_internal.h"

/* ---- sending ---- */

void wire_host_init(WireHost *host, void (*send)(void *ctx, const uint8_t *bytes, size_t n),
                    void *ctx, uint32_t bytes_per_s, uint16_t first_seq) {
  memset(host, 0, sizeof *host);
  host->send = send;
  host->ctx = ctx;
  host->bytes_per_s = bytes_per_s;
  host->next_seq = first_seq;
  host->first_urgent_seq = host->next_urgent_seq = (uint16_t)(first_seq + 0x8000u);
  host->time_factor = WIRE_TIME_FACTOR_REAL;
  wire_decoder_init(&host->decoder);
  wire_sequence_init(&host->others);
  wire_sequence_init(&host->telem);
  wire_clock_init(&host->clock);
}

/* The request goes out; its answer, at most a longest frame, comes in behind another one. */
static uint64_t line_us(const WireHost *host, size_t length) {
  const uint64_t bytes = (uint64_t)length + 2u * WIRE_FRAME_MAX;
  return host->bytes_per_s ? bytes * 1000000u / host->bytes_per_s : 0;
}

/* What moves the arm, arms it or ends that is given up before anybody has stopped expecting it. */
static bool is_urgent(uint16_t type) {
  return wire_is_motion(type) || type == WIRE_TYPE_ARM || type == WIRE_TYPE_LEASE ||
         type == WIRE_TYPE_DISARM || type == WIRE_TYPE_STOP || type == WIRE_TYPE_KILL;
}

static void set_patience(const WireHost *host, WireExchange *exchange) {
  const uint64_t line = line_us(host, exchange->length);
  exchange->wait_us = WIRE_HOST_ANSWER_US + line;
  exchange->is_slowing = false;
  exchange->tries_max = WIRE_HOST_TRIES;
  if (exchange->type == WIRE_TYPE_COMMIT) {
    exchange->wait_us = WIRE_HOST_COMMIT_US + line;
    exchange->tries_max = WIRE_HOST_COMMIT_TRIES;
  } else if (exchange->type == WIRE_TYPE_HELLO) {
    exchange->tries_max = (unsigned)(WIRE_HOST_HELLO_US / exchange->wait_us) + 1;
  } else if (!host->is_hurried && !is_urgent(exchange->type)) {
    exchange->is_slowing = true;
    exchange->tries_max = WIRE_HOST_PATIENT_TRIES;
  }
}

static uint64_t due_us(const WireExchange *exchange) {
  const unsigned doublings = exchange->is_slowing && exchange->tries > WIRE_HOST_TRIES
                                 ? exchange->tries - WIRE_HOST_TRIES
                                 : 0;
  return exchange->is_open ? exchange->last_us + (exchange->wait_us << doublings) : UINT64_MAX;
}

/* HELLO begins the session, STOP and KILL stand above it. */
static bool is_guarded(const WireHost *host, uint16_t type) {
  return host->minor > 0 && type != WIRE_TYPE_HELLO && type != WIRE_TYPE_STOP &&
         type != WIRE_TYPE_KILL;
}

/* The payload as it is sent, in `out` [WIRE_PAYLOAD_MAX]; its bytes, or SIZE_MAX: too many. */
static size_t put_payload(const WireHost *host, uint16_t type, const uint8_t *payload, size_t n,
                          uint8_t *out) {
  const bool is_ours = is_guarded(host, type);
  const size_t guard_bytes = is_ours ? WIRE_SIZE_GUARD : 0;
  const WireGuard guard = {wire_is_motion(type) ? host->arming_token : host->session_token,
                           host->wraps};
  if (n > WIRE_PAYLOAD_MAX - guard_bytes)
    return SIZE_MAX;
  if (is_ours)
    wire_guard_put(out, &guard);
  if (n > 0)
    memcpy(out + guard_bytes, payload, n);
  return guard_bytes + n;
}

static bool prepare(const WireHost *host, WireExchange *exchange, uint64_t now_us, uint16_t type,
                    uint16_t seq, const uint8_t *payload, size_t n) {
  uint8_t sent[WIRE_PAYLOAD_MAX];
  const unsigned bit = is_guarded(host, type) ? WIRE_GUARDED : 0;
  const WireHeader header = {WIRE_VERSION, (uint16_t)(type | bit), seq,
                             (uint32_t)(now_us & UINT32_MAX)};
  const size_t n_sent = put_payload(host, type, payload, n, sent);
  const size_t length = wire_frame_encode(exchange->bytes + 1, &header, sent, n_sent);
  if (length == 0)
    return false;
  exchange->bytes[0] = WIRE_DELIMITER;
  exchange->length = length + 1;
  exchange->type = type;
  exchange->sent_type = header.type;
  exchange->crc = wire_crc32(0, sent, n_sent);
  exchange->seq = seq;
  exchange->tries = 1;
  exchange->first_us = exchange->last_us = now_us;
  exchange->is_open = true;
  set_patience(host, exchange);
  return true;
}

bool wire_host_request(WireHost *host, uint64_t now_us, uint16_t type, const uint8_t *payload,
                       size_t n) {
  WireExchange *request = &host->request;
  const uint16_t seq = request->seq;
  const uint32_t crc = request->crc;
  if (request->is_open || !prepare(host, request, now_us, type, host->next_seq, payload, n))
    return false;
  host->previous_seq = seq;
  host->previous_crc = crc;
  if (type == WIRE_TYPE_HELLO)
    host->hello_minor = n >= WIRE_SIZE_HELLO ? payload[1] : 0;
  if (++host->next_seq == 0)
    host->wraps++;
  host->counters.requests++;
  host->send(host->ctx, request->bytes, request->length);
  return true;
}

static void send_copies(WireHost *host, const WireExchange *urgent) {
  for (int k = 0; k < WIRE_HOST_URGENT_COPIES; k++)
    host->send(host->ctx, urgent->bytes, urgent->length);
}

static void send_urgent(WireHost *host, WireExchange *urgent, uint64_t now_us, uint16_t type) {
  wire_host_abandon(host);
  (void)prepare(host, urgent, now_us, type, host->next_urgent_seq++, NULL, 0);
  host->counters.requests++;
  send_copies(host, urgent);
}

void wire_host_stop(WireHost *host, uint64_t now_us) {
  send_urgent(host, &host->stop, now_us, WIRE_TYPE_STOP);
}

void wire_host_kill(WireHost *host, uint64_t now_us) {
  send_urgent(host, &host->kill, now_us, WIRE_TYPE_KILL);
}

void wire_host_emergency(WireHost *host) {
  uint8_t bytes[WIRE_EMERGENCY_BYTES + 2];
  memset(bytes, WIRE_EMERGENCY_BYTE, sizeof bytes);
  bytes[0] = bytes[sizeof bytes - 1] = WIRE_DELIMITER;
  host->send(host->ctx, bytes, sizeof bytes);
}

void wire_host_abandon(WireHost *host) {
  host->request.is_open = false;
}

static void set_sent(WireExchange *exchange, uint64_t now_us) {
  if (exchange->is_open && exchange->tries == 1)
    exchange->first_us = exchange->last_us = now_us;
}

void wire_host_sent_at(WireHost *host, uint64_t now_us) {
  set_sent(&host->request, now_us);
  set_sent(&host->stop, now_us);
  set_sent(&host->kill, now_us);
}

/* ---- repeating ---- */

typedef enum { PATIENT, REPEAT, GIVE_UP } Verdict;

static Verdict judge(WireHost *host, WireExchange *exchange, uint64_t now_us) {
  if (!exchange->is_open || now_us < due_us(exchange))
    return PATIENT;
  if (exchange->tries >= exchange->tries_max) {
    exchange->is_open = false;
    host->counters.timeouts++;
    return GIVE_UP;
  }
  exchange->tries++;
  exchange->last_us = now_us;
  host->counters.repeated++;
  return REPEAT;
}

unsigned wire_host_tick(WireHost *host, uint64_t now_us) {
  const Verdict kill = judge(host, &host->kill, now_us);
  const Verdict stop = judge(host, &host->stop, now_us);
  const Verdict request = judge(host, &host->request, now_us);
  if (kill == REPEAT) {
    send_copies(host, &host->kill);
    wire_host_emergency(host);
  }
  if (stop == REPEAT)
    send_copies(host, &host->stop);
  if (request == REPEAT)
    host->send(host->ctx, host->request.bytes, host->request.length);
  return (request == GIVE_UP ? WIRE_HOST_NO_ANSWER : 0u) |
         (stop == GIVE_UP ? WIRE_HOST_NO_STOP : 0u) | (kill == GIVE_UP ? WIRE_HOST_NO_KILL : 0u);
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint64_t wire_host_next_us(const WireHost *host) {
  return least(due_us(&host->request), least(due_us(&host->stop), due_us(&host->kill)));
}

/* ---- time and numbers of the device ---- */

static uint64_t device_elapsed_us(const WireHost *host, uint64_t now_us) {
  return now_us > host->stamp_us ? (now_us - host->stamp_us) * host->time_factor / 1000u : 0;
}

static uint64_t unwrap(WireHost *host, uint64_t now_us, uint32_t stamp) {
  const uint64_t latest = host->clock.latest_us;
  const uint64_t elapsed = device_elapsed_us(host, now_us);
  const uint64_t t = wire_clock_unwrap_after(&host->clock, stamp, elapsed);
  if (host->is_offset_due)
    host->offset_us = host->restart_us - t;
  host->is_offset_due = false;
  if (host->clock.latest_us != latest)
    host->stamp_us = now_us;
  return t + host->offset_us;
}

/* The device counts from the beginning again; its time goes on where it was. */
static void restart(WireHost *host, uint64_t now_us) {
  wire_sequence_init(&host->others);
  wire_sequence_init(&host->telem);
  if (!host->clock.has_started)
    return;
  host->restart_us = host->clock.latest_us + host->offset_us + device_elapsed_us(host, now_us);
  host->is_offset_due = true;
  wire_clock_init(&host->clock);
}

static bool is_later(const WireHost *host, uint64_t now_us, uint32_t stamp) {
  WireClock clock = host->clock;
  return wire_clock_unwrap_after(&clock, stamp, device_elapsed_us(host, now_us)) >
         host->clock.latest_us;
}

/* Frames missing directly before this one; false: the number was there before. One that only looks
 * old, since more than half of the numbers are missing (33 s of telemetry at 1 kHz, while the
 * computer slept), has a later time: a gap. */
static bool track(WireHost *host, WireSequence *sequence, uint64_t now_us, const WireHeader *header,
                  uint64_t *lost_total, uint32_t *lost) {
  const uint64_t before = sequence->lost;
  WireSequenceKind kind = wire_sequence_push(sequence, header->seq);
  if (kind == WIRE_SEQUENCE_OLD && is_later(host, now_us, header->t_us)) {
    sequence->lost += (uint16_t)(header->seq - sequence->last - 1u);
    sequence->last = header->seq;
    kind = WIRE_SEQUENCE_GAP;
  }
  *lost = (uint32_t)(sequence->lost - before);
  *lost_total += *lost;
  return kind == WIRE_SEQUENCE_NEXT || kind == WIRE_SEQUENCE_GAP;
}

/* ---- receiving ---- */

#define SIZE_OF(NAME, Type, function, number, bytes)                                               \
  case number:                                                                                     \
    return (int)(bytes);

/* Least bytes of a message with payload, or -1. */
static int size_of(uint16_t type) {
  switch (type) {
    WIRE_MESSAGES(SIZE_OF)
  default:
    return -1;
  }
}

static bool is_report(uint16_t type) {
  return type == WIRE_TYPE_TELEM || type == WIRE_TYPE_EVENT || type == WIRE_TYPE_HEALTH ||
         type == WIRE_TYPE_LOG;
}

/* What keeps its meaning in all major versions. */
static bool is_timeless(uint16_t type) {
  return type == WIRE_TYPE_HELLO_ACK || type == WIRE_TYPE_REFUSED || type == WIRE_TYPE_ACK;
}

/* Counts what is not for this host. */
static bool is_ours(WireHost *host, const WireReceived *received) {
  const uint16_t type = received->header.type;
  if (received->kind == WIRE_RECEIVED_EMERGENCY || !(type & WIRE_FROM_DEVICE))
    host->counters.echoes++;
  else if (size_of(type) < 0)
    host->counters.unknown++;
  else if (received->header.version != WIRE_VERSION && !is_timeless(type))
    host->counters.versions++;
  else
    return true;
  return false;
}

static bool close_exchange(WireHost *host, WireExchange *exchange, uint64_t now_us,
                           WireIncoming *incoming) {
  exchange->is_open = false;
  host->counters.answers++;
  incoming->request_type = exchange->type;
  incoming->request_seq = exchange->seq;
  incoming->tries = exchange->tries;
  incoming->round_trip_us = now_us > exchange->first_us ? now_us - exchange->first_us : 0;
  return true;
}

static bool take_answer(WireHost *host, uint64_t now_us, WireIncoming *incoming) {
  const uint16_t seq = wire_get_u16(incoming->payload);
  WireExchange *const urgent[] = {&host->stop, &host->kill};
  incoming->kind = WIRE_INCOMING_URGENT;
  for (size_t k = 0; k < 2; k++)
    if (urgent[k]->is_open && seq == urgent[k]->seq && wire_host_fits(incoming, urgent[k]))
      return close_exchange(host, urgent[k], now_us, incoming);
  incoming->kind = WIRE_INCOMING_ANSWER;
  if (host->request.is_open && seq == host->request.seq && wire_host_fits(incoming, &host->request))
    return close_exchange(host, &host->request, now_us, incoming);
  if (wire_host_is_foreign(host, incoming))
    return false;
  if (!host->request.is_open || seq != host->request.seq) {
    host->counters.answers_late++;
    return false;
  }
  const bool is_urgent =
      incoming->type == WIRE_TYPE_ACK && (wire_get_u16(incoming->payload + 2) == WIRE_TYPE_STOP ||
                                          wire_get_u16(incoming->payload + 2) == WIRE_TYPE_KILL);
  host->counters.answers_odd += !is_urgent;
  host->counters.answers_late += is_urgent;
  return false;
}

/* A restart shows before anything of the frame is used: in EVENT BOOT; in a HELLO_ACK that is
 * waited for and has another boot count, or a number that this device has used before. */
static bool is_restart(const WireHost *host, const WireReceived *received) {
  const uint16_t step = (uint16_t)(received->header.seq - host->others.last);
  const bool is_old = host->others.has_started && (step == 0 || step >= 0x8000u);
  WireEvent event;
  WireHelloAck ack;
  if (received->header.type == WIRE_TYPE_EVENT)
    return wire_event_get(&event, received->payload, received->length) &&
           event.code == WIRE_EVENT_BOOT &&
           !(host->others.has_started && step == 0 && host->has_boot &&
             (uint32_t)event.value == host->boot_count);
  return received->header.type == WIRE_TYPE_HELLO_ACK &&
         wire_hello_ack_get(&ack, received->payload, received->length) && host->request.is_open &&
         host->request.type == WIRE_TYPE_HELLO && ack.request_seq == host->request.seq &&
         (is_old || (host->has_boot && ack.boot_count != host->boot_count));
}

static void begin_session(WireHost *host, const WireHelloAck *ack) {
  const uint8_t minor = ack->minor < host->hello_minor ? ack->minor : host->hello_minor;
  host->boot_count = ack->boot_count;
  host->has_boot = true;
  host->time_factor = ack->time_factor ? ack->time_factor : WIRE_TIME_FACTOR_REAL;
  host->minor = ack->major == WIRE_VERSION ? minor : 0;
  host->session_token = host->arming_token = ack->token;
  host->wraps = host->next_seq == 0 ? 1 : 0; /* HELLO had the number before */
}

static void note_session(WireHost *host, const WireIncoming *incoming) {
  WireEvent event;
  WireHelloAck ack;
  WireState state;
  if (incoming->type == WIRE_TYPE_EVENT && incoming->is_restart &&
      wire_event_get(&event, incoming->payload, incoming->length)) {
    host->boot_count = (uint32_t)event.value;
    host->has_boot = true;
  }
  if (incoming->type == WIRE_TYPE_HELLO_ACK &&
      wire_hello_ack_get(&ack, incoming->payload, incoming->length))
    begin_session(host, &ack);
  if (incoming->type == WIRE_TYPE_STATE &&
      wire_state_get(&state, incoming->payload, incoming->length))
    host->arming_token = state.token;
}

/* Counts the frame's number; false: a report that was there before. */
static bool is_fresh(WireHost *host, uint64_t now_us, const WireHeader *header,
                     WireIncoming *incoming) {
  WireHostCounters *c = &host->counters;
  const bool is_telem = incoming->type == WIRE_TYPE_TELEM;
  const bool is_new =
      is_telem ? track(host, &host->telem, now_us, header, &c->telem_lost, &incoming->lost)
               : track(host, &host->others, now_us, header, &c->others_lost, &incoming->lost);
  if (!is_new && is_report(incoming->type)) {
    c->doubled++;
    return false;
  }
  c->telem += is_telem;
  c->others += !is_telem;
  return true;
}

static bool take(WireHost *host, uint64_t now_us, const WireReceived *received,
                 WireIncoming *incoming) {
  memset(incoming, 0, sizeof *incoming);
  if (!is_ours(host, received))
    return false;
  incoming->type = received->header.type;
  incoming->payload = received->payload;
  incoming->length = received->length;
  incoming->is_restart = is_restart(host, received);
  if (incoming->is_restart)
    restart(host, now_us);
  if (!is_fresh(host, now_us, &received->header, incoming))
    return false;
  if (received->length < (size_t)size_of(incoming->type)) {
    host->counters.answers_odd++;
    return false;
  }
  incoming->t_us = unwrap(host, now_us, received->header.t_us);
  incoming->kind = WIRE_INCOMING_REPORT;
  if (!is_report(incoming->type) && !take_answer(host, now_us, incoming))
    return false;
  note_session(host, incoming);
  return true;
}

bool wire_host_next(WireHost *host, uint64_t now_us, const uint8_t **bytes, size_t *n,
                    WireIncoming *incoming) {
  WireReceived received;
  while (wire_decoder_next(&host->decoder, bytes, n, &received))
    if (take(host, now_us, &received, incoming))
      return true;
  return false;
}

void wire_host_disconnect(WireHost *host) {
  const uint8_t delimiter = WIRE_DELIMITER, *bytes = &delimiter;
  size_t n = 1;
  WireReceived received;
  host->request.is_open = host->stop.is_open = host->kill.is_open = false;
  if (wire_decoder_pending(&host->decoder) > 0)
    (void)wire_decoder_next(&host->decoder, &bytes, &n, &received);
  wire_sequence_init(&host->others);
  wire_sequence_init(&host->telem);
}
