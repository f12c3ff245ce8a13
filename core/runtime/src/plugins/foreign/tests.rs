use super::*;

/// After its header, an interface has only functions. A registration also has its name and an optional `query`.
#[test]
fn every_function_is_looked_at() {
    fn words<T>() -> usize {
        (size_of::<T>() - size_of::<ArHeader>()) / size_of::<usize>()
    }
    macro_rules! interfaces { ($($name:ident)*) => {$(
        assert_eq!($name::FUNCTIONS.len(), words::<$name>(), stringify!($name));
    )*} }
    interfaces!(ArClaimV1 ArClaimWithHostV1 ArCompileV1 ArKernelPlanV1 ArPlanV1 ArCreateV1 ArVouchV1 ArAssignV1 ArDevicesV1 ArFactsV1 ArBuffersV1 ArBindV1 ArEmbedV1);
    assert_eq!(ArPlannerV1::FUNCTIONS.len(), words::<ArPlannerV1>() - 3);
    assert_eq!(ArDelegateV1::FUNCTIONS.len(), words::<ArDelegateV1>() - 3);
}

#[test]
fn an_array_that_would_go_on_behind_the_end_of_memory_is_not_read() {
    let end = usize::MAX - 4095;
    let base = std::ptr::without_provenance::<ArPlannerV1>(end);
    let most = 4096 / size_of::<ArPlannerV1>();
    for (count, stride) in [(most + 1, size_of::<ArPlannerV1>()), (2, 4096), (1, 4096)] {
        // SAFETY: nothing is read, because the array would end past the last address.
        let refused = unsafe { read_all(base, count, stride, "planner") }.err().expect("it wraps");
        assert!(
            refused.starts_with(&format!("it has {count} planners, {stride} bytes apart at 0xfff")),
            "{refused}"
        );
        assert!(refused.ends_with("before the end of memory"), "{refused}");
    }
}

#[test]
fn a_null_function_is_named_with_its_op() {
    let mut op = MaybeUninit::<ArOpV1>::zeroed();
    let refusal = |op: &mut MaybeUninit<ArOpV1>, code: i32| {
        // SAFETY: fields of the struct.
        unsafe {
            (&raw mut (*op.as_mut_ptr()).header).write(ArHeader::of::<ArOpV1>());
            (&raw mut (*op.as_mut_ptr()).builtin_code).write(code);
            read(op.as_ptr(), "the op").err().expect("`eval` is null")
        }
    };
    let wanted =
        |name: &str| format!("the op{name} has no function 'eval', which the host calls: set it; it is null");
    assert_eq!(refusal(&mut op, 3), wanted(" ('CONV_2D')"));
    assert_eq!(refusal(&mut op, BUILTIN_CUSTOM), wanted(""));
    assert_eq!(refusal(&mut op, -7), wanted(""));
}
