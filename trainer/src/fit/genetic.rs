//! A genetic algorithm over weights: a random first generation within bounds, the best of each generation kept, and
//! children by mutation and optionally by crossover.
//!
//! The seed, the generation and a child's number determine its genes, so a population is the same on any number of
//! threads and after an interruption. The algorithm is here because many use it, and for comparison with the gradient
//! methods.

use super::design::{Design, Part};
use super::judge;
use super::objective::Objective;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The number of rows on which all children are evaluated before the next rows: they stay in the cache.
const ROWS: usize = 1_024;

/// The criterion of fitness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitness {
    /// The mean absolute difference from the scores, in the unit of the weights.
    Absolute,
    /// 1 minus the rank correlation (Spearman's) with the scores, or with targets if there are no scores.
    Rank,
    /// The loss of the gradient methods, without the ridge.
    Logistic,
}

/// The settings of the genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneticSettings {
    /// The number of generations.
    pub generations: u32,
    /// The number of children per generation.
    pub children: u32,
    /// The number of best individuals so far that are the parents of the next generation, and survive unless children
    /// are better.
    pub parents: u32,
    /// The probability that a gene mutates.
    pub mutation_rate: f64,
    /// The standard deviation of a mutation, in the unit of the weights.
    pub mutation_size: f64,
    /// The factor of the mutation size from one generation to the next.
    pub mutation_decay: f64,
    /// The probability that a child has two parents, each gene from either.
    pub crossover: f64,
    /// The first generation is drawn uniformly from this far below to this far above the start.
    pub bounds: f64,
    /// The criterion of fitness.
    pub fitness: Fitness,
}

impl Default for GeneticSettings {
    fn default() -> Self {
        Self {
            generations: 300,
            children: 500,
            parents: 25,
            mutation_rate: 0.05,
            mutation_size: 20.0,
            mutation_decay: 0.99,
            crossover: 0.0,
            bounds: 100.0,
            fitness: Fitness::Absolute,
        }
    }
}

/// Weights with their fitness: lower is better.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Individual {
    pub(super) fitness: f64,
    pub(super) weights: Vec<f64>,
}

/// The parents of the next generation, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Population {
    pub(super) generation: u32,
    pub(super) parents: Vec<Individual>,
}

impl Population {
    /// An empty population.
    pub(super) fn new() -> Self {
        Self { generation: 0, parents: Vec::new() }
    }

    /// The best individual so far; `None` before the first generation.
    pub(super) fn best(&self) -> Option<&Individual> {
        self.parents.first()
    }

    /// Breeds the next generation.
    pub(super) fn breed(&mut self, objective: &Objective<'_>, settings: &GeneticSettings, seed: u64) {
        let children: Vec<Vec<f64>> =
            (0..settings.children).map(|child| self.child(objective.start, settings, seed, child)).collect();
        let fitness = fitness(objective, settings.fitness, &children, Part::Training);
        let born = fitness.into_iter().zip(children).map(|(fitness, weights)| Individual { fitness, weights });
        self.parents.extend(born);
        // The sort is stable: among equals, the earlier one stays first.
        self.parents.sort_by(|a, b| a.fitness.total_cmp(&b.fitness));
        self.parents.truncate(settings.parents.max(1) as usize);
        self.generation += 1;
    }

    fn child(&self, start: &[f64], settings: &GeneticSettings, seed: u64, child: u32) -> Vec<f64> {
        let number = u64::from(self.generation) << 32 | u64::from(child);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(stats::random::mix(seed ^ stats::random::mix(number)));
        let bounded = |weight: f64, start: f64| weight.clamp(start - settings.bounds, start + settings.bounds);
        if self.parents.is_empty() {
            let mut anywhere = || 2.0 * uniform(&mut random) - 1.0;
            return start.iter().map(|start| start + settings.bounds * anywhere()).collect();
        }
        let parent = &self.parents[random.random_range(0..self.parents.len())].weights;
        let other = (uniform(&mut random) < settings.crossover).then(|| random.random_range(0..self.parents.len()));
        let size = settings.mutation_size * libm::pow(settings.mutation_decay, f64::from(self.generation));
        let mut genes = parent.clone();
        for (gene, weight) in genes.iter_mut().enumerate() {
            if let Some(other) = other
                && uniform(&mut random) < 0.5
            {
                *weight = self.parents[other].weights[gene];
            }
            if uniform(&mut random) < settings.mutation_rate {
                let step: f64 = StandardNormal.sample(&mut random);
                *weight = bounded(*weight + size * step, start[gene]);
            }
        }
        genes
    }
}

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    StandardUniform.sample(random)
}

/// The fitness of each set of weights.
pub(super) fn fitness(objective: &Objective<'_>, by: Fitness, all: &[Vec<f64>], part: Part) -> Vec<f64> {
    match by {
        Fitness::Rank => {
            let rank = |weights: &Vec<f64>| 1.0 - judge::rank_correlation(objective, weights, part).unwrap_or(-1.0);
            all.par_iter().map(rank).collect()
        }
        Fitness::Logistic => all.iter().map(|weights| objective.loss(weights, part)).collect(),
        Fitness::Absolute => absolute(objective.design, all, part),
    }
}

/// The mean absolute differences of all sets of weights.
fn absolute(design: &Design, all: &[Vec<f64>], part: Part) -> Vec<f64> {
    let interleaved: Vec<Vec<[f32; 2]>> = all.iter().map(|weights| pairs(design, weights)).collect();
    let rows = design.part(part);
    let starts: Vec<usize> = rows.clone().step_by(ROWS).collect();
    let parts: Vec<(Vec<f64>, usize)> = starts
        .into_par_iter()
        .map(|start| {
            let rows = start..(start + ROWS).min(rows.end);
            let scored = rows.clone().filter(|&row| design.row(row).label.score.is_some()).count();
            (interleaved.iter().map(|weights| differences(design, weights, rows.clone())).collect(), scored)
        })
        .collect();
    let scored = parts.iter().map(|(_, scored)| scored).sum::<usize>().max(1) as f64;
    (0..all.len()).map(|child| parts.iter().map(|(sums, _)| sums[child]).sum::<f64>() / scored).collect()
}

/// Both weights of each feature as a pair; an untapered weight appears twice.
fn pairs(design: &Design, weights: &[f64]) -> Vec<[f32; 2]> {
    let second = if design.tapered { design.names.len() } else { 0 };
    (0..design.names.len()).map(|at| [weights[at] as f32, weights[second + at] as f32]).collect()
}

fn differences(design: &Design, weights: &[[f32; 2]], rows: std::ops::Range<usize>) -> f64 {
    rows.map(|row| {
        let row = design.row(row);
        let Some(score) = row.label.score else { return 0.0 };
        let mut sums = [0.0_f32; 2];
        for (&column, &value) in row.columns.iter().zip(row.values) {
            let [first, second] = weights[usize::from(column)];
            sums[0] += value * first;
            sums[1] += value * second;
        }
        f64::from((row.phase * sums[0] + (1.0 - row.phase) * sums[1] - score).abs())
    })
    .sum()
}
