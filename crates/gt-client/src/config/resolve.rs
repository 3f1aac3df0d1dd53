//! A config for the workers of one session: which wish each `shard` stands for.

use std::collections::BTreeSet;
use std::sync::Arc;

use gt_core::placement::Wish;
use smallvec::SmallVec;

use super::{Config, MeshAxis, MeshConfig, ParamConfig, ShardConfig, SignalConfig, axis_name};

/// A config, and how many workers there are for it.
#[derive(Debug, Default)]
pub struct Resolved {
    /// What is configured.
    pub config: Config,
    /// How many workers the session has.
    pub workers: u32,
    /// Whether a name that is not configured is an error.
    pub strict: bool,
    /// What automatic sharding wants where the config says nothing.
    pub auto: Option<Arc<Resolved>>,
}

impl Resolved {
    /// The wish that `shard` stands for. Workers that do not exist are left out; if none is left,
    /// or the mesh does not fit, there is no wish.
    pub fn wish(&self, shard: &ShardConfig) -> Option<Wish> {
        match shard {
            ShardConfig::Axis { axis, workers } => {
                self.existing(workers).map(|workers| Wish::sharded(*axis, workers))
            }
            ShardConfig::Replicated { workers } => self.existing(workers).map(Wish::replicated),
            ShardConfig::Mesh(axes) => {
                let find = |name: &str| MeshAxis::find(&self.config.meshes, name).ok();
                let first = axes.first().map_or(Some(0), |(_, name)| Some(find(name)?.mesh))?;
                let (name, mesh) = self.config.meshes.get(first)?;
                let size = |(axis, size): &(String, u32)| (axis_name(name, axis).into(), *size);
                let cut = |axis: usize| {
                    let wanted = Some(MeshAxis { mesh: first, axis });
                    axes.iter().find(|(_, name)| find(name) == wanted).map(|&(cut, _)| cut)
                };
                self.fits(mesh).then(|| Wish {
                    mesh: mesh.axes.iter().map(size).collect(),
                    cuts: (0..mesh.axes.len()).map(cut).collect(),
                    ..Wish::replicated(mesh.workers())
                })
            }
        }
    }

    /// The same for a parameter. Without workers of its own it has those of its module.
    pub fn param_wish(&self, param: &ParamConfig, of_module: &[u32]) -> Option<Wish> {
        let mut shard = param.shard.clone();
        if let ShardConfig::Axis { workers, .. } | ShardConfig::Replicated { workers } = &mut shard
            && workers.is_empty()
        {
            workers.extend(of_module);
        }
        let wish = self.wish(&shard)?;
        Some(Wish { on_use: param.on_use, keep: param.keep.unwrap_or(true), ..wish })
    }

    /// One of the wishes, and the entry that has it; `None` if nothing is wanted.
    pub fn any_wish(&self) -> Option<(String, Wish)> {
        let of_signal = |(name, signal): &(String, SignalConfig)| {
            self.wish(signal.shard.as_ref()?).map(|wish| (name.clone(), wish))
        };
        let of_param = |(name, param): &(String, ParamConfig)| {
            self.param_wish(param, &[]).map(|wish| (name.clone(), wish))
        };
        let signal = self.config.signals.iter().find_map(of_signal);
        let own = signal.or_else(|| self.config.params.iter().find_map(of_param));
        own.or_else(|| self.auto.as_ref()?.any_wish())
    }

    fn existing(&self, workers: &[u32]) -> Option<SmallVec<[u32; 4]>> {
        let found: SmallVec<_> =
            workers.iter().copied().filter(|&worker| worker < self.workers).collect();
        (workers.is_empty() || !found.is_empty()).then_some(found)
    }

    fn fits(&self, mesh: &MeshConfig) -> bool {
        mesh.workers().iter().all(|&worker| worker < self.workers)
    }

    /// What of a part of the config does not fit the workers of the session, if something does not.
    pub fn complaint(&self, part: &Config) -> Option<String> {
        let (mut missing, mut names) = (BTreeSet::new(), Vec::new());
        let signals = part.signals.iter();
        let signals = signals.filter_map(|(name, signal)| Some((name, signal.shard.as_ref()?)));
        let params = part.params.iter().map(|(name, param)| (name, &param.shard));
        for (name, shard) in signals.chain(params) {
            let (ShardConfig::Axis { workers, .. } | ShardConfig::Replicated { workers }) = shard
            else {
                continue;
            };
            let absent: Vec<u32> =
                workers.iter().copied().filter(|&worker| worker >= self.workers).collect();
            if !absent.is_empty() {
                missing.extend(absent);
                names.push(format!("'{name}'"));
            }
        }
        let count = self.workers;
        let too_large = part.meshes.iter().filter(|(_, mesh)| !self.fits(mesh));
        let meshes = too_large.map(|(called, mesh)| {
            let size =
                |(axis, size): &(String, u32)| format!("{}: {size}", axis_name(called, axis));
            let sizes: Vec<_> = mesh.axes.iter().map(size).collect();
            let most = mesh.workers().into_iter().max().unwrap_or_default();
            let sizes = sizes.join(", ");
            format!(
                "the mesh {{{sizes}}} needs worker {most}, but the session has {count}, numbered \
                 from 0; what is cut along it is ignored"
            )
        });
        let listed: Vec<String> = missing.iter().map(u32::to_string).collect();
        let left_out = (!listed.is_empty()).then(|| {
            let (listed, names) = (listed.join(", "), names.join(", "));
            format!(
                "the session has {count} workers, numbered from 0; {listed} of {names} do not \
                 exist and are left out"
            )
        });
        let complaints: Vec<String> = left_out.into_iter().chain(meshes).collect();
        (!complaints.is_empty()).then(|| complaints.join("; "))
    }
}
