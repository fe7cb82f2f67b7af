import type { Bundle } from "./Bundle.ts"
import { isRecord } from "./readJson.ts"

const PATH = /^[a-z_]+(?:\.\w{1,60}|\[\d{1,4}\]){0,12}$/i
const SETTABLE: ReadonlySet<string> = new Set(["character", "npcs", "lore", "evidence", "visual_identity"])
const DROPPABLE: ReadonlySet<string> = new Set([...SETTABLE, "assets", "extra"])
const UNSAFE: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

type Key = string | number
interface Target {
  readonly holder: Record<string, unknown> | Array<unknown>
  readonly key: Key
}

/** Keys and indices of a path such as `character.voice_samples[2].text`. Undefined if it is not a path. */
const keysOf = (path: string): ReadonlyArray<Key> | undefined => {
  if (path.length > 400 || !PATH.test(path)) return undefined
  const keys = [...path.matchAll(/(\w+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index))
  return keys.some((key) => UNSAFE.has(String(key))) ? undefined : keys
}

const innerOf = ({ holder, key }: Target): unknown => (Array.isArray(holder) ? holder[Number(key)] : holder[key])
const fits = (holder: Target["holder"], key: Key): boolean =>
  Array.isArray(holder) ? typeof key === "number" && key <= holder.length : typeof key === "string"

/** Resolves a path. If `making`, missing containers on the way are created. */
const targetOf = (root: Record<string, unknown>, keys: ReadonlyArray<Key>, making: boolean): Target | undefined => {
  let holder: Target["holder"] = root
  for (const [index, key] of keys.entries()) {
    if (!fits(holder, key)) return undefined
    const next = keys[index + 1]
    if (next === undefined) return { holder, key }
    let inner = innerOf({ holder, key })
    if (typeof inner !== "object" || inner === null) {
      if (!making || (inner !== undefined && inner !== null)) return undefined
      inner = typeof next === "number" ? [] : {}
      put({ holder, key }, inner)
    }
    holder = inner as Target["holder"]
  }
  return undefined
}

const put = ({ holder, key }: Target, value: unknown): void => {
  if (Array.isArray(holder)) holder[Number(key)] = value
  else holder[key] = value
}

const hasKey = ({ holder, key }: Target): boolean =>
  Array.isArray(holder) ? Number(key) < holder.length : Object.hasOwn(holder, key)

export interface Edit {
  readonly set: Readonly<Record<string, unknown>>
  readonly drop: ReadonlyArray<string>
}

/**
 * A copy of a bundle with some values set and others dropped. Dropped indices refer to the bundle before the edit.
 * `unplaced` lists paths that do not exist in the bundle.
 */
export const editBundle = (
  bundle: Bundle,
  { set, drop }: Edit
): {
  readonly bundle: Bundle
  readonly unplaced: { readonly set: ReadonlyArray<string>; readonly drop: ReadonlyArray<string> }
} => {
  const next = structuredClone(bundle) as unknown as Record<string, unknown>
  const unplaced = { set: [] as Array<string>, drop: [] as Array<string> }
  for (const [path, value] of Object.entries(set)) {
    const keys = keysOf(path)
    const target =
      keys === undefined || !SETTABLE.has(String(keys[0])) || (keys.length === 1 && keys[0] !== "visual_identity")
        ? undefined
        : targetOf(next, keys, true)
    if (target === undefined) unplaced.set.push(path)
    else put(target, value)
  }
  const gone = Symbol("gone")
  const lists = new Set<Array<unknown>>()
  for (const path of drop) {
    const keys = keysOf(path)
    const target =
      keys === undefined || keys.length < 2 || !DROPPABLE.has(String(keys[0])) ? undefined : targetOf(next, keys, false)
    if (target === undefined || !hasKey(target)) unplaced.drop.push(path)
    else if (Array.isArray(target.holder)) {
      target.holder[Number(target.key)] = gone
      lists.add(target.holder)
    } else delete target.holder[target.key]
  }
  for (const list of lists) list.splice(0, list.length, ...list.filter((item) => item !== gone))
  if (!isRecord(next["visual_identity"])) next["visual_identity"] = null
  return { bundle: next as unknown as Bundle, unplaced }
}

/** Whether a path equals `outer` or leads into it. */
export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
