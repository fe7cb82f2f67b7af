/**
 * Where a card that was exported here keeps the whole character but for its pictures, with a hash of what the rest of
 * the card says: what a card cannot carry is not lost.
 */
export const TROUPE_EXTENSION = "troupe"
