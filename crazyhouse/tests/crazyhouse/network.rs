//! The network: its file, and its output compared with sums computed here in a different way.

use super::{network, positions};
use crazyhouse::features::{INPUTS, MoveRows, ROWS, for_each_input};
use crazyhouse::network::{Network, NetworkError, Room};
use shakmaty::Position as _;

#[test]
fn a_file_is_read_back() {
    for hidden in [16, 128, 256] {
        let network = network(hidden, 1);
        assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
    }
}

#[test]
fn outputs_are_as_described() {
    let network = network(32, 2);
    let weights = network.weights();
    let mut room = Room::default();
    for position in positions(3, 11) {
        let mut sums: Vec<i64> = weights.input_biases.iter().map(|&bias| i64::from(bias)).collect();
        for_each_input(&position, |input| {
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum += i64::from(weights.input_weights[input * 32 + at]);
            }
        });
        let squares: Vec<i64> = sums.iter().map(|&sum| sum.clamp(0, 255) * sum.clamp(0, 255) / 2).collect();
        let logit = |weights: &[i16], bias: i64| {
            let sum: i64 = squares.iter().zip(weights).map(|(&one, &other)| one * i64::from(other)).sum();
            sum as f64 / (255.0 * 255.0 / 2.0 * 64.0) + bias as f64 / 1024.0
        };
        let value = logit(&weights.value_weights, i64::from(weights.value_bias));
        assert!((network.value(&position, &mut room) - value).abs() < 1e-12);
        let rows = MoveRows::new(&position);
        for mv in position.legal_moves() {
            let row = rows.row(mv);
            let expected: f64 = row
                .rows
                .iter()
                .map(|&row| usize::from(row))
                .map(|row| logit(&weights.row_weights[32 * row..][..32], i64::from(weights.row_biases[row])))
                .sum();
            assert!((f64::from(network.logit(&row, &mut room)) - expected).abs() < 1e-4);
        }
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let good = network(16, 3).to_bytes();
    let with = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        Network::from_bytes(&bytes).unwrap_err()
    };
    assert_eq!(with(8, 2), NetworkError::Version(2));
    for hidden in [0, 8, 17, 272, u32::MAX] {
        assert_eq!(with(12, hidden), NetworkError::Hidden(hidden));
    }
    assert_eq!(with(12, 32), NetworkError::Length([good.len(), good.len() + 32 * (INPUTS + ROWS + 2)]));
    assert_eq!(with(16, 768), NetworkError::Features([768, ROWS as u32]));
    assert_eq!(with(20, 1), NetworkError::Features([INPUTS as u32, 1]));
    assert_eq!(with(24, 0x1234_5678), NetworkError::Damaged);
    assert_eq!(Network::from_bytes(b""), Err(NetworkError::Foreign));
    assert_eq!(Network::from_bytes(b"PST-NET\nother"), Err(NetworkError::Foreign));
    for length in (8..good.len()).step_by(997).chain([good.len() - 1]) {
        let error = Network::from_bytes(&good[..length]).unwrap_err();
        assert!(error.to_string().contains("cut short"), "{length}: {error}");
    }
    let longer = Network::from_bytes(&[&good[..], &[0]].concat()).unwrap_err().to_string();
    assert!(longer.contains("too long"), "{longer}");
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let good = network(16, 3).weights().clone();
    for value in [256, -256, i16::MIN] {
        let mut weights = good.clone();
        weights.row_weights[7] = value;
        assert_eq!(Network::new(weights), Err(NetworkError::Weight(value)));
    }
    let mut weights = good.clone();
    weights.row_weights.pop();
    assert!(matches!(Network::new(weights), Err(NetworkError::Length(_))));
    let mut largest = network(256, 1).weights().clone();
    largest.input_biases.fill(i16::MAX);
    largest.input_weights.fill(0);
    largest.value_weights.fill(255);
    largest.row_weights.fill(-255);
    let network = Network::new(largest).unwrap();
    let (position, mut room) = (crazyhouse::Position::default(), Room::default());
    assert!((network.value(&position, &mut room) - 1020.0).abs() < 1.0);
    let row = MoveRows::new(&position).row(position.legal_moves()[0]);
    assert!(network.logit(&row, &mut room) < -4_000.0);
}
