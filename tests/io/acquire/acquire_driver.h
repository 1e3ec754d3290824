/* SPDX-License-Identifier: MIT */
/* The driver of the rig, an AioDriverNew. */
#ifndef ARMATURE_TESTS_ACQUIRE_DRIVER_H
#define ARMATURE_TESTS_ACQUIRE_DRIVER_H

#include "io/driver/driver.h"

AioDriver *rig_driver_new(const AioSink *sink, void *sink_ctx, guint32 host_id);

#endif
