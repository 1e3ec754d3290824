/* SPDX-License-Identifier: MIT */
/* Messages as lines of text, by the lists of wire/layout.h: what a device was sent and what it
 * said, for people to read. */
#ifndef ARMATURE_TESTS_WIRE_TRANSCRIPT_H
#define ARMATURE_TESTS_WIRE_TRANSCRIPT_H

#include <stdio.h>

#include "rig.h"

/* Of a word that stands for a number, or of digits. */
typedef long long (*TranscriptNumber)(void *ctx, const char *word);

/* The type of the message with this name, or that this number is. */
uint16_t transcript_type(const char *name);

/* Words, separated by spaces, into the payload of a message of this type: its fields in their
 * order, then what is repeated in it (words of 4 bytes of an upload; bytes, where nothing is).
 * Returns its length. `words` is cut up. */
size_t transcript_payload(uint16_t type, char *words, TranscriptNumber number, void *ctx,
                          uint8_t *payload);

/* "< #number TYPE field=value ..." */
void transcript_print(FILE *out, const RigFrame *frame);

#endif
