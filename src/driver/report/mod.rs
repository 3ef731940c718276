//! `accrs report`: one page that shows a translation.
//!
//! Input: C files; counts of a run on the emulation and a profile, where these are asked for.
//! Output: an HTML file that needs no other: the source and its kernels side by side, each line
//! with the lines of the other side, feedback and figures at the lines that they are of, and a
//! picture of each window.
//!
//! | | |
//! |---|---|
//! | [`unit`] | a file as rows |
//! | [`windows`] | windows as cells |
//! | [`measured`] | counts and times by line |
//!
//! All that varies is in [`Page`], whose texts the template escapes.

mod measured;
mod unit;
mod windows;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use handlebars::Handlebars;
use serde::Serialize;

use super::counts::{self, KernelCounts};
use super::failure::{Failure, Success};
use super::output::{HEADER, Transaction};
use super::pipeline::{Options, Product};
use super::process;
use super::session::Session;
use super::translate;
use crate::diagnostic::{Diagnostic, codes};
use measured::Profile;
use unit::UnitPage;

/// The page.
const TEMPLATE: &str = include_str!("../../../templates/report.hbs");

/// What all pages look like.
pub(super) const STYLE: &str = include_str!("../../../templates/page.css");

/// Where counts come from.
#[derive(Clone, Debug)]
pub enum Counted {
    /// There are none.
    Nowhere,
    /// A run of the program.
    Run,
    /// What `run --counts=FILE` wrote.
    File(PathBuf),
}

/// What the command line asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// C files; those of one program where it is run.
    pub files: &'a [PathBuf],
    /// The page.
    pub output: &'a Path,
    /// Whose counts it has.
    pub counted: &'a Counted,
    /// What `ACCRS_PROFILE=FILE.json` wrote.
    pub profile: Option<&'a Path>,
    /// Of the program, where it is run.
    pub arguments: &'a [OsString],
    /// Likewise.
    pub libraries: &'a [OsString],
}

/// All that the template gets.
#[derive(Serialize)]
struct Page {
    header: String,
    style: &'static str,
    title: String,
    /// What figures there are, and what they are not.
    remarks: Vec<String>,
    units: Vec<UnitPage>,
}

/// Translates files and writes the page.
///
/// # Errors
/// When an input has errors, the figures cannot be had, or the page not be written; after it was
/// written, when the program that was counted failed.
pub fn report(session: Session, request: Request, options: &Options) -> Result<Success, Failure> {
    let shown = Options {
        feedback: true,
        shows: true,
        ..options.clone()
    };
    let products = translate::translate_each(session, request.files, None, &shown)?;
    let (status, kernels) = count(session, request, options)?;
    let profile = request.profile.map(Profile::read).transpose()?;
    let mut units = Vec::new();
    for (number, (file, product)) in products.into_iter().enumerate() {
        let Product::Files(translation) = product else {
            let message = format!("`{}` has no source beside its kernels", file.display());
            return Err(Diagnostic::global(codes::BAD_USAGE, message)
                .help("a report is of C files; `accrs translate` shows what becomes of CUDA files")
                .into());
        };
        let figures = unit::Figures {
            kernels: kernels.as_deref(),
            profile: profile.as_ref(),
        };
        units.push(UnitPage::new(number + 1, file, &translation, figures));
    }
    let page = Page {
        header: format!("{HEADER} {}", env!("CARGO_PKG_VERSION")),
        style: STYLE,
        title: title(request.files),
        remarks: remarks(kernels.is_some(), profile.as_ref()),
        units,
    };
    let mut transaction = Transaction::new(request.files.to_vec());
    transaction.add(request.output.to_owned(), render(&page)?);
    transaction.commit()?;
    match status {
        Some(status) if !status.success() => {
            let status = process::shell_status(status);
            let message = format!("the program ended with status {status} while it was counted");
            Err(Diagnostic::global(codes::PROGRAM_FAILED, message)
                .help("the report has what it had counted")
                .into())
        }
        _ => Ok(Success::Done),
    }
}

fn count(
    session: Session,
    request: Request,
    options: &Options,
) -> Result<(Option<ExitStatus>, Option<Vec<KernelCounts>>), Failure> {
    let Request {
        files,
        arguments,
        libraries,
        ..
    } = request;
    match request.counted {
        Counted::Nowhere => Ok((None, None)),
        Counted::Run => {
            let (status, kernels) = counts::collect(session, files, arguments, libraries, options)?;
            Ok((Some(status), Some(kernels)))
        }
        Counted::File(path) => Ok((None, Some(measured::read_counts(path)?))),
    }
}

fn title(files: &[PathBuf]) -> String {
    let names = files.iter().map(|file| unit::name_of(file));
    names.collect::<Vec<_>>().join(", ")
}

fn remarks(is_counted: bool, profile: Option<&Profile>) -> Vec<String> {
    let mut remarks = Vec::new();
    if is_counted {
        remarks.push(
            "Counts are of one run on the emulation, the same on every machine. A request is an \
             access of a warp, a transaction 128 bytes of device memory that it needs. \
             Transactions are not time: caches, occupancy and arithmetic decide on that as well."
                .to_owned(),
        );
    }
    if let Some(profile) = profile {
        let devices = profile
            .devices
            .iter()
            .map(|device| format!("Times: {device}."));
        remarks.extend(devices);
    }
    remarks
}

fn render(page: &Page) -> Result<String, Failure> {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.render_template(TEMPLATE, page).map_err(|error| {
        Failure::environment(codes::TEMPLATE, format!("the report's template: {error}"))
    })
}
