/* SPDX-License-Identifier: MIT */
/* Which programs have a device open. */
#ifndef ARMATURE_IO_PORT_HOLDER_H
#define ARMATURE_IO_PORT_HOLDER_H

#include <glib.h>

/* "minicom (pid 812), ModemManager (pid 640)" from /proc, this program included; NULL: none that
 * this user may see. `device` may be a symbolic link. Reads a link per open file of every process
 * (about 10 ms): not for each sample. Free with g_free. */
char *aio_port_holder(const char *device);

#endif
