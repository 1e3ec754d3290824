/* SPDX-License-Identifier: MIT */
/* The registry of a program that knows the invented controller too, instead of driver_list.c. */
#include "abacus.h"
#include "io/driver/native/driver_native.h"
#include "io/registry/driver_registry.h"

const AioDriverClass *const aio_driver_list[] = {&aio_driver_native, &abacus_driver, NULL};
