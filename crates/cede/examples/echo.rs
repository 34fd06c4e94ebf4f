//! A thread-per-connection echo server that offers its CPU between two requests.
//!
//! ```text
//! cargo run --example echo -- 127.0.0.1:7777
//! ```
//! Talk to it with `nc 127.0.0.1 7777`; each line comes back. It prints what the yields cost once a second.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use cede::{Class, Domain, Policy};

/// One connection is one session, from the first request to the last.
fn serve(connection: TcpStream, domain: &Domain) -> io::Result<()> {
    let mut session = domain.session();
    let mut requests = BufReader::new(connection.try_clone()?);
    let mut replies = connection;
    let mut line = String::new();
    while session.idle(|| requests.read_line(&mut line))? > 0 {
        // Nothing is held yet: this is where the thread can wait while others are more urgent.
        let request = session.begin(Class::Unknown);
        replies.write_all(line.as_bytes())?;
        line.clear();
        session = request.finish();
        session.yield_point();
    }
    Ok(())
}

/// Prints what was counted in the last second, if anything was.
#[allow(clippy::print_stdout, reason = "this is a program")]
fn report(domain: &Domain) {
    let mut earlier = domain.snapshot();
    loop {
        thread::sleep(Duration::from_secs(1));
        let now = domain.snapshot();
        let second = now.since(&earlier);
        if second.calls > 0 {
            println!(
                "{} connections, {} requests, parked {} times for {:?}, {} yields, p99 {:?}",
                second.sessions,
                second.requests,
                second.parks,
                second.parked,
                second.yields,
                second.histogram.quantile(0.99),
            );
        }
        earlier = now;
    }
}

fn main() -> io::Result<()> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:7777".to_owned());
    let domain = Domain::new(Policy::Auto);

    let reported = domain.clone();
    thread::spawn(move || report(&reported));

    for connection in TcpListener::bind(address)?.incoming() {
        let (connection, domain) = (connection?, domain.clone());
        // A connection that breaks is its client's loss; the others go on.
        thread::spawn(move || serve(connection, &domain));
    }
    Ok(())
}
