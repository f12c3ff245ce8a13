//! Calls of a session of a language model.

use std::ptr;

use arenite_c::*;

use crate::arenite_calls::check;

/// A short conversation, if the model is a language model.
pub(crate) fn talk(model: *const ArModel, index: usize) {
    let (mut session, mut state, mut id) = (ptr::null_mut(), ptr::null_mut(), 0);
    let (ids, mut copy) = ([index as u32, 1, 2], [0; 2]);
    // SAFETY: the model comes from the library or is null, and the pointers are null or valid.
    unsafe {
        check(ar_session_new(model, ptr::null(), &mut session));
        for count in [3, 1] {
            check(ar_session_append(session, ids.as_ptr().wrapping_add(3 - count), count));
            check(ar_session_choose(session, &mut id));
            check(ar_session_logits(session, ptr::null_mut(), index));
        }
        check(ar_session_tokens(session, index.min(2), 2, copy.as_mut_ptr()));
        check(ar_session_save(session, &mut state));
        check(ar_session_truncate(session, index));
        check(ar_session_restore(session, state));
        let lengths =
            [ar_session_length(session), ar_session_capacity(session), ar_session_vocabulary(session)];
        std::hint::black_box(lengths);
        check(ar_session_set_sampling(session, ptr::null()));
        ar_session_state_free(state);
        ar_session_free(session);
    }
}
