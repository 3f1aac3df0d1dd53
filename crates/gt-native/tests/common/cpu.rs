//! Runs all tests of a binary once more for each set of instructions that the processor has besides
//! its best.

use std::process::Command;

use gt_native::cpu::Cpu;

/// Names the instructions of a process.
const VARIABLE: &str = "GT_CPU";

/// Has the engine use the instructions that this process is about.
pub fn select() {
    let Ok(name) = std::env::var(VARIABLE) else { return };
    let cpu: Cpu = name.parse().expect("it names instructions");
    cpu.select().expect("the processor has them");
}

/// Kernels of all processes have one choice, so that others need processes of their own.
#[test]
fn every_set_of_instructions_passes_these_tests() {
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    let own = std::env::current_exe().expect("this process runs a file");
    for cpu in Cpu::ALL.into_iter().filter(|cpu| *cpu < Cpu::best()) {
        let done = Command::new(&own).env(VARIABLE, cpu.to_string()).arg("--quiet").output();
        let done = done.expect("the file can be run again");
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "with {cpu}: {said}");
        assert!(said.contains("test result: ok"), "with {cpu}: {said}");
    }
}

#[test]
fn instructions_have_names_and_others_are_refused() {
    for cpu in Cpu::ALL {
        assert_eq!(cpu.to_string().parse::<Cpu>().expect("it is a name"), cpu);
    }
    let refused = "sse9".parse::<Cpu>().expect_err("it is no name");
    assert!(refused.to_string().contains("none of avx512, avx2 and portable"), "{refused}");
}
