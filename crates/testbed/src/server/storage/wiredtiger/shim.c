/*
 * WiredTiger's API as plain functions. Its handles are structures of function pointers that change between
 * releases: here their layout comes from the header of the release that is linked.
 *
 * Each function gives 0 or WiredTiger's error. Keys and values are only read during the call.
 */
#include <stdio.h>
#include <string.h>
#include <wiredtiger.h>

/* The errors that ffi.rs tells apart. */
_Static_assert(WT_ROLLBACK == -31800, "WT_ROLLBACK");
_Static_assert(WT_DUPLICATE_KEY == -31801, "WT_DUPLICATE_KEY");
_Static_assert(WT_NOTFOUND == -31803, "WT_NOTFOUND");

static void set_key(WT_CURSOR *cursor, const void *key, size_t key_size)
{
    WT_ITEM item;
    memset(&item, 0, sizeof item);
    item.data = key;
    item.size = key_size;
    cursor->set_key(cursor, &item);
}

static void set_value(WT_CURSOR *cursor, const void *value, size_t value_size)
{
    WT_ITEM item;
    memset(&item, 0, sizeof item);
    item.data = value;
    item.size = value_size;
    cursor->set_value(cursor, &item);
}

/* Whether the calling thread is opening a database: the error that this gives says what is wrong, in one line. */
static __thread int opening;

/* What fails in the background has no caller to tell. */
static int on_error(WT_EVENT_HANDLER *handler, WT_SESSION *session, int error, const char *message)
{
    (void)handler, (void)session, (void)error;
    if (!opening)
        fprintf(stderr, "cede: WiredTiger: %s\n", message);
    return 0;
}

/* News of how far it is, which would go to standard output. */
static int on_message(WT_EVENT_HANDLER *handler, WT_SESSION *session, const char *message)
{
    (void)handler, (void)session, (void)message;
    return 0;
}

int cede_wt_open(const char *home, const char *config, WT_CONNECTION **connection)
{
    static WT_EVENT_HANDLER handler = {.handle_error = on_error, .handle_message = on_message};
    opening = 1;
    int error = wiredtiger_open(home, &handler, config, connection);
    opening = 0;
    return error;
}

int cede_wt_close(WT_CONNECTION *connection)
{
    return connection->close(connection, NULL);
}

int cede_wt_open_session(WT_CONNECTION *connection, const char *config, WT_SESSION **session)
{
    return connection->open_session(connection, NULL, config, session);
}

/* Also closes the session's cursors, and rolls back its transaction. */
int cede_wt_close_session(WT_SESSION *session)
{
    return session->close(session, NULL);
}

int cede_wt_create(WT_SESSION *session, const char *uri, const char *config)
{
    return session->create(session, uri, config);
}

int cede_wt_begin(WT_SESSION *session)
{
    return session->begin_transaction(session, NULL);
}

int cede_wt_commit(WT_SESSION *session)
{
    return session->commit_transaction(session, NULL);
}

int cede_wt_rollback(WT_SESSION *session)
{
    return session->rollback_transaction(session, NULL);
}

int cede_wt_open_cursor(WT_SESSION *session, const char *uri, const char *config, WT_CURSOR **cursor)
{
    return session->open_cursor(session, uri, NULL, config, cursor);
}

int cede_wt_search(WT_CURSOR *cursor, const void *key, size_t key_size)
{
    set_key(cursor, key, key_size);
    return cursor->search(cursor);
}

int cede_wt_next(WT_CURSOR *cursor)
{
    return cursor->next(cursor);
}

/* The value stays where it is until the cursor moves or the transaction ends. */
int cede_wt_value(WT_CURSOR *cursor, const void **value, size_t *value_size)
{
    WT_ITEM item;
    int error = cursor->get_value(cursor, &item);
    if (error == 0) {
        *value = item.data;
        *value_size = item.size;
    }
    return error;
}

/* For tables whose keys are strings; the key stays where it is until the cursor moves. */
int cede_wt_text_key(WT_CURSOR *cursor, const char **key)
{
    return cursor->get_key(cursor, key);
}

int cede_wt_insert(WT_CURSOR *cursor, const void *key, size_t key_size, const void *value, size_t value_size)
{
    set_key(cursor, key, key_size);
    set_value(cursor, value, value_size);
    return cursor->insert(cursor);
}

/* Changes the record that the cursor is at. */
int cede_wt_replace(WT_CURSOR *cursor, const void *value, size_t value_size)
{
    set_value(cursor, value, value_size);
    return cursor->update(cursor);
}

int cede_wt_remove(WT_CURSOR *cursor, const void *key, size_t key_size)
{
    set_key(cursor, key, key_size);
    return cursor->remove(cursor);
}

/* Removes all records from the one that the cursor is at. */
int cede_wt_truncate_from(WT_SESSION *session, WT_CURSOR *cursor)
{
    return session->truncate(session, NULL, cursor, NULL, NULL);
}
