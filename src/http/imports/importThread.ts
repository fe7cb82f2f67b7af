import { ImportRefused } from "#src/imports/ImportRefused.ts"
import { outcomeOf } from "#src/http/server/body/outcome.ts"
import { importRefused } from "./importErrors.ts"
import { reviewBundle } from "./reviewBundle.ts"
import { stageImport } from "./stageImport.ts"

const importOutcome = <A>(work: () => Promise<A>) =>
  outcomeOf(() =>
    work().catch((thrown: unknown) => {
      throw thrown instanceof ImportRefused ? importRefused(thrown.reason, thrown.problem) : thrown
    })
  )

// The functions that src/http/imports/onImportThread.ts calls by name, on a thread of its own.

export const stage = (bytes: Uint8Array) => importOutcome(() => stageImport(bytes))
export const review = (args: Parameters<typeof reviewBundle>) => importOutcome(() => reviewBundle(...args))
