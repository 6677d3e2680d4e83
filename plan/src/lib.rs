//! Plans: a plan describes a run as a typed value, each part of which knows where it comes from.
//!
//! A file, a command line and another run all make a [`RunPlan`]. [`RunPlan::resolve`] turns it into a run, and
//! [`RunPlan::text`] writes it as TOML once, at the end. Nothing is repaired silently: a value that cannot be used is
//! an error that points to the place where it was written.

mod derive;
mod disk;
mod error;
mod files;
mod fit;
#[cfg(test)]
mod fuzz;
mod given;
pub mod jobs;
mod keys;
mod loaded;
pub mod names;
pub mod positions;
mod resolve;
mod run_plan;
mod schema;
mod section;
mod set;
mod setups;
mod sources;
#[cfg(test)]
mod tests;
mod training;
mod values;
pub mod words;

pub use derive::{
    AfterTuning, Bisecting, Built, Campaigning, Change, Contest, Ends, Known, Learner, Learning, NamedValue,
    OPENINGS_OF_A_RUN, PatchSource, Scaling, Stage, TunedValue, VERIFY, Weights, names_a_patch,
};
pub use disk::Disk;
pub use error::{PlanError, ReadError, from_word};
pub use files::{Files, Found};
pub use fit::FitPlan;
pub use given::{Given, Origin};
pub use keys::{
    AdamKeys, AdjudicationPlan, AffinityPlan, BenchPlan, BisectPlan, BuildPlan, CampaignPlan, CountPlan, DrawPlan,
    EarlierPlan, EnginePlan, FilterPlan, FirstWeights, FitKeys, GamesPlan, GatePlan, GeneticKeys, Key, Keys, KnownPlan,
    LadderOrder, LadderPlan, LbfgsKeys, LeaguePlan, LearnPlan, LearntPlan, MatchPlan, Named, OpeningsPlan, OwnPlayer,
    PatchPlan, PliesPlan, ResignPlan, ScalingPlan, SelfplayPlan, SetupsKeys, SprtPlan, StagePlan, StartPlan,
    StarvationPlan, TablesPlan, TcScalePlan, TrainPlan, TunePlan, TunedGroupPlan, TunedPlan, VerifyPlan, WeightKeys,
    fit_schema, schema, setups_schema, training_schema, within,
};
pub use loaded::Loaded;
pub use resolve::{load, load_stored};
pub use run_plan::RunPlan;
pub use schema::{KeySchema, Takes};
pub use setups::SetupsPlan;
pub use training::{FirstNetwork, Fitting, TrainingPlan};
