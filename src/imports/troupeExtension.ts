/** Where a card that was exported here keeps the whole profile, with a hash of the rest of the card: what a card cannot carry is not lost. */
export const TROUPE_EXTENSION = "troupe"
