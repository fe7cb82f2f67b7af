import * as Effect from "effect/Effect"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import type { Problem } from "#src/health/Problem.ts"

/** What apps are called, and the masked addresses of webhooks, by their ids. */
export interface Names {
  readonly apps: ReadonlyMap<string, string>
  readonly webhooks: ReadonlyMap<string, string>
}

/** Without a database, problems are shown with their ids. */
export const NO_NAMES: Names = { apps: new Map(), webhooks: new Map() }

/** The names of what these problems are about. */
export const namesOf = Effect.fnUntraced(function* (problems: ReadonlyArray<Problem>) {
  if (problems.length === 0) return NO_NAMES
  const ids = (of: (problem: Problem) => string | undefined) => [
    ...new Set(problems.flatMap((problem) => of(problem) ?? []))
  ]
  const [apps, webhooks] = yield* Effect.all(
    [
      OperatorApps.use((all) => all.names(ids(({ subject }) => subject.app_id))),
      OperatorChannels.use((all) => all.named(ids(({ subject }) => subject.channel_id)))
    ],
    { concurrency: 2 }
  )
  return { apps, webhooks: new Map(webhooks.map(({ channel_id, url }) => [channel_id, url])) } satisfies Names
})
