//! `spar report`: the results of a run as a page, a summary, tables and pictures.

use super::{bisect, campaign, learn, print, print_json, run_path};
use crate::args::Report as Arguments;
use crate::failure::{Exit, Failure};
use crate::optional::PNG;
use arena::run::Check;
use reports::Extent;
use session::work::Series;
use session::{PageOfRun, SessionError, write_job_read_back};
use std::path::Path;

pub(crate) fn report(arguments: &Arguments, runs: &Path) -> Result<Exit, Failure> {
    let path = run_path(&arguments.run, runs)?;
    if let Some(series) = Series::read(&path)? {
        return report_of_job(arguments, &series);
    }
    if let Some(job) = bisect::read(&path)? {
        refuse_options_of_runs(arguments)?;
        return bisect::report(&job);
    }
    if let Some(job) = campaign::read(&path)? {
        refuse_options_of_runs(arguments)?;
        return campaign::report(&job);
    }
    if let Some(job) = learn::read(&path)? {
        refuse_options_of_runs(arguments)?;
        return learn::report(&job);
    }
    let folder = arguments.out.as_deref().unwrap_or(&path);
    let report = PageOfRun::open(&path, Check::Audit)?.lying_in(folder).report()?;
    let page = report.write(folder, Extent::Everything { png: PNG }).map_err(SessionError::from)?;
    if arguments.json {
        print_json(&report.json())?;
    } else {
        print(page.display())?;
    }
    Ok(Exit::Done)
}

/// Writes the page of a job of several runs, which has no numbers of its own.
fn report_of_job(arguments: &Arguments, series: &Series) -> Result<Exit, Failure> {
    refuse_options_of_runs(arguments)?;
    print(write_job_read_back(series)?.display())?;
    Ok(Exit::Done)
}

fn refuse_options_of_runs(arguments: &Arguments) -> Result<(), Failure> {
    let option = match arguments {
        Arguments { json: true, .. } => "--json",
        Arguments { out: Some(_), .. } => "--out",
        _ => return Ok(()),
    };
    let message = "a job of several runs has one page, in its folder: name one of its runs, or leave";
    Err(Failure::usage(format!("{message} {option} out")))
}
