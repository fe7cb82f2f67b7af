import { invalidRequest } from "#src/http/server/errors.ts"
import { fixOf, type Issue, quoteIssues, type Where } from "./validation.ts"

/** The error for what a schema refuses of an input: each field, what was found and expected, and what to do. */
export const refusalOf = (issues: ReadonlyArray<Issue>, where: Where, input: unknown) =>
  invalidRequest.saying(quoteIssues(issues, where, input), fixOf(issues, where, input))
