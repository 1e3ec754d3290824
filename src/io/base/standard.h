/* SPDX-License-Identifier: MIT */
/* Standard input, output and error of a program that was started without some of them. */
#ifndef ARMATURE_IO_STANDARD_H
#define ARMATURE_IO_STANDARD_H

/* Takes those of the descriptors 0, 1 and 2 that are closed, so that no file or port opened later
 * gets the number, and with it what is printed. Reading and writing them fails as before (EBADF).
 * To be called first of all. */
void aio_standard_fill(void);

#endif
