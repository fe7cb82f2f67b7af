/** What is only slightly fresher must not pass something else for that: recency in equal weights ruins recall. */
export const RECENCY_WEIGHT = 0.05
const HALF_LIFE_DAYS = 30
const DAY_MS = 86_400_000

/** 1 for what was said just now, and half of that every thirty days. */
export const recency = (atMs: number, nowMs: number): number => 2 ** (-Math.max(0, nowMs - atMs) / DAY_MS / HALF_LIFE_DAYS)
