//! One request under way.

use crate::member::Member;
use crate::session::Session;

/// A request under way, made by [`Session::begin`](crate::Session::begin). It is over when it is finished or dropped.
///
/// There is no yield point in here: a thread that carries out a request may hold locks.
#[derive(Debug)]
pub struct Request {
    member: Box<Member>,
}

impl Request {
    pub(crate) const fn new(member: Box<Member>) -> Self {
        Self { member }
    }

    /// Ends the request, and gives the session back for the next.
    ///
    /// Call it when the reply is out. Requests that were held back because of this one go on.
    ///
    /// ```
    /// use cede::{Class, Domain, Policy};
    ///
    /// let domain = Domain::new(Policy::Auto);
    /// let request = domain.session().begin(Class::Short);
    /// assert_eq!(domain.snapshot().requests, 1);
    /// let mut session = request.finish();
    /// session.yield_point();
    /// ```
    #[must_use = "the session ends when it is dropped"]
    pub fn finish(mut self) -> Session {
        self.member.finish();
        Session::new(self.member)
    }
}
