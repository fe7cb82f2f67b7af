import type { LifeRhythm } from "../domain/Character.ts"
import type { EndUser } from "../domain/Turn.ts"
import type { OpenLoop, Preferences } from "../relational/Relationship.ts"
import type { EffectiveControls } from "./controls.ts"
import type { Policy } from "./Policy.ts"

export interface StoryBeat {
  /** Which of the session's steps through its stories it is. */
  readonly step: number
  readonly summary: string
  /** When it was entered. */
  readonly at: number
}

/** A message that the app has scheduled and that was not sent yet. Moments are milliseconds. */
export interface Scheduled {
  readonly id: string
  /** The words to send; null: the character writes about `topic`. */
  readonly text: string | null
  readonly topic: string | null
  readonly at: number
  readonly until: number
}

/** All that decides whether a character may write first in a session, as plain values. Moments are milliseconds. */
export interface Facts {
  readonly sessionId: string
  /** When they were gathered. */
  readonly at: number
  readonly policy: Policy
  readonly controls: EffectiveControls
  readonly rhythm: LifeRhythm
  readonly preferences: Preferences
  readonly person: Pick<EndUser, "ageBand" | "timezone"> & { readonly blocked: boolean }
  /**
   * Whether the session is held in a chat that nothing can be sent to: the person has blocked the bot, or chat or bot
   * is gone.
   */
  readonly unreachable: boolean
  /** Whether the operator has suspended the app. */
  readonly suspended: boolean
  readonly active: boolean
  /** Turns that have not ended. */
  readonly openTurns: number
  /** The last thing that was said, or the session's beginning. */
  readonly lastTurnAt: number
  /** Consecutive turns of the character's since the person last wrote. */
  readonly unansweredTurns: number
  /** Whether something that the character said of its own accord is among them. */
  readonly initiativeUnanswered: boolean
  readonly lastInitiativeAt: number | null
  /**
   * When the character wrote first in this session, and characters of this app to this person: as far back as a day can
   * reach.
   */
  readonly initiatives: ReadonlyArray<number>
  readonly personInitiatives: ReadonlyArray<number>
  /** How many the app has sent on its present day; null: nobody counts. */
  readonly appToday: number | null
  /** The kinds of channel by which a message would go out, and how many went out by each on the app's present day. */
  readonly channels: ReadonlyArray<{ readonly kind: string; readonly today: number }>
  /** Whether there is money for it: the app's budget, the person's caps, the policy's. */
  readonly affordable: boolean
  /** Those that wait, and are due some time. */
  readonly loops: ReadonlyArray<OpenLoop>
  /** A beat of the session's story that has been entered and that nothing has been said of. */
  readonly beat: StoryBeat | null
  /** The earliest first. */
  readonly scheduled: ReadonlyArray<Scheduled>
}

/** The time zone that the person's day and quiet hours go by. */
export const timezoneOf = ({ policy, preferences, person }: Facts): string =>
  policy.timezone_source === "app" ? policy.timezone : (preferences.timezone ?? person.timezone ?? policy.timezone)
