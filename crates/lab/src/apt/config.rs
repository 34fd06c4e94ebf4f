use std::path::Path;

/// An apt configuration that keeps everything below `root`, to be read after the machine's own (`-c`): what that says
/// about proxies, certificates and time-outs still holds, and what it says about the places, about other
/// architectures and about commands to run afterwards does not.
///
/// With an empty list of installed packages, nothing of the machine's own packages plays a role.
pub(crate) fn text(root: &Path) -> String {
    // The path is quoted by apt's rules, which know no escape (apt.conf(5)).
    let root = root.display();
    format!(
        r#"Dir::State "{root}/state";
Dir::State::lists "{root}/lists";
Dir::State::status "{root}/status";
Dir::Cache "{root}/cache";
Dir::Cache::archives "archives";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "";
Dir::Log "{root}/log";
Dir::Etc::sourcelist "{root}/sources.list";
Dir::Etc::sourceparts "{root}/empty";
Dir::Etc::preferences "{root}/preferences";
Dir::Etc::preferencesparts "{root}/empty";
APT::Architecture "amd64";
#clear APT::Architectures;
APT::Architectures {{ "amd64"; }};
APT::Default-Release "";
APT::Install-Recommends "false";
APT::Install-Suggests "false";
APT::Get::AllowUnauthenticated "false";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Debug::NoLocking "true";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
"#
    )
}
