import type { OpenLoop } from "../relational/Relationship.ts"
import { namesIn } from "./names.ts"
import type { Beat, Condition, SessionWorld, Step, Storyline } from "./World.ts"

const DAY_MS = 86_400_000
/** Keys of beats never begin with a digit. */
const MOMENT = /^\d/

/** The facts for deciding whether a story continues: a processed turn, or a trigger. */
export interface Occasion {
  /** Milliseconds. */
  readonly at: number
  readonly turnIndex: number
  /** What the person said. Null if it is not a turn of theirs. */
  readonly message: string | null
  readonly trigger: string | null
  /** By the key of a dimension, 0 to 1. */
  readonly scores: ReadonlyMap<string, number>
  readonly loops: ReadonlyArray<OpenLoop>
  /** When the session began, in milliseconds. */
  readonly beganAt: number
}

/** The storyline of a session and its current beat. Null if no story is active. */
export const beatOf = ({
  storylines,
  step
}: Pick<SessionWorld, "storylines" | "step">): {
  readonly storyline: Storyline
  readonly beat: Beat
  readonly step: Step
} | null => {
  const storyline = storylines.find(({ id, status }) => id === step?.storyline_id && status === "active")
  const beat = storyline?.beats.find(({ key }) => key === step?.beat)
  return storyline === undefined || beat === undefined || step === null ? null : { storyline, beat, step }
}

const holds = (
  condition: Condition,
  occasion: Occasion,
  since: Pick<Step, "entered_at" | "turn_index"> | null,
  entered: ReadonlySet<string>,
  says: (words: ReadonlyArray<string>) => boolean
): boolean => {
  const from = since === null ? occasion.beganAt : Date.parse(since.entered_at)
  if ("score_gte" in condition) return (occasion.scores.get(condition.score_gte.key) ?? -1) >= condition.score_gte.value
  if ("turns_gte" in condition) return occasion.turnIndex - (since?.turn_index ?? 0) >= condition.turns_gte
  if ("days_since_gte" in condition) return (occasion.at - from) / DAY_MS >= condition.days_since_gte
  if ("keyword_any" in condition) return says(condition.keyword_any)
  if ("trigger" in condition) return occasion.trigger === condition.trigger
  if ("loop_resolved" in condition) {
    return occasion.loops.some(
      ({ kind, status, updated_at }) =>
        status === "resolved" &&
        Date.parse(updated_at) >= from &&
        (condition.loop_resolved === "any" || condition.loop_resolved === kind)
    )
  }
  return MOMENT.test(condition.after) ? occasion.at >= Date.parse(condition.after) : entered.has(condition.after)
}

/**
 * The beats that may come next: the successors in the session's story, or else the first beats of stories that it has
 * not been in.
 */
const following = (
  { storylines, step }: Pick<SessionWorld, "storylines" | "step">,
  steps: ReadonlyArray<Step>
): ReadonlyArray<{ readonly storyline: Storyline; readonly beat: Beat }> => {
  const present = storylines.find(({ id }) => id === step?.storyline_id)
  const beat = present?.beats.find(({ key }) => key === step?.beat)
  // An active or paused story keeps the others waiting. A finished or withdrawn one does not.
  if (
    present !== undefined &&
    beat !== undefined &&
    beat.next.length > 0 &&
    (present.status === "active" || present.status === "paused")
  ) {
    if (present.status === "paused") return []
    return beat.next.flatMap((key) =>
      present.beats.filter((next) => next.key === key).map((next) => ({ storyline: present, beat: next }))
    )
  }
  const been = new Set(steps.map(({ storyline_id }) => storyline_id))
  return storylines
    .filter(({ id, status }) => status === "active" && !been.has(id))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((storyline) => storyline.beats.slice(0, 1).map((first) => ({ storyline, beat: first })))
}

/**
 * The beat that a session enters now: the first that may follow and whose conditions all hold, at most one.
 * Deterministic.
 */
export const entering = (
  world: Pick<SessionWorld, "storylines">,
  steps: ReadonlyArray<Step>,
  occasion: Occasion,
  only: string | null = null
): { readonly storyline: Storyline; readonly beat: Beat } | null => {
  const step = steps.at(-1) ?? null
  const says = namesIn(occasion.message ?? "")
  return (
    following({ storylines: world.storylines, step }, steps).find(({ storyline, beat }) => {
      if (
        only !== null &&
        (storyline.id !== only ||
          !beat.enter_when.all.some((condition) => "trigger" in condition && condition.trigger === occasion.trigger))
      )
        return false
      const own = steps.filter(({ storyline_id }) => storyline_id === storyline.id)
      const since = step?.storyline_id === storyline.id ? step : null
      return beat.enter_when.all.every((condition) =>
        holds(condition, occasion, since, new Set(own.map(({ beat: key }) => key)), says)
      )
    }) ?? null
  )
}
