/**
 * Where an exported card keeps the whole character except its pictures, with a hash of the rest of the card. So nothing
 * is lost that a card has no fields for.
 */
export const TROUPE_EXTENSION = "troupe"
