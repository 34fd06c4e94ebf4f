use clap::Args;
use scenario::{Variant, Workload};

use crate::failure::Failure;

/// What to compare.
#[derive(Debug, Args)]
pub(crate) struct MatrixArgs {
    /// Mix of operations; may be given more than once
    #[arg(long, value_name = "WORKLOAD")]
    workload: Vec<String>,
    /// Way to give up the CPU; may be given more than once, the first is what the others are compared with
    #[arg(long, value_name = "VARIANT")]
    variant: Vec<String>,
}

/// One cell of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) workload: Workload,
    pub(crate) variant: Variant,
}

impl MatrixArgs {
    /// Every workload with every variant, each once, in the order given.
    pub(crate) fn cells(&self) -> Result<Vec<Cell>, Failure> {
        let workloads = read(&self.workload, &[Workload::Read50Update50])?;
        let variants = read(&self.variant, &Variant::DEFAULT)?;
        Ok(workloads
            .iter()
            .flat_map(|&workload| variants.iter().map(move |&variant| Cell { workload, variant }))
            .collect())
    }
}

fn read<T>(names: &[String], default: &[T]) -> Result<Vec<T>, Failure>
where
    T: std::str::FromStr<Err = String> + Copy + PartialEq,
{
    let mut chosen = Vec::new();
    for name in names {
        let choice = name.parse().map_err(Failure::usage)?;
        if !chosen.contains(&choice) {
            chosen.push(choice);
        }
    }
    Ok(if chosen.is_empty() {
        default.to_vec()
    } else {
        chosen
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_occurs_once_in_order() {
        let args = MatrixArgs {
            workload: vec![
                "ycsb_100read".into(),
                "ycsb_100update".into(),
                "ycsb_100read".into(),
            ],
            variant: vec!["no-yield".into(), "baseline".into()],
        };
        let names: Vec<_> = args
            .cells()
            .unwrap()
            .iter()
            .map(|cell| format!("{} {}", cell.workload, cell.variant))
            .collect();
        assert_eq!(
            names,
            [
                "ycsb_100read no-yield",
                "ycsb_100read baseline",
                "ycsb_100update no-yield",
                "ycsb_100update baseline"
            ]
        );
    }
}
