//! MongoDB's wire protocol, as far as drivers need it for commands: OP_MSG, and the legacy OP_QUERY and OP_REPLY
//! that older drivers use for their first `isMaster`.
//!
//! Parsing borrows from the message's bytes and never panics; a message is checked whole, its BSON included, before
//! anything of it is used. Field layouts and rules: MongoDB's public driver specifications, "OP_MSG" and "Wire Protocol".

mod error;
mod frame;
mod header;
mod message;
mod op_msg;
mod op_query;
mod reader;
mod validate;

pub use error::WireError;
pub use frame::FrameBuffer;
pub use header::{HEADER_BYTES, Header, MAX_MESSAGE_BYTES, OpCode};
pub use message::Message;
pub use op_msg::{Flags, OpMsg, Sequence, encode_msg};
pub use op_query::{OpQuery, encode_reply, parse_reply};
