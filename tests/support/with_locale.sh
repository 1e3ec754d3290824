#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs one test program with use_locale.c preloaded (see `dev test --locale`).
exec env LD_PRELOAD="$ARMATURE_PRELOAD" "$@"
