/* SPDX-License-Identifier: MIT */
/* Which drivers there are, and which one speaks to what is at a port. A new driver adds its files
 * and one line in driver_list.c; nothing else names it.
 *
 * It is chosen by the name that somebody gives; else by the name in the arm file; else, where there
 * is more than one, by asking: in the order of the list each probes by reading only, and the first
 * one that is answered has it (io/acquire/acquire.h). Where none is answered the first of the list
 * is taken, whose complaint is then shown. */
#ifndef ARMATURE_IO_DRIVER_REGISTRY_H
#define ARMATURE_IO_DRIVER_REGISTRY_H

#include "io/arm/arm_file.h"
#include "io/driver/driver.h"

/* In the order in which they are probed, NULL at the end; never empty. Tests link a list of their
 * own. */
extern const AioDriverClass *const aio_driver_list[];

/* "native, bus": g_free. */
char *aio_driver_names(void);

/* NULL: AIO_ERROR_NOT_FOUND, "expected one of native, bus, found \"x\"". */
const AioDriverClass *aio_driver_find(const char *name, GError **error);

/* What the arm file says to a driver; arm NULL: nothing. false: AIO_ERROR_MEANING, an
 * x_armature_ key with a wrong value; *out untouched. */
bool aio_driver_context_of(AioDriverContext *out, const AioArm *arm, GError **error);

/* *out NULL: to be found out by asking.
 *   name  that somebody has given; NULL: nobody
 * false: the error of aio_driver_find, AIO_ERROR_MEANING where the arm file has the name; *out
 * untouched. */
bool aio_driver_choose(const char *name, const AioDriverContext *context,
                       const AioDriverClass **out, GError **error);

/* The rate at which a port is opened when nobody has stated one. klass NULL: it is not known yet
 * what is there. */
guint aio_driver_baud(const AioDriverClass *klass);

#endif
