import { addressed } from "#pipeline/domain/addressed.ts"
import type { Character } from "#pipeline/domain/Character.ts"
import { readReferred } from "#pipeline/domain/referred.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { HISTORY_UTTERANCES, type PendingTurnRow } from "./extractionStatements.ts"
import type { PendingExtraction } from "./MemoryExtractions.ts"

/** A turn as input for extraction, with its context. */
export const toPendingExtraction = (
  sessionId: string,
  row: PendingTurnRow,
  character: Character
): PendingExtraction => {
  const said = (row.said ?? []).map(([role, text, cursor, at, own, parts]): Utterance & { readonly own: boolean } => ({
    role,
    // Words of others are not evidence of anything about the person.
    text: readReferred({ text }, parts).text,
    cursor,
    at: new Date(at),
    own
  }))
  const bare = ({ role, text, cursor, at }: Utterance): Utterance => ({ role, text, cursor, at })
  const ownBy = (wanted: Utterance["role"]): Utterance | null => {
    const found = said.find(({ own, role }) => own && role === wanted)
    return found === undefined ? null : bare(found)
  }
  return {
    recalled: row.recalled,
    exposes: row.exposes,
    isLast: row.is_last,
    hasStoryline: row.storied,
    reservedMicroUsd: row.held_micro_usd,
    isLimited: row.is_limited,
    turn: {
      sessionId,
      turnIndex: row.turn_index,
      character: addressed(character, row.display_name, sessionId),
      endUser: {
        externalUserRef: row.external_user_ref,
        displayName: row.display_name,
        timezone: row.timezone,
        locale: row.locale,
        ageBand: row.age_band
      },
      outcome: row.outcome,
      history: said
        .filter(({ own }) => !own)
        .slice(-HISTORY_UTTERANCES)
        .map(bare),
      message: ownBy("user"),
      reply: ownBy("character"),
      at: row.ended_at
    }
  }
}
