//! The reference vectors: every record of `data/statistics.json` (the output of public tools for the same counts, and
//! 60-digit evaluations), one named test each. This file owns the list of records; the modules have the checks by kind
//! of record.

#![expect(
    non_snake_case,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may panic, and compares exact values"
)]

mod characteristic;
mod counts;
mod ratings;
mod record;
mod sequence;
mod wide;

macro_rules! records {
    ($($check:path { $($id:ident)* })*) => {
        const LISTED: &[&str] = &[$($(stringify!($id),)*)*];

        $($(
            #[test]
            fn $id() {
                $check(&record::Record::load(stringify!($id)));
            }
        )*)*
    };
}

records! {
    counts::pairs {
        all_zero one_pair_WW one_pair_DD all_wins_10 all_wins_5550 all_draws_100 extremes_only two_bins_LD_WD tiny_mixed
        five_pairs zero_tail_low fastchess_unit_1 fastchess_unit_sprt fishtest_unit_1 fishtest_unit_3 small_gain_500
        big_loss_400elo decisive_game_no_draws near_h1_nelo2 sprt_just_pass games_1e7_small games_2e6_skew
    }
    counts::games {
        t_all_zero t_one_win t_all_wins_4250 t_tiny t_fishtest_1 t_fishtest_3 t_fastchess_1 t_fastchess_3 t_elo_wdl
    }
    ratings::as_ordo { ord3_balanced ord5_anchor_mid }
    ratings::perfect_score { ord4_perfect_score }
    characteristic::curve { oc_0 oc_2 oc_5 }
    sequence::stops_at_the_same_pair { seq_nelo_pass seq_logistic_pass_batch4 }
    wide::llr_is_exact {
        extreme_00 extreme_02 extreme_04 extreme_06 extreme_08 extreme_10
    }
    wide::llr_is_likelier_than_the_records { extreme_12 }
}

#[test]
fn no_record_is_missing() {
    let mut listed = LISTED.to_vec();
    listed.sort_unstable();
    let mut known = record::ids();
    known.sort_unstable();
    assert_eq!(listed, known);
}
