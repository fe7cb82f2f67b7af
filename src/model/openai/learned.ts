import type { Rung } from "./Format.ts"
import { RUNGS_OF } from "./Format.ts"
import type { JsonMode } from "./jsonModes.ts"
import { OPENAI_URL } from "./makeClient.ts"

/**
 * OpenAI's reasoning models use a different parameter for the answer length, and take no sampling options. Compatible
 * servers only know the old name.
 */
const LENGTH_NAMES = ["max_completion_tokens", "max_tokens"] as const
export type LengthName = (typeof LENGTH_NAMES)[number]
export const otherThan = (refused: LengthName): LengthName =>
  refused === "max_tokens" ? "max_completion_tokens" : "max_tokens"

/** How a server is asked. */
export interface Manner {
  /** Index into the rungs of the mode. */
  readonly rung: number
  readonly lengthName: LengthName
  /** The longest answer that the server accepts, in tokens. Null: as long as we want. */
  readonly longest: number | null
  readonly takesSampling: boolean
  readonly takesSystemRole: boolean
  /** Whether the model may think before it answers: some servers let it only in a stream. */
  readonly mayThink: boolean
}

/** How long what a server has refused is left out. Then it is tried again. */
const REFUSED_MS = 60 * 60_000
/** How long a lower rung is used because of answers without JSON, or of failures without a reason. */
const PROSE_MS = 10 * 60_000
/** How many answers in a row must lack JSON before anything changes. One bad answer says nothing about the server. */
const MAX_PROSE = 3

/** What was found out, for doctor and health. */
export interface Findings {
  readonly format: Rung
  readonly length_parameter: LengthName
  readonly sampling: boolean
  readonly system_role: boolean
  readonly prose: boolean
  /** As the server named it, in tokens. Null: it has not. */
  readonly context_tokens: number | null
}

/**
 * What one model at one address can do. It is learned from answers that worked, and forgotten after an hour. So one
 * conversation that fails changes nothing for the others.
 */
export class Learned {
  readonly rungs: ReadonlyArray<Rung>
  readonly #first: Manner
  readonly #kept = new Map<keyof Manner, { readonly value: unknown; readonly until: number }>()
  #withoutJson = 0
  #repliesInProse = 0
  #isProseUntil = 0
  #formatWorksUntil = 0
  #context: { readonly tokens: number; readonly until: number } | null = null

  constructor(mode: JsonMode, baseUrl: string | null | undefined) {
    this.rungs = RUNGS_OF[mode]
    this.#first = {
      rung: 0,
      lengthName:
        baseUrl === undefined || baseUrl === null || baseUrl === OPENAI_URL ? "max_completion_tokens" : "max_tokens",
      longest: null,
      takesSampling: true,
      takesSystemRole: true,
      mayThink: true
    }
  }

  /** How to ask now. */
  manner(nowMs: number): Manner {
    if (this.#kept.size === 0) return this.#first
    for (const [field, { until }] of this.#kept) if (nowMs >= until) this.#kept.delete(field)
    return { ...this.#first, ...Object.fromEntries([...this.#kept].map(([field, { value }]) => [field, value])) }
  }

  rungAt(index: number): Rung {
    return this.rungs[index] ?? "text"
  }

  /** An answer to a question of this manner has worked. */
  worked(manner: Manner, nowMs: number, isRungGuessed = false): void {
    const known = this.manner(nowMs)
    for (const field of Object.keys(manner) as ReadonlyArray<keyof Manner>)
      if (manner[field] !== known[field] && (field !== "rung" || manner.rung > known.rung))
        this.#kept.set(field, {
          value: manner[field],
          until: nowMs + (field === "rung" && isRungGuessed ? PROSE_MS : REFUSED_MS)
        })
  }

  /** An answer to a question with a format has arrived. */
  formatWorked(nowMs: number): void {
    this.#formatWorksUntil = nowMs + REFUSED_MS
  }

  /** Whether the server has taken a format, so that its failures have another reason. */
  takesFormat(nowMs: number): boolean {
    return nowMs < this.#formatWorksUntil
  }

  /**
   * Records whether an answer that should be JSON was JSON. After several without, a lower rung is used for ten
   * minutes. True: the lowest one is in use, and the model still writes none.
   */
  noteAnswer(isStructured: boolean, nowMs: number): boolean {
    if (isStructured) this.#repliesInProse = 0
    this.#withoutJson = isStructured ? 0 : this.#withoutJson + 1
    if (this.#withoutJson < MAX_PROSE) return false
    const { rung } = this.manner(nowMs)
    if (rung >= this.rungs.length - 1) return this.#withoutJson === MAX_PROSE
    this.#withoutJson = 0
    this.#kept.set("rung", { value: rung + 1, until: nowMs + PROSE_MS })
    return false
  }

  /** A reply was usable in plain text after it had no JSON twice. True: from now on, replies are asked for so. */
  workedInProse(nowMs: number): boolean {
    this.#repliesInProse++
    if (this.#repliesInProse < MAX_PROSE || this.isProse(nowMs)) return false
    this.#repliesInProse = 0
    this.#isProseUntil = nowMs + REFUSED_MS
    return true
  }

  /** Whether to ask for plain text even where JSON would let the model decide more. */
  isProse(nowMs: number): boolean {
    return nowMs < this.#isProseUntil
  }

  noteContext(tokens: number, nowMs: number): void {
    this.#context = { tokens, until: nowMs + REFUSED_MS }
  }

  contextTokens(nowMs: number): number | null {
    return this.#context !== null && nowMs < this.#context.until ? this.#context.tokens : null
  }

  findings(nowMs: number): Findings {
    const { rung, lengthName, takesSampling, takesSystemRole } = this.manner(nowMs)
    return {
      format: this.rungAt(rung),
      length_parameter: lengthName,
      sampling: takesSampling,
      system_role: takesSystemRole,
      prose: this.isProse(nowMs),
      context_tokens: this.contextTokens(nowMs)
    }
  }
}
