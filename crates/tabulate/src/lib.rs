//! Files of records or counts become a Table over the declared domain.
