import { RE2JS } from "re2js"

/** Authored patterns run on every turn, so they are RE2's, whose time is linear in the text: no backreferences, no lookaround. */
export const isRe2 = (pattern: string): boolean => {
  try {
    RE2JS.compile(pattern)
    return true
  } catch {
    return false
  }
}
