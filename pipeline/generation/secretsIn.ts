import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import type { WriteRequest } from "./Writer.ts"

/**
 * What the person may be told, and of what the character keeps to itself only what they are after: what a model has not
 * read it cannot let slip.
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
