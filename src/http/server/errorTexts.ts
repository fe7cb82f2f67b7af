import { catalogue } from "./catalogue.ts"

/** The codes of a status, for a sentence. Empty if it has none. */
export const codesOf = (status: number): string =>
  catalogue
    .flatMap((entry) => (entry.status === status && entry.code !== null ? [entry.code] : []))
    .toSorted()
    .join(", ")

/** By status and then by code, regardless of the order in which files are loaded. */
const sorted = () =>
  catalogue
    .flatMap((entry) => (entry.code === null ? [] : [{ ...entry, code: entry.code }]))
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))

/** The catalogue as Markdown, one line per error. */
export const errorList = (): string =>
  sorted()
    .map(
      ({ status, code, message, fix, retryable }) =>
        `- ${status} \`${code}\` (${retryable ? "retry" : "no retry"}): ${message} ${fix}`
    )
    .join("\n")
