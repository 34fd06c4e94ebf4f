use std::net::{SocketAddr, ToSocketAddrs};

use url::{Host, Url};

use super::{error::LoadError, plan::DEFAULT_DATABASE};

/// MongoDB's port.
const DEFAULT_PORT: u16 = 27_017;
/// What MongoDB forbids in the name of a database.
const FORBIDDEN: &[char] = &['/', '\\', '.', ' ', '"', '$', '%', '\0'];

/// What a connection string points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The server; its IPv4 address where it has both kinds, since servers listen on that one by default.
    pub address: SocketAddr,
    /// The database, [`DEFAULT_DATABASE`] if the string names none.
    pub database: String,
}

/// Reads `mongodb://HOST[:PORT][/DATABASE]` and resolves the host.
///
/// The option `directConnection=true` is accepted, for it is what the client does; there is no other.
///
/// # Errors
/// [`LoadError::Uri`] says what is wrong or not supported: other schemes, several hosts, credentials, options, a
/// host that does not resolve.
pub fn parse_uri(uri: &str) -> Result<Target, LoadError> {
    let fail = |reason: String| LoadError::Uri {
        uri: without_password(uri),
        reason,
    };
    let Parts { host, port, database } = split(uri).map_err(fail)?;
    let address = match host {
        Host::Ipv4(ip) => SocketAddr::from((ip, port)),
        Host::Ipv6(ip) => SocketAddr::from((ip, port)),
        Host::Domain(name) => resolve(&name, port).map_err(fail)?,
    };
    Ok(Target { address, database })
}

#[derive(Debug, PartialEq, Eq)]
struct Parts {
    host: Host<String>,
    port: u16,
    database: String,
}

fn split(uri: &str) -> Result<Parts, String> {
    let authority = match uri.split_once("://") {
        Some(("mongodb", rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default(),
        Some(("mongodb+srv", _)) => {
            return Err("mongodb+srv (a lookup of servers in DNS) is not supported".to_owned());
        }
        _ => return Err("not a MongoDB connection string".to_owned()),
    };
    if authority.contains('@') {
        return Err("credentials are not supported".to_owned());
    }
    if authority.contains(',') {
        return Err("several hosts are not supported".to_owned());
    }
    let url = Url::parse(uri).map_err(|error| error.to_string())?;
    if let Some((name, value)) = url
        .query_pairs()
        .find(|(name, value)| (&**name, &**value) != ("directConnection", "true"))
    {
        return Err(format!("the option `{name}={value}` is not supported"));
    }
    if url.fragment().is_some() {
        return Err("a fragment (#) has no meaning here".to_owned());
    }
    let host = match url.host() {
        // `url` leaves the hosts of schemes that it does not know as they are, numbers included.
        Some(Host::Domain(name)) => name
            .parse()
            .map_or_else(|_name| Host::Domain(name.to_owned()), Host::Ipv4),
        Some(host) => host.to_owned(),
        None => return Err("it names no host".to_owned()),
    };
    let database = url.path().trim_start_matches('/');
    if database.contains(FORBIDDEN) {
        return Err(format!("`{database}` is not the name of a database"));
    }
    let database = if database.is_empty() {
        DEFAULT_DATABASE
    } else {
        database
    };
    Ok(Parts {
        host,
        port: url.port().unwrap_or(DEFAULT_PORT),
        database: database.to_owned(),
    })
}

fn resolve(name: &str, port: u16) -> Result<SocketAddr, String> {
    let addresses: Vec<_> = (name, port)
        .to_socket_addrs()
        .map_err(|error| format!("the host `{name}` does not resolve: {error}"))?
        .collect();
    let first = addresses
        .iter()
        .find(|address| address.is_ipv4())
        .or(addresses.first());
    first
        .copied()
        .ok_or_else(|| format!("the host `{name}` has no address"))
}

/// The connection string, fit for a log.
fn without_password(uri: &str) -> String {
    match (uri.split_once("://"), uri.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        _ => uri.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_ports_and_databases_are_read() {
        let target = |uri| {
            let Target { address, database } = parse_uri(uri).unwrap();
            format!("{address} {database}")
        };
        assert_eq!(target("mongodb://127.0.0.1:4711/shop"), "127.0.0.1:4711 shop");
        assert_eq!(target("mongodb://127.0.0.1"), "127.0.0.1:27017 ycsb");
        assert_eq!(target("mongodb://[::1]:1/"), "[::1]:1 ycsb");
        assert_eq!(
            target("mongodb://127.0.0.1/?directConnection=true"),
            "127.0.0.1:27017 ycsb"
        );
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (uri, reason) in [
            ("mongodb+srv://cluster.example/db", "mongodb+srv"),
            ("mongodb://a:1,b:2/db", "several hosts"),
            ("mongodb://user:secret@127.0.0.1/db", "credentials"),
            ("mongodb://127.0.0.1/?tls=true", "`tls=true`"),
            ("mongodb://127.0.0.1/a.b", "`a.b` is not the name"),
            ("mongodb://127.0.0.1/a/b", "`a/b` is not the name"),
            ("mongodb://:27017", "host"),
            ("mongodb:///db", "no host"),
            ("mongodb://127.0.0.1:99999", "port"),
            ("http://127.0.0.1", "not a MongoDB"),
            ("", "not a MongoDB"),
        ] {
            let message = parse_uri(uri).unwrap_err().to_string();
            assert!(message.contains(reason), "{uri}: {message}");
            assert!(
                !message.contains("secret") && !message.contains('\n'),
                "{message}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(mongodb://)?\\PC{0,60}") {
            let _ = split(&text);
            let _ = without_password(&text);
        }

        #[test]
        fn what_is_written_is_read_back(host in "[a-z][a-z0-9]{0,20}", port: u16, database in "[a-zA-Z0-9_-]{1,20}") {
            let parts = split(&format!("mongodb://{host}:{port}/{database}")).unwrap();
            prop_assert_eq!(parts, Parts { host: Host::Domain(host), port, database });
        }
    }
}
