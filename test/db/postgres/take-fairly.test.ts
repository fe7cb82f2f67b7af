import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { takeFairly } from "#src/db/postgres/takeFairly.ts"

interface Item {
  readonly app: string
  readonly n: number
}
const items = fc
  .array(fc.constantFrom("a", "b", "c"), { maxLength: 40 })
  .map((apps) => apps.map((app, n): Item => ({ app, n })))
const appOf = ({ app }: Item) => app

describe("a batch that cannot take everything that waits", () => {
  it("takes one item of each app before a second item of any app", () => {
    const queue: Array<Item> = [
      ...Array.from({ length: 100 }, (_, n) => ({ app: "flood", n })),
      { app: "quiet", n: 100 }
    ]
    assert.deepInclude(takeFairly(queue, 4, appOf).slice(0, 2), { app: "quiet", n: 100 })
    assert.lengthOf(queue, 97)
  })

  it("takes as many as fit, in the order of each app, without losing or repeating any", () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 20 }), (all, most) => {
        const queue = [...all]
        const taken = takeFairly(queue, most, appOf)
        assert.lengthOf(taken, Math.min(most, all.length))
        assert.sameMembers([...taken, ...queue], all)
        for (const app of ["a", "b", "c"]) {
          const own = all.filter((item) => item.app === app)
          assert.deepStrictEqual(
            [...taken, ...queue].filter((item) => item.app === app),
            own
          )
        }
        const counts = ["a", "b", "c"].map((app) =>
          [taken, queue].map((of) => of.filter((item) => item.app === app).length)
        )
        // Each app with something left has had as many taken as any other, give or take one.
        for (const [own = 0, left = 0] of counts)
          if (left > 0) for (const [other = 0] of counts) assert.isAtMost(other, own + 1)
      })
    )
  })
})
