import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Counter, countersBy } from "./metric.ts"

/** What this server depends on. `receiver`: the webhook of an app. */
export const DEPENDENCIES = ["database", "model", "receiver", "telegram"] as const
export type DependencyName = (typeof DEPENDENCIES)[number]

/** A success this soon after a failure does not end a failure, so that one that comes and goes is one story. */
const RECOVERY_MS = 5_000
/** How many failing ones are remembered of each kind. */
const MAX_FAILING = 10_000

const failures = countersBy(
  "troupe_dependency_failures_total",
  "Failed uses of what this server depends on",
  "dependency",
  DEPENDENCIES
)

interface Failing {
  readonly since: number
  /** The reasons that are logged already. */
  readonly reasons: Set<string>
  last: number
  count: number
}

/** What else is known of a failure. A further `reason` while it fails is logged as well. */
export interface FailureDetails {
  readonly reason: string
  /** What it said, without words that may be a person's. */
  readonly said?: string
  /** What the operator can do, if that depends on the reason. */
  readonly fix?: string
}

/**
 * The one place that decides whether the failure of a dependency is logged: once when it starts to fail, and once when
 * it works again, with how often it has failed in the meantime.
 */
export class Dependency {
  readonly #name: DependencyName
  readonly #fix: string
  readonly #counter: Counter
  readonly #failing = new Map<string, Failing>()

  /** `fix`: what the operator can do. */
  constructor(name: DependencyName, fix: string) {
    this.#name = name
    this.#fix = fix
    this.#counter = failures(name)
  }

  /** One of them has failed. `code` says how, in one word. `which`: which one, by a name or an id. */
  failed(
    code: string,
    which: Readonly<Record<string, string>> = {},
    details: FailureDetails | null = null
  ): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      this.#counter.add()
      const key = Object.values(which).join(" ")
      const known = this.#failing.get(key)
      if (known !== undefined) {
        known.last = now
        known.count++
        if (details === null || known.reasons.has(details.reason)) return Effect.void
        known.reasons.add(details.reason)
      } else {
        if (this.#failing.size >= MAX_FAILING) return Effect.void
        const reasons = new Set(details === null ? [] : [details.reason])
        this.#failing.set(key, { since: now, reasons, last: now, count: 1 })
      }
      return Effect.logWarning("dependency failing", {
        dependency: this.#name,
        ...which,
        code,
        fix: this.#fix,
        ...details
      })
    })
  }

  /** One of them has worked. Costs nothing while none fails. */
  worked(which: Readonly<Record<string, string>> = {}): Effect.Effect<void> {
    if (this.#failing.size === 0) return Effect.void
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const key = Object.values(which).join(" ")
      const known = this.#failing.get(key)
      if (known === undefined || now - known.last < RECOVERY_MS) return Effect.void
      this.#failing.delete(key)
      return Effect.logInfo("dependency recovered", {
        dependency: this.#name,
        ...which,
        failures: known.count,
        failed_for_seconds: Math.round((now - known.since) / 1000)
      })
    })
  }
}

/** How a database fails that lacks disk or memory. */
export const OUT_OF_RESOURCES = "out_of_resources"

export const databaseDependency = new Dependency(
  "database",
  "Check that PostgreSQL runs, that its disk has space, and that this machine reaches it."
)
export const modelDependency = new Dependency(
  "model",
  "Check OPENAI_BASE_URL, OPENAI_API_KEY and the name of the model, and the provider's status page."
)
export const receiverDependency = new Dependency(
  "receiver",
  "The app has to repair its endpoint. Deliveries are retried."
)
export const telegramDependency = new Dependency(
  "telegram",
  "Check that this machine reaches TELEGRAM_API_ROOT. Messages wait and are sent when it answers."
)
