import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { callsUnderAge } from "../safety/calledUnderAge.ts"
import { asMinor } from "../safety/cardAge.ts"
import { saysUnderAge } from "../safety/underAge.ts"
import type { TurnServices } from "./TurnServices.ts"

/** Treats the person or the character as under age, starting with the message that says so, and records it. */
export const applyStatedAges = Effect.fnUntraced(function* (
  record: TurnServices["record"],
  accepted: Turn,
  history: ReadonlyArray<Utterance>,
  now: number
) {
  const lastSaid = history.findLast(({ role }) => role === "character")?.text
  // From this message on, the person is known to be a minor. They cannot take it back; only the app can change it.
  const toldUnderAge =
    accepted.proactive === undefined &&
    accepted.endUser.ageBand !== "minor" &&
    saysUnderAge(accepted.text, new Date(now), lastSaid)
  // The same for the character, for all its conversations with this person.
  const calledUnderAge =
    accepted.proactive === undefined && accepted.character.safety.age_band === "adult" && callsUnderAge(accepted.text)
  const turn: Turn = {
    ...accepted,
    ...(toldUnderAge && { endUser: { ...accepted.endUser, ageBand: "minor" } }),
    ...(calledUnderAge && { character: asMinor(accepted.character) })
  }
  if (toldUnderAge) yield* record.isMinor(turn)
  if (calledUnderAge) yield* record.isMinorCharacter(turn)
  return { turn, toldUnderAge }
})
