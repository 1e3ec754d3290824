/* SPDX-License-Identifier: MIT */
/* A folder for one test. */
#ifndef ARMATURE_TESTS_SESSION_FOLDER_H
#define ARMATURE_TESTS_SESSION_FOLDER_H

char *folder_new(void);

/* Removes it with all that is in it, and frees its path. */
void folder_free(char *path);

#endif
