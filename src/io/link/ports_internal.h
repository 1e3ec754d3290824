/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_PORTS_INTERNAL_H
#define ARMATURE_IO_PORTS_INTERNAL_H

#include "io/link/ports.h"

/* aio_ports_list with /sys and /dev below `root` ("/" for the real ones); paths in the result are
 * without it. */
GPtrArray *aio_ports_list_below(const char *root);

#endif
