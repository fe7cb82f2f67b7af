import { printable } from "#src/commands/terminal/output.ts"

/** The result of one case in one repeat, as far as a report shows it. */
interface CaseResult {
  readonly case_key: string
  readonly repeat: number
  readonly status: string
  readonly checks: ReadonlyArray<{
    readonly type: string
    readonly turn: number | null
    readonly status: string
    readonly detail: string
  }>
}
interface GateResult {
  readonly metric: string
  readonly op: string
  readonly value: number
  readonly actual: number | null
  readonly status: string
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
/** Text for an attribute, on one line and without characters that XML does not have. */
const xml = (text: string): string =>
  printable(text)
    .toWellFormed()
    .replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)

const wrongIn = ({ checks }: CaseResult): string =>
  checks
    .filter(({ status }) => status === "fail" || status === "error")
    .map(({ type, turn, detail }) => `${type}${turn === null ? "" : ` (turn ${turn + 1})`}: ${detail}`)
    .join("; ")

const outcome = (status: string, message: string): string => {
  switch (status) {
    case "pass":
      return ""
    case "skipped":
      return "<skipped/>"
    case "error":
      return `<error message="${xml(message)}"/>`
    default:
      return `<failure message="${xml(message)}"/>`
  }
}

/** A run as JUnit XML, which CI systems show: a test case for each case and repeat, and for each gate. */
export const junitOf = (
  run: { readonly id: string; readonly gates: ReadonlyArray<GateResult> },
  results: ReadonlyArray<CaseResult>
): string => {
  const cases = [
    ...results.map((result) => ({
      name: `${result.case_key} #${result.repeat}`,
      status: result.status,
      message: wrongIn(result)
    })),
    ...run.gates.map(({ metric, op, value, actual, status }) => ({
      name: `gate ${metric} ${op} ${value}`,
      status,
      message: `actual: ${actual ?? "not measured"}`
    }))
  ]
  const count = (status: string) => cases.filter((one) => one.status === status).length
  const failures = cases.length - count("pass") - count("skipped") - count("error")
  const lines = cases.map(
    ({ name, status, message }) =>
      `  <testcase classname="${xml(run.id)}" name="${xml(name)}">${outcome(status, message)}</testcase>`
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="troupe eval" tests="${cases.length}" failures="${failures}" errors="${count("error")}" ` +
      `skipped="${count("skipped")}">`,
    ...lines,
    "</testsuite>"
  ].join("\n")
}
