import { catalogue } from "./errors.ts"

const byStatus = catalogue.toSorted((a, b) => a.status - b.status)
const again = (retryable: boolean) => retryable ? "retry" : "no retry"

/** The codes of a status, for a sentence; empty where none has a code. */
export const codesOf = (status: number): string =>
  byStatus.filter((entry) => entry.status === status && entry.code !== null).map(({ code }) => code).join(", ")

/** The catalogue as a table of Markdown, for people. */
export const errorTable = (): string => [
  "| Status | Code | Retry | Meaning | What to do |",
  "|---|---|---|---|---|",
  ...byStatus.map(({ status, code, message, fix, retryable }) => `| ${status} | ${code === null ? "(plain string)" : `\`${code}\``} | ${retryable ? "yes" : "no"} | ${message} | ${fix} |`)
].join("\n")

/** The catalogue a line each, for agents. */
export const errorLines = (): string =>
  byStatus.filter(({ code }) => code !== null).map(({ status, code, message, fix, retryable }) => `- ${status} ${code} (${again(retryable)}): ${message} ${fix}`).join("\n")
