import { answerTo } from "./answerTo.ts"
import { givesOwnName } from "./factPatterns.ts"
import { isWorthKeeping } from "./lasting.ts"
import type { Mentions } from "./Mentions.ts"

interface Sentence {
  /** As the person wrote it. */
  readonly said: string
  /** Without what people put before and after it. */
  readonly bare: string
  /** In words that can be understood on their own. */
  readonly text: string
}

/**
 * Whether a sentence about the person is remembered. An answer, a name, and what is told of somebody with a known name
 * are, in any words.
 */
export const isKept = ({ said, bare, text }: Sentence, askedByCharacter: string, mentions: Mentions): boolean =>
  isWorthKeeping(text, said) ||
  givesOwnName(text) ||
  answerTo(askedByCharacter, bare) !== null ||
  mentions.about(bare) !== null
