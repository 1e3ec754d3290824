/* SPDX-License-Identifier: MIT */
/* Follows one 16-bit sequence: what is lost shows as a gap, exactly, as long as fewer than 32768
 * frames are lost in a row. One tracker belongs to one direction and kind of frame. */
#ifndef ARMATURE_WIRE_SEQUENCE_H
#define ARMATURE_WIRE_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  WIRE_SEQUENCE_NEXT,   /* the number expected, or the first one */
  WIRE_SEQUENCE_GAP,    /* newer than expected: what is between was lost */
  WIRE_SEQUENCE_REPEAT, /* the last one again */
  WIRE_SEQUENCE_OLD     /* older than the last one */
} WireSequenceKind;

typedef struct {
  uint64_t lost;     /* numbers that never came */
  uint64_t repeated; /* the last number again */
  uint64_t old;      /* older numbers; they do not reduce lost */
  uint16_t last;
  bool has_started;
} WireSequence;

/* Forgets everything: at a new connection or after a reboot of the sender. */
void wire_sequence_init(WireSequence *sequence);

/* Takes the number of one received frame and counts. An old or repeated number changes nothing but
 * its counter. */
WireSequenceKind wire_sequence_push(WireSequence *sequence, uint16_t seq);

#endif
