//! The functions and numbers of libzmq that are used here, as in its `zmq.h`.

use std::ffi::{c_char, c_int, c_void};

// libzmq uses libsodium and is linked before it; the crate only has to be part of the program.
pub use libsodium_sys::{
    crypto_box_keypair, randombytes_buf, sodium_init, sodium_memcmp, sodium_memzero,
};

/// A message: libzmq alone knows what is inside, and it stays where it was made.
#[repr(C, align(8))]
pub struct RawMessage([u8; 64]);

impl RawMessage {
    pub const fn zeroed() -> RawMessage {
        RawMessage([0; 64])
    }
}

/// Called by libzmq, on any thread, when it needs the data of a message no more.
pub type FreeData = unsafe extern "C" fn(data: *mut c_void, hint: *mut c_void);

unsafe extern "C" {
    pub fn zmq_errno() -> c_int;
    pub fn zmq_strerror(code: c_int) -> *const c_char;
    pub fn zmq_ctx_new() -> *mut c_void;
    pub fn zmq_ctx_set(context: *mut c_void, option: c_int, value: c_int) -> c_int;
    pub fn zmq_ctx_term(context: *mut c_void) -> c_int;
    pub fn zmq_socket(context: *mut c_void, kind: c_int) -> *mut c_void;
    pub fn zmq_close(socket: *mut c_void) -> c_int;
    pub fn zmq_bind(socket: *mut c_void, address: *const c_char) -> c_int;
    pub fn zmq_connect(socket: *mut c_void, address: *const c_char) -> c_int;
    pub fn zmq_socket_monitor(socket: *mut c_void, address: *const c_char, events: c_int) -> c_int;
    pub fn zmq_setsockopt(
        socket: *mut c_void,
        option: c_int,
        value: *const c_void,
        size: usize,
    ) -> c_int;
    pub fn zmq_getsockopt(
        socket: *mut c_void,
        option: c_int,
        value: *mut c_void,
        size: *mut usize,
    ) -> c_int;
    pub fn zmq_send(socket: *mut c_void, data: *const c_void, size: usize, flags: c_int) -> c_int;
    pub fn zmq_msg_init(message: *mut RawMessage) -> c_int;
    pub fn zmq_msg_init_data(
        message: *mut RawMessage,
        data: *mut c_void,
        size: usize,
        free: FreeData,
        hint: *mut c_void,
    ) -> c_int;
    pub fn zmq_msg_send(message: *mut RawMessage, socket: *mut c_void, flags: c_int) -> c_int;
    pub fn zmq_msg_recv(message: *mut RawMessage, socket: *mut c_void, flags: c_int) -> c_int;
    pub fn zmq_msg_close(message: *mut RawMessage) -> c_int;
    pub fn zmq_msg_data(message: *const RawMessage) -> *const c_void;
    pub fn zmq_msg_size(message: *const RawMessage) -> usize;
    pub fn zmq_msg_more(message: *const RawMessage) -> c_int;
    pub fn zmq_msg_gets(message: *const RawMessage, property: *const c_char) -> *const c_char;
    pub fn zmq_z85_encode(text: *mut c_char, data: *const u8, size: usize) -> *mut c_char;
    pub fn zmq_z85_decode(data: *mut u8, text: *const c_char) -> *mut u8;
}

pub const ETERM: c_int = 156_384_712 + 53;

pub const ZMQ_MAX_SOCKETS: c_int = 2;

pub const ZMQ_PAIR: c_int = 0;
pub const ZMQ_PUB: c_int = 1;
pub const ZMQ_SUB: c_int = 2;
pub const ZMQ_REP: c_int = 4;
pub const ZMQ_DEALER: c_int = 5;
pub const ZMQ_ROUTER: c_int = 6;

pub const ZMQ_SUBSCRIBE: c_int = 6;
pub const ZMQ_FD: c_int = 14;
pub const ZMQ_EVENTS: c_int = 15;
pub const ZMQ_LINGER: c_int = 17;
pub const ZMQ_RECONNECT_IVL: c_int = 18;
pub const ZMQ_BACKLOG: c_int = 19;
pub const ZMQ_MAXMSGSIZE: c_int = 22;
pub const ZMQ_SNDHWM: c_int = 23;
pub const ZMQ_RCVHWM: c_int = 24;
pub const ZMQ_LAST_ENDPOINT: c_int = 32;
pub const ZMQ_ROUTER_MANDATORY: c_int = 33;
pub const ZMQ_IPV6: c_int = 42;
pub const ZMQ_CURVE_SERVER: c_int = 47;
pub const ZMQ_CURVE_PUBLICKEY: c_int = 48;
pub const ZMQ_CURVE_SECRETKEY: c_int = 49;
pub const ZMQ_CURVE_SERVERKEY: c_int = 50;
pub const ZMQ_ZAP_DOMAIN: c_int = 55;
pub const ZMQ_IPC_FILTER_UID: c_int = 59;
pub const ZMQ_IPC_FILTER_GID: c_int = 60;
pub const ZMQ_HANDSHAKE_IVL: c_int = 66;
pub const ZMQ_HEARTBEAT_IVL: c_int = 75;
pub const ZMQ_HEARTBEAT_TTL: c_int = 76;
pub const ZMQ_HEARTBEAT_TIMEOUT: c_int = 77;
pub const ZMQ_CONNECT_TIMEOUT: c_int = 79;
pub const ZMQ_ZAP_ENFORCE_DOMAIN: c_int = 93;
pub const ZMQ_DISCONNECT_MSG: c_int = 111;
pub const ZMQ_HICCUP_MSG: c_int = 114;

pub const ZMQ_DONTWAIT: c_int = 1;
pub const ZMQ_SNDMORE: c_int = 2;
pub const ZMQ_POLLIN: c_int = 1;

pub const ZMQ_EVENT_CONNECT_RETRIED: u16 = 0x0004;
pub const ZMQ_EVENT_DISCONNECTED: u16 = 0x0200;
pub const ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: u16 = 0x0800;
pub const ZMQ_EVENT_HANDSHAKE_SUCCEEDED: u16 = 0x1000;
pub const ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: u16 = 0x2000;
pub const ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: u16 = 0x4000;

pub const ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: u32 = 0x1100_0002;
