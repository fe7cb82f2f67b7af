import { isId } from "#pipeline/domain/Id.ts"
import { EvalRuns } from "#src/db/evals/EvalRuns.ts"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { evalRunNotFound, evalSuiteNotFound } from "./evalErrors.ts"

export const evalSuiteExists = resourceExists(
  evalSuiteNotFound,
  ({ suite_id = "" }, { principal }) =>
    isId("evs", suite_id) && EvalSuites.use((suites) => suites.get(principal.appId, suite_id))
)

export const evalRunExists = resourceExists(
  evalRunNotFound,
  ({ run_id = "" }, { principal }) => isId("evr", run_id) && EvalRuns.use((runs) => runs.get(principal.appId, run_id))
)
