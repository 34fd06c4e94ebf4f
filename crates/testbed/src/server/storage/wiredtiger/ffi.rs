//! WiredTiger's handles, made safe: a session is used by one thread at a time and outlived by its connection, a cursor
//! is only used inside a transaction, and what it shows is gone before it moves.
#![allow(
    unsafe_code,
    reason = "the border to a C library; shim.c says what each function does"
)]

use std::{
    collections::HashMap,
    ffi::{CStr, CString, c_char, c_int, c_void},
    fmt, io, ptr,
    sync::Arc,
};

use thiserror::Error;

/// The errors that are told apart; shim.c compares the numbers with the header's.
const ROLLBACK: c_int = -31_800;
const DUPLICATE_KEY: c_int = -31_801;
const NOT_FOUND: c_int = -31_803;
/// EINVAL (errno(3)).
const INVALID: c_int = 22;

/// Keys and values are bytes; keys are in the order of memcmp(3).
const TABLE: &CStr = c"key_format=u,value_format=u";
/// Inserts refuse keys that are taken.
const CURSOR: &CStr = c"overwrite=false";
/// What is there, by names: strings, as its values.
const METADATA: &CStr = c"metadata:";
/// What the names of tables begin with.
const SCHEME: &str = "table:";
const SESSION: &CStr = c"isolation=snapshot";

#[repr(C)]
struct RawConnection([u8; 0]);
#[repr(C)]
struct RawSession([u8; 0]);
#[repr(C)]
struct RawCursor([u8; 0]);

unsafe extern "C" {
    fn cede_wt_open(home: *const c_char, config: *const c_char, connection: *mut *mut RawConnection)
    -> c_int;
    fn cede_wt_close(connection: *mut RawConnection) -> c_int;
    fn cede_wt_open_session(
        connection: *mut RawConnection,
        config: *const c_char,
        session: *mut *mut RawSession,
    ) -> c_int;
    fn cede_wt_close_session(session: *mut RawSession) -> c_int;
    fn cede_wt_create(session: *mut RawSession, uri: *const c_char, config: *const c_char) -> c_int;
    fn cede_wt_begin(session: *mut RawSession) -> c_int;
    fn cede_wt_commit(session: *mut RawSession) -> c_int;
    fn cede_wt_rollback(session: *mut RawSession) -> c_int;
    fn cede_wt_open_cursor(
        session: *mut RawSession,
        uri: *const c_char,
        config: *const c_char,
        cursor: *mut *mut RawCursor,
    ) -> c_int;
    fn cede_wt_search(cursor: *mut RawCursor, key: *const c_void, key_size: usize) -> c_int;
    fn cede_wt_next(cursor: *mut RawCursor) -> c_int;
    fn cede_wt_value(cursor: *mut RawCursor, value: *mut *const c_void, value_size: *mut usize) -> c_int;
    fn cede_wt_text_key(cursor: *mut RawCursor, key: *mut *const c_char) -> c_int;
    fn cede_wt_insert(
        cursor: *mut RawCursor,
        key: *const c_void,
        key_size: usize,
        value: *const c_void,
        value_size: usize,
    ) -> c_int;
    fn cede_wt_replace(cursor: *mut RawCursor, value: *const c_void, value_size: usize) -> c_int;
    fn cede_wt_remove(cursor: *mut RawCursor, key: *const c_void, key_size: usize) -> c_int;
    fn cede_wt_truncate_from(session: *mut RawSession, cursor: *mut RawCursor) -> c_int;
    fn wiredtiger_strerror(error: c_int) -> *const c_char;
}

/// What WiredTiger refused or failed at.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub struct Failure(c_int);

impl Failure {
    /// Whether another transaction was in the way, so that the same one may succeed when it is tried again.
    pub(super) fn is_conflict(self) -> bool {
        self.0 == ROLLBACK
    }

    /// The system's error, if it is one.
    pub(super) fn system(self) -> Option<io::Error> {
        (self.0 > 0).then(|| io::Error::from_raw_os_error(self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.system() {
            return error.fmt(f);
        }
        // SAFETY: takes any number. A static text for its own errors, which this is: those of the system are above.
        let text = unsafe { wiredtiger_strerror(self.0) };
        // SAFETY: that text ends with a zero and is never changed.
        let text = unsafe { CStr::from_ptr(text) };
        f.write_str(&text.to_string_lossy())
    }
}

fn done(code: c_int) -> Result<(), Failure> {
    if code == 0 { Ok(()) } else { Err(Failure(code)) }
}

/// Whether it was done; not if WiredTiger says `unless`.
fn done_unless(unless: c_int, code: c_int) -> Result<bool, Failure> {
    if code == unless {
        return Ok(false);
    }
    done(code).map(|()| true)
}

/// An open database. Dropping it closes it, with a checkpoint.
#[derive(Debug)]
pub(super) struct Connection(*mut RawConnection);

// SAFETY: many threads may use a connection at a time (wiredtiger.h, "Thread safety" of WT_CONNECTION).
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Sync for Connection {}

impl Connection {
    pub(super) fn open(home: &CStr, config: &CStr) -> Result<Self, Failure> {
        let mut connection = ptr::null_mut();
        // SAFETY: two texts that end with a zero, and a place for the result.
        done(unsafe { cede_wt_open(home.as_ptr(), config.as_ptr(), &raw mut connection) })?;
        Ok(Self(connection))
    }

    pub(super) fn session(self: &Arc<Self>) -> Result<Session, Failure> {
        let mut session = ptr::null_mut();
        // SAFETY: the connection is open until it is dropped.
        done(unsafe { cede_wt_open_session(self.0, SESSION.as_ptr(), &raw mut session) })?;
        Ok(Session {
            raw: session,
            cursors: HashMap::new(),
            _connection: Arc::clone(self),
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: open, and by now without sessions: each of them keeps the connection.
        // What fails here is recovered from the log when the database is opened again.
        let _failed = unsafe { cede_wt_close(self.0) };
    }
}

/// A table whose keys and values are bytes.
#[derive(Debug)]
pub(super) struct Table {
    uri: CString,
}

/// What one thread at a time works with. It keeps a cursor for each table that it has used.
#[derive(Debug)]
pub(super) struct Session {
    raw: *mut RawSession,
    cursors: HashMap<CString, *mut RawCursor>,
    _connection: Arc<Connection>,
}

// SAFETY: different threads may use a session and its cursors, one at a time (the same of WT_SESSION and WT_CURSOR): all
// methods take the session by a unique reference.
unsafe impl Send for Session {}

impl Session {
    /// The table named `name`, which is made if there is none.
    pub(super) fn table(&mut self, name: &str) -> Result<Table, Failure> {
        let uri = CString::new(format!("{SCHEME}{name}")).map_err(|_| Failure(INVALID))?;
        // SAFETY: the session is open until it is dropped, and both texts end with a zero.
        done(unsafe { cede_wt_create(self.raw, uri.as_ptr(), TABLE.as_ptr()) })?;
        Ok(Table { uri })
    }

    /// The names of all tables.
    pub(super) fn table_names(&mut self) -> Result<Vec<String>, Failure> {
        let cursor = self.open_cursor(METADATA)?;
        let mut names = Vec::new();
        loop {
            // SAFETY: the cursor is open as long as its session.
            if !done_unless(NOT_FOUND, unsafe { cede_wt_next(cursor) })? {
                return Ok(names);
            }
            let mut key = ptr::null();
            // SAFETY: the cursor is open and at a record, whose key is a string.
            done(unsafe { cede_wt_text_key(cursor, &raw mut key) })?;
            // SAFETY: it ends with a zero, and stays until the cursor moves.
            let key = unsafe { CStr::from_ptr(key) }.to_string_lossy();
            names.extend(key.strip_prefix(SCHEME).map(ToOwned::to_owned));
        }
    }

    fn open_cursor(&mut self, uri: &CStr) -> Result<*mut RawCursor, Failure> {
        let mut cursor = ptr::null_mut();
        // SAFETY: the session is open, and both texts end with a zero.
        done(unsafe { cede_wt_open_cursor(self.raw, uri.as_ptr(), CURSOR.as_ptr(), &raw mut cursor) })?;
        Ok(cursor)
    }

    /// Begins a transaction; it is rolled back unless it is committed.
    pub(super) fn begin(&mut self) -> Result<Transaction<'_>, Failure> {
        // SAFETY: the session is open, and in no transaction: one would still borrow it.
        done(unsafe { cede_wt_begin(self.raw) })?;
        Ok(Transaction(self))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: open, and nothing of it is in use, since everything borrows it. Its cursors are closed with it.
        let _failed = unsafe { cede_wt_close_session(self.raw) };
    }
}

/// A transaction that is under way.
#[derive(Debug)]
pub(super) struct Transaction<'a>(&'a mut Session);

impl Transaction<'_> {
    /// The session's cursor of `table`, which is opened if there is none yet.
    pub(super) fn cursor(&mut self, table: &Table) -> Result<Cursor<'_>, Failure> {
        let raw = if let Some(&raw) = self.0.cursors.get(&table.uri) {
            raw
        } else {
            let raw = self.0.open_cursor(&table.uri)?;
            self.0.cursors.insert(table.uri.clone(), raw);
            raw
        };
        Ok(Cursor { raw, session: self.0 })
    }

    pub(super) fn commit(self) -> Result<(), Failure> {
        let session = self.0.raw;
        // Also a commit that fails ends the transaction.
        std::mem::forget(self);
        // SAFETY: the session is open and in a transaction.
        done(unsafe { cede_wt_commit(session) })
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SAFETY: the session is open and in a transaction, which was not committed.
        let _failed = unsafe { cede_wt_rollback(self.0.raw) };
    }
}

/// A cursor in a transaction, at the end of which it loses its place.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    raw: *mut RawCursor,
    session: &'a mut Session,
}

impl Cursor<'_> {
    /// The value of `key`.
    pub(super) fn search(&mut self, key: &[u8]) -> Result<Option<&[u8]>, Failure> {
        // SAFETY: the cursor is open as long as its session, and the key is as long as it says.
        let code = unsafe { cede_wt_search(self.raw, key.as_ptr().cast(), key.len()) };
        self.value_if(done_unless(NOT_FOUND, code)?)
    }

    /// Moves on, from before the first record at the beginning of a transaction, and gives the value there.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        let found = self.advance()?;
        self.value_if(found)
    }

    /// Gives `false`, and changes nothing, if the key is taken.
    pub(super) fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<bool, Failure> {
        // SAFETY: the cursor is open, and key and value are as long as they say.
        let code = unsafe {
            cede_wt_insert(
                self.raw,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
            )
        };
        done_unless(DUPLICATE_KEY, code)
    }

    /// Changes the value of the record that was found.
    pub(super) fn replace(&mut self, value: &[u8]) -> Result<(), Failure> {
        // SAFETY: the cursor is open, and the value is as long as it says. Without a record it is an error.
        done(unsafe { cede_wt_replace(self.raw, value.as_ptr().cast(), value.len()) })
    }

    /// Gives `false` if there is no such key.
    pub(super) fn remove(&mut self, key: &[u8]) -> Result<bool, Failure> {
        // SAFETY: the cursor is open, and the key is as long as it says.
        let code = unsafe { cede_wt_remove(self.raw, key.as_ptr().cast(), key.len()) };
        done_unless(NOT_FOUND, code)
    }

    /// Removes all records, from the beginning of a transaction on.
    pub(super) fn truncate(&mut self) -> Result<(), Failure> {
        if self.advance()? {
            // SAFETY: both are open, the cursor is the session's and at a record.
            done(unsafe { cede_wt_truncate_from(self.session.raw, self.raw) })?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<bool, Failure> {
        // SAFETY: the cursor is open as long as its session.
        let code = unsafe { cede_wt_next(self.raw) };
        done_unless(NOT_FOUND, code)
    }

    fn value_if(&mut self, found: bool) -> Result<Option<&[u8]>, Failure> {
        if !found {
            return Ok(None);
        }
        let (mut value, mut size) = (ptr::null(), 0);
        // SAFETY: the cursor is open and at a record, and both places are of the types that are written.
        done(unsafe { cede_wt_value(self.raw, &raw mut value, &raw mut size) })?;
        if size == 0 {
            return Ok(Some(&[]));
        }
        // SAFETY: so many bytes are there, and stay until the cursor moves or the transaction ends: both take the
        // cursor, which the result borrows.
        Ok(Some(unsafe { std::slice::from_raw_parts(value.cast(), size) }))
    }
}
