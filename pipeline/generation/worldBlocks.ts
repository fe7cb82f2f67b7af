import { dataBlock, fitting } from "../chat.ts"
import type { WorldFound } from "../world/retrieveWorld.ts"
import { INFLUENCES_MAX_CHARS, PEOPLE_MAX_CHARS, TIES_MAX_CHARS } from "./blockLimits.ts"
import { BLOCK_RULES } from "./blockRules.ts"

/** What of the character's world is relevant to the turn, if anything. Private facts are a separate block. */
export const worldBlocks = ({ people, ties, beat, influences }: WorldFound): ReadonlyArray<string> => {
  const shown = (wanted: boolean) =>
    ties
      .filter((tie) => tie.private === wanted)
      .map(({ from, relation, to, fact, feeling }) =>
        feeling === null ? { from, relation, to, fact } : { from, relation, to, fact, feeling }
      )
  const known = people.map(({ name, aliases, role, summary, asked }) =>
    asked ? { name, aliases, role, summary } : { name, role }
  )
  const blocks = [
    ...(people.length === 0 ? [] : [dataBlock("people", fitting(known, PEOPLE_MAX_CHARS))]),
    ...(shown(false).length === 0 ? [] : [dataBlock("ties", fitting(shown(false), TIES_MAX_CHARS))]),
    ...(shown(true).length === 0 ? [] : [dataBlock("private_thoughts", fitting(shown(true), TIES_MAX_CHARS))]),
    ...(beat === null
      ? []
      : [dataBlock("story", { premise: beat.premise, now: beat.summary, guidance: beat.guidance })]),
    ...(influences.length === 0
      ? []
      : [
          dataBlock(
            "influences",
            fitting(
              influences.map(({ kind, guidance, effect: { topic } }) => ({
                kind,
                guidance,
                ...(topic !== null && { topic })
              })),
              INFLUENCES_MAX_CHARS
            )
          )
        ])
  ]
  return blocks.length === 0 ? [] : [...blocks, BLOCK_RULES.world]
}
