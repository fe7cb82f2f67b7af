import { catalogue } from "./errors.ts"

const coded = catalogue.filter(({ code }) => code !== null).toSorted((a, b) => a.status - b.status)

/** The codes of a status, for a sentence; empty where none has a code. */
export const codesOf = (status: number): string =>
  coded
    .filter((entry) => entry.status === status)
    .map(({ code }) => code)
    .join(", ")

/** The catalogue as Markdown, a line each. */
export const errorList = (): string =>
  coded
    .map(
      ({ status, code, message, fix, retryable }) =>
        `- ${status} \`${code}\` (${retryable ? "retry" : "no retry"}): ${message} ${fix}`
    )
    .join("\n")
