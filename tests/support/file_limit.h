/* SPDX-License-Identifier: MIT */
/* A full disk, for this process alone. */
#ifndef ARMATURE_TESTS_FILE_LIMIT_H
#define ARMATURE_TESTS_FILE_LIMIT_H

/* No file of this process may grow beyond this many bytes; 0: as large as before. Whoever writes
 * gets EFBIG, not a signal. */
void test_limit_files(unsigned long bytes);

#endif
