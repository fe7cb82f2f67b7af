import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Act } from "./acts.ts"
import { type Candidate, candidatesOf } from "./candidates.ts"
import { type Conversation, conversationOf } from "./Conversation.ts"
import { OWN_LINES } from "./ownLines.ts"
import { isBlocked, repetition } from "./repetition.ts"
import { voicePass } from "./voicePass.ts"

export interface Choice {
  readonly line: string
  readonly act: Act
  readonly cites: ReadonlyArray<number>
}

/** One question about the character in so many is asked back. */
const ASKED_BACK = 3

/** "And you?" after an answer, where the character has not just asked something. */
const askBack = ({ repertoire, said, seed }: Conversation, { line, answersQuestion }: Candidate): ReadonlyArray<Omit<Candidate, "score">> => {
  const asks = (text: string): boolean => text.includes("?")
  if (!answersQuestion || asks(line) || said.length < 2 || said.slice(-2).some(asks) || seed % ASKED_BACK !== 0) return []
  const authored = repertoire.lines.ask_back
  const lines = authored.length > 0 ? authored : OWN_LINES.ask_back
  const asked = lines[(seed >>> 4) % lines.length]
  return asked === undefined ? [] : [{ line: asked, own: authored.length === 0, slots: {}, cites: [], answersQuestion: false }]
}

/** What is said in this turn: the best that fits, in the character's voice, and that was not said lately. After a refusal it is the one after that. */
export const choose = (request: WriteRequest): Choice => {
  const conversation = conversationOf(request)
  const { act, said } = conversation
  const voiced = voicePass(request.turn, said)
  const costOf = repetition(said)
  const sayable = candidatesOf(conversation)
    .flatMap((candidate) => {
      const line = voiced(candidate)
      return line === null ? [] : [{ candidate, line, score: candidate.score - costOf(line) }]
    })
    .sort((a, b) => b.score - a.score)
  const fresh = sayable.filter(({ line }) => !isBlocked(costOf(line)))
  // Everything has been said, so the best is said again.
  const from = fresh.length > 0 ? fresh : sayable
  const best = from[0]
  const chosen = request.refusedBy === null ? best : from.find(({ line }) => line !== best?.line) ?? best
  if (chosen === undefined) return { line: "", act, cites: [] }
  const more = askBack(conversation, chosen.candidate).flatMap((candidate) => voiced({ ...candidate, score: 0 }) ?? []).filter((line) => !isBlocked(costOf(line)))
  return { line: [chosen.line, ...more].join("\n\n"), act, cites: chosen.candidate.cites }
}
