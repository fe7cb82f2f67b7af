import { assert, describe, it } from "@effect/vitest"
import { resolve } from "node:path"
import { hostileTexts, hostileTo } from "#test/support/hostile/hostileTexts.ts"
import { readPatterns, ROOT } from "#test/support/regexes/readPatterns.ts"
import { textFunctions } from "#test/support/regexes/textFunctions.ts"
import { slowOver } from "#test/support/effort/slowest.ts"

const MAX_MS = 50
const OWN_TEXTS = 60
const EVERYWHERE = hostileTexts()

describe("no text makes a rule slow", () => {
  for (const { file, name, given } of textFunctions([
    "pipeline",
    "channels",
    "src/imports",
    "src/model/offline",
    "src/http"
  ])) {
    it(`${name} of ${file}`, async () => {
      const exported: unknown = (await import(resolve(ROOT, file)))[name]
      if (typeof exported !== "function") return
      const own = hostileTo(
        readPatterns(file).literals.map(({ source }) => source),
        OWN_TEXTS
      )
      assert.deepStrictEqual(
        slowOver([...EVERYWHERE, ...own], MAX_MS, (text) => exported(...given(text))),
        []
      )
    })
  }
})
