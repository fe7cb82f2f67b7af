import { dataBlock } from "../chat.ts"

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0)

/** The fields that say something. What is missing, empty or false is left out, and costs nothing. */
export const filled = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))

/** A block, unless it would be empty. */
export const filledBlock = (
  name: string,
  content: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>,
  rule?: string
): ReadonlyArray<string> => (isEmpty(content) ? [] : [dataBlock(name, content), ...(rule === undefined ? [] : [rule])])
