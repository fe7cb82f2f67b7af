import type { ResponseParameters } from "@grammyjs/types"
import type { Bot } from "./Bot.ts"

/** Kinds of faults. */
export type Trouble =
  | {
      readonly kind: "error"
      readonly code: number
      readonly description: string
      readonly parameters?: ResponseParameters
      readonly afterMs?: number
    }
  /** Not executed, then a connection reset. */
  | { readonly kind: "drop_before" }
  /** Executed, then a connection reset instead of the answer. */
  | { readonly kind: "drop_after" }
  /** Not executed, and never answered. */
  | { readonly kind: "hang" }
  /** An HTML error page instead of an answer. Not executed. */
  | { readonly kind: "html502" }
  /** Another answer that is not from the Bot API. Not executed. */
  | { readonly kind: "nonsense"; readonly status: number; readonly body: unknown }
  /** Executed and answered, but late. */
  | { readonly kind: "slow"; readonly ms: number }

export interface FaultSelection {
  readonly bot?: Bot
  readonly method?: string
  readonly chat?: number
  /** Successful calls before the first fault. */
  readonly after?: number
  /** How many calls it affects. Default: 1. */
  readonly count?: number
  /** For each matching call. Default: 1. */
  readonly probability?: number
}

export interface Fault {
  /** How many calls it has affected. */
  readonly hits: () => number
  readonly remove: () => void
}

interface Rule {
  readonly selection: FaultSelection
  readonly trouble: Trouble
  passed: number
  hits: number
}

interface Target {
  readonly botId: number
  readonly method: string
  readonly chatId: string | undefined
}

/** Numbers between 0 and 1, the same for the same seed (mulberry32). */
const seededRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const isMeant = ({ bot, chat, method }: FaultSelection, target: Target) =>
  (bot === undefined || bot.id === target.botId) &&
  (method === undefined || method.toLowerCase() === target.method.toLowerCase()) &&
  (chat === undefined || String(chat) === target.chatId)

/** The active faults. The oldest one that matches a call is applied. */
export class Faults {
  readonly #rules = new Set<Rule>()
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  add(selection: FaultSelection, trouble: Trouble): Fault {
    const rule = { selection, trouble, passed: 0, hits: 0 }
    this.#rules.add(rule)
    return { hits: () => rule.hits, remove: () => void this.#rules.delete(rule) }
  }

  clear(): void {
    this.#rules.clear()
  }

  next(target: Target): Trouble | undefined {
    for (const rule of this.#rules) {
      const { after = 0, count = 1, probability = 1 } = rule.selection
      if (rule.hits >= count || !isMeant(rule.selection, target)) continue
      rule.passed += 1
      if (rule.passed <= after || this.#random() >= probability) continue
      rule.hits += 1
      return rule.trouble
    }
    return undefined
  }
}
