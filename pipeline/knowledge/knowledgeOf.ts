import type { Character } from "../domain/Character.ts"
import type { Analysis } from "../grounding/Analysis.ts"

/**
 * What the character may say about itself, what it must keep secret, and what it knows and does not know about the
 * question.
 */
export interface Knowledge {
  readonly mayReveal: ReadonlyArray<string>
  /** Authored secrets. Emission watches for their words. */
  readonly mustNotReveal: ReadonlyArray<string>
  readonly knows: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
  /**
   * Which secrets the message asks about, in the analyst's words. For the writer only, since a person can influence
   * them.
   */
  readonly soughtSecrets: ReadonlyArray<string>
}

type Secret = Character["persona"]["secrets"][number]

/**
 * The trust that a secret requires if its author does not set one: 0.6 for average openness, 0.4 for the most open
 * character, 0.8 for the most reserved.
 */
const trustedAt = (disclosure: number): number => 0.6 + 0.4 * (0.5 - disclosure)
const mayReveal = ({ reveal, min_trust }: Secret, trust: number | null, disclosure: number): boolean =>
  reveal === "free" || (reveal === "trusted" && trust !== null && trust >= (min_trust ?? trustedAt(disclosure)))

/**
 * Sorts the persona's secrets by how far the person is trusted (0 to 1), and adds what the analysis found. If trust is
 * not measured, `trusted` secrets stay secret.
 */
export const knowledgeOf = (
  character: Character,
  analysis: Analysis | null = null,
  trust: number | null = null
): Knowledge => ({
  mayReveal: character.persona.secrets
    .filter((secret) => mayReveal(secret, trust, character.behavioral_thresholds.disclosure))
    .map((secret) => secret.text),
  mustNotReveal: character.persona.secrets
    .filter((secret) => !mayReveal(secret, trust, character.behavioral_thresholds.disclosure))
    .map((secret) => secret.text),
  knows: analysis?.knows ?? [],
  unknown: analysis?.unknown ?? [],
  soughtSecrets: analysis?.must_not_reveal ?? []
})
