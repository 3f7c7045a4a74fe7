//! What a program of cudarc asks of CUDA: one allocation that is set to zero, one with a copy
//! to the card, STEPS launches on a stream of its own, one copy back. It loads libcuda by
//! itself, when it is first used. On a card it looks at what came of it; a stand-in computes
//! nothing.
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

const N: u32 = 1000;
const STEPS: u32 = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = std::env::args().nth(1).map_or(Ok(0), |a| a.parse())?;
    let context = CudaContext::new(device)?;
    let stream = context.new_stream()?;
    let module = context.load_module(Ptx::from_src(include_str!("../../add.ptx")))?;
    let add = module.load_function("add")?;
    let mut y = stream.alloc_zeros::<f32>(N as usize)?;
    let x = stream.clone_htod(&vec![2f32; N as usize])?;
    for _ in 0..STEPS {
        let mut launch = stream.launch_builder(&add);
        launch.arg(&mut y).arg(&x).arg(&N);
        unsafe { launch.launch(LaunchConfig::for_num_elems(N)) }?;
    }
    let back = stream.clone_dtoh(&y)?;
    stream.synchronize()?;
    if std::env::var_os("STANDIN").is_none() && back.iter().any(|v| *v != 2.0 * STEPS as f32) {
        return Err(format!("the card added up {:?}", &back[..4]).into());
    }
    println!("cudarc: {STEPS} launches");
    Ok(())
}
