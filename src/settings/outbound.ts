import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { checkAllowList, checkHosts } from "./hosts.ts"
import { text } from "./text.ts"

const env = Config.all({
  OUTBOUND_ALLOW: text("OUTBOUND_ALLOW", ""),
  RESEARCH_HOSTS: text("RESEARCH_HOSTS", "")
})

export const readOutbound = Effect.gen(function* () {
  const e = yield* env
  return {
    outboundAllow: yield* checkAllowList("OUTBOUND_ALLOW", e.OUTBOUND_ALLOW),
    /** Hosts whose pages research may read. */
    researchHosts: yield* checkHosts("RESEARCH_HOSTS", e.RESEARCH_HOSTS)
  }
})
