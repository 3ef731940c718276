//! Words for findings about data on its way between host and device, and about queues.
//!
//! Input: such a finding. Output: its code, message and way out, and what stands beside its two
//! places. Reading an old copy on purpose is legal: those findings are warnings, which
//! `--allow stale=NAME` silences.

use std::str::FromStr;

use super::finding::{Finding, Kind};
use crate::diagnostic::{Code, codes};

/// What `--allow` silences: of a variable, `stale=NAME` old values, `differs=NAME` values other than
/// the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    differs: bool,
    /// As the data clause names it, or without its section.
    name: String,
}

impl Allowed {
    /// The name of a variable that may differ from the host's.
    pub(super) fn differing(&self) -> Option<&str> {
        self.differs.then_some(self.name.as_str())
    }
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((what @ ("stale" | "differs"), name)) if !name.is_empty() => Ok(Self {
                differs: what == "differs",
                name: name.to_owned(),
            }),
            _ => Err(
                "expected `stale=NAME` or `differs=NAME`, the name being that of a variable"
                    .to_owned(),
            ),
        }
    }
}

/// Whether a finding is about data on its way, or about queues.
pub(super) fn is_movement(kind: Kind) -> bool {
    is_stale(kind)
        || matches!(
            kind,
            Kind::NoValue | Kind::Queues | Kind::HostQueue | Kind::Section | Kind::Needless
        )
}

/// Whether an old value is read, or takes a newer one's place.
pub(super) fn is_stale(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::HostBehind | Kind::DeviceBehind | Kind::Dropped | Kind::Overwritten | Kind::Lost
    )
}

/// Whether `--allow` silences the finding.
pub(super) fn is_allowed(finding: &Finding, allowed: &[Allowed]) -> bool {
    let whole = finding.object.as_str();
    let name = whole.split('[').next().unwrap_or_default();
    is_stale(finding.kind)
        && allowed
            .iter()
            .filter(|allowed| !allowed.differs)
            .any(|allowed| allowed.name == name || allowed.name == whole)
}

/// Code, message and way out; `object` is the array in words.
pub(super) fn headline(finding: &Finding, object: &str) -> (Code, String, &'static str) {
    match finding.kind {
        Kind::DeviceBehind => (
            codes::STALE,
            format!("the device reads {object}, which the host has made newer"),
            "an `update device` must lie between the two; `--allow stale=NAME` if the old value is meant",
        ),
        Kind::Dropped => (
            codes::STALE,
            format!("the newer value of {object} was given back with the device's memory"),
            "copy it out, as with `copy` in place of `copyin`, or `update self` before; `--allow stale=NAME` if the old value is meant",
        ),
        Kind::Overwritten => (
            codes::STALE,
            format!("a copy of {object} from the device replaces what the host has made newer"),
            "an `update device` must lie between the host's write and this copy; `--allow stale=NAME` if the device's value is meant",
        ),
        Kind::Lost => (
            codes::STALE,
            format!(
                "this `update device` of {object} replaces a newer value, which nothing has read"
            ),
            "nothing is wrong if that is meant, as to start again; `--allow stale=NAME` then",
        ),
        Kind::NoValue if finding.access == "copy" => (
            codes::NO_VALUE,
            format!("{object} goes to the host, and has no value on the device"),
            "write it on the device first, or copy it in as well, as with `copy`",
        ),
        Kind::NoValue => (
            codes::NO_VALUE,
            format!("the host reads of {object} what had no value on the device"),
            "write it on the device before the copy, or copy it in as well, as with `copy`",
        ),
        Kind::Section => (
            codes::SECTION_OUTSIDE,
            format!("{object} leaves the host's memory that it begins in"),
            "a section is `[first:length]` in elements; its length must not exceed what was allocated",
        ),
        Kind::Needless if finding.access == "read" => (
            codes::NEEDLESS_UPDATE,
            format!(
                "this `update self` of {object} brings nothing: the device's value is not newer"
            ),
            "leave it out, or put it where the device has written",
        ),
        Kind::Needless => (
            codes::NEEDLESS_UPDATE,
            format!(
                "this `update device` of {object} brings nothing: the host's value is not newer"
            ),
            "leave it out, or put it where the host has written",
        ),
        Kind::HostQueue => (
            codes::RACE_QUEUES,
            match object {
                "memory of the device" => {
                    "the host does not wait for a queue that copies this".to_owned()
                }
                name => format!("the host does not wait for a queue that copies {name}"),
            },
            "a `wait` for the queue must lie between",
        ),
        Kind::Queues => (
            codes::RACE_QUEUES,
            format!("nothing orders two uses of {object} in different queues"),
            "a `wait`, or a `wait` clause, for the other queue must lie between",
        ),
        _ => (
            codes::STALE,
            format!("the host reads {object}, which the device has made newer"),
            "an `update self` must lie between the two; `--allow stale=NAME` if the old value is meant",
        ),
    }
}

/// Who acts where no kernel does.
pub(super) fn host_actor(finding: &Finding) -> &'static str {
    match finding.access.as_str() {
        "copy" | "free" => "the directive",
        _ => "the host",
    }
}

/// What stands beside the second place; none where that says nothing more.
pub(super) fn other_label(finding: &Finding) -> Option<String> {
    let text = match finding.kind {
        Kind::HostBehind | Kind::Dropped | Kind::Lost => "a kernel writes it".to_owned(),
        Kind::DeviceBehind | Kind::Overwritten => "the host writes it".to_owned(),
        Kind::NoValue if finding.access == "copy" => return None,
        Kind::Needless => return None,
        Kind::Section => return Some(format!("it has {}", finding.text)),
        Kind::NoValue => "it is copied to the host here".to_owned(),
        _ => {
            let verb = match finding.other_access.as_str() {
                "read" => "is read",
                "write" => "is written",
                _ => "is used",
            };
            let queue = finding.text.as_str();
            return Some(format!("it {verb} {queue}").trim_end().to_owned());
        }
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_are_allowed() {
        assert!("stale=a".parse::<Allowed>().is_ok());
        let differs = "differs=a[0:n]".parse::<Allowed>();
        assert_eq!(differs.unwrap().differing(), Some("a[0:n]"));
        for wrong in ["stale", "stale=", "race=a", ""] {
            assert!(wrong.parse::<Allowed>().is_err(), "{wrong}");
        }
    }
}
