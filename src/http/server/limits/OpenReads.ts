import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import type { Principal } from "#src/accounts/Authentication.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { tooManyReads, tooManyScreens } from "#src/http/server/errors.ts"
import { HeldBytes } from "./HeldBytes.ts"
import { ownerOfApp } from "./Owner.ts"

/** Limit for a demo key, regardless of the general limit. */
export const MAX_OF_DEMO = 20
/** Limits for screens of the console that update themselves: of a session or token, and of all of them. */
const MAX_SCREENS = { each: 20, all: 200 }

type Reader = Pick<Principal, "appId" | "kind">

/**
 * Counts the open streams and waiting polls of each app, its other reads, and the open screens of operators, in this
 * process. Each process has its own count.
 */
export class OpenReads extends Context.Service<
  OpenReads,
  {
    /** Adds one. Call the returned function once, when the read has ended. */
    readonly open: (reader: Reader) => Effect.Effect<() => void, ApiError>
    /** The same for a screen of an operator, by what they act with. */
    readonly openScreen: (credential: string) => Effect.Effect<() => void, ApiError>
    /** Counts a read for as long as it lasts, and lets it begin when there is room for what it returns. */
    readonly whileOpen: <A, E, R>(
      reader: Reader,
      waitSeconds: number,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ApiError, R>
  }
>()("src/http/server/limits/OpenReads") {
  static readonly layer = (mostPerApp: number) =>
    Layer.effect(
      OpenReads,
      Effect.gen(function* () {
        const { roomOf } = yield* HeldBytes
        const counts = new Map<string, number>()

        const take = (subject: string, most: number, refused: () => ApiError) =>
          Effect.suspend(() => {
            const count = counts.get(subject) ?? 0
            if (count >= most) return Effect.fail(refused())
            counts.set(subject, count + 1)
            return Effect.succeed(() => {
              const left = (counts.get(subject) ?? 1) - 1
              if (left === 0) counts.delete(subject)
              else counts.set(subject, left)
            })
          })

        // Those that do not wait have a count of their own: an app with many open streams may still read.
        const openFor = ({ appId, kind }: Reader, subject: string) => {
          const most = kind === "demo" ? Math.min(MAX_OF_DEMO, mostPerApp) : mostPerApp
          return take(`${subject}${appId}`, most, () => tooManyReads(most))
        }
        const open = (reader: Reader) => openFor(reader, "")

        const openScreen = Effect.fnUntraced(function* (credential: string) {
          const leaveOwn = yield* take(`screens of ${credential}`, MAX_SCREENS.each, () => tooManyScreens)
          const leaveAll = yield* take("screens", MAX_SCREENS.all, () => tooManyScreens).pipe(
            Effect.tapError(() => Effect.sync(leaveOwn))
          )
          return () => {
            leaveOwn()
            leaveAll()
          }
        })

        return OpenReads.of({
          open,
          openScreen,
          whileOpen: (reader, waitSeconds, read) =>
            Effect.acquireUseRelease(
              openFor(reader, waitSeconds === 0 ? "short " : ""),
              () => Effect.provideService(read, ReadRoom, roomOf(ownerOfApp(reader))),
              (close) => Effect.sync(close)
            )
        })
      })
    )
}
