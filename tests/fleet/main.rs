//! Tests of playing on many machines, with a real NATS server:
//! `cargo test --features fleet --test fleet -- --include-ignored`.
//!
//! Each test is ignored if its requirements are missing.

mod access;
mod builds;
mod places;
mod same;
mod scaled;
mod steered;
mod support;
mod survival;
#[path = "../tools/mod.rs"]
mod tools;
#[path = "../tools/trials.rs"]
mod trials;
mod trust;

use std::process::ExitCode;
use trials::{Test, When, run_waiting, tests, trials};

/// Tests that need only the server.
const TESTS: &[Test] = tests![
    access::a_run_over_tls_with_keys_and_no_secret_in_sight,
    access::whoever_may_not_do_it_is_told_so_soon,
    access::a_worker_whose_key_was_removed_ends_and_says_why,
    access::servers_that_will_not_do_are_named,
    access::a_run_whose_configuration_says_so_is_played_elsewhere_and_a_fleet_of_ones_own_takes_one_command,
    access::a_worker_that_is_asked_to_end_hands_back_what_it_has_not_begun,
    access::workers_are_shown_beside_the_runs,
    builds::each_worker_builds_its_own_and_the_journal_is_the_same,
    builds::a_bisection_finds_the_same,
    builds::a_campaign_plays_by_priority_and_finds_the_same,
    builds::programs_can_be_sent_as_they_are,
    builds::a_worker_whose_build_is_another_engine_or_fails_is_set_aside_with_the_reason,
    builds::whoever_builds_for_long_holds_nobody_up_and_ends_in_order,
    places::a_server_that_has_no_room_for_results_says_so_and_takes_them_when_it_has,
    places::a_program_that_was_exchanged_in_a_cache_plays_no_pair,
    places::a_launcher_that_ends_engines_along_with_their_worker_costs_no_game,
    same::a_match,
    same::a_test,
    same::tuning_sessions,
    scaled::each_worker_measures_itself_once_and_plays_by_its_own_clock,
    scaled::a_factor_that_is_given_is_that_of_all_workers,
    steered::a_pause_stands_before_a_worker_comes_and_one_that_is_taken_back_counts_again,
    steered::only_the_operator_steers_workers,
    survival::workers_that_are_killed_again_and_again,
    survival::a_killed_server,
    survival::a_killed_coordinator,
    survival::a_bad_line,
    survival::a_server_that_is_away_for_long_costs_nothing_but_time,
    survival::a_machine_on_which_an_engine_does_not_start_is_set_aside_and_the_others_play,
    trust::a_worker_that_lies_about_one_game_in_twenty_is_caught_and_named_and_the_journal_is_right,
    trust::a_machine_whose_pairs_are_unlike_the_others_is_told_of_and_set_aside_on_request,
];

/// Tests that need wrong clocks: Debian's faketime.
const CLOCKS: &[Test] = tests![places::clocks_that_are_off,];

/// Tests that need folders of limited size.
const MOUNTS: &[Test] = tests![
    places::a_server_whose_disk_is_full_costs_nothing_but_time,
    places::a_worker_that_has_no_room_for_programs_is_set_aside_and_the_others_play,
];

/// Tests that need separate networks.
const NETWORK: &[Test] = tests![places::a_network_that_swallows_all_for_a_while,];

fn main() -> ExitCode {
    let has_server = support::program().is_some();
    let with = |has_more: bool| if has_server && has_more { When::SecondTier } else { When::Never };
    let all = trials(TESTS, with(true))
        .chain(trials(CLOCKS, with(places::faketime().is_some())))
        .chain(trials(MOUNTS, with(places::allows_mounts())))
        .chain(trials(NETWORK, with(places::allows_networks())));
    run_waiting(all)
}
