import { mayAnswer } from "#pipeline/grounding/answers.ts"
import type { Question } from "./converse.ts"
import type { RecallHarness, Variant } from "./RecallHarness.ts"

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
const shareOf = (value: number): number => Math.round(value * 1_000) / 1_000

export interface Measured {
  readonly questions: number
  /** The share of the answering turns that are among the first five and ten results, over all questions. */
  readonly at5: number
  readonly at10: number
}

/** How much of the answers to these questions is found. */
export const recallOf = async (
  held: ReadonlyArray<RecallHarness>,
  fits: (question: Question) => boolean,
  variant: Variant = {}
): Promise<Measured> => {
  const five: Array<number> = []
  const ten: Array<number> = []
  for (const { conversation, ask } of held) {
    for (const question of conversation.questions.filter((question) => question.cursors.length > 0 && fits(question))) {
      const found = (await ask(question, variant)).map(({ cursor }) => cursor)
      const share = (most: number) =>
        mean(question.cursors.map((cursor) => Number(found.slice(0, most).includes(cursor))))
      five.push(share(5))
      ten.push(share(10))
    }
  }
  return { questions: ten.length, at5: shareOf(mean(five)), at10: shareOf(mean(ten)) }
}

/** For how many questions about things that were never said the rules would accept a result as an answer. */
export const falseClaims = async ({ conversation, ask }: RecallHarness) => {
  const negative = conversation.questions.filter(({ cursors }) => cursors.length === 0)
  let claimed = 0
  for (const question of negative)
    if ((await ask(question)).some(({ text }) => mayAnswer(question.text)(text))) claimed++
  return { questions: negative.length, false_claims: claimed }
}
