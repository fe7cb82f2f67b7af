import { check } from "recheck"
import { type Attack, attacksOn, inWords, textOf, variationsOf } from "./attacks.ts"
import { costOf } from "./costOf.ts"
import type { Pattern } from "./readPatterns.ts"

/** Verdicts on patterns are valid for these rules. Change the name when the rules change. */
export const RULES = "recheck-4.5.0/2"

/** Twice the longest message: what every rule has to handle. */
const ATTACK_LENGTH = 64_000
const MAX_MS = 50
const PATIENCE_MS = 500
/** On so short a text, a quadratic search already stands out among a thousand. */
const TRIAL_LENGTH = 4_000
const CONSPICUOUS_MS = 2

export type Verdict =
  | { readonly safe: true }
  /** attack: a JavaScript expression for the text. Undefined if the checker could not decide. */
  | { readonly safe: false; readonly why: string; readonly attack?: string }

/** The cost of an attack at full length. The better of two tries, because of other load on the machine. */
const costAtLength = (pattern: RegExp, attack: Attack): number => {
  const text = textOf(attack, ATTACK_LENGTH)
  const [first = 0] = costOf(pattern, [text], PATIENCE_MS)
  return first <= MAX_MS || first === Infinity ? first : Math.min(first, ...costOf(pattern, [text], PATIENCE_MS))
}

const refused = (attack: Attack, cost: number, how: string): Verdict => ({
  safe: false,
  why:
    `${how}, ${cost === Infinity ? `more than ${PATIENCE_MS} ms` : `${Math.round(cost)} ms`} for ` +
    `${ATTACK_LENGTH} characters`,
  attack: inWords(attack, ATTACK_LENGTH)
})

/**
 * Whether a text of 64,000 characters can make the pattern take longer than 50 ms. recheck finds candidate texts. It
 * does not know how V8 executes the pattern, so this measures V8. Texts made of the pattern's own words are tried as
 * well, because recheck misses some.
 */
export const judge = async ({ source, flags }: Pick<Pattern, "source" | "flags">): Promise<Verdict> => {
  const pattern = new RegExp(source, flags)
  const found = await check(source, flags, { timeout: 60_000 })
  if (found.status === "unknown") return { safe: false, why: `recheck cannot decide (${found.error.kind})` }
  if (found.status === "vulnerable") {
    const cost = costAtLength(pattern, found.attack)
    if (cost > MAX_MS) return refused(found.attack, cost, found.complexity.summary)
  }
  const attacks = [...(found.status === "vulnerable" ? variationsOf(found.attack) : []), ...attacksOn(source)]
  const trials = costOf(
    pattern,
    attacks.map((attack) => textOf(attack, TRIAL_LENGTH))
  )
  for (const [index, attack] of attacks.entries()) {
    if ((trials[index] ?? 0) <= CONSPICUOUS_MS) continue
    const cost = costAtLength(pattern, attack)
    if (cost > MAX_MS) return refused(attack, cost, "tried out")
  }
  return { safe: true }
}
