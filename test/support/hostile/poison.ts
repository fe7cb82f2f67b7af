import { registerHooks } from "node:module"
import { POISONED_FILES, poisonedSource } from "./poisonedSource.ts"

/**
 * Preloaded into a process under test (`NODE_OPTIONS=--import`). The rules that `poisonedSource.ts` names never return
 * from a text with their mark, as if it had defeated them, or they abort the process. The product has no hook for this:
 * the files are changed as they are loaded, here for threads, and for the process when its bundle is made. The monitor
 * waits for 4 s instead of 10, and the threads that read bodies for 2 s, unless `POISON_PATIENT` is set. With
 * `POISON_RESTS`, a rule that never returns leaves most of a processor to others.
 */
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    return POISONED_FILES.some((file) => url.endsWith(file))
      ? { ...loaded, source: poisonedSource(url, String(loaded.source)) }
      : loaded
  }
})
