//! The memory plans of a model as drawings, for pages of other commands.

use std::sync::Arc;

use arenite::config::PlannerConfig;
use arenite::{Config, Interpreter, PlanLimits, Registry};

use super::drawing::Plan;
use super::input::InputShape;
use super::planners::{chosen_planners, one_planner};
use super::problem::{self, Problem, Source};
use super::solved::{PlanningFailure, SolvedProblem};
use super::solver::Solver;
use super::svg::svg;
use super::{devices, model};
use crate::inputs::Resize;

/// A problem, and the planners to draw.
pub(crate) struct Request<'a> {
    config: Config,
    registry: &'a Arc<Registry>,
    /// The planner in use first.
    planners: Vec<PlannerConfig>,
    inputs: Vec<InputShape>,
}

/// Drawings, the planner in use first, and notes on plans that are missing.
#[derive(Default)]
pub(crate) struct Drawings {
    pub plans: Vec<Plan>,
    pub notes: Vec<String>,
}

impl<'a> Request<'a> {
    /// Plans with the planner of `config`, and with all others if it is `all`.
    pub(crate) fn new(config: &Config, registry: &'a Arc<Registry>, resizes: &[Resize]) -> Self {
        let planners = chosen_planners(config, registry);
        let mut config = config.clone();
        config.planner = Some(one_planner(&config));
        Request { config, registry, planners, inputs: resizes.iter().map(InputShape::from).collect() }
    }

    /// The settings of an interpreter that uses the first planner.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Draws the plans of each subgraph. `interpreter` has [`config`](Self::config) and its main subgraph may be
    /// allocated; other subgraphs are prepared here.
    pub(crate) fn draw(&self, interpreter: &Interpreter, name: &str) -> Drawings {
        let mut drawings = Drawings::default();
        for problem in problem::subgraphs(interpreter.model(), name) {
            self.draw_subgraph(interpreter, &problem, &mut drawings);
        }
        drawings
    }

    fn draw_subgraph(&self, interpreter: &Interpreter, problem: &Problem, drawings: &mut Drawings) {
        for (i, planner) in self.planners.iter().enumerate() {
            match self.solve(interpreter, problem, planner, i == 0) {
                Ok(mut solved) => {
                    drawings.push(problem, planner, &solved, i == 0);
                    if i == 0 {
                        drawings.notes.append(&mut solved.notes);
                        for given in &solved.devices {
                            let (problem, planner, solved) = devices::problem(&problem.name, given);
                            drawings.push(&problem, &planner, &solved, true);
                        }
                    }
                }
                Err(PlanningFailure::Planner(error)) => {
                    drawings.notes.push(format!("{}, planner {}: {error}", problem.name, planner.name));
                }
                // No planner can plan it.
                Err(PlanningFailure::Problem(failure)) => {
                    drawings.notes.push(format!("{}: memory was not planned: {failure}", problem.name));
                    return;
                }
            }
        }
    }

    /// Reads the plan of a subgraph that the interpreter has planned, or plans it.
    fn solve(
        &self,
        interpreter: &Interpreter,
        problem: &Problem,
        planner: &PlannerConfig,
        in_use: bool,
    ) -> Result<SolvedProblem, PlanningFailure> {
        match problem.source {
            Source::Subgraph { index, .. } if in_use && interpreter.planned_steps(index).is_some() => {
                Ok(model::read(interpreter, &problem.name, index, interpreter.planning_time()))
            }
            _ => {
                let (inputs, limits) = (&self.inputs[..], PlanLimits::default());
                let solver = Solver { config: &self.config, registry: self.registry, inputs, limits };
                solver.solve(problem, planner)
            }
        }
    }
}

/// The plan of the main subgraph, which the interpreter has planned, as an SVG picture; `None` for a model without one.
pub fn svg_of(interpreter: &Interpreter, name: &str) -> Option<String> {
    let problem = problem::subgraphs(interpreter.model(), name).into_iter().next()?;
    let solved = model::read(interpreter, &problem.name, 0, interpreter.planning_time());
    Some(svg(&Plan::new(&problem, &PlannerConfig::new(interpreter.planner()), &solved)))
}

impl Drawings {
    fn push(&mut self, problem: &Problem, planner: &PlannerConfig, solved: &SolvedProblem, in_use: bool) {
        self.plans.push(Plan { in_use, ..Plan::new(problem, planner, solved) });
    }
}
