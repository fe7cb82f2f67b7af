import { mint, prefixLength, read, type Start } from "./credential.ts"

/** The codes of cells. They have no underscore and the rest of a key has none, so a key tells whether it has a code. */
export const CELL = /^[a-z0-9]{1,8}$/
const START = /^ck_(?:([a-z0-9]{1,8})_)?/

/** `ck_`, or `ck_eu1_` in a cell: proxies route by it. */
const startOf = (cell: string): Start => (cell === "" ? "ck_" : `ck_${cell}_`)

export interface MintedKey {
  /** The whole key. Shown once, never stored. */
  readonly apiKey: string
  readonly prefix: string
  readonly secretHash: Buffer
}

/** A new key of this cell. Without a cell, it has no code. */
export const mintApiKey = (cell = ""): MintedKey => {
  const { secret, prefix, secretHash } = mint(startOf(cell))
  return { apiKey: secret, prefix, secretHash }
}

/** The code of the cell that has created a key, by its prefix or the whole key. Empty: it has none. */
export const cellOfKey = (key: string): string => START.exec(key)?.[1] ?? ""

/** The parts of a presented key to look it up by. Null if it cannot be one of our keys. */
export const readApiKey = (presented: string) => read(startOf(cellOfKey(presented)), presented)

/** Whether external text can be the prefix of a key. */
export const isKeyPrefix = (text: string): boolean =>
  text.length === prefixLength(startOf(cellOfKey(text))) && /^ck_(?:[a-z0-9]+_)?[0-9A-Za-z]+$/.test(text)
