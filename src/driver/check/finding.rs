//! What the checks of the runtime write down.
//!
//! Input: the file that [`REPORT`] named to the program. Each finding stands
//! in it once, at once; how often each was made follows when the program ends
//! properly.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::diagnostic::codes;
use crate::driver::failure::Failure;

/// The variable that tells the program where to write its findings.
pub(super) const REPORT: &str = "ACCRS_CHECK_REPORT";

/// An index of a block or thread: x, y, z.
pub(super) type Index = [u32; 3];

/// One finding; a site is an address of the program's file, 0 if not known.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Finding {
    number: usize,
    /// What was found.
    pub(super) kind: Kind,
    /// `device`, `shared` or `host`.
    pub(super) space: String,
    /// Why it is no fault; empty if it is one.
    pub(super) note: String,
    /// `read`, `write`, `atomic`, `copy` or `free`.
    pub(super) access: String,
    /// The same of the access that it races with.
    pub(super) other_access: String,
    /// The kernel's name with its namespace.
    pub(super) kernel: String,
    pub(super) site: u64,
    pub(super) other_site: u64,
    /// The line where the runtime knows it without a site; 0 if not. The file is a directive's.
    pub(super) file: String,
    pub(super) line: usize,
    /// The same of the other access.
    pub(super) other_file: String,
    pub(super) other_line: usize,
    pub(super) block: Option<Index>,
    pub(super) thread: Option<Index>,
    pub(super) other_block: Option<Index>,
    pub(super) other_thread: Option<Index>,
    /// The array; empty if it has no name.
    pub(super) object: String,
    /// Its size; 0 if it is not known.
    pub(super) object_bytes: u64,
    /// Of the access, in bytes from its start.
    pub(super) offset: i64,
    /// Of the access in bytes.
    pub(super) size: u64,
    /// What is wrong with a barrier, an index or a shift; which queue the other access is in;
    /// how long a section is.
    pub(super) text: String,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Two accesses without an order.
    Race,
    /// A read of what was never written.
    Uninitialised,
    /// Device memory outside all allocations.
    Outside,
    /// An index outside an array or window.
    Window,
    /// An address of the host.
    Host,
    /// A null pointer.
    Null,
    /// The memory of another device.
    Device,
    /// A barrier that some threads do not reach.
    Barrier,
    /// A shift by as many places as there are, or more.
    Shift,
    /// The host reads what the device has made newer.
    HostBehind,
    /// The device reads what the host has made newer.
    DeviceBehind,
    /// A read of what was newer on the device until its memory was given back.
    Dropped,
    /// The device's older value takes the place of the host's newer one.
    Overwritten,
    /// An update replaces what the device has made newer and nothing has read.
    Lost,
    /// The host gets what has no value on the device.
    NoValue,
    /// A launch, a copy or a release without an order to one of another queue.
    Queues,
    /// An access of the host to what a queue still copies.
    HostQueue,
    /// A section that leaves the memory that it begins in.
    Section,
    /// An update of what was not newer, each time.
    Needless,
}

/// A line of the file.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Difference(Box<Difference>),
    OtherWay(Box<OtherWay>),
    Compared {
        compared: u64,
    },
    Finding(Box<Finding>),
    Times {
        number: usize,
        times: u64,
    },
    LeftOut {
        left_out: u64,
    },
    Queues {
        #[serde(rename = "queues")]
        are_used: bool,
    },
    Process {
        #[serde(rename = "stores")]
        _places: usize,
    },
    Store(Store),
}

/// A construct whose results differ from the host's.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Difference {
    pub(super) differs: Values,
    pub(super) at: Spot,
    /// What else differs of the construct's data.
    pub(super) others: Vec<Other>,
}

/// Data that differs beside.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Other {
    /// By the construct; else it was different before.
    pub(super) is_written: bool,
    pub(super) what: Values,
}

/// How a section differs.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Values {
    /// As the data clause has it.
    pub(super) name: String,
    /// Behind pointers: which one; else negative.
    pub(super) row: i64,
    /// The first element that differs.
    pub(super) element: u64,
    pub(super) elements: u64,
    /// How many do.
    pub(super) differing: u64,
    /// Of a structure; empty if it is none.
    pub(super) member: String,
    pub(super) on_device: String,
    pub(super) on_host: String,
}

/// A construct.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Spot {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) directive: String,
}

/// The runs have come to different constructs; none is the end.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct OtherWay {
    #[serde(rename = "other_way")]
    _is_known: bool,
    pub(super) on_device: Option<Spot>,
    pub(super) on_host: Option<Spot>,
}

/// What a launch has stored at one place in the code.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Store {
    /// Its number in the process, from 1.
    pub(super) launch: u64,
    pub(super) kernel: String,
    pub(super) stored_at: u64,
    /// A hash of all addresses and values, whatever their order.
    pub(super) values: u64,
}

/// All of one run.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// With how often it was found; 0 if the program did not live to say.
    pub(super) findings: Vec<(Finding, u64)>,
    /// Findings beyond those that the runtime writes down.
    pub(super) left_out: u64,
    /// Whether a launch or a copy went into a queue.
    pub(super) uses_queues: bool,
    /// What each process of the program has stored, if it was asked for.
    pub(super) stores: Vec<Vec<Store>>,
    /// The first difference from the host's run, if there is one.
    pub(super) difference: Option<Difference>,
    pub(super) other_way: Option<OtherWay>,
    /// How many constructs were compared, if the program has come to its end.
    pub(super) compared: u64,
}

impl Record {
    /// Whether a comparison has found anything.
    pub(super) fn differs(&self) -> bool {
        self.difference.is_some() || self.other_way.is_some()
    }
}

/// Reads the file; none means that nothing was found.
///
/// # Errors
/// When the file is not what the runtime writes.
pub(super) fn read(path: &Path) -> Result<Record, Failure> {
    let text = fs::read_to_string(path).unwrap_or_default();
    parse(&text).map_err(|error| {
        let message = format!("what the checks wrote cannot be read: {error}");
        Failure::environment(codes::INTERNAL, message)
    })
}

fn parse(text: &str) -> serde_json::Result<Record> {
    let mut record = Record::default();
    // A program that is killed may leave its last line unfinished.
    for line in text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
    {
        match serde_json::from_str(line)? {
            Line::Difference(difference) => record.difference = Some(*difference),
            Line::OtherWay(way) => record.other_way = Some(*way),
            Line::Compared { compared } => record.compared = compared,
            Line::Finding(finding) => record.findings.push((*finding, 0)),
            Line::Times { number, times } => {
                let known = record.findings.iter_mut();
                for (_, count) in known.filter(|(finding, _)| finding.number == number) {
                    *count = times;
                }
            }
            Line::LeftOut { left_out } => record.left_out = left_out,
            Line::Queues { are_used } => record.uses_queues = are_used,
            Line::Process { .. } => record.stores.push(Vec::new()),
            Line::Store(store) => {
                if let Some(process) = record.stores.last_mut() {
                    process.push(store);
                }
            }
        }
    }
    Ok(record)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A race as the runtime writes it.
    pub(in crate::driver::check) const RACE: &str = concat!(
        r#"{"number":0,"kind":"race","space":"device","note":"","access":"write","#,
        r#""other_access":"read","kernel":"a_acc::main_kernel","site":4096,"#,
        r#""other_site":4100,"file":"","line":0,"other_file":"","other_line":0,"block":[1,0,0],"thread":[2,0,0],"other_block":[0,0,0],"#,
        r#""other_thread":null,"object":"a","object_bytes":400,"offset":40,"size":4,"text":""}"#,
        "\n"
    );

    #[test]
    fn findings_are_read_with_their_counts() {
        let text = format!("{RACE}{{\"number\":0,\"times\":12}}\n{{\"left_out\":3}}\n{{\"numb");
        let record = parse(&text).unwrap();
        let (finding, times) = &record.findings[0];
        assert_eq!((finding.kind, finding.offset, *times), (Kind::Race, 40, 12));
        assert_eq!(finding.block, Some([1, 0, 0]));
        assert_eq!(finding.other_thread, None);
        assert_eq!(record.left_out, 3);
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(parse("{\"kind\":\"race\"}\n").is_err());
    }
}
