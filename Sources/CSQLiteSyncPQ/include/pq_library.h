// libpq, PostgreSQL's own client, loaded when the first connection is made. Its headers are not
// needed: what is used of it has not changed since 9.6, and is declared here
// (https://www.postgresql.org/docs/15/libpq.html).
#ifndef PQ_LIBRARY_H
#define PQ_LIBRARY_H

#include <stddef.h>

/// A connection (PGconn).
typedef struct pq_connection pq_connection;
/// What a command returned (PGresult).
typedef struct pq_result pq_result;

/// A notification (PGnotify).
typedef struct pq_notification {
  const char *_Nonnull channel;
  int backend;
  const char *_Nonnull payload;
  struct pq_notification *_Nullable next;
} pq_notification;

/// What is done with a notice (PQnoticeProcessor).
typedef void (*pq_notice_processor)(void *_Nullable argument, const char *_Nonnull message);

/// Values of ConnStatusType.
enum { PQ_CONNECTION_OK = 0, PQ_CONNECTION_BAD = 1 };
/// Values of PostgresPollingStatusType.
enum { PQ_POLLING_FAILED = 0, PQ_POLLING_READING = 1, PQ_POLLING_WRITING = 2, PQ_POLLING_OK = 3 };
/// Values of ExecStatusType.
enum { PQ_COMMAND_OK = 1, PQ_TUPLES_OK = 2 };
/// Fields of an error (PG_DIAG_…).
enum { PQ_SEVERITY = 'V', PQ_STATE = 'C', PQ_MESSAGE = 'M' };

/// Type, name, and parameters of each function that is used.
#define PQ_LIBRARY_FUNCTIONS(each) \
  each(pq_connection *_Nullable, PQconnectStartParams, \
       (const char *_Nullable const *_Nonnull keywords, \
        const char *_Nullable const *_Nonnull values, int expands_database)) \
  each(int, PQconnectPoll, (pq_connection *_Nonnull)) \
  each(int, PQstatus, (const pq_connection *_Nonnull)) \
  each(int, PQsocket, (const pq_connection *_Nonnull)) \
  each(int, PQconnectionNeedsPassword, (const pq_connection *_Nonnull)) \
  each(int, PQsetnonblocking, (pq_connection *_Nonnull, int)) \
  each(char *_Nullable, PQerrorMessage, (const pq_connection *_Nonnull)) \
  each(void, PQfinish, (pq_connection *_Nonnull)) \
  each(pq_notice_processor _Nullable, PQsetNoticeProcessor, \
       (pq_connection *_Nonnull, pq_notice_processor _Nullable, void *_Nullable)) \
  each(int, PQsendQuery, (pq_connection *_Nonnull, const char *_Nonnull)) \
  each(int, PQsendQueryParams, \
       (pq_connection *_Nonnull, const char *_Nonnull command, int count, \
        const unsigned *_Nullable types, const char *_Nullable const *_Nullable values, \
        const int *_Nullable lengths, const int *_Nullable formats, int result_format)) \
  each(int, PQflush, (pq_connection *_Nonnull)) \
  each(int, PQconsumeInput, (pq_connection *_Nonnull)) \
  each(int, PQisBusy, (pq_connection *_Nonnull)) \
  each(pq_result *_Nullable, PQgetResult, (pq_connection *_Nonnull)) \
  each(int, PQresultStatus, (const pq_result *_Nonnull)) \
  each(char *_Nullable, PQresultErrorField, (const pq_result *_Nonnull, int)) \
  each(char *_Nonnull, PQcmdTuples, (pq_result *_Nonnull)) \
  each(int, PQntuples, (const pq_result *_Nonnull)) \
  each(int, PQnfields, (const pq_result *_Nonnull)) \
  each(char *_Nullable, PQgetvalue, (const pq_result *_Nonnull, int, int)) \
  each(int, PQgetlength, (const pq_result *_Nonnull, int, int)) \
  each(int, PQgetisnull, (const pq_result *_Nonnull, int, int)) \
  each(void, PQclear, (pq_result *_Nonnull)) \
  each(pq_notification *_Nullable, PQnotifies, (pq_connection *_Nonnull)) \
  each(void, PQfreemem, (void *_Nonnull))

/// The functions that are used, by their own names.
typedef struct {
#define PQ_LIBRARY_MEMBER(type, name, parameters) type(*_Nonnull name) parameters;
  PQ_LIBRARY_FUNCTIONS(PQ_LIBRARY_MEMBER)
#undef PQ_LIBRARY_MEMBER
} pq_library;

/// Loads a shared library and fills in its functions; false when it is not there or lacks one.
_Bool pq_library_load(const char *_Nonnull file, pq_library *_Nonnull library);

#endif
