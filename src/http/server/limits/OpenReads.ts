import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Principal } from "#src/accounts/Authentication.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { tooManyReads } from "#src/http/server/errors.ts"

/** Limit for a demo key, regardless of the general limit. */
export const MAX_OF_DEMO = 20

type Reader = Pick<Principal, "appId" | "kind">

/** Counts the open streams and waiting polls of each app in this process. Each process has its own count. */
export class OpenReads extends Context.Service<
  OpenReads,
  {
    /** Adds one. Call the returned function once, when the read has ended. */
    readonly open: (reader: Reader) => Effect.Effect<() => void, ApiError>
    /** Counts a read for as long as it waits. */
    readonly whileOpen: <A, E, R>(
      reader: Reader,
      waitSeconds: number,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ApiError, R>
  }
>()("src/http/server/limits/OpenReads") {
  static readonly layer = (mostPerApp: number) =>
    Layer.sync(OpenReads, () => {
      const counts = new Map<string, number>()

      const open = ({ appId, kind }: Reader) =>
        Effect.suspend(() => {
          const most = kind === "demo" ? Math.min(MAX_OF_DEMO, mostPerApp) : mostPerApp
          const count = counts.get(appId) ?? 0
          if (count >= most) return Effect.fail(tooManyReads(most))
          counts.set(appId, count + 1)
          return Effect.succeed(() => {
            const left = (counts.get(appId) ?? 1) - 1
            if (left === 0) counts.delete(appId)
            else counts.set(appId, left)
          })
        })

      return OpenReads.of({
        open,
        whileOpen: (reader, waitSeconds, read) =>
          waitSeconds === 0
            ? read
            : Effect.acquireUseRelease(
                open(reader),
                () => read,
                (close) => Effect.sync(close)
              )
      })
    })
}
