import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Turn } from "../domain/Turn.ts"

/** Who is being talked to, and when. */
export interface Grounding {
  readonly addressee: string | null
  /** The time where the person is, for example `Saturday 21:40`; UTC when their time zone is unknown. */
  readonly localTime: string
}

/** Resolves who and when. */
export const ground = Effect.fnUntraced(function*(turn: Turn) {
  const now = yield* DateTime.now
  const zone = Option.getOrElse(DateTime.zoneMakeNamed(turn.endUser.timezone ?? "UTC"), () => DateTime.zoneMakeOffset(0))
  const localTime = DateTime.format(DateTime.setZone(now, zone), { locale: "en-GB", weekday: "long", hour: "2-digit", minute: "2-digit" })
  return { addressee: turn.endUser.displayName, localTime } satisfies Grounding
})
