use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

const ADJOINT: &[u8] = include_bytes!("../kernels/adjoint.cubin");
const BACKWARD: &str = "scan_backward";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Window {
    pub scale: f32,
    pub bias: f32,
    pub from: u32,
    pub to: u32,
    pub taps: [f32; 10],
}

unsafe impl DeviceRepr for Window {}

pub struct Kernels {
    stream: Arc<CudaStream>,
    forward: CudaFunction,
    backward: CudaFunction,
    window: CudaFunction,
    sum: CudaFunction,
}

fn adjoint(ctx: &Arc<CudaContext>) -> Result<Arc<CudaModule>, DriverError> {
    ctx.load_module(Ptx::from_binary(ADJOINT.to_vec()))
}

impl Kernels {
    pub fn new(ctx: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let scan = ctx.load_module(Ptx::from_src(include_str!("../kernels/scan.ptx")))?;
        let adjoint = adjoint(ctx)?;
        let window = scan.load_function("scan_window")?;
        Ok(Self {
            stream: ctx.default_stream(),
            forward: scan.load_function("scan_forward")?,
            backward: adjoint.load_function(BACKWARD)?,
            window,
            sum: adjoint.load_function("sum")?,
        })
    }

    #[allow(clippy::too_many_arguments)]
    pub fn forward(
        &self,
        x: &CudaSlice<f32>,
        g: &CudaSlice<f32>,
        b: &CudaSlice<f32>,
        out: &mut CudaSlice<f32>,
        state: &mut CudaSlice<f32>,
        heads: u32,
        decay: f32,
    ) -> Result<(), DriverError> {
        let n = x.len() as u32;
        let chunk = 64u32;
        let mut launch = self.stream.launch_builder(&self.forward);
        launch.arg(x).arg(g).arg(b);
        launch.arg(out);
        launch.arg(state);
        launch.arg(&n).arg(&heads).arg(&chunk); // nine with the last, as the kernel has
        launch.arg(&decay);
        unsafe { launch.launch(LaunchConfig::for_num_elems(n * heads)) }?;
        Ok(())
    }

    pub fn backward(&self, d_out: &CudaSlice<f32>, d_x: &mut CudaSlice<f32>, decay: f32) -> Result<(), DriverError> {
        let n = d_out.len() as u32;
        unsafe {
            self.stream
                .launch_builder(&self.backward)
                .arg(d_out)
                .arg(d_x)
                .arg(&n)
                .arg(&decay)
                .launch(LaunchConfig::for_num_elems(n))
        }?;
        Ok(())
    }

    pub fn window(&self, out: &mut CudaSlice<f32>) -> Result<(), DriverError> {
        let w = Window { scale: 1.0, bias: 0.0, from: 0, to: 10, taps: [0.1; 10] };
        unsafe { self.stream.launch_builder(&self.window).arg(out).arg(&w).launch(LaunchConfig::for_num_elems(10)) }?;
        Ok(())
    }

    pub fn sum(&self, x: &CudaSlice<f32>) -> Result<CudaSlice<f32>, DriverError> {
        let mut total = self.stream.alloc_zeros::<f32>(1)?;
        let n = x.len() as u32;
        let cfg = LaunchConfig { grid_dim: (n.div_ceil(256), 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        let mut launch = self.stream.launch_builder(&self.sum);
        launch.arg(x);
        launch.arg(&mut total);
        launch.arg(&n);
        unsafe { launch.launch(cfg) }?;
        Ok(total)
    }
}
