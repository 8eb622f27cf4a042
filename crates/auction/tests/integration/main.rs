//! Both servers over real sockets, and whatever may come their way.

mod pair;
mod service;
