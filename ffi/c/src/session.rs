//! Functions of `arenite/session.h`: conversations with a language model.

use std::sync::{Mutex, MutexGuard, TryLockError};

use arenite_language::{Error as LanguageError, Sampler, Sampling, Session, State};

use crate::arguments::{self, list, out, put, put_list, shared};
use crate::error::{
    AR_ERROR_FAILED, AR_ERROR_MODEL, AR_ERROR_PANICKED, AR_ERROR_STATE, ArError, Failure, Result, guard,
    guard_value,
};
use crate::model::ArModel;
use crate::options::ArOptions;

/// A conversation. A faulty program may make two calls at the same time, so no function creates an exclusive reference
/// to it.
pub struct ArSession(Mutex<Conversation>);

struct Conversation {
    session: Session,
    sampler: Sampler,
}

/// The tokens and caches of a session at some time.
pub struct ArSessionState(State);

/// How a token is chosen.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArSampling {
    temperature: f32,
    top_p: f32,
    min_p: f32,
    top_k: u32,
    seed: u64,
}

impl From<LanguageError> for Failure {
    fn from(error: LanguageError) -> Self {
        let message = error.to_string();
        match error {
            LanguageError::Runtime(error) => Failure::from(*error),
            LanguageError::Model(_) => Failure::new(AR_ERROR_MODEL, message),
            LanguageError::Empty => Failure::new(AR_ERROR_STATE, message),
            LanguageError::Logits => Failure::new(AR_ERROR_FAILED, message),
            LanguageError::Token { .. }
            | LanguageError::Full { .. }
            | LanguageError::Option(_)
            | LanguageError::State(_) => Failure::argument(message),
        }
    }
}

impl ArSession {
    /// Locks the session. Fails while another call uses it, and after one panicked.
    fn lock(&self) -> Result<MutexGuard<'_, Conversation>> {
        match self.0.try_lock() {
            Ok(conversation) => Ok(conversation),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                AR_ERROR_STATE,
                "the session is in use by another call: use it on one thread at a time",
            )),
            Err(TryLockError::Poisoned(_)) => Err(Failure::new(
                AR_ERROR_PANICKED,
                "the session panicked in an earlier call: free it and create another one",
            )),
        }
    }
}

fn using(session: *const ArSession, body: impl FnOnce(&mut Conversation) -> Result<()>) -> *mut ArError {
    guard(|| {
        // SAFETY: `session` is null or a live handle, as the header requires.
        body(&mut *unsafe { shared(session, "session") }?.lock()?)
    })
}

/// A property of the session; 0 for null and while another call uses the session.
fn number(session: *const ArSession, body: impl FnOnce(&Session) -> usize) -> usize {
    guard_value(0, || {
        // SAFETY: `session` is null or a live handle, as the header requires.
        Ok(body(&unsafe { shared(session, "session") }?.lock()?.session))
    })
}

/// Creates a session without tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_new(
    model: *const ArModel,
    options: *const ArOptions,
    session: *mut *mut ArSession,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `session` is null or writable, `model` and `options` are null or live handles, as the header
        // requires.
        let (out, model, options) =
            unsafe { (out(session, "session")?, shared(model, "model")?, options.as_ref()) };
        let default = ArOptions::default();
        let options = options.unwrap_or(&default);
        let interpreter = options.build(&model.model, &*options.find()?)?;
        let (session, sampler) = (Session::new(interpreter)?, Sampler::new(&Sampling::default())?);
        out.give(ArSession(Mutex::new(Conversation { session, sampler })));
        Ok(())
    })
}

/// The number of positions in the caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_capacity(session: *const ArSession) -> usize {
    number(session, Session::capacity)
}

/// The number of tokens that the model knows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_vocabulary(session: *const ArSession) -> usize {
    number(session, Session::vocabulary)
}

/// The number of tokens in the caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_length(session: *const ArSession) -> usize {
    number(session, |session| session.tokens().len())
}

/// Copies tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_tokens(
    session: *const ArSession,
    first: usize,
    count: usize,
    ids: *mut u32,
) -> *mut ArError {
    using(session, |conversation| {
        let tokens = conversation.session.tokens();
        let part = tokens.get(first..).and_then(|rest| rest.get(..count)).ok_or_else(|| {
            Failure::argument(format!(
                "{count} tokens from token {first} do not exist: the session has {} tokens",
                tokens.len()
            ))
        })?;
        // SAFETY: `ids` is null or has room for `count` tokens, as the header requires.
        unsafe { put_list(ids, "ids", part) }
    })
}

/// Appends tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_append(
    session: *mut ArSession,
    ids: *const u32,
    count: usize,
) -> *mut ArError {
    using(session, |conversation| {
        // SAFETY: `ids` is null or points to `count` tokens, as the header requires.
        Ok(conversation.session.append(unsafe { list(ids, count, "ids") }?)?)
    })
}

/// Copies the logits of the token that follows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_logits(
    session: *const ArSession,
    logits: *mut f32,
    count: usize,
) -> *mut ArError {
    using(session, |conversation| {
        let found = conversation.session.logits()?;
        if found.len() != count {
            return Err(Failure::argument(format!(
                "'count' is {count}, the model has {} logits",
                found.len()
            )));
        }
        // SAFETY: `logits` is null or has room for `count` numbers, as the header requires.
        unsafe { put_list(logits, "logits", found) }
    })
}

/// Sets how tokens are chosen.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_set_sampling(
    session: *mut ArSession,
    sampling: *const ArSampling,
) -> *mut ArError {
    using(session, |conversation| {
        // SAFETY: `sampling` is null or points to a struct that does not change, as the header requires.
        let &ArSampling { temperature, top_p, min_p, top_k, seed } = unsafe { shared(sampling, "sampling") }?;
        conversation.sampler =
            Sampler::new(&Sampling { temperature, top_k: top_k as usize, top_p, min_p, seed })?;
        Ok(())
    })
}

/// Chooses the token that follows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_choose(session: *mut ArSession, id: *mut u32) -> *mut ArError {
    using(session, |conversation| {
        let Conversation { session, sampler } = conversation;
        let chosen = sampler.choose(session.logits()?)?;
        // SAFETY: `id` is null or writable, as the header requires.
        unsafe { put(id, "id", chosen) }
    })
}

/// Drops all tokens but the first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_truncate(session: *mut ArSession, count: usize) -> *mut ArError {
    using(session, |conversation| {
        conversation.session.truncate(count);
        Ok(())
    })
}

/// Copies tokens and caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_save(
    session: *mut ArSession,
    state: *mut *mut ArSessionState,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `state` is null or writable, and `session` is null or a live handle, as the header requires.
        let (out, session) = unsafe { (out(state, "state")?, shared(session, "session")?) };
        out.give(ArSessionState(session.lock()?.session.save()?));
        Ok(())
    })
}

/// Continues from a state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_restore(
    session: *mut ArSession,
    state: *const ArSessionState,
) -> *mut ArError {
    using(session, |conversation| {
        // SAFETY: `state` is null or a live handle, as the header requires.
        Ok(conversation.session.restore(&unsafe { shared(state, "state") }?.0)?)
    })
}

/// Frees a state. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_state_free(state: *mut ArSessionState) {
    // SAFETY: `state` is null or a state that the caller owns, as the header requires.
    unsafe { arguments::free(state) };
}

/// Frees a session. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_session_free(session: *mut ArSession) {
    // SAFETY: `session` is null or a session that the caller owns, as the header requires.
    unsafe { arguments::free(session) };
}
