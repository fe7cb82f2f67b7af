import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { callsUnderAge } from "../safety/calledUnderAge.ts"
import { asMinor } from "../safety/cardAge.ts"
import { saysUnderAge } from "../safety/underAge.ts"
import type { TurnServices } from "./TurnServices.ts"

/** Treats the person or the character as under age, from the message on that says so, and records it. */
export const applyToldAges = Effect.fnUntraced(function* (
  record: TurnServices["record"],
  accepted: Turn,
  history: ReadonlyArray<Utterance>,
  now: number
) {
  const lastSaid = history.findLast(({ role }) => role === "character")?.text
  // Whoever says so is known to be a minor from this message on. Taking it back makes nobody older: that is for
  // the app to say.
  const toldUnderAge =
    accepted.initiative === undefined &&
    accepted.endUser.ageBand !== "minor" &&
    saysUnderAge(accepted.text, new Date(now), lastSaid)
  // The same for the character, for as long as this person talks to it.
  const calledUnderAge =
    accepted.initiative === undefined && accepted.character.safety.age_band === "adult" && callsUnderAge(accepted.text)
  const turn: Turn = {
    ...accepted,
    ...(toldUnderAge && { endUser: { ...accepted.endUser, ageBand: "minor" } }),
    ...(calledUnderAge && { character: asMinor(accepted.character) })
  }
  if (toldUnderAge) yield* record.isMinor(turn)
  if (calledUnderAge) yield* record.isMinorCharacter(turn)
  return { turn, toldUnderAge }
})
