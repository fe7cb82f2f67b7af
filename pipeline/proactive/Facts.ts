import type { LifeRhythm } from "../domain/Character.ts"
import type { EndUser } from "../domain/Turn.ts"
import type { OpenLoop, Preferences } from "../relational/Relationship.ts"
import type { EffectiveControls } from "./controls.ts"
import type { Mood, Said } from "./mood.ts"
import type { Policy } from "./Policy.ts"

export interface StoryBeat {
  /** The number of this step in the session. */
  readonly step: number
  readonly summary: string
  /** When it was entered. */
  readonly at: number
}

/** A message that the app has scheduled and that is not sent yet. Times are in milliseconds. */
export interface Scheduled {
  readonly id: string
  /** The text to send. Null: the character writes about `topic`. */
  readonly text: string | null
  readonly topic: string | null
  readonly at: number
  readonly until: number
}

/**
 * Everything that decides whether a character may write first in a session, as plain values. Times are in milliseconds.
 */
export interface Facts {
  readonly sessionId: string
  /** When the facts were read. */
  readonly at: number
  readonly policy: Policy
  readonly controls: EffectiveControls
  readonly rhythm: LifeRhythm
  readonly preferences: Preferences
  readonly person: Pick<EndUser, "ageBand" | "timezone"> & { readonly blocked: boolean }
  /** Whether the session's chat cannot receive messages: the person has blocked the bot, or the chat or bot is gone. */
  readonly unreachable: boolean
  /** Whether the operator has suspended the app. */
  readonly suspended: boolean
  readonly active: boolean
  /** Turns that have not ended. */
  readonly openTurns: number
  /** When the last message was sent, or when the session began. */
  readonly lastTurnAt: number
  /** Consecutive turns of the character since the person last wrote. */
  readonly unansweredTurns: number
  /** Whether a message that the character sent unprompted is among them. */
  readonly proactiveUnanswered: boolean
  readonly lastProactiveAt: number | null
  /**
   * When the character wrote first in this session, and when any character of this app wrote first to this person. Goes
   * back far enough to cover a day.
   */
  readonly proactiveTurns: ReadonlyArray<number>
  readonly personProactiveTurns: ReadonlyArray<number>
  /** How many the app has sent on its current day. Null: there is no app limit to count for. */
  readonly appToday: number | null
  /**
   * The kinds of channel that a message would be sent through, and how many were sent through each on the app's current
   * day.
   */
  readonly channels: ReadonlyArray<{ readonly kind: string; readonly today: number }>
  /** Whether the app's budget, the person's caps and the policy's cost cap leave money for it. */
  readonly affordable: boolean
  /** When a crisis was last found in this session, on the last day. */
  readonly crisisAt: number | null
  /** The person's last messages, oldest first. */
  readonly said: ReadonlyArray<Said>
  /** What weighs on the person, by these messages. */
  readonly mood: Mood | null
  /** The waiting loops that have a due time. */
  readonly loops: ReadonlyArray<OpenLoop>
  /** A story beat that the session has entered and that the character has not mentioned yet. */
  readonly beat: StoryBeat | null
  /** Earliest first. */
  readonly scheduled: ReadonlyArray<Scheduled>
}

/** The time zone for the person's day and quiet hours. */
export const timezoneOf = ({ policy, preferences, person }: Facts): string =>
  policy.timezone_source === "app" ? policy.timezone : (preferences.timezone ?? person.timezone ?? policy.timezone)
