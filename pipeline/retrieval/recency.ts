const HALF_LIFE_DAYS = 30
const DAY_MS = 86_400_000

/** 1 for what was just said, halved every thirty days. */
export const recency = (atMs: number, nowMs: number): number =>
  2 ** (-Math.max(0, nowMs - atMs) / DAY_MS / HALF_LIFE_DAYS)
