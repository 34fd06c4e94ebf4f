use super::{
    error::WireError,
    header::{Header, OpCode},
    op_msg::OpMsg,
    op_query::OpQuery,
};

/// A whole message, as a server receives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'a> {
    /// A command.
    Msg(OpMsg<'a>),
    /// A legacy handshake.
    Query(OpQuery<'a>),
}

impl<'a> Message<'a> {
    /// Parses exactly one message.
    ///
    /// # Errors
    /// Says what is wrong; the connection that it came from has to be closed.
    pub fn parse(bytes: &'a [u8]) -> Result<(Header, Self), WireError> {
        let header = Header::parse(bytes)?;
        if header.message_bytes()? != bytes.len() {
            return Err(WireError::Length(header.length));
        }
        let message = match header.op_code {
            code if code == OpCode::Msg.code() => Self::Msg(OpMsg::parse(bytes)?),
            code if code == OpCode::Query.code() => Self::Query(OpQuery::parse(bytes)?),
            other => return Err(WireError::OpCode(other)),
        };
        Ok((header, message))
    }
}
