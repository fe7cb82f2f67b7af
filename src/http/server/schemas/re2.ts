import { compilePattern } from "#pipeline/patterns.ts"

/** The error for a pattern that `isRe2` refuses. */
export const NOT_RE2 =
  "Must be a regular expression in RE2 syntax, without backreferences and lookaround, and not too large when its " +
  "repetitions are expanded"

/**
 * Authored patterns run on every turn, so they must be RE2 patterns, which run in linear time: no backreferences, no
 * lookaround, and limited size.
 */
export const isRe2 = (pattern: string): boolean => compilePattern(pattern) !== null
