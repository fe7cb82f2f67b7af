import { assert, describe, it } from "vitest"
import { nearest, toBytes } from "#src/db/memory/nearest.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"

const SIZE = 256
let seed = 1
const random = () => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647 - 0.5
}
const randomVector = () => Array.from({ length: SIZE }, random)
/** A vector between two others. */
const towards = (one: ReadonlyArray<number>, other: ReadonlyArray<number>, share: number) =>
  one.map((component, i) => component * (1 - share) + (other[i] ?? 0) * share)
const joined = (vectors: ReadonlyArray<ReadonlyArray<number>>) =>
  Int8Array.from(vectors.flatMap((vector) => [...toBytes(vector)]))

describe("the nearest vectors", () => {
  it("are those that stand out, best first, whatever their lengths", () => {
    const asked = randomVector()
    const others = Array.from({ length: 100 }, randomVector)
    const all = joined([
      ...others,
      towards(randomVector(), asked, 0.6),
      towards(randomVector(), asked, 0.8).map((component) => component / 1_000)
    ])
    const found = nearest(toBytes(asked), all, 20)
    assert.deepStrictEqual(
      found.slice(0, 2).map(({ place }) => place),
      [101, 100]
    )
    assert.isAbove(found[0]?.similarity ?? 0, 0.9)
    assert.strictEqual(nearest(toBytes(asked), all, 1).length, 1)
  })

  it("are none if all are equally near, or there are none", () => {
    const asked = randomVector()
    assert.deepStrictEqual(nearest(toBytes(asked), new Int8Array(), 20), [])
    assert.deepStrictEqual(nearest(new Int8Array(), new Int8Array(), 20), [])
    assert.deepStrictEqual(nearest(toBytes(asked), new Int8Array(SIZE * 10), 20), [])
    const close = towards(asked, randomVector(), 0.1)
    assert.deepStrictEqual(nearest(toBytes(asked), joined([close, close, close]), 20), [])
    const away = asked.map((component) => -component)
    assert.deepStrictEqual(nearest(toBytes(asked), joined([away, away, away]), 20), [])
  })

  it("of 12,000 are found within 20 ms", async () => {
    const asked = toBytes(randomVector())
    const all = Int8Array.from({ length: 12_000 * SIZE }, () => Math.round(random() * 254))
    nearest(asked, all, 20)
    const efforts = []
    for (let n = 0; n < 5; n++) efforts.push((await effortOf(() => nearest(asked, all, 20))).effortMs)
    assert.isBelow(Math.min(...efforts), 20)
  })
})
