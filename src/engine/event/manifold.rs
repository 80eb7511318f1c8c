//! placeholder
#[allow(missing_docs, reason="placeholder")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactId(pub u64);
#[allow(missing_docs, reason="placeholder")]
impl ContactId {
 pub fn of_event(f: super::enumerate::EventFeatures)->Self{ use super::enumerate::EventFeatures::*; let (k,a,b)=match f {VertexFace{vertex,face}=>(0,vertex,face),FaceVertex{face,vertex}=>(1,face,vertex),EdgeEdge{edge_a,edge_b}=>(2,edge_a,edge_b)}; Self((k as u64)<<60|(a as u64)<<30|b as u64)}
 pub fn of_vertex(v:u32)->Self{Self(v as u64)}
}
