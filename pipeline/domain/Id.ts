import { createHash, randomFillSync } from "node:crypto"
import { encodeTime, monotonicFactory } from "ulid"

/** What an id may stand for. The prefix makes a stray id in a log readable. */
export type IdPrefix =
  | "app"
  | "ses"
  | "evt"
  | "run"
  | "wrk"
  | "req"
  | "chn"
  | "bot"
  | "bat"
  | "acc"
  | "aud"
  | "ers"
  | "exp"
  | "mem"
  | "lop"
  | "snp"
  | "dec"
  | "sch"
  | "npc"
  | "edg"
  | "lor"
  | "stl"
  | "arc"
  | "rsr"
  | "fnd"
  | "evd"
  | "ast"
  | "img"
  | "imp"
  | "obj"
  | "evs"
  | "evr"

const pool = new Uint8Array(4096)
let unread = 0
const random = (): number => {
  if (unread === 0) {
    randomFillSync(pool)
    unread = pool.length
  }
  return (pool[--unread] ?? 0) / 256
}
const ulid = monotonicFactory(random)

/** A new id: prefix, underscore, ULID. Sorts by the time it was made. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/**
 * An id for what was made at this moment out of this: the same out of the same, so that what is worked out again has
 * the same name.
 */
export const derivedId = (prefix: IdPrefix, at: Date, of: string): string =>
  `${prefix}_${encodeTime(at.getTime(), 10)}${Array.from(createHash("sha256").update(of).digest().subarray(0, 16), (byte) => CROCKFORD[byte % 32]).join("")}`

/** What the ids of this kind that were made from this moment on come after. */
export const beforeIdsFrom = (prefix: IdPrefix, at: Date): string => `${prefix}_${encodeTime(at.getTime(), 10)}`

/** Whether a text from outside has the form of an id; anything else can name nothing of ours. */
export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.length === prefix.length + 27 &&
  text.startsWith(`${prefix}_`) &&
  /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text.slice(prefix.length + 1))
