import type { Character } from "../domain/Character.ts"
import { type GateContext, type GateName, refusalsAmong } from "../emission/gates.ts"
import type { Case } from "./Suite.ts"
import { replyOf, type Trajectory } from "./Trajectory.ts"

/** A case, and what happened when it was played. */
export interface Played {
  readonly character: Character
  readonly asked: Case
  readonly trajectory: Trajectory
}

/** A disclosure may answer a question that is up to this many messages old, as in the gates. */
const QUESTION_MESSAGES = 3

const saidBefore = ({ trajectory: { greeting, turns } }: Played, turn: number): ReadonlyArray<string> =>
  [greeting.join("\n"), ...turns.slice(0, turn).map(replyOf)].filter((text) => text !== "")

/** The gate context of a turn, rebuilt from the case: its setup, and what was said. */
const contextOf = (played: Played, turn: number): GateContext => {
  const {
    character,
    asked: { setup },
    trajectory: { turns, memory_ids }
  } = played
  const { display_name = null, timezone = null, locale = null, age_band } = setup.end_user
  return {
    character,
    endUser: { externalUserRef: "", displayName: display_name, timezone, locale, ageBand: age_band ?? "unknown" },
    userTexts: turns
      .slice(0, turn + 1)
      .map(({ user }) => user)
      .toReversed()
      .slice(0, QUESTION_MESSAGES),
    characterTexts: saidBefore(played, turn),
    memories: new Map([
      ...setup.memories.flatMap(({ key, text }) =>
        memory_ids[key] === undefined ? [] : [[memory_ids[key], text] as const]
      ),
      ...turns.slice(0, turn + 1).map(({ user }, place) => [`said-${place}`, user] as const)
    ]),
    ownWords: new Map(saidBefore(played, turn).map((text, place) => [`own-${place}`, text] as const)),
    serviceText: "",
    mustNotReveal: [],
    evidence: [],
    unspoken: [],
    delicate: false,
    proactive: null
  }
}

/** Those of these gates that the reply of a turn would not pass if it were checked again. Empty without a reply. */
export const gatesBroken = (
  played: Played,
  turn: number,
  names: ReadonlyArray<GateName>,
  change: Partial<Pick<GateContext, "character">> = {}
): ReadonlyArray<GateName> => {
  const said = played.trajectory.turns[turn]
  if (said === undefined || said.bubbles.length === 0) return []
  const context = { ...contextOf(played, turn), ...change }
  return refusalsAmong(
    new Set(names),
    { text: replyOf(said), citedIds: [...context.memories.keys(), ...context.ownWords.keys()] },
    context
  )
}
