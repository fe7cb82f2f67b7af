import type { Character } from "#pipeline/domain/Character.ts"
import { readReferred } from "#pipeline/domain/referred.ts"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { asMinor } from "#pipeline/safety/cardAge.ts"
import type { ClaimRow } from "#src/db/conversation/claimTurns.ts"

/** A turn as the pipeline sees it. `seed` replaces the session as the seed of random draws. */
export const turnOf = (row: ClaimRow, character: Character, seed: string | undefined) =>
  ({
    appId: row.app_id,
    sessionId: row.session_id,
    turnIndex: row.turn_index,
    runRef: row.run_ref,
    replyMode: row.reply_mode,
    ...readReferred({ text: row.text }, row.parts),
    ...(row.initiative !== null && { proactive: row.initiative }),
    character: row.minor_character ? asMinor(character) : character,
    endUser: {
      externalUserRef: row.external_user_ref,
      displayName: row.display_name,
      timezone: row.timezone,
      locale: row.locale,
      ageBand: row.age_band
    },
    ...(row.fault !== null && { fault: row.fault }),
    ...(seed !== undefined && { seed }),
    pictures: row.has_looks,
    afterCrisis: row.after_crisis
  }) satisfies Turn
