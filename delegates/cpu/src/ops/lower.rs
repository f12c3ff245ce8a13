//! From a model's node to a layer that only this delegate has.

use arenite_abi::prelude::*;
use arenite_layers::{Parts, Source};

use super::{
    conv_3d, embedding, floor_div, floor_mod, halves, hybrid, pow, quantized, recurrent, reduce_prod, rfft,
    scan, scatter_nd, typed, variable,
};
use crate::net::CpuLayer;

impl<'a> arenite_layers::EngineLowering<'a> for CpuLayer<'a> {
    fn lower(x: &Source<'_, 'a>) -> Option<Result<arenite_layers::Node<Self>>> {
        let quantized = || Some(quantized::lower(x)?.map(|node| node.with(CpuLayer::Quantized)));
        let hybrid = || Some(hybrid::lower(x)?.map(|node| node.with(CpuLayer::Hybrid)));
        let recurrent = || Some(recurrent::lower(x)?.map(|node| node.with(CpuLayer::Recurrent)));
        let conv_3d = || Some(conv_3d::lower(x)?.map(|node| node.with(CpuLayer::Conv3d)));
        let typed = || {
            let own = pow::lower(x).or_else(|| halves::lower(x)).or_else(|| floor_div::lower(x));
            let own = own.or_else(|| floor_mod::lower(x));
            Some(own.or_else(|| typed::lower(x))?.map(|node| node.with(CpuLayer::Typed)))
        };
        let embedding = || Some(embedding::lower(x)?.map(|node| node.with(CpuLayer::Embedding)));
        let rfft = || Some(rfft::lower(x)?.map(|node| node.with(CpuLayer::Rfft)));
        let reduce_prod = || Some(reduce_prod::lower(x)?.map(|node| node.with(CpuLayer::ReduceProd)));
        let scatter_nd = || Some(scatter_nd::lower(x)?.map(|node| node.with(CpuLayer::ScatterNd)));
        let variable = || Some(variable::lower(x)?.map(|node| node.with(CpuLayer::Variable)));
        let scan = || Some(scan::lower(x)?.map(|node| node.with(|scan| CpuLayer::Scan(Box::new(scan)))));
        recurrent()
            .or_else(quantized)
            .or_else(hybrid)
            .or_else(conv_3d)
            .or_else(typed)
            .or_else(rfft)
            .or_else(embedding)
            .or_else(reduce_prod)
            .or_else(scatter_nd)
            .or_else(variable)
            .or_else(scan)
    }
}

impl<'a> arenite_layers::EngineLayer<'a> for CpuLayer<'a> {
    fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            CpuLayer::Quantized(layer) => Parts { window: layer.window_mut(), ..Parts::NONE },
            CpuLayer::Hybrid(layer) => layer.parts_mut(),
            CpuLayer::Scan(layer) => Parts { values: Some(&mut layer.values), ..Parts::NONE },
            CpuLayer::Conv3d(_)
            | CpuLayer::Typed(_)
            | CpuLayer::Rfft(_)
            | CpuLayer::Embedding(_)
            | CpuLayer::Variable(_)
            | CpuLayer::Recurrent(_)
            | CpuLayer::Attention(_)
            | CpuLayer::Cascade(_)
            | CpuLayer::ReduceProd(_)
            | CpuLayer::Join(_)
            | CpuLayer::ScatterNd(_) => Parts::NONE,
        }
    }

    fn accesses_variable(&self) -> bool {
        matches!(self, CpuLayer::Variable(_))
    }
}
