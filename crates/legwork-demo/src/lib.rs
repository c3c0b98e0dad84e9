//! A grocery store on loopback to try the shopper on: search, categories, a cart, a sign-in that expires, and
//! a checkout that nobody may reach. It knows nothing of the shopper.
