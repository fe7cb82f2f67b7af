import * as Effect from "effect/Effect"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { OperatorChannels } from "#src/db/operators/OperatorChannels.ts"
import type { Problem, Subject } from "#src/health/Problem.ts"

/** What apps and bots are called, and the masked addresses of webhooks, by their ids. */
export interface Names {
  readonly apps: ReadonlyMap<string, string>
  readonly bots: ReadonlyMap<string, string>
  readonly webhooks: ReadonlyMap<string, string>
}

/** Without a database, problems are shown with their ids. */
export const NO_NAMES: Names = { apps: new Map(), bots: new Map(), webhooks: new Map() }

/** The names of what these problems are about. */
export const namesOf = Effect.fnUntraced(function* (problems: ReadonlyArray<Pick<Problem, "subject">>) {
  if (problems.length === 0) return NO_NAMES
  const ids = (of: (subject: Subject) => string | undefined) => [
    ...new Set(problems.flatMap(({ subject }) => of(subject) ?? []))
  ]
  const [apps, bots, webhooks] = yield* Effect.all(
    [
      OperatorApps.use((all) => all.names(ids(({ app_id }) => app_id))),
      FleetBots.use((all) => all.names(ids(({ bot_id }) => bot_id))),
      OperatorChannels.use((all) => all.named(ids(({ channel_id }) => channel_id)))
    ],
    { concurrency: 3 }
  )
  return { apps, bots, webhooks: new Map(webhooks.map(({ channel_id, url }) => [channel_id, url])) } satisfies Names
})

/** What a problem is about, as people call it. Its id if it has no name; empty: the server. */
export const nameOf = ({ subject }: Pick<Problem, "subject">, { apps, bots, webhooks }: Names): string => {
  const { app_id: appId, bot_id: botId, channel_id: channelId } = subject
  if (botId !== undefined) return bots.get(botId) ?? botId
  if (channelId !== undefined) return webhooks.get(channelId) ?? channelId
  return subject.task ?? subject.worker_id ?? (appId === undefined ? "" : (apps.get(appId) ?? appId))
}
