import { derivedId } from "../domain/Id.ts"
import { bounded } from "./bounded.ts"
import type { Extraction } from "./Extraction.ts"
import type { EndedTurn } from "./Extractor.ts"
import { evidenceOf, sentencesOf } from "./decideMemories.ts"
import { gistOf } from "./gist.ts"
import { isInstruction } from "./isInstruction.ts"
import { isOwnVoice } from "./voices/judge.ts"
import { isWaiting, type OpenLoop, type Relationship } from "./Relationship.ts"

const MAX_PER_TURN = 4
const MAX_WAITING = 50
const MAX_TEXT_CHARS = 300
const DAY_MS = 86_400_000
/** How long a loop waits: after its due date, or after it was opened if it has none. */
const EXPIRES_MS = { due: 14 * DAY_MS, undated: 30 * DAY_MS } as const
/** Due dates further ahead are ignored. */
const FURTHEST_MS = 400 * DAY_MS

const PRIORITY: Readonly<Record<OpenLoop["kind"], number>> = {
  conflict: 5,
  event_followup: 4,
  promise: 4,
  plan: 3,
  question: 2
}

/**
 * When on that day to ask. Late morning in the person's time zone would be best. Noon in UTC is daytime almost
 * everywhere.
 */
const dueAt = (day: string | null, at: Date): string | null => {
  const then = day !== null && /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T12:00:00Z`) : Number.NaN
  return then > at.getTime() - DAY_MS && then < at.getTime() + FURTHEST_MS ? new Date(then).toISOString() : null
}

const isOver = (loop: OpenLoop, nowMs: number): boolean =>
  loop.due_at === null
    ? nowMs > Date.parse(loop.created_at) + EXPIRES_MS.undated
    : nowMs > Date.parse(loop.due_at) + EXPIRES_MS.due

/** The loops that a turn opens, takes up again, and lets expire. A loop needs a quote of the person who opened it. */
export const decideLoops = (
  known: Relationship,
  turn: EndedTurn,
  extraction: Extraction,
  version: number
): ReadonlyArray<OpenLoop> => {
  const at = turn.at.toISOString()
  const changed = new Map<string, OpenLoop>()
  const waiting = () => [...new Map([...known.loops, ...changed]).values()].filter(isWaiting)
  const set = (loop: OpenLoop, change: Partial<OpenLoop>) =>
    changed.set(loop.id, { ...loop, ...change, updated_at: at })

  for (const loop of waiting()) {
    if (extraction.loops_resolved.includes(loop.id)) set(loop, { status: "resolved" })
    else if (isOver(loop, turn.at.getTime())) set(loop, { status: "expired" })
  }
  for (const [n, { kind, owner, text: read, due_on, quote }] of extraction.loops_open
    .slice(0, MAX_PER_TURN)
    .entries()) {
    const evidence = evidenceOf(quote, owner === "user" ? turn.message : turn.reply)
    const text = bounded(read, MAX_TEXT_CHARS)
    if (
      evidence === null ||
      text === "" ||
      (owner === "user" && !isOwnVoice(turn.message?.text ?? "", quote, turn.endUser.displayName)) ||
      isInstruction(text) ||
      isInstruction(sentencesOf(quote, (owner === "user" ? turn.message : turn.reply)?.text ?? ""))
    )
      continue
    const due_at = dueAt(due_on, turn.at)
    const same = waiting().find((loop) => loop.owner === owner && gistOf(loop.text) === gistOf(text))
    if (same !== undefined) {
      if (due_at !== null && due_at !== same.due_at) set(same, { due_at, status: "open" })
      continue
    }
    const id = derivedId("lop", turn.at, `${turn.sessionId} ${version} ${n}`)
    changed.set(id, {
      id,
      kind,
      owner,
      text,
      due_at,
      priority: PRIORITY[kind],
      status: "open",
      evidence: [evidence],
      created_at: at,
      updated_at: at
    })
  }
  const surplus = waiting()
    .sort((a, b) => b.created_at.localeCompare(a.created_at))
    .slice(MAX_WAITING)
  for (const loop of surplus) set(loop, { status: "expired" })
  return [...changed.values()]
}
