//! Continues and closes cursors.

use bson::{RawArrayBuf, RawDocumentBuf, raw::cstr};

use super::{
    context::{self, Context},
    cursors,
    error::CommandError,
    finish,
};

pub(super) fn run(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    let id = context
        .integer("getMore")?
        .ok_or_else(|| CommandError::parse("expected the cursor's number in the field 'getMore'"))?;
    let namespace = context.namespace_in("collection")?;
    cursors::go_on(context.services, &namespace, id, context.natural("batchSize")?)
}

pub(super) fn kill(context: &Context<'_>) -> Result<RawDocumentBuf, CommandError> {
    context.namespace()?;
    let expected = || CommandError::mismatch("cursors", "an array of cursors' numbers");
    let ids = context
        .body()
        .get_array("cursors")
        .map_err(|_absent| expected())?;
    let (mut killed, mut unknown) = (RawArrayBuf::new(), RawArrayBuf::new());
    for id in ids {
        let id = context::integer("cursors", id?)?;
        if context.services.cursors.kill(id) {
            killed.push(id);
        } else {
            unknown.push(id);
        }
    }
    let mut reply = RawDocumentBuf::new();
    reply.append(cstr!("cursorsKilled"), killed);
    reply.append(cstr!("cursorsNotFound"), unknown);
    reply.append(cstr!("cursorsAlive"), RawArrayBuf::new());
    reply.append(cstr!("cursorsUnknown"), RawArrayBuf::new());
    Ok(finish(reply))
}
