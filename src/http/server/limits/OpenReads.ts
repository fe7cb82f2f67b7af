import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Principal } from "#src/accounts/Authentication.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { tooManyReads } from "#src/http/server/errors.ts"

/** Of a demo key, whatever others may hold open. */
export const MOST_OF_DEMO = 20

type Reader = Pick<Principal, "appId" | "kind">

/**
 * Counts the streams and waiting polls that each app holds open in this process. With several processes each counts its
 * own.
 */
export class OpenReads extends Context.Service<
  OpenReads,
  {
    /** Counts one more. Call what it gives once, when the read is over. */
    readonly open: (reader: Reader) => Effect.Effect<() => void, ApiError>
    /** A read that is held open while it waits. */
    readonly during: <A, E, R>(
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
          const most = kind === "demo" ? Math.min(MOST_OF_DEMO, mostPerApp) : mostPerApp
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
        during: (reader, waitSeconds, read) =>
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
