/* SPDX-License-Identifier: MIT */
/* One request of every kind but HELLO, STOP and KILL, as a recording of the line would have it. */
#ifndef ARMATURE_TESTS_WIRE_REQUESTS_H
#define ARMATURE_TESTS_WIRE_REQUESTS_H

#include "wire/message.h"

enum { REQUEST_KINDS = 21, REQUEST_ROOM = 64 };

typedef struct {
  uint16_t type; /* without WIRE_GUARDED */
  uint8_t payload[REQUEST_ROOM];
  size_t n;
} Frame;

/* The device it is for: what makes a request one that would be served. */
typedef struct {
  uint32_t schema_crc, digest, token;
  uint16_t param; /* to be set to value */
  uint32_t value;
  uint16_t set_bytes;
} RequestTarget;

/* kind 0 .. REQUEST_KINDS - 1; the motions first. */
Frame request_of_kind(unsigned kind, const RequestTarget *target);

#endif
