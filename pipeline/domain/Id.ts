import { createHash, randomFillSync } from "node:crypto"
import { decodeTime, encodeTime, monotonicFactory } from "ulid"

/** The kinds of ids. The prefix makes an id in a log readable. */
export type IdPrefix =
  | "app"
  | "ses"
  | "svc"
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
  | "alr"
  | "prc"
  | "lea"

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

/** A new id: prefix, underscore, ULID. Ids sort by creation time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** An id derived from a moment and a text. The same input gives the same id, so recomputed rows keep their names. */
export const derivedId = (prefix: IdPrefix, at: Date, of: string): string =>
  `${prefix}_${encodeTime(at.getTime(), 10)}` +
  `${Array.from(createHash("sha256").update(of).digest().subarray(0, 16), (byte) => CROCKFORD[byte % 32]).join("")}`

/** A lower bound: every id of this kind created at or after this moment sorts after it. */
export const beforeIdsFrom = (prefix: IdPrefix, at: Date): string => `${prefix}_${encodeTime(at.getTime(), 10)}`

const ULID = /_([0-7][0-9A-HJKMNP-TV-Z]{25})$/

/** When an id was made. Null: it is not an id. */
export const madeAt = (id: string): Date | null => {
  const [, ulidOfId] = ULID.exec(id) ?? []
  return ulidOfId === undefined ? null : new Date(decodeTime(ulidOfId))
}

/** Whether external text has the form of an id. Any other text cannot name one of our rows. */
export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.length === prefix.length + 27 &&
  text.startsWith(`${prefix}_`) &&
  /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text.slice(prefix.length + 1))
