use super::AptError;

/// Where Debian's packages and its security updates are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mirrors {
    main: String,
    security: String,
}

impl Mirrors {
    /// The mirror that the user names; the security updates are expected beside it.
    pub(crate) fn named(url: &str) -> Result<Self, AptError> {
        let main = url.trim_end_matches('/');
        // It becomes a word in apt's list of sources, where brackets hold options: signatures could be turned off.
        let is_word = main
            .chars()
            .all(|c| c.is_ascii_graphic() && !matches!(c, '[' | ']' | '#' | '\'' | '"'));
        let has_scheme = main
            .split_once(':')
            .is_some_and(|(scheme, _)| !scheme.is_empty() && !scheme.contains('/'));
        if !(is_word && has_scheme && main.ends_with("/debian")) {
            return Err(AptError::Mirror { url: url.to_owned() });
        }
        Ok(Self {
            security: format!("{main}-security"),
            main: main.to_owned(),
        })
    }

    /// The mirrors that this machine's own apt uses, out of what `apt-get update --print-uris` prints: it knows each
    /// format of configuration, and needs neither lists nor root.
    pub(crate) fn of_machine(uris: &str) -> Result<Self, AptError> {
        let mut bases = uris.lines().filter_map(|line| {
            let uri = line.strip_prefix('\'')?.split('\'').next()?;
            Some(uri.split_once("/dists/")?.0.trim_end_matches('/'))
        });
        // Cloud images name a file with a list of mirrors (apt-transport-mirror(1)): `mirror+file:/.../debian.list`.
        let is = |base: &str, name: &str| base.strip_suffix(".list").unwrap_or(base).ends_with(name);
        let security = bases.clone().find(|base| is(base, "/debian-security"));
        let main = bases.find(|base| is(base, "/debian")).ok_or(AptError::NoMirror)?;
        Ok(Self {
            main: main.to_owned(),
            security: security.map_or_else(|| main.replace("/debian", "/debian-security"), ToOwned::to_owned),
        })
    }

    /// Apt's list of sources for `suites`.
    pub(crate) fn sources(&self, keyring: &str, suites: &[String]) -> String {
        let line = |suite: &String| {
            let mirror = if suite.ends_with("-security") {
                &self.security
            } else {
                &self.main
            };
            format!("deb [signed-by={keyring}] {mirror} {suite} main\n")
        };
        suites.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mirrors(main: &str, security: &str) -> Mirrors {
        Mirrors {
            main: main.to_owned(),
            security: security.to_owned(),
        }
    }

    #[test]
    fn the_machines_mirrors_are_found_among_others() {
        let uris = "'http://other.example/repository/dists/stable/InRelease' other 0 \n\
                    'http://mirror.example/debian/dists/bookworm/InRelease' mirror 0 \n\
                    'http://mirror.example/debian/dists/bookworm-updates/InRelease' mirror 0 \n\
                    'http://safe.example/debian-security/dists/bookworm-security/InRelease' safe 0 \n";
        assert_eq!(
            Mirrors::of_machine(uris).unwrap(),
            mirrors(
                "http://mirror.example/debian",
                "http://safe.example/debian-security"
            )
        );
    }

    #[test]
    fn without_a_security_mirror_it_is_expected_beside_the_other() {
        let uris = "'http://mirror.example/debian/dists/trixie/InRelease' x 0 \n";
        assert_eq!(
            Mirrors::of_machine(uris).unwrap(),
            mirrors(
                "http://mirror.example/debian",
                "http://mirror.example/debian-security"
            )
        );
    }

    #[test]
    fn a_list_of_mirrors_in_a_file_is_one() {
        let uris = "'mirror+file:/etc/apt/mirrors/debian.list/dists/trixie/InRelease' x 0 \n\
                    'mirror+file:/etc/apt/mirrors/debian-security.list/dists/trixie-security/InRelease' x 0 \n";
        assert_eq!(
            Mirrors::of_machine(uris).unwrap(),
            mirrors(
                "mirror+file:/etc/apt/mirrors/debian.list",
                "mirror+file:/etc/apt/mirrors/debian-security.list"
            )
        );
    }

    #[test]
    fn a_machine_without_debian_asks_for_a_mirror() {
        let uris = "'http://mirror.example/ubuntu/dists/noble/InRelease' x 0 \n";
        for uris in [uris, "", "nonsense"] {
            assert!(
                matches!(Mirrors::of_machine(uris), Err(AptError::NoMirror)),
                "{uris}"
            );
        }
    }

    #[test]
    fn what_is_named_has_to_be_one_word_that_ends_in_debian() {
        assert_eq!(
            Mirrors::named("https://mirror.example/pub/debian/").unwrap(),
            mirrors(
                "https://mirror.example/pub/debian",
                "https://mirror.example/pub/debian-security"
            )
        );
        for url in [
            "",
            "debian",
            "/srv/debian",
            "http://mirror.example/ubuntu",
            "http://mirror.example/x y/debian",
            "[trusted=yes] http://mirror.example/debian",
            "http://mirror.example/debian\ndeb http://mirror.example/debian",
        ] {
            assert!(
                matches!(Mirrors::named(url), Err(AptError::Mirror { .. })),
                "{url}"
            );
        }
    }

    #[test]
    fn security_suites_come_from_the_security_mirror() {
        let suites = ["trixie".to_owned(), "trixie-security".to_owned()];
        assert_eq!(
            mirrors("http://m/debian", "http://s/debian-security").sources("/keyring", &suites),
            "deb [signed-by=/keyring] http://m/debian trixie main\n\
             deb [signed-by=/keyring] http://s/debian-security trixie-security main\n"
        );
    }

    proptest! {
        #[test]
        fn whatever_is_named_there_is_one_source_per_suite(url in ".*") {
            if let Ok(mirrors) = Mirrors::named(&url) {
                let sources = mirrors.sources("/keyring", &["trixie".to_owned()]);
                prop_assert_eq!(sources.lines().count(), 1);
                prop_assert_eq!(sources.split_whitespace().count(), 5);
                prop_assert_eq!(sources.matches('[').count(), 1);
            }
        }

        #[test]
        fn anything_may_stand_in_the_machines_configuration(uris in ".*") {
            let _either = Mirrors::of_machine(&uris);
        }
    }
}
