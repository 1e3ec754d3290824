/* SPDX-License-Identifier: MIT */
/* What a driver reports, as a row of the table events. */
#ifndef ARMATURE_IO_STORE_EVENT_H
#define ARMATURE_IO_STORE_EVENT_H

#include "io/driver/driver.h"
#include "io/store/store.h"

/* The fields that belong to one kind only become the JSON of the column detail, see
 * docs/session-file.md. Errors as aio_store_add_event. */
bool aio_store_add_driver_event(AioStore *store, gint64 connection, gint64 run,
                                const AioEvent *event, GError **error);

#endif
