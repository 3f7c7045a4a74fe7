//! What a program of cust asks of CUDA: two allocations with a copy to the card each, STEPS
//! launches, one synchronisation, one copy back. libcuda is linked to it. On a card it looks
//! at what came of it; a stand-in computes nothing.
use cust::prelude::*;

const N: u32 = 1000;
const STEPS: u32 = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(include_str!("../../add.ptx"), &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let add = module.get_function("add")?;
    let y = DeviceBuffer::from_slice(&vec![0f32; N as usize])?;
    let x = DeviceBuffer::from_slice(&vec![2f32; N as usize])?;
    for _ in 0..STEPS {
        unsafe {
            launch!(add<<<(N + 255) / 256, 256, 0, stream>>>(y.as_device_ptr(), x.as_device_ptr(), N))?;
        }
    }
    stream.synchronize()?;
    let mut back = vec![0f32; N as usize];
    y.copy_to(&mut back)?;
    if std::env::var_os("STANDIN").is_none() && back.iter().any(|v| *v != 2.0 * STEPS as f32) {
        return Err(format!("the card added up {:?}", &back[..4]).into());
    }
    println!("cust: {STEPS} launches");
    Ok(())
}
