/* SPDX-License-Identifier: MIT */
/* Whose answer is it? */
#include "wire/bytes.h"
#include "wire/host_internal.h"

enum { AHEAD = 0x4000 }; /* numbers that are to come */

static uint16_t answer_type(uint16_t request) {
  switch (request) {
  case WIRE_TYPE_HELLO:
    return WIRE_TYPE_HELLO_ACK;
  case WIRE_TYPE_STATE_GET:
    return WIRE_TYPE_STATE;
  case WIRE_TYPE_JOINT_GET:
    return WIRE_TYPE_JOINT;
  case WIRE_TYPE_SCHEMA_GET:
    return WIRE_TYPE_SCHEMA;
  case WIRE_TYPE_PARAM_GET:
  case WIRE_TYPE_PARAM_SET:
    return WIRE_TYPE_PARAM_VALUE;
  case WIRE_TYPE_UPLOAD_BEGIN:
  case WIRE_TYPE_UPLOAD_DATA:
  case WIRE_TYPE_UPLOAD_ABORT:
    return WIRE_TYPE_UPLOAD_STATE;
  case WIRE_TYPE_COMMIT:
  case WIRE_TYPE_DIGEST_GET:
    return WIRE_TYPE_DIGEST;
  case WIRE_TYPE_SUBSCRIBE:
    return WIRE_TYPE_SUBSCRIBED;
  default:
    return WIRE_TYPE_ACK;
  }
}

/* A refusal of minor 1 says which request it was to the bit. */
static bool has_crc(const WireIncoming *incoming, uint32_t crc) {
  const size_t at = WIRE_SIZE_REFUSED;
  return incoming->length < at + WIRE_SIZE_REQUEST_CRC ||
         wire_get_u32(incoming->payload + at) == crc;
}

/* ACK and REFUSED say which type they answer; the others have one each. */
bool wire_host_fits(const WireIncoming *incoming, const WireExchange *exchange) {
  const bool is_refused = incoming->type == WIRE_TYPE_REFUSED;
  if (incoming->type != WIRE_TYPE_ACK && !is_refused)
    return incoming->type == answer_type(exchange->type);
  return wire_get_u16(incoming->payload + 2) == exchange->sent_type &&
         (is_refused ? has_crc(incoming, exchange->crc)
                     : answer_type(exchange->type) == WIRE_TYPE_ACK);
}

/* How a device refuses what is not of this session or arming. */
static bool is_displaced(uint16_t code) {
  return code == WIRE_CODE_TOKEN || code == WIRE_CODE_SEQUENCE || code == WIRE_CODE_NOT_ARMED ||
         code == WIRE_CODE_LOCKED;
}

static bool is_known(const WireHost *host, const WireIncoming *refused, uint16_t seq) {
  return (seq == host->request.seq && has_crc(refused, host->request.crc)) ||
         (seq == host->previous_seq && has_crc(refused, host->previous_crc));
}

/* A number that this host has not reached yet; an older controller may even have obeyed. */
static bool is_ahead(const WireHost *host, uint16_t seq) {
  return host->has_boot && (uint16_t)(seq - host->next_seq) < AHEAD;
}

/* Of a request that this host has not sent: refused because of that, or with a number to come, or a
 * STOP or KILL, or a HELLO that began a session with another token. */
static bool is_foreign(const WireHost *host, const WireIncoming *incoming) {
  const uint16_t seq = wire_get_u16(incoming->payload);
  const uint16_t urgent = (uint16_t)(host->next_urgent_seq - host->first_urgent_seq);
  WireHelloAck hello;
  WireRefused refused;
  WireAck ack;
  if (incoming->type == WIRE_TYPE_REFUSED)
    return wire_refused_get(&refused, incoming->payload, incoming->length) &&
           (is_displaced(refused.code) || is_ahead(host, seq)) && !is_known(host, incoming, seq);
  if (incoming->type == WIRE_TYPE_ACK && wire_ack_get(&ack, incoming->payload, incoming->length))
    return ack.request_type == WIRE_TYPE_STOP || ack.request_type == WIRE_TYPE_KILL
               ? (uint16_t)(seq - host->first_urgent_seq) >= urgent
               : is_ahead(host, seq);
  return incoming->type == WIRE_TYPE_HELLO_ACK && host->minor > 0 &&
         wire_hello_ack_get(&hello, incoming->payload, incoming->length) &&
         hello.token != host->session_token;
}

bool wire_host_is_foreign(WireHost *host, const WireIncoming *incoming) {
  const bool is_hello = incoming->type == WIRE_TYPE_HELLO_ACK;
  if (!is_foreign(host, incoming))
    return false;
  host->counters.foreign++;
  host->foreign_type =
      is_hello ? WIRE_TYPE_HELLO
               : (uint16_t)(wire_get_u16(incoming->payload + 2) & ~(unsigned)WIRE_GUARDED);
  return true;
}
