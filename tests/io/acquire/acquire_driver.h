/* SPDX-License-Identifier: MIT */
/* The driver of the rig. */
#ifndef ARMATURE_TESTS_ACQUIRE_DRIVER_H
#define ARMATURE_TESTS_ACQUIRE_DRIVER_H

#include "io/driver/driver.h"

extern const AioDriverClass rig_driver;

#endif
