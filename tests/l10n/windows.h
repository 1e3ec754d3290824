/* SPDX-License-Identifier: MIT */
/* Cases: everything that opens beside a page, in one language. */
#ifndef ARMATURE_TESTS_L10N_WINDOWS_H
#define ARMATURE_TESTS_L10N_WINDOWS_H

#include "ui/application.h"

void windows_add_cases(AuiApplication *application, const char *locale);

#endif
