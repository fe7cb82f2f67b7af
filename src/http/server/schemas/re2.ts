import { compilePattern } from "#pipeline/patterns.ts"

/** What is wrong with a pattern that `isRe2` refuses. */
export const NOT_RE2 =
  "Must be a regular expression in RE2 syntax: no backreferences, no lookaround; and not too large once its " +
  "counts are written out"

/**
 * Authored patterns run on every turn, so they are RE2's, whose time is linear in the text: no backreferences, no
 * lookaround; and of a size that is soon looked for.
 */
export const isRe2 = (pattern: string): boolean => compilePattern(pattern) !== null
