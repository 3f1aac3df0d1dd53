//! Kinds of work, by which views choose colours. They are read off an operation's row.

use std::sync::LazyLock;

use gt_core::op::{Autocast, Op, Role, View};
use gt_core::ops;
use gt_core::record::{Record, code};

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Products of matrices and what is made of them.
    Matmul,
    /// One result for each element.
    Elementwise,
    /// Fewer results than elements.
    Reduction,
    /// Several operations in one: losses, norms, steps of optimisers.
    Composite,
    /// Elements at positions that are data.
    Indexing,
    /// Elements that only change places.
    Movement,
    /// Values without inputs.
    Create,
    /// Values between workers.
    Transfer,
    /// Values between clients and workers.
    Data,
    /// Everything that computes nothing.
    Control,
}

impl Kind {
    /// All of them, in the order in which legends list them.
    pub const ALL: [Kind; 10] = [
        Kind::Matmul,
        Kind::Elementwise,
        Kind::Reduction,
        Kind::Composite,
        Kind::Indexing,
        Kind::Movement,
        Kind::Create,
        Kind::Transfer,
        Kind::Data,
        Kind::Control,
    ];

    /// Its place in [`Kind::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Matmul => "matmul",
            Kind::Elementwise => "elementwise",
            Kind::Reduction => "reduction",
            Kind::Composite => "composite",
            Kind::Indexing => "indexing",
            Kind::Movement => "movement",
            Kind::Create => "create",
            Kind::Transfer => "transfer",
            Kind::Data => "data",
            Kind::Control => "control",
        }
    }

    /// The same in six letters.
    pub fn short(self) -> &'static str {
        match self {
            Kind::Matmul => "matmul",
            Kind::Elementwise => "elem",
            Kind::Reduction => "reduce",
            Kind::Composite => "compos",
            Kind::Indexing => "index",
            Kind::Movement => "move",
            Kind::Create => "create",
            Kind::Transfer => "transf",
            Kind::Data => "data",
            Kind::Control => "ctrl",
        }
    }

    /// Its colour: red, green, blue. They differ for those who do not see all colours.
    pub fn colour(self) -> (u8, u8, u8) {
        match self {
            Kind::Matmul => (0x3b, 0x6f, 0xb6),
            Kind::Elementwise => (0xf2, 0x8e, 0x2b),
            Kind::Reduction => (0xd6, 0x45, 0x50),
            Kind::Composite => (0x8f, 0x63, 0xb8),
            Kind::Indexing => (0x4d, 0x9a, 0x50),
            Kind::Movement => (0x5b, 0xb5, 0xb0),
            Kind::Create => (0xe3, 0xbf, 0x3a),
            Kind::Transfer => (0xd9, 0x5f, 0xa0),
            Kind::Data => (0x8c, 0x6a, 0x4f),
            Kind::Control => (0x9a, 0xa0, 0xa6),
        }
    }

    /// The letter that stands for it where there are no colours.
    pub fn letter(self) -> char {
        match self {
            Kind::Matmul => 'M',
            Kind::Elementwise => 'E',
            Kind::Reduction => 'R',
            Kind::Composite => 'C',
            Kind::Indexing => 'I',
            Kind::Movement => 'V',
            Kind::Create => 'N',
            Kind::Transfer => 'T',
            Kind::Data => 'D',
            Kind::Control => '-',
        }
    }

    /// The kind of an operation.
    pub fn of_op(op: &Op) -> Kind {
        let has = |role: Role| op.inputs.iter().any(|input| input.role == role);
        let reduces = op.attrs.iter().any(|spec| spec.name == "keepdim");
        if op.inputs.is_empty() {
            return Kind::Create;
        }
        match op.autocast {
            Autocast::Lower => Kind::Matmul,
            _ if has(Role::Index) => Kind::Indexing,
            _ if op.variadic || !matches!(op.view, View::No) => Kind::Movement,
            _ if reduces => Kind::Reduction,
            _ if op.expansion.is_some() => Kind::Composite,
            _ if op.inputs[0].role == Role::Any => Kind::Movement,
            _ => Kind::Elementwise,
        }
    }

    /// The kind of a command in an event. Views ask this of each event, and rows take long to read.
    pub fn of_record(record: &Record) -> Kind {
        static KINDS: LazyLock<Box<[Kind]>> =
            LazyLock::new(|| (0..=u16::MAX).map(Kind::of_code).collect());
        KINDS[usize::from(record.op)]
    }

    fn of_code(code: u16) -> Kind {
        match code {
            code::UPLOAD | code::ANNOUNCE | code::READ | code::DESCRIBE => Kind::Data,
            code::RECEIVE | code::MOVE => Kind::Transfer,
            op => ops::by_code(op).map_or(Kind::Control, Kind::of_op),
        }
    }

    /// The kind of a command in a line of the log: by the name of its operation, if it has one, and
    /// else by its own.
    pub fn of_names(command: &str, op: Option<&str>) -> Kind {
        if let Some(op) = op.and_then(ops::by_name) {
            return Kind::of_op(op);
        }
        match command.trim_start_matches("Worker") {
            "CreateTensor" | "GetData" | "GetShape" => Kind::Data,
            "ReceiveTensor" | "MoveTensor" => Kind::Transfer,
            _ => Kind::Control,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_the_kind_that_people_expect() {
        let kind = |name: &str| Kind::of_op(ops::by_name(name).expect(name));
        assert_eq!(["matmul", "addmm", "conv2d"].map(kind), [Kind::Matmul; 3]);
        assert_eq!(["add", "exp", "where"].map(kind), [Kind::Elementwise; 3]);
        assert_eq!(["sum", "mean", "amax"].map(kind), [Kind::Reduction; 3]);
        assert_eq!(["softmax", "standardize"].map(kind), [Kind::Composite; 2]);
        assert_eq!(["reshape", "permute", "cat"].map(kind), [Kind::Movement; 3]);
        assert_eq!(["randn", "zeros"].map(kind), [Kind::Create; 2]);
        assert_eq!(kind("gather"), Kind::Indexing);
    }

    #[test]
    fn kinds_differ_in_letter_and_colour() {
        for (index, one) in Kind::ALL.iter().enumerate() {
            assert_eq!(one.index(), index);
            for other in &Kind::ALL[index + 1..] {
                assert_ne!(one.letter(), other.letter());
                assert_ne!(one.colour(), other.colour());
            }
        }
    }
}
