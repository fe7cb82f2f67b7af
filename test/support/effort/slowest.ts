import { createContext, Script } from "node:vm"

/** A call that takes longer is stopped, and its remaining texts are skipped. */
const PATIENCE_MS = 20_000
const CALLS = new Script(
  "for (const text of texts) { at += 1; const since = clock(); call(text); costs.push(clock() - since) }"
)

const clock = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU milliseconds on this thread for each text. */
const costsOf = (texts: ReadonlyArray<string>, call: (text: string) => void): ReadonlyArray<number> => {
  const costs: Array<number> = []
  try {
    CALLS.runInContext(createContext({ texts, call, clock, costs, at: 0 }), { timeout: PATIENCE_MS })
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")) throw thrown
    costs.push(Infinity)
  }
  return costs
}

/**
 * The texts for which a call takes longer than the limit. The best of three tries, because the first ones may compile
 * or collect garbage. The later tries are shorter by a character or two, so that nothing is known from the first one.
 * Exceptions are ignored here.
 */
export const slowOver = (
  texts: ReadonlyArray<string>,
  mostMs: number,
  call: (text: string) => unknown
): ReadonlyArray<string> => {
  const tried = (text: string): void => {
    try {
      call(text)
    } catch (thrown) {
      if (thrown instanceof Error && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw thrown
    }
  }
  const first = costsOf(texts, tried)
  return texts.flatMap((text, place) => {
    const cost = first[place] ?? 0
    if (cost <= mostMs) return []
    const least = cost === Infinity ? cost : Math.min(cost, ...costsOf([text.slice(1), text.slice(2)], tried))
    return least <= mostMs
      ? []
      : [`${Math.round(least)} ms: ${JSON.stringify(text.slice(0, 40))} (${text.length} characters)`]
  })
}
