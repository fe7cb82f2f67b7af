import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import type { WriteRequest } from "./Writer.ts"

/**
 * The secrets that the person may be told, and of the others only those that the message asks about. A model cannot
 * leak what it has not read.
 */
export const secretsIn = ({ turn, knowledge: { mayReveal, mustNotReveal, soughtSecrets } }: WriteRequest) => {
  const asked = new Set(contentOf(terms(turn.text)))
  const isSought = (secret: string) => contentOf(terms(secret)).some((word) => asked.has(word))
  const kept = soughtSecrets.length > 0 ? mustNotReveal : mustNotReveal.filter(isSought)
  return {
    ...(mayReveal.length > 0 && { may_reveal: mayReveal }),
    ...(kept.length > 0 && { must_not_reveal: kept }),
    ...(soughtSecrets.length > 0 && { asked_for_secrets: soughtSecrets })
  }
}
