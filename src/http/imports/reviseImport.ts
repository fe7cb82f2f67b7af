import * as Effect from "effect/Effect"
import type { OpenImport } from "#src/db/character/Imports.ts"
import { validationError } from "#src/http/server/errors.ts"
import { editBundle, isWithin } from "#src/imports/editBundle.ts"
import type { Finding } from "#src/imports/Report.ts"
import { reviewOnThread } from "./onImportThread.ts"

/** The edits that a reviewer requests. */
interface Edits {
  readonly set: Readonly<Record<string, unknown>>
  readonly drop: ReadonlyArray<string>
  /** Codes of accepted warnings. */
  readonly accepting: ReadonlyArray<string>
}

const named = (paths: ReadonlyArray<string>): string =>
  paths
    .slice(0, 5)
    .map((path) => JSON.stringify(path.slice(0, 80)))
    .join(", ")

/** An open import after these edits, with a new review. */
export const reviseImport = Effect.fnUntraced(function* (
  appId: string,
  open: OpenImport,
  { set, drop, accepting }: Edits
) {
  const { bundle, unplaced } = editBundle(open.bundle, { set, drop })
  const findings = [...open.report.warnings, ...open.report.blockers]
  const nowhere = unplaced.drop.filter((path) => !findings.some((known) => known.path === path))
  if (unplaced.set.length > 0)
    return yield* validationError(`body.set: no such path in the bundle, received ${named(unplaced.set)}`)
  if (nowhere.length > 0)
    return yield* validationError(`body.drop: not a path in the bundle or of a finding, received ${named(nowhere)}`)
  const seenTo = [...Object.keys(set), ...drop]
  const left = (list: ReadonlyArray<Finding>) =>
    list.filter(({ path }) => !seenTo.some((touched) => isWithin(path, touched)))
  const accepted = [
    ...new Set([
      ...open.accepted_warnings,
      ...accepting.filter((code) => open.report.warnings.some((warning) => warning.code === code))
    ])
  ]
  const reviewed = yield* reviewOnThread(
    appId,
    bundle,
    { ...open.report, warnings: left(open.report.warnings), blockers: left(open.report.blockers) },
    open.mode,
    accepted
  )
  return { ...reviewed, accepted }
})
