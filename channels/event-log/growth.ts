import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LogSignals } from "./LogSignals.ts"

/**
 * Reads of the end of a feed are at least this far apart, so that a busy feed is read in few large parts. A feed that
 * was quiet is read at once.
 */
export const GATHER_MS = 50

/**
 * Notices when an app's feed may have grown, from now on. The inner effect waits for the next time, or returns at once
 * if it has grown since the last wait.
 */
export const watchGrowth = (appId: string): Effect.Effect<Effect.Effect<void>, never, LogSignals | Scope.Scope> =>
  Effect.gen(function* () {
    const signals = yield* LogSignals
    let grown = yield* Deferred.make<void>()
    yield* Effect.acquireRelease(
      Effect.sync(() => signals.subscribeApp(appId, () => Deferred.doneUnsafe(grown, Effect.void))),
      (unsubscribe) => Effect.sync(unsubscribe)
    )
    return Effect.suspend(() =>
      Effect.tap(Deferred.await(grown), () =>
        Effect.sync(() => {
          grown = Deferred.makeUnsafe()
        })
      )
    )
  })
