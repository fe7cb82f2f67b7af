import { dataBlock } from "../chat.ts"

/** A block, unless it would be empty. */
export const filledBlock = (name: string, items: ReadonlyArray<unknown>, rule?: string): ReadonlyArray<string> =>
  items.length === 0 ? [] : [dataBlock(name, items), ...(rule === undefined ? [] : [rule])]
