//! Tests of tuning methods through tuner's public interface.

mod categories;
mod honesty;
mod limits;
mod methods;
mod regret;
mod relations;
mod space;
mod warm;
