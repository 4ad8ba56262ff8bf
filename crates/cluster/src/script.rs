//! Job scripts.

use std::fmt::Write;

/// Who runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Slurm.
    Slurm,
    /// PBS, in its variants.
    Pbs,
}

/// What a job is to do, and what it may take.
#[derive(Clone, Debug)]
pub struct Request {
    /// The command that each process runs, its words as a shell takes them.
    pub command: String,
    /// A name for the job: letters, digits and dashes.
    pub name: String,
    /// The number of machines.
    pub nodes: u32,
    /// Processes on each of them.
    pub processes: u32,
    /// Threads of each process.
    pub threads: u32,
    /// The memory of each process, in bytes.
    pub memory: u64,
    /// The longest time that one run may take, in minutes.
    pub minutes: u64,
    /// What is known about the game, a line each.
    pub remarks: Vec<String>,
}

/// The exit code of a run that stopped before its time was up: EX_TEMPFAIL of sysexits.h.
pub const TRY_AGAIN: u8 = 75;

/// The seconds before the end when a run is told to stop: it finishes the pieces that are being solved.
const WARNING: u64 = 300;

/// A script for a scheduler. A run that is told to stop before its time limit ends with [`TRY_AGAIN`], and the job is put
/// into the queue again; a machine that fails does the same by way of the scheduler.
pub fn script(scheduler: Scheduler, request: &Request) -> String {
    let Request { command, name, nodes, processes, threads, memory, minutes, remarks } = request;
    let (hours, rest) = (minutes / 60, minutes % 60);
    // MPI and the file system need some too.
    let mebibytes = (memory >> 20) + (memory >> 24) + 64;
    let warning = WARNING.min(minutes * 60 / 4);
    let all = nodes * processes;
    let mut text = "#!/bin/bash\n".to_owned();
    let mut line = |line: String| _ = writeln!(text, "{line}");
    match scheduler {
        Scheduler::Slurm => {
            line(format!("#SBATCH --job-name={name}"));
            line(format!("#SBATCH --nodes={nodes}"));
            line(format!("#SBATCH --ntasks-per-node={processes}"));
            line(format!("#SBATCH --cpus-per-task={threads}"));
            line(format!("#SBATCH --mem={}M", mebibytes * u64::from(*processes)));
            line(format!("#SBATCH --time={hours:02}:{rest:02}:00"));
            line("#SBATCH --requeue".to_owned());
            line("#SBATCH --open-mode=append".to_owned());
            line(format!("#SBATCH --signal=B:TERM@{warning}"));
        }
        Scheduler::Pbs => {
            line(format!("#PBS -N {name}"));
            line(format!(
                "#PBS -l select={nodes}:ncpus={}:mpiprocs={processes}:ompthreads={threads}:mem={}mb",
                processes * threads,
                mebibytes * u64::from(*processes)
            ));
            line(format!("#PBS -l walltime={hours:02}:{rest:02}:00"));
            line("#PBS -r y".to_owned());
            line("#PBS -j oe".to_owned());
        }
    }
    line(String::new());
    remarks.iter().for_each(|remark| line(format!("# {remark}")));
    line(format!("# {all} processes on {nodes} machines; --memory is for each process."));
    line("# The same script goes on where a job was stopped, with any number of machines.".to_owned());
    line(String::new());
    if scheduler == Scheduler::Pbs {
        line("cd \"$PBS_O_WORKDIR\" || exit 1".to_owned());
        // PBS sends TERM shortly before it kills; where a site gives less time, a timer is certain.
        line(format!("( sleep {}; kill -TERM $$ ) & timer=$!", (minutes * 60).saturating_sub(warning)));
    }
    line("# mpirun hands USR1 on to every process; each one stops when its piece is done.".to_owned());
    line("told=0; trap 'told=1; kill -USR1 \"$run\" 2>/dev/null' TERM".to_owned());
    line(format!("${{MPIRUN:-mpirun}} -n {all} {command} &"));
    line("run=$!; wait \"$run\"; code=$?".to_owned());
    line("# A signal ends the wait, not the run.".to_owned());
    line("while [ \"$told\" = 1 ]; do told=0; wait \"$run\"; code=$?; done".to_owned());
    match scheduler {
        Scheduler::Slurm => {
            line(format!("if [ \"$code\" = {TRY_AGAIN} ]; then scontrol requeue \"$SLURM_JOB_ID\"; fi"));
        }
        Scheduler::Pbs => {
            line("kill \"$timer\" 2>/dev/null".to_owned());
            line(format!("if [ \"$code\" = {TRY_AGAIN} ]; then qrerun \"$PBS_JOBID\" || qsub \"$0\"; fi"));
        }
    }
    line("exit \"$code\"".to_owned());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_asks_for_what_was_said() {
        let request = Request {
            command: "winset solve connect4 8x7 --out c4 --memory 64G --threads 16".to_owned(),
            name: "connect4-8x7".to_owned(),
            nodes: 8,
            processes: 2,
            threads: 16,
            memory: 64 << 30,
            minutes: 90,
            remarks: vec!["about 10 positions".to_owned()],
        };
        let slurm = script(Scheduler::Slurm, &request);
        for line in [
            "#SBATCH --nodes=8",
            "#SBATCH --time=01:30:00",
            "#SBATCH --requeue",
            "# about 10 positions",
            "${MPIRUN:-mpirun} -n 16 winset solve connect4 8x7 --out c4 --memory 64G --threads 16 &",
        ] {
            assert!(slurm.lines().any(|other| other == line), "{line} in\n{slurm}");
        }
        let pbs = script(Scheduler::Pbs, &request);
        assert!(pbs.contains("#PBS -l select=8:ncpus=32:mpiprocs=2"), "{pbs}");
        assert!(pbs.contains("qrerun"));
    }
}
