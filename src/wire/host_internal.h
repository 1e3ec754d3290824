/* SPDX-License-Identifier: MIT */
/* Shared by host.c and host_answer.c only. */
#ifndef ARMATURE_WIRE_HOST_INTERNAL_H
#define ARMATURE_WIRE_HOST_INTERNAL_H

#include "wire/host.h"

/* The answer, whose number is that of the exchange, is of the type and, if it is a refusal that
 * says so, of the very request. */
bool wire_host_fits(const WireIncoming *incoming, const WireExchange *exchange);

/* The answer is to a request that this host has not sent: it is counted. */
bool wire_host_is_foreign(WireHost *host, const WireIncoming *incoming);

#endif
