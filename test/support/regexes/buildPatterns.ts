import { pathToFileURL } from "node:url"
import { resolve } from "node:path"
import { type Pattern, ROOT } from "./readPatterns.ts"

export interface Built extends Pattern {
  /** file:line:column of the call that built it. */
  readonly call: string
}

/** These modules have side effects when they are loaded. */
const STARTS: ReadonlySet<string> = new Set(["src/main.ts", "src/db/crashes/monitorThread.ts"])

const caller = (below: (...given: ReadonlyArray<never>) => unknown): NodeJS.CallSite | undefined => {
  const format = Error.prepareStackTrace
  const holder: { stack?: ReadonlyArray<NodeJS.CallSite> } = {}
  Error.prepareStackTrace = (_, sites) => sites
  Error.captureStackTrace(holder, below)
  const [site] = holder.stack ?? []
  Error.prepareStackTrace = format
  return site
}

/**
 * The patterns that these modules build from strings while they load. Replaces RegExp for the rest of the process, so
 * the modules must not have been loaded before.
 */
export const buildPatterns = async (files: ReadonlyArray<string>): Promise<ReadonlyArray<Built>> => {
  const built: Array<Built> = []
  const home = `${pathToFileURL(ROOT).href}/`
  const construct = (original: RegExpConstructor, given: Array<string>): RegExp => {
    const pattern = Reflect.construct(original, given) as RegExp
    const site = caller(construct)
    const file = site?.getFileName()
    if (site && file?.startsWith(home) && !file.includes("/node_modules/")) {
      const at = `${file.slice(home.length)}:${site.getLineNumber()}`
      built.push({ source: pattern.source, flags: pattern.flags, at, call: `${at}:${site.getColumnNumber()}` })
    }
    return pattern
  }
  globalThis.RegExp = new Proxy(RegExp, {
    construct,
    apply: (original, _, given: Array<string>) => construct(original, given)
  })
  for (const file of files)
    if (file.endsWith(".ts") && !STARTS.has(file)) await import(pathToFileURL(resolve(ROOT, file)).href)
  return built
}
