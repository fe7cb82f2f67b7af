import { RE2JS } from "re2js"
import { admitsAi } from "../safety/aiDisclosure.ts"
import type { GateName } from "../emission/gates.ts"
import { plain } from "../plain.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { WordForms } from "../retrieval/WordForms.ts"
import type { Check, CheckStatus } from "./Check.ts"
import { gatesBroken, type Played } from "./Played.ts"
import { type PlayedTurn, replyOf } from "./Trajectory.ts"

export interface Graded {
  readonly status: CheckStatus
  readonly detail: string
  readonly score?: number
}

/** A checked turn, with its index. */
interface Asked extends PlayedTurn {
  readonly index: number
}

const MICRO = 1_000_000
const QUOTED = 80
const quoted = (text: string): string => JSON.stringify(text.length > QUOTED ? `${text.slice(0, QUOTED)}...` : text)
const at = ({ index }: Asked): string => `turn ${index + 1}`

const pass = (detail: string): Graded => ({ status: "pass", detail })
const fail = (detail: string): Graded => ({ status: "fail", detail })

/** Passes if at least one of the turns does it. */
const some = (asked: ReadonlyArray<Asked>, does: (turn: Asked) => boolean, what: string): Graded => {
  const found = asked.find(does)
  if (found !== undefined) return pass(`${at(found)}: ${what}`)
  const last = asked.at(-1)
  return fail(`nowhere: ${what}${last === undefined ? "" : `; said was ${quoted(replyOf(last))}`}`)
}
/** Passes if none of the turns does it. */
const none = (asked: ReadonlyArray<Asked>, does: (turn: Asked) => boolean, what: (turn: Asked) => string): Graded => {
  const found = asked.find(does)
  return found === undefined ? pass("held throughout") : fail(`${at(found)}: ${what(found)}`)
}

const folded = (text: string): string => plain(text).toLowerCase()
const includes = (text: string, part: string): boolean => folded(text).includes(folded(part))

const SHARED_WORDS = 2
/**
 * Whether a reply uses a memory: the writer relied on it, or the reply has content words of it that the person had not
 * just said.
 */
const carries = ({ cited, user, bubbles }: PlayedTurn, id: string | undefined, text: string): boolean => {
  if (id !== undefined && cited.includes(id)) return true
  const asked = new WordForms(contentOf(terms(user)))
  const telling = new WordForms(contentOf(terms(text)).filter((word) => !asked.has(word)))
  const needed = Math.min(SHARED_WORDS, telling.size)
  return needed > 0 && telling.in(contentOf(terms(bubbles.join("\n")))).size >= needed
}

const flatWithin = 0.000_05

/** The gates behind a check. The check passes if the reply passes them. */
const GATES_OF: Readonly<Partial<Record<Check["type"], ReadonlyArray<GateName>>>> = {
  forbidden_style_clean: ["forbidden_style", "forbidden_block"],
  no_assistant_tells: ["assistant_tell"],
  no_repeat: ["repetition"]
}

/** The result of a check that needs no judge, for one turn or a whole case. The same trajectory gets the same grade. */
export const grade = (
  check: Exclude<Check, { readonly type: "judge" }>,
  played: Played,
  turn: number | null
): Graded => {
  const {
    asked: { setup },
    trajectory
  } = played
  const all = trajectory.turns.map((one, index): Asked => ({ ...one, index }))
  const asked = turn === null ? all : all.slice(turn, turn + 1)
  const first = asked[0]
  const last = asked.at(-1)
  if (first === undefined || last === undefined)
    return { status: "error", detail: "this turn was not played: the session had ended" }
  const spoken = asked.filter(({ bubbles }) => bubbles.length > 0)
  const memory = (key: string) => ({
    id: trajectory.memory_ids[key],
    text: setup.memories.find((one) => one.key === key)?.text ?? ""
  })
  const broken = (names: ReadonlyArray<GateName>, change = {}) =>
    none(
      spoken,
      ({ index }) => gatesBroken(played, index, names, change).length > 0,
      (one) => quoted(replyOf(one))
    )

  switch (check.type) {
    case "contains":
      return some(spoken, (one) => includes(replyOf(one), check.value), `contains ${quoted(check.value)}`)
    case "not_contains":
      return none(
        spoken,
        (one) => includes(replyOf(one), check.value),
        (one) => `contains ${quoted(check.value)}: ${quoted(replyOf(one))}`
      )
    case "regex": {
      const pattern = RE2JS.compile(check.value)
      return some(spoken, (one) => pattern.matcher(replyOf(one)).find(), `matches ${quoted(check.value)}`)
    }
    case "max_bubbles":
      return none(
        spoken,
        ({ bubbles }) => bubbles.length > check.value,
        ({ bubbles }) => `${bubbles.length} bubbles`
      )
    case "max_chars":
      return none(
        spoken,
        (one) => [...replyOf(one)].length > check.value,
        (one) => `${[...replyOf(one)].length} characters`
      )
    case "language":
      return broken(["language"], {
        character: { ...played.character, voice: { ...played.character.voice, languages: [check.value] } }
      })
    case "event_type":
      return some(
        asked,
        ({ outcome, events }) => outcome === check.value || events.includes(check.value),
        `${check.value} (${asked.map(({ outcome }) => outcome).join(", ")})`
      )
    case "forbidden_style_clean":
    case "no_assistant_tells":
    case "no_repeat":
      return broken(GATES_OF[check.type] ?? [])
    case "discloses_ai":
      return some(spoken, (one) => admitsAi(replyOf(one)), "says that no human is answering")
    case "recalls":
      return some(
        spoken,
        (one) => carries(one, memory(check.value).id, memory(check.value).text),
        `recalls ${check.value}`
      )
    case "not_recalls":
      return none(
        spoken,
        (one) => carries(one, memory(check.value).id, memory(check.value).text),
        (one) => `recalls ${check.value}: ${quoted(replyOf(one))}`
      )
    case "cites_only_setup": {
      const known = new Set(Object.values(trajectory.memory_ids))
      return none(
        spoken,
        ({ index, cited }) =>
          cited.some((id) => id.startsWith("mem_") && !known.has(id)) ||
          gatesBroken(played, index, ["unsupported_memory"]).length > 0,
        (one) => quoted(replyOf(one))
      )
    }
    case "emotion_in":
      return check.value.includes(last.emotion.label)
        ? pass(`feels ${last.emotion.label}`)
        : fail(`feels ${last.emotion.label}`)
    case "score_direction": {
      const before = (trajectory.turns[first.index - 1] ?? trajectory).scores[check.key]
      const after = last.scores[check.key]
      if (before === undefined || after === undefined)
        return { status: "error", detail: `the character has no score ${quoted(check.key)}` }
      const direction = Math.abs(after - before) < flatWithin ? "flat" : after > before ? "up" : "down"
      // Only the direction is shown, because changes of scores are never exposed (contract 2.5).
      return { status: direction === check.value ? "pass" : "fail", detail: direction }
    }
    case "loop_opened":
    case "loop_resolved": {
      const { value = "" } = check
      const of = ({ opened, resolved }: Asked) => (check.type === "loop_opened" ? opened : resolved)
      return some(
        asked,
        (one) => of(one).some(({ text }) => includes(text, value)),
        `${check.type}${value === "" ? "" : ` ${quoted(value)}`}`
      )
    }
    case "safety_action":
      return some(
        asked,
        ({ safety }) => safety === check.value,
        `${check.value} (${asked.map(({ safety }) => safety ?? "not reached").join(", ")})`
      )
    case "latency_ms_max":
      return none(
        asked,
        ({ latency_ms }) => latency_ms > check.value,
        ({ latency_ms }) => `${Math.round(latency_ms)} ms`
      )
    case "cost_usd_max": {
      const cost = asked.reduce((sum, { cost_micro_usd }) => sum + cost_micro_usd, 0) / MICRO
      return { status: cost <= check.value ? "pass" : "fail", detail: `${cost} USD` }
    }
    case "retrieval_recall_at_k": {
      const shares = asked.map(({ retrieved }) => {
        const found = new Set(retrieved.slice(0, check.k))
        return check.keys.filter((key) => found.has(trajectory.memory_ids[key] ?? "")).length / check.keys.length
      })
      const score = Math.max(...shares)
      return {
        status: score >= (check.value ?? 1) ? "pass" : "fail",
        detail: `${score} of them among the first ${check.k}`,
        score
      }
    }
  }
}
