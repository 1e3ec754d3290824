/* SPDX-License-Identifier: MIT */
/* A session as version 1 of the schema wrote it, made without src/io: never edit the texts. */
#ifndef ARMATURE_TESTS_SESSION_V1_H
#define ARMATURE_TESTS_SESSION_V1_H

#include <sqlite3.h>

#include "session_case.h"

static const char SESSION_V1[] =
    "PRAGMA page_size=16384;"
    "PRAGMA application_id=1095912819;"
    "BEGIN;"
    "CREATE TABLE meta (\n"
    "  key TEXT PRIMARY KEY CHECK (length(key) > 0),\n"
    "  value TEXT NOT NULL\n"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE arm (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  utc_us INTEGER NOT NULL,\n"
    "  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),\n"
    "  text TEXT NOT NULL\n"
    ") STRICT;"
    "CREATE TABLE plan (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  utc_us INTEGER NOT NULL,\n"
    "  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),\n"
    "  text TEXT NOT NULL\n"
    ") STRICT;"
    "CREATE TABLE steps (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  utc_us INTEGER NOT NULL,\n"
    "  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),\n"
    "  text TEXT NOT NULL\n"
    ") STRICT;"
    "CREATE TABLE connections (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  utc_us INTEGER NOT NULL,\n"
    "  t_host_ns INTEGER NOT NULL,\n"
    "  controller TEXT NOT NULL\n"
    ") STRICT;"
    "CREATE TABLE runs (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
    "  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),\n"
    "  joint INTEGER NOT NULL CHECK (joint BETWEEN 0 AND 32),\n"
    "  hold INTEGER NOT NULL CHECK (hold >= 0),\n"
    "  speed REAL,\n"
    "  started_us INTEGER NOT NULL,\n"
    "  ended_us INTEGER,\n"
    "  motion INTEGER NOT NULL CHECK (motion BETWEEN 0 AND 65535),\n"
    "  outcome TEXT\n"
    ") STRICT;"
    "CREATE TABLE chunks (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
    "  run INTEGER REFERENCES runs(id),\n"
    "  first_index INTEGER NOT NULL CHECK (first_index >= 0),\n"
    "  n INTEGER NOT NULL CHECK (n BETWEEN 1 AND 64),\n"
    "  t0_us INTEGER NOT NULL CHECK (t0_us >= 0),\n"
    "  data BLOB NOT NULL\n"
    ") STRICT;"
    "CREATE INDEX chunks_by_run ON chunks(run);"
    "CREATE TABLE raw (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
    "  t_host_ns INTEGER NOT NULL,\n"
    "  is_sent INTEGER NOT NULL CHECK (is_sent IN (0, 1)),\n"
    "  crc32 INTEGER NOT NULL,\n"
    "  bytes BLOB NOT NULL\n"
    ") STRICT;"
    "CREATE TABLE events (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
    "  run INTEGER REFERENCES runs(id),\n"
    "  t_host_ns INTEGER NOT NULL,\n"
    "  t_us INTEGER NOT NULL,\n"
    "  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),\n"
    "  joint INTEGER NOT NULL CHECK (joint BETWEEN 0 AND 32),\n"
    "  motion INTEGER NOT NULL CHECK (motion BETWEEN 0 AND 65535),\n"
    "  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 2),\n"
    "  value INTEGER NOT NULL,\n"
    "  text TEXT NOT NULL,\n"
    "  detail TEXT\n"
    ") STRICT;"
    "CREATE TABLE fits (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  utc_us INTEGER NOT NULL,\n"
    "  program TEXT NOT NULL,\n"
    "  dataset_sha256 TEXT NOT NULL CHECK (length(dataset_sha256) = 64),\n"
    "  options TEXT NOT NULL,\n"
    "  parameters TEXT NOT NULL\n"
    ") STRICT;"
    "INSERT INTO meta VALUES ('program', 'test 1'), ('uid', 'v1');"
    "INSERT INTO arm VALUES (1, 5,"
    " '923163a356cde157a9e561e3c4e5f0426e253a070c0dcabe807e3147da84e024', '{\"joints\": 1}');"
    "INSERT INTO plan SELECT * FROM arm;"
    "INSERT INTO steps SELECT * FROM arm;"
    "INSERT INTO connections VALUES (1, 1700000000000000, 123456789, '{}');"
    "INSERT INTO runs VALUES (1, 1, 'sweep', 1, 2, 0.25, 1700000000100000, NULL, 7, NULL);"
    /* 1 joint, samples 0 and 1 of session_sample */
    "INSERT INTO chunks VALUES (1, 1, 1, 0, 2, 0,"
    " X'4143483183524f3d02000107000000000000000000000000000000000000000000000000"
    "00000000e803000000000000050000000000000045420f000000000002000200070007000101"
    "000000002500000000000000ffffffff00000000581b000000000100');"
    "INSERT INTO raw VALUES (1, 1, 5, 0, 0xe8b7be43, X'61');"
    "INSERT INTO events VALUES (1, 1, 1, 9, 8, 'fault', 1, 7, 2, 32, 'over-current', NULL);"
    "INSERT INTO fits VALUES (1, 6, 'test 1', '" SESSION_DIGEST "', '{}', '{}');"
    "PRAGMA user_version=1;"
    "COMMIT;";

static inline void session_make(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_close(db), ==, SQLITE_OK);
}

static inline void session_v1_make(const char *path) {
  session_make(path, SESSION_V1);
}

#endif
