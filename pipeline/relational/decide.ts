import { isDeepStrictEqual } from "node:util"
import { derivedId } from "../domain/Id.ts"
import { decideLoops } from "./decideLoops.ts"
import { decideMemories, evidenceOf } from "./decideMemories.ts"
import { decidePreferences } from "./decidePreferences.ts"
import { feelingOf, blendEmotion } from "./emotion.ts"
import type { Extraction } from "./Extraction.ts"
import type { EndedTurn } from "./Extractor.ts"
import { forgetAlongWith } from "./forget.ts"
import { dimensionsOf } from "./dimensions.ts"
import { isInstruction, demandsScore } from "./isInstruction.ts"
import { apply, type Patch } from "./Patch.ts"
import { isWaiting, type Relationship, type Snapshot } from "./Relationship.ts"
import { stageOf, currentScores, type Step, applySteps } from "./scores.ts"
import { highlightsOf, summaryByRules, summaryOf } from "./summary.ts"

const TURNS_PER_SNAPSHOT = 10
const MAX_STEPS = 16

/** Each step needs a quote of the person, and counts once. A message that orders a score change has no effect. */
const stepsOf = ({ message, character }: EndedTurn, signals: Extraction["signals"]): ReadonlyArray<Step> => {
  const names = dimensionsOf(character.relationship_posture).flatMap(({ key, label = key }) => [
    key.replaceAll("_", " "),
    label
  ])
  if (message !== null && (isInstruction(message.text) || demandsScore(message.text, names))) return []
  const borne = signals.slice(0, MAX_STEPS).filter(({ quote }) => evidenceOf(quote, message) !== null)
  return [
    ...new Map(
      borne.map(({ dimension, direction, strength, quote }) => [
        `${dimension} ${direction} ${quote}`,
        { key: dimension, direction, strength }
      ])
    ).values()
  ]
}

const snapshotOf = (after: Relationship, turn: EndedTurn, scores: Snapshot["scores"]): Snapshot => ({
  id: derivedId("snp", turn.at, `${turn.sessionId} ${after.version}`),
  turn_index: turn.turnIndex,
  summary: after.bearing.summary,
  emotion: after.bearing.emotion,
  stage: after.bearing.stage,
  highlights: highlightsOf(after.memories.values()).map(({ id }) => id),
  open_loop_ids: [...after.loops.values()].filter(isWaiting).map(({ id }) => id),
  scores,
  created_at: turn.at.toISOString()
})

const byId = <A extends { readonly id: string }>(...lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => [
  ...new Map(lists.flat().map((one) => [one.id, one])).values()
]

/** The decision, with everything else that has to go if the person asked to forget something. */
const withForgotten = (known: Relationship, memories: Patch["memories"], loops: Patch["loops"], at: string) => {
  const gone = memories.flatMap(({ id, status }) => {
    const before = known.memories.get(id)
    return status === "forgotten" && before !== undefined ? [before] : []
  })
  if (gone.length === 0) return { memories, loops, forgets: false }
  const along = forgetAlongWith(
    apply(known, { memories, recalled: [], loops, bearing: {}, snapshot: null }, at, null),
    gone,
    at
  )
  return { memories: byId(memories, along.memories), loops: byId(loops, along.loops), forgets: true }
}

/**
 * How a turn changes the relationship. It depends only on the extraction, so the same input gives the same patch.
 * `recalled` names the memories that the reply relied on.
 */
export const decide = (
  known: Relationship,
  turn: EndedTurn,
  extraction: Extraction,
  recalled: ReadonlyArray<string>
): Patch => {
  const at = turn.at.toISOString()
  const version = known.version + 1
  const { character } = turn
  const { bearing } = known
  const { memories, loops, forgets } = withForgotten(
    known,
    decideMemories(known, turn, extraction, version),
    decideLoops(known, turn, extraction, version),
    at
  )
  const scores = applySteps(character.relationship_posture, bearing.scores, stepsOf(turn, extraction.signals), at)
  const standings = currentScores(character.relationship_posture, scores, turn.at.getTime())
  const feeling = feelingOf(extraction.character_emotion)
  const emotion =
    feeling === null ? bearing.emotion : blendEmotion(character.baseline_emotion, bearing.emotion, feeling, at)
  const learned: Patch = {
    memories,
    recalled: recalled.filter((id) => known.memories.has(id)),
    loops,
    bearing: {},
    snapshot: null
  }
  const grown = apply(known, learned, at, turn.turnIndex)
  // A model that was asked to forget something may still have retold it.
  const told = forgets ? "" : summaryOf(extraction.summary)
  const next = {
    emotion,
    scores,
    stage: stageOf(standings),
    preferences:
      decidePreferences(bearing.preferences, turn.message?.text ?? null, extraction.preferences) ?? bearing.preferences,
    summary:
      told === "" || isInstruction(told)
        ? memories.length + loops.length === 0
          ? bearing.summary
          : summaryByRules(grown.memories.values(), grown.loops.values())
        : told
  }
  const patch: Patch = {
    ...learned,
    bearing: Object.fromEntries(
      Object.entries(next).filter(([field, value]) => !isDeepStrictEqual(value, bearing[field as keyof typeof next]))
    )
  }
  const due =
    turn.turnIndex % TURNS_PER_SNAPSHOT === 0 ||
    turn.outcome === "exited" ||
    (bearing.stage !== null && next.stage !== bearing.stage)
  if (!due) return patch
  const values = standings.map(({ dimension, value, updatedAt }) => ({
    key: dimension.key,
    value,
    updated_at: updatedAt ?? at
  }))
  return { ...patch, snapshot: snapshotOf(apply(known, patch, at, turn.turnIndex), turn, values) }
}
