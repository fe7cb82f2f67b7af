import type { Character } from "../domain/Character.ts"
import type { Analysis } from "../grounding/Analysis.ts"

/** What the character may say of itself, what it must keep, and what it does and does not know of what is asked. */
export interface Knowledge {
  readonly mayReveal: ReadonlyArray<string>
  /** Authored secrets. Emission watches for their words. */
  readonly mustNotReveal: ReadonlyArray<string>
  readonly knows: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
  /** Which secrets the message is after, in the analyst's words: for the writer only, since a person can steer them. */
  readonly soughtSecrets: ReadonlyArray<string>
}

type Secret = Character["persona"]["secrets"][number]

/**
 * Trust that a secret takes where its author says no more of it: 0.6 for a character of ordinary openness, 0.4 for the
 * most open, 0.8 for the most reserved.
 */
const trustedAt = (disclosure: number): number => 0.6 + 0.4 * (0.5 - disclosure)
const mayTell = ({ reveal, min_trust }: Secret, trust: number | null, disclosure: number): boolean =>
  reveal === "free" || (reveal === "trusted" && trust !== null && trust >= (min_trust ?? trustedAt(disclosure)))

/**
 * Sorts the persona's secrets by how far the person is trusted (0 to 1), and adds what the analysis found. Without a
 * measure of trust, `trusted` ones stay kept.
 */
export const know = (
  character: Character,
  analysis: Analysis | null = null,
  trust: number | null = null
): Knowledge => ({
  mayReveal: character.persona.secrets
    .filter((secret) => mayTell(secret, trust, character.behavioral_thresholds.disclosure))
    .map((secret) => secret.text),
  mustNotReveal: character.persona.secrets
    .filter((secret) => !mayTell(secret, trust, character.behavioral_thresholds.disclosure))
    .map((secret) => secret.text),
  knows: analysis?.knows ?? [],
  unknown: analysis?.unknown ?? [],
  soughtSecrets: analysis?.must_not_reveal ?? []
})
