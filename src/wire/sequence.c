/* SPDX-License-Identifier: MIT */
#include "wire/sequence.h"

void wire_sequence_init(WireSequence *sequence) {
  const WireSequence empty = {0, 0, 0, 0, false};
  *sequence = empty;
}

WireSequenceKind wire_sequence_push(WireSequence *sequence, uint16_t seq) {
  const uint16_t step = (uint16_t)(seq - sequence->last);
  if (sequence->has_started && step == 0) {
    sequence->repeated++;
    return WIRE_SEQUENCE_REPEAT;
  }
  if (sequence->has_started && step >= 0x8000u) {
    sequence->old++;
    return WIRE_SEQUENCE_OLD;
  }
  const bool has_gap = sequence->has_started && step > 1;
  if (has_gap)
    sequence->lost += step - 1u;
  sequence->last = seq;
  sequence->has_started = true;
  return has_gap ? WIRE_SEQUENCE_GAP : WIRE_SEQUENCE_NEXT;
}
