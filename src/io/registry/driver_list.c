/* SPDX-License-Identifier: MIT */
/* The list, and nothing else, so that a test can link another one. */
#include "io/registry/driver_registry.h"

#include "io/driver/native/driver_native.h"

const AioDriverClass *const aio_driver_list[] = {&aio_driver_native, NULL};
