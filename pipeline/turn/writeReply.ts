import * as Effect from "effect/Effect"
import { fillMacros } from "../domain/macros.ts"
import type { Turn } from "../domain/Turn.ts"
import type { Reply, WriteRequest } from "../generation/Writer.ts"
import { summarizeGeneration } from "../stageSummaries.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import type { TurnServices } from "./TurnServices.ts"

export type Unwritten = Omit<WriteRequest, "onSpent" | "onNote">

/** Runs the writer once. */
export const writeReply = (writer: TurnServices["writer"], trace: TurnTrace, request: Unwritten) =>
  Effect.suspend(() => {
    const notes: Array<string> = []
    const onNote = (note: string) => void notes.push(note)
    return Effect.map(
      trace.paidStage(
        "generation",
        (onSpent) => writer.write({ ...request, onSpent, onNote }),
        (draft) => summarizeGeneration(draft, notes)
      ),
      ({ reply }) => reply
    )
  })

/** The text that the app has scheduled for this turn, one bubble per paragraph. Null: the writer writes the turn. */
export const scheduledReply = ({ proactive, character, endUser, sessionId, seed = sessionId }: Turn): Reply | null => {
  if (proactive?.text === undefined) return null
  const text = fillMacros(proactive.text, { character: character.display_name, user: endUser.displayName, seed })
  const bubbles = text
    .split("\n\n")
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
  return { decision: "reply", exit_reason: null, bubbles, cited_memory_ids: [] }
}
