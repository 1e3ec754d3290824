/* SPDX-License-Identifier: MIT */
/* Faults on demand: what docs/protocol.md section 8 calls TEST, by name, and when they hold. Times
 * are device time since power-up. */
#ifndef ARMATURE_SIM_FAULT_H
#define ARMATURE_SIM_FAULT_H

#include <glib.h>
#include <stdbool.h>

#include "wire/message.h"

enum { ASIM_FAULTS_MAX = 64 };

typedef struct {
  WireTest test; /* joint from 1; 0: every joint */
  double at_s;   /* when it begins, >= 0 */
} AsimFault;

/* "bit-errors=100,for=2,at=3.5": NAME[=VALUE][,joint=J][,at=SECONDS][,for=SECONDS], as
 * docs/simulator.md describes. AIO_ERROR_MEANING with what was expected; *fault is then untouched.
 */
bool asim_fault_parse(AsimFault *fault, const char *text, GError **error);

/* A kind, value and joint that an arm of n joints can be given. */
bool asim_fault_is_valid(const WireTest *test, gsize n_joints);

typedef struct {
  WireTest test;
  gint64 from_us, until_us; /* until_us G_MAXINT64: until further notice */
  bool is_done;             /* for what happens once */
} AsimPlanted;

typedef struct {
  gsize n;
  AsimPlanted planted[ASIM_FAULTS_MAX]; /* in the order in which they were planted */
} AsimFaults;

/* false: too many wait already. */
bool asim_faults_plant(AsimFaults *faults, const WireTest *test, gint64 from_us, gint64 now_us);

/* The fault of this kind that holds now, or NULL. The one that began last decides, of two that
 * began together the one planted later: so a fault of 1 ms ends one that was until further notice.
 *   joint  from 1; 0 for kinds without a joint */
AsimPlanted *asim_faults_find(AsimFaults *faults, guint16 kind, guint joint, gint64 now_us);

#endif
