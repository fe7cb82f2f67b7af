import type { Problem } from "./Problem.ts"
import { isDown, statusOf } from "./statusOf.ts"

/** How many there are. Null: not counted yet. */
export interface FleetCounts {
  readonly apps: number
  readonly bots: number
  readonly webhooks: number
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`

const listed = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`

const distinct = (ids: ReadonlyArray<string | undefined>) => new Set(ids.filter((id) => id !== undefined)).size

/** The state of everything in one sentence. */
export const verdict = (problems: ReadonlyArray<Problem>, fleet: FleetCounts | null): string => {
  const urgent = problems.filter(({ severity }) => severity !== "info")
  if (statusOf(problems) === "down") return `Nobody gets an answer. ${urgent.find(isDown)?.cause ?? ""}.`
  const bots = distinct(urgent.map(({ subject }) => subject.bot_id))
  const webhooks = distinct(urgent.map(({ subject }) => subject.channel_id))
  const apps = distinct(
    urgent.map(({ subject }) =>
      subject.bot_id === undefined && subject.channel_id === undefined ? subject.app_id : undefined
    )
  )
  const server = urgent.filter(({ subject }) =>
    Object.keys(subject).every((key) => key === "task" || key === "worker_id")
  )
  const parts = [
    ...(server.length > 0 ? ["the server"] : []),
    ...(bots > 0 ? [counted(bots, "bot")] : []),
    ...(webhooks > 0 ? [counted(webhooks, "webhook")] : []),
    ...(apps > 0 ? [counted(apps, "app")] : [])
  ]
  if (parts.length === 0)
    return fleet === null || fleet.bots === 0
      ? "Everything is working."
      : fleet.bots === 1
        ? "The bot is working."
        : `All ${fleet.bots} bots are working.`
  const isOne = parts.length === 1 && (server.length > 0 || bots + webhooks + apps === 1)
  const sentence = `${listed(parts)} ${isOne ? "needs" : "need"} attention.`
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
