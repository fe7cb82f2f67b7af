/**
 * The database read its clock between two readings of ours, all in milliseconds: how far ours is ahead, in seconds.
 * Negative: it is behind.
 */
export const aheadSeconds = (before: number, database: number, after: number): number =>
  (database < before ? before - database : database > after ? after - database : 0) / 1000
