import { newId } from "../domain/Id.ts"
import { forgotten, surplusOf } from "./decideMemories.ts"
import { forgetAlongWith } from "./forget.ts"
import { isInstruction } from "./isInstruction.ts"
import { apply, EMPTY_PATCH, type Patch } from "./Patch.ts"
import { type Memory, NO_PREFERENCES, type OpenLoop, type Preferences, type Relationship } from "./Relationship.ts"
import { summaryByRules } from "./summary.ts"
import { describeAbout } from "./voices/describeAbout.ts"

/** Whether the words of a memory instruct a model. */
const instructs = ({ text, about }: Pick<Memory, "text" | "about">): boolean =>
  isInstruction(text) || (about !== null && isInstruction(describeAbout(about)))

/** The fields of a memory that an app may set. */
export type MemoryFields = Pick<
  Memory,
  "kind" | "subject" | "about" | "text" | "importance" | "confidence" | "pinned" | "valid_at"
>

/** Limit for pinned memories of a session. They are never dropped. */
export const MAX_PINNED = 50

const pinnedOf = (known: Relationship): number =>
  [...known.memories.values()].filter(({ pinned, status }) => pinned && status === "active").length

/** A memory together with those that are dropped to make room, possibly itself. */
const withSurplus = (known: Relationship, memory: Memory, at: string): Patch => {
  const surplus = surplusOf([...new Map([...known.memories, [memory.id, memory]]).values()], at)
  return { ...EMPTY_PATCH, memories: [...new Map([memory, ...surplus].map((one) => [one.id, one])).values()] }
}

/**
 * A memory that the app adds. It may also add one that was forgotten. A memory that instructs a model is quarantined,
 * as for everyone. Null: too many are pinned.
 */
export const add = (
  known: Relationship,
  fields: MemoryFields,
  at: string
): { readonly memory: Memory; readonly patch: Patch } | null => {
  if (fields.pinned && pinnedOf(known) >= MAX_PINNED) return null
  const memory: Memory = {
    ...fields,
    id: newId("mem"),
    status: instructs(fields) ? "quarantined" : "active",
    invalid_at: null,
    supersedes_id: null,
    linked_ids: [],
    evidence: [],
    source: "app",
    tombstone: null,
    recall_count: 0,
    last_recalled_at: null,
    created_at: at
  }
  return { memory, patch: withSurplus(known, memory, at) }
}

export interface MemoryChange extends Partial<MemoryFields> {
  readonly status?: "active" | "superseded"
}

/**
 * A memory after a change by the app. New text has the app as its source. A memory that instructs a model is
 * quarantined or stays so, whatever status is requested. Null: too many are pinned.
 */
export const change = (
  known: Relationship,
  before: Memory,
  { status, ...fields }: MemoryChange,
  at: string
): { readonly memory: Memory; readonly patch: Patch } | null => {
  if (fields.pinned === true && !before.pinned && pinnedOf(known) >= MAX_PINNED) return null
  const { text = before.text, about = before.about } = fields
  const reworded = text !== before.text
  const quarantined =
    reworded || fields.about !== undefined ? instructs({ text, about }) : before.status === "quarantined"
  const next = quarantined ? "quarantined" : (status ?? (before.status === "quarantined" ? "active" : before.status))
  const memory: Memory = {
    ...before,
    ...fields,
    status: next,
    source: reworded ? "app" : before.source,
    invalid_at: next === "superseded" ? (before.invalid_at ?? at) : null
  }
  return { memory, patch: withSurplus(known, memory, at) }
}

/** Forgets a memory and everything that retells it. */
export const forget = (known: Relationship, before: Memory, at: string): Patch => {
  const along = forgetAlongWith(known, [before], at)
  const patch: Patch = { ...EMPTY_PATCH, memories: [forgotten(before, at), ...along.memories], loops: along.loops }
  const after = apply(known, patch, at, null)
  return known.bearing.summary === ""
    ? patch
    : { ...patch, bearing: { summary: summaryByRules(after.memories.values(), after.loops.values()) } }
}

export const changeLoop = (
  before: OpenLoop,
  fields: Partial<Pick<OpenLoop, "status" | "due_at">>,
  at: string
): Patch => ({ ...EMPTY_PATCH, loops: [{ ...before, ...fields, updated_at: at }] })

type PreferenceFields = Omit<Preferences, "field_sources">

/** Fields that the app sets, or clears with null. */
export type PreferenceChange = { readonly [Field in keyof PreferenceFields]?: PreferenceFields[Field] | null }

/**
 * The preferences after a change by the app. Null: the change would undo an opt-out of the person, which only they can
 * undo.
 */
export const changePreferences = (before: Preferences, change: PreferenceChange): Preferences | null => {
  const named = (Object.keys(change) as ReadonlyArray<keyof PreferenceFields>).filter(
    (field) => change[field] !== undefined
  )
  if (
    named.includes("opted_out") &&
    before.opted_out &&
    before.field_sources["opted_out"] === "explicit" &&
    change.opted_out !== true
  )
    return null
  const sources = new Map(Object.entries(before.field_sources))
  for (const field of named) {
    // If the app repeats what the person said, the source stays the person.
    if (field === "opted_out" && before.opted_out && change.opted_out === true) continue
    if (change[field] === null) sources.delete(field)
    else sources.set(field, "app")
  }
  const values = Object.fromEntries(named.map((field) => [field, change[field] ?? NO_PREFERENCES[field]]))
  return { ...before, ...values, field_sources: Object.fromEntries(sources) }
}
