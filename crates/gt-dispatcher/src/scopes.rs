//! The signals around a session's instructions. A scope is a number, defined once; each knows
//! where it wants its values, so that asking costs nothing.

use gt_core::placement::{Cut, Layout, Layouts, Mesh, OnUse, Placement, Wish};
use gt_core::{Error, Result, ScopeId, WorkerId};

use crate::placements::{PlacementId, Placements};

/// A session defines at most so many scopes.
const MOST_SCOPES: usize = 1 << 16;

/// The scopes of one session.
#[derive(Debug, Default)]
pub struct Scopes {
    /// Those that were defined, without the root.
    defined: Vec<Scope>,
    current: ScopeId,
    /// Whether one of them wants something.
    has_wishes: bool,
}

#[derive(Clone, Debug, Default)]
struct Scope {
    /// What the innermost name wants that wants something.
    wish: Option<Wish>,
    /// The placement that it stands for.
    placement: Option<PlacementId>,
}

/// Where a scope wants values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Copies on its workers, which stand for the mesh.
    pub mesh: PlacementId,
    /// For each axis of the mesh the axis of a value that it cuts, from the end if negative.
    pub cuts: &'a [Option<i32>],
    /// How many axes the mesh has.
    pub axes: usize,
    /// Whether copies that were moved are kept after their use.
    pub keep: bool,
    /// How what is placed here is used.
    pub on_use: OnUse,
}

impl Wanted<'_> {
    /// The layouts for a value with so many axes. Along an axis of the mesh whose axis the value
    /// has not, or that another one cuts already, there are copies.
    pub fn layouts(&self, rank: usize) -> Layouts {
        let mut layouts = Layouts::new();
        for axis in 0..self.axes {
            let cut = self.cuts.get(axis).copied().flatten();
            let cut = cut.map(|cut| if cut < 0 { cut + rank as i32 } else { cut });
            let cut = cut.and_then(|cut| usize::try_from(cut).ok()).filter(|cut| *cut < rank);
            let layout = cut.map_or(Layout::Replicate, |cut| Layout::Shard(Cut::even(cut)));
            let is_free = layout == Layout::Replicate || !layouts.contains(&layout);
            layouts.push(if is_free { layout } else { Layout::Replicate });
        }
        layouts
    }
}

impl Scopes {
    /// Defines the next scope.
    pub fn define(&mut self, scope: ScopeId, parent: ScopeId, wish: Option<Wish>) -> Result<()> {
        if scope.0 as usize != self.defined.len() + 1 {
            return Err(Error::bug(format!("{scope} is not the next scope")));
        }
        if self.defined.len() >= MOST_SCOPES {
            let most = MOST_SCOPES;
            return Err(Error::value(format!("a session has at most {most} signals and modules")));
        }
        self.has_wishes |= wish.is_some();
        let inherited = self.get(parent)?.map(|parent| parent.wish.clone()).unwrap_or_default();
        self.defined.push(Scope { wish: wish.or(inherited), placement: None });
        Ok(())
    }

    /// What follows belongs to this scope.
    pub fn enter(
        &mut self,
        scope: ScopeId,
        workers: &[Option<WorkerId>],
        placements: &mut Placements,
    ) -> Result<()> {
        self.get(scope)?;
        self.current = scope;
        self.resolve(workers, placements)
    }

    /// The session's workers are others than before: wishes stand for other placements.
    pub fn move_to(
        &mut self,
        workers: &[Option<WorkerId>],
        placements: &mut Placements,
    ) -> Result<()> {
        self.defined.iter_mut().for_each(|scope| scope.placement = None);
        self.resolve(workers, placements)
    }

    /// Whether a scope was defined that wants something. Without one, nothing is ever on a mesh.
    pub fn has_wishes(&self) -> bool {
        self.has_wishes
    }

    /// Whether a scope wants something of the worker with this number.
    pub fn names(&self, number: usize) -> bool {
        let wishes = self.defined.iter().filter_map(|scope| scope.wish.as_ref());
        let named = |wanted: &[u32]| wanted.iter().any(|&wanted| wanted as usize == number);
        { wishes }.any(|wish| wish.workers.is_empty() || named(&wish.workers))
    }

    /// The scope that what follows belongs to.
    pub fn current(&self) -> ScopeId {
        self.current
    }

    /// Where values are wanted that are made here.
    pub fn wish(&self) -> Option<Wanted<'_>> {
        let scope = self.get(self.current).ok().flatten()?;
        let wish = scope.wish.as_ref()?;
        let (cuts, axes) = (&wish.cuts[..], wish.mesh.len().max(1));
        let (keep, on_use) = (wish.keep, wish.on_use);
        Some(Wanted { mesh: scope.placement?, cuts, axes, keep, on_use })
    }

    /// A scope; `None` is the root.
    fn get(&self, scope: ScopeId) -> Result<Option<&Scope>> {
        let Some(index) = scope.0.checked_sub(1) else { return Ok(None) };
        let found = self.defined.get(index as usize);
        found.map(Some).ok_or_else(|| Error::bug(format!("{scope} is not defined")))
    }

    /// Finds out what the wish of the current scope stands for, if that is not known.
    fn resolve(&mut self, workers: &[Option<WorkerId>], placements: &mut Placements) -> Result<()> {
        let Some(index) = self.current.0.checked_sub(1) else { return Ok(()) };
        let scope = &mut self.defined[index as usize];
        let (Some(Wish { workers: wanted, mesh, .. }), None) = (&scope.wish, scope.placement)
        else {
            return Ok(());
        };
        if mesh.len() > 1 {
            if let Some(mesh) = array(mesh, wanted, workers) {
                scope.placement = Some(placements.intern(Placement::replicated(mesh))?);
            }
            return Ok(());
        }
        let is_wanted = |number: usize| {
            wanted.is_empty() || wanted.iter().any(|&wanted| wanted as usize == number)
        };
        let numbered = workers.iter().enumerate().filter(|&(number, _)| is_wanted(number));
        let members: Vec<WorkerId> = numbered.filter_map(|(_, worker)| *worker).collect();
        if !members.is_empty() {
            let placement = Placement::replicated(Mesh::group(members));
            scope.placement = Some(placements.intern(placement)?);
        }
        Ok(())
    }
}

/// The workers that a wish names in an array of several axes; `None` if one of them is not there,
/// one is named twice, or there are more or fewer than places. Such a wish is ignored, as every
/// wish may be.
fn array(axes: &[(Box<str>, u32)], wanted: &[u32], workers: &[Option<WorkerId>]) -> Option<Mesh> {
    let all: Vec<u32> = (0..workers.len() as u32).collect();
    let wanted = if wanted.is_empty() { &all } else { wanted };
    let is_twice = |(index, number): (usize, &u32)| wanted[..index].contains(number);
    if wanted.iter().enumerate().any(is_twice) {
        return None;
    }
    let worker = |&number: &u32| workers.get(number as usize).copied().flatten();
    let members: Vec<WorkerId> = wanted.iter().map(worker).collect::<Option<_>>()?;
    let axes: Vec<(&str, usize)> =
        axes.iter().map(|(name, size)| (&**name, *size as usize)).collect();
    Mesh::new(members, &axes).ok()
}
